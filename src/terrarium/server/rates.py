"""How often anybody may ask: token buckets that say when to come back."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from terrarium.server.errors import TooMany

__all__ = ["LIMITS", "Bucket", "Limits"]

LIMITS: dict[str, tuple[float, int, str]] = {
    "request": (500, 3_000, "requests"),
    "game": (5, 200, "new games"),
    "turn": (100, 1_000, "turns"),
    "account": (0.1, 10, "attempts to sign in"),
    "engine": (0.5, 10, "questions to the engine"),
    "picture": (5, 30, "pictures"),
    "tool": (20, 100, "positions, boards and records"),
    "message": (10, 40, "messages"),
}
"""Name: how many per second in the long run, how many at once, and what they are called."""

_MAX_BUCKETS = 50_000


class Bucket:
    """Tokens that fill up at a rate; one is taken for each thing done."""

    __slots__ = ("at", "burst", "rate", "tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst, self.tokens, self.at = rate, burst, burst, now

    def take(self, now: float) -> float:
        """0 if there was a token, otherwise the seconds until there is one."""
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


class Limits:
    """The buckets of everybody, the least recently used forgotten first."""

    def __init__(self, scale: float, now: Callable[[], float] = time.monotonic) -> None:
        self.scale = scale
        self._now = now
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def bucket(self, name: str) -> Bucket:
        """A bucket that the caller keeps, for instance one per socket."""
        rate, burst, _ = LIMITS[name]
        scale = self.scale or 1e9
        return Bucket(rate * scale, max(1, burst * scale), self._now())

    def wait(self, name: str, key: str) -> float:
        """Take a token; the seconds to wait if there is none."""
        if not self.scale:
            return 0.0
        place = (name, key)
        bucket = self._buckets.get(place)
        if bucket is None:
            bucket = self._buckets[place] = self.bucket(name)
            if len(self._buckets) > _MAX_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(place)
        return bucket.take(self._now())

    def take(self, name: str, key: str) -> None:
        """Take a token or raise `TooMany`."""
        seconds = self.wait(name, key)
        if seconds:
            raise TooMany(LIMITS[name][2], seconds)
