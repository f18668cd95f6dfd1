"""Boards for interfaces: drawing, checking and generating them, and their form in the event log."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, json, structs

from terrarium import games
from terrarium.core.game import Game
from terrarium.errors import InvalidBoard
from terrarium.play.errors import NotFound, Unprocessable
from terrarium.play.shapes import BoardCell, BoardView, CustomBoard

__all__ = [
    "BoardFairness",
    "BoardProblem",
    "CheckedBoard",
    "board_from",
    "board_view",
    "builtin_board",
    "checked_board",
    "chosen_board",
    "game_named",
    "game_with_boards",
]

MAX_LINE = 4_000
"""The most characters in a line of a board file; the longest valid line is a note."""
_MAX_PROBLEMS = 100


class BoardProblem(Struct):
    """One problem of a board, and its place."""

    code: str
    message: str
    line: int | None
    column: int | None


class BoardFairness(Struct):
    """The fairness measures of each landscape, in the order of the board's letters; docs/boards.md explains them."""

    unfairness: float
    sizes: list[int]
    fences: list[int]
    remoteness: list[int]
    borders: list[int]


class CheckedBoard(Struct):
    """The board with its fairness if it is valid; otherwise all its problems."""

    board: BoardView | None
    problems: list[BoardProblem]
    fairness: BoardFairness | None = None


@lru_cache(maxsize=128)
def board_view(board: Any) -> BoardView:
    """A board as interfaces receive it."""
    cells = [
        BoardCell(cell, row, x, landscape)
        for cell, (row, x), landscape in zip(
            board.cells, board.coordinates, board.landscape_of, strict=True
        )
    ]
    keys = list(board.landscapes.values())
    return BoardView(
        board.name, board.author, board.note, board.map, list(board.letters), keys, cells
    )


def game_named(name: str) -> Game:
    """The game with this name."""
    if name not in games:
        message = f"game {name[:40]!r}: there are {', '.join(games)}"
        raise Unprocessable("no-such-game", message)
    return games[name]


def game_with_boards() -> Game:
    """The game of a board if none is named: the first game that has boards."""
    return next(game for game in games.values() if game.has_boards)


def chosen_board(game: Game, choice: str | CustomBoard | None) -> Any:
    """The board to play on: a built-in one, by default the usual one, or a custom one; None for a game without boards."""
    if isinstance(choice, CustomBoard):
        return game.board_from_data(structs.asdict(choice))
    if choice is not None:
        return game.board(choice)
    return next(iter(game.boards.values()), None)


def board_from(game: Game, data: dict[str, Any]) -> Any:
    """The board from the data in a game's first event; equal boards are one object, because they are large."""
    return _board(game, json.encode(data, order="sorted"))


@lru_cache(maxsize=256)
def _board(game: Game, data: bytes) -> Any:
    return game.board_from_data(json.decode(data))


def builtin_board(name: str) -> Any:
    """The built-in board with this name."""
    try:
        return game_with_boards().board(name)
    except InvalidBoard as error:
        raise NotFound(error.code, error.message) from None


def checked_board(text: str) -> CheckedBoard:
    """The board in a map or TOML file, or all its problems."""
    game = game_with_boards()
    board_type = game.module.Board
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            # The TOML parser needs quadratic time for a long dotted key.
            message = f"line {number} has {len(line):,} characters; at most {MAX_LINE:,} are read"
            return CheckedBoard(None, [BoardProblem("board-line", message, number, MAX_LINE + 1)])
    # A map contains only letters, digits, spaces and dots, so a text with an equals sign is TOML.
    read = board_type.from_toml if "=" in text else board_type.parse
    try:
        board = read(text)
        measured = game.fairness(board)
        fairness = None if measured is None else msgspec.convert(measured, BoardFairness)
        return CheckedBoard(board_view(board), [], fairness)
    except InvalidBoard as error:
        problems = [BoardProblem(p.code, p.message, p.line, p.column) for p in error.problems]
        problems = problems or [BoardProblem(error.code, error.message, None, None)]
        return CheckedBoard(None, problems[:_MAX_PROBLEMS])
