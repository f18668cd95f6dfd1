"""Every example runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
QUICK = {
    "openspiel_mcts.py": ["--game", "terra_turrium(max_rounds=1)", "--simulations", "5"],
    "pettingzoo_random.py": [],
    "gymnasium_opponent.py": ["--episodes", "1"],
    "arena_match.py": ["--games", "2", "--nodes", "60"],
    "batch_learner.py": ["--games", "32", "--steps", "50"],
}


def test_all_of_them_are_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(QUICK)


@pytest.mark.parametrize("name", sorted(QUICK))
def test_the_example_runs(name: str) -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *QUICK[name]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
