"""Gymnasium's VectorEnv over a batch: the caller plays every seat, and games begin and end independently."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from terrarium import games
from terrarium.envs.vector import TerraVectorEnv
from terrarium.errors import IllegalAction, InvalidArgument

QUICK: dict[str, dict[str, Any]] = {
    "nova": {"pioneers": 2, "stones": 5, "stall_rounds": 2},
    "turrium": {"max_rounds": 3},
}


@pytest.mark.parametrize("game", sorted(QUICK))
def test_observations_and_rewards_are_those_of_the_positions(game: str) -> None:
    envs = TerraVectorEnv(game, 5, **QUICK[game])
    start = games[game].start(**QUICK[game])
    seen, info = envs.reset(seed=1)
    assert seen in envs.observation_space
    positions: list[Any] = [start] * 5
    ended = 0
    for _ in range(200):
        actors = [position.to_move for position in positions]
        assert info["to_move"].tolist() == actors
        actions = envs.batch.sample()
        seen, rewards, terminated, truncated, info = envs.step(actions)
        assert not truncated.any()
        for index, action in enumerate(actions.tolist()):
            position = positions[index].play(action)
            assert terminated[index] == (position.outcome is not None)
            if position.outcome is not None:
                ended += 1
                share = position.outcome.shares(2)[actors[index]]
                assert rewards[index] == 2 * share - 1
                assert info["_final_obs"][index]
                last = envs.batch.planes.observe(position, actors[index])
                assert np.array_equal(info["final_obs"][index]["observation"], last)
                position = start
            positions[index] = position
            view = envs.batch.planes.observe(position, position.to_move)
            assert np.array_equal(seen["observation"][index], view)
            assert np.flatnonzero(seen["action_mask"][index]).tolist() == position.legal_ids()
            assert np.array_equal(envs.action_masks()[index], seen["action_mask"][index] == 1)
    assert ended > 0


def test_each_game_can_start_from_its_own_position_and_restarts_there() -> None:
    start = games["turrium"].start(max_rounds=2)
    second = start.play(start.legal_ids()[0])
    starts = [start, second, second.play(second.legal_ids()[3])]
    envs = TerraVectorEnv("turrium", 3, starts=starts)
    envs.reset()
    over = np.zeros(3, dtype=bool)
    while not over.all():
        _, _, ended, _, _ = envs.step(envs.batch.sample())
        for index in np.flatnonzero(ended).tolist():
            assert envs.batch.position(index) == starts[index]
        over |= ended


def test_without_autoreset_a_game_waits_at_its_end_for_its_own_reset() -> None:
    envs = TerraVectorEnv(
        "turrium", 4, autoreset_mode=AutoresetMode.DISABLED, max_rounds=1, players=2
    )
    envs.reset()
    ended = np.zeros(4, dtype=bool)
    while not ended.any():
        _, _, ended, _, info = envs.step(envs.batch.sample())
    assert "final_obs" not in info
    waiting = [envs.batch.position(index) for index in range(4)]
    with pytest.raises(IllegalAction):
        envs.step(envs.batch.sample())
    envs.reset(options={"reset_mask": ended})
    for index in range(4):
        assert envs.batch.position(index) == (envs.starts[0] if ended[index] else waiting[index])
    with pytest.raises(InvalidArgument):
        envs.reset(options={"reset_mask": [True]})


def test_gymnasium_makes_it_by_name() -> None:
    envs: Any = gymnasium.make_vec(
        "terrarium.envs.gymnasium:terrarium/TerraNova-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        players=3,
    )
    seen, _ = envs.reset(seed=1)
    assert seen["observation"].shape == (3, 30, 17, 17)


def test_it_is_copied_and_pickled_with_its_games_and_its_random_state() -> None:
    envs = TerraVectorEnv("nova", 3)
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.batch.sample())
    for twin in (pickle.loads(pickle.dumps(envs)), copy.deepcopy(envs)):
        here = copy.deepcopy(envs)
        for _ in range(30):
            actions = here.batch.sample()
            assert np.array_equal(actions, twin.batch.sample())
            one, other = here.step(actions), twin.step(actions)
            assert np.array_equal(one[0]["observation"], other[0]["observation"])


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="chess"):
        TerraVectorEnv("chess", 2)
    with pytest.raises(TypeError, match="colour"):
        TerraVectorEnv("nova", 2, colour="red")
    with pytest.raises(InvalidArgument, match="SAME_STEP"):
        TerraVectorEnv("nova", 2, autoreset_mode=AutoresetMode.NEXT_STEP)
    with pytest.raises(InvalidArgument, match="same rules"):
        TerraVectorEnv("nova", 2, starts=[games["nova"].start(), games["nova"].start(players=3)])
