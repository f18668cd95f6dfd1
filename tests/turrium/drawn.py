"""Positions for the rule tests, written as short lists of pieces and cells.

`c3=2r` is a construction of two cubes on c3 with a red flag, `d4=1` a free cube. Seats are red,
blue, green and yellow: SW, NW, NE and SE (TT-2).
"""

from __future__ import annotations

from typing import Any

import pytest

from terrarium import turrium
from terrarium.errors import IllegalAction

RED, BLUE, GREEN, YELLOW = range(4)
COLOURS = "rbgy"

# Each seat needs one step to have flags on heights 1 to 6, in its own corner: b5-c5, b6-c6, i6-h6 or
# i5-h5. The single cube can be taken and put back.
NEARLY = {
    RED: "a1=1r a2=2r a3=3r a4=4r a5=5r b5=5r c5=6 e1=1",
    BLUE: "a10=1b a9=2b a8=3b a7=4b a6=5b b6=5b c6=6 e10=1",
    GREEN: "j10=1g j9=2g j8=3g j7=4g j6=5g i6=5g h6=6 f10=1",
    YELLOW: "j1=1y j2=2y j3=3y j4=4y j5=5y i5=5y h5=6 f1=1",
}
LAST_STEP = {RED: "b5-c5", BLUE: "b6-c6", GREEN: "i6-h6", YELLOW: "i5-h5"}
SPARE = {RED: "e1", BLUE: "e10", GREEN: "f10", YELLOW: "f1"}


def pieces(drawing: str) -> tuple[dict[str, int], dict[str, int]]:
    """Heights and flags of a drawing."""
    heights, flags = {}, {}
    for item in drawing.split():
        cell, _, construction = item.partition("=")
        heights[cell] = int(construction.rstrip(COLOURS))
        if construction[-1] in COLOURS:
            flags[cell] = COLOURS.index(construction[-1])
    return heights, flags


def at(drawing: str, to_move: int = RED, **options: Any) -> turrium.Position:
    """The start of this seat's turn with these pieces on the board."""
    position = composed(drawing, to_move, **options)
    assert position.to_move == to_move, "this seat has no action in the drawing"
    return position


def composed(
    drawing: str,
    to_move: int = RED,
    *,
    players: int = 4,
    attacks: tuple[int, ...] | None = None,
    captures: tuple[int, ...] | None = None,
    rounds: int = 0,
    **options: Any,
) -> turrium.Position:
    """The position if this seat's turn starts with these pieces on the board, after automatic consequences."""
    heights, flags = pieces(drawing)
    return turrium.compose(
        turrium.Rules(players=players, **options),
        heights=heights,
        flags=flags,
        to_move=to_move,
        attacks=attacks or (0,) * players,
        captures=captures or (0,) * players,
        rounds=rounds,
    )


def moving(drawing: str, to_move: int = RED, **options: Any) -> turrium.Position:
    """The same, one cube taken and put back where it was: the seat may move (TT-8)."""
    position = put_back(at(drawing, to_move, **options))
    assert (position.to_move, position.phase) == (to_move, "move"), (
        "this seat has no move in the drawing"
    )
    return position


def put_back(position: turrium.Position) -> turrium.Position:
    """The seat to move takes a cube and puts it back, if it can take one."""
    if position.phase != "take":
        return position
    take = min(texts(position))
    return position.play(take).play(take.replace("-", "+"))


def play(position: turrium.Position, actions: str) -> turrium.Position:
    """The position after several actions."""
    for action in actions.split():
        position = position.play(action)
    return position


def texts(position: turrium.Position) -> set[str]:
    """The notations of the legal actions."""
    return {str(action) for action in position.legal_actions()}


def is_legal(position: turrium.Position, action: str) -> bool:
    """Whether an action is among the legal ones."""
    return action in texts(position)


def refused(position: turrium.Position, action: str, rule: str) -> bool:
    """Whether an action is refused with the expected rule, and not among the legal ones."""
    with pytest.raises(IllegalAction) as caught:
        position.play(action)
    assert action in caught.value.message
    assert caught.value.rule == rule, str(caught.value)
    return action not in texts(position)


def cells(prefix: str, position: turrium.Position) -> set[str]:
    """The cells of the legal actions that begin with a sign: `@`, `-` or `+`."""
    return {text[1:] for text in texts(position) if text.startswith(prefix)}


def opened(players: int = 4, flags: str = "", **options: Any) -> turrium.Position:
    """The first turn after the set-up: the named flags are set first, then the others near the centre."""
    position = turrium.start(turrium.Rules(players=players, **options))
    wanted = {f"@{cell}" for cell in flags.split()}
    while position.phase == "flags":
        legal = texts(position)
        position = position.play(min(legal & wanted or legal, key=from_centre))
    return position


def from_centre(action: str) -> tuple[float, str]:
    """The distance of an action's cell from the centre of the board."""
    column, row = "abcdefghij".index(action[1]), int(action[2:]) - 1
    return max(abs(column - 4.5), abs(row - 4.5)), action


def won(position: turrium.Position) -> tuple[int, ...]:
    """The seats that won by their towers."""
    winners, reason = ending(position)
    assert reason == "towers"
    return winners


def ending(position: turrium.Position) -> tuple[tuple[int, ...], str]:
    """The seats that won, and the reason why the game is over."""
    assert position.outcome is not None
    return position.outcome.winners, position.outcome.reason
