"""Presence on PostgreSQL: which seats are connected. Every worker writes rows for its own and reads those of the others.

A row is a lease. Its worker renews it while the seat is connected, and ends it when the seat disconnects. The rows of a worker that
died expire. The end of a lease is the time when the seat was last connected.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.live.rooms import Rooms

__all__ = ["LEASE_SECONDS", "Presence"]

LEASE_SECONDS = 45
_KEEP_MS = 86_400_000


class Presence:
    """Writes the seats connected to this worker, and reads those connected to others."""

    def __init__(self, store: Store, rooms: Rooms, now: Now, worker: str) -> None:
        self._store = store
        self._rooms = rooms
        self._now = now
        self._worker = worker
        self._held: set[tuple[str, int]] = set()

    async def write(self, games: Collection[str]) -> None:
        """Store which seats of these games are connected here, and notify the other workers."""
        now = self._now()
        here = {(game, seat) for game in games for seat in self._rooms.here(game)}
        gone = {item for item in self._held if item[0] in games} - here
        if not here and not gone:
            return

        async def job(connection: AsyncConnection) -> None:
            await self._lease(connection, here, now + 1_000 * LEASE_SECONDS)
            await self._lease(connection, gone, now)
            for game in {game for game, _ in here | gone}:
                await self._store.announce(connection, f"presence {self._worker} {game}")

        await self._store.write(job)
        self._held = (self._held - gone) | here

    async def renew(self) -> None:
        """Renew all leases of this worker, and delete leases that ended long ago."""
        table, now = schema.presence, self._now()
        held = {(game, seat) for game in self._rooms.games() for seat in self._rooms.here(game)}

        async def job(connection: AsyncConnection) -> None:
            await self._lease(connection, held, now + 1_000 * LEASE_SECONDS)
            await connection.execute(delete(table).where(table.c.until < now - _KEEP_MS))

        await self._store.write(job)
        self._held |= held

    async def end(self) -> None:
        """End all leases of this worker, because it stops."""
        table = schema.presence

        async def job(connection: AsyncConnection) -> None:
            mine = (table.c.worker == self._worker) & (table.c.until > self._now())
            await connection.execute(update(table).where(mine).values(until=self._now()))

        await self._store.write(job)

    async def read(self, games: Sequence[str] | None = None) -> None:
        """Update the rooms with the seats connected to other workers: of these games, or of all."""
        table, now = schema.presence, self._now()
        query = select(table).where(table.c.until > now, table.c.worker != self._worker)
        if games is not None:
            query = query.where(table.c.game_id.in_(games))

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(query)).all()

        known = self._rooms.games_elsewhere() if games is None else games
        found: dict[str, dict[int, int]] = {game: {} for game in known}
        for row in await self._store.read(job):
            seats = found.setdefault(row.game_id, {})
            seats[row.seat] = max(row.until, seats.get(row.seat, 0))
        for game, seats in found.items():
            self._rooms.elsewhere(game, seats)

    async def seen(self, game: str) -> dict[int, int]:
        """The end of each seat's latest lease; in the future while the seat is connected."""
        table = schema.presence

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            query = select(table.c.seat, func.max(table.c.until)).where(table.c.game_id == game)
            return (await connection.execute(query.group_by(table.c.seat))).all()

        return {row[0]: row[1] for row in await self._store.read(job)}

    async def _lease(
        self, connection: AsyncConnection, seats: Collection[tuple[str, int]], until: int
    ) -> None:
        if seats:
            rows = [
                {"game_id": game, "seat": seat, "worker": self._worker, "until": until}
                for game, seat in sorted(seats)
            ]
            table = insert(schema.presence)
            keys = ["game_id", "seat", "worker"]
            values = {"until": table.excluded.until}
            await connection.execute(
                table.on_conflict_do_update(index_elements=keys, set_=values), rows
            )
