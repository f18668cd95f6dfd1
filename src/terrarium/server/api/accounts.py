"""Accounts: sign up, sign in, recover, export, delete."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from litestar import Request, Response, delete, get, patch, post
from litestar.datastructures import Cookie
from litestar.params import JSONBody
from msgspec import Meta, Struct
from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.errors import TerrariumError
from terrarium.play.clocks import iso
from terrarium.play.errors import Forbidden
from terrarium.play.log import formerly
from terrarium.play.people import Caller
from terrarium.play.recording import record_of
from terrarium.play.shapes import AnyDict
from terrarium.play.study import terra_text
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Account
from terrarium.server.accounts.cookies import COOKIE
from terrarium.server.accounts.deletion import delete_account
from terrarium.server.accounts.names import name_key
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg, cookie
from terrarium.server.api.reports import reporter
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.watched_study import Entry
from terrarium.server.services import Services

__all__ = ["HANDLERS", "own_account"]

Name = Annotated[str, Meta(max_length=64)]
Password = Annotated[str, Meta(max_length=200)]
_COMPARED = 1_000
"""How many reports of studies an export reads at once."""


class Me(Struct):
    """The caller."""

    name: str | None
    is_guest: bool
    games: int
    scopes: list[str] | None
    vacation: bool
    vacation_days_left: float | None
    is_bot: bool = False
    is_operator: bool = False


class NewAccount(Struct, forbid_unknown_fields=True):
    """A name and password for a new account. `is_bot` marks the account of a bot; `invite` is a code, if the server requires one."""

    name: Name
    password: Password
    is_bot: bool = False
    invite: Annotated[str, Meta(max_length=64)] | None = None


class Credentials(Struct, forbid_unknown_fields=True):
    """A name and its password."""

    name: Name
    password: Password


class Recovery(Struct, forbid_unknown_fields=True):
    """A name, one of its recovery codes, and the new password."""

    name: Name
    code: Annotated[str, Meta(max_length=64)]
    password: Password


class SignedUp(Struct):
    """An account and its recovery codes, which are never shown again."""

    name: str
    recovery_codes: list[str]


class SignedIn(Struct):
    """An account."""

    name: str


class Wishes(Struct, forbid_unknown_fields=True):
    """Changes to the caller's account."""

    vacation: bool | None = None
    is_bot: bool | None = None


async def own_account(services: Services, caller: Caller) -> Account:
    """The caller's account; refused for tokens, because only its owner may do this."""
    if caller.account is None or caller.scopes is not None:
        raise Forbidden("sign-in-needed", "sign in first", status=401)
    return await services.accounts.account(caller.account)


@get("/api/me", responses=ERRORS, summary="Who am I?")
async def me(services: ServicesArg, caller: CallerArg) -> Me:
    """The caller's account, or the guest."""
    own = await services.accounts.games(caller.people) if caller.people else []
    scopes = None if caller.scopes is None else sorted(caller.scopes)
    if caller.account is None:
        return Me(None, True, len({game for game, _ in own}), scopes, False, None)
    account = await services.accounts.account(caller.account)
    left = account.left(services.now()) / 86_400_000
    games = len({game for game, _ in own})
    is_away = account.vacation_since is not None
    return Me(
        account.name,
        False,
        games,
        scopes,
        is_away,
        round(left, 2),
        account.is_bot,
        account.is_operator and caller.scopes is None,
    )


@post("/api/accounts", responses=ERRORS, summary="Sign up")
async def sign_up(
    request: Request[Any, Any, Any],
    data: JSONBody[NewAccount],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[SignedUp]:
    """A new account, signed in; the guest's games become the account's."""
    services.limits.take("sign-in", caller.address)
    services.limits.take("account", caller.address)
    if services.settings.sign_up == "closed":
        raise Forbidden("sign-up-closed", "this server does not accept new accounts")
    # If the server does not require an invite, none is used up.
    invite = (data.invite or "") if services.settings.sign_up == "invite" else None
    account, codes = await services.accounts.create(
        data.name, data.password, is_bot=data.is_bot, invite=invite
    )
    await services.accounts.adopt(account.id, caller.people)
    cookies = [await _signed(request, services, caller, account)]
    return Response(SignedUp(account.name, codes), cookies=cookies)


@post("/api/sessions", responses=ERRORS, summary="Sign in")
async def sign_in(
    request: Request[Any, Any, Any],
    data: JSONBody[Credentials],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[SignedIn]:
    """Sign in; the guest's seats are merged into the account."""
    services.limits.take("sign-in", caller.address)
    services.limits.take("account", f"{caller.address} {name_key(data.name)}")
    async with _guessed(services, data.name):
        account = await services.accounts.sign_in(data.name, data.password)
    if caller.account is None:
        await services.accounts.adopt(account.id, caller.people)
    cookies = [await _signed(request, services, caller, account)]
    return Response(SignedIn(account.name), cookies=cookies)


@asynccontextmanager
async def _guessed(services: Services, name: str) -> AsyncIterator[None]:
    """Check a password or code after the delay that earlier attempts for this name cause."""
    if services.limits.scale:
        await asyncio.sleep(services.guesses.delay(name))
    yield
    services.guesses.right(name)


@delete("/api/sessions", status_code=204, responses=ERRORS, summary="Sign out")
async def sign_out(
    request: Request[Any, Any, Any], services: ServicesArg, caller: CallerArg
) -> Response[None]:
    """Sign out and delete the cookie; the session ends even for copies of its cookie."""
    await _end_session(services, caller)
    gone = cookie(request, "")
    forgotten = Cookie(COOKIE, value="", max_age=0, path="/", httponly=True, secure=gone.secure)
    return Response(None, cookies=[forgotten])


@post("/api/accounts/recover", status_code=200, responses=ERRORS, summary="Set a new password")
async def recover_account(
    request: Request[Any, Any, Any],
    data: JSONBody[Recovery],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[SignedUp]:
    """Set a new password with a recovery code; all other sessions end, and there are new codes."""
    services.limits.take("sign-in", caller.address)
    services.limits.take("account", f"{caller.address} {name_key(data.name)}")
    async with _guessed(services, data.name):
        account, codes = await services.accounts.recover(data.name, data.code, data.password)
    if caller.account is None:
        await services.accounts.adopt(account.id, caller.people)
    await services.recheck(account.id)
    cookies = [await _signed(request, services, caller, account)]
    return Response(SignedUp(account.name, codes), cookies=cookies)


async def _signed(
    request: Request[Any, Any, Any], services: Services, caller: Caller, account: Account
) -> Cookie:
    """The cookie of a new session; the browser's former session ends, and the oldest if there are too many."""
    await _end_session(services, caller)
    id, did_others_end = await services.sessions.open(account.id)
    if did_others_end:
        await services.recheck(account.id)
    return cookie(request, services.signer.sign("s", id))


async def _end_session(services: Services, caller: Caller) -> None:
    if caller.session is not None and caller.account is not None:
        await services.sessions.end(caller.account, caller.session)
        await services.recheck(caller.account)


@get("/api/me/export", responses=ERRORS, summary="Everything stored about me")
async def export_data(services: ServicesArg, caller: CallerArg) -> AnyDict:
    """All data stored about the caller, including games; with a token, email and push addresses are left out."""
    if not caller.people or not caller.may("read"):
        raise Forbidden("sign-in-needed", "nothing to export: no cookie was sent", status=401)
    services.limits.take("engine", caller.key, caller.address)
    facts: AnyDict = {"account": None, "tokens": [], "games": [], "reports": [], "puzzles": []}
    facts["studies"] = await _studies(services, caller)
    facts["allows_text"] = await services.talk.allows(caller.people)
    if caller.token is None:
        facts["browsers"] = [row.endpoint for row in await services.contacts.pushes(caller.people)]
    if caller.account is not None:
        account = await services.accounts.account(caller.account)
        facts["account"] = {
            "name": account.name,
            "created": iso(account.created),
            "is_bot": account.is_bot,
            "vacation_used_ms": account.vacation_used,
        }
        if caller.token is None:
            known = await services.contacts.address(caller.account)
            facts["account"]["mail"] = None if known is None else known[0]
        facts["tokens"] = [
            {"name": token.name, "scopes": sorted(token.scopes), "created": iso(token.created)}
            for token in await services.tokens.of_account(caller.account)
        ]
        facts["puzzles"] = await services.attempts.of_account(caller.account)
    facts["reports"] = await _reports(services, caller)
    for game_id, seat in await services.accounts.games(caller.people | formerly(caller.people)):
        try:
            table = await services.tables.table(game_id)
        except GameDamaged as error:
            facts["games"].append({"id": game_id, "seat": seat, "error": error.code})
            continue
        record = await services.work(partial(_record_text, table))
        facts["games"].append({"id": game_id, "seat": seat, "record": record})
    return facts


async def _studies(services: Services, caller: Caller) -> list[AnyDict]:
    """The studies that the caller owns, and the ids of those that the caller edits."""
    found = []
    for row in await services.studies.listed(caller):
        study: AnyDict = {"id": row.id, "name": row.name, "access": "editor"}
        if row.owner in caller.people:
            study["access"] = "owner"
            try:
                entry = await services.studies.entry(row.id)
                study["records"] = await services.work(partial(_study_text, entry))
            except TerrariumError as error:  # the study is damaged, or can't be written as text
                study["error"] = error.code
        found.append(study)
    return found


def _study_text(entry: Entry) -> str:
    return terra_text(entry.study, [id for id, _ in entry.study.contents()])


async def _reports(services: Services, caller: Caller) -> list[AnyDict]:
    """The reports that the caller made."""
    table, held = schema.reports, schema.holders
    is_own = (held.c.game_id == table.c.game_id) & (held.c.seat == table.c.by_seat)
    query = select(table).join(held, is_own).where(held.c.person.in_(caller.people)).distinct()

    async def job(connection: AsyncConnection) -> list[AnyDict]:
        return [
            {
                "game": row.game_id,
                "seat": row.seat,
                "reason": row.reason,
                "text": row.text,
                "created": iso(row.created),
            }
            for row in await connection.execute(query)
        ]

    found: list[AnyDict] = await services.store.read(job)
    return found + await _study_reports(services, caller)


async def _study_reports(services: Services, caller: Caller) -> list[AnyDict]:
    """The reports of studies that the caller made, the oldest first."""
    table, ids, last = schema.study_reports, list[str](), ""
    columns = table.c.id, table.c.study_id, table.c.reporter
    # Only a digest shows who made a report, and each study has its own, so all are compared, some at a time.
    while True:
        query = select(*columns).where(table.c.id > last).order_by(table.c.id).limit(_COMPARED)
        some = await services.store.read(partial(_rows, query))
        if not some:
            break
        ids += await services.work(partial(_made_by, caller.people, some))
        last = some[-1].id
    found: list[AnyDict] = []
    for start in range(0, len(ids), _COMPARED):
        is_own = table.c.id.in_(ids[start : start + _COMPARED])
        found += [
            {
                "study": row.study_id,
                "reason": row.reason,
                "text": row.text,
                "created": iso(row.created),
            }
            for row in await services.store.read(partial(_rows, select(table).where(is_own)))
        ]
    return sorted(found, key=lambda one: (one["created"], one["study"]))


async def _rows(query: Select[Any], connection: AsyncConnection) -> Sequence[Any]:
    found: Sequence[Any] = (await connection.execute(query)).all()
    return found


def _made_by(people: Collection[str], rows: Sequence[Any]) -> list[str]:
    """The ids of the reports that one of these people made."""
    return [
        row.id
        for row in rows
        if any(row.reporter == reporter(row.study_id, person) for person in people)
    ]


def _record_text(table: Table) -> str:
    return str(record_of(table))


@delete("/api/me", status_code=204, responses=ERRORS, summary="Delete my account")
async def delete_me(
    request: Request[Any, Any, Any], services: ServicesArg, caller: CallerArg
) -> Response[None]:
    """Delete the account with all its data and the studies it owns; its games stay, with its seats unnamed."""
    account = await own_account(services, caller)
    changed = await delete_account(services.store, services.accounts, services.tables, account.id)
    await services.recheck(account.id)
    await services.studies.refresh_all(changed)
    return await sign_out.fn(request, services, caller)  # type: ignore[no-any-return]


@patch("/api/me", responses=ERRORS, summary="Change something about me")
async def change_account(data: JSONBody[Wishes], services: ServicesArg, caller: CallerArg) -> Me:
    """Begin or end a vacation, during which correspondence clocks are paused; mark the account as that of a bot."""
    account = await own_account(services, caller)
    if data.is_bot is not None:
        await services.accounts.mark_bot(account.id, data.is_bot)
    if data.vacation is not None:
        await services.vacations.set(account, data.vacation)
    return await me.fn(services, caller)  # type: ignore[no-any-return]


HANDLERS: list[Any] = [
    me,
    sign_up,
    sign_in,
    sign_out,
    recover_account,
    export_data,
    delete_me,
    change_account,
]
