"""A small pool of threads with low priority, whose jobs can be called off."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Pool", "Stop"]

T = TypeVar("T")


class Stop:
    """Says that a job is no longer wanted."""

    def __init__(self) -> None:
        self._flag = threading.Event()
        self._call: Callable[[], None] | None = None

    @property
    def is_set(self) -> bool:
        return self._flag.is_set()

    def calls(self, call: Callable[[], None]) -> None:
        """What to call when the job is no longer wanted."""
        self._call = call
        if self.is_set:
            call()

    def set(self) -> None:
        self._flag.set()
        if self._call is not None:
            self._call()


class Pool:
    """A few threads with low priority; each job hears when it is no longer wanted."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.waiting = 0
        self._executor = ThreadPoolExecutor(threads, "engine", initializer=_step_back)
        self._stops: set[Stop] = set()

    async def run(self, job: Callable[[Stop], T]) -> T:
        """Run a job in the pool; cancelling the caller stops the job."""
        stop = Stop()
        self._stops.add(stop)
        self.waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._executor, job, stop)
        try:
            return await future
        finally:
            stop.set()
            self._stops.discard(stop)
            self.waiting -= 1

    def close(self) -> None:
        """Call every job off."""
        for stop in list(self._stops):
            stop.set()
        self._executor.shutdown(wait=True, cancel_futures=True)


def _step_back() -> None:
    # On Linux a thread has its own priority: people's requests go first.
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
