"""Games: set one up, look, sit down, try, play, resign, abort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litestar import Request, Response, get, post
from litestar.params import FromPath, JSONBody

from terrarium.play import commands
from terrarium.play.commands import Decision
from terrarium.play.errors import Conflict, Forbidden
from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller, digest, new_secret, seats_held
from terrarium.play.recording import record_of
from terrarium.play.records import ReadRecord, record_view
from terrarium.play.seats import new_game, sit
from terrarium.play.shapes import (
    Created,
    CreateGame,
    Played,
    Seated,
    SeatNumber,
    SitDown,
    Snapshot,
    Tried,
    TryActions,
    Turns,
    TurnView,
)
from terrarium.play.table import Table
from terrarium.play.views import legal_actions
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg, guest, show
from terrarium.server.services import Services

__all__ = ["HANDLERS", "authorized"]


def authorized(
    holders: Sequence[SeatHolders], caller: Caller, scope: str = "play"
) -> frozenset[int]:
    """The caller's seats; whoever showed nothing at all is asked for credentials."""
    if not caller.may(scope):
        raise Forbidden("missing-scope", f"this token does not allow {scope!r}")
    held = seats_held(holders, caller)
    if not held and caller.bearer is None and not caller.people:
        raise Forbidden(
            "no-credentials", "send a seat's secret as bearer, or its cookie", status=401
        )
    return held


@post("/api/games", responses=ERRORS, summary="Set up a game")
async def create(
    request: Request[Any, Any, Any],
    data: JSONBody[CreateGame],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[Created]:
    """Set up a game of either kind with any edition, options, board, seats and clock."""
    services.limits.take("game", caller.address)
    if not caller.may("play"):
        raise Forbidden("missing-scope", "this token does not allow 'play'")
    person, cookies = guest(request, caller)
    own = await services.accounts.name(caller.account)
    game = new_game(data, person, services.now(), own)
    head = await services.store.create(game.rows(), caller.account)
    services.tables.add(game.table, game.holders, head)
    services.computers.look(game.table)
    services.announce(game.table)
    you = frozenset(seat for seat, row in enumerate(game.holders) if person in row.people)
    table = await services.vacations.arrive(caller, game.table, you)
    body = Created(table.id, table.seq, game.secrets, show(services, table, you))
    return Response(body, cookies=cookies)


@get("/api/games/{game_id:str}", responses=ERRORS, summary="A game as it stands")
async def look(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Snapshot:
    """Everything about a game at its current seq."""
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
    """Take a seat with its secret, or an open one without; sets the cookie that holds it."""
    services.limits.take("offer", caller.key, caller.address)
    if not caller.may("play"):
        raise Forbidden("missing-scope", "this token does not allow 'play'")
    person, cookies = guest(request, caller)
    fresh = new_secret()
    own = await services.accounts.name(caller.account)

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
    """What the actions would do and what could follow; nothing is stored."""
    services.limits.take("turn", caller.key, caller.address)
    table = await services.tables.table(game_id)
    if not table.position_seq <= data.seq <= table.seq:
        message = f"seq {data.seq}: the game went on to {table.seq}; look at it again"
        raise Conflict("stale-turn", message, seq=table.seq)
    commands.check_live(table)
    tried = commands.try_actions(table.position, data.actions)
    is_complete = tried.is_complete
    return Tried(
        table.seq,
        [] if is_complete else legal_actions(tried.position),
        tried.effects,
        tried.position.view(),
        tried.position.to_text(),
        is_complete,
        {} if is_complete else table.position.game.reach(tried.position),
    )


@post(
    "/api/games/{game_id:str}/turns",
    status_code=200,
    responses=ERRORS,
    summary="Play a whole turn",
)
async def play(
    game_id: GameId, data: JSONBody[Turns], services: ServicesArg, caller: CallerArg
) -> Played:
    """Play a whole turn thought out at `seq`; when this answers, the turn is on disk."""
    services.limits.take("turn", caller.key, caller.address)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        held = authorized(holders, caller)
        return commands.play_turn(
            table, held, data.seq, data.actions, data.key, now=now, lag=data.lag_ms
        )

    table, decision = await services.tables.command(game_id, decide, data.lag_ms)
    seq = decision.replayed or table.seq
    return Played(seq, _turn_at(table, seq))


def _turn_at(table: Table, seq: int) -> TurnView:
    for turn in reversed(table.turns):
        if turn.seq == seq:
            return turn
    # Taken back since: the log still knows what was acknowledged then.
    return Table.replay(table.id, table.log[:seq]).turns[-1]


@get("/api/games/{game_id:str}/turns", responses=ERRORS, summary="All turns with their positions")
async def turns(game_id: GameId, services: ServicesArg) -> ReadRecord:
    """The game turn by turn, with the view after each; the same shape as for a record from a file."""
    table = await services.tables.table(game_id)
    return await services.work(lambda: record_view(record_of(table)))


@post("/api/games/{game_id:str}/resign", status_code=200, responses=ERRORS, summary="Resign a seat")
async def resign(
    game_id: GameId, data: JSONBody[SeatNumber], services: ServicesArg, caller: CallerArg
) -> Snapshot:
    """Give up with a seat (TN-28, TT-19)."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return commands.resign(table, authorized(holders, caller), data.seat)

    table, _ = await services.tables.command(game_id, decide)
    return await _shown(services, table, caller)


@post("/api/games/{game_id:str}/abort", status_code=200, responses=ERRORS, summary="Call it off")
async def abort(game_id: GameId, services: ServicesArg, caller: CallerArg) -> Snapshot:
    """Call a game off before its first turn."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return commands.abort(table, authorized(holders, caller))

    table, _ = await services.tables.command(game_id, decide)
    return await _shown(services, table, caller)


async def _shown(services: Services, table: Table, caller: Caller) -> Snapshot:
    entry = await services.tables.entry(table.id)
    return show(services, table, seats_held(entry.holders, caller))


HANDLERS: list[Any] = [create, look, take_seat, try_out, play, turns, resign, abort]
