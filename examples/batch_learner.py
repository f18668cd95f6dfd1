"""Many games in parallel for a learner. This example plays random games and counts how often each seat wins.

pip install 'terrarium-games[train]'
python examples/batch_learner.py
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from terrarium import turrium
from terrarium.envs.batch import Batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=256, help="games in parallel")
    parser.add_argument("--steps", type=int, default=400)
    chosen = parser.parse_args()
    batch = Batch(turrium.start(turrium.Rules(max_rounds=20)), chosen.games, seed=1)
    planes = np.empty((batch.size, *batch.planes.shape), dtype=np.float32)
    masks = np.empty((batch.size, batch.num_actions), dtype=np.uint8)
    won, ended = np.zeros(batch.players), 0
    begun = time.perf_counter()
    for _ in range(chosen.steps):
        batch.observe(planes)  # the input of a network
        batch.masks(masks)  # the actions that it may choose
        rewards, over = batch.step(batch.sample())
        won += rewards.sum(axis=0)
        ended += int(over.sum())
    spent = time.perf_counter() - begun
    actions = chosen.steps * batch.size
    print(
        f"{actions:,} actions observed and played in {spent:.2f} s, {actions / spent:,.0f} a second"
    )
    print(f"{ended} games ended; the seats won {won.tolist()}")


if __name__ == "__main__":
    main()
