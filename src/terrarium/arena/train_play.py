"""Training of an evaluation by its success in games, for any game that names the weights to train.

Each example is a pair of games from one opening. Two sides have weights that are changed in opposite random directions; in the
second game they exchange seats. A round moves the weights towards the directions that won (simultaneous perturbation), and later
rounds take smaller steps. The brain's module of a game names the weights in `learnt(players)`: how each is changed is `factor`
(relative to its size, for a weight that keeps its sign) or `sum`. All other weights are set by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from math import exp
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from terrarium.core.game import GAMES
from terrarium.engine.search import Search

__all__ = ["Pairs", "Trainer", "changed"]

_REACH = 0.3
"""The change of each weight for the two sides, as the exponent of a factor or in units of `_unit`."""
_PACE = 0.1
"""The largest change of a weight in the first round, in the same units."""
_SLOWER = 10
"""After this many rounds the changes are half as large."""
_MEMORY = 0.6
"""How much of the direction of earlier rounds counts in the next one."""
_NODES = 2_000
_ROOT_WIDTH = 8
_WIDTH = 4

Floats = NDArray[np.floating[Any]]
Weights = dict[str, Any]


@dataclass
class Pairs:
    """The directions tried, and by how much the share of the seats with that direction exceeded the others', from -1 to 1."""

    direction: Floats
    lead: Floats

    @staticmethod
    def join(parts: list[Pairs]) -> Pairs:
        """The examples of several pairs of games together."""
        return Pairs(
            np.concatenate([part.direction for part in parts]),
            np.concatenate([part.lead for part in parts]),
        )


@dataclass(frozen=True)
class Trainer:
    """The training of one game with a number of players; a value, so that it can be sent to other processes."""

    game: str
    players: int

    Examples: ClassVar[type[Pairs]] = Pairs

    def collect(
        self, seed: int, weights: Weights, insist: float, board: str | None, players: int
    ) -> Pairs:
        """Play a pair of games; `insist` is not used."""
        chance = random.Random(seed)
        names = self.learnt
        direction = [chance.choice((-1.0, 1.0)) for _ in names]
        sides = [
            changed(weights, names, [reach * way for way in direction])
            for reach in (_REACH, -_REACH)
        ]
        game = GAMES[self.game]
        start = game.start(board=board, players=players)
        for _ in range(players * game.opening_actions):
            start = start.play(chance.choice(start.legal_actions()))
        chosen = chance.sample(range(players), players // 2)
        first = [0 if seat in chosen else 1 for seat in range(players)]
        second = [1 - side for side in first]
        lead = sum(self._lead(start, sides, side_of) for side_of in (first, second)) / 2
        return Pairs(np.array([direction]), np.array([lead]))

    def fit(self, data: Pairs, before: Mapping[str, Any]) -> dict[str, Any]:
        """The weights moved towards the directions that won more than they lost."""
        names = self.learnt
        number = int(before.get("round", 0))
        slope = (data.direction * data.lead[:, None]).mean(axis=0)
        noise = float(data.lead.std()) / np.sqrt(len(data.lead)) or 1.0
        pull = _MEMORY * np.array(before.get("pull", [0.0] * len(names))) + slope / noise
        pace = _PACE / (1 + number / _SLOWER)
        # a pull within the noise changes the weights only a little
        step = pace * np.clip(pull / 3, -1, 1)
        report = {
            "largest_slope": round(float(np.abs(slope).max()), 4),
            "noise": round(noise, 4),
        }
        return {
            "weights": changed(before["weights"], names, step.tolist()),
            "report": report,
            "round": number + 1,
            "pull": [round(value, 4) for value in pull.tolist()],
        }

    @property
    def learnt(self) -> dict[str, str]:
        """The weights that are trained, such as `tempo` or `pay.3`, and how each is changed."""
        found = import_module(GAMES[self.game].brain).learnt(self.players)
        return cast(dict[str, str], found)

    def _lead(self, position: Any, sides: Sequence[Weights], side_of: Sequence[int]) -> float:
        """By how much the mean share of the first side's seats exceeds that of the other seats in a game."""
        brain = import_module(GAMES[self.game].brain).brain
        minds = [brain(position, side) for side in sides]
        while position.outcome is None:
            mind = minds[side_of[position.to_move]]
            search = Search(position, mind, root_width=_ROOT_WIDTH, width=_WIDTH)
            search.run(nodes=_NODES)
            position = position.play_all(cast(Any, search.turns()[0][0]))
        shares = np.array(position.outcome.shares(self.players))
        is_first = np.array(side_of) == 0
        return float(shares[is_first].mean() - shares[~is_first].mean())


def changed(weights: Weights, names: Mapping[str, str], steps: Sequence[float]) -> Weights:
    """A copy of the weights, each of the named ones changed by its step."""
    found = deepcopy(weights)
    for (name, how), step in zip(names.items(), steps, strict=True):
        key, _, place = name.partition(".")
        holder: Any = found[key] if place else found
        index: Any = int(place) if place else key
        value = float(holder[index])
        value = value * exp(step) if how == "factor" else value + step * _unit(value)
        holder[index] = round(value, 4)
    return found


def _unit(value: float) -> float:
    """By how much a step of 1 changes a weight that may change its sign."""
    return 0.25 + abs(value) / 2
