"""The neural network of Terra Nova's evaluation for training: forward pass, gradients and a step of AdamW, in numpy.

The engine computes the same network in Cython. It sees every open cell, its open neighbours and some facts of the position, and
predicts the points that each cell will bring to each seat, and the win shares. Seats are counted from the one to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.nova import CHANNELS, HIDDEN, NETWORK_UNIT
from terrarium.errors import EngineError

__all__ = ["LAYERS", "Adam", "Batch", "Forecast", "Network", "Parameters"]

LAYERS = 3
_MOST = 3.0
"""The most points of a cell."""
_LATE = 1.2
"""Cells with fewer expected points are counted apart: they will score late, or never."""
_POINTS = 30.0
_PIONEERS = 10.0
_SEATS = 4
_CELL_WEIGHT = 2.0
_WIN_WEIGHT = 0.15
_DECAY = 1e-3

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some positions, the open cells of all of them as rows of one table.

    `around` has six arrays: the row of a neighbour of each cell, or the number of rows for none. Neighbourhood must be symmetric.
    `first` is the first row of each position, `owner` the position of each row, `stands` the seat of the pioneer on the cell or -1.
    """

    inputs: Floats
    around: Integers
    stands: Integers
    first: Integers
    owner: Integers
    facts: Floats
    points: Floats
    target: Floats


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the network expects: `points` of each cell and seat, `shares` of each position and seat, with the values of all layers."""

    points: Floats
    shares: Floats
    rows: list[Floats]
    sums: list[Floats]
    slopes: list[NDArray[np.bool_]]
    curve: Floats
    lead: Floats
    pay: Floats
    output_slope: Floats
    seen: Floats
    hidden: Floats


class Parameters:
    """The tables of a network, which are views into the array `flat`, in the order of a weights file."""

    def __init__(self, shapes: dict[str, tuple[int, ...]], dtype: type) -> None:
        self.shapes = shapes
        self.flat: Floats = np.zeros(sum(map(prod, shapes.values())), dtype)
        self.parts = self.named(self.flat)

    def named(self, flat: Floats) -> dict[str, Floats]:
        """Views of an array like `flat`, one for each table."""
        found, at = {}, 0
        for name, shape in self.shapes.items():
            found[name] = flat[at : at + prod(shape)].reshape(shape)
            at += prod(shape)
        return found


class Network(Parameters):
    """The network of Terra Nova with its parameters."""

    def __init__(self, players: int, layers: int = LAYERS, dtype: type = np.float32) -> None:
        self.players = players
        self.layers = layers
        super().__init__(_shapes(players, layers), dtype)

    @classmethod
    def random(cls, players: int, chance: np.random.Generator) -> Network:
        """A network with small random parameters."""
        network = cls(players)
        for name, part in network.parts.items():
            table = name.replace("_bias", "").replace("bias", "own")
            reach = network.parts[table].shape[0] ** -0.5
            part[...] = chance.uniform(-reach, reach, part.shape)
            if name.startswith("around"):
                part *= 0.3
        return network

    @classmethod
    def load(cls, stored: Mapping[str, Any], players: int) -> Network:
        """The network of a weights file; raises EngineError unless its length is right."""
        layers, numbers = int(stored["layers"]), stored["weights"]
        network = cls(players, layers)
        wanted = sum(map(prod, _stored(network.shapes).values()))
        if len(numbers) != wanted:
            message = f"a network for {players} players has {wanted} weights, not {len(numbers)}"
            raise EngineError("bad-weights", message)
        flat = np.asarray(numbers, np.float64) / NETWORK_UNIT
        at = 0
        for name, shape in _stored(network.shapes).items():
            part = network.parts[name]
            known = flat[at : at + prod(shape)].reshape(shape)
            part[...] = known[..., : part.shape[-1]]
            at += prod(shape)
        return network

    def store(self) -> dict[str, Any]:
        """The network as in a weights file: integers, and columns of zeros where there are fewer seats than in the largest game."""
        numbers: list[int] = []
        for name, shape in _stored(self.shapes).items():
            table = np.zeros(shape)
            table[..., : self.parts[name].shape[-1]] = self.parts[name]
            numbers += np.rint(table * NETWORK_UNIT).astype(int).ravel().tolist()
        return {"layers": self.layers, "weights": numbers}

    def for_scaled(self, mean: Floats, scale: Floats) -> Network:
        """The network that gives the same results for the inputs `(x - mean) / scale`."""
        return self._changed(scale, mean / scale)

    def for_plain(self, mean: Floats, scale: Floats) -> Network:
        """The inverse of `for_scaled`."""
        return self._changed(1 / scale, -mean)

    def _changed(self, factor: Floats, shift: Floats) -> Network:
        """The network for the inputs `x / factor - shift`."""
        found = Network(self.players, self.layers)
        found.flat[...] = self.flat
        found.parts["input"] *= factor[:, None]
        found.parts["input_bias"] += shift @ found.parts["input"]
        return found

    def forecast(self, batch: Batch) -> Forecast:
        """What the network expects in the positions of a batch."""
        part = self.parts
        base = batch.facts @ part["fact"] + part["input_bias"]
        z = batch.inputs @ part["input"]
        z += base[batch.owner]
        rows, sums, slopes = [np.maximum(z, 0)], [], [z > 0]
        for layer in range(self.layers):
            h = rows[-1]
            sums.append(_of_neighbours(h, batch.around))
            z = h @ part[f"own{layer}"]
            z += sums[-1] @ part[f"around{layer}"]
            z += part[f"bias{layer}"]
            slopes.append(z > 0)
            rows.append(h + np.maximum(z, 0))
        z = rows[-1] @ part["output"] + part["output_bias"]
        root = 1 / np.sqrt(1 + z * z)
        curve = 0.5 + 0.5 * z * root
        pay = _MOST * curve[:, :1]
        lead = curve[:, 1:] / curve[:, 1:].sum(1, keepdims=True)
        points = pay * lead
        late = points * (pay < _LATE)
        stay = (_MOST - pay) * _stood(batch, self.players, pay.dtype)
        columns = np.concatenate([points, points * lead, late, stay], axis=1)
        seen = np.add.reduceat(columns, batch.first) / self._units
        seen[:, : self.players] += batch.facts[:, 4 : 4 + self.players]
        seen = np.concatenate([batch.facts, seen], axis=1)
        hidden = np.maximum(seen @ part["hidden"] + part["hidden_bias"], 0)
        logits = hidden @ part["share"] + part["share_bias"]
        raised = np.exp(logits - logits.max(1, keepdims=True))
        shares = raised / raised.sum(1, keepdims=True)
        return Forecast(
            points,
            shares,
            rows,
            sums,
            slopes,
            curve,
            lead,
            pay,
            0.5 * root**3,
            seen,
            hidden,
        )

    def gradient(self, batch: Batch) -> Floats:
        """The gradient of the loss: the squared error of the points and the cross-entropy of the win shares, weighted."""
        found = self.forecast(batch)
        part, players = self.parts, self.players
        flat = np.zeros_like(self.flat)
        change = self.named(flat)
        pull = (found.shares * batch.target.sum(1, keepdims=True) - batch.target) * (
            _WIN_WEIGHT / len(batch.target)
        )
        change["share"][...] = found.hidden.T @ pull
        change["share_bias"][...] = pull.sum(0)
        pull = (pull @ part["share"].T) * (found.hidden > 0)
        change["hidden"][...] = found.seen.T @ pull
        change["hidden_bias"][...] = pull.sum(0)
        pull = (pull @ part["hidden"][batch.facts.shape[1] :].T) / self._units
        total, sure, late, stay = np.split(pull[batch.owner], 4, axis=1)
        points = (found.points - batch.points) * (2 * _CELL_WEIGHT / batch.points.size)
        points += total + found.lead * sure + late * (found.pay < _LATE)
        lead = found.points * sure + found.pay * points
        pay = (found.lead * points - stay * _stood(batch, players, pull.dtype)).sum(
            1, keepdims=True
        )
        lead -= (lead * found.lead).sum(1, keepdims=True)
        lead /= found.curve[:, 1:].sum(1, keepdims=True)
        pull = np.concatenate([_MOST * pay, lead], axis=1) * found.output_slope
        change["output"][...] = found.rows[-1].T @ pull
        change["output_bias"][...] = pull.sum(0)
        pull = pull @ part["output"].T
        for layer in reversed(range(self.layers)):
            inner = pull * found.slopes[layer + 1]
            change[f"own{layer}"][...] = found.rows[layer].T @ inner
            change[f"around{layer}"][...] = found.sums[layer].T @ inner
            change[f"bias{layer}"][...] = inner.sum(0)
            pull += inner @ part[f"own{layer}"].T
            # neighbourhood is symmetric: a cell influences the cells that influence it
            pull += _of_neighbours(inner @ part[f"around{layer}"].T, batch.around)
        pull *= found.slopes[0]
        change["input"][...] = batch.inputs.T @ pull
        pull = np.add.reduceat(pull, batch.first)
        change["input_bias"][...] = pull.sum(0)
        change["fact"][...] = batch.facts.T @ pull
        return flat

    def loss(self, batch: Batch) -> float:
        """What `gradient` is the gradient of."""
        found = self.forecast(batch)
        cells = np.mean((found.points - batch.points) ** 2)
        wins = -np.mean(np.sum(batch.target * np.log(found.shares), axis=1))
        return float(_CELL_WEIGHT * cells + _WIN_WEIGHT * wins)

    @property
    def _units(self) -> Floats:
        """The units of the sums over the cells of a position."""
        units = [_POINTS] * (3 * self.players) + [_PIONEERS] * self.players
        return np.array(units, self.flat.dtype)


class Adam:
    """AdamW with a learning rate that rises to `highest` and falls to zero."""

    def __init__(self, size: int, steps: int, highest: float) -> None:
        self.mean: Floats = np.zeros(size, np.float32)
        self.square: Floats = np.zeros(size, np.float32)
        self.steps = steps
        self.highest = highest
        self.step = 0

    def move(self, flat: Floats, gradient: Floats) -> None:
        """Change the parameters by one step."""
        rate = self.highest * _of_cycle(self.step / self.steps)
        self.step += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient * gradient - self.square)
        mean = self.mean / (1 - 0.9**self.step)
        root = np.sqrt(self.square / (1 - 0.999**self.step))
        flat *= 1 - rate * _DECAY
        flat -= rate * mean / (root + 1e-8)


def _of_cycle(done: float) -> float:
    """The learning rate as a part of the highest: a cosine up from 1/25 in the first 30 %, then a cosine down to 0."""
    if done < 0.3:
        return 0.04 + 0.96 * (0.5 - 0.5 * cos(pi * done / 0.3))
    return 0.5 + 0.5 * cos(pi * (done - 0.3) / 0.7)


def _shapes(players: int, layers: int) -> dict[str, tuple[int, ...]]:
    """The shape of each table, in the order of a weights file; a row for each input."""
    inputs, facts = 12 + 4 * players, 4 + 3 * players
    shapes: dict[str, tuple[int, ...]] = {
        "input": (inputs, CHANNELS),
        "input_bias": (CHANNELS,),
        "fact": (facts, CHANNELS),
    }
    for layer in range(layers):
        shapes[f"own{layer}"] = (CHANNELS, CHANNELS)
        shapes[f"around{layer}"] = (CHANNELS, CHANNELS)
        shapes[f"bias{layer}"] = (CHANNELS,)
    return shapes | {
        "output": (CHANNELS, 1 + players),
        "output_bias": (1 + players,),
        "hidden": (facts + 4 * players, HIDDEN),
        "hidden_bias": (HIDDEN,),
        "share": (HIDDEN, players),
        "share_bias": (players,),
    }


def _stored(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The shapes in a weights file, where the last two layers have columns for the most seats."""
    wide = {"output": CHANNELS, "output_bias": CHANNELS, "share": _SEATS, "share_bias": _SEATS}
    return {n: (*shape[:-1], wide.get(n, shape[-1])) for n, shape in shapes.items()}


def _stood(batch: Batch, players: int, dtype: Any) -> Floats:
    """For each cell and seat 1 if a pioneer of the seat is on the cell, else 0."""
    found: Floats = (batch.stands[:, None] == np.arange(players)).astype(dtype)
    return found


def _of_neighbours(rows: Floats, around: Integers) -> Floats:
    """The sum of the rows of each cell's neighbours."""
    padded = np.concatenate([rows, np.zeros((1, rows.shape[1]), rows.dtype)])
    total: Floats = padded.take(around[0], axis=0)
    for column in around[1:]:
        total += padded.take(column, axis=0)
    return total
