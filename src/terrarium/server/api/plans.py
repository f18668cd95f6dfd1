"""Plans: turns that the server plays for a seat when their condition is met."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import delete, get, post
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta, Struct, structs

from terrarium.play.commands import check_live, must_hold
from terrarium.play.errors import Conflict
from terrarium.play.people import Caller
from terrarium.play.plans import MAX_LINE, PlannedTurn, try_ahead
from terrarium.play.shapes import MAX_SEATS, ActionText, Tried
from terrarium.play.table import Table
from terrarium.play.views import tried_view
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg
from terrarium.server.api.games import authorized
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

TurnAhead = Annotated[list[ActionText], Meta(max_length=64)] | None
Line = Annotated[list[TurnAhead], Meta(max_length=MAX_LINE)]
OwnSeat = Annotated[int, QueryParameter(name="seat", ge=0, lt=MAX_SEATS)]


class NewPlan(Struct, forbid_unknown_fields=True):
    """Turns from the position at `seq` on: `null` means any turns of the others, a list is one whole turn."""

    seat: int
    seq: int
    turns: Line


class TryAhead(Struct, forbid_unknown_fields=True):
    """A line of turns and the actions of the next one so far."""

    seat: int
    seq: int
    turns: Line
    actions: Annotated[list[ActionText], Meta(max_length=64)] = []


class TriedAhead(Tried):
    """The result of a line; `is_example` if the others' turns in it are only an example."""

    is_example: bool = False


class PlanView(Struct):
    """A plan: `done` of its entries have been played. `reason` is why it failed."""

    id: str
    seat: int
    seq: int
    turns: list[list[str] | None]
    state: Literal["waiting", "played", "failed"]
    done: int
    reason: str | None


class PlanList(Struct):
    """The plans of a seat, oldest first."""

    plans: list[PlanView]


async def _own(services: Services, game_id: str, caller: Caller, seat: int) -> Table:
    entry = await services.tables.entry(game_id)
    must_hold(entry.table, authorized(entry.holders, caller), seat)
    return entry.table


def _turns(line: list[TurnAhead]) -> list[PlannedTurn]:
    return [None if turn is None else tuple(turn) for turn in line]


async def _listed(services: Services, table: Table, seat: int) -> PlanList:
    found = await services.plans.of_seat(table, seat)
    return PlanList(
        [
            PlanView(
                plan.id,
                plan.seat,
                plan.base,
                [None if turn is None else list(turn) for turn in plan.turns],
                "waiting" if progress.state == "due" else progress.state,  # type: ignore[arg-type]
                progress.done,
                progress.reason,
            )
            for plan, progress in found
        ]
    )


@get("/api/games/{game_id:str}/plans", responses=ERRORS, summary="My plans")
async def plans(
    game_id: GameId, seat: OwnSeat, services: ServicesArg, caller: CallerArg
) -> PlanList:
    """The plans of one of your seats: those that wait, and the results of the last ones. Nobody else can see them."""
    return await _listed(services, await _own(services, game_id, caller, seat), seat)


@post("/api/games/{game_id:str}/plans", responses=ERRORS, summary="Add a plan")
async def plan(
    game_id: GameId, data: JSONBody[NewPlan], services: ServicesArg, caller: CallerArg
) -> PlanList:
    """Store turns that the server plays for a seat when their condition is met."""
    services.limits.take("turn", caller.key, caller.address)
    entry = await services.tables.entry(game_id)
    held = authorized(entry.holders, caller)
    await services.plans.add(entry.table, held, data.seat, data.seq, _turns(data.turns))
    return await _listed(services, await services.tables.table(game_id), data.seat)


@delete(
    "/api/games/{game_id:str}/plans/{plan_id:str}",
    status_code=200,
    responses=ERRORS,
    summary="Remove a plan",
)
async def forget_plan(
    game_id: GameId,
    plan_id: FromPath[str],
    seat: OwnSeat,
    services: ServicesArg,
    caller: CallerArg,
) -> PlanList:
    """Remove a plan, or the note about its result."""
    table = await _own(services, game_id, caller, seat)
    await services.plans.remove(table, seat, plan_id)
    return await _listed(services, table, seat)


@post(
    "/api/games/{game_id:str}/plans/try",
    status_code=200,
    responses=ERRORS,
    summary="Try a plan without storing it",
)
async def try_line(
    game_id: GameId, data: JSONBody[TryAhead], services: ServicesArg, caller: CallerArg
) -> TriedAhead:
    """The result of a line and the actions that could follow, for making a plan on a board."""
    services.limits.take("turn", caller.key, caller.address)
    table = await _own(services, game_id, caller, data.seat)
    check_live(table)
    if not table.position_seq <= data.seq <= table.seq:
        message = f"seq {data.seq}: the game is at seq {table.seq} now; load it again"
        raise Conflict("stale-turn", message, seq=table.seq)
    tried, is_example = try_ahead(table, data.seat, _turns(data.turns), data.actions)
    return TriedAhead(**structs.asdict(tried_view(table.seq, tried)), is_example=is_example)


HANDLERS: list[Any] = [plans, plan, forget_plan, try_line]
