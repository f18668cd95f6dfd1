"""Reports: players report another player at their table to the operators."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from litestar import post
from litestar.params import JSONBody
from msgspec import Meta, Struct
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg
from terrarium.server.api.games import authorized
from terrarium.server.database import schema
from terrarium.server.database.writing import UniqueViolation

__all__ = ["HANDLERS"]


class Report(Struct, forbid_unknown_fields=True):
    """The reported seat, and the reason."""

    seat: int
    reason: Literal["name", "messages", "cheating", "stalling", "other"]
    text: Annotated[str, Meta(max_length=500)] = ""


class Reported(Struct):
    """A report that was stored for the operators."""

    id: str


@post("/api/games/{game_id:str}/reports", responses=ERRORS, summary="Report a player")
async def report_player(
    game_id: GameId, data: JSONBody[Report], services: ServicesArg, caller: CallerArg
) -> Reported:
    """Report a player at your table to the operators; once per seat."""
    services.limits.take("report", caller.key, caller.address)
    entry = await services.tables.entry(game_id)
    held = authorized(entry.holders, caller)
    if not held:
        raise Forbidden("not-your-seat", "only players at this table can report somebody")
    if not 0 <= data.seat < len(entry.holders):
        raise NotFound("no-such-seat", f"seat {data.seat}: this game has no such seat")
    people = entry.holders[data.seat].people
    if data.seat in held or not people:
        raise Unprocessable("not-reportable", "report a seat that somebody else holds")
    accounts = [who[2:] for who in sorted(people) if who.startswith("a:")]
    row = {
        "id": secrets.token_hex(6),
        "game_id": game_id,
        "seat": data.seat,
        "by_seat": min(held),
        "account_id": accounts[0] if accounts else None,
        "reason": data.reason,
        "text": data.text,
        "created": services.now(),
    }

    async def job(connection: AsyncConnection) -> None:
        await connection.execute(insert(schema.reports).values(row))

    try:
        await services.store.write(job)
    except UniqueViolation:
        message = f"seat {data.seat}: you have reported this player already"
        raise Conflict("already-reported", message) from None
    return Reported(str(row["id"]))


HANDLERS: list[Any] = [report_player]
