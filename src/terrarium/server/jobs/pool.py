"""A small pool of low-priority threads with a fair queue and cancellable jobs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from terrarium.server.jobs.fair import FairQueue, Place, Rank

__all__ = ["Pool", "Stop"]

T = TypeVar("T")


class Stop:
    """A flag that is set when a job is cancelled."""

    def __init__(self) -> None:
        self._flag = threading.Event()
        self._call: Callable[[], None] | None = None

    @property
    def is_set(self) -> bool:
        return self._flag.is_set()

    def calls(self, call: Callable[[], None]) -> None:
        """Set the function to call when the job is cancelled."""
        self._call = call
        if self.is_set:
            call()

    def set(self) -> None:
        self._flag.set()
        if self._call is not None:
            self._call()


class Pool:
    """A few low-priority threads; each job is notified when it is cancelled."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.on_change: Callable[[], None] | None = None
        """Called when places in the queue may have changed."""
        self._executor = ThreadPoolExecutor(threads, "engine", initializer=_lower_priority)
        self._stops: set[Stop] = set()
        self._queue = FairQueue()
        self._turns: dict[Place, asyncio.Future[None]] = {}
        self._running = 0

    @property
    def waiting(self) -> int:
        """The number of running and waiting jobs."""
        return self._running + len(self._queue)

    def order(self) -> list[Place]:
        """The places of the waiting jobs, in the order in which they will run."""
        return list(self._queue)

    async def run(self, job: Callable[[Stop], T], place: Place | None = None) -> T:
        """Run a job when its turn comes; cancelling the caller stops the job."""
        await self._turn(place or Place())
        stop = Stop()
        self._stops.add(stop)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, job, stop)
        finally:
            stop.set()
            self._stops.discard(stop)
            self._running -= 1
            self._start()

    async def _turn(self, place: Place) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turns[place] = turn
        self._queue.add(place)
        self._start()
        try:
            await turn
        except asyncio.CancelledError:
            if not self._queue.remove(place):
                self._running -= 1  # the job had just left the queue
            self._start()
            raise
        finally:
            del self._turns[place]

    def _start(self) -> None:
        while self._running < self.threads and (place := self._queue.next()) is not None:
            self._running += 1
            self._turns[place].set_result(None)
        if self.on_change is not None:
            self.on_change()

    def move(self, place: Place, rank: Rank) -> None:
        """Change the rank of a waiting job."""
        if place.rank != rank and self._queue.remove(place):
            place.rank = rank
            self._queue.add(place)
            self._start()

    def close(self) -> None:
        """Cancel every job."""
        for turn in list(self._turns.values()):
            turn.cancel()
        for stop in list(self._stops):
            stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)


def _lower_priority() -> None:
    # On Linux a thread has its own priority; requests must come before the engine.
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
