"""Clocks: none, a budget per game plus an increment, or days per turn.

A clock is a value that depends only on the event log, so that it is the same after a restart. All times are
milliseconds since 1970, measured on the server.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from terrarium.play.errors import Unprocessable

__all__ = ["Clock", "Now", "clock_rules", "iso", "wall_clock"]

MAX_LAG = 500
"""The most milliseconds of a turn that are not charged, because of network delay."""
LAG_QUOTA = 1_000
LAG_REGAIN = 100
_DAY = 86_400_000


class Now(Protocol):
    """A function that returns the current time; tests replace it."""

    def __call__(self) -> int: ...


def wall_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def iso(at: int) -> str:
    """A time as ISO 8601 text in UTC."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clock_rules(
    kind: str, seconds: int | None, increment: int | None, days: int | None
) -> dict[str, Any]:
    """The checked settings of a clock, as the log stores them."""
    if kind == "game":
        seconds, increment = 600 if seconds is None else seconds, increment or 0
        if not 10 <= seconds <= 86_400 or not 0 <= increment <= 3_600 or days is not None:
            message = (
                f"clock of {seconds} s + {increment} s: 10 to 86400 seconds, increment 0 to 3600"
            )
            raise Unprocessable("invalid-clock", message)
        return {"kind": "game", "seconds": seconds, "increment": increment}
    if kind == "correspondence":
        days = 3 if days is None else days
        if not 1 <= days <= 30 or seconds is not None or increment is not None:
            raise Unprocessable("invalid-clock", f"{days} days per turn: 1 to 30 days")
        return {"kind": "correspondence", "days": days}
    raise Unprocessable("invalid-clock", f"clock {kind!r}: must be 'game' or 'correspondence'")


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that each seat has left, and the seat whose time is running with the time since which it does."""

    rules: dict[str, Any]
    remaining: tuple[int, ...]
    quota: tuple[int, ...]
    away: frozenset[int] = frozenset()
    running: int | None = None
    since: int = 0

    @classmethod
    def start(cls, rules: dict[str, Any], seats: int) -> Clock:
        """A clock at the start of a game."""
        return cls(rules, (_full(rules),) * seats, (LAG_QUOTA,) * seats)

    @property
    def is_correspondence(self) -> bool:
        """Whether it has days per turn."""
        return bool(self.rules["kind"] == "correspondence")

    @property
    def is_paused(self) -> bool:
        """Whether the seat to move is on vacation."""
        return self.is_correspondence and self.running in self.away

    @property
    def deadline(self) -> int | None:
        """When the running seat's time is up, without the allowance for network delay."""
        if self.running is None or self.is_paused:
            return None
        return self.since + self.remaining[self.running]

    @property
    def final_deadline(self) -> int | None:
        """When the running seat's time is up, including the allowance for network delay."""
        deadline = self.deadline
        if deadline is None or self.running is None:
            return None
        return deadline + min(MAX_LAG, self.quota[self.running])

    def left(self, now: int) -> tuple[int, ...]:
        """The time that each seat has left now."""
        if self.running is None or self.is_paused:
            return self.remaining
        spent = max(0, now - self.since)
        return tuple(
            max(0, time - spent) if seat == self.running else time
            for seat, time in enumerate(self.remaining)
        )

    def charge(self, seat: int, now: int, lag: int) -> tuple[int, int]:
        """The time charged to the seat for a turn sent now, and the network delay that is not charged."""
        if self.running != seat or self.is_paused:
            return 0, 0
        elapsed = max(0, now - self.since)
        forgiven = max(0, min(lag, MAX_LAG, self.quota[seat], elapsed))
        return elapsed - forgiven, forgiven

    def after_turn(self, seat: int, spent: int, lag: int) -> Clock:
        """The stopped clock after a turn that took `spent` milliseconds, with the increment added."""
        remaining, quota = list(self.remaining), list(self.quota)
        if self.is_correspondence:
            remaining[seat] = _full(self.rules)
        else:
            remaining[seat] = max(0, remaining[seat] - spent) + 1_000 * self.rules["increment"]
        quota[seat] = min(LAG_QUOTA, quota[seat] - lag + LAG_REGAIN)
        return replace(self, remaining=tuple(remaining), quota=tuple(quota), running=None)

    def switch(self, seat: int | None, at: int) -> Clock:
        """The clock with another seat's time running; the time of the former seat is deducted."""
        if seat == self.running and self.running is not None:
            return self
        remaining = list(self.left(at))
        if seat is not None and self.is_correspondence:
            # With days per turn a seat always begins with its full time, even after a take-back.
            remaining[seat] = _full(self.rules)
        return replace(self, remaining=tuple(remaining), running=seat, since=at)

    def vacation(self, seat: int, is_on: bool, at: int) -> Clock:
        """The clock after a seat begins or ends its vacation."""
        away = self.away | {seat} if is_on else self.away - {seat}
        return replace(self, remaining=self.left(at), since=at, away=away)

    def view(self, now: int) -> dict[str, Any]:
        """The clock as interfaces receive it, but with times in milliseconds."""
        return self.rules | {
            "remaining_ms": list(self.left(now)),
            "running": None if self.is_paused else self.running,
            "deadline": self.deadline,
            "away": sorted(self.away),
            "now": now,
        }


def _full(rules: dict[str, Any]) -> int:
    if rules["kind"] == "correspondence":
        return int(rules["days"]) * _DAY
    return int(rules["seconds"]) * 1_000
