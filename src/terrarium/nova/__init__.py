"""Terra Nova for 2 to 4 players: rules, boards, positions and random play.

>>> from terrarium import nova
>>> position = nova.start(nova.Rules(players=2, edition="fr")).play("@e7")
>>> position.play("@e7")
Traceback (most recent call last):
terrarium.errors.IllegalAction: @e7: a pioneer already stands on e7 (TN-5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrarium.core.action import Action
from terrarium.core.kernel import Rollouts
from terrarium.core.outcome import Outcome
from terrarium.nova.board import BOARDS, Board
from terrarium.nova.compose import compose, start
from terrarium.nova.position import Position
from terrarium.nova.region import Region
from terrarium.nova.rules import EDITIONS, RULES_VERSION, Rules

if TYPE_CHECKING:
    from terrarium.nova import draw

__all__ = [
    "BOARDS",
    "EDITIONS",
    "NUM_ACTIONS",
    "RULES_VERSION",
    "Action",
    "Board",
    "Outcome",
    "Position",
    "Region",
    "Rollouts",
    "Rules",
    "compose",
    "draw",
    "rollouts",
    "start",
]

NUM_ACTIONS = 2 * 1024 + 1024 * (63 + 25 + 25)
"""Every action's id on any board is below this: placements, stones, and moves on three axes of at most
64, 26 and 26 cells. `position.num_actions` is exact for its board."""


def rollouts(
    position: Position, games: int = 1000, seed: int | None = None, threads: int = 1
) -> Rollouts:
    """Totals of random games from a position to the end; the kind of each action is drawn first.

    >>> totals = rollouts(start(), games=10, seed=1)
    >>> totals.games, sum(totals.shares)
    (10, 10.0)
    """
    return position.rollouts(games, seed, threads)


def __getattr__(name: str) -> Any:
    # imported on first use, because nothing else here needs drawing
    if name == "draw":
        from importlib import import_module

        return import_module("terrarium.nova.draw")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
