"""What an action of Terra Turrium did, described so that interfaces need not know the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from terrarium.core.event import Event, GameEnded, Passed, Resigned, TurnEnded

__all__ = [
    "CubePlaced",
    "CubeTaken",
    "Event",
    "FlagCaptured",
    "FlagEntered",
    "FlagMoved",
    "FlagSet",
    "GameEnded",
    "LastRound",
    "Passed",
    "PhaseSkipped",
    "Resigned",
    "TowersCompleted",
    "TurnEnded",
    "Unlocked",
]


@dataclass(frozen=True, slots=True)
class FlagSet(Event):
    """A seat set one of its six flags before the first turn (TT-3)."""

    kind: ClassVar[str] = "flag-set"
    seat: int
    cell: str


@dataclass(frozen=True, slots=True)
class CubeTaken(Event):
    """A seat took the top cube of a construction, on its own or on enemy land (TT-5)."""

    kind: ClassVar[str] = "cube-taken"
    seat: int
    cell: str
    is_enemy: bool


@dataclass(frozen=True, slots=True)
class CubePlaced(Event):
    """A seat placed a cube it had taken (TT-8)."""

    kind: ClassVar[str] = "cube-placed"
    seat: int
    cell: str


@dataclass(frozen=True, slots=True)
class FlagMoved(Event):
    """A flag made a step (TT-10)."""

    kind: ClassVar[str] = "flag-moved"
    seat: int
    source: str
    target: str
    cost: int


@dataclass(frozen=True, slots=True)
class FlagCaptured(Event):
    """A flag stepped onto the flag of the seat `captured`, which takes it back in hand (TT-11, TT-12)."""

    kind: ClassVar[str] = "flag-captured"
    seat: int
    captured: int
    source: str
    target: str
    cost: int
    is_attack: bool


@dataclass(frozen=True, slots=True)
class FlagEntered(Event):
    """A captured flag came back to the board (TT-13)."""

    kind: ClassVar[str] = "flag-entered"
    seat: int
    cell: str
    cost: int


@dataclass(frozen=True, slots=True)
class PhaseSkipped(Event):
    """A phase of a seat's turn had no possible action (TT-16)."""

    kind: ClassVar[str] = "phase-skipped"
    seat: int
    phase: str


@dataclass(frozen=True, slots=True)
class Unlocked(Event):
    """A seat's flags stand on 5, 4, 4, 3, 2, 1: captures are allowed from now on (TT-17)."""

    kind: ClassVar[str] = "unlocked"
    seat: int


@dataclass(frozen=True, slots=True)
class TowersCompleted(Event):
    """A seat ended its turn with its flags on 1 to 6 and has won (TT-14)."""

    kind: ClassVar[str] = "towers-completed"
    seat: int


@dataclass(frozen=True, slots=True)
class LastRound(Event):
    """These seats have had fewer turns than the winner and play once more (TT-15)."""

    kind: ClassVar[str] = "last-round"
    seats: tuple[int, ...]
