"""OpenSpiel's own tests pass on both games, and committed playthroughs are reproduced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation

import terrarium.envs.openspiel
from terrarium.envs.batch import random_game

QUICK_NOVA = "stones=5,pioneers=3,stall_rounds=2"
PLAYTHROUGHS = Path(__file__).parent / "playthroughs"
PLAYED = {
    "terra_nova": "terra_nova(pioneers=1,stones=2,stall_rounds=1,board=crescent)",
    "terra_turrium": "terra_turrium(max_rounds=1)",
}


@pytest.mark.parametrize(
    "game",
    [
        *(f"terra_nova(players={players},{QUICK_NOVA})" for players in (2, 3, 4)),
        f"terra_nova(edition=en,returning=never,depletion=no,board=crescent,{QUICK_NOVA})",
        *(f"terra_turrium(players={players},max_rounds=3)" for players in (2, 3, 4)),
        "terra_turrium(variant=burgenland,line=path,vacant_attack=false,max_rounds=3)",
    ],
)
def test_open_spiels_own_random_test_passes(game: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(game), num_sims=2, serialize=True, verbose=False)


def test_a_whole_game_with_the_usual_rules_passes_too() -> None:
    for game in ("terra_nova(stall_rounds=3)", "terra_turrium(max_rounds=20)"):
        pyspiel.random_sim_test(pyspiel.load_game(game), num_sims=1, serialize=False, verbose=False)


def test_the_games_are_known_by_name_with_their_options() -> None:
    names = pyspiel.registered_names()
    assert {"terra_nova", "terra_turrium"} <= set(names)
    game = pyspiel.load_game("terra_nova(players=3,edition=en)")
    assert game.num_players() == 3
    assert game.num_distinct_actions() == terrarium.nova.start().num_actions
    assert pyspiel.load_game(str(game)).num_players() == 3
    assert pyspiel.load_game("terra_turrium").num_distinct_actions() == 1101
    for wrong in ("terra_nova(edition=xx)", "terra_nova(board=moon)", "terra_turrium(players=5)"):
        with pytest.raises(Exception, match=r"xx|moon|players"):
            pyspiel.load_game(wrong)


@pytest.mark.parametrize("name", ["terra_nova", "terra_turrium"])
def test_states_are_positions(name: str) -> None:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    position = state.position
    for _ in range(40):
        assert state.legal_actions() == position.legal_ids() == sorted(position.legal_ids())
        action = state.legal_actions()[len(state.history()) % len(state.legal_actions())]
        assert state.action_to_string(action) == str(position.action(action))
        copy = state.clone()
        state.apply_action(action)
        assert str(copy) == position.to_text(), "a clone is independent"
        position = position.play(action)
        assert str(state) == position.to_text()
    again = game.new_initial_state({"position": position.to_text()})
    assert again.position == position


def test_observations_are_the_planes() -> None:
    game = pyspiel.load_game("terra_turrium(players=3)")
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    observation = make_observation(game)
    for player in range(3):
        observation.set_from(state, player)
        shown = game.planes.observe(state.position, player)
        assert np.array_equal(observation.dict["observation"], shown)
        assert np.array_equal(state.observation_tensor(player), shown.ravel())


@pytest.mark.filterwarnings("ignore:The chararray class is deprecated")  # OpenSpiel, NumPy 2.5
@pytest.mark.parametrize("name", sorted(PLAYED))
def test_the_playthrough_is_reproduced(name: str) -> None:
    """To update the files after a change of the rules, write the result of `playthrough` into them."""
    written = (PLAYTHROUGHS / f"{name}.txt").read_text()
    assert playthrough(name) == written


def playthrough(name: str) -> str:
    """OpenSpiel's own text of a game with the given seed."""
    # This imports SciPy, which takes seconds that test collection should not pay.
    from open_spiel.python.algorithms import generate_playthrough

    return str(generate_playthrough.playthrough(PLAYED[name], None, seed=1234))


def test_random_games_in_the_kernel_are_those_that_open_spiel_plays() -> None:
    game = pyspiel.load_game(f"terra_nova({QUICK_NOVA},stones=12)".replace("stones=5,", ""))
    state = game.new_initial_state()
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    theirs = np.array([evaluator.evaluate(state) for _ in range(300)])
    ours = np.array([random_game(state.position, seed) for seed in range(3000)])
    assert np.allclose(ours.sum(axis=1), 0)
    for value in (-1.0, 0.0, 1.0):
        often = (theirs[:, 0] == value).mean(), (ours[:, 0] == value).mean()
        assert abs(often[0] - often[1]) < 0.1  # more than three standard errors
