"""The events of Terra Nova. Interfaces can show them without knowing the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from terrarium.core.event import Event, GameEnded, Passed, Resigned, TurnEnded

__all__ = [
    "Event",
    "Forfeited",
    "GameEnded",
    "Moved",
    "Passed",
    "Placed",
    "Resigned",
    "StonePlaced",
    "TerritoryScored",
    "TurnEnded",
]


@dataclass(frozen=True, slots=True)
class Placed(Event):
    """A seat placed one of its pioneers before the first turn (TN-5)."""

    kind: ClassVar[str] = "placed"
    seat: int
    cell: str


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A pioneer moved in a straight line (TN-10)."""

    kind: ClassVar[str] = "moved"
    seat: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class StonePlaced(Event):
    """A seat covered a cell with a stone (TN-13)."""

    kind: ClassVar[str] = "stone-placed"
    seat: int
    cell: str


@dataclass(frozen=True, slots=True)
class TerritoryScored(Event):
    """A region of three landscapes or fewer was closed, scored and left the game (TN-16 to TN-19)."""

    kind: ClassVar[str] = "territory-scored"
    cells: tuple[str, ...]
    landscapes: tuple[str, ...]
    points: int
    """The value of the territory, before it is divided among the seats (TN-17)."""
    pioneers: tuple[int, ...]
    """How many pioneers of each seat stood inside."""
    awards: tuple[int, ...]
    """The points of each seat (TN-18)."""
    removed: tuple[tuple[str, int], ...]
    """The pioneers that left the game, as (cell, seat) (TN-19)."""


@dataclass(frozen=True, slots=True)
class Forfeited(Event):
    """The remaining actions of a turn were impossible (TN-6)."""

    kind: ClassVar[str] = "forfeited"
    seat: int
    actions: int
