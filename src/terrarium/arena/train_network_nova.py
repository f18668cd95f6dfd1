"""Training of a small neural network for Terra Nova with three or four players.

The engine plays itself, with the network of the round before if there is one. A sampled position is an example: its open cells, the
points that each of them brought later in the game, and the win shares. The network (`network.py`) is fitted to both. The win shares
are a mean of the final ones and those that the searches of this and later turns expected, which depend less on chance.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium import nova
from terrarium.arena.fitting import check_plan, entropy, joined, without_network
from terrarium.arena.network import Adam, Batch, Floats, Integers, Network
from terrarium.engine.nova import brain
from terrarium.engine.search import Search
from terrarium.nova.events import TerritoryScored

__all__ = ["Examples", "batches", "check", "collect", "examples", "fit"]

ROUNDS = 2
"""The network is fitted to the games of this many rounds: of the last one and those before it."""
NODES = 700
"""Positions that the search looks at in a turn, and while pioneers are placed."""
NODES_PLACING = 200
EPOCHS = 6
_SEATS = (3, 4)
_SAMPLES = 32
_SAMPLES_PLACING = 8
_TRUST = 0.03
"""What a turn's search counts for in the win shares of its position and earlier ones; the rest is what happened later."""
_BATCH = 64
_RATE = 4e-3
_MIXED = 0.5
"""The share of games in which each seat plays with or without the network of the round before."""
_NOISE = (0.0, 0.04, 0.12)
_NOISY = 8
_PLACED = (1, 2, 4, 6)
_USUAL = 5
"""How often the usual board is chosen for each choice of another one."""
_EDITIONS = ("fr", "fr", "en", "sv", "nl")
_FEWEST_GAMES = 5

Scored = list[tuple[int, TerritoryScored]]
"""The territories that scored, with the number of the turn."""

Visited = tuple[int, Any, Sequence[float]]
"""The number of a turn, the position before it, and the shares that the search expected."""


@dataclass
class Examples:
    """The examples of some games. Seats are counted from the one to move.

    A row per open cell: its inputs, the number of each open neighbour within its position (the number of cells for none), the seat of the
    pioneer there or -1, the points that it brought later, and those that the evaluation without the network expected.
    A row per position: its number of cells, its facts, the final shares, the shares to learn, those that the evaluation without the
    network expected, and the number of its game.
    """

    inputs: NDArray[np.float16]
    around: NDArray[np.uint16]
    stands: NDArray[np.int8]
    points: Floats
    points_before: Floats
    cells: NDArray[np.int32]
    facts: Floats
    won: Floats
    target: Floats
    won_before: Floats
    game: NDArray[np.int32]

    @staticmethod
    def join(parts: list[Examples]) -> Examples:
        """The examples of several games together."""
        return joined(Examples, parts)


def check(players: int, games: int) -> None:
    """Raise EngineError if no network can be trained by such a plan."""
    check_plan("nova", players, games, _SEATS, _FEWEST_GAMES)


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
    thinkers = [thinker] * players
    if "network" in weights and chance.random() < _MIXED:
        plain = brain(position, without_network(weights))
        thinkers = chance.choices([thinker, plain], k=players)
    for _ in range(chance.choice(_PLACED) * players):
        position = position.play(chance.choice(position.legal_actions()))
    noise = chance.choice(_NOISE)
    history: list[Visited] = []
    scored: Scored = []
    turn = 0
    while position.outcome is None:
        is_placing = position.phase == "place"
        search = Search(
            position,
            thinkers[position.to_move],
            root_width=8,
            width=5,
            root_limit=20,
            exact=40,
            thorough=True,
        )
        search.run(nodes=NODES_PLACING if is_placing else NODES)
        turns = search.turns()
        history.append((turn, position, turns[0][2]))
        chosen = chance.choice(turns[:_NOISY]) if chance.random() < noise else turns[0]
        for action in chosen[0]:
            position, events = position.step(action)
            scored += [(turn, event) for event in events if isinstance(event, TerritoryScored)]
        turn += 1
    placed = [number for number, (_, before, _) in enumerate(history) if before.phase == "place"]
    played = range(len(placed), len(history))
    sample = chance.sample(placed, min(_SAMPLES_PLACING, len(placed)))
    sample += chance.sample(played, min(_SAMPLES, len(played)))
    return examples(thinker, weights, history, sample, scored, position.outcome.shares(players))


def examples(
    thinker: Any,
    weights: Mapping[str, Any],
    history: Sequence[Visited],
    sample: Sequence[int],
    scored: Scored,
    won: Sequence[float],
) -> Examples:
    """The examples from the positions of a game that are in the sample, by their index in its history."""
    players = len(won)
    targets = _targets(history, won)
    looked_at = [(*history[number][:2], targets[number]) for number in sample]
    before = brain(looked_at[0][1], without_network(weights))
    rows: dict[str, list[Any]] = {field.name: [] for field in fields(Examples)}
    for turn, position, target in looked_at:
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
        rows["target"].append([[target[seat] for seat in order]])
        shares = before.evaluate(position)[0]
        rows["won_before"].append([[shares[seat] for seat in order]])
    whole = {"cells": np.int32} | dict.fromkeys(
        ("facts", "won", "target", "won_before"), np.float32
    )
    rows["game"] = [np.zeros(len(looked_at), np.int32)]
    return Examples(
        **{
            name: np.concatenate([np.asarray(part, whole.get(name)) for part in parts])
            for name, parts in rows.items()
        }
    )


def _targets(history: Sequence[Visited], won: Sequence[float]) -> list[Floats]:
    """The shares to learn for each position of a game."""
    found: list[Floats] = []
    later = np.array(won, np.float32)
    for _, _, shares in reversed(history):
        # draws count for less in the search, and then its shares add up to less than 1
        total = sum(shares)
        if total > 0:
            later = (1 - _TRUST) * later + _TRUST / total * np.array(shares, np.float32)
        found.append(later)
    return found[::-1]


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
            target=data.target[some],
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
        "win_loss": entropy(data.won[held], np.concatenate(wins)),
        "win_loss_before": entropy(data.won[held], data.won_before[held]),
        "cell_error": np.concatenate(cells).mean(),
        "cell_error_before": error_before.mean(),
    }
    return {name: round(float(value), 4) for name, value in report.items()}
