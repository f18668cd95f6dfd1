"""Names of cells, notation and ids of actions in Terra Turrium."""

from __future__ import annotations

import re

from terrarium.core.action import Action
from terrarium.errors import ImpossibleAction, InvalidAction

__all__ = [
    "CELLS",
    "INDEX",
    "MARKS",
    "NUM_ACTIONS",
    "PHASES",
    "TERRITORIES",
    "action_id",
    "make_action",
    "parse_action",
]

CELLS = tuple(f"{column}{row}" for row in range(1, 11) for column in "abcdefghij")
"""The names of all 10×10 cells, `a1` bottom left, row by row (TT-1)."""

INDEX = {cell: index for index, cell in enumerate(CELLS)}

TERRITORIES = ("SW", "NW", "NE", "SE")
"""The quarters, clockwise from the bottom left (TT-2)."""

PHASES = ("flags", "take", "place", "move", "over")

# Ids: one block per kind, then four directions (north, east, south, west) per cell for steps and captures.
FLAG, TAKE, CUBE, STEP, CAPTURE, END = 0, 100, 200, 300, 700, 1100
NUM_ACTIONS = 1101
_WAYS = ((0, 1), (1, 0), (0, -1), (-1, 0))
_BLOCKS = {"flag": FLAG, "take": TAKE, "cube": CUBE, "step": STEP, "capture": CAPTURE}
_CELL = r"[a-j](?:10|[1-9])"
_ACTION = re.compile(
    rf"(?P<mark>[@+-])(?P<cell>{_CELL})|(?P<source>{_CELL})(?P<link>[-x])(?P<target>{_CELL})|end"
)
_MARKED = {"@": "flag", "-": "take", "+": "cube"}
_LINKED = {"-": "step", "x": "capture"}

MARKS = {"flag": "@", "take": "-", "cube": "+", "step": "-", "capture": "x", "end": ""}
"""The mark of each kind of action; `end` is written as it is."""


def parse_action(text: str) -> Action:
    """The action that a text describes; raises InvalidAction if it isn't one.

    >>> parse_action("c4xc5")
    Action(kind='capture', source='c4', target='c5')
    """
    found = _ACTION.fullmatch(text)
    if found is None:
        raise InvalidAction(
            "unreadable-action",
            f"{text!r:.60}: an action is written @c3, -c3, +d4, c4-c5, c4xc5 or end",
        )
    if found["mark"]:
        return Action(_MARKED[found["mark"]], None, found["cell"], mark=found["mark"])
    if found["link"]:
        return Action(_LINKED[found["link"]], found["source"], found["target"], mark=found["link"])
    return Action("end", mark="")


def action_id(action: Action) -> int:
    """The id of an action; raises InvalidAction if the game has no such action."""
    if action == Action("end"):
        return END
    block = _BLOCKS.get(action.kind) if isinstance(action.kind, str) else None
    target = INDEX.get(action.target) if isinstance(action.target, str) else None
    if block is None or target is None:
        raise InvalidAction(
            "no-such-action",
            f"{action!r:.120}: kinds are flag, take, cube, step, capture and end, cells a1 to j10",
        )
    if block < STEP:
        if action.source is not None:
            raise InvalidAction(
                "no-such-action", f"{action!r:.120}: only steps and captures have a source"
            )
        return block + target
    source = INDEX.get(action.source) if isinstance(action.source, str) else None
    if source is None:
        raise InvalidAction("no-such-action", f"{action!r:.120}: source must be a cell, a1 to j10")
    way = (target % 10 - source % 10, target // 10 - source // 10)
    if way not in _WAYS:
        raise ImpossibleAction(
            "not-adjacent",
            f"{action}: {action.target} is not next to {action.source}: flags move one cell north, east, south or west",
            "TT-10",
        )
    return block + 4 * source + _WAYS.index(way)


def make_action(id: int) -> Action:
    """The action with this id, from 0 to NUM_ACTIONS - 1."""
    if id == END:
        return Action("end", None, None, id, "")
    if id < STEP:
        kind = ("flag", "take", "cube")[id // 100]
        return Action(kind, None, CELLS[id % 100], id, MARKS[kind])
    kind, place = ("step", id - STEP) if id < CAPTURE else ("capture", id - CAPTURE)
    source, way = divmod(place, 4)
    column, row = source % 10 + _WAYS[way][0], source // 10 + _WAYS[way][1]
    is_on_board = 0 <= column < 10 and 0 <= row < 10
    if not is_on_board:
        raise InvalidAction(
            "no-such-action", f"{id}: this id would leave the board from {CELLS[source]}"
        )
    return Action(kind, CELLS[source], CELLS[10 * row + column], id, MARKS[kind])
