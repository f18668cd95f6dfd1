"""Threads for requests to other hosts, so that a host that answers slowly or never delays only itself.

A host has at most `_EACH` requests at once, and at most `_WAITING` waiting. Hosts that answered quickly last time have threads of their own;
all others, and those that nothing is known about, share another set of threads.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

__all__ = ["Lanes"]

T = TypeVar("T")
_EACH = 2
_WAITING = 50
_THREADS = 4
_QUICK_SECONDS = 3.0
_MAX_KNOWN = 1_000


class Lanes:
    """Runs jobs in threads, by host."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(_THREADS, "quick-hosts")
        self._other = ThreadPoolExecutor(_THREADS, "other-hosts")
        self._known: OrderedDict[str, None] = OrderedDict()
        """Hosts that answered quickly last time."""
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._waiting = Counter[str]()

    async def run(self, host: str, job: Callable[[], T]) -> T | None:
        """Run a job that talks to a host, and return its result; None without running it if too many wait for this host."""
        if self._waiting[host] >= _WAITING:
            return None
        self._waiting[host] += 1
        try:
            turn = self._turns.setdefault(host, asyncio.Semaphore(_EACH))
            async with turn:
                threads = self._quick if host in self._known else self._other
                loop = asyncio.get_running_loop()
                found, seconds = await loop.run_in_executor(threads, _timed, job)
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host]
        self._remember(host, is_quick=seconds < _QUICK_SECONDS)
        return found

    def _remember(self, host: str, *, is_quick: bool) -> None:
        self._known.pop(host, None)
        if is_quick:
            self._known[host] = None
            if len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)

    def close(self) -> None:
        """End without waiting for running jobs."""
        for threads in (self._quick, self._other):
            threads.shutdown(wait=False, cancel_futures=True)


def _timed(job: Callable[[], T]) -> tuple[T, float]:
    start = time.monotonic()
    return job(), time.monotonic() - start
