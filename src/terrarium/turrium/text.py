"""A position of Terra Turrium as one line of text, like FEN in chess.

Eleven fields, one space apart::

    turrium 2 111111/111111/11A111/111111/111111/111111 0 flags 0/0 0/0 0 - - -

game, rules, board, seat to move, phase, attacks, captures, rounds, resigned, declared, unlocked. docs/formats.md
describes each. This module converts between texts and `Facts`; the kernel checks whether facts are a valid position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from terrarium.errors import InvalidPosition, InvalidRules
from terrarium.turrium.notation import CELLS
from terrarium.turrium.rules import Rules

__all__ = ["MAX_CUBES", "MAX_TEXT", "Facts", "read", "write"]

MAX_TEXT = 2000
"""Longer texts are not read."""

MAX_CUBES = 9999
"""The most cubes, on the board and in hand, that a position can have; a box has 116 (TT-1)."""

_FIELDS = "game, rules, board, seat to move, phase, attacks, captures, rounds, resigned, declared, unlocked"
_PHASE = re.compile(
    r"(?P<flags>flags)|take:(?P<take>[0-2])(?P<lands>(?::(?:SW|NW|NE|SE|enemy))*)|place:(?P<place>[1-3])"
    r"|move:(?P<points>[1-5])(?P<start>:start)?(?P<attacking>:attacking)?|(?P<over>over)"
)
_PIECE = re.compile(r"(?:(?P<low>[0-9])|\((?P<high>[1-9][0-9]{1,3})\))(?P<flag>[ABCD])?")


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything in which positions of Terra Turrium can differ."""

    rules: Rules
    heights: dict[str, int]
    flags: dict[str, int]
    to_move: int | None
    phase: str
    attacks: tuple[int, ...]
    captures: tuple[int, ...]
    rounds: int
    resigned: tuple[int, ...] = ()
    declared: tuple[int, ...] = ()
    unlocked: bool = False
    cubes_in_hand: int = 0
    taken_from: tuple[str, ...] = ()
    """The enemy territories from which a cube was taken this turn; `enemy` if all count as one (TT-5)."""
    points_left: int = 0
    """0 unless the phase is move."""
    is_turn_start: bool = False
    """Whether the turn begins with the move phase because nothing can be taken (TT-16)."""
    is_attacking: bool = False
    """Whether the turn has been counted as an attack (TT-12)."""


def write(facts: Facts) -> str:
    """The facts as one line."""
    rows = []
    for cells in _rows(facts.rules):
        row = ""
        for cell in cells:
            height = facts.heights.get(cell, 0)
            row += str(height) if height < 10 else f"({height})"
            if cell in facts.flags:
                row += "ABCD"[facts.flags[cell]]
        rows.append(row)
    phase = facts.phase
    if phase == "take":
        phase += f":{facts.cubes_in_hand}" + "".join(f":{name}" for name in facts.taken_from)
    elif phase == "place":
        phase += f":{facts.cubes_in_hand}"
    elif phase == "move":
        phase += f":{facts.points_left}"
        phase += ":start" * facts.is_turn_start + ":attacking" * facts.is_attacking
    return " ".join(
        (
            "turrium",
            _rules_text(facts.rules),
            "/".join(rows),
            "-" if facts.to_move is None else str(facts.to_move),
            phase,
            "/".join(map(str, facts.attacks)),
            "/".join(map(str, facts.captures)),
            str(facts.rounds),
            "".join(map(str, facts.resigned)) or "-",
            "".join(map(str, facts.declared)) or "-",
            "unlocked" if facts.unlocked else "-",
        )
    )


def read(text: str) -> Facts:
    """The facts in a line; raises InvalidPosition that names the unreadable field."""
    if not isinstance(text, str):
        raise _unreadable(text, "a position is one line of text")
    if len(text) > MAX_TEXT:
        raise _unreadable(text, f"a position has at most {MAX_TEXT} characters")
    words = text.strip().split(" ")
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
    to_move = None if words[3] == "-" else _number(words[3], "seat to move", rules.players - 1)
    if (phase["over"] is not None) != (to_move is None):
        raise _unreadable(words[3], "a seat is to move unless the game is over; then write -")
    return Facts(
        rules=rules,
        heights=heights,
        flags=flags,
        to_move=to_move,
        phase=words[4].partition(":")[0],
        attacks=_read_counts(words[5], "attacks", rules.players),
        captures=_read_counts(words[6], "captures", rules.players),
        rounds=_number(words[7], "rounds", rules.max_rounds),
        resigned=_read_seats(words[8], "resigned", rules.players),
        declared=_read_seats(words[9], "declared", rules.players),
        unlocked=_read_lock(words[10]),
        cubes_in_hand=int(phase["take"] or phase["place"] or 0),
        taken_from=tuple((phase["lands"] or "").split(":")[1:]),
        points_left=int(phase["points"] or 0),
        is_turn_start=phase["start"] is not None,
        is_attacking=phase["attacking"] is not None,
    )


def _rows(rules: Rules) -> list[list[str]]:
    """The cells of the used area as rows from the top (TT-1)."""
    margin = (10 - rules.side) // 2
    used = range(margin, 10 - margin)
    return [[CELLS[10 * row + column] for column in used] for row in reversed(used)]


def _rules_text(rules: Rules) -> str:
    """The number of players, and every option that differs from its default."""
    words = [str(rules.players)]
    for option in Rules.options()[1:]:
        value = getattr(rules, option.name)
        if value != option.default:
            words.append(f"{option.name}={'false' if value is False else value}")
    return ";".join(words)


def _unreadable(text: object, reason: str) -> InvalidPosition:
    return InvalidPosition("unreadable-position", f"{text!r:.80}: {reason}")


def _number(text: str, what: str, most: int) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,4}", text) or int(text) > most:
        raise _unreadable(text, f"{what} is a number from 0 to {most}")
    return int(text)


def _read_counts(text: str, what: str, players: int) -> tuple[int, ...]:
    counts = text.split("/")
    if len(counts) != players:
        raise _unreadable(text, f"{what} is a number for each of {players} seats, as in 0/0")
    return tuple(_number(count, what, 99_999) for count in counts)


def _read_seats(text: str, what: str, players: int) -> tuple[int, ...]:
    if text == "-":
        return ()
    seats = [int(seat) if seat in "0123"[:players] else -1 for seat in text]
    if not seats or -1 in seats or seats != sorted(set(seats)):
        raise _unreadable(text, f"{what} is - or seats in ascending order, as in 02")
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
    for row, cells in zip(rows, _rows(rules), strict=True):
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
                if flags[cell] >= rules.players:
                    raise _unreadable(
                        row, f"flags belong to seats A to {'ABCD'[rules.players - 1]}"
                    )
        if place != len(row):
            raise _unreadable(row, f"a row has {side} heights, this one has more")
    return heights, flags
