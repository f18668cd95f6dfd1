"""Requests to the engine: hints, analysis, reviews."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from litestar import get, post
from litestar.params import JSONBody
from litestar.response import Stream

from terrarium.play.commands import check_engine
from terrarium.play.errors import Conflict, NotFound
from terrarium.play.shapes import AnyDict, SeatNumber
from terrarium.play.thinking import (
    Hint,
    PlannedTurn,
    Question,
    Review,
    Verdict,
    WholeTurn,
    position_asked,
    position_for_coach,
    position_for_hint,
    position_judged,
)
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg
from terrarium.server.api.description import LINES, line_stream
from terrarium.server.api.games import authorized
from terrarium.server.live.watchers import encoded

__all__ = ["HANDLERS"]


@post("/api/games/{game_id:str}/hint", status_code=200, responses=ERRORS, summary="A hint")
async def hint(
    game_id: GameId, data: JSONBody[SeatNumber], services: ServicesArg, caller: CallerArg
) -> Hint:
    """The turn that the engine would play for your seat, if it is your turn."""
    entry = await services.tables.entry(game_id)
    table = entry.table
    position = position_for_hint(table, authorized(entry.holders, caller), data.seat)
    services.limits.take("engine", caller.key, caller.address)
    found = await services.analysis.hint(position, caller.key, caller.address)
    return Hint(table.seq, found["turn"], found["shares"])


@post(
    "/api/games/{game_id:str}/coach",
    status_code=200,
    responses=ERRORS,
    summary="Review a turn before it is sent",
)
async def coach(
    game_id: GameId, data: JSONBody[PlannedTurn], services: ServicesArg, caller: CallerArg
) -> Verdict:
    """Compare a turn that you are about to send with the best one; only in games against the computer."""
    entry = await services.tables.entry(game_id)
    position = position_for_coach(entry.table, authorized(entry.holders, caller), data)
    services.limits.take("engine", caller.key, caller.address)
    asked = services.analysis.verdict(position, data.actions, caller.key, caller.address)
    return Verdict(**await asked)


@post(
    "/api/analysis",
    status_code=200,
    responses=ERRORS | {200: line_stream(AnyDict)},
    summary="Analyse a position",
)
async def analyse(data: JSONBody[Question], services: ServicesArg, caller: CallerArg) -> Stream:
    """Growing results for a position, one JSON object per line; the last one is `done`."""
    services.limits.take("engine", caller.key, caller.address)
    position = await services.work(lambda: position_asked(data))
    results = services.analysis.analyse(
        position, data.seconds, data.lines, caller.key, caller.address
    )
    first = await anext(results)
    return Stream(_lines(first, results), media_type=LINES)


async def _lines(first: AnyDict, rest: AsyncIterator[AnyDict]) -> AsyncIterator[str]:
    yield encoded(first) + "\n"
    async for facts in rest:
        yield encoded(facts) + "\n"


@post("/api/games/{game_id:str}/review", status_code=200, responses=ERRORS, summary="Review a game")
async def start_review(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Review:
    """Start a review of every turn of a finished game; GET returns it."""
    table = await services.tables.table(game_id)
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    check_engine(table.start.game)
    services.limits.take("engine", caller.key, caller.address)
    return Review(**await services.analysis.start_review(table))


@get("/api/games/{game_id:str}/review", responses=ERRORS, summary="The review of a game")
async def review(game_id: GameId, services: ServicesArg) -> Review:
    """The review, as far as it is finished."""
    found = await services.analysis.review(await services.tables.table(game_id))
    if found is None:
        raise NotFound("no-review", "no review of this game has been started yet")
    return Review(**found)


@post("/api/positions/review", status_code=200, responses=ERRORS, summary="Review a turn")
async def review_turn(
    data: JSONBody[WholeTurn], services: ServicesArg, caller: CallerArg
) -> Verdict:
    """Compare a turn with the best one in its position, as in the review of a game."""
    services.limits.take("engine", caller.key, caller.address)
    position = await services.work(lambda: position_judged(data))
    asked = services.analysis.verdict(position, data.actions, caller.key, caller.address)
    return Verdict(**await asked)


HANDLERS: list[Any] = [hint, coach, analyse, start_review, review, review_turn]
