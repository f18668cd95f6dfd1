"""Random records for the tests: games of every kind with every kind of annotation."""

from __future__ import annotations

import datetime
from dataclasses import replace
from random import Random

from terrarium import games
from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.record import Entry, Evaluation, Line, Mark, Record
from terrarium.core.record.line import COLOURS, Cursor
from terrarium.errors import IllegalAction

SAYINGS = (
    "a quiet move",
    'braces { and } and \\ backslashes, "quotes" and ; (parentheses) $1 1-0 *',
    "two\nlines\n\nand a gap",
    " spaces at both ends ",
    " ",
    "[%clk 0:01:00] is only text here, and so is [%eval",
    "[%csl Ge7] and [%cal Ge7-e8] are only text here",
    "îlots, 島, 🏝 and a tab\tand \x00 \u2028 \x85 \ud800",
    "a long remark that goes on and on, " * 12,
    '[Game "nova"]\n[Game "nova"]',
    "%",
)


def any_action(position: Position, rng: Random) -> Action:
    """A random action. Its kind is drawn first, so that games make progress."""
    kinds: dict[str, list[Action]] = {}
    for action in position.legal_actions():
        kinds.setdefault(action.kind, []).append(action)
    return rng.choice(kinds[rng.choice(sorted(kinds))])


def random_marks(position: Position, rng: Random) -> tuple[Mark, ...]:
    """A few cells and arrows, some of them twice."""
    cells = [cell.name for cell in position.game.layout(position)]
    marks = []
    for _ in range(rng.randrange(1, 6)):
        source, target = rng.sample(cells, 2)
        marks.append(Mark(target, rng.choice([None, source]), rng.choice(COLOURS)))
    return (*marks, marks[0])


def skipped(cursor: Cursor, rng: Random) -> tuple[Cursor, Entry] | None:
    """A null turn, if the rules allow one here."""
    try:
        return cursor.skip_to(rng.randrange(cursor.position.players))
    except IllegalAction:
        return None


def random_line(cursor: Cursor, rng: Random, length: int, nesting: int, say: float) -> Line:
    """A line of random actions with comments, data, variations and resignations; variations also have null turns."""
    players = cursor.position.players
    entries: list[Entry] = []
    for _ in range(length):
        position = cursor.position
        if position.outcome is not None:
            break
        before = cursor
        if rng.random() < 0.01:
            left = [seat for seat in range(players) if seat not in position.resigned]
            cursor, entry = cursor.resign(rng.choice(left))
        elif nesting < 3 and rng.random() < 0.2 and (found := skipped(cursor, rng)):
            cursor, entry = found
        else:
            cursor, entry = cursor.advance(any_action(position, rng))
        if rng.random() < say:
            entry = replace(entry, comment=rng.choice(SAYINGS))
        if rng.random() < say:
            entry = replace(entry, clock=rng.randrange(10**7))
        if rng.random() < say:
            shares = tuple(rng.random() for _ in range(players))
            entry = replace(entry, evaluation=Evaluation(shares, rng.choice([None, 7])))
        if rng.random() < say:
            entry = replace(entry, glyphs=tuple(rng.choices(range(256), k=rng.randrange(1, 4))))
        if rng.random() < say:
            entry = replace(entry, marks=random_marks(position, rng))
        while nesting and rng.random() < say:
            variation = random_line(before, rng, rng.randrange(1, 9), nesting - 1, say)
            entry = replace(entry, variations=(*entry.variations, variation))
        entries.append(entry)
    marks = random_marks(cursor.position, rng) if rng.random() < say else ()
    return Line(tuple(entries), rng.choice(SAYINGS) if rng.random() < say else "", marks)


def random_record(game: str, seed: int, *, length: int = 120, say: float = 0.1) -> Record:
    """A random record; the same for the same game and seed."""
    rng = Random(seed)
    start = games[game].start(players=rng.choice([2, 3, 4]))
    line = random_line(Cursor.at(start), rng, length, 3, say)
    record = Record(
        start,
        seats=tuple(
            rng.choice(["", "a player", 'the "other" \\ one', "游戏"]) for _ in range(start.players)
        ),
        date=rng.choice([None, datetime.date(2026, 11, 15)]),
        tags={"Event": rng.choice(SAYINGS), "Site": ""} if rng.random() < 0.5 else {},
        line=line,
    )
    if record.outcome is None and rng.random() < 0.5:
        return record.end(
            *rng.choice(
                [("aborted", ()), ("agreement", ()), ("timeout", (1,)), ("adjudicated", (0, 1))]
            )
        )
    return record
