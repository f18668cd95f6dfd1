"""The built-in boards have the properties that their notes describe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import terrarium.nova.board as board_module
from terrarium.nova.board import BOARDS, Board, check_file
from terrarium.nova.fairness import fairness

FOLDER = Path(board_module.__file__).parent / "boards"


def cells_of(board: Board, landscape: int) -> set[int]:
    return {cell for cell, own in enumerate(board.landscape_of) if own == landscape}


def is_connected(board: Board, cells: set[int]) -> bool:
    start = min(cells)
    seen, open_ = {start}, [start]
    while open_:
        for near in board.neighbours[open_.pop()]:
            if near in cells and near not in seen:
                seen.add(near)
                open_.append(near)
    return seen == cells


def test_the_default_comes_first() -> None:
    assert next(iter(BOARDS)) == "terra-nova"
    assert set(BOARDS) == {"terra-nova", "crater-lake", "crescent", "two-bays"}
    assert "atlantis" not in BOARDS


@pytest.mark.parametrize(
    ("name", "cells", "landscapes", "each"),
    [
        ("terra-nova", 168, 8, 21),
        ("crater-lake", 168, 8, 21),
        ("crescent", 112, 7, 16),
        ("two-bays", 72, 6, 12),
    ],
)
def test_the_counts_are_those_of_the_note(
    name: str, cells: int, landscapes: int, each: int
) -> None:
    board = BOARDS[name]
    assert len(board) == cells
    assert fairness(board).sizes == (each,) * landscapes
    assert str(cells) in board.note
    assert str(each) in board.note


@pytest.mark.parametrize("name", list(BOARDS))
def test_every_landscape_is_one_piece_and_borders_at_least_three_others(name: str) -> None:
    board = BOARDS[name]
    assert all(is_connected(board, cells_of(board, n)) for n in range(len(board.letters)))
    assert min(fairness(board).borders) >= 3


@pytest.mark.parametrize("name", list(BOARDS))
def test_every_board_names_itself_its_author_and_its_landscapes(name: str) -> None:
    board = BOARDS[name]
    assert board.name == name
    assert board.author == "Terrarium"
    assert board.note.startswith("Our own design")
    assert all(key.isalpha() and key.islower() for key in board.landscapes.values())
    assert "lake" in board.landscapes.values()
    assert check_file(FOLDER / f"{name}.toml") == []
    assert (FOLDER / f"{name}.toml").read_text(encoding="utf-8") == board.to_toml()


@pytest.mark.parametrize("name", ["terra-nova", "crater-lake"])
def test_the_large_islands_are_roughly_circular(name: str) -> None:
    board = BOARDS[name]
    across = [x for x, _ in board.centres]
    down = [y for _, y in board.centres]
    width, height = max(across) - min(across), max(down) - min(down)
    assert 0.85 < width / height < 1.15
    middle_x, middle_y = sum(across) / len(across), sum(down) / len(down)
    # the radius of a disc with the area of this many hexes with sides of 1
    radius = (len(board) * 1.5 * 3**0.5 / 3.14159) ** 0.5
    farthest = max(((x - middle_x) ** 2 + (y - middle_y) ** 2) ** 0.5 for x, y in board.centres)
    assert farthest < 1.3 * radius


def test_the_landscapes_of_terra_nova_do_not_meet_in_the_middle_like_slices() -> None:
    board = BOARDS["terra-nova"]
    middle_x = sum(x for x, _ in board.centres) / len(board)
    middle_y = sum(y for _, y in board.centres) / len(board)
    near = {
        board.landscape_of[cell]
        for cell, (x, y) in enumerate(board.centres)
        if ((x - middle_x) ** 2 + (y - middle_y) ** 2) ** 0.5 < 3
    }
    assert len(near) <= 5
    coastal = {board.landscape_of[c] for c, n in enumerate(board.neighbours) if -1 in n}
    assert len(coastal) == 6


def test_the_coast_of_terra_nova_has_bays_and_headlands() -> None:
    board = BOARDS["terra-nova"]
    neighbours = [sum(near >= 0 for near in nears) for nears in board.neighbours]
    assert sum(count <= 3 for count in neighbours) >= 10, "headlands"
    assert sum(count == 5 for count in neighbours) >= 6, "bays"


def test_the_crater_lake_lies_in_the_middle_and_borders_every_other_landscape() -> None:
    board = BOARDS["crater-lake"]
    lake = list(board.landscapes.values()).index("lake")
    assert fairness(board).borders[lake] == 7
    assert all(-1 not in board.neighbours[cell] for cell in cells_of(board, lake))


def test_a_board_is_built_in_when_its_labels_are_too() -> None:
    crescent = BOARDS["crescent"]
    assert crescent.is_builtin
    assert Board.from_toml(crescent.to_toml()).is_builtin
    renamed = Board.parse(crescent.to_text(), "another")
    assert not renamed.is_builtin
    assert renamed.builtin_name == "crescent"
    assert not Board.parse("A B C D", "crescent").is_builtin


def test_boards_are_read_on_demand() -> None:
    code = (
        "import sys, terrarium.nova.board as b; assert 'tomllib' not in sys.modules;"
        "assert not b.BOARDS._loaded; b.BOARDS['two-bays']; assert list(b.BOARDS._loaded) == ['two-bays']"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
