"""Training of Terra Nova's evaluation on self-play.

Every open cell of a sampled position is an example: its inputs in the position, and at the end of the game its points and the
share of each seat. The points are fitted by least squares, the majority by least squares on cells that scored, and
the spread and the reserve of the win share by maximum likelihood. A few hundred games give several hundred thousand examples for
about twenty weights. `tempo` and `crowd` are set by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium import nova
from terrarium.arena.selfplay import turns_of_a_game
from terrarium.engine.nova import brain
from terrarium.nova.events import TerritoryScored

__all__ = ["Examples", "collect", "examples", "fit", "judge"]

_PAY_INPUTS = 12
_PAY_INPUTS_OF_TWO = 10
_SAMPLES = 12
_NOBODY = -1
_WHOLE = ("owner", "stands")
_RESERVES = (0.0, 2.0, 4.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0, 24.0, 28.0, 32.0, 36.0, 40.0, 48.0)
_LEAD = ("near_lead", "near_closed", "far_lead", "far_closed", "count_lead", "count_closed")
_LEAD_OF_MANY = ("region_lead", "region_part")

Floats = NDArray[np.floating[Any]]
Paid = dict[str, tuple[float, tuple[float, ...]]]
"""For each cell that scored, its points and each seat's share of them."""


@dataclass
class Examples:
    """The examples of some games: a row per cell, and a row per position; a column per seat where seats matter.

    `stands` is the seat of the pioneer on the cell, `in_play` the open fraction of the island, `most` the most points of a cell,
    `owner` the position to which a cell belongs.
    """

    inputs: Floats
    near: Floats
    far: Floats
    region: Floats
    pay: Floats
    share: Floats
    banked: Floats
    in_play: Floats
    most: Floats
    stands: NDArray[np.int32]
    owner: NDArray[np.int32]
    won: Floats

    @staticmethod
    def join(parts: list[Examples]) -> Examples:
        offset = 0
        owners = []
        for part in parts:
            owners.append(part.owner + offset)
            offset += len(part.won)
        joined = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Examples)
            if field.name != "owner"
        }
        return Examples(owner=np.concatenate(owners), **joined)


def collect(
    seed: int, weights: dict[str, Any], insist: float, board: str, players: int
) -> Examples:
    """Play one game and return its examples.

    With two seats the engine plays both. With more, plain tree search plays some seats: if every player built
    borders, no example would have land that stays open.
    """
    chance = random.Random(seed)
    start = nova.start(nova.Rules(players=players), nova.BOARDS[board])
    thinker = brain(start, weights)
    guests = chance.sample(range(players), chance.randint(1, players - 1)) if players > 2 else []
    history: list[Any] = []
    paid: Paid = {}
    for position, actions in turns_of_a_game(
        start,
        thinker,
        chance,
        insist=insist,
        insisted="stone",
        random_actions=chance.randrange(4, 27),
        guests=guests,
    ):
        if position.phase == "play" and position.at_turn_start:
            history.append((position, dict(paid)))
        step = position
        for action in actions:
            for event in step.events(action):
                if isinstance(event, TerritoryScored) and any(event.awards):
                    total = sum(event.awards)
                    part = tuple(award / total for award in event.awards)
                    for cell in event.cells:
                        paid[cell] = (event.points / len(event.cells), part)
            step = step.play(action)
        last = step
    outcome = last.outcome
    assert outcome is not None
    chosen = chance.sample(history, min(_SAMPLES, len(history)))
    return examples(thinker, chosen, paid, outcome.shares(players))


def examples(
    thinker: Any, looked_at: list[tuple[Any, Paid]], paid: Paid, won: Sequence[float]
) -> Examples:
    """The examples from positions of a game; each position comes with the cells that had scored before it, and `paid` are those at the end."""
    names = looked_at[0][0].board.cells
    players = len(won)
    nothing = (0.0, (1 / players,) * players)
    rows: dict[str, list[Any]] = {field.name: [] for field in fields(Examples)}
    for number, (position, before) in enumerate(looked_at):
        cells, numbers = thinker.inputs(position)
        table = np.frombuffer(numbers, dtype=np.float32).reshape(len(cells), -1)
        splits = [_PAY_INPUTS + players * i for i in range(3)]
        parts = np.split(table, splits, axis=1)
        for name, columns in zip(("inputs", "near", "far", "region"), parts, strict=True):
            rows[name].append(columns)
        later = [paid.get(names[c], nothing) if names[c] not in before else nothing for c in cells]
        rows["pay"].append([pay for pay, _ in later])
        rows["share"].append([part for _, part in later])
        rows["owner"].append([number] * len(cells))
        rows["banked"].append([position.scores])
        rows["in_play"].append([len(cells) / len(names)])
        rows["most"].append([_most(position)])
        rows["stands"].append([position.pioneers.get(names[c], _NOBODY) for c in cells])
        rows["won"].append([won])
    return Examples(
        **{
            name: np.concatenate(
                [np.asarray(part, np.int32 if name in _WHOLE else np.float32) for part in found]
            )
            for name, found in rows.items()
        }
    )


def _most(position: Any) -> float:
    """The most points of a cell, as in the evaluation: with more than two players they decrease as the stall limit approaches."""
    limit = position.rules.stall_rounds * position.players
    return 3.0 if position.players == 2 or not limit else 3 - 3 * position.stall / limit


def squash(x: Floats) -> Floats:
    """The sigmoid of the evaluation."""
    curve: Floats = 0.5 + 0.5 * x / np.sqrt(1 + x * x)
    return curve


def _slope(x: Floats) -> Floats:
    slope: Floats = 0.5 / (1 + x * x) ** 1.5
    return slope


def fit(data: Examples, before: Mapping[str, Any], steps: int = 400) -> dict[str, Any]:
    """Weights that fit the examples, starting from those of the round before; weights for more than two players are not changed for two."""
    weights = before["weights"]
    players = data.won.shape[1]
    many = players > 2
    w = np.asarray(weights["pay"], dtype=np.float32)
    known = slice(None) if many else slice(_PAY_INPUTS_OF_TWO)
    w[known] = _descend(w[known], lambda v: _pay_gradient(v, data.inputs[:, known], data), steps)
    names = _LEAD + _LEAD_OF_MANY if many else _LEAD
    lead = np.asarray([weights[k] for k in names], dtype=np.float32)
    features = _lead_features(data, float(weights["crowd"]))[:, :, : len(names)]
    rows = data.pay > 0
    lead = _descend(
        lead, lambda v: _lead_gradient(v, features[rows], data.share[rows], data.pay[rows]), steps
    )
    part = _parts(features @ lead)
    expected = _expected(data.inputs @ w, data)
    prospects, still_open = _prospects(data, expected, part)
    win_loss, *of_the_win = _fit_win(prospects, still_open, _held(data, expected), data.won)
    found = dict(weights)
    found["pay"] = [round(float(v), 4) for v in w]
    for name, value in zip(names, lead, strict=True):
        found[name] = round(float(value), 4)
    found["spread_base"], found["spread_open"], found["reserve"] = of_the_win
    pay_error = float(np.mean((expected - data.pay) ** 2) / max(1e-9, float(np.var(data.pay))))
    even = data.share[rows] - 1 / players
    lead_error = float(np.sum((part[rows] - data.share[rows]) ** 2) / np.sum(even**2))
    found_report = {"pay_error": pay_error, "lead_error": lead_error, "win_loss": win_loss}
    return {"weights": found, "report": {k: round(v, 4) for k, v in found_report.items()}}


def _fit_win(
    prospects: Floats, still_open: Floats, held: Floats, won: Floats
) -> tuple[float, float, float, float]:
    """The smallest loss, and the spread, its increase per open point and the reserve of a pioneer that give it."""
    best = (np.inf, 0.0, 0.0, 0.0)
    for reserve in _RESERVES if won.shape[1] > 2 else (0.0,):
        worth = prospects + reserve * held
        for base in (1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0):
            for per_open in (0.0, 0.02, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5):
                guess = np.clip(_win_shares(worth, base + per_open * still_open), 1e-3, 1 - 1e-3)
                loss = -float(np.mean(np.sum(won * np.log(guess), axis=1)))
                best = min(best, (loss, base, per_open, reserve))
    return best


def judge(data: Examples, weights: dict[str, Any]) -> Floats:
    """The win shares in the examples' positions, computed as in the evaluation but without the value of being to move."""
    lead = np.asarray([weights[name] for name in _LEAD + _LEAD_OF_MANY], dtype=np.float32)
    part = _parts(_lead_features(data, float(weights["crowd"])) @ lead)
    expected = _expected(data.inputs @ np.asarray(weights["pay"], dtype=np.float32), data)
    prospects, still_open = _prospects(data, expected, part)
    worth = prospects + weights["reserve"] * _held(data, expected)
    return _win_shares(worth, weights["spread_base"] + weights["spread_open"] * still_open)


def _prospects(data: Examples, expected: Floats, part: Floats) -> tuple[Floats, Floats]:
    """For each position the expected points of every seat, and those of all open land."""
    count, players = data.won.shape
    hopes = [np.bincount(data.owner, expected * part[:, s], count) for s in range(players)]
    still_open = np.bincount(data.owner, expected, count).astype(float)
    return data.banked + np.stack(hopes, axis=1), still_open


def _held(data: Examples, expected: Floats) -> Floats:
    """The reserve of each seat's pioneers on open land: lower on land that will score, because they then leave the game."""
    count, players = data.won.shape
    spare = data.most[data.owner] - expected
    free = [np.bincount(data.owner, spare * (data.stands == s), count) for s in range(players)]
    roots = np.sqrt(data.most * np.stack(free))
    held: Floats = (data.in_play / 3 * roots).T
    return held


def _win_shares(worth: Floats, spread: Floats) -> Floats:
    """Win shares: the product of each seat's probabilities to be ahead of each rival, normalised."""
    edge = worth[:, :, None] - worth[:, None, :]
    # a seat's lead over itself is 0: the same factor for all seats
    chance = squash(edge / spread[:, None, None]).prod(axis=2)
    shares: Floats = chance / chance.sum(axis=1, keepdims=True)
    return shares


def _ahead(values: Floats) -> Floats:
    """By how much each seat's value exceeds the best of the others, along the last axis."""
    others = np.sort(values, axis=-1)
    best, second = others[..., -1:], others[..., -2:-1]
    ahead: Floats = values - np.where(values == best, second, best)
    return ahead


def _parts(z: Floats) -> Floats:
    """Each seat's share, from the sigmoid of its lead."""
    curve = squash(z)
    parts: Floats = curve / curve.sum(axis=-1, keepdims=True)
    return parts


def _expected(z: Floats, data: Examples) -> Floats:
    """The expected points of each cell."""
    pay: Floats = data.most[data.owner] * squash(z)
    return pay


def _pay_gradient(w: Floats, inputs: Floats, data: Examples) -> Floats:
    z = inputs @ w
    error = _expected(z, data) - data.pay
    gradient: Floats = inputs.T @ (error * data.most[data.owner] * _slope(z)) / len(z)
    return gradient


def _lead_features(data: Examples, crowd: float) -> Floats:
    """An array of cells × seats × features of the seat's majority, in the order of the weights."""
    near = _ahead(data.near) / (data.near.sum(1, keepdims=True) + crowd)
    far = _ahead(data.far) / (data.far.sum(1, keepdims=True) + crowd)
    closed = data.inputs[:, 2:3]
    count = 10 * _ahead(data.far)
    region = _ahead(data.region)
    region_part = region / (data.region.sum(1, keepdims=True) + 1)
    found: Floats = np.stack(
        [near, near * closed, far, far * closed, count, count * closed, region, region_part],
        axis=2,
    )
    return found


def _lead_gradient(w: Floats, x: Floats, share: Floats, weight: Floats) -> Floats:
    z = x @ w
    curve = squash(z)
    total = curve.sum(1, keepdims=True)
    part = curve / total
    error = (part - share) * weight[:, None]
    pull = (error - np.sum(error * part, axis=1, keepdims=True)) * _slope(z) / total
    gradient: Floats = np.einsum("cs,csk->k", pull, x) / z.size + 1e-3 * w
    return gradient


def _descend(w: Floats, gradient: Any, steps: int) -> Floats:
    """Gradient descent with Adam on all examples at once."""
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, steps + 1):
        g = gradient(w)
        mean = 0.9 * mean + 0.1 * g
        square = 0.99 * square + 0.01 * g * g
        rate = 0.05 * min(1.0, 3 * (1 - step / steps) + 0.05)
        w = w - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return w
