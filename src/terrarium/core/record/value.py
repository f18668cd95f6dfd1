"""Records: a game with its start, actions and end, and with comments and variations.

A record is an immutable value: `play`, `resign`, `annotate` and the others return a new one. Every action is checked by the rules when it
is added. Positions are replayed, never stored. `str(record)` is the `.terra` text, `to_dict` the same content for JSON.

>>> from terrarium import Record, nova
>>> record = Record(nova.start(), seats=("a player", "another player")).play("@e7")
>>> Record.parse(str(record)) == record
True
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, cast

from terrarium.core.action import Action
from terrarium.core.event import Event
from terrarium.core.game import GAMES, Game
from terrarium.core.outcome import Outcome
from terrarium.core.position import Position
from terrarium.core.record.labels import check_date, checked_seats, checked_tags
from terrarium.core.record.line import (
    Cursor,
    Ending,
    Entry,
    Evaluation,
    Line,
    Mark,
    P_co,
    check_line,
    problem,
)
from terrarium.errors import IllegalAction

if TYPE_CHECKING:
    from terrarium.core.record.node import Node

__all__ = ["Ending", "Entry", "Evaluation", "Line", "Record", "Step", "Turn"]


@dataclass(frozen=True, slots=True)
class Step(Generic[P_co]):
    """One entry of the main line with its events; `action` is None for a resignation or a null turn."""

    index: int
    turn: int
    seat: int
    action: Action | None
    entry: Entry
    events: tuple[Event, ...]
    position: P_co
    """The position after it."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[P_co]):
    """The steps of one turn; a resignation between turns belongs to the turn before it (0: before the first)."""

    number: int
    seat: int
    steps: tuple[Step[P_co], ...]

    @property
    def position(self) -> P_co:
        """The position after the turn."""
        return self.steps[-1].position

    @property
    def text(self) -> str:
        """The turn's actions in notation."""
        return " ".join(step.entry.text for step in self.steps)


@dataclass(frozen=True, eq=False, repr=False)
class Record(Generic[P_co]):
    """A start position, the entries played from there, the names at the seats, and the result.

    Type checkers know the game from the start position; for a text you can name it: `Record[nova.Position].parse(text)`.
    """

    start: P_co
    seats: tuple[str, ...] = ()
    """The name at each seat; empty if unknown."""
    date: datetime.date | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    """Other facts: Event, Site, Annotator, and so on."""
    line: Line = field(default_factory=Line)
    ending: Ending | None = None
    """An end outside the rules: timeout, agreement, and so on."""
    _cursor: Cursor = field(init=False)

    def __post_init__(self) -> None:
        check_start(self.start)
        line, cursor = check_line(self.line, self.start)
        self._set(line=line, _cursor=cursor)
        self._check_labels()

    def _check_labels(self) -> None:
        """Check everything except the line."""
        self._set(seats=checked_seats(self.seats, self.start.players))
        self._set(tags=checked_tags(self.tags))
        check_date(self.date)
        if self.ending is not None:
            self._set(ending=_checked_ending(self.ending, self.position))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _with(self, **values: Any) -> Record[P_co]:
        """A copy with some fields replaced by values that are already checked."""
        copy = object.__new__(type(self))
        copy._set(**{name: getattr(self, name) for name in _FIELDS} | values)
        return copy

    @classmethod
    def read_in(cls, cursor: Cursor, **values: Any) -> Record[P_co]:
        """A record whose line the caller has checked up to `cursor`; everything else is checked here."""
        record = object.__new__(cls)
        plain: dict[str, Any] = {
            "seats": (),
            "date": None,
            "tags": {},
            "ending": None,
        }
        record._set(**plain | values, _cursor=cursor)
        record._check_labels()
        return record

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.start.game

    @property
    def board(self) -> Any:
        """The board it was played on; None in a game without boards."""
        return getattr(self.start, "board", None)

    @property
    def rules(self) -> Any:
        """The options it was played with."""
        return self.start.rules

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self.start.players

    @property
    def position(self) -> P_co:
        """The position after the last action of the main line."""
        return cast(P_co, self._cursor.position)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, by the rules or outside them; None while it is not over."""
        by_rules = self.position.outcome
        if by_rules is not None or self.ending is None:
            return by_rules
        scores = getattr(self.position, "scores", None)
        return Outcome(self.ending.winners, self.ending.reason, scores)

    @property
    def is_usual_start(self) -> bool:
        """Whether it starts from the usual first position of its rules and board."""
        try:
            return bool(self.game.begin(self.rules, self.board) == self.start)
        except ValueError:  # a composed position may use a board that is too small to start on
            return False

    def __len__(self) -> int:
        """The number of entries in the main line."""
        return len(self.line.entries)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self is other or self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash((self.start, self.seats, self.date, self.line, self.ending))

    def _facts(self) -> tuple[object, ...]:
        # positions compare only the map of their board, so the board is compared separately
        return (self.start, self.board, self.seats, self.date, self.tags, self.line, self.ending)

    def __repr__(self) -> str:
        seats = ", ".join(name or "?" for name in self.seats)
        return (
            f"<Record {self.game.name}: {seats}; {len(self)} actions; {self.outcome or 'not over'}>"
        )

    def __reduce__(self) -> tuple[object, ...]:
        values = (self.start, self.seats, self.date, dict(self.tags), self.line, self.ending)
        return (type(self), values)

    def play(
        self,
        actions: Action | str | int | Iterable[Action | str | int],
        *,
        comment: str = "",
        glyphs: tuple[int, ...] = (),
        clock: int | None = None,
        evaluation: Evaluation | None = None,
        marks: tuple[Mark, ...] = (),
    ) -> Record[P_co]:
        """The record with one more action, or several (a text may hold several, separated by spaces).

        Annotations are attached to the last one. Raises IllegalAction and InvalidAction as `Position.play` does.
        """
        if isinstance(actions, (Action, int)):
            actions = [actions]
        words = actions.split() if isinstance(actions, str) else list(actions)
        self._check_open(str(words[0]) if words else "play")
        cursor, entries = self._cursor, []
        for word in words:
            cursor, entry = cursor.advance(word)
            entries.append(entry)
        if entries:
            said = Entry(entries[-1].text, comment, glyphs, clock, evaluation, marks=marks)
            entries[-1] = said.checked(self.players)
        line = replace(self.line, entries=(*self.line.entries, *entries))
        return self._with(line=line, _cursor=cursor)

    def resign(self, seat: int, *, comment: str = "") -> Record[P_co]:
        """The record with the resignation of a seat (TN-28, TT-19)."""
        self._check_open(f"resign:{seat}")
        cursor, entry = self._cursor.resign(seat)
        entry = replace(entry, comment=comment).checked(self.players)
        line = replace(self.line, entries=(*self.line.entries, entry))
        return self._with(line=line, _cursor=cursor)

    def end(self, reason: str, winners: Iterable[int] = ()) -> Record[P_co]:
        """The record ended outside the rules: `timeout`, `agreement`, `adjudicated` or `aborted` (then nobody wins)."""
        self._check_open(reason)
        ending = _checked_ending(Ending(reason, tuple(winners)), self.position)
        return self._with(ending=ending)

    def back(self, entries: int = 1) -> Record[P_co]:
        """The record without its last entries (and without an end outside the rules)."""
        kept = self.line.entries[: max(0, len(self) - entries)]
        return replace(self, line=replace(self.line, entries=kept), ending=None)

    def annotate(self, index: int | tuple[int, ...], **said: Any) -> Record[P_co]:
        """The record with comment, glyphs, marks, clock, evaluation or variations of one entry replaced.

        `index` counts in the main line; a path as in `Node.path` leads to any other entry.
        """
        from terrarium.core.record.node import with_entry

        path, _ = self._entry(index)
        return replace(self, line=with_entry(self.line, path, said))

    def vary(
        self, index: int | tuple[int, ...], actions: str | Iterable[str], comment: str = ""
    ) -> Record[P_co]:
        """The record with a variation that could have been played instead of one entry; `index` as for `annotate`."""
        words = actions.split() if isinstance(actions, str) else actions
        variation = Line(tuple(Entry(str(word)) for word in words), comment)
        path, entry = self._entry(index)
        return self.annotate(path, variations=(*entry.variations, variation))

    def _entry(self, index: int | tuple[int, ...]) -> tuple[tuple[int, ...], Entry]:
        """The path and the entry for an index in the main line or a path."""
        if isinstance(index, tuple):
            entry = self.node(index).entry
            if entry is None:
                raise problem("no-such-entry", "(): nothing was played before the start")
            return index, entry
        length = len(self)
        if not -length <= index < length:
            raise problem("no-such-entry", f"{index}: the main line has {length} entries")
        return (index % length,), self.line.entries[index]

    @property
    def root(self) -> Node[P_co]:
        """The place before the first entry, from which `next`, `children` and `variations` lead to all others."""
        return self.node(())

    def node(self, path: Iterable[int]) -> Node[P_co]:
        """The place with this path, in the main line or in a variation; `Node` describes paths."""
        from terrarium.core.record.node import node_at

        return node_at(self, path)

    def nodes(self) -> Iterator[Node[P_co]]:
        """Every entry of the record with its position, variations after the entry they replace."""
        lines = [self.root.line()]
        while lines:
            node = next(lines[-1], None)
            if node is None:
                lines.pop()
                continue
            yield node
            lines.extend(variation.line() for variation in reversed(node.variations))

    def positions(self) -> Iterator[Step[P_co]]:
        """Each entry of the main line with its events and the position after it."""
        cursor = Cursor.at(self.start)
        for index, entry in enumerate(self.line):
            before, resigns = cursor.position, entry.resigns
            action: Action | None
            events: tuple[Event, ...]
            if entry.null_turn is not None:
                action, seat, events = None, before.to_move, ()
                cursor, _ = cursor.skip_to(entry.null_turn)
                after = cursor.position
            elif resigns is None:
                action = before.parse(entry.text)
                seat = before.to_move
                after, events = before.step(action)
                cursor = Cursor(after, cursor.next_turn)
            else:
                action, seat = None, resigns
                after, events = before.step_resignation(resigns)
                cursor = Cursor(after, cursor.turn)
            assert seat is not None
            yield Step(index, cursor.turn, seat, action, entry, events, cast(P_co, after))

    def turns(self) -> Iterator[Turn[P_co]]:
        """The main line turn by turn."""
        steps: list[Step[P_co]] = []
        for step in self.positions():
            if steps and step.turn != steps[0].turn:
                yield _turn(steps)
                steps = []
            steps.append(step)
        if steps:
            yield _turn(steps)

    def _check_open(self, asked: str) -> None:
        if self.ending is not None:
            message = f"{asked}: the game is over ({self.ending.reason})"
            raise IllegalAction("game-over", message)

    def _repr_svg_(self) -> str:
        """The last position with the last turn marked, as notebooks show it."""
        last: tuple[Action, ...] = ()
        for turn in self.turns():
            last = tuple(step.action for step in turn.steps if step.action is not None)
        return cast(str, self.game.draw.draw(self.position, last=last))

    def __str__(self) -> str:
        from terrarium.core.record.write import write

        return write(self)

    @classmethod
    def parse(cls, text: str) -> Record[P_co]:
        """The one record in a `.terra` text; raises InvalidRecord with line, column and reason."""
        from terrarium.core.record.read import parse

        return cast("Record[P_co]", parse(text))

    @classmethod
    def read(cls, source: Any) -> Record[P_co]:
        """The one record in a file, given by its path or opened."""
        from terrarium.core.record.read import read_one

        return cast("Record[P_co]", read_one(source))

    def to_dict(self) -> dict[str, Any]:
        """The whole record, ready for JSON; `from_dict` reads it back."""
        from terrarium.core.record.json import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record[P_co]:
        """The record from the result of `to_dict`; raises InvalidRecord that names the wrong field."""
        from terrarium.core.record.json import from_dict

        return cast("Record[P_co]", from_dict(data))


_FIELDS = ("start", "seats", "date", "tags", "line", "ending", "_cursor")


def check_start(position: object) -> None:
    """Raise InvalidRecord unless this is a position of a game."""
    if not isinstance(getattr(position, "game", None), Game):
        what = f"{type(position).__name__} {position!r:.60}"
        message = f"{what}: a record starts from a position of {', '.join(GAMES)}"
        raise problem("no-position", message)


def _turn(steps: list[Step[P_co]]) -> Turn[P_co]:
    seat = next((step.seat for step in steps if step.entry.resigns is None), steps[0].seat)
    return Turn(steps[0].turn, seat, tuple(steps))


def _checked_ending(ending: Ending, position: Position) -> Ending:
    if position.outcome is not None:
        message = (
            f"{ending.reason}: the game already ended by the rules ({position.outcome.reason})"
        )
        raise IllegalAction("game-over", message)
    return ending.checked(position.players)
