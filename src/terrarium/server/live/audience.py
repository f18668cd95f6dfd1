"""The numbers of connections to a study, on PostgreSQL: every worker writes its own, and reads those of the others with the study.

A row is a lease that its worker renews. The rows of a worker that died expire.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from sqlalchemy import delete, text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now
from terrarium.server.database import schema
from terrarium.server.database import studies as rows
from terrarium.server.database.store import Store
from terrarium.server.live.studies import Studies
from terrarium.server.live.watched_study import Entry

__all__ = ["LEASE_SECONDS", "Audience"]

logger = logging.getLogger("terrarium.audience")
LEASE_SECONDS = 45
_PAUSE = 0.2
"""Seconds between two writes, so that many changes at once are written together."""
_WRITE = text(
    "INSERT INTO study_connections (study_id, worker, editors, readers, until) "
    "SELECT id, :worker, :editors, :readers, :until FROM studies WHERE id = :id "
    "ON CONFLICT (study_id, worker) DO UPDATE "
    "SET editors = excluded.editors, readers = excluded.readers, until = excluded.until"
)


class Audience:
    """The connection counts of this worker."""

    def __init__(self, store: Store, studies: Studies, now: Now) -> None:
        self._store = store
        self._studies = studies
        self._now = now
        self._changed: set[str] = set()
        self._written: dict[str, tuple[int, int]] = {}
        """The numbers that were written last."""
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        studies.on_people = self._came_or_left

    def open(self) -> None:
        """Start writing."""
        self._task = asyncio.create_task(self._run(), name="audience")

    async def close(self) -> None:
        """Stop, and delete the numbers of this worker."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        table = schema.study_connections

        async def job(connection: AsyncConnection) -> None:
            own = table.c.worker == self._studies.worker
            gone = delete(table).where(own).returning(table.c.study_id)
            for id in (await connection.execute(gone)).scalars().all():
                await rows.notify(self._store, connection, id)

        try:
            await self._store.write(job)
        except TerrariumError as error:
            logger.warning("numbers of this worker: %s", error.code)

    def _came_or_left(self, entry: Entry) -> None:
        self._changed.add(entry.id)
        self._wake.set()

    async def _run(self) -> None:
        """Write changes soon, and renew all rows before their leases end."""
        loop = asyncio.get_running_loop()
        renewal = loop.time() + LEASE_SECONDS / 3
        while True:
            try:
                async with asyncio.timeout_at(renewal):
                    await self._wake.wait()
            except TimeoutError:
                self._changed |= {entry.id for entry in self._studies.watched()}
                renewal = loop.time() + LEASE_SECONDS / 3
            self._wake.clear()
            ids, self._changed = self._changed, set()
            try:
                await self._write(ids)
            except Exception as error:
                logger.warning("numbers of this worker: %s", type(error).__name__)
                self._changed |= ids
            await asyncio.sleep(_PAUSE)

    async def _write(self, ids: Collection[str]) -> None:
        now, table, worker = self._now(), schema.study_connections, self._studies.worker
        numbers = {id: self._studies.here(id) for id in ids}

        async def job(connection: AsyncConnection) -> None:
            for id, (editors, readers) in sorted(numbers.items()):
                values = {"id": id, "worker": worker, "editors": editors, "readers": readers}
                await connection.execute(_WRITE, values | {"until": now + 1_000 * LEASE_SECONDS})
                if self._written.get(id, (0, 0)) != (editors, readers):
                    await rows.notify(self._store, connection, id)
            await connection.execute(delete(table).where(table.c.until < now))

        await self._store.write(job)
        known = self._written | numbers
        self._written = {id: here for id, here in known.items() if any(here)}
