"""Sessions: a row for each sign-in, so that signing out also ends copies of its cookie."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Forbidden
from terrarium.server.accounts.cookies import COOKIE_AGE
from terrarium.server.database import schema
from terrarium.server.database.store import Store

__all__ = ["Sessions", "banned", "refuse_banned"]

MAX_SESSIONS = 50
"""The most sessions of one account; beyond this the oldest end."""


class Sessions:
    """The sessions in the database."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now

    async def open(self, account: str) -> tuple[str, bool]:
        """Create a session; returns its id for the cookie, and whether older sessions of the account ended."""
        id, table, now = secrets.token_hex(16), schema.sessions, self._now()

        async def job(connection: AsyncConnection) -> bool:
            await refuse_banned(connection, account)
            row = {"id": id, "account_id": account, "created": now}
            await connection.execute(insert(table).values(row))
            own = table.c.account_id == account
            newest = select(table.c.id).where(own).order_by(table.c.created.desc(), table.c.id)
            is_old = table.c.id.not_in(newest.limit(MAX_SESSIONS)) & (table.c.id != id)
            is_over = table.c.created < now - 1_000 * COOKIE_AGE
            ended = await connection.execute(delete(table).where(own, is_old | is_over))
            if ended.rowcount:
                await self._store.announce(connection, f"revoked {account}")
            return ended.rowcount > 0

        return id, await self._store.write(job)

    async def account(self, id: str) -> str | None:
        """The account of a session; None if it has ended."""
        table = schema.sessions

        async def job(connection: AsyncConnection) -> str | None:
            is_young = table.c.created >= self._now() - 1_000 * COOKIE_AGE
            query = select(table.c.account_id).where(table.c.id == id, is_young)
            found: str | None = (await connection.execute(query)).scalar()
            return found

        found: str | None = await self._store.read(job)
        return found

    async def end(self, account: str, id: str) -> None:
        """End a session."""
        table = schema.sessions

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(delete(table).where(table.c.id == id))
            await self._store.announce(connection, f"revoked {account}")

        await self._store.write(job)

    async def credentials(self, accounts: Iterable[str]) -> set[str]:
        """The credentials of these accounts' sessions and tokens, as in `Caller.credential`."""
        wanted = set(accounts)

        async def job(connection: AsyncConnection) -> set[str]:
            found = set()
            for kind, table in (("s", schema.sessions), ("t", schema.tokens)):
                query = select(table.c.id).where(table.c.account_id.in_(wanted))
                found |= {f"{kind}:{id}" for id in (await connection.execute(query)).scalars()}
            return found

        found: set[str] = await self._store.read(job) if wanted else set()
        return found


def banned() -> Forbidden:
    """The error for an account that an operator banned."""
    return Forbidden("account-banned", "the operator of this server has banned this account")


async def refuse_banned(connection: AsyncConnection, account: str) -> None:
    """Lock an account and refuse if it is banned, so that a ban can't miss a session or token that is being created."""
    table = schema.accounts
    query = select(table.c.banned).where(table.c.id == account).with_for_update()
    if (await connection.execute(query)).scalar() is not None:
        raise banned()
