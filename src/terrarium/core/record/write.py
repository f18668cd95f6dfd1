"""A record as `.terra` text: tags, then a line of text for each round, wrapped where it is long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrarium.core.record.line import Cursor, Entry, Line
from terrarium.core.record.words import (
    clock_text,
    comment_words,
    escaped_comment,
    escaped_tag,
    evaluation_text,
    marks_words,
    result_text,
)

if TYPE_CHECKING:
    from terrarium.core.record.value import Record

__all__ = ["write"]

WIDTH = 100


def write(record: Record) -> str:
    """The whole text of a record, ending in a line break."""
    page = _Page()
    _Writer(page).line(record.line, Cursor.at(record.start), 0)
    page.break_line(0)
    page.add(result_of(record))
    tags = "\n".join(_tags(record))
    return f"{tags}\n\n{page.text()}\n"


def result_of(record: Record) -> str:
    """The result as written in the tag and at the end."""
    outcome = record.outcome
    if outcome is None or outcome.reason == "aborted":
        return result_text(None, record.players)
    return result_text(outcome.winners, record.players)


def option_text(value: Any) -> str:
    """An option's value as written in the Rules tag."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tags(record: Record) -> list[str]:
    def tag(name: str, value: str) -> str:
        return f'[{name} "{escaped_tag(value)}"]'

    options = record.rules.to_dict().items()
    tags = [tag("Game", record.game.name)]
    tags += [_folded("Rules", [f"{name}={option_text(value)}" for name, value in options])]
    tags += [tag("RulesVersion", str(record.game.rules_version))]
    board = record.board
    if board is not None:
        tags += [tag("Board", board.name)]
        if not board.is_builtin:
            keys = " ".join(f"{letter}={key}" for letter, key in board.landscapes.items())
            tags += [f'[Map "\n{board.to_text()}\n"]', tag("Landscapes", keys)]
            tags += [tag("BoardAuthor", board.author)] if board.author else []
            tags += [tag("BoardNote", board.note)] if board.note else []
    if not record.is_usual_start:
        tags += [tag("Start", record.start.to_text())]
    tags += [tag(f"Seat{seat}", name) for seat, name in enumerate(record.seats) if name]
    tags += [tag("Date", record.date.isoformat())] if record.date else []
    tags += [tag(name, value) for name, value in record.tags.items()]
    outcome = record.outcome
    tags += [tag("Result", result_of(record))]
    if outcome is not None:
        tags += [tag("Reason", outcome.reason)]
        if outcome.scores is not None:
            tags += [tag("Scores", " ".join(map(str, outcome.scores)))]
    return tags


def _folded(name: str, words: list[str]) -> str:
    """A tag whose value is words, wrapped to WIDTH."""
    lines = [f'[{name} "{words[0]}']
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > WIDTH:
            lines.append(" " * (len(name) + 3) + word)
        else:
            lines[-1] += " " + word
    return "\n".join(lines) + '"]'


class _Page:
    """Words in lines of at most WIDTH characters where possible; a turn that fits on one line is not split."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.current = ""
        self.indent = 4
        self.glued = False
        self.together: list[str] = []
        """The words of the current turn, kept until its length is known."""

    def break_line(self, indent: int) -> None:
        """Continue on a new line; if that is wrapped, its further lines are indented by four more spaces."""
        self.set()
        if self.current.strip():
            self.lines.append(self.current.rstrip())
        self.current = " " * indent
        self.indent = indent + 4

    def add(self, *words: str) -> None:
        for word in words:
            if self.glued and self.together:
                self.together[-1] += word
            else:
                self.together.append(word)
            self.glued = False

    def glue(self) -> None:
        """Let the next word follow without a space."""
        self.glued = True

    def close(self) -> None:
        """End a variation, right after its last word."""
        if self.together:
            self.together[-1] += ")"
        else:
            self.current += ")"

    def set(self) -> None:
        """Write the words of the current turn, on a new line if they fit there but not on this one."""
        length = sum(len(word) + 1 for word in self.together)
        if len(self.current) + length > WIDTH >= self.indent + length - 1 and self.current.strip():
            self.lines.append(self.current.rstrip())
            self.current = " " * self.indent
        for word in self.together:
            if not self.current.strip():
                self.current += word
            elif len(self.current) + 1 + len(word) > WIDTH:
                self.lines.append(self.current.rstrip())
                self.current = " " * self.indent + word
            else:
                self.current += " " + word
        self.together = []

    def text(self) -> str:
        self.set()
        return "\n".join([*self.lines, self.current.rstrip()])


class _Writer:
    """Writes the tree of a record in one pass; it replays the record to know where turns begin."""

    def __init__(self, page: _Page) -> None:
        self.page = page

    def line(self, line: Line, cursor: Cursor, nesting: int) -> None:
        page = self.page
        opening = marks_words(line.marks)
        if line.comment:
            opening += comment_words(escaped_comment(line.comment))
        page.add(*_braced(opening))
        is_numbered = False
        last_seat = -1
        for index, entry in enumerate(line):
            position = cursor.position
            after, _ = cursor.advance(entry.text)
            word = entry.text
            if entry.resigns is None:
                if position.at_turn_start:
                    seat = position.to_move
                    assert seat is not None
                    if nesting == 0 and seat <= last_seat:
                        page.break_line(0)
                    elif index:
                        page.set()
                    last_seat = seat
                    word = f"{after.turn}. {word}"
                elif not is_numbered:
                    word = f"{after.turn}... {word}"
                is_numbered = True
            page.add(word)
            self.said(entry)
            for variation in entry.variations:
                page.break_line(2 * nesting + 4)
                page.add("(")
                page.glue()
                self.line(variation, cursor, nesting + 1)
                page.close()
            if entry.variations and index < len(line) - 1:
                page.break_line(2 * nesting + 2 if nesting else 0)
                is_numbered = False
            cursor = after

    def said(self, entry: Entry) -> None:
        words = [f"${glyph}" for glyph in entry.glyphs]
        data = []
        if entry.clock is not None:
            data.append(f"[%clk {clock_text(entry.clock)}]")
        if entry.evaluation is not None:
            data.append(f"[%eval {evaluation_text(entry.evaluation)}]")
        data += marks_words(entry.marks)
        if entry.comment:
            data += comment_words(escaped_comment(entry.comment))
        self.page.add(*words, *_braced(data))


def _braced(words: list[str]) -> list[str]:
    if not words:
        return []
    if len(words) == 1:
        return ["{" + words[0] + "}"]
    return ["{" + words[0], *words[1:-1], words[-1] + "}"]
