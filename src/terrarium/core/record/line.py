"""The parts of a record's line: entries with comments, glyphs, marks, clocks, evaluations and variations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.errors import IllegalAction, InvalidRecord

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    P_co = TypeVar("P_co", bound=Position, default=Position, covariant=True)
    """The type of a record's positions; covariant, so that a record of one game is also a `Record`."""
else:
    from typing import TypeVar

    P_co = TypeVar("P_co", covariant=True)

__all__ = [
    "CELL",
    "COLOURS",
    "Cursor",
    "Ending",
    "Entry",
    "Evaluation",
    "Line",
    "Mark",
    "P_co",
    "check_line",
    "checked_marks",
    "problem",
]

MAX_COMMENT = 65_536
MAX_GLYPHS = 16
MAX_MARKS = 64
MAX_ENTRIES = 200_000
MAX_NESTING = 32
MAX_VARIATIONS = 256
MAX_CLOCK = 1000 * 60 * 60 * 24 * 366
MAX_COUNT = 10**18

ENDINGS = ("timeout", "agreement", "adjudicated", "aborted")

COLOURS = ("green", "red", "blue", "yellow")
"""The colours of marks."""

_RESIGNATION = re.compile(r"resign:([0-9])")
_NULL_TURN = re.compile(r"null:([0-9])")
CELL = r"[^\s,\[\]{}\\-]{1,16}"
"""The name of a cell that can be marked, as a regular expression."""


def problem(code: str, message: str) -> InvalidRecord:
    """An InvalidRecord without line and column."""
    return InvalidRecord(code, message)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A computer player's evaluation: the share of the win it expects for each seat, and its search depth.

    A record keeps three digits of each share; further digits are not significant.
    """

    shares: tuple[float, ...]
    depth: int | None = None
    nodes: int | None = None

    def checked(self, players: int) -> Evaluation:
        """This evaluation; raises InvalidRecord if it can't be written and read back."""
        shares = tuple(self.shares)
        fine = len(shares) == players and all(
            isinstance(share, (int, float)) and math.isfinite(share) and 0 <= share <= 1
            for share in shares
        )
        if not fine:
            wanted = f"{players} numbers from 0 to 1, one for each seat"
            raise problem("record-evaluation", f"evaluation {shares!r:.80}: must be {wanted}")
        for name, count in (("depth", self.depth), ("nodes", self.nodes)):
            if count is not None and not _is_count(count, MAX_COUNT):
                message = f"evaluation {name} {count!r:.40}: must be a whole number, 0 or more"
                raise problem("record-evaluation", message)
        return Evaluation(tuple(round(float(share), 3) for share in shares), self.depth, self.nodes)


@dataclass(frozen=True, slots=True)
class Mark:
    """A cell that a reader marked, or an arrow to it from `source`."""

    target: str
    source: str | None = None
    colour: str = "green"

    def checked(self) -> Mark:
        """This mark; raises InvalidRecord if it can't be written and read back."""
        cells = [self.target] if self.source is None else [self.target, self.source]
        if not all(isinstance(cell, str) and re.fullmatch(CELL, cell) for cell in cells):
            message = f"mark {self.source!r:.40} {self.target!r:.40}: marks name cells, as in e7"
            raise problem("record-marks", message)
        if self.source == self.target:
            raise problem("record-marks", f"mark {self.target}: an arrow leads to another cell")
        if self.colour not in COLOURS:
            message = f"mark {self.target}: colour {self.colour!r:.40} is not {', '.join(COLOURS)}"
            raise problem("record-marks", message)
        return self


def checked_marks(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks, cells before arrows, only the last for each cell or arrow; raises InvalidRecord if one can't be written."""
    found = {(mark.source, mark.target): mark for mark in (one.checked() for one in marks)}
    if len(found) > MAX_MARKS:
        raise problem("record-marks", f"{len(found)} marks: at most {MAX_MARKS} in one place")
    return tuple(sorted(found.values(), key=lambda mark: mark.source is not None))


@dataclass(frozen=True, slots=True)
class Ending:
    """An end outside the rules: its reason and the winners (none: a draw, or an aborted game)."""

    reason: str
    winners: tuple[int, ...] = ()

    def checked(self, players: int) -> Ending:
        """This ending with the winners in seat order; raises InvalidRecord if there is no such seat."""
        if self.reason not in ENDINGS:
            message = f"{self.reason!r:.80}: a game ends outside the rules by {', '.join(ENDINGS)}"
            raise problem("record-ending", message)
        winners = tuple(self.winners)
        if not all(_is_count(seat, players - 1) for seat in winners):
            message = f"winners {winners!r:.80}: seats run from 0 to {players - 1}"
            raise problem("record-ending", message)
        if winners and self.reason == "aborted":
            raise problem("record-ending", f"winners {winners}: nobody wins an aborted game")
        return Ending(self.reason, tuple(sorted(set(winners))))


@dataclass(frozen=True, slots=True)
class Entry:
    """An action, a resignation (`resign:1`) or a null turn (`null:1`) with its annotations.

    A null turn only gives the turn to another seat, to show what that seat threatens. `clock` is the time left on the seat's clock after the entry,
    in milliseconds. `variations` could have been played instead of this entry.
    """

    text: str
    comment: str = ""
    glyphs: tuple[int, ...] = ()
    clock: int | None = None
    evaluation: Evaluation | None = None
    variations: tuple[Line, ...] = ()
    marks: tuple[Mark, ...] = ()
    """Arrows and marked cells in the position after it."""

    @property
    def null_turn(self) -> int | None:
        """The seat that is to move after this null turn; None for anything else."""
        found = _NULL_TURN.fullmatch(self.text)
        return int(found[1]) if found else None

    @property
    def resigns(self) -> int | None:
        """The seat that resigns here; None for anything else."""
        found = _RESIGNATION.fullmatch(self.text)
        return int(found[1]) if found else None

    def checked(self, players: int) -> Entry:
        """This entry; raises InvalidRecord if its annotations can't be written and read back."""
        check_comment(self.comment)
        glyphs = tuple(self.glyphs)
        if len(glyphs) > MAX_GLYPHS or not all(_is_count(glyph, 255) for glyph in glyphs):
            message = f"glyphs {glyphs!r:.80}: at most {MAX_GLYPHS} whole numbers from 0 to 255"
            raise problem("record-glyph", message)
        if self.clock is not None and not _is_count(self.clock, MAX_CLOCK):
            message = f"clock {self.clock!r:.40}: milliseconds left, 0 to {MAX_CLOCK:,}"
            raise problem("record-clock", message)
        evaluation = None if self.evaluation is None else self.evaluation.checked(players)
        marks = checked_marks(self.marks)
        return replace(self, glyphs=glyphs, evaluation=evaluation, marks=marks)


@dataclass(frozen=True, slots=True)
class Line:
    """Consecutive entries, and the comment and the marks before the first."""

    entries: tuple[Entry, ...] = field(default=())
    comment: str = ""
    marks: tuple[Mark, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a line: the position there and the number of the latest turn."""

    position: Position
    turn: int

    @classmethod
    def at(cls, position: Position) -> Cursor:
        """The place where a record starts; a start within a turn is within turn 1."""
        return cls(position, 0 if position.at_turn_start else 1)

    @property
    def next_turn(self) -> int:
        """The number of the turn that the next action belongs to."""
        return self.turn + 1 if self.position.at_turn_start else self.turn

    def advance(self, what: Action | str | int) -> tuple[Cursor, Entry]:
        """The place after an action, a resignation or a null turn, and its entry in standard notation."""
        if isinstance(what, str):
            found = _RESIGNATION.fullmatch(what)
            if found:
                return self.resign(int(found[1]))
            found = _NULL_TURN.fullmatch(what)
            if found:
                return self.skip_to(int(found[1]))
        if self.position.outcome is not None:
            reason = self.position.outcome.reason
            raise IllegalAction("game-over", f"{what!s:.80}: the game is over ({reason})")
        action = self.position.parse(what) if isinstance(what, str) else what
        after = self.position.play(action)
        text = str(self.position.action(action) if isinstance(action, int) else action)
        return Cursor(after, self.next_turn), Entry(text)

    def resign(self, seat: int) -> tuple[Cursor, Entry]:
        """The place after a resignation, and its entry."""
        return Cursor(self.position.resign(seat), self.turn), Entry(f"resign:{seat}")

    def skip_to(self, seat: int) -> tuple[Cursor, Entry]:
        """The place after a null turn, which gives the turn to another seat, and its entry."""
        position = self.position
        imagined: Position | None = None
        if (
            position.at_turn_start
            and position.outcome is None
            and seat != position.to_move
            and seat < position.players
            and seat not in position.resigned
        ):
            imagined = position.game.imagine(position, seat)
        if (
            imagined is None
            or imagined.outcome is not None
            or not imagined.at_turn_start
            or imagined.to_move != seat
        ):
            message = f"null:{seat}: the turn can't be given to seat {seat} here"
            raise IllegalAction("no-null-turn", message)
        return Cursor(imagined, self.next_turn), Entry(f"null:{seat}")


def check_comment(comment: object) -> None:
    """Raise InvalidRecord if a comment can't be written and read back."""
    if not isinstance(comment, str) or len(comment) > MAX_COMMENT:
        message = f"comment {comment!r:.80}: a text of at most {MAX_COMMENT:,} characters"
        raise problem("record-comment", message)


def check_line(line: Line, start: Position) -> tuple[Line, Cursor]:
    """The line in standard notation, and the place it leads to; raises an error if the rules do not allow it."""
    return _Check(start.players).line(line, Cursor.at(start), 0)


class _Check:
    """Checks a tree of entries in one pass and counts them."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.entries = 0

    def line(self, line: Line, cursor: Cursor, nesting: int) -> tuple[Line, Cursor]:
        if nesting > MAX_NESTING:
            raise problem("record-nesting", f"variations are nested deeper than {MAX_NESTING}")
        check_comment(line.comment)
        done = []
        for entry in line.entries:
            self.entries += 1
            if self.entries > MAX_ENTRIES:
                raise problem("record-size", f"more than {MAX_ENTRIES:,} actions in one record")
            after, plain = cursor.advance(entry.text)
            variations = []
            if len(entry.variations) > MAX_VARIATIONS:
                message = f"{entry.text}: more than {MAX_VARIATIONS} variations of one action"
                raise problem("record-size", message)
            for variation in entry.variations:
                if not variation.entries:
                    raise problem("empty-variation", f"{entry.text}: a variation without actions")
                variations.append(self.line(variation, cursor, nesting + 1)[0])
            entry = replace(entry, text=plain.text, variations=tuple(variations))
            done.append(entry.checked(self.players))
            cursor = after
        return replace(line, entries=tuple(done), marks=checked_marks(line.marks)), cursor


def _is_count(value: object, maximum: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= maximum
