"""`terrarium puzzles`: what the commands print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

from terrarium import games
from tests.cli.program import Program


def test_list_counts_puzzles_by_theme_level_and_seats(program: Program) -> None:
    puzzles = games["turrium"].puzzles.values()
    ran = program("puzzles", "list", "turrium")
    rows = {row.split()[0]: row.split() for row in ran.out.splitlines()}
    assert ran.code == 0
    assert rows["all"][-1] == str(len(puzzles))
    assert rows["win"][-1] == str(sum("win" in puzzle.themes for puzzle in puzzles))
    assert sum(map(int, rows["all"][1:9])) == len(puzzles)
    assert max(map(len, ran.out.splitlines())) <= 80


def test_check_reports_a_wrong_solution_with_exit_code_1(program: Program, tmp_path: Path) -> None:
    puzzle = next(one for one in games["turrium"].puzzles.values() if one.goal == "win")
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps(puzzle.to_dict()) + "\n")
    ran = program("puzzles", "check", "turrium", "--file", path, "--nodes", 2_000)
    assert (ran.code, ran.out) == (0, "Terra Turrium: 1 of 1 puzzles confirmed\n")
    path.write_text(json.dumps(puzzle.to_dict() | {"solution": ["end"]}) + "\n")
    ran = program("puzzles", "check", "turrium", "--file", path, "--nodes", 2_000)
    assert ran.code == 1
    assert puzzle.id in ran.out
    assert "0 of 1 puzzles confirmed" in ran.out


def test_wrong_arguments_are_refused(program: Program, tmp_path: Path) -> None:
    for words in (
        ("make", "chess"),
        ("make", "nova", "--players", 7),
        ("check", "--file", tmp_path / "none.jsonl"),
        ("check", "nova", "--file", tmp_path / "none.jsonl"),
    ):
        ran = program("puzzles", *words)
        assert ran.code == 2, words
        assert ran.err.startswith("terrarium: ")
