"""Training fits the same network of Terra Nova that the engine computes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrarium import nova
from terrarium.arena import train_network_nova
from terrarium.arena.network import Batch, Network
from terrarium.arena.train import Plan, train
from terrarium.arena.train_network_nova import (
    Examples,
    Scored,
    Visited,
    batches,
    collect,
    examples,
    fit,
)
from terrarium.engine.brain import trained_weights
from terrarium.engine.nova import brain
from terrarium.engine.search import Search
from terrarium.errors import EngineError
from terrarium.nova.events import TerritoryScored

PLAN = Plan("nova", rounds=2, games=5, seed=3, board="two-bays", players=3, by="network")


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_network_nova, "NODES", 2)
    monkeypatch.setattr(train_network_nova, "NODES_PLACING", 2)
    monkeypatch.setattr(train_network_nova, "EPOCHS", 2)


def random_game(players: int) -> tuple[list[Visited], Scored, Any]:
    """Some turn starts of a random game with their numbers and some shares, the territories that scored, and the last position."""
    chance = random.Random(players)
    position: Any = nova.start(nova.Rules(players=players), nova.BOARDS["two-bays"])
    history: list[Visited] = []
    scored = []
    turn = 0
    while position.outcome is None:
        if position.at_turn_start:
            shares = [1 / players] * players
            history.append((turn, position, shares))
        position, events = position.step(chance.choice(position.legal_actions()))
        scored += [(turn, event) for event in events if isinstance(event, TerritoryScored)]
        turn += position.at_turn_start
    return history[:: max(1, len(history) // 8)], scored, position


def random_examples(players: int) -> Examples:
    history, scored, last = random_game(players)
    weights = trained_weights("nova_many")
    thinker = brain(last, weights)
    won = last.outcome.shares(players)
    return examples(thinker, weights, history, range(len(history)), scored, won)


def drawn(players: int, seed: int = 1) -> Network:
    """A network whose parameters are all different from 0."""
    chance = np.random.default_rng(seed)
    network = Network.random(players, chance)
    network.flat += 0.05 * chance.standard_normal(network.flat.size).astype(np.float32)
    return network


@pytest.mark.parametrize("players", [3, 4])
def test_the_gradient_is_that_of_the_loss(players: int) -> None:
    chance = np.random.default_rng(2)
    counts = np.array([4, 1, 3])
    total = int(counts.sum())
    # the first position is a row of four cells, the third a triangle
    around = np.full((6, total), total)
    around[0] = [1, 0, 1, 2, total, 6, 5, 5]
    around[1] = [total, 2, 3, total, total, 7, 7, 6]
    shares = chance.random((len(counts), players))
    batch = Batch(
        inputs=chance.random((total, 12 + 4 * players)),
        around=around,
        stands=chance.integers(-1, players, total),
        first=np.cumsum(counts) - counts,
        owner=np.repeat(np.arange(len(counts)), counts),
        facts=chance.random((len(counts), 4 + 3 * players)),
        points=chance.random((total, players)),
        target=shares / shares.sum(1, keepdims=True),
    )
    network = Network(players, dtype=np.float64)
    network.flat[...] = drawn(players).flat
    found = network.named(network.gradient(batch))
    step = 1e-6
    for name, part in network.parts.items():
        for place in {0, part.size // 2, part.size - 1}:
            known = part.flat[place]
            part.flat[place] = known + step
            above = network.loss(batch)
            part.flat[place] = known - step
            below = network.loss(batch)
            part.flat[place] = known
            wanted = pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-9)
            assert found[name].flat[place] == wanted, (name, place)


@pytest.mark.parametrize("players", [3, 4])
def test_training_and_engine_compute_the_same_win_shares(players: int) -> None:
    stored = drawn(players).store()
    network = Network.load(stored, players)
    assert network.store() == stored
    history, scored, last = random_game(players)
    weights = trained_weights("nova_many") | {"network": stored}
    thinker = brain(last, weights)
    won = last.outcome.shares(players)
    data = examples(thinker, weights, history, range(len(history)), scored, won)
    found = np.concatenate(
        [network.forecast(b).shares for b in batches(data, np.arange(len(history)))]
    )
    for (_, position, _), shares in zip(history, found, strict=True):
        seats = np.roll(shares, position.to_move)
        np.testing.assert_allclose(seats, thinker.network_shares(position), atol=1e-3)
    assert np.ptp(found, axis=0).max() > 0.01, "the positions must have different values"


def test_examples_have_the_points_that_cells_brought_after_the_position() -> None:
    players = 3
    history, scored, last = random_game(players)
    data = random_examples(players)
    assert any(last.scores)
    ends = np.cumsum(data.cells)
    for row, (turn, position, _) in enumerate(history):
        seats = np.roll(np.arange(players), -position.to_move)
        gained = sum(np.array(event.awards)[seats] for when, event in scored if when >= turn)
        points = data.points[ends[row] - data.cells[row] : ends[row]].sum(0)
        np.testing.assert_allclose(points, gained, atol=1e-3)


def test_joined_examples_keep_their_games_and_neighbours() -> None:
    one = random_examples(3)
    joined = Examples.join([one, one, Examples.join([one, one])])
    assert np.unique(joined.game).tolist() == [0, 1, 2, 3]
    count = len(one.cells)
    (first,) = batches(one, np.array([2]))
    (again,) = batches(joined, np.array([3 * count + 2]))
    for field in fields(Batch):
        assert np.array_equal(getattr(first, field.name), getattr(again, field.name))


def test_inputs_are_scaled_only_while_a_network_is_trained() -> None:
    data = random_examples(4)
    mean, scale = np.linspace(-1, 1, 28), np.linspace(0.5, 2, 28)
    network = drawn(4)
    (plain,) = batches(data, np.arange(len(data.cells)))
    (scaled,) = batches(data, np.arange(len(data.cells)), mean, scale)
    known = network.forecast(plain).points
    found = network.for_scaled(mean, scale)
    np.testing.assert_allclose(found.forecast(scaled).points, known, atol=1e-4)
    np.testing.assert_allclose(found.for_plain(mean, scale).flat, network.flat, atol=1e-5)


def test_training_learns_who_wins() -> None:
    data = Examples.join([random_examples(3)] * 5)
    chance = np.random.default_rng(1)
    # the seat with the most points wins
    data.facts[:, 4:7] = chance.random((len(data.cells), 3))
    data.won = data.target = np.eye(3, dtype=np.float32)[data.facts[:, 4:7].argmax(1)]
    before: dict[str, Any] = {"weights": {}}
    losses = []
    for _ in range(6):
        before = fit(data, before)
        losses.append(before["report"]["win_loss"])
    assert losses[-1] < losses[0] < 1.2


def test_trained_weights_have_a_network_with_which_the_engine_plays(
    tmp_path: Path, pool: Executor, quick: None
) -> None:
    steps = list(train(PLAN, tmp_path / "one", pool, 1))
    reports = [step.report for step in steps if step.report is not None]
    assert [sorted(report) for report in reports] == [
        ["cell_error", "cell_error_before", "win_loss", "win_loss_before"]
    ] * 2
    learnt = json.loads((tmp_path / "one" / "weights.json").read_text())
    assert learnt["command"].endswith("--by network --board two-bays --players 3")
    assert learnt["start"] == trained_weights("nova_many")
    first = json.loads((tmp_path / "one" / "round-1.json").read_text())["weights"]
    assert first["network"] != learnt["weights"]["network"]
    position = random_game(3)[0][-1][1]
    thinker = brain(position, learnt["weights"])
    assert sum(thinker.network_shares(position)) == pytest.approx(1, abs=1e-3)
    search = Search(position, thinker)
    search.run(nodes=50)
    position.play_all(search.turns()[0][0])
    list(train(PLAN, tmp_path / "two", pool, 1))
    assert json.loads((tmp_path / "two" / "weights.json").read_text()) == learnt


def test_games_are_played_on_several_boards_unless_the_plan_names_one(quick: None) -> None:
    weights = trained_weights("nova_many")
    sizes = {int(collect(seed, weights, 0.0, None, 4).cells.max()) for seed in range(4)}
    assert len(sizes) > 1


@pytest.mark.parametrize(
    ("plan", "code", "text"),
    [
        (Plan("nova", by="network"), "no-trainer", "nova with 2 players"),
        (Plan("nova", players=3, games=4, by="network"), "bad-training", "needs 5"),
    ],
)
def test_plans_without_a_network_are_refused(
    tmp_path: Path, pool: Executor, plan: Plan, code: str, text: str
) -> None:
    with pytest.raises(EngineError, match=text) as caught:
        next(train(plan, tmp_path / "training", pool, 1))
    assert caught.value.code == code
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("network", [3, {}, {"layers": 3, "weights": [1, 2]}])
def test_a_network_of_the_wrong_size_is_refused(
    tmp_path: Path, pool: Executor, network: object
) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"weights": trained_weights("nova_many") | {"network": network}}))
    with pytest.raises(EngineError) as caught:
        next(train(PLAN, tmp_path / "training", pool, 1, file))
    assert caught.value.code == "bad-weights"


def test_training_continues_with_the_network_of_a_file(
    tmp_path: Path, pool: Executor, quick: None
) -> None:
    file = tmp_path / "other.json"
    weights = trained_weights("nova_many") | {"network": drawn(3).store()}
    file.write_text(json.dumps({"weights": weights}))
    next(train(PLAN, tmp_path / "training", pool, 1, file))
    assert json.loads((tmp_path / "training" / "plan.json").read_text())["weights"] == weights
