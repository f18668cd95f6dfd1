"""Reasons why one turn is better than another, as data that interfaces translate. Games find them by comparing lines of turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from terrarium.core.action import Action
from terrarium.core.event import Event
from terrarium.core.position import Position
from terrarium.errors import TerrariumError

__all__ = ["Course", "Reason", "strongest", "win_reasons"]

_DECISIVE = 1_000.0
"""The weight of a win: no other reason outweighs it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One difference between a better turn and another one.

    `side` is `gains` for an advantage of the better turn and `allows` for something that the other turn permits. Each game has its
    own codes and facts; `win` (seat) is common to all, and `position` means that no named difference was found.
    """

    side: str
    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    weight: float = field(default=0.0, compare=False)
    """How much it matters compared with other reasons of its game; interfaces don't receive it."""

    def to_dict(self) -> dict[str, Any]:
        """The reason as interfaces receive it."""
        return {"side": self.side, "code": self.code} | dict(self.facts)


@dataclass(frozen=True, slots=True)
class Course:
    """A line of turns with its positions (`stops`): the first is the one before the first turn. `movers` are the seats that played the turns.

    `estimate` is the engine's evaluation of the last stop, as in `Analysis.extras`.
    """

    seat: int
    """The seat whose turn is judged, which is the first."""
    stops: tuple[Any, ...]
    movers: tuple[int, ...]
    events: tuple[tuple[Event, ...], ...]
    estimate: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        before: Position,
        turns: Iterable[Sequence[Action | str]],
        estimated: Callable[[Position], Mapping[str, Any]] | None = None,
        seat: int | None = None,
    ) -> Course:
        """The turns from a position until the game or the line ends, at most until the seat's next turn."""
        of = seat if seat is not None else (before.to_move or 0)
        stops: list[Any] = [before]
        movers: list[int] = []
        events: list[tuple[Event, ...]] = []
        for turn in turns:
            mover = stops[-1].to_move
            if mover is None or (mover == of and movers):
                break
            try:
                after, happened = stops[-1].step_all(turn)
            except TerrariumError:  # a line of the search may end within a turn
                break
            if not (after.at_turn_start or after.outcome is not None):
                break
            stops.append(after)
            movers.append(mover)
            events.append(tuple(event for one in happened for event in one))
        estimate = estimated(stops[-1]) if estimated and stops[-1].outcome is None else {}
        return cls(of, tuple(stops), tuple(movers), tuple(events), estimate)

    @property
    def after(self) -> Any:
        """The position after the seat's turn; the first one if the seat plays none."""
        return self.stops[1] if self.movers[:1] == (self.seat,) else self.stops[0]

    def events_of(self, is_own: bool) -> list[Event]:
        """The events of the seat's own turns, or of its rivals' turns."""
        return [
            event
            for mover, events in zip(self.movers, self.events, strict=True)
            if (mover == self.seat) == is_own
            for event in events
        ]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won at the end of the line; empty while nobody has."""
        outcome = self.stops[-1].outcome
        return () if outcome is None else tuple(outcome.winners)


def win_reasons(better: Course, other: Course) -> list[Reason]:
    """Reasons for a win: the better line wins the game, or the other one loses it."""
    seat = better.seat
    found = []
    if better.winners == (seat,) and other.winners != (seat,):
        found.append(Reason("gains", "win", {"seat": seat}, _DECISIVE))
    found += [
        Reason("allows", "win", {"seat": rival}, _DECISIVE)
        for rival in other.winners
        if rival != seat and seat not in other.winners and rival not in better.winners
    ]
    return found


def strongest(reasons: Iterable[Reason], most: int = 3) -> tuple[Reason, ...]:
    """The reasons with the greatest weight, each code and side once."""
    found: list[Reason] = []
    for reason in sorted(reasons, key=lambda one: -one.weight):
        if all((reason.side, reason.code) != (one.side, one.code) for one in found):
            found.append(reason)
    return tuple(found[:most])
