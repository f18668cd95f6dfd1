"""Notifications between workers on PostgreSQL: a game changed, somebody connected or left.

The rows in the database are authoritative. A lost notification only delays events by a few seconds: games that are watched or followed
here are also read every few seconds, and all of them whenever the connection is restored.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import psycopg

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.feeds import Feeds
from terrarium.server.live.presence import LEASE_SECONDS, Presence
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.studies import Studies
from terrarium.server.live.tables import Tables

__all__ = ["Notifications"]

logger = logging.getLogger("terrarium.notify")
CHANNEL = "terrarium"
_POLL_SECONDS = 3.0
_BATCH = 500


class Notifications:
    """Receives notifications of other workers, and writes this worker's presence."""

    def __init__(
        self,
        dsn: str,
        tables: Tables,
        rooms: Rooms,
        feeds: Feeds,
        studies: Studies,
        now: Now,
        recheck: Callable[[str | None], Awaitable[None]],
        on_change: Callable[[str, str, int | None], None],
    ) -> None:
        self._dsn = dsn
        self._tables = tables
        self._rooms = rooms
        self._feeds = feeds
        self._studies = studies
        self._recheck = recheck
        """Ends connections of an account, or of all accounts, whose credentials were revoked elsewhere."""
        self._on_change = on_change
        """Called with changes that are private to seats: the game, what changed, and the seat."""
        self._is_closing = False
        self._name = secrets.token_hex(4)
        self._tasks: list[asyncio.Task[None]] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._waiting: set[str] = set()
        self._rewritten: set[str] = set()
        """Games to read again from their first event: their log or the holders of their seats changed."""
        self._waiting_studies: set[str] = set()
        self._present: set[str] = set()
        self._changed = asyncio.Event()
        self._asked: set[str] = set()
        self._is_asked = asyncio.Event()
        self.presence = Presence(tables.store, rooms, now, self._name)
        rooms.on_presence = self._presence_changed

    def open(self) -> None:
        """Start listening."""
        loops = (self._listen, self._poll, self._write, self._read)
        self._tasks = [asyncio.create_task(self._forever(loop)) for loop in loops]

    async def close(self) -> None:
        """Stop listening."""
        self._is_closing = True
        tasks = [*self._tasks, *self._jobs]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(TerrariumError):
            await self.presence.end()

    async def _forever(self, loop: Callable[[], Awaitable[None]]) -> None:
        while not self._is_closing:
            try:
                await loop()
            except (psycopg.Error, OSError, TerrariumError) as error:
                logger.warning("notifications: %s", type(error).__name__)
            except asyncio.CancelledError:
                raise
            except Exception:
                logger.exception("notifications")
            await asyncio.sleep(1.0)

    async def _listen(self) -> None:
        async with await _connect(self._dsn) as connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            for game_id in self._rooms.games():
                self._notified(game_id)
            await self._feeds.catch_up()
            await self._studies.catch_up()
            await self._recheck(None)
            await self.presence.read()
            async for notice in connection.notifies():
                self._handle(notice.payload)

    def _handle(self, payload: str) -> None:
        words = payload.split()
        if words[0] == "presence":
            if words[1] != self._name:
                self._asked.add(words[2])
                self._is_asked.set()
            return
        if words[0] == "changed":
            self._on_change(words[1], words[2], int(words[3]) if len(words) > 3 else None)
            return
        if words[0] == "revoked":
            self._start(self._rechecked(words[1]))
            return
        if words[0] == "challenge":
            self._start(self._challenged(words[1]))
            return
        if words[0] == "study":
            if words[1] not in self._waiting_studies:
                self._waiting_studies.add(words[1])
                self._start(self._studied(words[1]))
            return
        if words[1] == "0":
            self._rewritten.add(words[0])
        self._notified(words[0])

    def _notified(self, game_id: str) -> None:
        """Read a game soon; further notifications until then are ignored."""
        # The game may have been restored or released from quarantine.
        self._tables.damaged.pop(game_id, None)
        if not (self._tables.cached(game_id) or self._matters(game_id)):
            self._rewritten.discard(game_id)
            return
        if game_id in self._waiting:
            return
        self._waiting.add(game_id)
        self._start(self._caught_up(game_id))

    def _matters(self, game_id: str) -> bool:
        """Whether a game that is not in memory must be read: if it is watched, or if there are followers."""
        return self._feeds.is_followed or self._rooms.is_watched(game_id)

    def _start(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _rechecked(self, account: str) -> None:
        try:
            await self._recheck(account)
        except Exception as error:
            # A revoked credential must not stay valid because the database was unavailable.
            logger.warning("recheck: %s", type(error).__name__)
            await asyncio.sleep(1.0)
            self._start(self._rechecked(account))

    async def _challenged(self, id: str) -> None:
        try:
            await self._feeds.publish_challenge(id)
        except Exception as error:
            logger.warning("challenge %s: %s", id, type(error).__name__)

    async def _studied(self, id: str) -> None:
        self._waiting_studies.discard(id)
        await self._studies.refresh_all([id])

    async def _caught_up(self, game_id: str) -> None:
        self._waiting.discard(game_id)
        try:
            if game_id in self._rewritten:
                self._rewritten.discard(game_id)
                await self._tables.reload(game_id)
            entry = await self._tables.catch_up(game_id, load=self._matters(game_id))
            if entry is not None:
                # Needed even without new events here, because another request may have read them already.
                self._feeds.publish(entry)
        except Exception as error:
            logger.warning("notification for %s: %s", game_id, type(error).__name__)

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            self._rooms.forget_lost()
            for game_id in self._rooms.games():
                with contextlib.suppress(GameDamaged):
                    await self._tables.catch_up(game_id)
            await self._feeds.catch_up()
            await self._studies.catch_up()

    def _presence_changed(self, game_id: str) -> None:
        self._present.add(game_id)
        self._changed.set()

    async def _write(self) -> None:
        """Write which seats are connected here: changes at once, and all leases again before they end."""
        loop = asyncio.get_running_loop()
        renewal = 0.0
        while True:
            if loop.time() >= renewal:
                await self.presence.renew()
                renewal = loop.time() + LEASE_SECONDS / 3
            try:
                # A fixed time, so that constant changes can't delay the renewal.
                async with asyncio.timeout(renewal - loop.time()):
                    await self._changed.wait()
            except TimeoutError:
                continue
            self._changed.clear()
            changed, self._present = self._present, set()
            try:
                await self.presence.write(changed)
            except BaseException:
                self._present |= changed
                self._changed.set()
                raise

    async def _read(self) -> None:
        """Read which seats are connected to other workers: changes as soon as they are announced, and all leases before they end."""
        loop = asyncio.get_running_loop()
        renewal = 0.0
        while True:
            if loop.time() >= renewal:
                await self.presence.read()
                renewal = loop.time() + LEASE_SECONDS / 3
            try:
                async with asyncio.timeout(renewal - loop.time()):
                    await self._is_asked.wait()
            except TimeoutError:
                continue
            self._is_asked.clear()
            asked, self._asked = sorted(self._asked), set()
            for start in range(0, len(asked), _BATCH):
                await self.presence.read(asked[start : start + _BATCH])


async def _connect(dsn: str) -> psycopg.AsyncConnection[Any]:
    return await psycopg.AsyncConnection.connect(dsn, autocommit=True, connect_timeout=5)
