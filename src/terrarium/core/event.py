"""What an action did, told so that interfaces need not know the rules."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from terrarium.core.outcome import Outcome

__all__ = ["Event", "GameEnded", "Passed", "Resigned", "TurnEnded"]


def _plain(value: Any) -> Any:
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
        return {"kind": self.kind} | {
            item.name: _plain(getattr(self, item.name)) for item in fields(self)
        }


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    """A seat's turn is over."""

    kind: ClassVar[str] = "turn-ended"
    seat: int


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """A seat that could do nothing lost its turn (TN-9)."""

    kind: ClassVar[str] = "passed"
    seat: int


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    """A seat gave up (TN-28, TT-19)."""

    kind: ClassVar[str] = "resigned"
    seat: int


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over."""

    kind: ClassVar[str] = "game-ended"
    outcome: Outcome
