"""What a game is made of when it is stored: its events in order, and who holds its seats."""

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
"""The events by which seats change hands."""
FORMER = "x:"
"""Marks people in seats that they lost."""


class LogEvent(msgspec.Struct, frozen=True, gc=False):
    """One row of the log; never part of a cycle, so that collecting garbage need not look at long games."""

    seq: int
    at: int
    kind: str
    seat: int | None
    data: dict[str, Any]
    key: str | None = None


class SeatHolders(msgspec.Struct, frozen=True):
    """Who holds a seat: the hash of its secret, and the people whose cookies hold it."""

    secret_hash: str | None = None
    people: frozenset[str] = frozenset()

    @property
    def former(self) -> frozenset[str]:
        """The former holders of the seat, marked: they have no right to it, but their names can still be deleted."""
        return frozenset(who for who in self.people if who.startswith(FORMER))

    def left(self) -> SeatHolders:
        """The seat after it was lost: nobody holds it any more."""
        return SeatHolders(None, self.former | formerly(self.people - self.former))


def formerly(people: Iterable[str]) -> frozenset[str]:
    """How people are marked in seats that they lost."""
    return frozenset(FORMER + who for who in people)


class NewGameRows(NamedTuple):
    """A new game as it is written: its row, its first events, who holds its seats."""

    game: dict[str, Any]
    log: Sequence[LogEvent]
    holders: Sequence[SeatHolders]
