"""Quotas: limits over hours and days, counted in the database, so that all workers share them and a restart keeps them.

A quota is a token bucket that fills at a fixed rate. Its row stores when the bucket will be full again: taking a token moves
this time later by the refill time of one token. A token is refused if the time would be later than that of an empty bucket.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import TooMany
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.http.limits import LIMITS

__all__ = ["Quotas"]

_EVERY_MS = 3_600_000
# If `full_at` is later than that of an empty bucket, the clock was set back; the bucket then counts as full.
_TAKE = text(
    "INSERT INTO quotas (key, full_at) VALUES (:key, :now + :each) "
    "ON CONFLICT (key) DO UPDATE SET full_at = :each + "
    "CASE WHEN quotas.full_at BETWEEN :now AND :empty THEN quotas.full_at ELSE :now END "
    "WHERE quotas.full_at <= :empty - :each OR quotas.full_at > :empty"
)


class Quotas:
    """The quotas of all addresses and people."""

    def __init__(self, store: Store, now: Now, scale: float, secret: str) -> None:
        self._store = store
        self._now = now
        self._scale = scale
        self._key = hashlib.sha256(b"terrarium-quotas\0" + secret.encode()).digest()
        self._next = now()

    async def take(self, name: str, *keys: str) -> None:
        """Take one token for each key, or none at all; raises `TooMany` if a key has none left."""
        if not self._scale:
            return
        rate, burst, what = LIMITS[name]
        each = max(1, round(1_000 / (rate * self._scale)))
        now = self._now()
        empty = now + each * max(1, int(burst * self._scale))
        # Sorted, so that two transactions can't deadlock.
        digests = sorted(self._digest(name, key) for key in keys)

        async def job(connection: AsyncConnection) -> None:
            for digest in digests:
                values = {"key": digest, "now": now, "each": each, "empty": empty}
                if (await connection.execute(_TAKE, values)).rowcount != 1:
                    raise TooMany(what, await self._wait(connection, digest, empty - each))

        await self._store.write(job)

    async def _wait(self, connection: AsyncConnection, digest: str, latest: int) -> float:
        table = schema.quotas
        found: Any = await connection.execute(select(table.c.full_at).where(table.c.key == digest))
        return max(1, (found.scalar() or 0) - latest) / 1_000

    async def forget(self) -> None:
        """Delete full buckets, at most once an hour."""
        now = self._now()
        if now < self._next:
            return
        self._next = now + _EVERY_MS

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(delete(schema.quotas).where(schema.quotas.c.full_at < now))

        await self._store.write(job)

    def _digest(self, name: str, key: str) -> str:
        """A keyed digest, because addresses are private."""
        return hashlib.blake2b(f"{name} {key}".encode(), key=self._key, digest_size=16).hexdigest()
