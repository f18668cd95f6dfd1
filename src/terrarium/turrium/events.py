"""The events of Terra Turrium. Interfaces can show them without knowing the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from terrarium.core.action import Action
from terrarium.core.event import Event, GameEnded, Passed, Resigned, TurnEnded
from terrarium.turrium import notation

if TYPE_CHECKING:
    from terrarium.turrium.position import Position

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
    "events_of",
    "events_of_resignation",
]

Trace = list[tuple[int, int, int]]
"""The kernel's record of what followed an action: kinds of events with two numbers each."""


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
    """A flag captured a flag of the seat `captured`, which returns to that seat's hand (TT-11, TT-12)."""

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


def events_of(before: Position, action: Action, after: Position, trace: Trace) -> tuple[Event, ...]:
    """The events of an action: its own first, then the automatic consequences."""
    return (*_own_event(before, action, after), *_following(trace), *_ending(after))


def events_of_resignation(seat: int, after: Position, trace: Trace) -> tuple[Event, ...]:
    """The events of a resignation (TT-19)."""
    return (Resigned(seat), *_following(trace), *_ending(after))


def _own_event(before: Position, action: Action, after: Position) -> Iterator[Event]:
    seat = before.to_move
    cell = action.target
    if seat is None or cell is None:  # the action `end` has no event; TurnEnded describes it
        return
    if action.kind == "flag":
        yield FlagSet(seat, cell) if before.phase == "flags" else FlagEntered(seat, cell, 1)
    elif action.kind == "take":
        yield CubeTaken(seat, cell, before.territories[cell] != seat)
    elif action.kind == "cube":
        yield CubePlaced(seat, cell)
    elif action.source is not None and action.kind == "step":
        yield FlagMoved(seat, action.source, cell, 1)
    elif action.source is not None:
        yield FlagCaptured(
            seat=seat,
            captured=before.flags[cell],
            source=action.source,
            target=cell,
            cost=before.capture_cost(action.source, cell),
            is_attack=before.is_attack(cell),
        )


def _following(trace: Trace) -> Iterator[Event]:
    for kind, first, second in trace:
        if kind == 0:
            yield PhaseSkipped(first, notation.PHASES[second])
        elif kind == 1:
            yield Unlocked(first)
        elif kind == 2:
            yield TowersCompleted(first)
        elif kind == 3:
            yield LastRound(tuple(seat for seat in range(4) if first >> seat & 1))
        elif kind == 4:
            yield TurnEnded(first)
        else:
            yield Passed(first)


def _ending(after: Position) -> Iterator[Event]:
    if after.outcome is not None:
        yield GameEnded(after.outcome)
