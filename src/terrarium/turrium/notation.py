"""How Terra Turrium is written: cells, actions and their ids, positions as one line of text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from terrarium.core.action import Action
from terrarium.errors import InvalidAction, InvalidPosition, InvalidRules
from terrarium.turrium.rules import Rules

__all__ = ["CELLS", "INDEX", "NUM_ACTIONS", "PHASES", "TERRITORIES", "Snapshot"]

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
_MARKS = {"@": "flag", "-": "take", "+": "cube"}
_LINKS = {"-": "step", "x": "capture"}


def parse_action(text: str) -> Action:
    """The action that a text writes; InvalidAction when it writes none.

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
        return Action(_MARKS[found["mark"]], None, found["cell"])
    if found["link"]:
        return Action(_LINKS[found["link"]], found["source"], found["target"])
    return Action("end")


def action_id(action: Action) -> int:
    """The id of an action; InvalidAction when the game has no such action."""
    if action == Action("end"):
        return END
    block = _BLOCKS.get(action.kind)
    target = INDEX.get(action.target) if isinstance(action.target, str) else None
    if block is None or target is None:
        raise InvalidAction(
            "no-such-action",
            f"{action!r:.120}: kinds are flag, take, cube, step, capture and end, cells a1 to j10",
        )
    if block < STEP:
        if action.source is not None:
            raise InvalidAction("no-such-action", f"{action!r:.120}: only flags leave a cell")
        return block + target
    source = INDEX.get(action.source) if isinstance(action.source, str) else None
    if source is None:
        raise InvalidAction("no-such-action", f"{action!r:.120}: source must be a cell, a1 to j10")
    way = (target % 10 - source % 10, target // 10 - source // 10)
    if way not in _WAYS:
        raise InvalidAction(
            "not-adjacent",
            f"{action}: {action.target} is not next to {action.source}: flags go one cell north, east, south or west",
            "TT-10",
        )
    return block + 4 * source + _WAYS.index(way)


def make_action(id: int) -> Action:
    """The action with this id, from 0 to NUM_ACTIONS - 1."""
    if id == END:
        return Action("end", None, None, id)
    if id < STEP:
        return Action(("flag", "take", "cube")[id // 100], None, CELLS[id % 100], id)
    kind, place = ("step", id - STEP) if id < CAPTURE else ("capture", id - CAPTURE)
    source, way = divmod(place, 4)
    column, row = source % 10 + _WAYS[way][0], source // 10 + _WAYS[way][1]
    is_on_board = 0 <= column < 10 and 0 <= row < 10
    if not is_on_board:
        raise InvalidAction(
            "no-such-action", f"{id}: this id would leave the board from {CELLS[source]}"
        )
    return Action(kind, CELLS[source], CELLS[10 * row + column], id)


@dataclass(frozen=True)
class Snapshot:
    """Everything a position text says, before the kernel judges whether it can be."""

    rules: Rules
    heights: dict[str, int]
    flags: dict[str, int]
    to_move: int | None
    phase: str
    cubes_in_hand: int
    taken_from: tuple[str, ...]
    points_left: int
    is_attacking: bool
    is_turn_start: bool
    attacks: tuple[int, ...]
    captures: tuple[int, ...]
    rounds: int
    resigned: tuple[int, ...]
    declared: tuple[int, ...]
    unlocked: bool


def used_rows(rules: Rules) -> list[list[str]]:
    """The cells of the used area as rows from the top (TT-1)."""
    margin = (10 - rules.side) // 2
    used = range(margin, 10 - margin)
    return [[CELLS[10 * row + column] for column in used] for row in reversed(used)]


def write_rules(rules: Rules) -> str:
    """The number of players and every option that is not what it is by default."""
    words = [str(rules.players)]
    for option in Rules.options()[1:]:
        value = getattr(rules, option.name)
        if value != option.default:
            words.append(f"{option.name}={str(value).lower() if value is False else value}")
    return ";".join(words)


def write(snapshot: Snapshot) -> str:
    """A position as one line (docs/formats.md)."""
    rows = []
    for cells in used_rows(snapshot.rules):
        row = ""
        for cell in cells:
            height = snapshot.heights.get(cell, 0)
            row += str(height) if height < 10 else f"({height})"
            if cell in snapshot.flags:
                row += "ABCD"[snapshot.flags[cell]]
        rows.append(row)
    phase = snapshot.phase
    if phase == "take":
        phase += f":{snapshot.cubes_in_hand}" + "".join(f":{name}" for name in snapshot.taken_from)
    elif phase == "place":
        phase += f":{snapshot.cubes_in_hand}"
    elif phase == "move":
        phase += f":{snapshot.points_left}"
        phase += ":start" * snapshot.is_turn_start + ":attacking" * snapshot.is_attacking
    return " ".join(
        (
            "turrium",
            write_rules(snapshot.rules),
            "/".join(rows),
            "-" if snapshot.to_move is None else str(snapshot.to_move),
            phase,
            "/".join(map(str, snapshot.attacks)),
            "/".join(map(str, snapshot.captures)),
            str(snapshot.rounds),
            "".join(map(str, snapshot.resigned)) or "-",
            "".join(map(str, snapshot.declared)) or "-",
            "unlocked" if snapshot.unlocked else "-",
        )
    )


_FIELDS = "turrium, rules, board, seat to move, phase, attacks, captures, rounds, resigned, declared, unlocked"
_PHASE = re.compile(
    r"(?P<flags>flags)|take:(?P<take>[0-2])(?P<lands>(?::(?:SW|NW|NE|SE|enemy))*)|place:(?P<place>[1-3])"
    r"|move:(?P<points>[1-5])(?P<start>:start)?(?P<attacking>:attacking)?|(?P<over>over)"
)
_PIECE = re.compile(r"(?:(?P<low>[0-9])|\((?P<high>[1-9][0-9]{1,3})\))(?P<flag>[ABCD])?")


def read(text: str) -> Snapshot:
    """What a position text says; InvalidPosition names the field that can't be read."""
    if not isinstance(text, str):
        raise _unreadable(text, "a position is one line of text")
    if len(text) > 4000:
        raise _unreadable(text, "a position has at most 4000 characters")
    words = text.split(" ")
    if len(words) != 11 or words[0] != "turrium":
        raise _unreadable(text, f"a position has 11 fields: {_FIELDS}")
    rules = _read_rules(words[1])
    heights, flags = _read_board(words[2], rules)
    phase = _PHASE.fullmatch(words[4])
    if phase is None:
        raise _unreadable(
            words[4],
            "a phase is flags, take:0, take:1:NW, place:2, move:3, move:3:attacking or over",
        )
    is_over = phase["over"] is not None
    to_move = None if words[3] == "-" else _number(words[3], "seat to move", rules.players - 1)
    if is_over != (to_move is None):
        raise _unreadable(words[3], "a seat is to move exactly when the game is not over")
    return Snapshot(
        rules=rules,
        heights=heights,
        flags=flags,
        to_move=to_move,
        phase=words[4].partition(":")[0],
        cubes_in_hand=int(phase["take"] or phase["place"] or 0),
        taken_from=tuple((phase["lands"] or "").split(":")[1:]),
        points_left=int(phase["points"] or 0),
        is_attacking=phase["attacking"] is not None,
        is_turn_start=phase["start"] is not None,
        attacks=_read_counts(words[5], "attacks", rules.players, 99),
        captures=_read_counts(words[6], "captures", rules.players, 60_000),
        rounds=_number(words[7], "rounds", rules.max_rounds),
        resigned=_read_seats(words[8], "resigned", rules.players),
        declared=_read_seats(words[9], "declared", rules.players),
        unlocked=_read_lock(words[10]),
    )


def _unreadable(text: object, reason: str) -> InvalidPosition:
    return InvalidPosition("unreadable-position", f"{text!r:.80}: {reason}")


def _number(text: str, what: str, most: int) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,4}", text, re.ASCII) or int(text) > most:
        raise _unreadable(text, f"{what} is a number from 0 to {most}")
    return int(text)


def _read_counts(text: str, what: str, players: int, most: int) -> tuple[int, ...]:
    counts = text.split("/")
    if len(counts) != players:
        raise _unreadable(text, f"{what} is a number for each of {players} seats, as in 0/0")
    return tuple(_number(count, what, most) for count in counts)


def _read_seats(text: str, what: str, players: int) -> tuple[int, ...]:
    if text == "-":
        return ()
    seats = [int(seat) if seat in "0123"[:players] else -1 for seat in text]
    if -1 in seats or seats != sorted(set(seats)):
        raise _unreadable(text, f"{what} is - or seats in rising order, as in 02")
    return tuple(seats)


def _read_lock(text: str) -> bool:
    if text not in ("-", "unlocked"):
        raise _unreadable(text, "the last field is unlocked or -")
    return text == "unlocked"


def _read_rules(text: str) -> Rules:
    players, *words = text.split(";")
    if players not in ("2", "3", "4"):
        raise _unreadable(text, "rules begin with the number of players, 2, 3 or 4")
    kinds = {option.name: option for option in Rules.options()[1:]}
    options: dict[str, Any] = {}
    for word in words:
        name, _, value = word.partition("=")
        option = kinds.get(name)
        if option is None or name in options:
            raise _unreadable(text, f"options are {', '.join(kinds)}, each at most once")
        if option.kind == "flag":
            options[name] = {"true": True, "false": False}.get(value, value)
        elif isinstance(option.default, str):
            options[name] = value
        else:
            options[name] = _number(value, name, 99_999)
    try:
        return Rules(players=int(players), **options)
    except InvalidRules as error:
        raise InvalidPosition("unreadable-position", error.message, error.rule) from error


def _read_board(text: str, rules: Rules) -> tuple[dict[str, int], dict[str, int]]:
    rows = text.split("/")
    side = rules.side
    if len(rows) != side:
        raise _unreadable(text, f"the board has {side} rows, from the top, separated by /")
    heights: dict[str, int] = {}
    flags: dict[str, int] = {}
    for row, cells in zip(rows, used_rows(rules), strict=True):
        place = 0
        for cell in cells:
            piece = _PIECE.match(row, place)
            if piece is None:
                raise _unreadable(
                    row, f"a row has {side} heights like 0, 2, 3A (a flag of seat 0) or (12)"
                )
            place = piece.end()
            height = int(piece["low"] or piece["high"])
            if height:
                heights[cell] = height
            if piece["flag"]:
                flags[cell] = "ABCD".index(piece["flag"])
        if place != len(row):
            raise _unreadable(row, f"a row has {side} heights, this one has more")
    return heights, flags
