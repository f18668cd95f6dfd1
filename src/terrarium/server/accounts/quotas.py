"""Quotas: limits for slow, lasting things, counted in the database so that they hold over all workers and restarts.

A quota is a bucket of tokens that is filled at a rate. Its row says when the bucket will be full again: taking a token moves that
moment into the future, by the time that one token needs, and not further than an empty bucket needs.
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
# `full_at` beyond an empty bucket is from before the clock was set back, and counts as a full one.
_TAKE = text(
    "INSERT INTO quotas (key, full_at) VALUES (:key, :now + :each) "
    "ON CONFLICT (key) DO UPDATE SET full_at = :each + "
    "CASE WHEN quotas.full_at BETWEEN :now AND :empty THEN quotas.full_at ELSE :now END "
    "WHERE quotas.full_at <= :empty - :each OR quotas.full_at > :empty"
)


class Quotas:
    """What every address and person may still do of the things that are counted in the database."""

    def __init__(self, store: Store, now: Now, scale: float, secret: str) -> None:
        self._store = store
        self._now = now
        self._scale = scale
        self._key = hashlib.sha256(b"terrarium-quotas\0" + secret.encode()).digest()
        self._next = now()

    async def take(self, name: str, *keys: str) -> None:
        """Take a token of each key or none of any; raises `TooMany` if one has none left."""
        if not self._scale:
            return
        rate, burst, what = LIMITS[name]
        each = max(1, round(1_000 / (rate * self._scale)))
        now = self._now()
        empty = now + each * max(1, int(burst * self._scale))
        # In one order for everybody, so that two transactions don't wait for each other.
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
        """A digest with a key, because addresses are private."""
        return hashlib.blake2b(f"{name} {key}".encode(), key=self._key, digest_size=16).hexdigest()
