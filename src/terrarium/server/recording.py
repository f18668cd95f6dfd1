"""A table as a record, and pictures of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from terrarium import games
from terrarium.core.picture import png
from terrarium.core.position import Position
from terrarium.core.record import Record
from terrarium.server.errors import NotFound
from terrarium.server.table import Table

__all__ = ["animation", "picture_png", "picture_svg", "record_of"]

MAX_FRAMES = 300


def record_of(table: Table) -> Record:
    """The game as it was played, with clocks and how it ended."""
    names = tuple(
        seat.name or (f"Computer {seat.level}" if seat.is_computer else "") for seat in table.seats
    )
    date = datetime.fromtimestamp(table.created / 1000, UTC).date()
    record = Record(table.start, seats=names, date=date, board=table.board)
    for turn in table.turns:
        if turn.actions:
            record = record.play(turn.actions, clock=turn.clock)
        else:
            record = record.resign(turn.seat)
    ending = table.ending
    if ending is not None and table.position.outcome is None:
        record = record.end(ending["reason"], ending["winners"])
    return record


def _frames(table: Table) -> Iterator[tuple[Position, tuple[str, ...]]]:
    position = table.start
    yield position, ()
    for turn in table.turns:
        position = position.play_all(turn.actions) if turn.actions else position.resign(turn.seat)
        yield position, turn.actions


def picture_svg(table: Table, turn: int | None, theme: str, **look: Any) -> str:
    """The position after a turn, the last one by default, as SVG."""
    number = len(table.turns) if turn is None else turn
    if not 0 <= number <= len(table.turns):
        message = f"turn {number}: the game has turns 0 to {len(table.turns)}"
        raise NotFound("no-such-turn", message)
    last = table.turns[number - 1].actions if number else ()
    draw = games[table.game].module.draw.draw
    svg: str = draw(table.position_at(number), last=last, theme=theme, **look)
    return svg


def picture_png(table: Table, turn: int | None, theme: str, width: int) -> bytes:
    """The position after a turn as PNG."""
    return png(picture_svg(table, turn, theme), width)


def animation(table: Table, theme: str, width: int) -> bytes:
    """The whole game as an animated GIF; a very long one shows every n-th turn."""
    frames = list(_frames(table))
    step = -(-len(frames) // MAX_FRAMES)
    shown = frames[::-1][::step][::-1]
    gif: bytes = games[table.game].module.draw.animate(shown, theme=theme, width=width)
    return gif
