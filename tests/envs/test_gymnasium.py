"""Gymnasium's own checks pass on both games."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import terrarium.envs.gymnasium
from terrarium.errors import InvalidArgument, TerrariumError

NAMES = ["terrarium/TerraNova-v0", "terrarium/TerraTurrium-v0"]
QUICK: dict[str, dict[str, Any]] = {
    NAMES[0]: {"pioneers": 3, "stones": 8, "stall_rounds": 2},
    NAMES[1]: {"max_rounds": 4},
}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_the_environment_is_what_gymnasium_expects(name: str, seat: int) -> None:
    check_env(gymnasium.make(name, seat=seat, render_mode="ansi").unwrapped)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_an_episode_is_a_game_against_the_others(name: str, players: int) -> None:
    table: Any = gymnasium.make(name, seat=1, players=players, nodes=30, **QUICK[name]).unwrapped
    seen, _ = table.reset(seed=3)
    reward, is_over = 0.0, False
    while not is_over:
        assert table.position.to_move == 1
        assert np.flatnonzero(seen["action_mask"]).tolist() == table.position.legal_ids()
        assert reward == 0
        action = int(seen["action_mask"].nonzero()[0][-1])
        seen, reward, is_over, is_cut, info = table.step(action)
        assert not is_cut
        assert info == {}
    share = table.position.outcome.shares(players)[1]
    assert reward == pytest.approx((players * share - 1) / (players - 1))


def test_the_seed_fixes_what_the_others_play() -> None:
    def positions(seed: int) -> list[str]:
        table: Any = gymnasium.make(NAMES[0], nodes=60).unwrapped
        seen, _ = table.reset(seed=seed)
        found = []
        for _ in range(16):
            seen, *_ = table.step(int(seen["action_mask"].nonzero()[0][0]))
            found.append(table.position.to_text())
        return found

    assert positions(1) == positions(1)
    assert positions(1) != positions(2)


def test_an_illegal_action_loses_and_says_why() -> None:
    table = gymnasium.make(NAMES[1]).unwrapped
    table.reset(seed=1)
    _, reward, is_over, _, info = table.step(1100)
    assert (reward, is_over) == (-1.0, True)
    assert "end" in info["illegal"]


def test_a_seat_or_an_opponent_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="seat=2"):
        gymnasium.make(NAMES[0], seat=2)
    with pytest.raises(TerrariumError):
        gymnasium.make(NAMES[0], game="chess")
    with pytest.raises(TerrariumError):
        gymnasium.make(NAMES[0], board="moon")
    with pytest.raises(TerrariumError, match="players are"):
        gymnasium.make(NAMES[0], opponent="nobody").reset()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opponent", ["level:1", "random", "greedy"])
def test_a_copy_or_a_pickle_continues_the_same_game(name: str, opponent: str) -> None:
    table: Any = gymnasium.make(name, opponent=opponent, nodes=30).unwrapped
    seen, _ = table.reset(seed=5)
    for _ in range(5):
        seen, *_ = table.step(int(seen["action_mask"].nonzero()[0][0]))
    twins = [pickle.loads(pickle.dumps(table)), copy.deepcopy(table)]
    for _ in range(6):
        action = int(seen["action_mask"].nonzero()[0][0])
        seen, *_ = table.step(action)
        for twin in twins:
            twin.step(action)
            assert twin.position == table.position


@pytest.mark.parametrize("name", NAMES)
def test_the_mask_is_also_a_method(name: str) -> None:
    table: Any = gymnasium.make(name)
    seen, _ = table.reset(seed=1)
    masks = table.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, seen["action_mask"] == 1)


def test_an_argument_that_does_not_exist_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="frame_skip"):
        terrarium.envs.gymnasium.TerraEnv("nova", frame_skip=4)


@pytest.mark.parametrize("name", NAMES)
def test_it_renders_pixels(name: str) -> None:
    table: Any = gymnasium.make(name, render_mode="rgb_array")
    table.reset(seed=1)
    picture = table.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert picture.shape[2] == 3
    assert picture.std() > 0


def test_gymnasium_finds_it_by_its_module_without_an_import() -> None:
    code = (
        "import gymnasium;"
        "env = gymnasium.make('terrarium.envs.gymnasium:terrarium/TerraTurrium-v0');"
        "print(env.reset(seed=1)[0]['observation'].shape)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout == "(33, 10, 10)\n", ran.stderr
