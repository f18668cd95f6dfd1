"""Accounts: sign up, sign in, recover, export, delete; tokens for bots; the stream of all one's games."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated, Any

from litestar import Request, Response, delete, get, patch, post
from litestar.datastructures import Cookie
from litestar.params import FromPath, JSONBody
from litestar.response import Stream
from msgspec import Meta, Struct

from terrarium.server.accounts import SCOPES, Account
from terrarium.server.api.common import ERRORS, Asker, Here, cookie
from terrarium.server.club import Club
from terrarium.server.commands import Decision, Draft
from terrarium.server.errors import NoSeat
from terrarium.server.feeds import told
from terrarium.server.live import StreamWatcher, encoded
from terrarium.server.people import COOKIE, Caller, seats_held
from terrarium.server.recording import record_of
from terrarium.server.shapes import AnyDict
from terrarium.server.store import SeatRow, formerly
from terrarium.server.table import Table
from terrarium.server.tables import Decide
from terrarium.server.views import iso

__all__ = ["HANDLERS"]

Name = Annotated[str, Meta(max_length=64)]
Password = Annotated[str, Meta(max_length=200)]


class Me(Struct):
    """Who asks."""

    name: str | None
    is_guest: bool
    games: int
    scopes: list[str] | None
    vacation: bool
    vacation_days_left: float | None


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


class NewToken(Struct, forbid_unknown_fields=True):
    """A token to make."""

    name: Name
    scopes: Annotated[list[Annotated[str, Meta(max_length=16)]], Meta(max_length=8)]


class TokenView(Struct):
    """A token; its text is there only when it is new."""

    id: str
    name: str
    scopes: list[str]
    created: str
    token: str | None = None


class Wishes(Struct, forbid_unknown_fields=True):
    """What to change about oneself."""

    vacation: bool | None = None


async def _own(club: Club, caller: Caller, *, by_token: bool = False) -> Account:
    """The caller's account; a token may not do what only its owner should."""
    if caller.account is None or (caller.scopes is not None and not by_token):
        raise NoSeat("sign-in-needed", "sign in first", status=401)
    return await club.accounts.account(caller.account)


@get("/api/me", responses=ERRORS, summary="Who am I?")
async def me(club: Here, caller: Asker) -> Me:
    """The account or guest that asks."""
    own = await club.accounts.games(caller.people) if caller.people else []
    scopes = None if caller.scopes is None else sorted(caller.scopes)
    if caller.account is None:
        return Me(None, True, len({game for game, _ in own}), scopes, False, None)
    account = await club.accounts.account(caller.account)
    left = account.left(club.now()) / 86_400_000
    games = len({game for game, _ in own})
    is_away = account.vacation_since is not None
    return Me(account.name, False, games, scopes, is_away, round(left, 2))


@post("/api/accounts", responses=ERRORS, summary="Sign up")
async def sign_up(
    request: Request[Any, Any, Any], data: JSONBody[Credentials], club: Here, caller: Asker
) -> Response[SignedUp]:
    """A new account, signed in; it takes the guest's games along."""
    club.limits.take("sign-in", caller.address)
    club.limits.take("account", caller.address)
    account, codes = await club.accounts.create(data.name, data.password)
    await club.accounts.adopt(account.id, caller.people)
    return Response(SignedUp(account.name, codes), cookies=[_signed(request, club, account)])


@post("/api/sessions", responses=ERRORS, summary="Sign in")
async def sign_in(
    request: Request[Any, Any, Any], data: JSONBody[Credentials], club: Here, caller: Asker
) -> Response[SignedIn]:
    """Sign in; the seats that this guest held come along."""
    club.limits.take("sign-in", caller.address)
    club.limits.take("account", f"{caller.address} {data.name.casefold()[:64]}")
    account = await club.accounts.sign_in(data.name, data.password)
    if caller.account is None:
        await club.accounts.adopt(account.id, caller.people)
    return Response(SignedIn(account.name), cookies=[_signed(request, club, account)])


@delete("/api/sessions", status_code=204, responses=ERRORS, summary="Sign out")
async def sign_out(request: Request[Any, Any, Any]) -> Response[None]:
    """Forget who this browser is."""
    gone = cookie(request, "")
    forgotten = Cookie(COOKIE, value="", max_age=0, path="/", httponly=True, secure=gone.secure)
    return Response(None, cookies=[forgotten])


@post("/api/accounts/recover", status_code=200, responses=ERRORS, summary="A new password")
async def recover(
    request: Request[Any, Any, Any], data: JSONBody[Recovery], club: Here, caller: Asker
) -> Response[SignedUp]:
    """Set a new password with a recovery code; all other sign-ins end, and there are new codes."""
    club.limits.take("sign-in", caller.address)
    club.limits.take("account", f"{caller.address} {data.name.casefold()[:64]}")
    account, codes = await club.accounts.recover(data.name, data.code, data.password)
    if caller.account is None:
        await club.accounts.adopt(account.id, caller.people)
    return Response(SignedUp(account.name, codes), cookies=[_signed(request, club, account)])


def _signed(request: Request[Any, Any, Any], club: Club, account: Account) -> Cookie:
    return cookie(request, club.signer.sign("a", account.id, account.epoch))


@get("/api/me/export", responses=ERRORS, summary="Everything stored about me")
async def export(club: Here, caller: Asker) -> AnyDict:
    """Everything that is stored about the caller, games included."""
    if not caller.people or not caller.may("read"):
        raise NoSeat("sign-in-needed", "there is nobody to export: no cookie was sent", status=401)
    club.limits.take("engine", caller.key, caller.address)
    facts: AnyDict = {"account": None, "tokens": [], "games": []}
    if caller.account is not None:
        account = await club.accounts.account(caller.account)
        facts["account"] = {
            "name": account.name,
            "created": iso(account.created),
            "vacation_used_ms": account.vacation_used,
        }
        facts["tokens"] = [
            {"name": token.name, "scopes": sorted(token.scopes), "created": iso(token.created)}
            for token in await club.accounts.tokens(caller.account)
        ]
    for game_id, seat in await club.accounts.games(caller.people | formerly(caller.people)):
        table = await club.tables.table(game_id)
        record = await club.work(partial(_record_text, table))
        facts["games"].append({"id": game_id, "seat": seat, "record": record})
    return facts


def _record_text(table: Table) -> str:
    return str(record_of(table))


@delete("/api/me", status_code=204, responses=ERRORS, summary="Delete my account")
async def remove(request: Request[Any, Any, Any], club: Here, caller: Asker) -> Response[None]:
    """Delete the account with everything that names it; games stay, under a seat without a name."""
    account = await _own(club, caller)
    held = await club.accounts.games(caller.people)
    lost = await club.accounts.games(formerly(caller.people))
    for game_id, seat in held:
        await club.tables.command(game_id, _forgotten(seat))
    for game_id, seat in lost:
        await club.tables.command(game_id, _forgotten(seat, only_computer=True))
    await club.accounts.remove(account.id)
    for game_id, _ in (*held, *lost):
        club.tables.forget(game_id)
    return await sign_out.fn(request)  # type: ignore[no-any-return]


def _forgotten(seat: int, *, only_computer: bool = False) -> Decide:
    """A seat without its name; of one that was lost, only if a computer plays on under that name."""

    def decide(table: Table, holders: Sequence[SeatRow], now: int) -> Decision:
        if only_computer and not table.seats[seat].is_computer:
            return Decision()
        return Decision((Draft("sat", seat, {"name": None, "forget": True}),))

    return decide


@patch("/api/me", responses=ERRORS, summary="Change something about me")
async def change(data: JSONBody[Wishes], club: Here, caller: Asker) -> Me:
    """Go on vacation, or come back: correspondence clocks stand still meanwhile."""
    account = await _own(club, caller)
    if data.vacation is not None and data.vacation != (account.vacation_since is not None):
        await club.vacations.set(account, data.vacation)
    return await me.fn(club, caller)  # type: ignore[no-any-return]


@get("/api/me/tokens", responses=ERRORS, summary="My tokens")
async def tokens(club: Here, caller: Asker) -> list[TokenView]:
    """The tokens of this account, without their texts."""
    account = await _own(club, caller)
    return [
        TokenView(token.id, token.name, sorted(token.scopes), iso(token.created))
        for token in await club.accounts.tokens(account.id)
    ]


@post("/api/me/tokens", responses=ERRORS, summary="A token for a bot")
async def new_token(data: JSONBody[NewToken], club: Here, caller: Asker) -> TokenView:
    """A token with scopes; its text is shown only now."""
    club.limits.take("account", caller.key, caller.address)
    account = await _own(club, caller)
    token, text = await club.accounts.new_token(account.id, data.name, data.scopes)
    return TokenView(token.id, token.name, sorted(token.scopes), iso(token.created), text)


@delete(
    "/api/me/tokens/{token_id:str}", status_code=204, responses=ERRORS, summary="Revoke a token"
)
async def revoke(token_id: FromPath[str], club: Here, caller: Asker) -> None:
    """Make a token worthless at once."""
    account = await _own(club, caller)
    await club.accounts.revoke(account.id, token_id)


@get("/api/stream/events", responses=ERRORS, summary="Everything in my games, line by line")
async def events(club: Here, caller: Asker) -> Stream:
    """All games in which the caller has a seat: those under way first, then what happens."""
    if not caller.people:
        raise NoSeat("sign-in-needed", "send a token, or a cookie", status=401)
    if not caller.may("follow"):
        raise NoSeat("missing-scope", f"this token does not allow 'follow'; scopes: {SCOPES}")
    return Stream(_followed(club, caller), media_type="application/x-ndjson")


async def _followed(club: Club, caller: Caller) -> AsyncIterator[str]:
    watcher = StreamWatcher(frozenset(), 1_000)
    club.feeds.join(watcher, caller.people)
    try:
        for game_id in sorted({game for game, _ in await club.accounts.games(caller.people)}):
            entry = await club.tables.entry(game_id)
            if entry.table.is_live:
                seats = sorted(seats_held(entry.holders, caller))
                yield encoded(told("game-start", entry.table, seats)) + "\n"
        yield encoded({"type": "ready"}) + "\n"
        async for line in watcher.lines():
            # A token is worthless as soon as it is revoked, also for who opened the stream before.
            if caller.token is not None and not await club.accounts.has_token(caller.token):
                return
            yield line
    finally:
        club.feeds.leave(watcher)


HANDLERS: list[Any] = [
    me,
    sign_up,
    sign_in,
    sign_out,
    recover,
    export,
    remove,
    change,
    tokens,
    new_token,
    revoke,
    events,
]
