"""Terra Turrium for 2 to 4 players: rules, positions and random play.

>>> from terrarium import turrium
>>> position = turrium.start(turrium.Rules(players=3))
>>> sum(position.heights.values())
80
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrarium.core.action import Action
from terrarium.core.kernel import Rollouts
from terrarium.core.outcome import Outcome
from terrarium.turrium.compose import compose, start
from terrarium.turrium.ladder import Ladder
from terrarium.turrium.notation import NUM_ACTIONS
from terrarium.turrium.position import Position
from terrarium.turrium.rules import RULES_VERSION, Rules

if TYPE_CHECKING:
    from terrarium.turrium import draw

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
    "draw",
    "rollouts",
    "start",
]


def rollouts(
    position: Position, games: int = 1000, seed: int | None = None, threads: int = 1
) -> Rollouts:
    """Totals of random games from a position to the end; the kind of each action is drawn first.

    Taking another cube and placing one are equally likely. In the move phase `end`, steps, captures and re-entries have weights 1, 4, 1 and 2
    if they are possible. Then an action of that kind is drawn, three times out of four among those that lead
    towards heights 1 to 6 (see docs/methods.md), otherwise among all. A seat whose flags are on 1 to 6 ends its turn.

    >>> totals = rollouts(start(), games=10, seed=1)
    >>> totals.games, sum(totals.shares)
    (10, 10.0)
    """
    return position.rollouts(games, seed, threads)


def __getattr__(name: str) -> Any:
    # imported on first use, because nothing else here needs drawing
    if name == "draw":
        from importlib import import_module

        return import_module("terrarium.turrium.draw")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
