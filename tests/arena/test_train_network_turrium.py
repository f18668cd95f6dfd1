"""Training fits the same network of Terra Turrium that the engine computes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrarium import turrium
from terrarium.arena import train_network_turrium
from terrarium.arena.race import Network
from terrarium.arena.train import Plan, train
from terrarium.arena.train_network_turrium import Examples, Visited, examples, fit
from terrarium.engine.brain import trained_weights
from terrarium.engine.turrium import brain, facts_count
from terrarium.errors import EngineError

PLAN = Plan("turrium", rounds=2, games=20, seed=3, players=3, by="network")


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_network_turrium, "NODES", 100)
    monkeypatch.setattr(train_network_turrium, "NODES_SETTING", 2)
    monkeypatch.setattr(train_network_turrium, "EPOCHS", 2)


def random_game(players: int) -> list[Visited]:
    """Some turn starts of a random game."""
    chance = random.Random(players)
    position: Any = turrium.start(players=players)
    history: list[Visited] = []
    while position.outcome is None and len(history) < 90:
        if position.at_turn_start:
            history.append((position, [1 / players] * players))
        position = position.play(chance.choice(position.legal_ids()))
    return history[::8]


def drawn(players: int, seed: int = 1) -> Network:
    """A network whose parameters are all different from 0."""
    chance = np.random.default_rng(seed)
    network = Network.random(players, chance)
    network.flat += 0.05 * chance.standard_normal(network.flat.size).astype(np.float32)
    return network


def entropy(shares: Any, target: Any) -> float:
    return float(-np.mean(np.sum(target * np.log(shares), axis=1)))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_gradient_is_that_of_the_loss(players: int) -> None:
    chance = np.random.default_rng(2)
    facts = chance.random((5, facts_count(players)))
    target = chance.random((5, players))
    target /= target.sum(1, keepdims=True)
    network = Network(players, dtype=np.float64)
    network.flat[...] = drawn(players).flat
    found = network.named(network.gradient(facts, target))
    step = 1e-6
    for name, part in network.parts.items():
        for place in {0, part.size // 2, part.size - 1}:
            known = part.flat[place]
            part.flat[place] = known + step
            above = entropy(network.forecast(facts).shares, target)
            part.flat[place] = known - step
            below = entropy(network.forecast(facts).shares, target)
            part.flat[place] = known
            wanted = pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-9)
            assert found[name].flat[place] == wanted, (name, place)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_training_and_engine_compute_the_same_win_shares(players: int) -> None:
    stored = drawn(players).store()
    network = Network.load(stored, players)
    assert network.store() == stored
    history = random_game(players)
    thinker = brain(history[0][0], trained_weights("turrium") | {"network": stored})
    data = examples(thinker, history, [1.0] + [0.0] * (players - 1))
    found = network.forecast(data.facts).shares
    for (position, _), shares, won in zip(history, found, data.won, strict=True):
        seats = np.roll(shares, position.to_move)
        np.testing.assert_allclose(seats, thinker.network_shares(position), atol=1e-4)
        assert np.roll(won, position.to_move)[0] == 1
    assert np.ptp(found, axis=0).max() > 0.01, "the positions must have different values"


def test_facts_are_scaled_only_while_a_network_is_trained() -> None:
    network = drawn(3)
    facts = np.random.default_rng(1).random((4, facts_count(3)))
    mean, scale = np.linspace(-1, 1, facts.shape[1]), np.linspace(0.5, 2, facts.shape[1])
    known = network.forecast((facts - mean) / scale).shares
    found = network.for_plain(mean, scale).forecast(facts).shares
    np.testing.assert_allclose(found, known, atol=1e-4)


def test_training_learns_who_wins() -> None:
    history = random_game(3)
    one = examples(brain(history[0][0]), history, [1.0, 0.0, 0.0])
    data = Examples.join([one] * 120)
    assert np.unique(data.game).tolist() == list(range(120))
    # the seat with the largest of three facts wins
    chance = np.random.default_rng(1)
    data.facts[:, 20:23] = chance.random((len(data.game), 3))
    data.won = np.eye(3, dtype=np.float32)[data.facts[:, 20:23].argmax(1)]
    report = fit(data, {"weights": {}})["report"]
    assert report["win_loss"] < 0.9 < report["win_loss_before"]


def test_trained_weights_have_a_network_with_which_the_engine_plays(
    tmp_path: Path, pool: Executor, quick: None
) -> None:
    steps = list(train(PLAN, tmp_path / "one", pool, 1))
    reports = [step.report for step in steps if step.report is not None]
    assert [sorted(report) for report in reports] == [
        ["win_loss", "win_loss_before", "win_loss_certain"]
    ] * 2
    learnt = json.loads((tmp_path / "one" / "weights.json").read_text())
    assert learnt["command"].endswith("--by network --players 3")
    position = turrium.start(players=3)
    shares = brain(position, learnt["weights"]).network_shares(position)
    assert sum(shares) == pytest.approx(1, abs=1e-3)


def test_a_plan_with_too_few_games_is_refused(tmp_path: Path, pool: Executor) -> None:
    plan = Plan("turrium", players=3, games=19, by="network")
    with pytest.raises(EngineError, match="needs 20") as caught:
        next(train(plan, tmp_path / "training", pool, 1))
    assert caught.value.code == "bad-training"


@pytest.mark.parametrize("network", [3, {}, {"weights": [1, 2]}])
def test_a_network_of_the_wrong_size_is_refused(
    tmp_path: Path, pool: Executor, network: object
) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"weights": trained_weights("turrium") | {"network": network}}))
    with pytest.raises(EngineError) as caught:
        next(train(PLAN, tmp_path / "training", pool, 1, file))
    assert caught.value.code == "bad-weights"
