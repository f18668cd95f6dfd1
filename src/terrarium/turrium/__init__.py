"""Terra Turrium: build towers, walk your flags up to 1, 2, 3, 4, 5, 6.

>>> from terrarium import turrium
>>> position = turrium.start(turrium.Rules(players=3))
>>> sum(position.heights.values())
80
"""

from terrarium.core.action import Action
from terrarium.core.kernel import Rollouts
from terrarium.core.outcome import Outcome
from terrarium.turrium.compose import compose, start
from terrarium.turrium.notation import NUM_ACTIONS
from terrarium.turrium.position import Position
from terrarium.turrium.rules import RULES_VERSION, Rules
from terrarium.turrium.telling import Ladder

__all__ = [
    "NUM_ACTIONS",
    "RULES_VERSION",
    "Action",
    "Ladder",
    "Outcome",
    "Position",
    "Rollouts",
    "Rules",
    "compose",
    "rollouts",
    "start",
]


def rollouts(
    position: Position, games: int = 1000, seed: int | None = None, threads: int = 1
) -> Rollouts:
    """Random games from a position to their end, the kind of each action tossed first: totals."""
    return position.rollouts(games, seed, threads)
