"""PettingZoo's own tests pass on both games."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from pettingzoo.test import api_test, seed_test

from terrarium.envs.pettingzoo import env, raw_env
from terrarium.errors import IllegalAction, TerrariumError

CASES: list[dict[str, Any]] = [
    {"game": "nova", "pioneers": 2, "stones": 4, "stall_rounds": 2},
    {"game": "nova", "players": 4, "board": "crescent", "pioneers": 2, "stones": 3},
    {"game": "turrium", "max_rounds": 2},
    {"game": "turrium", "players": 3, "max_rounds": 2, "line": "path"},
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['game']}-{len(case)}")

# PettingZoo warns about a dictionary with a mask, though its own games use one.
prefers_arrays = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]
pytestmark = prefers_arrays


@each_case
def test_the_api_is_what_pettingzoo_expects(case: dict[str, Any]) -> None:
    api_test(env(**case), num_cycles=60)


@each_case
def test_the_same_seed_gives_the_same_game(case: dict[str, Any]) -> None:
    seed_test(lambda: env(**case), num_cycles=40)


@each_case
def test_a_game_ends_with_rewards_that_add_up_to_zero(case: dict[str, Any]) -> None:
    table = raw_env(**case)
    table.reset()
    total = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        seen, reward, is_over, _, _ = table.last()
        total[agent] += reward
        mask = seen["action_mask"]
        assert is_over or mask.sum() > 0
        table.step(None if is_over else int(mask.nonzero()[0][0]))
    assert table.position.outcome is not None
    assert sum(total.values()) == pytest.approx(0)
    shares = table.position.outcome.shares(len(total))
    assert max(total, key=lambda agent: total[agent]) in {
        agent for agent, share in zip(total, shares, strict=True) if share == max(shares)
    }


def test_only_the_agent_to_move_has_actions_and_others_are_refused() -> None:
    table = raw_env(game="turrium")
    table.reset()
    assert table.observe("seat_0")["action_mask"].sum() == 18
    assert table.observe("seat_1")["action_mask"].sum() == 0
    with pytest.raises(IllegalAction):
        table.step(1100)


def test_it_can_be_rendered() -> None:
    for mode, begins in (("ansi", "nova fr/2"), ("svg", "<svg")):
        table = raw_env(game="nova", render_mode=mode)
        table.reset()
        assert str(table.render()).startswith(begins)


@pytest.mark.parametrize("wrong", [{"game": "chess"}, {"board": "moon"}, {"players": 9}])
def test_an_impossible_game_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TerrariumError):
        env(**wrong)


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_copy_or_a_pickle_continues_the_same_game(game: str) -> None:
    table = raw_env(game=game, render_mode="rgb_array")
    table.reset()
    for _ in range(5):
        table.step(table.position.legal_ids()[0])
    for twin in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert twin.position == table.position
        twin.step(twin.position.legal_ids()[0])
        assert twin.position != table.position
        assert twin.observe("seat_0")["observation"].shape == twin.planes.shape
    assert table.render().shape[2] == 3


def test_an_argument_that_does_not_exist_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="frame_skip"):
        raw_env(frame_skip=4)
