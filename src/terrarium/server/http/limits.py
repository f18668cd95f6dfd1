"""Rate limits: token buckets that report when to retry."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from terrarium.play.errors import TooMany

__all__ = ["LIMITS", "Bucket", "Limits", "neighbourhood"]

LIMITS: dict[str, tuple[float, int, str]] = {
    "request": (300, 2_000, "requests"),
    "game": (5, 200, "new games"),
    "games-day": (2_000 / 86_400, 2_000, "new games in a day"),
    "boards-day": (500 / 86_400, 500, "new games on custom boards in a day"),
    "turn": (50, 500, "turns"),
    "offer": (0.5, 20, "offers and names"),
    "say": (0.33, 8, "messages"),
    "mail": (0.001, 3, "emails"),
    "notice": (1 / 60, 30, "notices about turns"),
    "report": (0.02, 5, "reports"),
    "account": (0.1, 10, "attempts to sign in"),
    "sign-in": (0.5, 40, "attempts to sign in"),
    "engine": (0.5, 10, "requests to the engine"),
    "picture": (5, 30, "pictures"),
    "board": (1, 20, "new boards"),
    "attempt": (1, 30, "results of puzzles"),
    "study": (0.2, 20, "new studies and chapters"),
    "studies-day": (200 / 86_400, 200, "new studies in a day"),
    "edit": (10, 100, "changes of studies"),
    "tool": (20, 100, "positions, boards and records"),
    "join": (20, 400, "sockets and streams"),
    "message": (10, 40, "messages"),
}
"""By name: rate per second, burst, and a description for messages."""

NEIGHBOURS = 10
"""An address has the limits of this many people, even if more use it."""
_MAX_BUCKETS = 50_000


@lru_cache(maxsize=4096)
def neighbourhood(address: str) -> str:
    """The address by which limits count: for IPv6 the /64 network, because anybody has 2**64 addresses in it.

    >>> neighbourhood("2001:db8:1:2:3:4:5:6"), neighbourhood("192.0.2.7")
    ('2001:db8:1:2::', '192.0.2.7')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.IPv6Address(int(parsed) >> 64 << 64))
    return address


class Bucket:
    """A token bucket."""

    __slots__ = ("at", "burst", "rate", "tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst, self.tokens, self.at = rate, burst, burst, now

    def take(self, now: float) -> float:
        """Take a token; returns 0, or the seconds until there is one."""
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


class Limits:
    """The buckets of all callers; the least recently used are dropped first."""

    def __init__(self, scale: float, now: Callable[[], float] = time.monotonic) -> None:
        self.scale = scale
        self._now = now
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def bucket(self, name: str, people: int = 1) -> Bucket:
        """A bucket that the caller keeps, for instance one per socket."""
        rate, burst, _ = LIMITS[name]
        scale = (self.scale or 1e9) * people
        return Bucket(rate * scale, max(1, burst * scale), self._now())

    def wait(self, name: str, key: str, people: int = 1) -> float:
        """Take a token; returns 0, or the seconds to wait if there is none."""
        if not self.scale:
            return 0.0
        place = (name, key)
        bucket = self._buckets.get(place)
        if bucket is None:
            bucket = self._buckets[place] = self.bucket(name, people)
            if len(self._buckets) > _MAX_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(place)
        return bucket.take(self._now())

    def take(self, name: str, key: str, address: str | None = None) -> None:
        """Take a token or raise `TooMany`; with an address, also take one of the address's bucket.

        A caller without a cookie becomes a new guest, so a limit per guest alone would have no effect.
        """
        seconds = self.wait(name, key)
        if not seconds and address is not None and address != key:
            seconds = self.wait(name, f"everybody at {address}", NEIGHBOURS)
        if seconds:
            raise TooMany(LIMITS[name][2], seconds)
