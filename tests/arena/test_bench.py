"""The commands behind docs/strength.md run, and the page names each of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from bench import baseline

TREE = Path(__file__).parents[2]
QUICK = {
    "mcts": ["--game", "turrium", "--games", "2", "--time", "0.002", "--jobs", "1"],
    "threads": ["--game", "turrium", "--games", "2", "--time", "0.002", "--threads", "1"],
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


def figure(*words: str) -> dict[str, Any]:
    """The output of a command of bench/strength.py."""
    ran = subprocess.run(
        [sys.executable, "-m", "bench.strength", *words],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=TREE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return cast(dict[str, Any], json.loads(ran.stdout))


@pytest.mark.parametrize("command", sorted(QUICK))
def test_a_figure_is_one_json_object(command: str) -> None:
    found = figure(command, *QUICK[command])
    assert 0 <= found["low"] <= found["score"] <= found["high"] <= 1


@pytest.mark.skipif(not (TREE / ".git").exists(), reason="only a checkout knows earlier commits")
@pytest.mark.parametrize(
    "limit", [["--nodes", "50", "--players", "3"], ["--time", "0.002", "--sprt", "0", "30"]]
)
def test_the_engine_plays_against_that_of_an_earlier_commit(
    limit: list[str], tmp_path: Path
) -> None:
    found = figure(
        "versus",
        "--baseline",
        "HEAD",
        "--game",
        "turrium",
        "--games",
        "2",
        "--jobs",
        "1",
        "--folder",
        str(tmp_path),
        *limit,
    )
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=TREE, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert (tmp_path / commit / "src" / "terrarium").is_dir()
    assert found["second"] == f"level 8 of {commit[:10]}"
    assert found["games"] == 2
    assert found["faults"] == 0
    assert found["of_fair_share"][0] == pytest.approx(found["score"] * found["players"], abs=0.01)


@pytest.mark.skipif(not (TREE / ".git").exists(), reason="only a checkout knows earlier commits")
@pytest.mark.parametrize("commit", ["bd56524", None])
def test_the_clock_of_a_copy_becomes_processor_time(commit: str | None, tmp_path: Path) -> None:
    folder = tmp_path / "terrarium" / "engine"
    folder.mkdir(parents=True)
    for name in ("clock.pxd", "engine.py"):
        path = f"src/terrarium/engine/{name}"
        if commit is None:
            shutil.copy(TREE / path, folder / name)
        else:
            shown = subprocess.run(
                ["git", "show", f"{commit}:{path}"], cwd=TREE, capture_output=True, check=False
            )
            if shown.returncode != 0:
                pytest.skip(f"commit {commit} is not in this checkout")
            (folder / name).write_bytes(shown.stdout)
    baseline.use_processor_time(tmp_path)
    clock, engine = ((folder / name).read_text() for name in ("clock.pxd", "engine.py"))
    assert "clock_gettime(CLOCK_PROCESS_CPUTIME_ID," in clock
    assert "CLOCK_MONOTONIC" not in clock
    assert "from time import process_time as monotonic\n" in engine
    with pytest.raises(SystemExit, match="can't be changed"):
        baseline.use_processor_time(tmp_path)


@pytest.mark.skipif(
    not (TREE / ".git").exists() or os.environ.get("TERRARIUM_LONG") != "1",
    reason="compiles the search twice: TERRARIUM_LONG=1, in a checkout",
)
def test_a_match_can_be_limited_by_processor_time(tmp_path: Path) -> None:
    words = ["--clock", "processor", "--folder", str(tmp_path), "--games", "2", "--jobs", "1"]
    quick = ["--game", "turrium", "--time", "0.002"]
    found = figure("versus", "--baseline", "HEAD", *quick, *words)
    assert found["clock"] == "processor"
    assert found["faults"] == 0
    assert list(tmp_path.glob("*-processor/src/terrarium"))
    assert figure("mcts", *quick, *words)["clock"] == "processor"


def test_the_page_names_every_command() -> None:
    page = (TREE / "docs" / "strength.md").read_text()
    for command in ("mcts", "seats", "openspiel", "ladder", "wins", "versus", "threads", "speed"):
        assert f"python -m bench.strength {command}" in page
