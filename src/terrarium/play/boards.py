"""Boards as interfaces see them: to draw, to check, to make, and as the event log keeps them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import Struct

from terrarium import games
from terrarium.errors import InvalidBoard
from terrarium.play.errors import NotFound, Unprocessable
from terrarium.play.shapes import BoardCell, BoardView, CustomBoard

__all__ = [
    "BoardProblem",
    "CheckedBoard",
    "board_data",
    "board_from",
    "board_view",
    "builtin_board",
    "checked_board",
]

MAX_LINE = 4_000
"""Characters in a line of a board's file; its longest is a note."""
_MAX_PROBLEMS = 100


class BoardProblem(Struct):
    """One thing wrong with a board, and where."""

    code: str
    message: str
    line: int | None
    column: int | None


class CheckedBoard(Struct):
    """The board if it can be played on, and everything wrong with it if not."""

    board: BoardView | None
    problems: list[BoardProblem]


def board_view(board: Any) -> BoardView:
    """A board to draw."""
    keys = tuple(board.landscapes.items())
    return _view(board, board.name, board.author, board.note, keys)


@lru_cache(maxsize=128)
def _view(
    board: Any, name: str, author: str, note: str, landscapes: tuple[tuple[str, str], ...]
) -> BoardView:
    # Boards with one map are equal, so everything else that is shown belongs to the key.
    cells = [
        BoardCell(cell, row, x, landscape)
        for cell, (row, x), landscape in zip(
            board.cells, board.coordinates, board.landscape_of, strict=True
        )
    ]
    keys = [key for _, key in landscapes]
    return BoardView(name, author, note, board.map, list(board.letters), keys, cells)


def builtin_board(name: str) -> Any:
    """The built-in board with this name."""
    boards = games["nova"].module.BOARDS
    if name not in boards:
        message = f"board {name[:40]!r}: the built-in ones are {', '.join(boards)}"
        raise NotFound("no-such-board", message)
    return boards[name]


def checked_board(text: str) -> CheckedBoard:
    """A map or TOML file as a board, or everything that is wrong with it."""
    board_type = games["nova"].module.Board
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            # A TOML reader needs quadratic time for one long dotted key.
            message = f"line {number} has {len(line):,} characters; at most {MAX_LINE:,} are read"
            return CheckedBoard(None, [BoardProblem("board-line", message, number, MAX_LINE + 1)])
    # A map has no equals sign: it is letters, digits, spaces and dots.
    read = board_type.from_toml if "=" in text else board_type.parse
    try:
        return CheckedBoard(board_view(read(text)), [])
    except InvalidBoard as error:
        problems = [BoardProblem(p.code, p.message, p.line, p.column) for p in error.problems]
        problems = problems or [BoardProblem(error.code, error.message, None, None)]
        return CheckedBoard(None, problems[:_MAX_PROBLEMS])


def board_data(game: str, board: str | CustomBoard | None) -> dict[str, Any] | None:
    """A board with everything that the log must keep of it: built-in ones may change some day."""
    if not games[game].has_boards:
        if board is not None:
            raise Unprocessable("no-boards", f"{games[game].title} is played without boards")
        return None
    module = games[game].module
    if isinstance(board, CustomBoard):
        found = module.Board.parse(
            board.map, board.name, board.landscapes, board.author, board.note
        )
    else:
        name = board or next(iter(module.BOARDS))
        if name not in module.BOARDS:
            message = f"board {name[:40]!r}: the built-in ones are {', '.join(module.BOARDS)}"
            raise NotFound("no-such-board", message, status=422)
        found = module.BOARDS[name]
    return {
        "name": found.name,
        "map": found.map,
        "landscapes": dict(found.landscapes),
        "author": found.author,
        "note": found.note,
    }


def board_from(data: dict[str, Any]) -> Any:
    """The board that a game was started on: equal boards are one object, they are large."""
    landscapes = tuple(data.get("landscapes", {}).items())
    return _board(
        data["map"], data["name"], landscapes, data.get("author", ""), data.get("note", "")
    )


@lru_cache(maxsize=256)
def _board(
    text: str, name: str, landscapes: tuple[tuple[str, str], ...], author: str, note: str
) -> Any:
    board = games["nova"].module.Board
    return board.parse(text, name=name, landscapes=dict(landscapes), author=author, note=note)
