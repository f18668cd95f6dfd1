"""`terrarium openings`: the same options give the same book; output and refusals of the commands."""

from __future__ import annotations

import json
from pathlib import Path

from terrarium import games
from terrarium.core.opening import key_of
from tests.cli.program import Program


def test_a_book_is_made_from_whole_games_and_the_same_twice(
    program: Program, tmp_path: Path
) -> None:
    books = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.jsonl"
        settings = ("--games", 12, "--level", 4, "--nodes", 60, "--at-least", 1)
        ran = program("openings", "make", "turrium", *settings, "-j", jobs, "-O", path)
        assert (ran.code, ran.err) == (0, "")
        assert "of 12 games" in ran.out
        books.append(path.read_text())
    assert books[0] == books[1]
    lines = {line["key"]: line["turns"] for line in map(json.loads, books[0].splitlines())}
    position = games["turrium"].start()
    assert sum(count for _, count, _ in lines[key_of(position)]) == 12
    # Every game is in the book up to the bound or its end: each turn of a single game has exactly one continuation.
    depth = 0
    while (turns := lines.get(key_of(position))) is not None:
        actions, count, wins = turns[-1]
        assert sum(wins) == count
        position, depth = position.play_all(actions), depth + 1
    assert position.outcome is not None or depth >= 40


def test_list_shows_the_first_turns(program: Program) -> None:
    ran = program("openings", "list", "nova")
    assert ran.code == 0
    for board in games["nova"].boards:
        assert f"{board}: " in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_wrong_arguments_are_refused(program: Program) -> None:
    for words in (("make", "chess"), ("make", "nova", "--level", 9), ("list", "chess")):
        ran = program("openings", *words)
        assert ran.code == 2, words
        assert ran.err.startswith("terrarium: ")
