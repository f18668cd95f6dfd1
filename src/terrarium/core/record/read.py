"""Reading `.terra` texts: one record, or many from a file in constant memory.

A line that starts with `[Game ` always begins a record, so reading can continue there after an error.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from terrarium.core.record.line import (
    MAX_ENTRIES,
    MAX_NESTING,
    MAX_VARIATIONS,
    Cursor,
    Entry,
    Line,
    Mark,
    check_comment,
    checked_marks,
)
from terrarium.core.record.tags import Tags
from terrarium.core.record.value import Record
from terrarium.core.record.words import Text, Token, read_opening, read_said, tokens
from terrarium.errors import InvalidRecord, TerrariumError

__all__ = ["parse", "read_one", "read_records"]

MAX_RECORD = 16_000_000
MAX_LINE = 1_000_000

Source = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str]


def parse(text: str) -> Record:
    """The one record in a text."""
    if not isinstance(text, str):
        raise InvalidRecord("no-record", f"{text!r:.80}: a record is text")
    return _only(_records(_pieces(_lines(io.StringIO(text))), None))


def read_one(source: Source) -> Record:
    """The one record in a file."""
    return _only(read_records(source))


def read_records(
    source: Source, on_error: Callable[[InvalidRecord], None] | None = None
) -> Iterator[Record]:
    """The records of a file, given by its path or opened, one after the other.

    Only the current record is kept in memory. The first error is raised; with `on_error` each error is passed to that
    function instead, and reading continues with the next record.
    """
    if isinstance(source, (str, os.PathLike)):
        with Path(source).open("rb") as file:
            yield from _records(_pieces(_lines(file)), on_error)
    elif hasattr(source, "readline"):
        yield from _records(_pieces(_lines(source)), on_error)
    else:
        yield from _records(_pieces(iter(source)), on_error)


def _only(records: Iterator[Record]) -> Record:
    record = next(records, None)
    if record is None:
        message = 'no record found: a record begins with a line such as [Game "nova"]'
        raise InvalidRecord("no-record", message)
    if next(records, None) is not None:
        raise InvalidRecord("many-records", "more than one record: read them with read_records")
    return record


def _lines(file: Any) -> Iterator[str | InvalidRecord]:
    """The lines of a file; a line that is too long or not UTF-8 is replaced by an error."""
    number = 0
    try:
        while line := file.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE:
                while len(file.readline(MAX_LINE)) == MAX_LINE:
                    pass
                message = f"line {number}: no line is longer than {MAX_LINE:,} characters"
                yield InvalidRecord("record-size", message, line=number, column=1)
            else:
                yield line if isinstance(line, str) else _decoded(line, number)
    except UnicodeDecodeError as error:  # the caller opened the file with strict decoding
        message = f"after line {number}: not UTF-8 text ({error.reason})"
        yield InvalidRecord("not-text", message, line=number + 1, column=1)


def _decoded(line: bytes, number: int) -> str | InvalidRecord:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8", "replace")) + 1
        message = f"line {number}, column {column}: byte {line[error.start]:#04x} is not UTF-8 text"
        return InvalidRecord("not-text", message, line=number, column=column)


Piece = tuple[Text | None, InvalidRecord | None]


def _pieces(lines: Iterator[str | InvalidRecord]) -> Iterator[Piece]:
    """The text of each record with its place in the file, or the error if it can't be read."""
    gathered: list[str] = []
    size, first, number = 0, 1, 0
    wrong: InvalidRecord | None = None
    for line in lines:
        number += 1
        if isinstance(line, InvalidRecord):
            wrong, gathered, size = wrong or line, [], 0
            continue
        if line.startswith("[Game "):
            if wrong or _has_words(gathered):
                yield (None, wrong) if wrong else (Text("".join(gathered), first), None)
            gathered, size, first, wrong = [], 0, number, None
        if wrong:
            continue
        gathered.append(line)
        size += len(line)
        if size > MAX_RECORD:
            message = f"line {number}: no record is longer than {MAX_RECORD:,} characters"
            wrong = InvalidRecord("record-size", message, line=number, column=1)
            gathered, size = [], 0
    if wrong or _has_words(gathered):
        yield (None, wrong) if wrong else (Text("".join(gathered), first), None)


def _has_words(lines: list[str]) -> bool:
    return any(not line.isspace() for line in lines)


def _records(
    pieces: Iterator[Piece], on_error: Callable[[InvalidRecord], None] | None
) -> Iterator[Record]:
    for text, wrong in pieces:
        try:
            if wrong is not None:
                raise wrong
            assert text is not None
            record = _Reader(text).record()
        except InvalidRecord as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield record


class _Reader:
    """Reads the text of one record and plays its actions."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.entries = 0
        self.players = 0

    def record(self) -> Record:
        tags = Tags(self.text, self.tokens)
        start = tags.start()
        self.players = start.players
        line, cursor, result = self._line(tags.after, Cursor.at(start), 0)
        ending = tags.ending(cursor.position, result)
        seats, date = tags.seats(start.players), tags.date()
        try:
            return Record.read_in(
                cursor,
                start=start,
                seats=seats,
                date=date,
                tags=tags.free,
                line=line,
                ending=ending,
            )
        except TerrariumError as error:
            raise self.text.caused(tags.place, error) from None

    def _line(
        self, token: Token | None, cursor: Cursor, nesting: int
    ) -> tuple[Line, Cursor, Token | None]:
        """Read a line; returns it with the place it leads to and the token that ended it."""
        before = cursor
        entries: list[Entry] = []
        opening = ""
        marks: tuple[Mark, ...] = ()
        while token is not None:
            kind, place = token.kind, token.place
            if kind in ("close", "result"):
                break
            if kind == "tag":
                message = f'[{token.name} …: tags come before the first action; a record begins with [Game "…"]'
                raise self.text.error(place, "record-tag", message)
            if kind == "number":
                self._check_number(token, cursor)
            elif kind == "comment":
                if entries:
                    entries[-1] = self._commented(entries[-1], token)
                else:
                    opening, marks = self._opened(opening, marks, token)
            elif kind in ("glyph", "mark"):
                if not entries:
                    message = f"{token.text}: a glyph follows the action it judges"
                    raise self.text.error(place, "record-glyph", message)
                glyph = self._glyph(token)
                entries[-1] = self._checked(
                    replace(entries[-1], glyphs=(*entries[-1].glyphs, glyph)), place
                )
            elif kind == "open":
                entries[-1:] = [self._varied(entries, token, before, nesting)]
            else:
                before = cursor
                cursor, entry = self._play(token, cursor)
                entries.append(entry)
            token = next(self.tokens, None)
        if nesting == 0:
            self._check_nothing_left(token)
        return Line(tuple(entries), opening, marks), cursor, token

    def _play(self, token: Token, cursor: Cursor) -> tuple[Cursor, Entry]:
        self.entries += 1
        if self.entries > MAX_ENTRIES:
            raise self.text.error(token.place, "record-size", f"more than {MAX_ENTRIES:,} actions")
        try:
            return cursor.advance(token.text)
        except TerrariumError as error:
            raise self.text.caused(token.place, error) from None

    def _varied(self, entries: list[Entry], token: Token, before: Cursor, nesting: int) -> Entry:
        place = token.place
        if not entries:
            message = "(: a variation follows the action that it replaces"
            raise self.text.error(place, "record-variation", message)
        if nesting >= MAX_NESTING:
            message = f"(: variations are nested deeper than {MAX_NESTING}"
            raise self.text.error(place, "record-nesting", message)
        if len(entries[-1].variations) >= MAX_VARIATIONS:
            message = f"(: more than {MAX_VARIATIONS} variations of one action"
            raise self.text.error(place, "record-size", message)
        line, _, end = self._line(next(self.tokens, None), before, nesting + 1)
        if end is None or end.kind != "close":
            raise self.text.error(
                place, "record-variation", "a variation opens with ( here and never closes"
            )
        if not line.entries:
            raise self.text.error(place, "empty-variation", "a variation without actions")
        return replace(entries[-1], variations=(*entries[-1].variations, line))

    def _check_number(self, token: Token, cursor: Cursor) -> None:
        within = token.text.endswith("...")
        number = int(token.text.rstrip(".")) if len(token.text) < 12 else -1
        if number == cursor.next_turn and within != cursor.position.at_turn_start:
            return
        wanted = f"{cursor.next_turn}." + ("" if cursor.position.at_turn_start else "..")
        where = "a turn begins" if cursor.position.at_turn_start else "the turn continues"
        message = f"{token.text[:20]}: {where} here, which is written {wanted}"
        raise self.text.error(token.place, "turn-number", message)

    def _opened(
        self, comment: str, marks: tuple[Mark, ...], token: Token
    ) -> tuple[str, tuple[Mark, ...]]:
        said = read_opening(token.text)
        comment = "\n".join(filter(None, (comment, said.text)))
        try:
            check_comment(comment)
            marks = checked_marks((*marks, *said.marks))
        except InvalidRecord as error:
            raise self.text.caused(token.place, error) from None
        return comment, marks

    def _commented(self, entry: Entry, token: Token) -> Entry:
        said = read_said(token.text, self.text, token.place)
        comment = "\n".join(filter(None, (entry.comment, said.text)))
        clock = entry.clock if said.clock is None else said.clock
        evaluation = entry.evaluation if said.evaluation is None else said.evaluation
        marks = (*entry.marks, *said.marks)
        entry = replace(entry, comment=comment, clock=clock, evaluation=evaluation, marks=marks)
        return self._checked(entry, token.place)

    def _checked(self, entry: Entry, place: int) -> Entry:
        try:
            return entry.checked(self.players)
        except InvalidRecord as error:
            raise self.text.caused(place, error) from None

    def _glyph(self, token: Token) -> int:
        if token.kind == "glyph" and len(token.text) < 5:
            return int(token.text[1:])
        marks = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
        if token.text in marks:
            return marks[token.text]
        message = f"{token.text[:20]}: glyphs are $0 to $255 and {' '.join(marks)}"
        raise self.text.error(token.place, "record-glyph", message)

    def _check_nothing_left(self, token: Token | None) -> None:
        if token is not None and token.kind == "close":
            raise self.text.error(token.place, "record-variation", "): no variation is open here")
        after = next(self.tokens, None)
        if after is not None:
            message = f"{after.text[:40]}: nothing follows a record's result"
            raise self.text.error(after.place, "record-result", message)
