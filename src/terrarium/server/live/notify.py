"""Notifications between workers on PostgreSQL: a game went on, somebody came or left. The rows are the truth.

A lost hint costs a moment, never a turn: games that are watched here are also looked at every few seconds, and all
of them whenever the connection comes back.
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
from terrarium.server.live.presence import LEASE_SECONDS, Presence
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.tables import Tables

__all__ = ["Notifications"]

logger = logging.getLogger("terrarium.notify")
CHANNEL = "terrarium"
_LOOK_SECONDS = 3.0
_BATCH = 500


class Notifications:
    """Listens for hints of other workers and sends this one's."""

    def __init__(
        self,
        dsn: str,
        tables: Tables,
        rooms: Rooms,
        now: Now,
        wants: Callable[[], bool],
        recheck: Callable[[str | None], Awaitable[None]],
    ) -> None:
        self._dsn = dsn
        self._tables = tables
        self._rooms = rooms
        self._wants = wants
        """Whether games that are not in memory matter too, because somebody follows all of theirs."""
        self._recheck = recheck
        """Ends connections of an account, or of anybody, that were signed out elsewhere."""
        self._is_closing = False
        self._name = secrets.token_hex(4)
        self._tasks: list[asyncio.Task[None]] = []
        self._looking: set[asyncio.Task[None]] = set()
        self._waiting: set[str] = set()
        self._present: set[str] = set()
        self._changed = asyncio.Event()
        self._asked: set[str] = set()
        self._is_asked = asyncio.Event()
        self.presence = Presence(tables.store, rooms, now, self._name)
        rooms.on_presence = self._presence_changed

    def open(self) -> None:
        """Start listening."""
        loops = (self._listen, self._look, self._tell, self._read)
        self._tasks = [asyncio.create_task(self._forever(loop)) for loop in loops]

    async def close(self) -> None:
        """Stop listening."""
        self._is_closing = True
        tasks = [*self._tasks, *self._looking]
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
                logger.warning("hints: %s", type(error).__name__)
            except asyncio.CancelledError:
                raise
            except Exception:
                logger.exception("hints")
            await asyncio.sleep(1.0)

    async def _listen(self) -> None:
        async with await _connect(self._dsn) as connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            for game_id in self._rooms.games():
                self._hint(game_id)
            await self._recheck(None)
            await self.presence.read()
            async for notice in connection.notifies():
                self._heard(notice.payload)

    def _heard(self, payload: str) -> None:
        words = payload.split()
        if words[0] == "presence":
            if words[1] != self._name:
                self._asked.add(words[2])
                self._is_asked.set()
            return
        if words[0] == "revoked":
            self._start(self._rechecked(words[1]))
            return
        self._hint(words[0])

    def _hint(self, game_id: str) -> None:
        """Look at a game soon; hints that come meanwhile are one."""
        if game_id in self._waiting or (self._tables.cached(game_id) is None and not self._wants()):
            return
        self._waiting.add(game_id)
        self._start(self._caught_up(game_id))

    def _start(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _rechecked(self, account: str) -> None:
        try:
            await self._recheck(account)
        except Exception as error:
            # A revoked credential must not stay valid because the database was away just then.
            logger.warning("recheck: %s", type(error).__name__)
            await asyncio.sleep(1.0)
            self._start(self._rechecked(account))

    async def _caught_up(self, game_id: str) -> None:
        self._waiting.discard(game_id)
        try:
            await self._tables.hint(game_id, load=self._wants())
        except Exception as error:
            logger.warning("hint for %s: %s", game_id, type(error).__name__)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self._rooms.forget_lost()
            for game_id in self._rooms.games():
                await self._tables.hint(game_id)

    def _presence_changed(self, game_id: str) -> None:
        self._present.add(game_id)
        self._changed.set()

    async def _tell(self) -> None:
        """Write down who is connected here: changes at once, everything again before its lease ends."""
        loop = asyncio.get_running_loop()
        renewal = 0.0
        while True:
            if loop.time() >= renewal:
                await self.presence.renew()
                renewal = loop.time() + LEASE_SECONDS / 3
            try:
                # By the clock: changes that never pause must not put off the renewal.
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
        """Read who is connected elsewhere: changes as soon as they are announced, all leases before they end."""
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
