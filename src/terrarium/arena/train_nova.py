"""Learning Terra Nova's evaluation from self-play.

Every open cell of a sampled position is an example: its inputs now, and at the end of the game what it paid and which
part of that each seat got. The pay is fitted by least squares, the majority by least squares on cells that paid, and
the spread of the win share by maximum likelihood. A few hundred games are some hundred thousand examples for some
twenty weights. `tempo`, `crowd` and `reserve` are set by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium import nova
from terrarium.arena.selfplay import turns_of_a_game
from terrarium.engine.nova import brain
from terrarium.nova.events import TerritoryScored

__all__ = ["PLAYERS", "Examples", "collect", "fit"]

PLAYERS = (2, 3, 4)
_PAY_INPUTS = 12
_PAY_INPUTS_OF_TWO = 10
_SAMPLES = 12
_LEAD = ("near_lead", "near_closed", "far_lead", "far_closed", "count_lead", "count_closed")
_LEAD_OF_MANY = ("region_lead", "region_part")

Floats = NDArray[np.floating[Any]]


@dataclass
class Examples:
    """What some games taught: a row per cell, and a row per position; a column per seat where seats matter."""

    inputs: Floats
    near: Floats
    far: Floats
    region: Floats
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
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(Examples)
            if field.name != "owner"
        }
        return Examples(owner=np.concatenate(owners), **joined)


def collect(
    seed: int, weights: dict[str, Any], insist: float, board: str, players: int
) -> Examples:
    """Play one game and turn it into examples.

    Two play against each other alike. With more seats some are taken by plain tree search: among players who all build
    borders nobody would learn what becomes of land that is left open.
    """
    chance = random.Random(seed)
    start = nova.start(nova.Rules(players=players), nova.BOARDS[board])
    thinker = brain(start, weights)
    guests = chance.sample(range(players), chance.randint(1, players - 1)) if players > 2 else []
    history: list[Any] = []
    paid: dict[str, tuple[float, tuple[float, ...]]] = {}
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
    nothing = (0.0, (1 / players,) * players)
    chosen = chance.sample(history, min(_SAMPLES, len(history)))
    names = start.board.cells
    rows: dict[str, list[Any]] = {field.name: [] for field in fields(Examples)}
    for number, (position, before) in enumerate(chosen):
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
        rows["won"].append([outcome.shares(players)])
    return Examples(
        **{
            name: np.concatenate(
                [np.asarray(part, np.int32 if name == "owner" else np.float32) for part in found]
            )
            for name, found in rows.items()
        }
    )


def squash(x: Floats) -> Floats:
    """The kernel's S-curve."""
    curve: Floats = 0.5 + 0.5 * x / np.sqrt(1 + x * x)
    return curve


def _slope(x: Floats) -> Floats:
    slope: Floats = 0.5 / (1 + x * x) ** 1.5
    return slope


def fit(data: Examples, weights: dict[str, Any], steps: int = 400) -> dict[str, Any]:
    """Weights that explain the examples, starting from the given ones; what only counts among many is left at 0 for two."""
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
    expected = 3 * squash(data.inputs @ w)
    count = len(data.won)
    prospects: Floats = data.banked + np.stack(
        [np.bincount(data.owner, expected * part[:, s], count) for s in range(players)], axis=1
    )
    still_open = np.bincount(data.owner, expected, count)
    edge = _ahead(prospects)
    best = (np.inf, 0.0, 0.0)
    for base in (1, 2, 4, 6, 8, 12, 16, 24):
        for per_open in (0.0, 0.02, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5):
            spread = (base + per_open * still_open)[:, None]
            guess = np.clip(_parts(edge / spread), 1e-3, 1 - 1e-3)
            loss = -np.mean(np.sum(data.won * np.log(guess), axis=1))
            if loss < best[0]:
                best = (float(loss), float(base), float(per_open))
    found = dict(weights)
    found["pay"] = [round(float(v), 4) for v in w]
    for name, value in zip(names, lead, strict=True):
        found[name] = round(float(value), 4)
    found["spread_base"], found["spread_open"] = best[1], best[2]
    pay_error = float(np.mean((expected - data.pay) ** 2) / max(1e-9, float(np.var(data.pay))))
    even = data.share[rows] - 1 / players
    lead_error = float(np.sum((part[rows] - data.share[rows]) ** 2) / np.sum(even**2))
    found_report = {"pay_error": pay_error, "lead_error": lead_error, "win_loss": best[0]}
    return {"weights": found, "report": {k: round(v, 4) for k, v in found_report.items()}}


def _ahead(values: Floats) -> Floats:
    """By how much each seat's value exceeds the best of the others, along the last axis."""
    others = np.sort(values, axis=-1)
    best, second = others[..., -1:], others[..., -2:-1]
    ahead: Floats = values - np.where(values == best, second, best)
    return ahead


def _parts(z: Floats) -> Floats:
    """What goes to each seat, by the kernel's S-curve of how far it is ahead."""
    curve = squash(z)
    parts: Floats = curve / curve.sum(axis=-1, keepdims=True)
    return parts


def _pay_gradient(w: Floats, inputs: Floats, data: Examples) -> Floats:
    z = inputs @ w
    error = 3 * squash(z) - data.pay
    gradient: Floats = inputs.T @ (error * 3 * _slope(z)) / len(z)
    return gradient


def _lead_features(data: Examples, crowd: float) -> Floats:
    """Cells by seats by what speaks for the seat's majority there, in the order of the weights."""
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
    """Adam, full batch."""
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, steps + 1):
        g = gradient(w)
        mean = 0.9 * mean + 0.1 * g
        square = 0.99 * square + 0.01 * g * g
        rate = 0.05 * min(1.0, 3 * (1 - step / steps) + 0.05)
        w = w - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return w
