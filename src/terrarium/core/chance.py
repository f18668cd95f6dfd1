"""Random play, for every game."""

from __future__ import annotations

from random import Random

from terrarium.core.action import Action
from terrarium.core.position import Position

__all__ = ["random_action"]


def random_action(position: Position, random: Random) -> Action:
    """One legal action, its kind tossed first: kinds with few actions would hardly ever be played otherwise."""
    kinds: dict[str, list[Action]] = {}
    for action in position.legal_actions():
        kinds.setdefault(action.kind, []).append(action)
    return random.choice(kinds[random.choice(sorted(kinds))])
