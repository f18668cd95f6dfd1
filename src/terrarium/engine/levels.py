"""The eight levels: how far each looks and how freely it chooses among turns that look alike."""

from __future__ import annotations

from dataclasses import dataclass

from terrarium.errors import EngineError

__all__ = ["DEFAULT_LEVEL", "LEVELS", "Level", "level"]


@dataclass(frozen=True, slots=True)
class Level:
    """What makes a player weaker or stronger.

    `nodes` bounds the positions looked at in a turn; None leaves that to the caller's limit. `blur` is the spread, in
    win share, within which turns look equally good to this player: it chooses among them as a person would among
    plausible turns, never one that looks bad to it. `width` is how many unfinished turns it keeps in mind.
    """

    number: int
    nodes: int | None
    blur: float
    width: int
    seconds: float


LEVELS: tuple[Level, ...] = (
    Level(1, nodes=60, blur=0.10, width=1, seconds=0.1),
    Level(2, nodes=300, blur=0.06, width=2, seconds=0.2),
    Level(3, nodes=1_000, blur=0.04, width=3, seconds=0.3),
    Level(4, nodes=3_000, blur=0.025, width=4, seconds=0.5),
    Level(5, nodes=10_000, blur=0.012, width=6, seconds=1.0),
    Level(6, nodes=30_000, blur=0.005, width=8, seconds=1.5),
    Level(7, nodes=100_000, blur=0.0, width=10, seconds=2.0),
    Level(8, nodes=None, blur=0.0, width=12, seconds=2.0),
)

DEFAULT_LEVEL = 5


def level(number: int) -> Level:
    """The level with this number, 1 to 8."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(LEVELS):
        raise EngineError("no-such-level", f"{number!r}: levels run from 1 to {len(LEVELS)}")
    return LEVELS[number - 1]
