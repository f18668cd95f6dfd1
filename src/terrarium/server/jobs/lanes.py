"""Threads for requests to other hosts, so that a host that answers slowly or never delays only itself.

A host has at most `_EACH` requests at once, and at most `_WAITING` waiting. There are three sets of threads: for hosts that answered quickly
last time, for hosts that answered slowly last time, and for hosts that nothing is known about. So a slow host can delay requests to new hosts
only with its own first requests. At most `_MAX_KNOWN` hosts of each kind are remembered, the latest.
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
        self._quick, self._slow = _Known("quick-hosts"), _Known("slow-hosts")
        self._new = ThreadPoolExecutor(_THREADS, "new-hosts")
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
                loop = asyncio.get_running_loop()
                found, seconds = await loop.run_in_executor(self._threads(host), _timed, job)
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host]
        is_quick = seconds < _QUICK_SECONDS
        now, before = (self._quick, self._slow) if is_quick else (self._slow, self._quick)
        before.forget(host)
        now.remember(host)
        return found

    def _threads(self, host: str) -> ThreadPoolExecutor:
        for known in (self._quick, self._slow):
            if host in known.hosts:
                return known.threads
        return self._new

    def close(self) -> None:
        """End without waiting for running jobs."""
        for threads in (self._quick.threads, self._slow.threads, self._new):
            threads.shutdown(wait=False, cancel_futures=True)


class _Known:
    """Hosts that answered alike last time, and their threads."""

    def __init__(self, name: str) -> None:
        self.threads = ThreadPoolExecutor(_THREADS, name)
        self.hosts: OrderedDict[str, None] = OrderedDict()

    def remember(self, host: str) -> None:
        self.forget(host)
        self.hosts[host] = None
        if len(self.hosts) > _MAX_KNOWN:
            self.hosts.popitem(last=False)

    def forget(self, host: str) -> None:
        self.hosts.pop(host, None)


def _timed(job: Callable[[], T]) -> tuple[T, float]:
    start = time.monotonic()
    return job(), time.monotonic() - start
