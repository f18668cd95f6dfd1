"""The stored puzzle attempts of accounts; attempts from several browsers are merged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import structs
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import NotFound
from terrarium.play.puzzles import Attempt, merged
from terrarium.server.database import schema
from terrarium.server.database.store import Store

__all__ = ["StoredAttempts"]

_STORE = text(
    "INSERT INTO attempts (account_id, game, puzzle, result, at, solved) "
    "VALUES (:account_id, :game, :puzzle, :result, :at, :solved) "
    "ON CONFLICT (account_id, game, puzzle) DO UPDATE "
    "SET result = excluded.result, at = excluded.at, solved = excluded.solved"
)


class StoredAttempts:
    """The attempts in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of_account(self, account: str) -> list[Attempt]:
        """All attempts of an account, by time."""
        found: list[Attempt] = await self._store.read(lambda connection: _read(connection, account))
        return found

    async def add(self, account: str, attempts: Iterable[Attempt]) -> list[Attempt]:
        """Merge attempts into those of an account; returns all of them."""
        new = list(attempts)
        if not new:
            return await self.of_account(account)

        async def job(connection: AsyncConnection) -> list[Attempt]:
            owner = select(schema.accounts.c.id).where(schema.accounts.c.id == account)
            # The lock lasts until the end of the transaction: meanwhile the account can't be deleted, and no other browser can merge.
            if (await connection.execute(owner.with_for_update())).first() is None:
                raise NotFound("no-such-account", "this account does not exist any more")
            stored = await _read(connection, account)
            after = merged(stored, new)
            changed = [one for one in after if one not in stored]
            if changed:
                rows = [{"account_id": account} | structs.asdict(one) for one in changed]
                await connection.execute(_STORE, rows)
            return after

        found: list[Attempt] = await self._store.write(job)
        return found


async def _read(connection: AsyncConnection, account: str) -> list[Attempt]:
    table = schema.attempts
    rows = await connection.execute(select(table).where(table.c.account_id == account))
    return merged(_attempt(row) for row in rows)


def _attempt(row: Any) -> Attempt:
    return Attempt(row.game, row.puzzle, row.result, row.at, row.solved)
