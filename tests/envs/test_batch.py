"""Games in a batch are the same as games played with positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium import nova, turrium
from terrarium.envs.batch import Batch, random_game
from terrarium.errors import IllegalAction, InvalidArgument

QUICK = {
    "nova": {"pioneers": 2, "stones": 5, "stall_rounds": 2},
    "turrium": {"max_rounds": 3},
}


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", sorted(QUICK))
def test_a_batch_plays_what_positions_play(game: str, players: int) -> None:
    start = terrarium.games[game].start(players=players, **QUICK[game])
    batch = Batch(start, 6, seed=players)
    positions: list[Any] = [start] * 6
    ended = 0
    for _ in range(150):
        masks, planes = batch.masks(), batch.observe()
        for index, position in enumerate(positions):
            assert batch.position(index) == position
            assert batch.position(index).to_text() == position.to_text()
            assert np.flatnonzero(masks[index]).tolist() == position.legal_ids()
            seen = batch.planes.observe(position, position.to_move)
            assert np.array_equal(planes[index], seen)
        assert batch.to_move().tolist() == [position.to_move for position in positions]
        actions = batch.sample()
        rewards, over = batch.step(actions)
        positions = [p.play(a) for p, a in zip(positions, actions.tolist(), strict=True)]
        for index, position in enumerate(positions):
            assert bool(over[index]) == (position.outcome is not None)
            if position.outcome is None:
                assert not rewards[index].any()
                continue
            ended += 1
            shares = np.array(position.outcome.shares(players))
            assert np.allclose(rewards[index], (players * shares - 1) / (players - 1))
            assert rewards[index].sum() == pytest.approx(0, abs=1e-6)
            positions[index] = start
    assert ended > 0


def test_the_same_seed_gives_the_same_games() -> None:
    first, second = (Batch(nova.start(), 8, seed=5) for _ in range(2))
    for _ in range(100):
        chosen = first.sample()
        assert np.array_equal(chosen, second.sample())
        first.step(chosen)
        second.step(chosen)


def test_an_illegal_action_is_named_and_nothing_is_played() -> None:
    batch = Batch(turrium.start(), 3, seed=1)
    actions = batch.sample()
    actions[1] = 1100
    with pytest.raises(IllegalAction, match="game 1: end"):
        batch.step(actions)
    assert all(batch.position(index) == turrium.start() for index in range(3))
    for wrong in (-1, 10**6):
        actions[1] = wrong
        with pytest.raises(ValueError, match="ids of actions"):
            batch.step(actions)


def test_invalid_batches_are_refused() -> None:
    for size in (0, -1, 1.5, True, 10**9):
        with pytest.raises(InvalidArgument):
            Batch(nova.start(), size)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="over"):
        Batch(nova.start().resign(0), 2)
    batch = Batch(nova.start(), 2)
    with pytest.raises(InvalidArgument, match="3 actions for 2 games"):
        batch.step([1, 2, 3])
    with pytest.raises(InvalidArgument):
        batch.position(2)
    with pytest.raises(InvalidArgument):
        batch.observe(np.zeros((1, 2, 3, 4), dtype=np.float32))
    with pytest.raises(InvalidArgument):
        batch.masks(np.zeros((2, 7), dtype=np.uint8))


def test_only_integers_in_range_are_actions() -> None:
    batch = Batch(nova.start(), 2)
    for wrong in ([2**40, 2**40], [-(2**40), 0], [2**32, 2**32]):
        with pytest.raises(ValueError, match="ids of actions"):
            batch.step(wrong)
    for shape in ([1.0, 2.0], [[1, 2]], 7, None, [True, False], ["@a3", "@a4"]):
        with pytest.raises(InvalidArgument):
            batch.step(shape)  # type: ignore[arg-type]
    assert all(batch.position(index) == nova.start() for index in range(2))


def test_games_begin_at_a_position_with_a_seed() -> None:
    nothing: Any = None
    for begin in (lambda: Batch(nothing, 2), lambda: random_game(nothing, 1)):
        with pytest.raises(InvalidArgument, match="start from a position"):
            begin()
    seed: Any
    for seed in ("1", 1.5, None, True):
        with pytest.raises(InvalidArgument, match="seed"):
            random_game(nova.start(), seed)
