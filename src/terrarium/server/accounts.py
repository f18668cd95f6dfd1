"""Accounts: a name, a password, recovery codes, tokens for bots. Nobody needs one to play.

An account takes along the guests it once was: their seats stay theirs, so that signing in never loses one.
"""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.server import schema
from terrarium.server.clocks import Now
from terrarium.server.errors import Conflict, NoSeat, NotFound, TooMany, Unprocessable
from terrarium.server.people import TOKEN_PREFIX, checked_name, digest
from terrarium.server.store import SeqTaken, Store, formerly

__all__ = ["SCOPES", "Account", "Accounts", "Token"]

SCOPES = ("play", "read", "follow")
"""What a token may allow: playing one's seats, reading one's data, following all of one's games."""
VACATION_DAYS = 30
MAX_TOKENS = 20
_CODES = 8
_MAX_WAITING = 40
_DAY = 86_400_000
_YEAR = 365 * _DAY
_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a name."""

    id: str
    name: str
    epoch: int
    """Rises when everybody who is signed in must sign in again."""
    created: int
    vacation_since: int | None = None
    vacation_used: int = 0
    """Milliseconds of vacation in the year `vacation_year`, the one under way not counted."""
    vacation_year: int = 0
    """Years count from the day the account was made."""

    def year(self, now: int) -> int:
        """Which year of the account it is."""
        return (now - self.created) // _YEAR

    def used(self, now: int) -> int:
        """The vacation of this year so far."""
        year = self.year(now)
        used = self.vacation_used if self.vacation_year == year else 0
        if self.vacation_since is not None:
            used += now - max(self.vacation_since, self.created + year * _YEAR)
        return used

    def left(self, now: int) -> int:
        """The vacation that is left in this year."""
        return max(0, VACATION_DAYS * _DAY - self.used(now))


@dataclass(frozen=True, slots=True)
class Token:
    """What a bot's token stands for."""

    id: str
    account: str
    name: str
    scopes: frozenset[str]
    created: int


class Accounts:
    """The accounts in the database."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        # Hashing a password takes a good part of a second of one core: one at a time is enough.
        self._threads = ThreadPoolExecutor(1, "passwords")
        self._waiting = 0
        self._decoy: str | None = None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def create(self, name: str, password: str) -> tuple[Account, list[str]]:
        """A new account and its recovery codes, which are shown only now."""
        shown = _account_name(name)
        _check_password(password)
        hashed = await self._threaded(_hasher.hash, password)
        account = Account(secrets.token_hex(12), shown, 0, self._now())
        codes = _new_codes()

        async def job(connection: AsyncConnection) -> None:
            row = {
                "id": account.id,
                "name": account.name,
                "name_key": _key(shown),
                "password": hashed,
                "epoch": 0,
                "vacation_used": 0,
                "created": account.created,
            }
            await connection.execute(insert(schema.accounts).values(row))
            await _write_codes(connection, account.id, codes)

        try:
            await self._store.write(job)
        except SeqTaken:
            raise Conflict("name-taken", f"{shown!r}: somebody has this name already") from None
        return account, codes

    async def sign_in(self, name: str, password: str) -> Account:
        """The account with this name and password; as slow for a name that nobody has."""
        row = await self._row(schema.accounts.c.name_key == _key(name))
        if self._decoy is None:
            self._decoy = await self._threaded(_hasher.hash, secrets.token_hex(8))
        stored = self._decoy if row is None else row.password
        is_right = await self._threaded(_verified, stored, password)
        if row is None or not is_right:
            raise NoSeat("wrong-password", "name and password do not fit together", status=401)
        return _account(row)

    async def recover(self, name: str, code: str, password: str) -> tuple[Account, list[str]]:
        """Set a new password with a recovery code; every other sign-in ends, and there are new codes."""
        _check_password(password)
        hashed = await self._threaded(_hasher.hash, password)
        row = await self._row(schema.accounts.c.name_key == _key(name))
        codes, used = _new_codes(), digest(code.replace(" ", "").upper())

        async def job(connection: AsyncConnection) -> bool:
            table = schema.recovery_codes
            found = await connection.execute(
                delete(table).where(table.c.account_id == row.id, table.c.code_hash == used)
            )
            if found.rowcount != 1:
                return False
            await connection.execute(delete(table).where(table.c.account_id == row.id))
            await connection.execute(
                update(schema.accounts)
                .where(schema.accounts.c.id == row.id)
                .values(password=hashed, epoch=schema.accounts.c.epoch + 1)
            )
            await _write_codes(connection, row.id, codes)
            return True

        if row is None or not await self._store.write(job):
            raise NoSeat("wrong-code", "name and recovery code do not fit together", status=401)
        account = await self.account(row.id)
        return account, codes

    async def account(self, id: str) -> Account:
        """The account with this id."""
        row = await self._row(schema.accounts.c.id == id)
        if row is None:
            raise NotFound("no-such-account", "this account does not exist any more")
        return _account(row)

    async def epoch(self, id: str) -> int | None:
        """The epoch of an account; None if it is gone."""
        row = await self._row(schema.accounts.c.id == id)
        return None if row is None else int(row.epoch)

    async def people(self, id: str) -> frozenset[str]:
        """All names under which an account holds seats."""
        table = schema.aliases

        async def job(connection: AsyncConnection) -> Sequence[str]:
            query = select(table.c.person).where(table.c.account_id == id)
            return (await connection.execute(query)).scalars().all()

        return frozenset({f"a:{id}", *await self._store.read(job)})

    async def adopt(self, id: str, people: frozenset[str]) -> None:
        """Take a guest's seats along; a guest belongs to the first account it signed in to."""
        guests = [person for person in people if person.startswith("g:")]

        async def job(connection: AsyncConnection) -> None:
            for person in guests:
                row = {"person": person, "account_id": id}
                await connection.execute(insert(schema.aliases).values(row))

        if guests:
            try:
                await self._store.write(job)
            except SeqTaken:
                return

    async def remove(self, id: str) -> None:
        """Delete an account with everything that names it; its seats stay, held by their secrets."""
        people = await self.people(id)
        held, lost = await self.games(people), await self.games(formerly(people))

        async def job(connection: AsyncConnection) -> None:
            for game_id, seat in held:
                await _forget_names(connection, game_id, seat)
            for game_id, seat in lost:
                await _forget_names(connection, game_id, seat, is_lost=True)
            held_by = schema.holders
            gone = people | formerly(people)
            await connection.execute(delete(held_by).where(held_by.c.person.in_(gone)))
            for table in (schema.aliases, schema.tokens, schema.recovery_codes):
                await connection.execute(delete(table).where(table.c.account_id == id))
            await connection.execute(delete(schema.accounts).where(schema.accounts.c.id == id))

        await self._store.write(job)

    async def games(self, people: frozenset[str]) -> list[tuple[str, int]]:
        """Every (game, seat) that these people hold."""
        table = schema.holders

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            query = select(table.c.game_id, table.c.seat).where(table.c.person.in_(people))
            return (await connection.execute(query.distinct())).all()

        return [(row.game_id, row.seat) for row in await self._store.read(job)]

    async def new_token(self, id: str, name: str, scopes: Sequence[str]) -> tuple[Token, str]:
        """A token for a bot; its text is shown only now."""
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not scopes:
            message = f"scopes {', '.join(unknown) or '(none)'}: choose from {', '.join(SCOPES)}"
            raise Unprocessable("invalid-scopes", message)
        if len(await self.tokens(id)) >= MAX_TOKENS:
            raise Conflict("too-many-tokens", f"{MAX_TOKENS} tokens are enough; revoke one first")
        text = TOKEN_PREFIX + secrets.token_urlsafe(24)
        label = checked_name(name) or "bot"
        token = Token(secrets.token_hex(8), id, label, frozenset(scopes), self._now())

        async def job(connection: AsyncConnection) -> None:
            row = {
                "id": token.id,
                "account_id": id,
                "name": label,
                "token_hash": digest(text),
                "scopes": " ".join(sorted(token.scopes)),
                "created": token.created,
            }
            await connection.execute(insert(schema.tokens).values(row))

        await self._store.write(job)
        return token, text

    async def tokens(self, id: str) -> list[Token]:
        """The tokens of an account."""
        return await self._tokens(schema.tokens.c.account_id == id)

    async def token(self, text: str) -> Token | None:
        """What a token stands for; None if it is unknown."""
        found = await self._tokens(schema.tokens.c.token_hash == digest(text))
        return found[0] if found else None

    async def has_token(self, token_id: str) -> bool:
        """Whether a token is still worth something."""
        return bool(await self._tokens(schema.tokens.c.id == token_id))

    async def revoke(self, id: str, token_id: str) -> None:
        """Make a token worthless."""
        table = schema.tokens

        async def job(connection: AsyncConnection) -> int:
            result = await connection.execute(
                delete(table).where(table.c.account_id == id, table.c.id == token_id)
            )
            return result.rowcount

        if not await self._store.write(job):
            raise NotFound("no-such-token", f"{token_id[:40]!r}: you have no such token")

    async def set_vacation(self, account: Account, is_on: bool) -> Account:
        """Go on vacation, or come back; a year has so many days of it."""
        now = self._now()
        if is_on and not account.left(now):
            message = f"you have had {VACATION_DAYS} days of vacation in this year of your account"
            raise Conflict("no-vacation-left", message)
        values = {
            "vacation_since": now if is_on else None,
            "vacation_used": account.used(now),
            "vacation_year": account.year(now),
        }

        async def job(connection: AsyncConnection) -> None:
            table = schema.accounts
            await connection.execute(update(table).where(table.c.id == account.id).values(values))

        await self._store.write(job)
        return await self.account(account.id)

    async def overdue(self) -> list[Account]:
        """Whoever is on vacation without any days left."""
        table, now = schema.accounts, self._now()

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            query = select(table).where(table.c.vacation_since.is_not(None))
            return (await connection.execute(query)).all()

        return [
            account
            for row in await self._store.read(job)
            if not (account := _account(row)).left(now)
        ]

    async def _row(self, condition: Any) -> Any:
        async def job(connection: AsyncConnection) -> Any:
            return (await connection.execute(select(schema.accounts).where(condition))).first()

        return await self._store.read(job)

    async def _tokens(self, condition: Any) -> list[Token]:
        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(select(schema.tokens).where(condition))).all()

        return [
            Token(row.id, row.account_id, row.name, frozenset(row.scopes.split()), row.created)
            for row in await self._store.read(job)
        ]

    async def _threaded(self, job: Any, *values: Any) -> Any:
        if self._waiting >= _MAX_WAITING:
            raise TooMany("people signing in at once", 2)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, job, *values)
        finally:
            self._waiting -= 1


def _account(row: Any) -> Account:
    names = ("id", "name", "epoch", "created", "vacation_since", "vacation_used", "vacation_year")
    return Account(*(getattr(row, name) for name in names))


def _account_name(name: str) -> str:
    shown = checked_name(name)
    if shown is None or len(shown) < 2:
        raise Unprocessable("invalid-name", f"name {name[:40]!r}: at least 2 characters")
    return shown


def _key(name: str) -> str:
    # No name has a NUL, and PostgreSQL would not even look for one.
    text = " ".join(name.replace("\0", "\ufffd").split())
    return unicodedata.normalize("NFKC", text).casefold()[:64]


def _check_password(password: str) -> None:
    if not 8 <= len(password) <= 200:
        raise Unprocessable("invalid-password", "a password has 8 to 200 characters")


def _verified(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


def _new_codes() -> list[str]:
    alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
    return [
        "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))
        for _ in range(_CODES)
    ]


async def _forget_names(
    connection: AsyncConnection, game_id: str, seat: int, *, is_lost: bool = False
) -> None:
    """Take a seat's names out of the log: of all that happened, who it was is all that is forgotten.

    Of a seat that was lost, only the names from before that: who sits there now keeps theirs.
    """
    table = schema.events
    names = (table.c.kind == "created") | ((table.c.kind == "sat") & (table.c.seat == seat))
    query = select(table.c.seq, table.c.kind, table.c.data).where(table.c.game_id == game_id, names)
    if is_lost:
        loss = select(func.max(table.c.seq)).where(
            table.c.game_id == game_id,
            table.c.seat == seat,
            table.c.kind.in_(("vacated", "taken-over", "timed-out")),
        )
        query = query.where(table.c.seq < loss.scalar_subquery())
    for row in (await connection.execute(query)).all():
        data = msgspec.json.decode(row.data)
        (data["seats"][seat] if row.kind == "created" else data)["name"] = None
        await connection.execute(
            update(table)
            .where(table.c.game_id == game_id, table.c.seq == row.seq)
            .values(data=msgspec.json.encode(data).decode())
        )


async def _write_codes(connection: AsyncConnection, id: str, codes: list[str]) -> None:
    rows = [{"account_id": id, "code_hash": digest(code)} for code in codes]
    await connection.execute(insert(schema.recovery_codes), rows)
