"""The neural network of Terra Turrium's evaluation for training: forward pass and gradients, in numpy.

The engine computes the same network in Cython. From the facts of a position it predicts the win shares. Seats are counted from the one to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrarium.arena.network import Floats, Parameters
from terrarium.engine.turrium import NETWORK_DEPTH, NETWORK_UNIT, NETWORK_WIDTH, facts_count
from terrarium.errors import EngineError

__all__ = ["Forecast", "Network"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """The win shares that the network expects, by position and seat, with the values of the hidden layers."""

    one: Floats
    two: Floats
    shares: Floats


class Network(Parameters):
    """The network of Terra Turrium with its parameters."""

    def __init__(self, players: int, dtype: type = np.float32) -> None:
        self.players = players
        shapes: dict[str, tuple[int, ...]] = {
            "first": (facts_count(players), NETWORK_WIDTH),
            "first_bias": (NETWORK_WIDTH,),
            "second": (NETWORK_WIDTH, NETWORK_DEPTH),
            "second_bias": (NETWORK_DEPTH,),
            "share": (NETWORK_DEPTH, players),
            "share_bias": (players,),
        }
        super().__init__(shapes, dtype)

    @classmethod
    def random(cls, players: int, chance: np.random.Generator) -> Network:
        """A network with small random parameters."""
        network = cls(players)
        for name in ("first", "second", "share"):
            part = network.parts[name]
            reach = part.shape[0] ** -0.5
            part[...] = chance.uniform(-reach, reach, part.shape)
        return network

    @classmethod
    def load(cls, stored: Mapping[str, Any], players: int) -> Network:
        """The network of a weights file; raises EngineError unless its length is right."""
        network = cls(players)
        numbers = stored["weights"]
        if len(numbers) != network.flat.size:
            message = f"a network for {players} players has {network.flat.size} weights, not {len(numbers)}"
            raise EngineError("bad-weights", message)
        network.flat[...] = np.asarray(numbers, np.float64) / NETWORK_UNIT
        return network

    def store(self) -> dict[str, Any]:
        """The network as in a weights file: integers."""
        return {"weights": np.rint(self.flat * NETWORK_UNIT).astype(int).tolist()}

    def for_plain(self, mean: Floats, scale: Floats) -> Network:
        """The network that gives for the facts x what this one gives for `(x - mean) / scale`."""
        found = Network(self.players)
        found.flat[...] = self.flat
        found.parts["first"] /= scale[:, None]
        found.parts["first_bias"] -= mean @ found.parts["first"]
        return found

    def forecast(self, facts: Floats) -> Forecast:
        """What the network expects in positions, a row of facts each."""
        part = self.parts
        one = np.maximum(facts @ part["first"] + part["first_bias"], 0)
        two = np.maximum(one @ part["second"] + part["second_bias"], 0)
        logits = two @ part["share"] + part["share_bias"]
        raised = np.exp(logits - logits.max(1, keepdims=True))
        return Forecast(one, two, raised / raised.sum(1, keepdims=True))

    def gradient(self, facts: Floats, target: Floats) -> Floats:
        """The gradient of the mean cross-entropy."""
        found = self.forecast(facts)
        part = self.parts
        flat = np.zeros_like(self.flat)
        change = self.named(flat)
        pull = (found.shares * target.sum(1, keepdims=True) - target) / len(target)
        change["share"][...] = found.two.T @ pull
        change["share_bias"][...] = pull.sum(0)
        pull = (pull @ part["share"].T) * (found.two > 0)
        change["second"][...] = found.one.T @ pull
        change["second_bias"][...] = pull.sum(0)
        pull = (pull @ part["second"].T) * (found.one > 0)
        change["first"][...] = facts.T @ pull
        change["first_bias"][...] = pull.sum(0)
        return flat
