"""The eight levels of the engine. The search parameters of each level are in `game.levels`."""

from __future__ import annotations

from dataclasses import dataclass

from terrarium.core.game import Game, Look
from terrarium.errors import EngineError

__all__ = ["DEFAULT_LEVEL", "LEVELS", "Level", "default_level", "level", "look"]


@dataclass(frozen=True, slots=True)
class Level:
    """A level: its number, and its default time limit for a turn in seconds."""

    number: int
    seconds: float


LEVELS: tuple[Level, ...] = (
    Level(1, 0.1),
    Level(2, 0.1),
    Level(3, 0.2),
    Level(4, 0.3),
    Level(5, 0.5),
    Level(6, 1.0),
    Level(7, 1.5),
    Level(8, 2.0),
)

DEFAULT_LEVEL = 4
"""The level for play, hints and replacements if none was chosen."""


def default_level(game: Game) -> int:
    """The default level, or the game's highest if it has fewer levels; 0 if it has none."""
    return min(DEFAULT_LEVEL, len(game.levels))


def level(number: int) -> Level:
    """The level with this number, 1 to 8."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(LEVELS):
        raise EngineError("no-such-level", f"{number!r}: levels run from 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


def look(game: Game, level: Level) -> Look:
    """The search parameters of a level for a game; raises EngineError if the game has no such level."""
    if level.number > len(game.levels):
        raise EngineError("no-such-level", f"{game.title}: the engine has no level {level.number}")
    return game.levels[level.number - 1]
