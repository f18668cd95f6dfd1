"""Lists and acts for operators in the page. Only `terrarium admin` on the machine can make an account an operator."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from litestar import get, post
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import iso
from terrarium.play.errors import Forbidden
from terrarium.play.people import Caller
from terrarium.play.shapes import AnyDict
from terrarium.server.accounts.accounts import Account
from terrarium.server.api.accounts import own_account
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg
from terrarium.server.operation import figures
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

_MOST = 200
"""The most rows of a list; others can be found by a text."""
Part = Annotated[str, QueryParameter(name="text", max_length=64, required=False)]
Flag = Annotated[Literal["0", "1"], QueryParameter(name="all", required=False)]
Word = Annotated[str, Meta(max_length=64)]
Text = Annotated[str, Meta(max_length=200)]


class PersonRow(Struct):
    """An account, as operators see it."""

    name: str
    created: str
    games: int
    is_bot: bool
    is_operator: bool
    is_banned: bool


class GameRow(Struct):
    """A game, as operators see it: `quarantine` is the reason why it was quarantined; `is_damaged` if it can't be replayed."""

    id: str
    game: str
    status: str
    visibility: str
    turns: int
    names: str
    updated: str
    quarantine: str | None
    is_damaged: bool


class ReportRow(Struct):
    """A report of a player, with the game and both seats, or of a study, with its id and name; `name` is the reported account, or the account of the study's owner, None for a guest."""

    id: str
    created: str
    name: str | None
    is_banned: bool
    game_id: str | None
    seat: int | None
    by_seat: int | None
    study_id: str | None
    study: str | None
    reason: str
    text: str
    is_closed: bool


class InviteRow(Struct):
    """An invite, without its code."""

    id: str
    uses_left: int
    expires: str
    note: str


class ActRow(Struct):
    """An act of an operator, in the page or on the command line."""

    at: str
    operator: str
    act: str
    subject: str
    details: str


class Act(Struct, forbid_unknown_fields=True):
    """An act to perform: `subject` is the name of a person, or the id of a game, study, invite or report."""

    act: Literal[
        "ban",
        "unban",
        "reset-password",
        "delete-person",
        "delete-game",
        "delete-study",
        "quarantine",
        "release",
        "revoke-invite",
        "close-report",
    ]
    subject: Word
    reason: Text = ""


class NewInvite(Struct, forbid_unknown_fields=True):
    """A new invite: the number of accounts, the days for which it is valid, and a note."""

    uses: Annotated[int, Meta(ge=1, le=1000)] = 1
    days: Annotated[int, Meta(ge=1, le=3650)] = 30
    note: Text = ""


class Done(Struct):
    """The result of an act; `code` is shown only now: a recovery code, or the code of an invite."""

    code: str | None = None


_PEOPLE = frozenset({"ban", "unban", "reset-password", "delete-person"})
_GAMES = frozenset({"delete-game", "quarantine", "release"})


async def _operator(services: Services, caller: Caller) -> Account:
    """The caller's account; refused unless it is an operator. Read each time, so that removing the right takes effect at once."""
    account = await own_account(services, caller)
    if not account.is_operator:
        raise Forbidden("operators-only", "only operators of this server may do this")
    services.limits.take("tool", caller.key)
    return account


async def _look(services: Services, caller: Caller, look: Any, *arguments: Any) -> Any:
    await _operator(services, caller)

    def find(connection: Connection) -> Any:
        return look(connection, *arguments)

    async def job(connection: AsyncConnection) -> Any:
        return await connection.run_sync(find)

    return await services.store.read(job)


R = TypeVar("R", bound=Struct)
_TIMES = frozenset({"at", "created", "expires", "updated"})
_OF_PLAYERS = ("game_id", "seat", "by_seat")
_OF_STUDIES = ("study_id", "study")
"""The fields that only reports of players have, and those that only reports of studies have."""


def _row(kind: type[R], row: Any, **facts: Any) -> R:
    """A row of the database as a struct: `facts` are set as given, times as text, other fields by their names."""
    names = [name for name in kind.__struct_fields__ if name not in facts]
    values = {name: getattr(row, name) for name in names}
    return kind(**facts, **{n: iso(v) if n in _TIMES else v for n, v in values.items()})


@get("/api/operator/people", responses=ERRORS, summary="The accounts")
async def operator_people(
    services: ServicesArg, caller: CallerArg, text: Part = ""
) -> list[PersonRow]:
    """For operators: accounts whose name contains a text, the newest first."""
    return [
        _row(PersonRow, row, is_banned=row.banned is not None)
        for row in await _look(services, caller, figures.people, text, _MOST)
    ]


@get("/api/operator/games", responses=ERRORS, summary="All games")
async def operator_games(
    services: ServicesArg, caller: CallerArg, text: Part = ""
) -> list[GameRow]:
    """For operators: games, including private ones, the last changed first; by id, or part of a name."""
    return [
        _row(
            GameRow,
            row,
            is_damaged=row.quarantine is None and row.id in services.tables.damaged,
        )
        for row in await _look(services, caller, figures.games, text, _MOST)
    ]


@get("/api/operator/reports", responses=ERRORS, summary="Reports of players and studies")
async def operator_reports(
    services: ServicesArg, caller: CallerArg, every: Flag = "0"
) -> list[ReportRow]:
    """For operators: reports of players and studies, the newest first; closed ones only if `all` is 1."""
    return [
        _row(
            ReportRow,
            row,
            is_banned=row.banned is not None,
            is_closed=row.closed is not None,
            **dict.fromkeys(_OF_PLAYERS if hasattr(row, "study_id") else _OF_STUDIES),
        )
        for row in await _look(services, caller, figures.reports, every == "1", _MOST)
    ]


@get("/api/operator/invites", responses=ERRORS, summary="The invites")
async def operator_invites(services: ServicesArg, caller: CallerArg) -> list[InviteRow]:
    """For operators: all invites, the newest first."""
    return [_row(InviteRow, row) for row in await _look(services, caller, figures.invites)]


@get("/api/operator/stats", responses=ERRORS, summary="Numbers of people, games, turns and reports")
async def operator_stats(services: ServicesArg, caller: CallerArg) -> AnyDict:
    """For operators: numbers of people, games, turns and reports."""
    found: AnyDict = await _look(services, caller, figures.stats)
    return found


@get("/api/operator/log", responses=ERRORS, summary="The log of operators' acts")
async def operator_log(services: ServicesArg, caller: CallerArg) -> list[ActRow]:
    """For operators: every act that changed something, the newest first."""
    return [
        _row(
            ActRow,
            row,
            operator=row.operator_name or row.operator,
            subject=row.name or row.subject,
        )
        for row in await _look(services, caller, figures.log, _MOST)
    ]


@post("/api/operator/acts", status_code=200, responses=ERRORS, summary="Act as an operator")
async def operator_act(data: JSONBody[Act], services: ServicesArg, caller: CallerArg) -> Done:
    """For operators: act on a person, game, study, invite or report; the act and the operator are logged."""
    account = await _operator(services, caller)
    arguments: AnyDict = {"id": data.subject}
    if data.act in _PEOPLE:
        arguments = {"name": data.subject}
        if (await services.accounts.named(data.subject)).is_operator:
            message = f"{data.subject!r} is an operator: only `terrarium admin` can do this"
            raise Forbidden("operator-protected", message)
    elif data.act in _GAMES:
        arguments = {"game": data.subject}
    elif data.act == "delete-study":
        arguments = {"study": data.subject}
    if data.act in ("ban", "quarantine"):
        arguments["reason"] = data.reason
    done = await services.admin.run(data.act, f"a:{account.id}", **arguments)
    return Done(done.get("code"))


@post("/api/operator/invites", responses=ERRORS, summary="Make an invite")
async def operator_invite(
    data: JSONBody[NewInvite], services: ServicesArg, caller: CallerArg
) -> Done:
    """For operators: a new code for signing up on a server where sign-up is by invitation."""
    account = await _operator(services, caller)
    done = await services.admin.run(
        "invite", f"a:{account.id}", uses=data.uses, days=data.days, note=data.note
    )
    return Done(done["code"])


HANDLERS: list[Any] = [
    operator_people,
    operator_games,
    operator_reports,
    operator_invites,
    operator_stats,
    operator_log,
    operator_act,
    operator_invite,
]
