"""A position of Terra Nova as one line of text, like FEN in chess.

Twelve fields, one space apart::

    nova fr/2 terra-nova 2/4/9/... 0 1 - 0,0 80 0,0 0 -

game, rules, board, cells, seat to move, stage, moved, scores, supply, hands, stall, resigned. docs/formats.md
describes each. This module converts between texts and `Facts`; the kernel checks whether facts are a valid position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from terrarium.errors import InvalidBoard, InvalidPosition, InvalidRules
from terrarium.nova.board import BOARDS, Board
from terrarium.nova.rules import Rules

__all__ = ["MAX_SCORE", "MAX_TEXT", "REASONS", "STAGES", "Facts", "read", "write"]

MAX_TEXT = 16_384
"""Longer texts are not read; the largest boards need a little more than half of this."""

MAX_SCORE = 999_999
"""The highest score of a seat that a position can have or lead to."""

REASONS = ("divided", "blocked", "depleted", "stones", "stalled", "resigned")
"""Why games end, in the order of the tests."""

STAGES = ("place", "1", "2", "3", *REASONS)
"""Placing, the number of the next action in the turn, or why the game ended."""

_FIELDS = "game, rules, board, cells, seat, stage, moved, scores, supply, hands, stall and resigned"
_PIECES = (
    ".ABCD#x"  # indexed by the content of a cell: empty, a pioneer of seat 0 to 3, a stone, dead
)
_NUMBER = re.compile("0|[1-9][0-9]{0,5}", re.ASCII)
_RUN = re.compile("[1-9][0-9]*|[A-D#x]", re.ASCII)
_MOVED = re.compile("([a-z][1-9][0-9]?)(?:<([a-z][1-9][0-9]?))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything in which positions of Terra Nova can differ."""

    rules: Rules
    board: Board
    cells: tuple[int, ...]
    """The content of each cell: 0 empty, 1 to 4 a pioneer of seat 0 to 3, 5 a stone, 6 dead."""
    seat: int
    stage: str
    """One of STAGES."""
    moved: tuple[tuple[int, int | None], ...]
    """Cell and origin of the pioneers moved this turn; no origin when it no longer matters (TN-12)."""
    scores: tuple[int, ...]
    supply: int
    hand: tuple[int, ...]
    stall: int
    """Turns in a row without a stone (TN-27); -1 if the present turn has had one."""
    resigned: tuple[int, ...]

    def check(self) -> None:
        """Raise InvalidPosition if a field has the wrong type or range; the kernel calls this before it reads the facts."""
        if not isinstance(self.rules, Rules) or not isinstance(self.board, Board):
            raise InvalidPosition("position-facts", "facts need nova.Rules and a nova.Board")
        seats, cells, rules = self.rules.players, len(self.board), self.rules
        moved: object = self.moved
        is_moved_right = (
            isinstance(moved, tuple)
            and len(moved) <= 2
            and all(isinstance(pair, tuple) and len(pair) == 2 for pair in moved)
            and all(_is_within(cell, cells - 1) for cell, _ in moved)
            and all(origin is None or _is_within(origin, cells - 1) for _, origin in moved)
        )
        right = {
            "cells": _are_within(self.cells, 6, cells),
            "seat": _is_within(self.seat, seats - 1),
            "stage": self.stage in STAGES,
            "moved": is_moved_right,
            "scores": _are_within(self.scores, MAX_SCORE, seats),
            "supply": _is_within(self.supply, rules.stones),
            "hand": _are_within(self.hand, rules.pioneers, seats),
            "stall": self.stall == -1 or _is_within(self.stall, rules.stall_limit),
            "resigned": _are_within(self.resigned, seats - 1),
        }
        for name, is_right in right.items():
            if not is_right:
                value = repr(getattr(self, name))
                raise InvalidPosition(
                    "position-facts", f"{name}: {value:.60} has the wrong type or range"
                )


def _is_within(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _are_within(values: object, most: int, count: int | None = None) -> bool:
    return (
        isinstance(values, tuple)
        and (count is None or len(values) == count)
        and all(_is_within(value, most) for value in values)
    )


def write(facts: Facts) -> str:
    """The facts as one line."""
    names = facts.board.cells
    is_over = facts.stage in REASONS
    moved = ",".join(
        names[cell] if origin is None else f"{names[cell]}<{names[origin]}"
        for cell, origin in facts.moved
    )
    return " ".join(
        (
            "nova",
            _rules_text(facts.rules),
            facts.board.builtin_name
            or "=" + facts.board.to_text().replace(" ", ".").replace("\n", "/"),
            _cells_text(facts.board, facts.cells),
            "-" if is_over else str(facts.seat),
            facts.stage,
            moved or "-",
            ",".join(map(str, facts.scores)),
            str(facts.supply),
            ",".join(map(str, facts.hand)),
            "+" if facts.stall < 0 else str(facts.stall),
            ",".join(map(str, facts.resigned)) or "-",
        )
    )


def read(text: str, labelled: Board | None = None) -> Facts:
    """The facts in a line, each in its range; raises InvalidPosition that names the wrong field.

    `labelled` is the board of the line with its labels, which the line does not contain.
    """
    if not isinstance(text, str):
        raise InvalidPosition(
            "unreadable-position", f"{text!r:.60}: the text of a position is a str"
        )
    if len(text) > MAX_TEXT:
        raise InvalidPosition(
            "unreadable-position",
            f"{text[:40]!r}…: {len(text):,} characters; at most {MAX_TEXT:,} are read",
        )
    fields = text.strip().split(" ")
    if len(fields) != 12 or fields[0] != "nova":
        raise InvalidPosition(
            "unreadable-position",
            f"{_short(text)}: a position is written nova and eleven more fields, one space apart:"
            f" {_FIELDS}",
        )
    rules = _rules(fields[1])
    board = _board(fields[2])
    if labelled is not None:
        if labelled.map != board.map:
            raise _wrong("board", fields[2], f"is not the map of {labelled.name}")
        board = labelled
    stage = fields[5]
    if stage not in STAGES:
        raise _wrong("stage", stage, f"must be place, 1, 2, 3 or an end: {', '.join(REASONS)}")
    if stage in REASONS:
        if fields[4] != "-":
            raise _wrong("seat", fields[4], "must be - when the game is over")
        seat = 0
    else:
        seat = _number("seat", fields[4], rules.players - 1)
    resigned = () if fields[11] == "-" else _numbers("resigned", fields[11], rules.players - 1)
    if list(resigned) != sorted(set(resigned)):
        raise _wrong("resigned", fields[11], "must name seats once each, in ascending order")
    return Facts(
        rules,
        board,
        _cells(board, fields[3]),
        seat,
        stage,
        _moved(board, fields[6]),
        _numbers("scores", fields[7], MAX_SCORE, rules.players),
        _number("supply", fields[8], rules.stones),
        _numbers("hands", fields[9], rules.pioneers, rules.players),
        -1 if fields[10] == "+" else _number("stall", fields[10], max(rules.stall_limit - 1, 0)),
        resigned,
    )


def _short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}…"


def _wrong(field: str, value: str, message: str) -> InvalidPosition:
    return InvalidPosition("unreadable-position", f"{field} {_short(value)}: {message}")


def _number(field: str, value: str, most: int) -> int:
    if not _NUMBER.fullmatch(value) or int(value) > most:
        raise _wrong(field, value, f"must be a whole number from 0 to {most}")
    return int(value)


def _numbers(field: str, value: str, most: int, count: int | None = None) -> tuple[int, ...]:
    values = value.split(",", 8)
    if count is not None and len(values) != count:
        raise _wrong(field, value, f"must be {count} numbers with commas between them")
    return tuple(_number(field, part, most) for part in values)


def _rules_text(rules: Rules) -> str:
    texts = [rules.edition, str(rules.players)]
    for name, value in rules.to_dict().items():
        if name not in ("edition", "players") and value != rules.preset(name):
            texts.append(f"{name}={str(value).lower()}")
    return "/".join(texts)


def _rules(text: str) -> Rules:
    edition, *rest = text.split("/", 12)
    options: dict[str, Any] = {"edition": edition}
    if rest and _NUMBER.fullmatch(rest[0]):
        options["players"] = int(rest[0])
    else:
        raise _wrong("rules", text, "must be an edition and a number of players, as in fr/2")
    for part in rest[1:]:
        name, _, value = part.partition("=")
        if name in options:
            raise _wrong("rules", text, f"gives {name:.20} twice")
        if _NUMBER.fullmatch(value):
            options[name] = int(value)
        else:
            options[name] = {"true": True, "false": False}.get(value, value)
    try:
        rules = Rules.from_dict(options)
    except InvalidRules as error:
        raise InvalidPosition("unreadable-position", f"rules {_short(text)}: {error}") from None
    return rules


def _board(text: str) -> Board:
    if not text.startswith("="):
        if text not in BOARDS:
            known = ", ".join(BOARDS)
            raise _wrong("board", text, f"must be {known}, or = and a map with / between its rows")
        return BOARDS[text]
    try:
        return Board.parse(text[1:].replace("/", "\n").replace(".", " "))
    except InvalidBoard as error:
        raise InvalidPosition("unreadable-position", f"board {_short(text)}: {error}") from None


def _rows(board: Board) -> list[list[int]]:
    """The cells of each row; every row of a connected board has at least one."""
    return [
        [cell for cell, _ in group]
        for _, group in groupby(enumerate(board.axial), key=lambda item: item[1][0])
    ]


def _cells_text(board: Board, cells: Sequence[int]) -> str:
    rows = []
    for row in _rows(board):
        text = ""
        for holds, run in groupby(cells[cell] for cell in row):
            count = len(list(run))
            text += str(count) if holds == 0 else _PIECES[holds] * count
        rows.append(text)
    return "/".join(rows)


def _cells(board: Board, text: str) -> tuple[int, ...]:
    rows = _rows(board)
    texts = text.split("/", 64)
    if len(texts) != len(rows):
        raise _wrong("cells", text, f"must have {len(rows)} rows with / between them")
    cells: list[int] = []
    for row, row_text in zip(rows, texts, strict=True):
        found: list[int] = []
        end = 0
        is_number = False
        for match in _RUN.finditer(row_text):
            if match.start() != end or (is_number and match[0].isdigit()):
                break
            end = match.end()
            is_number = match[0].isdigit()
            if is_number:
                found += [0] * min(int(match[0][:5]), len(row) + 1)
            else:
                found.append(_PIECES.index(match[0]))
        if end != len(row_text) or len(found) != len(row):
            name = board.cells[row[0]][0]
            raise _wrong(
                "cells",
                row_text,
                f"row {name} must fill {len(row)} cells: a number of empty ones, A to D for pioneers"
                " of seat 0 to 3, # a stone, x a dead cell",
            )
        cells += found
    return tuple(cells)


def _moved(board: Board, text: str) -> tuple[tuple[int, int | None], ...]:
    if text == "-":
        return ()
    found: list[tuple[int, int | None]] = []
    for part in text.split(",", 2):
        match = _MOVED.fullmatch(part)
        if match is None:
            raise _wrong(
                "moved",
                text,
                "must be -, or cells like e7<c5: the cell where it is, and where it started the turn",
            )
        try:
            origin = None if match[2] is None else board.index(match[2])
            found.append((board.index(match[1]), origin))
        except InvalidBoard as error:
            raise InvalidPosition("unreadable-position", f"moved {_short(text)}: {error}") from None
    return tuple(found)
