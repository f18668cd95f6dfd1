"""Events: what an action did. Interfaces can show them without knowing the rules."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from terrarium.core.outcome import Outcome

__all__ = ["Event", "GameEnded", "Passed", "Resigned", "TurnEnded"]


_FACTS: dict[type, tuple[str, ...]] = {}
"""Field names by type of event, cached because a server needs them thousands of times a second."""


def _plain(value: Any) -> Any:
    if isinstance(value, (int, str)) or value is None:
        return value
    if isinstance(value, Outcome):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; each game adds its own kinds."""

    kind: ClassVar[str] = "event"

    def to_dict(self) -> dict[str, Any]:
        """The event as interfaces receive it: its kind and its facts."""
        names = _FACTS.get(type(self))
        if names is None:
            names = _FACTS[type(self)] = tuple(item.name for item in fields(self))
        return {"kind": self.kind} | {name: _plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """A seat's turn is over."""

    kind: ClassVar[str] = "turn-ended"
    seat: int


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """A seat that had no legal action lost its turn (TN-9)."""

    kind: ClassVar[str] = "passed"
    seat: int


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    """A seat resigned (TN-28, TT-19)."""

    kind: ClassVar[str] = "resigned"
    seat: int


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over."""

    kind: ClassVar[str] = "game-ended"
    outcome: Outcome
