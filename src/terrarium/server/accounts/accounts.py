"""Accounts: a name, a password, recovery codes. An account is optional.

Signing in merges the guest's seats into the account.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.play.people import Caller, Owner, checked_name, digest
from terrarium.server.accounts.invites import use_invite
from terrarium.server.accounts.names import name_key, skeleton
from terrarium.server.accounts.passwords import Passwords, new_codes
from terrarium.server.accounts.sessions import banned
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.database.writing import UniqueViolation

__all__ = ["Account", "Accounts", "held_by", "people_of", "write_codes"]

VACATION_DAYS = 30
_DAY = 86_400_000
_YEAR = 365 * _DAY


@dataclass(frozen=True, slots=True)
class Account:
    """An account as stored, without its password."""

    id: str
    name: str
    created: int
    vacation_since: int | None = None
    vacation_used: int = 0
    """Milliseconds of vacation in the year `vacation_year`, without the current vacation."""
    vacation_year: int = 0
    """The number of the year, counted from the day on which the account was created."""
    is_bot: bool = False
    banned: int | None = None
    """When an operator banned the account."""
    is_operator: bool = False
    """Whether its owner may act as an operator in the page."""

    def year(self, now: int) -> int:
        """The number of the account's present year."""
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


class Accounts:
    """The accounts in the database."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        self._passwords = Passwords()

    def close(self) -> None:
        self._passwords.close()

    async def hash(self, password: str) -> str:
        """The hash of a password, which is stored instead of it."""
        return await self._passwords.hash(password)

    async def create(
        self, name: str, password: str, *, is_bot: bool = False, invite: str | None = None
    ) -> tuple[Account, list[str]]:
        """A new account and its recovery codes, which are shown only now; `invite` is a code that is used up."""
        shown = _account_name(name)
        hashed = await self._passwords.hash(password)
        account = Account(secrets.token_hex(12), shown, self._now(), is_bot=is_bot)
        codes = new_codes()

        async def job(connection: AsyncConnection) -> None:
            if invite is not None:
                await use_invite(connection, invite, account.created)
            row = {
                "id": account.id,
                "name": account.name,
                "name_key": name_key(shown),
                "skeleton": skeleton(shown),
                "password": hashed,
                "vacation_used": 0,
                "created": account.created,
                "is_bot": is_bot,
            }
            await connection.execute(insert(schema.accounts).values(row))
            await write_codes(connection, account.id, codes)

        try:
            await self._store.write(job)
        except UniqueViolation:
            message = f"{shown!r}: somebody has this name, or one that looks like it"
            raise Conflict("name-taken", message) from None
        return account, codes

    async def sign_in(self, name: str, password: str) -> Account:
        """The account with this name and password. An unknown name takes as long as a wrong password."""
        row = await self._row(schema.accounts.c.name_key == name_key(name))
        is_right = await self._passwords.is_right(None if row is None else row.password, password)
        if row is None or not is_right:
            raise Forbidden("wrong-password", "wrong name or password", status=401)
        if row.banned is not None:
            raise banned()
        return _account(row)

    async def recover(self, name: str, code: str, password: str) -> tuple[Account, list[str]]:
        """Set a new password with a recovery code; all sessions end, and there are new codes."""
        hashed = await self._passwords.hash(password)
        row = await self._row(schema.accounts.c.name_key == name_key(name))
        codes, used = new_codes(), digest(code.replace(" ", "").upper())

        async def job(connection: AsyncConnection) -> bool:
            table = schema.recovery_codes
            found = await connection.execute(
                delete(table).where(table.c.account_id == row.id, table.c.code_hash == used)
            )
            if found.rowcount != 1:
                return False
            if row.banned is not None:
                raise banned()
            await connection.execute(delete(table).where(table.c.account_id == row.id))
            await connection.execute(
                update(schema.accounts)
                .where(schema.accounts.c.id == row.id)
                .values(password=hashed)
            )
            sessions = schema.sessions
            await connection.execute(delete(sessions).where(sessions.c.account_id == row.id))
            await self._store.announce(connection, f"revoked {row.id}")
            await write_codes(connection, row.id, codes)
            return True

        if row is None or not await self._store.write(job):
            raise Forbidden("wrong-code", "wrong name or recovery code", status=401)
        account = await self.account(row.id)
        return account, codes

    async def account(self, id: str) -> Account:
        """The account with this id."""
        row = await self._row(schema.accounts.c.id == id)
        if row is None:
            raise NotFound("no-such-account", "this account does not exist any more")
        return _account(row)

    async def named(self, name: str) -> Account:
        """The account with this name."""
        row = await self._row(schema.accounts.c.name_key == name_key(name))
        if row is None:
            raise NotFound("no-such-player", f"{name[:40]!r}: nobody has an account with this name")
        return _account(row)

    async def owner(self, caller: Caller) -> Owner | None:
        """The data of the caller's account that a seat shows; None without an account. A caller with a token counts as a bot."""
        id = caller.account
        row = None if id is None else await self._row(schema.accounts.c.id == id)
        return None if row is None else Owner(row.name, row.is_bot or caller.token is not None)

    async def mark_bot(self, id: str, is_bot: bool) -> None:
        """Mark an account as that of a bot or of a person."""

        async def job(connection: AsyncConnection) -> None:
            table = schema.accounts
            await connection.execute(update(table).where(table.c.id == id).values(is_bot=is_bot))

        await self._store.write(job)

    async def people(self, id: str) -> frozenset[str]:
        """All ids that hold seats for an account: its own and those of merged guests."""
        found: frozenset[str] = await self._store.read(lambda connection: people_of(connection, id))
        return found

    async def adopt(self, id: str, people: frozenset[str]) -> None:
        """Merge a guest's seats into the account; a guest belongs to the first account it signed in to."""
        guests = [person for person in people if person.startswith("g:")]

        async def job(connection: AsyncConnection) -> None:
            for person in guests:
                row = {"person": person, "account_id": id}
                await connection.execute(insert(schema.aliases).values(row))

        if guests:
            try:
                await self._store.write(job)
            except UniqueViolation:
                return

    async def games(self, people: frozenset[str]) -> list[tuple[str, int]]:
        """Every (game, seat) that these people hold."""
        found: list[tuple[str, int]] = await self._store.read(
            lambda connection: held_by(connection, people)
        )
        return found

    async def check_unfinished(
        self, connection: AsyncConnection, people: frozenset[str], most: int
    ) -> None:
        """Refuse people who hold seats in too many unfinished games; a lock makes concurrent transactions count one after the other."""
        if not people:
            return
        games, held = schema.games, schema.holders
        await self._store.lock(connection, f"games of {min(people)}")
        query = (
            select(func.count(held.c.game_id.distinct()))
            .join(games, games.c.id == held.c.game_id)
            .where(held.c.person.in_(people), games.c.status.in_(("waiting", "playing")))
        )
        if (await connection.execute(query)).scalar_one() >= most:
            message = (
                f"you have seats in {most} unfinished games: finish, resign or abort some first"
            )
            raise Conflict("too-many-games", message)

    async def set_vacation(self, account: Account, is_on: bool) -> Account:
        """Start or end a vacation; the number of days per year is limited."""
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
        """The accounts on vacation that have no days left."""
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


async def people_of(connection: AsyncConnection, id: str) -> frozenset[str]:
    """All ids that hold seats for an account: its own and those of merged guests."""
    table = schema.aliases
    query = select(table.c.person).where(table.c.account_id == id)
    return frozenset({f"a:{id}", *(await connection.execute(query)).scalars()})


async def held_by(connection: AsyncConnection, people: frozenset[str]) -> list[tuple[str, int]]:
    """Every (game, seat) that these people hold."""
    table = schema.holders
    query = select(table.c.game_id, table.c.seat).where(table.c.person.in_(people)).distinct()
    return [(row.game_id, row.seat) for row in await connection.execute(query)]


def _account(row: Any) -> Account:
    return Account(**{item.name: getattr(row, item.name) for item in fields(Account)})


def _account_name(name: str) -> str:
    shown = checked_name(name)
    if shown is None or len(shown) < 2:
        raise Unprocessable("invalid-name", f"name {name[:40]!r}: at least 2 characters")
    return shown


async def write_codes(connection: AsyncConnection, id: str, codes: list[str]) -> None:
    """Store recovery codes of an account."""
    rows = [{"account_id": id, "code_hash": digest(code)} for code in codes]
    await connection.execute(insert(schema.recovery_codes), rows)
