"""Let OpenSpiel's own tree search play Terra Turrium against a random player.

pip install 'terrarium-games[openspiel]'
python examples/openspiel_mcts.py
"""

from __future__ import annotations

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.bots import uniform_random

import terrarium.envs.openspiel  # noqa: F401 - registers terra_nova and terra_turrium


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="terra_turrium(max_rounds=10)")
    parser.add_argument("--simulations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    random = np.random.RandomState(chosen.seed)
    game = pyspiel.load_game(chosen.game)
    print(
        f"{game}: {game.num_distinct_actions()} actions, planes {game.observation_tensor_shape()}"
    )
    searcher = mcts.MCTSBot(
        game, 2.0, chosen.simulations, mcts.RandomRolloutEvaluator(1, random), random_state=random
    )
    bots = [searcher]
    bots += [uniform_random.UniformRandomBot(seat, random) for seat in range(1, game.num_players())]
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bots[state.current_player()].step(state))
    print(state)
    print("returns", state.returns())


if __name__ == "__main__":
    main()
