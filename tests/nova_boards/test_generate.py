"""The board generator: the same island everywhere, and fair."""

from __future__ import annotations

import hashlib
from statistics import median

import pytest

from terrarium.errors import InvalidBoard
from terrarium.nova.board import BOARDS, Board, check
from terrarium.nova.generate import Fairness, fairness, generate
from tests.sizes import size


def test_a_seed_gives_the_same_board_on_every_machine() -> None:
    digest = hashlib.sha256(generate(7).to_text().encode()).hexdigest()
    assert digest[:16] == "40689a032e95dbcf"
    digest = hashlib.sha256(generate(2026, cells=72, landscapes=6).to_text().encode()).hexdigest()
    assert digest[:16] == "0e7e11148a7e5a10"


def test_another_seed_gives_another_board() -> None:
    maps = {generate(seed, cells=48, landscapes=4).to_text() for seed in range(6)}
    assert len(maps) == 6


@pytest.mark.parametrize(
    ("cells", "landscapes"),
    [
        (168, 8),
        (24, 4),
        (25, 4),
        (50, 7),
        (72, 12),
        (100, 9),
        pytest.param(400, 5, marks=pytest.mark.only_long),
    ],
)
def test_landscapes_have_equal_counts_and_are_connected(cells: int, landscapes: int) -> None:
    board = generate(11, cells, landscapes)
    judged = fairness(board)
    assert len(board) == cells
    assert len(judged.sizes) == landscapes
    assert max(judged.sizes) - min(judged.sizes) <= 1
    for number in range(landscapes):
        own = "".join(
            letter if letter in (" ", "\n", board.letters[number]) else " " for letter in board.map
        )
        # a map with only this landscape is connected, so its only problem is the number of landscapes
        assert [problem.code for problem in check(own)] == ["board-landscapes"]


@pytest.mark.slow
@pytest.mark.long
def test_generated_boards_are_fair() -> None:
    judged = [fairness(generate(seed)) for seed in range(size(1, 3))]
    assert all(min(one.borders) >= 3 for one in judged)
    assert all(max(one.fences) - min(one.fences) <= 4 for one in judged)
    assert median(one.unfairness for one in judged) < 16


def test_a_generated_board_says_how_to_make_it_again() -> None:
    board = generate(5, cells=60, landscapes=5)
    assert board.name == "seed-5"
    assert board.note == "Generated: seed 5, 60 cells, 5 landscapes."
    assert Board.from_toml(board.to_toml()) == board


def test_fairness_counts_fences_and_borders_cell_by_cell() -> None:
    board = Board.parse("A A B B\n C C D D")
    judged = fairness(board)
    assert judged.sizes == (2, 2, 2, 2)
    #  A A B B    around A: the first B and both C
    #   C C D D   around B: the second A, the second C and both D
    assert judged.fences == (3, 4, 4, 3)
    assert judged.borders == (2, 3, 3, 2)
    assert judged.unfairness > 0
    assert Fairness((5, 5), (7, 7), (300, 300), (1, 1)).unfairness == 0


def test_the_built_in_boards_are_about_as_fair_as_generated_ones() -> None:
    assert all(fairness(BOARDS[name]).unfairness < 25 for name in BOARDS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"seed": "7"},
        {"seed": True},
        {"seed": 1, "cells": 5},
        {"seed": 1, "cells": 5000},
        {"seed": 1, "landscapes": 3},
        {"seed": 1, "landscapes": 13},
        {"seed": 1, "cells": 60, "landscapes": 11},
        {"seed": 1, "cells": 100.0},
    ],
)
def test_senseless_parameters_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidBoard) as caught:
        generate(**wrong)
    assert caught.value.code == "board-generator"
