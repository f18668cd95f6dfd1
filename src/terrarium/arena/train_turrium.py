"""Training of Terra Turrium's evaluation on self-play.

The distance to a win has no observable target value, so the weights are trained by their
success in games. Each example is a pair of games between two players whose weights are changed in opposite random directions, and a
round moves the weights towards the directions that won (simultaneous perturbation). The weight of hindering rivals
relative to own progress (`rivalry`, `par`, `spread`) and the changes late in the game are set by hand, because two players who
only hinder each other never finish.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from terrarium import turrium
from terrarium.engine.search import Search
from terrarium.engine.turrium import brain

__all__ = ["LEARNT", "PLAYERS", "Examples", "collect", "fit"]

PLAYERS = (2,)
LEARNT = ("cube", "step", "away", "high", "lock", "hand", "threat", "carried", "tempo")
_REACH = 0.3
"""The change of each weight for the two players, as an exponent of e."""
_PACE = 0.15
"""The largest change of a weight in a round, as an exponent of e."""
_NODES = 1_000
_RANDOM_FLAGS = 4

Floats = NDArray[np.floating[Any]]


@dataclass
class Examples:
    """The directions tried, the result from 0 to 1 of the player with that direction, and the fraction of games that were won."""

    direction: Floats
    score: Floats
    is_won: Floats

    @staticmethod
    def join(parts: list[Examples]) -> Examples:
        """The examples of several games together."""
        joined = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("direction", "score", "is_won")
        }
        return Examples(**joined)


def collect(
    seed: int, weights: dict[str, Any], insist: float, board: str | None, players: int
) -> Examples:
    """Play two games with seats exchanged between two players whose weights are changed in opposite directions."""
    chance = random.Random(seed)
    direction = [chance.choice((-1.0, 1.0)) for _ in LEARNT]
    sides = (_moved(weights, direction, _REACH), _moved(weights, direction, -_REACH))
    start = turrium.start(turrium.Rules(players=players))
    for _ in range(_RANDOM_FLAGS):
        start = start.play(chance.choice(start.legal_ids()))
    shares, won = 0.0, 0.0
    for seat in (0, 1):
        outcome = _play(start, sides, seat)
        shares += outcome.shares(2)[seat] / 2
        won += (outcome.reason == "towers") / 2
    return Examples(np.array([direction]), np.array([shares]), np.array([won]))


def _play(position: Any, sides: tuple[dict[str, Any], dict[str, Any]], seat: int) -> Any:
    """A game for two players in which the first side has this seat."""
    minds = [brain(position, side) for side in sides]
    while position.outcome is None:
        mind = minds[0 if position.to_move == seat else 1]
        search = Search(position, mind, root_width=6, width=3)
        search.run(nodes=_NODES)
        position = position.play_all(cast(Any, search.turns()[0][0]))
    return position.outcome


def _moved(weights: dict[str, Any], direction: Any, reach: float) -> dict[str, Any]:
    moved = dict(weights)
    for name, way in zip(LEARNT, direction, strict=True):
        moved[name] = float(weights[name]) * float(np.exp(reach * way))
    return moved


def fit(data: Examples, weights: dict[str, Any]) -> dict[str, Any]:
    """The weights moved towards the directions that won more than they lost."""
    slope = (data.direction * (data.score[:, None] - 0.5)).mean(axis=0) / _REACH
    # differences within the noise change the weights only a little
    noise = 0.5 / _REACH / np.sqrt(len(data.score))
    step = _PACE * np.clip(slope / (2 * noise), -1, 1)
    found = {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in _moved(weights, step, 1.0).items()
    }
    report = {
        "won": float(data.is_won.mean()),
        "largest_slope": float(np.abs(slope).max()),
        "noise": float(noise),
    }
    return {"weights": found, "report": {name: round(v, 4) for name, v in report.items()}}
