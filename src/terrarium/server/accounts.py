"""Accounts: a name, a password, recovery codes, tokens for bots. Nobody needs one to play.

An account takes along the guests it once was: their seats stay theirs, so that signing in never loses one.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.server import schema
from terrarium.server.clocks import Now
from terrarium.server.errors import Conflict, NoSeat, NotFound, Unprocessable
from terrarium.server.people import TOKEN_PREFIX, checked_name, digest
from terrarium.server.store import SeqTaken, Store

__all__ = ["SCOPES", "Account", "Accounts", "Token"]

SCOPES = ("play", "read", "follow")
"""What a token may allow: playing one's seats, reading one's data, following all of one's games."""
VACATION_DAYS = 30
MAX_TOKENS = 20
_CODES = 8
_YEAR = 365 * 86_400_000
_hasher = PasswordHasher()


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a name."""

    id: str
    name: str
    epoch: int
    """Rises when everybody who is signed in must sign in again."""
    created: int
    vacation_since: int | None
    vacation_used: int


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
        self._decoy: str | None = None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def create(self, name: str, password: str) -> tuple[Account, list[str]]:
        """A new account and its recovery codes, which are shown only now."""
        shown = _account_name(name)
        _check_password(password)
        hashed = await self._threaded(_hasher.hash, password)
        account = Account(secrets.token_hex(12), shown, 0, self._now(), None, 0)
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
        held = await self.games(people)

        async def job(connection: AsyncConnection) -> None:
            for game_id, seat in held:
                await _forget_names(connection, game_id, seat)
            held_by = schema.holders
            await connection.execute(delete(held_by).where(held_by.c.person.in_(people)))
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
        used, since = account.vacation_used, account.vacation_since
        if is_on and since is None:
            if used >= VACATION_DAYS * 86_400_000:
                message = (
                    f"you have had {VACATION_DAYS} days of vacation in this year of your account"
                )
                raise Conflict("no-vacation-left", message)
            since = now
        elif not is_on and since is not None:
            same_year = (now - account.created) // _YEAR == (since - account.created) // _YEAR
            used, since = (used if same_year else 0) + now - since, None

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(
                update(schema.accounts)
                .where(schema.accounts.c.id == account.id)
                .values(vacation_since=since, vacation_used=used)
            )

        await self._store.write(job)
        return await self.account(account.id)

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
        return await asyncio.get_running_loop().run_in_executor(self._threads, job, *values)


def _account(row: Any) -> Account:
    return Account(row.id, row.name, row.epoch, row.created, row.vacation_since, row.vacation_used)


def _account_name(name: str) -> str:
    shown = checked_name(name)
    if shown is None or len(shown) < 2:
        raise Unprocessable("invalid-name", f"name {name[:40]!r}: at least 2 characters")
    return shown


def _key(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()[:64]


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


async def _forget_names(connection: AsyncConnection, game_id: str, seat: int) -> None:
    """Take a seat's name out of the log: of all that happened, who it was is all that is forgotten."""
    table = schema.events
    query = select(table.c.seq, table.c.kind, table.c.data).where(
        table.c.game_id == game_id,
        (table.c.kind == "created") | ((table.c.kind == "sat") & (table.c.seat == seat)),
    )
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
