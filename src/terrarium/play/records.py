"""Records as interfaces receive them: turn by turn, with the position after each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Annotated

from msgspec import Meta, Struct

from terrarium.core.record import Record, read_records
from terrarium.errors import InvalidRecord
from terrarium.play.boards import board_view
from terrarium.play.positions import PlayedTurn
from terrarium.play.shapes import AnyDict, BoardView

__all__ = ["ReadRecord", "RecordText", "parsed", "parsed_all", "read_record", "record_view"]


class RecordText(Struct, forbid_unknown_fields=True):
    """A `.terra` text."""

    text: Annotated[str, Meta(max_length=250_000)]


class RecordResignation(Struct):
    """A seat that resigned, and the number of turns played by then."""

    seat: int
    after: int


class ReadRecord(Struct):
    """A record, turn by turn."""

    record: AnyDict
    game: str
    rules: AnyDict
    board: BoardView | None
    seats: list[str]
    start: str
    start_view: AnyDict
    turns: list[PlayedTurn]
    resignations: list[RecordResignation]
    outcome: AnyDict | None


def read_record(text: str) -> ReadRecord:
    """A `.terra` text, turn by turn."""
    return record_view(parsed(text))


_SURROGATE = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]")
"""An escape of a surrogate; the backslash must not be escaped itself."""


def parsed(text: str) -> Record:
    """The record in a text; refused if JSON can't represent it."""
    _check_text(text)
    return Record.parse(text)


def parsed_all(text: str) -> Iterator[Record]:
    """The records in a text, in order; refused if JSON can't represent them."""
    _check_text(text)
    return read_records(StringIO(text))


def _check_text(text: str) -> None:
    if _SURROGATE.search(text):
        raise InvalidRecord("not-text", "the text has half a character (a lone surrogate)")


def record_view(record: Record) -> ReadRecord:
    """A record, turn by turn; a resignation is not a turn, and belongs to the turn before it."""
    start = record.start
    resignations = []
    turns = []
    for turn in record.turns():
        for step in turn.steps:
            if step.entry.resigns is not None:
                resignations.append(RecordResignation(step.entry.resigns, turn.number))
        if turn.number == 0:
            start = turn.position
            continue
        last = turn.steps[-1].entry
        comments = [step.entry.comment for step in turn.steps if step.entry.comment]
        shares = None if last.evaluation is None else list(last.evaluation.shares)
        turns.append(
            PlayedTurn(
                turn.number,
                turn.seat,
                [str(step.action) for step in turn.steps if step.action is not None],
                [event.to_dict() for step in turn.steps for event in step.events],
                turn.position.view(),
                turn.position.to_text(),
                " ".join(comments),
                last.clock,
                shares,
            )
        )
    return ReadRecord(
        record.to_dict(),
        record.game.name,
        record.rules.to_dict(),
        None if record.board is None else board_view(record.board),
        list(record.seats),
        record.start.to_text(),
        start.view(),
        turns,
        resignations,
        None if record.outcome is None else record.outcome.to_dict(),
    )
