"""Self-play games of the engine for training: varied, and with enough borders."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from typing import Any, cast

from terrarium.core.position import Position
from terrarium.engine.brain import Brain
from terrarium.engine.search import Search
from terrarium.engine.uct import Uct

__all__ = ["turns_of_a_game"]

_GUEST_PLAYOUTS = 300
"""Play-outs for each action of a guest: few enough for hundreds of games."""


def turns_of_a_game(
    position: Position,
    brain: Brain,
    chance: random.Random,
    *,
    width: int = 3,
    blur: float = 0.02,
    insist: float = 0.0,
    insisted: str = "",
    random_actions: int = 0,
    guests: Collection[int] = (),
) -> Iterator[tuple[Position, tuple[Any, ...]]]:
    """Play a game. Yields every position in which a turn begins or a guest continues one, with the actions played there.

    A turn is chosen at random among those whose static value is within `blur` of the best. With probability `insist` only turns
    that contain an action of the kind `insisted` are considered, if there are any. The first `random_actions` actions are random.
    Plain tree search plays the seats in `guests`, action by action.
    """
    played = 0
    while position.outcome is None:
        if played < random_actions:
            actions: tuple[Any, ...] = (chance.choice(position.legal_actions()),)
        elif position.to_move in guests:
            tree = Uct(position, seed=chance.getrandbits(60))
            tree.run(nodes=_GUEST_PLAYOUTS)
            actions = (position.action(cast(int, tree.best_action())),)
        else:
            actions = _choose(position, brain, chance, width, blur, insist, insisted)
        yield position, actions
        position = position.play_all(actions)
        played += len(actions)
    yield position, ()


def _choose(
    position: Position,
    brain: Brain,
    chance: random.Random,
    width: int,
    blur: float,
    insist: float,
    insisted: str,
) -> tuple[Any, ...]:
    search = Search(position, brain, root_width=width, root_limit=32)
    search.run(nodes=1)
    seat = cast(int, position.to_move)
    found = [
        (first[seat], tuple(position.action(id) for id in ids))
        for ids, _, _, first, _, _ in search.turns()
    ]
    if insisted and chance.random() < insist:
        wanted = [(v, t) for v, t in found if any(a.kind == insisted for a in t)]
        found = wanted or found
    best = max(value for value, _ in found)
    near = [turn for value, turn in found if value >= best - blur * chance.random()]
    return chance.choice(near)
