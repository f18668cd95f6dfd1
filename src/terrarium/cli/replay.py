"""`terrarium replay`: steps through a record, or writes it as text, JSON or GIF."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terrarium.cli.common import Theme, bad, console, has_colour, tracked, write_file
from terrarium.cli.printing import (
    actions_in,
    cells_of,
    entry_text,
    event_text,
    line_text,
    picture,
    status,
    verdict,
)
from terrarium.cli.show import draw_settings, record_in
from terrarium.core.position import Position
from terrarium.core.record import Entry, Record, Turn
from terrarium.core.terminal import printable, seat_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["replay"]


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .terra file.")],
    number: Annotated[
        int, typer.Option("--record", metavar="N", min=1, help="Which record of the file.")
    ] = 1,
    to: Annotated[
        int | None,
        typer.Option(
            "--to",
            metavar="TURN",
            min=0,
            help="Print the position after this turn; 0 is the start.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON.")] = False,
    gif: Annotated[
        Path | None,
        typer.Option("--gif", metavar="FILE", help="Write an animation, a frame for each turn."),
    ] = None,
    width: Annotated[
        int, typer.Option("--width", metavar="PIXELS", help="Width of the GIF in pixels.")
    ] = 640,
    pace: Annotated[
        int,
        typer.Option(
            "--pace", metavar="MS", min=20, max=60_000, help="Milliseconds a frame is shown."
        ),
    ] = 700,
    theme: Theme = "light",
    view: Annotated[
        str | None,
        typer.Option("--view", metavar="NAME", help="isometric or above (Terra Turrium)."),
    ] = None,
) -> None:
    """Step through a record with the keyboard, or print it.

    If input or output is not a terminal, it prints every turn with its events, and the last position.
    """
    record = record_in(file, number)
    if as_json:
        print(json.dumps(record.to_dict(), indent=2))
    elif gif is not None:
        _animate(record, gif, width, pace, theme, view)
    elif to is not None:
        _print_turn(record, to)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        Stepper(record, console()).run()
    else:
        _print_all(record)


def _animate(
    record: Record, path: Path, width: int, pace: int, theme: str, view: str | None
) -> None:
    """Write a GIF with a frame for the start and for each turn."""
    turns = list(record.turns())
    frames = [(record.start, ()), *((turn.position, actions_in(turn.steps)) for turn in turns)]
    settings = draw_settings(record.start, theme, view)
    animate = record.game.draw.animate
    shown = tracked(frames, "drawing")
    write_file(path, animate(shown, milliseconds=pace, width=width, **settings))


def _print_turn(record: Record, number: int) -> None:
    position: Position = record.start
    last: tuple[str, ...] = ()
    reached = 0
    for turn in record.turns():
        if turn.number > number:
            break
        position, last, reached = turn.position, cells_of(actions_in(turn.steps)), turn.number
    if reached < number:
        raise bad(f"{number}: the record has {reached} turn{'s' * (reached != 1)}", "--to")
    output = console()
    colour = has_colour(output)
    output.print(picture(position, last, colour=colour), soft_wrap=True)
    for line in status(position, record.seats):
        output.print(line, soft_wrap=True)
    print(position.to_text())


def _heading(record: Record, output: Console) -> None:
    title = record.game.title
    facts = [printable(str(value)) for value in (record.tags.get("Event"), record.date) if value]
    output.print(f"{title}{': ' if facts else ''}{', '.join(facts)}", style="bold")
    for seat in range(record.players):
        output.print(seat_text(record.start, seat, record.seats))
    if record.line.comment:
        output.print(printable(record.line.comment), style="italic", soft_wrap=True)


def _print_line(record: Record, turn: Turn, output: Console) -> None:
    from rich.text import Text

    name = seat_text(record.start, turn.seat, record.seats)
    words = " ".join(entry_text(step.entry) for step in turn.steps)
    output.print(Text(f"{turn.number:>4}. ") + name + Text(f"  {words}"), soft_wrap=True)
    for step in turn.steps:
        _print_said(step.entry, "      ", output)
        for event in step.events:
            sentence = event_text(record.start, event, record.seats)
            if sentence is not None and event.kind != "game-ended":
                output.print(Text("      ") + sentence, soft_wrap=True)


def _print_said(entry: Entry, indent: str, output: Console) -> None:
    """Print the comments on an action, and its variations."""
    if entry.comment:
        output.print(f"{indent}{printable(entry.comment)}", style="italic", soft_wrap=True)
    for variation in entry.variations:
        output.print(f"{indent}({line_text(variation)})", style="dim", soft_wrap=True)


def _print_all(record: Record) -> None:
    output = console()
    _heading(record, output)
    last: tuple[str, ...] = ()
    for turn in record.turns():
        _print_line(record, turn, output)
        last = cells_of(actions_in(turn.steps))
    colour = has_colour(output)
    output.print()
    output.print(picture(record.position, last, colour=colour), soft_wrap=True)
    if record.outcome is None:
        for line in status(record.position, record.seats):
            output.print(line, soft_wrap=True)
    else:
        text = verdict(record.position, record.outcome, record.seats)
        output.print(text, soft_wrap=True)


KEYS = {
    "next": ("\x1b[C", "\x1bOC", " ", "n", "l", "\r", "\n"),
    "previous": ("\x1b[D", "\x1bOD", "\x7f", "\x08", "p", "h"),
    "turn": ("\x1b[B", "\x1bOB", "j", "\x1b[6~"),
    "back": ("\x1b[A", "\x1bOA", "k", "\x1b[5~"),
    "first": ("\x1b[H", "\x1bOH", "\x1b[1~", "0", "g"),
    "last": ("\x1b[F", "\x1bOF", "\x1b[4~", "$", "G"),
    "quit": ("q", "\x1b", "\x04"),
}


class Stepper:
    """Shows a record on the screen; keys move through it."""

    def __init__(self, record: Record, output: Console) -> None:
        self.record = record
        self.output = output
        self.steps = list(record.positions())
        self.at = 0
        """The number of steps before the position that is shown."""

    def run(self) -> None:
        """Show the record and react to keys until the reader quits."""
        with self.output.screen(hide_cursor=True):
            while True:
                self.show()
                key = typer.getchar()
                command = next((name for name, keys in KEYS.items() if key in keys), "")
                if command == "quit":
                    return
                self.at = self.moved(command)

    def moved(self, command: str) -> int:
        """The number of steps after a command."""
        end = len(self.steps)
        if command == "next":
            return min(self.at + 1, end)
        if command == "previous":
            return max(self.at - 1, 0)
        if command == "first":
            return 0
        if command == "last":
            return end
        if command == "turn":
            return next((i for i in range(self.at + 1, end) if self._is_turn_end(i)), end)
        if command == "back":
            return next((i for i in range(self.at - 1, 0, -1) if self._is_turn_end(i)), 0)
        return self.at

    def _is_turn_end(self, at: int) -> bool:
        return self.steps[at - 1].turn != self.steps[at].turn

    def show(self) -> None:
        """Draw the position that has been reached, with the actions of its turn."""
        from rich.text import Text

        record, output = self.record, self.output
        position = self.steps[self.at - 1].position if self.at else record.start
        turn = self.steps[self.at - 1].turn if self.at else 0
        made = tuple(step for step in self.steps[: self.at] if step.turn == turn)
        colour = has_colour(output)
        output.clear()
        _heading(record, output)
        output.print()
        output.print(picture(position, cells_of(actions_in(made)), colour=colour), soft_wrap=True)
        for line in status(position, record.seats):
            output.print(line, soft_wrap=True)
        if made:
            name = seat_text(record.start, made[-1].seat, record.seats)
            words = " ".join(entry_text(step.entry) for step in made)
            output.print(Text(f"turn {turn}  ") + name + Text(f"  {words}"), soft_wrap=True)
            step = made[-1]
            _print_said(step.entry, "", output)
            for event in step.events:
                sentence = event_text(record.start, event, record.seats)
                if sentence is not None:
                    output.print(sentence, soft_wrap=True)
        if self.at == len(self.steps) and record.ending is not None and record.outcome is not None:
            output.print(verdict(position, record.outcome, record.seats), soft_wrap=True)
        place = f"{self.at}/{len(self.steps)}"
        keys = "← → action   ↑ ↓ turn   g start   G end   q quit"
        output.print(f"{place}   {keys}", style="dim")
