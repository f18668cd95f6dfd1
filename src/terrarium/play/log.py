"""The stored form of a game: its events in order, and the holders of its seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

__all__ = [
    "FORMER",
    "LOSING_EVENTS",
    "SEATING_EVENTS",
    "LogEvent",
    "NewGameRows",
    "SeatHolders",
    "formerly",
]

LOSING_EVENTS = frozenset({"vacated", "taken-over", "timed-out"})
"""The events by which the holder of a seat loses it."""
SEATING_EVENTS = LOSING_EVENTS | {"sat"}
"""The events by which the holder of a seat changes."""
FORMER = "x:"
"""The prefix that marks former holders of a seat."""


class LogEvent(msgspec.Struct, frozen=True, gc=False):
    """One row of the log. Not tracked by the garbage collector (`gc=False`), because long logs would slow it down."""

    seq: int
    at: int
    kind: str
    seat: int | None
    data: dict[str, Any]
    key: str | None = None


class SeatHolders(msgspec.Struct, frozen=True):
    """The holders of a seat: the hash of its secret, and the people who hold it by their cookies."""

    secret_hash: str | None = None
    people: frozenset[str] = frozenset()

    @property
    def former(self) -> frozenset[str]:
        """The former holders of the seat: they have no right to it, but their names can still be deleted."""
        return frozenset(who for who in self.people if who.startswith(FORMER))

    def left(self) -> SeatHolders:
        """The seat after its holders lost it: only former holders are left."""
        return SeatHolders(None, self.former | formerly(self.people - self.former))


def formerly(people: Iterable[str]) -> frozenset[str]:
    """People with the mark of former holders."""
    return frozenset(FORMER + who for who in people)


class NewGameRows(NamedTuple):
    """A new game as it is stored: its row, its first events, and the holders of its seats."""

    game: dict[str, Any]
    log: Sequence[LogEvent]
    holders: Sequence[SeatHolders]
