"""`terrarium puzzles`: what the commands print and refuse."""

from __future__ import annotations

import json
from pathlib import Path

from terrarium import games
from terrarium.puzzles import PuzzleFile
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


def test_check_continues_from_a_puzzle_or_takes_only_some(program: Program, tmp_path: Path) -> None:
    wins = [one for one in games["turrium"].puzzles.values() if one.goal == "win"][:3]
    path = tmp_path / "some.jsonl"
    wrong = wins[0].to_dict() | {"solution": ["end"]}
    lines = [wrong, *(puzzle.to_dict() for puzzle in wins[1:])]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    common = ("puzzles", "check", "turrium", "--file", path, "--nodes", 2_000)
    ran = program(*common, "--from", 2)
    assert (ran.code, ran.out) == (0, "Terra Turrium: 2 of 2 puzzles confirmed\n")
    ran = program(*common, "--only", wins[0].id, "--only", wins[2].id)
    assert ran.code == 1
    assert "1 of 2 puzzles confirmed" in ran.out
    assert program(*common, "--only", "00000000").code == 2
    assert program("puzzles", "check", "--from", 2).code == 2


def test_themes_writes_what_the_game_recognises_now(program: Program, tmp_path: Path) -> None:
    first, second = list(games["turrium"].puzzles.values())[:2]
    path = tmp_path / "some.jsonl"
    lines = [first.to_dict() | {"themes": ["old"]}, second.to_dict()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = program("puzzles", "themes", "turrium", "--file", path)
    assert (ran.code, ran.out) == (0, "Terra Turrium: 1 of 2 puzzles have other themes now\n")
    assert list(PuzzleFile(path)) == [first, second]


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
