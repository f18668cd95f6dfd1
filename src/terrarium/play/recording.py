"""A table as a record, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from msgspec import UNSET

from terrarium.core.picture import png
from terrarium.core.position import Position
from terrarium.core.record import Record
from terrarium.play.errors import NotFound
from terrarium.play.table import Table

__all__ = ["animation", "picture_png", "picture_svg", "record_of", "turn_shown"]

MAX_FRAMES = 300


def record_of(table: Table, comments: Mapping[int, str] | None = None) -> Record:
    """The record of a game, with clocks and its end; `comments` are by the number of the turn."""
    names = tuple(
        seat.name or (f"Computer {seat.level}" if seat.is_computer else "") for seat in table.seats
    )
    date = datetime.fromtimestamp(table.created / 1000, UTC).date()
    record = Record(table.start, seats=names, date=date)
    for number in range(len(table.turns) + 1):
        if number:
            turn = table.turns[number - 1]
            record = record.play(
                turn.actions,
                clock=None if turn.clock_ms is UNSET else turn.clock_ms,
                comment=(comments or {}).get(number, ""),
            )
        for resignation in table.resignations:
            if resignation.after == number:
                record = record.resign(resignation.seat)
    ending = table.ending
    if ending is not None and table.position.outcome is None:
        record = record.end(ending["reason"], ending["winners"])
    return record


def turn_shown(table: Table, turn: int | None) -> int:
    """The number of a turn to show, the last one by default."""
    number = len(table.turns) if turn is None else turn
    if not 0 <= number <= len(table.turns):
        message = f"turn {number}: the game has turns 0 to {len(table.turns)}"
        raise NotFound("no-such-turn", message)
    return number


def picture_svg(table: Table, turn: int, theme: str) -> str:
    """The position after a turn as SVG."""
    last = table.turns[turn - 1].actions if turn else ()
    svg: str = table.start.game.draw.draw(table.position_at(turn), last=last, theme=theme)
    return svg


def picture_png(table: Table, turn: int, theme: str, width: int) -> bytes:
    """The position after a turn as PNG."""
    return png(picture_svg(table, turn, theme), width)


def animation(record: Record, theme: str, width: int, each: Callable[[], None]) -> bytes:
    """The whole game as an animated GIF; for a very long game only every n-th turn.

    `each` is called before each frame, and may raise an exception to stop the drawing.
    """
    frames: list[tuple[Position, tuple[str, ...]]] = [(record.start, ())]
    for turn in record.turns():
        actions = tuple(str(step.action) for step in turn.steps if step.action is not None)
        frames.append((turn.position, actions))
    step = -(-len(frames) // MAX_FRAMES)

    def shown() -> Iterator[tuple[Position, tuple[str, ...]]]:
        for frame in frames[::-1][::step][::-1]:
            each()
            yield frame

    gif: bytes = record.game.draw.animate(shown(), theme=theme, width=width)
    return gif
