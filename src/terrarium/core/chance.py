"""Random play, for every game."""

from __future__ import annotations

from random import Random

from terrarium.core.action import Action
from terrarium.core.position import Position

__all__ = ["random_action"]


def random_action(position: Position, random: Random) -> Action:
    """A random legal action. The kind is drawn first, because kinds with few actions would otherwise hardly ever be played."""
    kinds: dict[str, list[Action]] = {}
    for action in position.legal_actions():
        kinds.setdefault(action.kind, []).append(action)
    return random.choice(kinds[random.choice(sorted(kinds))])
