"""The commands behind docs/strength.md run, and the page names each of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).parents[2]
QUICK = {
    "mcts": ["--game", "turrium", "--games", "2", "--time", "0.002", "--jobs", "1"],
    "openspiel": [
        "--game",
        "turrium",
        "--games",
        "1",
        "--simulations",
        "2",
        "--time",
        "0.02",
        "--jobs",
        "1",
    ],
}


@pytest.mark.parametrize("command", sorted(QUICK))
def test_a_figure_is_one_json_object(command: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.strength", command, *QUICK[command]],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=TREE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert 0 <= found["low"] <= found["score"] <= found["high"] <= 1


def test_the_page_names_every_command() -> None:
    page = (TREE / "docs" / "strength.md").read_text()
    for command in ("mcts", "seats", "openspiel", "ladder", "wins", "speed"):
        assert f"python -m bench.strength {command}" in page
