"""Training fits the same evaluation of Terra Nova that the kernel uses."""

from __future__ import annotations

import random

import numpy as np
import pytest

from terrarium import nova
from terrarium.arena.train_nova import Examples, examples, fit, judge
from terrarium.engine.brain import trained_weights
from terrarium.engine.nova import brain


def positions(players: int) -> list[nova.Position]:
    """Some positions at the start of a turn, from a random game."""
    chance = random.Random(players)
    position = nova.start(nova.Rules(players=players), nova.BOARDS["two-bays"])
    found = []
    while position.outcome is None:
        if position.phase == "play" and position.at_turn_start:
            found.append(position)
        position = position.play(chance.choice(position.legal_actions()))
    return found[:: max(1, len(found) // 8)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_training_and_kernel_evaluate_positions_alike(players: int) -> None:
    weights = trained_weights("nova" if players == 2 else "nova_many") | {"tempo": 0.0}
    looked_at = positions(players)
    assert len(looked_at) >= 8
    assert any(position.stall for position in looked_at)
    thinker = brain(looked_at[0], weights)
    data = examples(thinker, [(p, {}) for p in looked_at], {}, (1 / players,) * players)
    expected = np.array([thinker.evaluate(position)[0] for position in looked_at])
    assert np.ptp(expected) > 0.05, "the positions must have different values"
    np.testing.assert_allclose(judge(data, weights), expected, atol=2e-4)


def played(winner_stays: bool) -> Examples:
    """Positions that differ only in the seat with pioneers on open land."""
    chance = np.random.default_rng(1)
    count, players, wide = 300, 4, 5
    cells = np.repeat(np.arange(count), wide).astype(np.int32)
    even = np.full((len(cells), players), 0.25, np.float32)
    stands = chance.integers(0, players, (count, wide)).astype(np.int32)
    held = np.stack([(stands == seat).sum(1) for seat in range(players)], axis=1)
    winner = held.argmax(1) if winner_stays else held.argmin(1)
    return Examples(
        inputs=chance.random((len(cells), 12)).astype(np.float32),
        near=even,
        far=even,
        region=even,
        pay=chance.integers(0, 2, len(cells)).astype(np.float32),
        share=np.tile(np.array([[0.4, 0.3, 0.2, 0.1]], np.float32), (len(cells), 1)),
        banked=np.zeros((count, players), np.float32),
        in_play=np.ones(count, np.float32),
        most=np.full(count, 3, np.float32),
        stands=stands.ravel(),
        owner=cells,
        won=np.eye(players, dtype=np.float32)[winner],
    )


def test_pioneers_on_open_land_get_a_positive_weight_if_their_owners_win() -> None:
    start = trained_weights("nova")
    assert fit(played(winner_stays=True), {"weights": start}, steps=5)["weights"]["reserve"] > 0
    assert fit(played(winner_stays=False), {"weights": start}, steps=5)["weights"]["reserve"] == 0
