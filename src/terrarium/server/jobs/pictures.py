"""Pictures, drawn in separate processes because drawing holds the GIL, and turns must not wait for it.

There are two processes, started on first use: one for single pictures, one for animations, so that short jobs
don't wait for long ones. Each draws one picture at a time, and stops drawing when the client has disconnected.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from hashlib import sha256
from multiprocessing.connection import wait
from typing import Any

from terrarium.core.record import Record
from terrarium.play.errors import TooMany, Unavailable
from terrarium.play.log import LogEvent
from terrarium.play.recording import animation, picture_png, record_of
from terrarium.play.table import Table

__all__ = ["Pictures"]

_MAX_WAITING = 20
_CACHE_BYTES = 32_000_000
_CONTEXT = multiprocessing.get_context("spawn")
Key = tuple[Any, ...]


class Pictures:
    """Draws pictures of games, and caches the last ones."""

    def __init__(self) -> None:
        self._pictures, self._animations = PictureWorker(), PictureWorker()
        self._animating: set[str] = set()
        self._kept: OrderedDict[Key, bytes] = OrderedDict()
        self._size = 0

    async def picture(self, table: Table, turn: int, theme: str, width: int) -> bytes:
        """The position after a turn as PNG."""
        key = ("png", table.id, table.seq, table.updated, turn, theme, width)
        job = (_png, table.id, table.log, turn, theme, width)
        return await self._drawn(self._pictures, key, *job)

    async def animation(self, table: Table, theme: str, width: int, who: str) -> bytes:
        """The whole game as an animated GIF; one at a time for each person."""
        key = ("gif", table.id, table.seq, table.updated, theme, width)
        with self._one_of(who):
            job = (_gif, table.id, table.log, theme, width)
            return await self._drawn(self._animations, key, *job)

    async def record_animation(self, text: str, theme: str, width: int, who: str) -> bytes:
        """A record as an animated GIF; one at a time for each person."""
        key = ("gif", sha256(text.encode()).digest(), theme, width)
        with self._one_of(who):
            return await self._drawn(self._animations, key, _record_gif, text, theme, width)

    async def close(self) -> None:
        """Stop drawing."""
        await asyncio.gather(self._pictures.close(), self._animations.close())

    @contextmanager
    def _one_of(self, who: str) -> Iterator[None]:
        if who in self._animating:
            raise TooMany("concurrent animations", 5)
        self._animating.add(who)
        try:
            yield
        finally:
            self._animating.discard(who)

    async def _drawn(
        self, worker: PictureWorker, key: Key, job: Callable[..., bytes], *values: Any
    ) -> bytes:
        async with worker.turn():
            kept = self._kept.get(key)
            if kept is None:
                kept = await worker.draw(job, *values)
                self._keep(key, kept)
        return kept

    def _keep(self, key: Key, data: bytes) -> None:
        self._kept[key] = data
        self._size += len(data)
        while self._size > _CACHE_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)


class PictureWorker:
    """One process that draws one picture at a time."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None
        self._unwanted: Any = None
        self._lock = asyncio.Lock()
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until no other picture is being drawn; refused if too many are waiting."""
        if self._waiting >= _MAX_WAITING:
            raise TooMany("waiting pictures", 5)
        self._waiting += 1
        try:
            async with self._lock:
                yield
        finally:
            self._waiting -= 1

    async def draw(self, job: Callable[..., bytes], *values: Any) -> bytes:
        """Run a job in the process; cancelling the caller stops it."""
        for _ in range(2):
            with suppress(
                BrokenExecutor
            ):  # the process died, perhaps for lack of memory: try once again in a new one
                return await self._attempt(job, *values)
            self._executor = None
        message = "the picture could not be drawn; try again in a moment"
        raise Unavailable("picture-failed", message, retry_after=5)

    async def _attempt(self, job: Callable[..., bytes], *values: Any) -> bytes:
        if self._executor is None:
            self._unwanted = _CONTEXT.Event()
            self._executor = ProcessPoolExecutor(
                1, _CONTEXT, initializer=_begin, initargs=(self._unwanted,)
            )
        self._unwanted.clear()
        drawing = asyncio.wrap_future(self._executor.submit(job, *values))
        try:
            return await asyncio.shield(drawing)
        except asyncio.CancelledError:
            self._unwanted.set()
            await asyncio.wait([drawing])
            raise

    async def close(self) -> None:
        if self._executor is not None:
            self._unwanted.set()
            await asyncio.to_thread(self._executor.shutdown, wait=True, cancel_futures=True)
            # Release the shared resources now, because a worker may end without cleaning up.
            self._executor = self._unwanted = None
            gc.collect()


class _Unwanted(Exception):
    """The client of this picture has disconnected."""


_unwanted: Any = None
"""In a drawing process: the event that is set when the picture is no longer wanted."""


def _begin(unwanted: Any) -> None:
    """Set up a drawing process: it has a low priority, and ends when the server ends."""
    global _unwanted
    _unwanted = unwanted
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # the server handles the signal and ends this process
    os.nice(10)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(0)


def _wanted() -> None:
    if _unwanted.is_set():
        raise _Unwanted


def _png(id: str, log: Sequence[LogEvent], turn: int, theme: str, width: int) -> bytes:
    return picture_png(Table.replay(id, log), turn, theme, width)


def _gif(id: str, log: Sequence[LogEvent], theme: str, width: int) -> bytes:
    record = record_of(Table.replay(id, log))
    return animation(record, theme, width, each=_wanted)


def _record_gif(text: str, theme: str, width: int) -> bytes:
    return animation(Record.parse(text), theme, width, each=_wanted)
