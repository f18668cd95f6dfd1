"""What the trainers of neural networks have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from terrarium.arena.network import Floats
from terrarium.errors import EngineError

__all__ = ["check_plan", "entropy", "joined", "without_network"]

T = TypeVar("T")

_LEAST = 1e-4
"""A smaller share counts as this one, so that its logarithm is finite."""


def check_plan(game: str, players: int, games: int, seats: Sequence[int], fewest: int) -> None:
    """Raise EngineError unless `seats` has this number of players and a round has enough games."""
    if players not in seats:
        known = " or ".join(map(str, seats))
        message = f"{game} with {players} players: a network can be trained for {known}"
        raise EngineError("no-trainer", message)
    if games < fewest:
        message = f"{games} games: a network needs {fewest}, because some of them only measure it"
        raise EngineError("bad-training", message)


def joined(kind: Callable[..., T], parts: Sequence[Any]) -> T:
    """The examples of several games together: a dataclass of arrays, of which `game` has the number of the game of each position."""
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(parts[0])
    }
    sizes = [int(part.game.max()) + 1 for part in parts]
    offsets = np.cumsum([0, *sizes[:-1]])
    columns["game"] += np.repeat(offsets, [len(part.game) for part in parts]).astype(np.int32)
    return kind(**columns)


def without_network(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of the evaluation alone."""
    return {name: value for name, value in weights.items() if name != "network"}


def entropy(won: Floats, expected: Floats) -> float:
    """The mean cross-entropy of expected shares against those of the game."""
    return float(-np.mean(np.sum(won * np.log(np.clip(expected, _LEAST, 1)), axis=1)))
