"""Stable-Baselines3: MaskablePPO learns Terra Turrium against a computer player.

pip install 'terrarium-games[rl]'
"""

from __future__ import annotations

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import terrarium.envs.gymnasium  # noqa: F401 - registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--rounds", type=int, default=20, help="most rounds of a game")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    env = gymnasium.make(
        "terrarium/TerraTurrium-v0", opponent=chosen.opponent, max_rounds=chosen.rounds
    )
    each = min(512, chosen.steps)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=each, batch_size=each, seed=1)
    model.learn(chosen.steps)
    print(f"learnt from {model.num_timesteps} actions")

    seen, _ = env.reset(seed=1)
    is_over, reward = False, 0.0
    while not is_over:
        masks = env.get_wrapper_attr("action_masks")()
        action, _ = model.predict(seen, action_masks=masks)
        seen, reward, is_over, _, _ = env.step(action)
    print(f"one game: {float(reward):+.1f}")


if __name__ == "__main__":
    main()
