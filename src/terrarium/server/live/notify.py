"""Notifications between workers on PostgreSQL: a game went on, somebody came or left. The rows are the truth.

A lost hint costs a moment, never a turn: games that are watched here are also looked at every few seconds, and all
of them whenever the connection comes back.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import psycopg

from terrarium.play.clocks import Now
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.tables import Tables

__all__ = ["Notifications"]

logger = logging.getLogger("terrarium.notify")
CHANNEL = "terrarium"
_LOOK_SECONDS = 3.0
_PRESENCE_SECONDS = 20.0


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
        self._now = now
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
        rooms.on_presence = self._presence_changed

    def open(self) -> None:
        """Start listening."""
        loops = (self._listen, self._look, self._tell)
        self._tasks = [asyncio.create_task(self._forever(loop)) for loop in loops]

    async def close(self) -> None:
        """Stop listening."""
        self._is_closing = True
        tasks = [*self._tasks, *self._looking]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _forever(self, loop: Callable[[], Awaitable[None]]) -> None:
        while not self._is_closing:
            try:
                await loop()
            except (psycopg.Error, OSError) as error:
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
            self._presence_changed(None)
            await self._recheck(None)
            async for notice in connection.notifies():
                self._heard(notice.payload)

    def _heard(self, payload: str) -> None:
        words = payload.split()
        if words[0] == "presence":
            _, worker, game_id, *seats = words
            if worker != self._name:
                until = self._now() + int(3_000 * _PRESENCE_SECONDS)
                self._rooms.elsewhere(game_id, worker, frozenset(map(int, seats)), until)
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

    def _presence_changed(self, game_id: str | None) -> None:
        self._present |= {game_id} if game_id is not None else set(self._rooms.games())
        self._changed.set()

    async def _tell(self) -> None:
        async with await _connect(self._dsn) as connection:
            while True:
                try:
                    await asyncio.wait_for(self._changed.wait(), _PRESENCE_SECONDS)
                except TimeoutError:
                    self._presence_changed(None)
                self._changed.clear()
                changed, self._present = self._present, set()
                for game_id in changed:
                    seats = " ".join(map(str, sorted(self._rooms.here(game_id))))
                    payload = f"presence {self._name} {game_id} {seats}".strip()
                    await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))


async def _connect(dsn: str) -> psycopg.AsyncConnection[Any]:
    return await psycopg.AsyncConnection.connect(dsn, autocommit=True, connect_timeout=5)
