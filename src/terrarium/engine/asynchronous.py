"""The engine for programs that run on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from terrarium.core.position import Position
from terrarium.engine.engine import Analysis, Choice, Engine
from terrarium.engine.levels import DEFAULT_LEVEL
from terrarium.engine.limit import Limit

__all__ = ["AsyncEngine"]

T = TypeVar("T")


class AsyncEngine:
    """An `Engine` that thinks in a thread, so that the event loop stays free.

    It runs one search at a time. Cancelling the task that waits for the result stops the search.

    >>> from terrarium import nova
    >>> async def first_turn():
    ...     return await AsyncEngine(level=1, seed=1).choose(nova.start(), Limit(nodes=100))
    >>> len(asyncio.run(first_turn()))
    1
    """

    def __init__(
        self, level: int = DEFAULT_LEVEL, *, seed: int | None = None, memory_mb: int = 256
    ) -> None:
        self._engine = Engine(level, seed=seed, memory_mb=memory_mb)
        self._lock = asyncio.Lock()

    async def choose(self, position: Position, limit: Limit | float | None = None) -> Choice:
        """The rest of the present turn, as this level plays it."""
        async with self._lock:
            return await self._in_thread(lambda: self._engine.choose(position, limit))

    async def analyse(
        self, position: Position, limit: Limit | float | None = None, lines: int = 1
    ) -> AsyncIterator[Analysis]:
        """Growing results until the limit is reached; the last one is final."""
        async with self._lock:
            results = self._engine.analyse(position, limit, lines)
            while True:
                found = await self._in_thread(lambda: next(results, None))
                if found is None:
                    return
                yield found

    def stop(self) -> None:
        """End the running search early; it returns its best result so far."""
        if self._lock.locked():
            self._engine.stop()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        thread = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            self._engine.stop()
            # wait until the stopped search has returned before the next one starts
            while not thread.done():
                try:
                    await asyncio.wait([thread])
                except asyncio.CancelledError:
                    continue
            self._engine.forget_stop()
            raise
