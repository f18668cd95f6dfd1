"""Small boards drawn in the tests: a row of cells or a map of hexes, with pieces on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from terrarium import nova

RED, BLUE, GREEN, YELLOW = range(4)
COLOURS = "rbgy"


def drawn(
    text_map: str,
    pieces: str,
    to_move: int = RED,
    *,
    dead: str = "",
    scores: Sequence[int] | None = None,
    supply: int | None = None,
    **options: Any,
) -> nova.Position:
    """The start of a turn on a drawn board: `rb4` is red's pioneer on b4, `sc2` a stone on c2.

    The number of players is that of the colours on the board, at least two, unless `options` set it.
    """
    pioneers, stones = {}, []
    for piece in pieces.split():
        if piece[0] == "s":
            stones.append(piece[1:])
        else:
            pioneers[piece[1:]] = COLOURS.index(piece[0])
    options.setdefault("players", max(2, *(seat + 1 for seat in pioneers.values())))
    return nova.compose(
        nova.Rules(**options),
        nova.Board.parse(text_map),
        pioneers=pioneers,
        stones=stones,
        to_move=to_move,
        dead=dead.split(),
        scores=scores,
        supply=supply,
    )


def row(landscapes: str, pieces: str, to_move: int = RED, **more: Any) -> nova.Position:
    """The start of a turn on a board of one row with the cells a1, a2, …: `r3` is red's pioneer on a3."""
    named = " ".join(f"{piece[0]}a{piece[1:]}" for piece in pieces.split())
    if "dead" in more:
        more["dead"] = " ".join(f"a{number}" for number in more["dead"].split())
    return drawn(" ".join(landscapes), named, to_move, **more)


def legal(position: nova.Position) -> set[str]:
    """The texts of all legal actions."""
    return {str(action) for action in position.legal_actions()}


def stones_of(position: nova.Position) -> set[str]:
    """The cells on which a stone may be placed now."""
    return {action[1:] for action in legal(position) if action.startswith("+")}


def moves_of(position: nova.Position, cell: str | None = None) -> set[str]:
    """The moves that are legal now, all or those of the pioneer on a cell."""
    moves = {action for action in legal(position) if "-" in action}
    return {move for move in moves if cell is None or move.split("-")[0] == cell}


def play(position: nova.Position, *turns: str | Iterable[str]) -> nova.Position:
    """The position after all the actions written in the texts."""
    for turn in turns:
        for action in turn.split() if isinstance(turn, str) else turn:
            position = position.play(action)
    return position
