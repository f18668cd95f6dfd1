"""Training of a small neural network for Terra Nova with three or four players.

The engine plays itself, with the network of the round before if there is one. A sampled position is an example: its open cells, the
points that each of them brought later in the game, and the final shares. The network (`network.py`) is fitted to both.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from terrarium import nova
from terrarium.arena.network import Adam, Batch, Floats, Integers, Network
from terrarium.engine.nova import brain
from terrarium.engine.search import Search
from terrarium.errors import EngineError
from terrarium.nova.events import TerritoryScored

__all__ = ["Examples", "batches", "check", "collect", "examples", "fit"]

NODES = 700
"""Positions that the search looks at in a turn, and while pioneers are placed."""
NODES_PLACING = 200
EPOCHS = 8
_SAMPLES = 16
_BATCH = 64
_RATE = 4e-3
_NOISE = (0.0, 0.04, 0.12)
_NOISY = 8
_PLACED = (1, 2, 4, 6)
_USUAL = 5
"""How often the usual board is chosen for each choice of another one."""
_EDITIONS = ("fr", "fr", "en", "sv", "nl")
_LEAST = 1e-4
_FEWEST_GAMES = 5

Scored = list[tuple[int, TerritoryScored]]
"""The territories that scored, with the number of the turn."""


@dataclass
class Examples:
    """The examples of some games. Seats are counted from the one to move.

    A row per open cell: its inputs, the number of each open neighbour within its position (the number of cells for none), the seat of the
    pioneer there or -1, the points that it brought later, and those that the evaluation without the network expected.
    A row per position: its number of cells, its facts, the final shares, those that the evaluation without the network expected, and
    the number of its game.
    """

    inputs: NDArray[np.float16]
    around: NDArray[np.uint16]
    stands: NDArray[np.int8]
    points: Floats
    points_before: Floats
    cells: NDArray[np.int32]
    facts: Floats
    won: Floats
    won_before: Floats
    game: NDArray[np.int32]

    @staticmethod
    def join(parts: list[Examples]) -> Examples:
        """The examples of several games together."""
        joined = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Examples)
        }
        sizes = [int(part.game.max()) + 1 for part in parts]
        offsets = np.cumsum([0, *sizes[:-1]])
        lengths = [len(part.game) for part in parts]
        joined["game"] = joined["game"] + np.repeat(offsets, lengths).astype(np.int32)
        return Examples(**joined)


def check(game: str, players: int, games: int) -> None:
    """Raise EngineError if no network can be trained by such a plan."""
    if game != "nova" or players not in (3, 4):
        message = f"{game} with {players} players: a network can be trained for nova with 3 or 4"
        raise EngineError("no-trainer", message)
    if games < _FEWEST_GAMES:
        message = f"{games} games: a network needs {_FEWEST_GAMES}, a fifth of which measure it"
        raise EngineError("bad-training", message)


def collect(
    seed: int, weights: dict[str, Any], insist: float, board: str | None, players: int
) -> Examples:
    """Play one game and return its examples; `insist` is not used."""
    chance = random.Random(seed)
    usual, *others = nova.BOARDS
    name = board or chance.choice([usual] * _USUAL + others)
    rules = nova.Rules(players=players, edition=chance.choice(_EDITIONS))
    position: Any = nova.start(rules, nova.BOARDS[name])
    thinker = brain(position, weights)
    for _ in range(chance.choice(_PLACED) * players):
        position = position.play(chance.choice(position.legal_actions()))
    noise = chance.choice(_NOISE)
    history: list[tuple[int, Any]] = []
    scored: Scored = []
    turn = 0
    while position.outcome is None:
        is_placing = position.phase == "place"
        if not is_placing and position.at_turn_start:
            history.append((turn, position))
        search = Search(
            position, thinker, root_width=8, width=5, root_limit=20, exact=40, thorough=True
        )
        search.run(nodes=NODES_PLACING if is_placing else NODES)
        turns = search.turns()
        chosen = chance.choice(turns[:_NOISY]) if chance.random() < noise else turns[0]
        for action in chosen[0]:
            position, events = position.step(action)
            scored += [(turn, event) for event in events if isinstance(event, TerritoryScored)]
        turn += 1
    sample = chance.sample(history, min(_SAMPLES, len(history)))
    return examples(thinker, weights, sample, scored, position.outcome.shares(players))


def examples(
    thinker: Any,
    weights: Mapping[str, Any],
    looked_at: Sequence[tuple[int, Any]],
    scored: Scored,
    won: Sequence[float],
) -> Examples:
    """The examples from positions of a game, each with the number of its turn."""
    players = len(won)
    plain = {name: value for name, value in weights.items() if name != "network"}
    before = brain(looked_at[0][1], plain)
    rows: dict[str, list[Any]] = {field.name: [] for field in fields(Examples)}
    for turn, position in looked_at:
        order = [(position.to_move + seat) % players for seat in range(players)]
        names = thinker.network_cells(position)
        inputs, around, stands, facts = thinker.network_inputs(position)
        count = len(names)
        later: dict[str, tuple[float, ...]] = {}
        for when, event in scored:
            if when >= turn:
                size = len(event.cells)
                part = tuple(event.awards[seat] / size for seat in order)
                later |= dict.fromkeys(event.cells, part)
        nothing = (0.0,) * players
        rows["inputs"].append(np.array(inputs, np.float16).reshape(count, -1))
        rows["around"].append(np.array(around, np.uint16).reshape(count, 6))
        rows["stands"].append(np.array(stands, np.int8))
        rows["points"].append(np.array([later.get(n, nothing) for n in names], np.float32))
        rows["points_before"].append(_expected(before, position, names, order))
        rows["cells"].append([count])
        rows["facts"].append([facts])
        rows["won"].append([[won[seat] for seat in order]])
        shares = before.evaluate(position)[0]
        rows["won_before"].append([[shares[seat] for seat in order]])
    whole = {"cells": np.int32, "facts": np.float32, "won": np.float32, "won_before": np.float32}
    rows["game"] = [np.zeros(len(looked_at), np.int32)]
    return Examples(
        **{
            name: np.concatenate([np.asarray(part, whole.get(name)) for part in parts])
            for name, parts in rows.items()
        }
    )


def _expected(thinker: Any, position: Any, names: Sequence[str], order: Sequence[int]) -> Floats:
    """The points of each cell and seat that the evaluation expects."""
    owned = thinker.ownership(position)
    expected = np.zeros((len(names), len(order)), np.float32)
    for row, name in enumerate(names):
        if name in owned:
            pay, lead = owned[name]
            expected[row] = [pay * lead[seat] for seat in order]
    return expected


def fit(data: Examples, before: Mapping[str, Any]) -> dict[str, Any]:
    """The weights with a network that fits the examples, starting from that of the round before. The last fifth of the games measures it."""
    weights = before["weights"]
    players = data.won.shape[1]
    number = int(before.get("round", 0))
    chance = np.random.default_rng(number)
    games = int(data.game.max()) + 1
    is_held = data.game >= games - games // 5
    held = np.flatnonzero(is_held)
    used = np.flatnonzero(~is_held)
    mean, scale = _spread(data, ~is_held)
    known = weights.get("network")
    if known is None:
        network = Network.random(players, chance)
    else:
        network = Network.load(known, players).for_scaled(mean, scale)
    adam = Adam(network.flat.size, EPOCHS * -(-len(used) // _BATCH), _RATE)
    for _ in range(EPOCHS):
        for batch in batches(data, chance.permutation(used), mean, scale):
            adam.move(network.flat, network.gradient(batch))
    stored = network.for_plain(mean, scale).store()
    return {
        "weights": {**weights, "network": stored},
        "report": _report(Network.load(stored, players), data, held),
        "round": number + 1,
    }


def batches(
    data: Examples, chosen: Integers, mean: Floats | float = 0.0, scale: Floats | float = 1.0
) -> Iterator[Batch]:
    """The chosen positions in batches, with inputs `(x - mean) / scale`."""
    ends = np.cumsum(data.cells, dtype=np.int64)
    for at in range(0, len(chosen), _BATCH):
        some = chosen[at : at + _BATCH]
        counts = data.cells[some]
        first = np.cumsum(counts, dtype=np.int64) - counts
        owner = np.repeat(np.arange(len(some)), counts)
        rows = np.arange(len(owner)) + np.repeat((ends - data.cells)[some] - first, counts)
        near = data.around[rows].T.astype(np.int64)
        around = np.where(near == counts[owner], len(owner), near + first[owner])
        yield Batch(
            inputs=((data.inputs[rows].astype(np.float32) - mean) / scale).astype(np.float32),
            around=around,
            stands=data.stands[rows],
            first=first,
            owner=owner,
            facts=data.facts[some],
            points=data.points[rows],
            won=data.won[some],
        )


def _spread(data: Examples, used: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of each input over the open cells of the positions used; 1 for an input that is constant."""
    table = data.inputs[np.repeat(used, data.cells)]
    mean = table.mean(axis=0, dtype=np.float64)
    scale = table.std(axis=0, dtype=np.float64)
    scale[scale < 1e-3] = 1.0
    return mean.astype(np.float32), scale.astype(np.float32)


def _report(network: Network, data: Examples, held: Integers) -> dict[str, float]:
    """The errors in the positions of the games held out: of the network, and of the evaluation without it."""
    cells, wins = [], []
    for batch in batches(data, held):
        found = network.forecast(batch)
        cells.append((found.points - batch.points) ** 2)
        wins.append(found.shares)
    rows = np.repeat(np.isin(np.arange(len(data.cells)), held), data.cells)
    error_before = (data.points_before[rows] - data.points[rows]) ** 2
    report = {
        "win_loss": _entropy(data.won[held], np.concatenate(wins)),
        "win_loss_before": _entropy(data.won[held], data.won_before[held]),
        "cell_error": np.concatenate(cells).mean(),
        "cell_error_before": error_before.mean(),
    }
    return {name: round(float(value), 4) for name, value in report.items()}


def _entropy(won: Floats, expected: Floats) -> float:
    """The mean cross-entropy of expected shares against those of the game."""
    shares = np.clip(expected, _LEAST, 1)
    return cast(float, -np.mean(np.sum(won * np.log(shares), axis=1)))
