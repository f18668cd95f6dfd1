"""Offers between players, claims of abandoned seats, and rematches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from litestar import post
from litestar.params import JSONBody, PathParameter

from terrarium.play import offers
from terrarium.play.boards import board_from
from terrarium.play.commands import Decision
from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller, seats_held
from terrarium.play.seats import ask_rematch, vacate
from terrarium.play.shapes import AcceptOffer, AskRematch, ClaimSeat, Created, MakeOffer, Snapshot
from terrarium.play.table import Table
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg, show
from terrarium.server.api.games import authorized
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

OfferKind = Annotated[Literal["takeback", "draw", "end"], PathParameter()]


@post(
    "/api/games/{game_id:str}/offers",
    status_code=200,
    responses=ERRORS,
    summary="Offer a take-back, a draw or an end",
)
async def make_offer(
    game_id: GameId, data: JSONBody[MakeOffer], services: ServicesArg, caller: CallerArg
) -> Snapshot:
    """Make an offer to the other seats; against computers a take-back takes effect at once."""
    services.limits.take("offer", caller.key, caller.address)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return offers.offer(table, authorized(holders, caller), data.kind, data.seat)

    return await _done(services, game_id, caller, decide)


@post(
    "/api/games/{game_id:str}/offers/{kind:str}",
    status_code=200,
    responses=ERRORS,
    summary="Answer an offer",
)
async def answer_offer(
    game_id: GameId,
    kind: OfferKind,
    data: JSONBody[AcceptOffer],
    services: ServicesArg,
    caller: CallerArg,
) -> Snapshot:
    """Agree to an offer or decline it; the seat that made it withdraws it by declining."""
    services.limits.take("turn", caller.key, caller.address)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return offers.answer(table, authorized(holders, caller), kind, data.seat, data.accept)

    return await _done(services, game_id, caller, decide)


@post(
    "/api/games/{game_id:str}/claim",
    status_code=200,
    responses=ERRORS,
    summary="Claim an empty or abandoned seat",
)
async def claim_seat(
    game_id: GameId, data: JSONBody[ClaimSeat], services: ServicesArg, caller: CallerArg
) -> Snapshot:
    """Give an empty seat to a computer; or open a seat whose player has been away for long, give it to a computer or make it resign."""
    services.limits.take("turn", caller.key, caller.address)
    seen = await services.seen(game_id)

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        held = authorized(holders, caller)
        if held:
            services.owners.acted(game_id, caller)
        away = services.away_for(table, data.seat, now, seen)
        patience = services.settings.claim_seconds
        if table.clock is not None and table.clock.is_correspondence:
            # With days per turn only the clock decides when a player is late.
            patience = 30 * 86_400
        return vacate(table, holders, held, data.seat, data.to, data.level, away, patience)

    return await _done(services, game_id, caller, decide)


@post("/api/games/{game_id:str}/rematch", status_code=200, responses=ERRORS, summary="Rematch")
async def rematch_game(
    game_id: GameId, data: JSONBody[AskRematch], services: ServicesArg, caller: CallerArg
) -> Created:
    """A new game with the same players in which the next one starts; a second request gives the same game."""
    services.limits.take("game", caller.address)
    table = await services.tables.table(game_id)
    if table.board is not None:
        # Fills the cache, so that `decide` does not read a large board on the event loop.
        await services.work(lambda: board_from(table.start.game, table.log[0].data["board"]))

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        return ask_rematch(table, holders, authorized(holders, caller), now, harder=data.harder)

    table, decision = await services.tables.command(game_id, decide, account=caller.account)
    assert table.rematch is not None
    other = await services.tables.entry(table.rematch)
    if decision.new is not None:
        services.owners.acted(other.table.id, caller)
        services.computers.schedule(other.table)
        services.feeds.publish(other)
    you = seats_held(other.holders, caller)
    return Created(
        other.table.id,
        other.table.seq,
        [None] * other.table.players,
        show(services, other.table, you),
    )


async def _done(services: Services, game_id: str, caller: Caller, decide: Any) -> Snapshot:
    table, _ = await services.tables.command(game_id, decide)
    entry = await services.tables.entry(game_id)
    return show(services, table, seats_held(entry.holders, caller))


HANDLERS = [make_offer, answer_offer, claim_seat, rematch_game]
