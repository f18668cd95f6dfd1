"""A record as plain dictionaries and lists, for JSON, and back."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from terrarium.core.game import GAMES, Game
from terrarium.core.position import Position
from terrarium.core.record.line import MAX_NESTING, Ending, Entry, Evaluation, Line, Mark
from terrarium.core.record.tags import has_map
from terrarium.errors import InvalidRecord, TerrariumError

if TYPE_CHECKING:
    from terrarium.core.record.value import Record

__all__ = ["entries_from", "from_dict", "to_dict"]


def to_dict(record: Record) -> dict[str, Any]:
    """The whole record. `outcome` follows from the rest and is included for convenience."""
    outcome = record.outcome
    ending = record.ending
    return {
        "game": record.game.name,
        "rules": record.rules.to_dict(),
        "rules_version": record.game.rules_version,
        "board": _board_data(record),
        "start": None if record.is_usual_start else record.start.to_text(),
        "seats": list(record.seats),
        "date": None if record.date is None else record.date.isoformat(),
        "tags": dict(record.tags),
        "comment": record.line.comment,
        **_marks_dict(record.line.marks),
        "actions": [_entry_dict(entry) for entry in record.line],
        "ending": ending and {"reason": ending.reason, "winners": list(ending.winners)},
        "outcome": outcome and outcome.to_dict(),
    }


def _board_data(record: Record) -> str | dict[str, Any] | None:
    board = record.board
    if board is None or board.is_builtin:
        return board and str(board.name)
    return record.game.board_data(board)


def _entry_dict(entry: Entry) -> dict[str, Any]:
    data: dict[str, Any] = {"action": entry.text}
    if entry.comment:
        data["comment"] = entry.comment
    if entry.glyphs:
        data["glyphs"] = list(entry.glyphs)
    if entry.clock is not None:
        data["clock"] = entry.clock
    if entry.evaluation is not None:
        shares, depth, nodes = (getattr(entry.evaluation, name) for name in _EVALUATION)
        data["evaluation"] = {"shares": list(shares), "depth": depth, "nodes": nodes}
    data |= _marks_dict(entry.marks)
    if entry.variations:
        data["variations"] = [
            {
                "comment": line.comment,
                **_marks_dict(line.marks),
                "actions": [_entry_dict(item) for item in line],
            }
            for line in entry.variations
        ]
    return data


def _marks_dict(marks: tuple[Mark, ...]) -> dict[str, Any]:
    """The field for marks; left out if there are none, as in records of earlier versions."""
    if not marks:
        return {}
    found = [
        {"target": mark.target, "source": mark.source, "colour": mark.colour} for mark in marks
    ]
    return {"marks": found}


_EVALUATION = ("shares", "depth", "nodes")


def from_dict(data: Mapping[str, Any]) -> Record:
    """The record from the result of `to_dict`."""
    from terrarium.core.record.value import Record

    fields = _Fields(data, "record")
    game = GAMES.get(fields.text("game"))
    if game is None:
        raise _wrong("game", data.get("game"), f"one of {', '.join(GAMES)}")
    version = fields.number("rules_version")
    if version is not None and version > game.rules_version:
        raise _wrong(
            "rules_version", version, f"at most {game.rules_version}, the version of these rules"
        )
    start = _start(game, fields)
    ended = fields.fields("ending")
    ending = None if ended is None else Ending(ended.text("reason"), tuple(ended.items("winners")))
    line = Line(_entries(fields, 0), fields.text("comment"), _marks(fields))
    try:
        record = Record(
            start,
            seats=tuple(fields.items("seats")),
            date=_date(fields.text("date")),
            tags=fields.values("tags"),
            line=line,
            ending=ending,
        )
    except InvalidRecord:
        raise
    except TerrariumError as error:
        raise InvalidRecord(error.code, error.message, error.rule) from None
    expected = record.outcome and record.outcome.to_dict()
    if data.get("outcome") not in (None, expected):
        raise _wrong("outcome", data["outcome"], f"{expected}, which follows from the actions")
    return record


def entries_from(actions: Sequence[Mapping[str, Any]]) -> tuple[Entry, ...]:
    """The entries of a line from the result of `to_dict`; they are not checked against the rules."""
    return _entries(_Fields({"actions": actions}, "record"), 0)


def _wrong(name: str, value: object, wanted: str) -> InvalidRecord:
    return InvalidRecord("record-field", f"{name} {value!r:.80}: must be {wanted}")


class _Fields:
    """An untrusted dictionary; reading a value checks its type."""

    def __init__(self, data: object, name: str) -> None:
        if not isinstance(data, Mapping):
            raise _wrong(name, data, "a dictionary")
        self.data = data
        self.name = name

    def text(self, name: str) -> str:
        value = self.data.get(name)
        if value is not None and not isinstance(value, str):
            raise _wrong(name, value, "a text")
        return value or ""

    def number(self, name: str) -> int | None:
        value = self.data.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise _wrong(name, value, "a whole number")
        return value

    def items(self, name: str) -> Sequence[Any]:
        value = self.data.get(name)
        if value is not None and not isinstance(value, (list, tuple)):
            raise _wrong(name, value, "a list")
        return value or ()

    def values(self, name: str) -> Mapping[str, Any]:
        value = self.data.get(name)
        return {} if value is None else _Fields(value, name).data

    def fields(self, name: str) -> _Fields | None:
        value = self.data.get(name)
        return None if value is None else _Fields(value, name)


def _start(game: Game, fields: _Fields) -> Position:
    options = fields.values("rules")
    if not all(isinstance(name, str) for name in options):
        raise _wrong("rules", options, "options by name")
    try:
        rules = game.rules(**options) if options else None
        board = _board(game, fields.data.get("board"))
        text = fields.text("start")
        if not text:
            return game.begin(game.rules() if rules is None else rules, board)
        start = game.position(text)
        if rules in (None, start.rules) and has_map(start, board):
            return game.position(text, board)
    except InvalidRecord:
        raise
    except TerrariumError as error:
        raise InvalidRecord(error.code, error.message, error.rule) from None
    raise _wrong("start", text, "a position with the rules and the board of the record")


def _board(game: Game, data: object) -> Any:
    if data is None:
        return None
    if not game.has_boards:
        raise _wrong("board", data, f"left out: {game.title} has no boards")
    if isinstance(data, str):
        return game.board(data)
    fields = _Fields(data, "board")
    found: dict[str, Any] = {key: fields.text(key) for key in ("map", "author", "note")}
    found |= {"name": fields.text("name") or "mine", "landscapes": fields.values("landscapes")}
    return game.board_from_data(found)


def _date(text: str) -> datetime.date | None:
    if not text:
        return None
    try:
        if len(text) != 10:
            raise ValueError
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise _wrong("date", text, "a date as in 2026-07-31") from None


def _entries(fields: _Fields, nesting: int) -> tuple[Entry, ...]:
    if nesting > MAX_NESTING:
        raise InvalidRecord("record-nesting", f"variations are nested deeper than {MAX_NESTING}")
    return tuple(_entry(_Fields(item, "actions"), nesting) for item in fields.items("actions"))


def _entry(fields: _Fields, nesting: int) -> Entry:
    variations = []
    for item in fields.items("variations"):
        variation = _Fields(item, "variations")
        entries = _entries(variation, nesting + 1)
        variations.append(Line(entries, variation.text("comment"), _marks(variation)))
    return Entry(
        fields.text("action"),
        fields.text("comment"),
        tuple(fields.items("glyphs")),
        fields.number("clock"),
        _evaluation(fields.fields("evaluation")),
        tuple(variations),
        _marks(fields),
    )


def _marks(fields: _Fields) -> tuple[Mark, ...]:
    marks = []
    for item in fields.items("marks"):
        mark = _Fields(item, "marks")
        colour = mark.text("colour") or "green"
        marks.append(Mark(mark.text("target"), mark.text("source") or None, colour))
    return tuple(marks)


def _evaluation(fields: _Fields | None) -> Evaluation | None:
    if fields is None:
        return None
    shares, depth, nodes = fields.items("shares"), fields.number("depth"), fields.number("nodes")
    return Evaluation(tuple(shares), depth, nodes)
