"""The eight levels: how far each looks and how freely it chooses among turns that look alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium.errors import EngineError

__all__ = ["DEFAULT_LEVEL", "LEVELS", "Level", "Look", "level"]


@dataclass(frozen=True, slots=True)
class Look:
    """What makes a player of one game weaker or stronger.

    `nodes` bounds the positions looked at in a turn; None leaves that to the caller's limit. `blur` is the spread, in
    win share, within which turns look equally good to this player: it chooses among them as a person would among
    plausible turns, never one that looks bad to it. `width` is how many unfinished turns it keeps in mind. A player
    who is not `alert` may overlook a win or a threat that takes a search of its own to see.
    """

    nodes: int | None
    blur: float
    width: int
    alert: bool = True


@dataclass(frozen=True, slots=True)
class Level:
    """A computer player: its number, the seconds it takes for a turn at most, and how it looks at each game."""

    number: int
    seconds: float
    looks: Mapping[str, Look]


LEVELS: tuple[Level, ...] = (
    Level(1, 0.1, {"nova": Look(60, 0.10, 1), "turrium": Look(60, 0.80, 1, alert=False)}),
    Level(2, 0.1, {"nova": Look(200, 0.06, 2), "turrium": Look(60, 0.28, 1, alert=False)}),
    Level(3, 0.2, {"nova": Look(500, 0.045, 3), "turrium": Look(60, 0.04, 1, alert=False)}),
    Level(4, 0.3, {"nova": Look(1_200, 0.03, 4), "turrium": Look(60, 0.02, 1)}),
    Level(5, 0.5, {"nova": Look(2_500, 0.02, 5), "turrium": Look(500, 0.015, 2)}),
    Level(6, 1.0, {"nova": Look(8_000, 0.005, 8), "turrium": Look(1_100, 0.008, 3)}),
    Level(7, 1.5, {"nova": Look(25_000, 0.0, 10), "turrium": Look(5_000, 0.0, 6)}),
    Level(8, 2.0, {"nova": Look(None, 0.0, 12), "turrium": Look(None, 0.0, 12)}),
)

DEFAULT_LEVEL = 5


def level(number: int) -> Level:
    """The level with this number, 1 to 8."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(LEVELS):
        raise EngineError("no-such-level", f"{number!r}: levels run from 1 to {len(LEVELS)}")
    return LEVELS[number - 1]
