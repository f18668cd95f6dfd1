"""Play one seat against the computer in Gymnasium; here with random actions.

pip install 'terrarium-games[gymnasium]'
python examples/gymnasium_opponent.py
"""

from __future__ import annotations

import argparse

import gymnasium

import terrarium.envs.gymnasium  # noqa: F401 - registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opponent", default="level:1")
    parser.add_argument("--episodes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    table = gymnasium.make("terrarium/TerraTurrium-v0", opponent=chosen.opponent, max_rounds=20)
    table.action_space.seed(chosen.seed)
    for episode in range(chosen.episodes):
        seen, _ = table.reset(seed=chosen.seed + episode)
        reward, is_over, steps = 0.0, False, 0
        while not is_over:
            action = table.action_space.sample(seen["action_mask"])
            seen, reward, is_over, _, _ = table.step(action)
            steps += 1
        print(f"episode {episode + 1}: {steps} actions, reward {reward:+.1f}")
    table.close()


if __name__ == "__main__":
    main()
