"""Training of a small neural network for Terra Turrium with two to four players.

The engine plays itself. From the second round on some seats have the network of the round before and the others none, because what works
against oneself may not work against others. In every game one turn is drawn among all turns that the search found, so that the network also sees what follows weaker
turns. Every position in which a turn begins is an example: its facts and the final win shares, to which the network (`race.py`) is fitted.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from terrarium import turrium
from terrarium.arena.fitting import check_plan, entropy, joined, without_network
from terrarium.arena.network import Adam, Floats
from terrarium.arena.race import Network
from terrarium.engine.search import Search
from terrarium.engine.turrium import brain

__all__ = ["Examples", "check", "collect", "examples", "fit"]

ROUNDS = 3
"""The network is fitted to the games of this many rounds: of the last one and those before it."""
NODES = 1_800
"""Positions that the search looks at in a turn, and while flags are set."""
NODES_SETTING = 450
EPOCHS = 10
_SEATS = (2, 3, 4)
TRUST = 0.8
"""What the network counts for in the engine; the rest are the shares of the evaluation."""
_WITH_NETWORK = 0.6
_SET = (0, 2, 2, 4, 6)
"""How many flags for each player are set at random."""
_NOISE = (0.0, 0.0, 0.03, 0.1)
_NOISY = 8
_BATCH = 256
_RATE = 2e-3
_LEAST_SPREAD = 0.02
_USUAL_SPREAD = 0.05
"""The divisor of a fact that hardly varies."""
_HELD = 20
"""One game of this many measures the network."""
_LEAST = 1e-4

Visited = tuple[Any, Sequence[float]]
"""A position in which a turn begins, and the shares that the evaluation without the network expects."""


@dataclass
class Examples:
    """The examples of some games, a row per position. Seats are counted from the one to move.

    The facts of the position, the final shares, those that the evaluation without the network expected, and the number of the game.
    """

    facts: Floats
    won: Floats
    won_before: Floats
    game: NDArray[np.int32]

    @staticmethod
    def join(parts: list[Examples]) -> Examples:
        """The examples of several games together."""
        return joined(Examples, parts)


def check(players: int, games: int) -> None:
    """Raise EngineError if no network can be trained by such a plan."""
    check_plan("turrium", players, games, _SEATS, _HELD)


def collect(
    seed: int, weights: dict[str, Any], insist: float, board: str | None, players: int
) -> Examples:
    """Play one game and return its examples; `insist` and `board` are not used."""
    chance = random.Random(seed)
    position: Any = turrium.start(turrium.Rules(players=players))
    plain = brain(position, without_network(weights))
    thinkers = [plain] * players
    if "network" in weights:
        full = brain(position, weights)
        thinkers = [full if chance.random() < _WITH_NETWORK else plain for _ in range(players)]
    for _ in range(chance.choice(_SET) * players):
        position = position.play(chance.choice(position.legal_actions()))
    noise = chance.choice(_NOISE)
    astray = chance.randrange(players, 6 * players)
    # the engine does not ask the network later than that
    last_round = weights["patience"] * position.rules.max_rounds
    history: list[Visited] = []
    while position.outcome is None:
        is_setting = position.phase == "flags"
        thinker = thinkers[position.to_move]
        search = Search(position, thinker, root_width=4, width=6, root_limit=32, thorough=True)
        search.run(nodes=NODES_SETTING if is_setting else NODES)
        turns = search.turns()
        if position.rounds <= last_round:
            history.append((position, plain.evaluate(position)[0]))
        chosen, *_, is_proven = turns[0]
        if not is_proven and len(history) == astray:
            chosen = chance.choice(turns)[0]
        elif not is_proven and chance.random() < noise:
            chosen = chance.choice(turns[:_NOISY])[0]
        position = position.play_all(chosen)
    return examples(plain, history, position.outcome.shares(players))


def examples(thinker: Any, history: Sequence[Visited], won: Sequence[float]) -> Examples:
    """The examples from the positions of a game."""
    players = len(won)
    orders = [[(one.to_move + seat) % players for seat in range(players)] for one, _ in history]
    return Examples(
        facts=np.array([thinker.network_facts(position) for position, _ in history], np.float32),
        won=np.array([[won[seat] for seat in order] for order in orders], np.float32),
        won_before=np.array(
            [
                [shares[seat] for seat in order]
                for (_, shares), order in zip(history, orders, strict=True)
            ],
            np.float32,
        ),
        game=np.zeros(len(history), np.int32),
    )


def fit(data: Examples, before: Mapping[str, Any]) -> dict[str, Any]:
    """The weights with a network that fits the examples; every twentieth game measures it."""
    weights = before["weights"]
    players = data.won.shape[1]
    number = int(before.get("round", 0))
    chance = np.random.default_rng(number)
    is_held = data.game % _HELD == _HELD - 1
    used = np.flatnonzero(~is_held)
    mean = data.facts[used].mean(axis=0)
    scale = data.facts[used].std(axis=0)
    scale[scale < _LEAST_SPREAD] = _USUAL_SPREAD
    scaled = ((data.facts - mean) / scale).astype(np.float32)
    network = Network.random(players, chance)
    adam = Adam(network.flat.size, EPOCHS * -(-len(used) // _BATCH), _RATE)
    for _ in range(EPOCHS):
        order = chance.permutation(used)
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            adam.move(network.flat, network.gradient(scaled[some], data.won[some]))
    stored = network.for_plain(mean, scale).store()
    shares = Network.load(stored, players).forecast(data.facts[is_held]).shares
    report = {
        "win_loss": entropy(data.won[is_held], shares),
        "win_loss_before": entropy(data.won[is_held], _whole(data.won_before[is_held])),
        "win_loss_certain": entropy(data.won[is_held], _whole(data.won[is_held])),
    }
    return {
        "weights": {**weights, "network": {"trust": TRUST, **stored}},
        "report": {name: round(value, 4) for name, value in report.items()},
        "round": number + 1,
    }


def _whole(shares: Floats) -> Floats:
    """Shares divided by their sum."""
    return cast(Floats, shares / np.maximum(shares.sum(1, keepdims=True), _LEAST))
