"""Games: set up, view, sit down, try, play, resign, abort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from litestar import MediaType, Request, Response, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play import commands
from terrarium.play.commands import Decision
from terrarium.play.continuing import continued
from terrarium.play.errors import Forbidden
from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller, Owner, digest, new_secret, seats_held
from terrarium.play.recording import record_of
from terrarium.play.records import ReadRecord, record_view
from terrarium.play.seats import NewGame, new_game, sit
from terrarium.play.shapes import (
    ContinueGame,
    Created,
    CreateGame,
    Played,
    Seated,
    SeatNumber,
    SitDown,
    Snapshot,
    Tried,
    TryActions,
    TurnPage,
    Turns,
)
from terrarium.play.table import Table
from terrarium.play.views import tried_turn, turn_page
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg, guest, json_of, show
from terrarium.server.services import Services

__all__ = ["HANDLERS", "authorized"]

Before = Annotated[int | None, QueryParameter(name="before", ge=1, le=2**31 - 1, required=False)]


def authorized(
    holders: Sequence[SeatHolders], caller: Caller, scope: str = "play"
) -> frozenset[int]:
    """The caller's seats; a request without any credentials is refused."""
    caller.require(scope)
    held = seats_held(holders, caller)
    if not held and caller.bearer is None and not caller.people:
        raise Forbidden(
            "no-credentials", "send a seat's secret as bearer, or its cookie", status=401
        )
    return held


@post("/api/games", responses=ERRORS, summary="Set up a game")
async def create_game(
    request: Request[Any, Any, Any],
    data: JSONBody[CreateGame],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[Created]:
    """Set up a game with any edition, options, board, seats and clock."""

    def make(person: str, owner: Owner | None) -> NewGame:
        return new_game(data, person, services.now(), owner)

    return await _opened(request, services, caller, make)


@post("/api/games/continue", responses=ERRORS, summary="Continue a local game here")
async def continue_game(
    request: Request[Any, Any, Any],
    data: JSONBody[ContinueGame],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[Created]:
    """Continue a game from a browser on this server; every event of its log is checked by the rules."""

    def make(person: str, owner: Owner | None) -> NewGame:
        return continued(data.log, person, services.now(), owner)

    return await _opened(request, services, caller, make)


async def _opened(
    request: Request[Any, Any, Any],
    services: Services,
    caller: Caller,
    make: Callable[[str, Owner | None], NewGame],
) -> Response[Created]:
    """Create and store a game, if the caller may have one more, and return it."""
    services.limits.take("game", caller.address)
    caller.require("play")

    async def check(connection: AsyncConnection) -> None:
        most = services.settings.max_games_each
        await services.accounts.check_unfinished(connection, caller.people, most)

    await services.store.read(check)
    person, cookies = guest(request, caller)
    owner = await services.accounts.owner(caller)
    # Reading a custom board or a long log takes a while.
    game = await services.work(lambda: make(person, owner).drawn())
    await services.quotas.take("games-day", caller.address)
    if _has_own_board(game.table):
        await services.quotas.take("boards-day", caller.address)
    head = await services.store.create(game.rows(), caller.account, check)
    services.owners.acted(game.table.id, caller)
    services.tables.add(game.table, game.holders, head)
    services.computers.schedule(game.table)
    you = frozenset(seat for seat, row in enumerate(game.holders) if person in row.people)
    table = await services.vacations.arrive(caller, game.table, you)
    body = Created(table.id, table.seq, game.secrets, show(services, table, you))
    return Response(body, cookies=cookies)


def _has_own_board(table: Table) -> bool:
    """Whether a game is played on a board that is not built in."""
    return table.board is not None and table.board not in table.start.game.boards.values()


@get("/api/games/{game_id:str}", responses=ERRORS, summary="The state of a game")
async def get_game(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Snapshot:
    """The full state of a game at its current seq."""
    entry = await services.tables.entry(game_id)
    return show(services, entry.table, seats_held(entry.holders, caller))


@post(
    "/api/games/{game_id:str}/seats/{seat:int}",
    status_code=200,
    responses=ERRORS,
    summary="Sit down",
)
async def take_seat(
    request: Request[Any, Any, Any],
    game_id: GameId,
    seat: FromPath[int],
    data: JSONBody[SitDown],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[Seated]:
    """Take a seat with its secret, or an open seat without; sets the cookie that identifies the holder."""
    services.limits.take("offer", caller.key, caller.address)
    caller.require("play")
    person, cookies = guest(request, caller)
    fresh = new_secret()
    own = await services.accounts.owner(caller)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return sit(table, holders, seat, caller, data.secret, data.name, person, fresh, own)

    table, decision = await services.tables.command(game_id, decide, account=caller.account)
    table = await services.vacations.arrive(caller, table, [seat])
    entry = await services.tables.entry(game_id)
    sent = data.secret if data.secret is not None else caller.bearer
    is_new = seat in decision.holders and decision.holders[seat].secret_hash == digest(fresh)
    you = seats_held(entry.holders, Caller(caller.address, people=caller.people | {person}))
    secret = sent if sent is not None else (fresh if is_new else None)
    return Response(Seated(seat, secret, show(services, table, you)), cookies=cookies)


@post(
    "/api/games/{game_id:str}/try",
    status_code=200,
    responses=ERRORS,
    summary="Try actions without playing them",
)
async def try_out(
    game_id: GameId, data: JSONBody[TryActions], services: ServicesArg, caller: CallerArg
) -> Tried:
    """The result of the actions and the actions that could follow; nothing is stored."""
    services.limits.take("turn", caller.key, caller.address)
    table = await services.tables.table(game_id)
    return tried_turn(table, data)


@post(
    "/api/games/{game_id:str}/turns",
    status_code=200,
    responses=ERRORS,
    summary="Play a whole turn",
)
async def play_turn(
    game_id: GameId, data: JSONBody[Turns], services: ServicesArg, caller: CallerArg
) -> Played:
    """Play a whole turn for the position at `seq`; the turn is on disk when the response is sent."""
    services.limits.take("turn", caller.key, caller.address)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        held = authorized(holders, caller)
        if held:
            services.owners.acted(game_id, caller)
        return commands.play_turn(
            table, held, data.seq, data.actions, data.key, now=now, lag=data.lag_ms
        )

    table, decision = await services.tables.command(game_id, decide, data.lag_ms)
    seq = decision.replayed or table.seq
    return Played(seq, table.turn_at(seq))


@get(
    "/api/games/{game_id:str}/history",
    responses=ERRORS,
    summary="Turns of a long game, page by page",
)
async def game_history(game_id: GameId, services: ServicesArg, before: Before = None) -> TurnPage:
    """Up to 500 turns before the turn with the number `before`, or the last ones."""
    return turn_page(await services.tables.table(game_id), before)


@get("/api/games/{game_id:str}/turns", responses=ERRORS, summary="All turns with their positions")
async def game_turns(game_id: GameId, services: ServicesArg) -> Response[ReadRecord]:
    """The game turn by turn, with the view after each; in the same form as a record from a file."""
    table = await services.tables.table(game_id)
    body = await services.work(lambda: json_of(record_view(record_of(table))))
    return Response(body, media_type=MediaType.JSON)


@post("/api/games/{game_id:str}/resign", status_code=200, responses=ERRORS, summary="Resign a seat")
async def resign(
    game_id: GameId, data: JSONBody[SeatNumber], services: ServicesArg, caller: CallerArg
) -> Snapshot:
    """Resign for a seat (TN-28, TT-19)."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return commands.resign(table, authorized(holders, caller), data.seat)

    table, _ = await services.tables.command(game_id, decide)
    return await _shown(services, table, caller)


@post("/api/games/{game_id:str}/abort", status_code=200, responses=ERRORS, summary="Abort a game")
async def abort_game(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Snapshot:
    """Abort a game before its first turn."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return commands.abort(table, authorized(holders, caller))

    table, _ = await services.tables.command(game_id, decide)
    return await _shown(services, table, caller)


async def _shown(services: Services, table: Table, caller: Caller) -> Snapshot:
    entry = await services.tables.entry(table.id)
    return show(services, table, seats_held(entry.holders, caller))


HANDLERS: list[Any] = [
    create_game,
    continue_game,
    get_game,
    take_seat,
    try_out,
    play_turn,
    game_turns,
    game_history,
    resign,
    abort_game,
]
