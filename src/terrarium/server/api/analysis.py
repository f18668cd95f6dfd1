"""Questions to the engine: hints, analysis, reviews."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import get, post
from litestar.params import JSONBody
from litestar.response import Stream
from msgspec import Meta, Struct

from terrarium.play.commands import check_alone, check_engine, check_live, must_hold, try_actions
from terrarium.play.errors import Conflict, NotFound, Unprocessable
from terrarium.play.positions import start_position
from terrarium.play.shapes import AnyDict, SeatNumber
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg
from terrarium.server.api.games import authorized
from terrarium.server.live.rooms import encoded

__all__ = ["HANDLERS"]


class Hint(Struct):
    """The rest of the turn as the engine would play it, and what each seat may then expect."""

    seq: int
    turn: list[str]
    shares: list[float]


class Question(Struct, forbid_unknown_fields=True):
    """A position to think about."""

    position: Annotated[str, Meta(max_length=20_000)]
    seconds: Annotated[float, Meta(ge=0.1, le=5)] = 2.0
    lines: Annotated[int, Meta(ge=1, le=3)] = 1


class WholeTurn(Struct, forbid_unknown_fields=True):
    """A whole turn and the position it was played in."""

    position: Annotated[str, Meta(max_length=20_000)]
    actions: Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(min_length=1, max_length=40)]


class Verdict(Struct):
    """How much of the win a turn lost against the best, and why."""

    loss: float
    label: str
    shares: list[float]
    best: list[str]
    best_shares: list[float]
    reason: AnyDict | None


class Review(Struct):
    """What the engine thinks of every turn of a game, as far as it is."""

    status: str
    total: int
    turns: list[AnyDict]


@post("/api/games/{game_id:str}/hint", status_code=200, responses=ERRORS, summary="A hint")
async def hint(
    game_id: GameId, data: JSONBody[SeatNumber], services: ServicesArg, caller: CallerArg
) -> Hint:
    """What the engine would play for your seat, if it is your turn."""
    entry = await services.tables.entry(game_id)
    table = entry.table
    held = authorized(entry.holders, caller)
    must_hold(table, held, data.seat)
    check_live(table)
    check_alone(table, held)
    check_engine(table.start.game)
    if table.to_move != data.seat:
        raise Conflict("not-your-turn", f"it is not seat {data.seat}'s turn", seq=table.seq)
    services.limits.take("engine", caller.key, caller.address)
    found = await services.analysis.hint(table.position, caller.key)
    return Hint(table.seq, found["turn"], found["shares"])


@post("/api/analysis", status_code=200, responses=ERRORS, summary="What the engine thinks")
async def analyse(data: JSONBody[Question], services: ServicesArg, caller: CallerArg) -> Stream:
    """Growing results for a position, one JSON object per line; the last one is `done`."""
    services.limits.take("engine", caller.key, caller.address)
    position = start_position(data.position)
    check_engine(position.game)
    if position.outcome is not None:
        raise Conflict("game-over", "the game is over in this position: there is nothing to find")
    results = services.analysis.analyse(position, data.seconds, data.lines, caller.key)
    first = await anext(results)
    return Stream(_lines(first, results), media_type="application/x-ndjson")


async def _lines(first: AnyDict, rest: AsyncIterator[AnyDict]) -> AsyncIterator[str]:
    yield encoded(first) + "\n"
    async for facts in rest:
        yield encoded(facts) + "\n"


@post("/api/games/{game_id:str}/review", status_code=200, responses=ERRORS, summary="Review a game")
async def start_review(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Review:
    """Let the engine look at every turn of a finished game; ask again with GET."""
    table = await services.tables.table(game_id)
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    check_engine(table.start.game)
    services.limits.take("engine", caller.key, caller.address)
    return Review(**await services.analysis.start_review(table))


@get("/api/games/{game_id:str}/review", responses=ERRORS, summary="The review of a game")
async def review(game_id: GameId, services: ServicesArg) -> Review:
    """The review as far as it is."""
    found = await services.analysis.review(await services.tables.table(game_id))
    if found is None:
        raise NotFound("no-review", "nobody asked for a review of this game yet")
    return Review(**found)


@post("/api/positions/review", status_code=200, responses=ERRORS, summary="What a turn was worth")
async def judge(data: JSONBody[WholeTurn], services: ServicesArg, caller: CallerArg) -> Verdict:
    """A turn against the best in its position, judged as in the review of a game."""
    services.limits.take("engine", caller.key, caller.address)
    position = start_position(data.position)
    check_engine(position.game)
    if not try_actions(position, data.actions).is_complete:
        message = f"{' '.join(data.actions)!r:.80}: only a whole turn can be judged"
        raise Unprocessable("turn-incomplete", message)
    return Verdict(**await services.analysis.verdict(position, data.actions, caller.key))


HANDLERS: list[Any] = [hint, analyse, start_review, review, judge]
