"""Reports to the operators: of another player at one's table, and of a study.

Both are bounded, so that nobody can hide other reports with many of their own. A seat is reported once from each other seat of its game;
a study has at most `_MAX_OPEN` open reports, because every request without a cookie comes from a new guest.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from litestar import Request, Response, post
from litestar.params import FromPath, JSONBody
from msgspec import Meta, Struct
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.play.people import digest
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg, guest
from terrarium.server.api.games import authorized
from terrarium.server.database import schema
from terrarium.server.database.writing import UniqueViolation

__all__ = ["HANDLERS", "reporter"]

_MAX_OPEN = 20
"""The most open reports of one study; operators who close some make room for others."""


class Report(Struct, forbid_unknown_fields=True):
    """The reported seat, and the reason."""

    seat: int
    reason: Literal["name", "messages", "cheating", "stalling", "other"]
    text: Annotated[str, Meta(max_length=500)] = ""


class StudyReport(Struct, forbid_unknown_fields=True):
    """The reason for reporting a study."""

    reason: Literal["name", "content", "other"]
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


@post("/api/studies/{study_id:str}/reports", responses=ERRORS, summary="Report a study")
async def report_study(
    request: Request[Any, Any, Any],
    study_id: FromPath[str],
    data: JSONBody[StudyReport],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[Reported]:
    """Report a study that you can read, but do not own, to the operators; once."""
    services.limits.take("report", caller.key, caller.address)
    caller.require("play")
    caller.require("read")
    entry, access = await services.studies.seen(study_id, caller)
    if access == "owner":
        raise Unprocessable("not-reportable", "report a study that somebody else owns")
    person, cookies = guest(request, caller)
    table, owner = schema.study_reports, entry.facts.owner
    known = [reporter(study_id, one) for one in {person, *caller.people}]
    row = {
        "id": secrets.token_hex(6),
        "study_id": study_id,
        "reporter": reporter(study_id, person),
        "reason": data.reason,
        "text": data.text,
        "created": services.now(),
    }

    async def job(connection: AsyncConnection) -> None:
        is_own = table.c.study_id == study_id, table.c.reporter.in_(known)
        if (await connection.execute(select(table.c.id).where(*is_own).limit(1))).first():
            raise UniqueViolation
        await services.store.lock(connection, f"reports of {study_id}")
        is_open = table.c.study_id == study_id, table.c.closed.is_(None)
        count = await connection.execute(select(func.count()).where(*is_open))
        if count.scalar_one() >= _MAX_OPEN:
            message = f"this study has {_MAX_OPEN} open reports already"
            raise Conflict("study-reported-often", message)
        row["account_id"] = await _account_of(connection, owner)
        await connection.execute(insert(table).values(row))

    try:
        await services.store.write(job)
    except UniqueViolation:
        raise Conflict("study-already-reported", "you have reported this study already") from None
    return Response(Reported(str(row["id"])), cookies=cookies)


def reporter(study: str, person: str) -> str:
    """The digest that is stored for somebody who reported a study."""
    return digest(f"{study} {person}")


async def _account_of(connection: AsyncConnection, person: str) -> str | None:
    """The account of a person, or into which the guest was merged."""
    if person.startswith("a:"):
        return person[2:]
    table = schema.aliases
    query = select(table.c.account_id).where(table.c.person == person)
    found: str | None = (await connection.execute(query)).scalar()
    return found


HANDLERS: list[Any] = [report_player, report_study]
