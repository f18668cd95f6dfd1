"""A beginner for any game: it tries some random turns and plays the one that gains most at once.

In half of its turns it also tries random answers.

The arena's player `novice` uses the module that `Game.novice` names; this module is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import cast

from terrarium.core.action import Action
from terrarium.core.chance import random_action
from terrarium.core.position import Position

__all__ = ["LOOK_AHEAD", "best_of", "finished", "turn"]

LOOK_AHEAD = 0.5
"""The fraction of turns in which a novice considers what rivals can do next."""

_TRIES = 24
"""How many random turns, and answers to each, this module tries."""


def turn(position: Position, random: Random) -> tuple[Action, ...]:
    """The rest of the turn as a novice plays it: the random turn that gains most at once."""
    seat = cast(int, position.to_move)
    looks = random.random() < LOOK_AHEAD
    tried = [finished(position, (), random) for _ in range(_TRIES)]

    def worth(actions: tuple[Action, ...]) -> float:
        after = position.play_all(actions)
        if not looks or after.outcome is not None:
            return _standing(after, seat)
        answers = (after.play_all(finished(after, (), random)) for _ in range(_TRIES))
        return min(_standing(answer, seat) for answer in answers)

    return best_of(tried, worth, random)


def finished(position: Position, begun: Iterable[Action], random: Random) -> tuple[Action, ...]:
    """A turn that begins with these actions and is finished with random ones."""
    actions = list(begun)
    position, seat = position.play_all(actions), position.to_move
    while position.to_move == seat and not (actions and position.at_turn_start):
        actions.append(random_action(position, random))
        position = position.play(actions[-1])
    return tuple(actions)


def best_of(
    turns: list[tuple[Action, ...]],
    worth: Callable[[tuple[Action, ...]], float],
    random: Random,
) -> tuple[Action, ...]:
    """The turn that is worth most; a random one if several are worth the same."""
    found = [(worth(actions), actions) for actions in turns]
    most = max(value for value, _ in found)
    return random.choice([actions for value, actions in found if value == most])


def _standing(position: Position, seat: int) -> float:
    """The seat's lead in points where the game counts any; a win or a loss outweighs them."""
    if position.outcome is not None:
        return 1e6 * (position.outcome.shares(position.players)[seat] * position.players - 1)
    scores = getattr(position, "scores", None)
    if scores is None:
        return 0
    return float(scores[seat] - max(points for other, points in enumerate(scores) if other != seat))
