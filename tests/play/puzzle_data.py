"""Puzzles for tests, instead of those in the games' packages. A server started with `PROGRAM` has them too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from terrarium import games
from terrarium.core import game
from terrarium.core.puzzle import Puzzle

FOLDER = Path(__file__).parent / "puzzles"
PROGRAM = """
import sys
from terrarium.core import game
from tests.play.puzzle_data import puzzles_of
game.read_puzzles = puzzles_of
from terrarium.cli import main
sys.exit(main())
"""


@cache
def puzzles_of(package: str) -> Mapping[str, Puzzle]:
    """The puzzles of a game's package, by id."""
    file = FOLDER / f"{package.rpartition('.')[2]}.jsonl"
    if not file.is_file():
        return {}
    found = [Puzzle.from_dict(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    return {puzzle.id: puzzle for puzzle in found}


@pytest.fixture
def own_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the puzzles of the games by those for tests."""
    monkeypatch.setattr(game, "read_puzzles", puzzles_of)


def wrong_turn(puzzle: Puzzle) -> list[str]:
    """A complete legal turn that does not solve the puzzle."""
    name = puzzle.position.split(" ", 1)[0]
    start = games[name].position(puzzle.position)
    solved = start.play_all(puzzle.solution)
    position, actions = start, list[str]()
    while not actions or not (position.at_turn_start or position.outcome):
        legal = position.legal_actions()
        end = [action for action in legal if action.kind == "end"]
        # Choose the last legal action, which is rarely part of the solution.
        action = end[0] if end else legal[-1]
        actions.append(str(action))
        position = position.play(action)
    assert position != solved
    return actions
