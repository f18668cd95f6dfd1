"""The puzzles in the games' packages: well formed, and a sample of them searched again."""

from __future__ import annotations

import json
from importlib import resources

import pytest

from terrarium import games
from terrarium.core.puzzle import Puzzle
from terrarium.engine import Limit
from terrarium.puzzles import check, themes_of
from tests.sizes import size

GAMES = ["nova", "turrium"]


def lines(game: str) -> list[str]:
    file = resources.files(games[game].package) / "puzzles.jsonl"
    return file.read_text("utf-8").splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_every_line_is_a_puzzle_with_a_legal_solution_and_a_unique_id(game: str) -> None:
    puzzles = [Puzzle.from_dict(json.loads(line)) for line in lines(game)]
    assert puzzles
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert list(games[game].puzzles.values()) == puzzles
    for puzzle, line in zip(puzzles, lines(game), strict=True):
        assert check(games[game], puzzle, None) is None, puzzle.id
        assert json.loads(line) == json.loads(json.dumps(puzzle.to_dict()))


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_the_themes_are_those_that_the_game_recognises(game: str) -> None:
    puzzles = list(games[game].puzzles.values())
    for puzzle in puzzles[:: len(puzzles) // size(8, len(puzzles))]:
        position = games[game].position(puzzle.position)
        assert puzzle.themes == themes_of(position, puzzle.solution), puzzle.id


@pytest.mark.parametrize("game", GAMES)
def test_there_are_at_least_400_puzzles(game: str) -> None:
    assert len(games[game].puzzles) >= 400


@pytest.mark.parametrize("game", GAMES)
def test_there_are_puzzles_for_two_seats_and_for_more(game: str) -> None:
    seats = {games[game].position(one.position).players for one in games[game].puzzles.values()}
    assert 2 in seats
    assert len(seats) > 1


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_search_finds_the_solution(game: str) -> None:
    puzzles = list(games[game].puzzles.values())
    count = min(size(3, 30), len(puzzles))
    for puzzle in puzzles[:: len(puzzles) // count][:count]:
        limit = Limit(nodes=games[game].puzzle_nodes)
        assert check(games[game], puzzle, limit) is None, puzzle.id
