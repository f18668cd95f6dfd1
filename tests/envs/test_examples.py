"""Every example runs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK = {
    "openspiel_mcts.py": ["--game", "terra_turrium(max_rounds=1)", "--simulations", "5"],
    "pettingzoo_random.py": [],
    "gymnasium_opponent.py": ["--episodes", "1"],
    "arena_match.py": ["--games", "2", "--nodes", "60"],
    "batch_learner.py": ["--games", "32", "--steps", "50"],
    "maskable_ppo.py": ["--steps", "64", "--rounds", "2"],
    "torchrl_rollout.py": ["--steps", "40"],
    "alphazero_selfplay.py": ["--games", "2", "--actions", "60", "--rounds", "1", "--longest", "1"],
}
NEEDS = {
    "maskable_ppo.py": "sb3_contrib",
    "torchrl_rollout.py": "torchrl",
    "alphazero_selfplay.py": "torch",
}
"""Packages of the extra `rl`, which is too large for everybody's tests."""


WITH_A_SERVER = {"random_bot.py"}
"""Run by `tests/server/test_bots.py`."""


def test_all_of_them_are_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(QUICK) | WITH_A_SERVER


@pytest.mark.parametrize("name", sorted(QUICK))
def test_the_example_runs(name: str) -> None:
    needed = NEEDS.get(name)
    if needed and find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed: pip install 'terrarium-games[rl]'")
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *QUICK[name]],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
