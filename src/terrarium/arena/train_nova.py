"""Learning Terra Nova's evaluation from self-play.

Every open cell of a sampled position is an example: its inputs now, and at the end of the game what it paid and which
part of that each seat got. The pay is fitted by least squares, the majority by least squares on cells that paid, and
the spread of the win share by maximum likelihood. A few hundred games are some hundred thousand examples for sixteen
weights. `tempo`, `crowd` and `reserve` are set by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium import nova
from terrarium.arena.learnt import save
from terrarium.arena.selfplay import turns_of_a_game
from terrarium.engine.nova import brain
from terrarium.nova.events import TerritoryScored

__all__ = ["Examples", "collect", "fit", "save"]

_PAY_INPUTS = 10
_SAMPLES = 12
_LEAD = ("near_lead", "near_closed", "far_lead", "far_closed", "count_lead", "count_closed")

Floats = NDArray[np.floating[Any]]


@dataclass
class Examples:
    """What some games taught: a row per cell, and a row per position."""

    inputs: Floats
    near: Floats
    far: Floats
    pay: Floats
    share: Floats
    banked: Floats
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
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("inputs", "near", "far", "pay", "share", "banked", "won")
        }
        return Examples(owner=np.concatenate(owners), **joined)


def collect(seed: int, weights: dict[str, Any], insist: float, board: str) -> Examples:
    """Play one duel and turn it into examples for the mover's view of both seats."""
    chance = random.Random(seed)
    start = nova.start(nova.Rules(players=2), nova.BOARDS[board])
    thinker = brain(start, weights)
    history: list[Any] = []
    paid: dict[str, tuple[float, tuple[float, float]]] = {}
    for position, actions in turns_of_a_game(
        start,
        thinker,
        chance,
        insist=insist,
        insisted="stone",
        random_actions=chance.randrange(4, 27),
    ):
        if position.phase == "play":
            history.append((position, dict(paid)))
        step = position
        for action in actions:
            for event in step.events(action):
                if isinstance(event, TerritoryScored) and any(event.awards):
                    per_cell = event.points / len(event.cells)
                    total = sum(event.awards)
                    part = (event.awards[0] / total, event.awards[1] / total)
                    for cell in event.cells:
                        paid[cell] = (per_cell, part)
            step = step.play(action)
        last = step
    outcome = last.outcome
    assert outcome is not None
    shares = outcome.shares(2)
    chosen = chance.sample(history, min(_SAMPLES, len(history)))
    names = start.board.cells
    rows: list[list[Any]] = [[] for _ in range(6)]
    owner: list[int] = []
    won: list[float] = []
    for number, (position, before) in enumerate(chosen):
        cells, numbers = thinker.inputs(position)
        table = np.frombuffer(numbers, dtype=np.float32).reshape(len(cells), _PAY_INPUTS + 4)
        rows[0].append(table[:, :_PAY_INPUTS])
        rows[1].append(table[:, _PAY_INPUTS : _PAY_INPUTS + 2])
        rows[2].append(table[:, _PAY_INPUTS + 2 :])
        later = [
            paid.get(names[c], (0.0, (0.5, 0.5))) if names[c] not in before else (0.0, (0.5, 0.5))
            for c in cells
        ]
        rows[3].append([pay for pay, _ in later])
        rows[4].append([part[0] for _, part in later])
        owner += [number] * len(cells)
        rows[5].append([position.scores[0] - position.scores[1]])
        won.append(shares[0])
    merged = [np.concatenate([np.asarray(part, dtype=np.float32) for part in row]) for row in rows]
    return Examples(
        merged[0],
        merged[1],
        merged[2],
        merged[3],
        merged[4],
        merged[5],
        np.asarray(owner, dtype=np.int32),
        np.asarray(won, dtype=np.float32),
    )


def squash(x: Floats) -> Floats:
    """The kernel's S-curve."""
    curve: Floats = 0.5 + 0.5 * x / np.sqrt(1 + x * x)
    return curve


def _slope(x: Floats) -> Floats:
    slope: Floats = 0.5 / (1 + x * x) ** 1.5
    return slope


def fit(data: Examples, weights: dict[str, Any], steps: int = 400) -> dict[str, Any]:
    """Weights that explain the examples, starting from the given ones."""
    w = np.asarray(weights["pay"], dtype=np.float32)
    w = _descend(w, lambda v: _pay_gradient(v, data), steps)
    lead = np.asarray(
        [weights[k] for k in _LEAD],
        dtype=np.float32,
    )
    crowd = float(weights["crowd"])
    features = _lead_features(data, crowd)
    rows = data.pay > 0
    lead = _descend(
        lead, lambda v: _lead_gradient(v, features[rows], data.share[rows], data.pay[rows]), steps
    )
    part = squash(features @ lead)
    expected = 3 * squash(data.inputs @ w)
    count = len(data.won)
    edge: Floats
    edge = np.bincount(data.owner, expected * (2 * part - 1), count) + data.banked
    still_open = np.bincount(data.owner, expected, count)
    best = (np.inf, 0.0, 0.0)
    for base in (1, 2, 4, 6, 8, 12, 16, 24):
        for per_open in (0.0, 0.02, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5):
            guess = np.clip(squash(edge / (base + per_open * still_open)), 1e-3, 1 - 1e-3)
            loss = -np.mean(data.won * np.log(guess) + (1 - data.won) * np.log(1 - guess))
            if loss < best[0]:
                best = (float(loss), float(base), float(per_open))
    found = dict(weights)
    found["pay"] = [round(float(v), 4) for v in w]
    for name, value in zip(_LEAD, lead, strict=True):
        found[name] = round(float(value), 4)
    found["spread_base"], found["spread_open"] = best[1], best[2]
    pay_error = float(np.mean((expected - data.pay) ** 2) / max(1e-9, float(np.var(data.pay))))
    lead_error = float(np.mean((part[rows] - data.share[rows]) ** 2) / 0.25)
    found_report = {"pay_error": pay_error, "lead_error": lead_error, "win_loss": best[0]}
    return {"weights": found, "report": {k: round(v, 4) for k, v in found_report.items()}}


def _pay_gradient(w: Floats, data: Examples) -> Floats:
    z = data.inputs @ w
    error = 3 * squash(z) - data.pay
    gradient: Floats = data.inputs.T @ (error * 3 * _slope(z)) / len(z)
    return gradient


def _lead_features(data: Examples, crowd: float) -> Floats:
    near = (data.near[:, 0] - data.near[:, 1]) / (data.near.sum(1) + crowd)
    far = (data.far[:, 0] - data.far[:, 1]) / (data.far.sum(1) + crowd)
    closed = data.inputs[:, 2]
    ahead = 10 * (data.far[:, 0] - data.far[:, 1])
    found: Floats = np.stack(
        [near, near * closed, far, far * closed, ahead, ahead * closed], axis=1
    )
    return found


def _lead_gradient(w: Floats, x: Floats, share: Floats, weight: Floats) -> Floats:
    z = x @ w
    error = (squash(z) - share) * weight
    gradient: Floats = x.T @ (error * _slope(z)) / len(z) + 1e-3 * w
    return gradient


def _descend(w: Floats, gradient: Any, steps: int) -> Floats:
    """Adam, full batch."""
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, steps + 1):
        g = gradient(w)
        mean = 0.9 * mean + 0.1 * g
        square = 0.99 * square + 0.01 * g * g
        rate = 0.05 * min(1.0, 3 * (1 - step / steps) + 0.05)
        w = w - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return w
