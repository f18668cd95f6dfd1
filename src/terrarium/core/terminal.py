"""Positions in a terminal: what the games share, and a default for games without their own module.

A game's own module has the same functions and names: `picture`, `status`, `details`, `event_text`, `DETAILS`, `REASONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from rich.text import Text

from terrarium.core.event import Event
from terrarium.core.position import Position

__all__ = [
    "DETAILS",
    "PAINT",
    "REASONS",
    "SHAPES",
    "colours_of",
    "details",
    "event_text",
    "picture",
    "plain_text",
    "printable",
    "seat_text",
    "status",
]

SHAPES = ("●", "■", "▲", "◆", "▼", "★", "✚", "✖")
"""A shape for each seat, so that seats can be distinguished without colour."""

PAINT = {"yellow": "#ffd60a", "red": "#ff453a", "blue": "#409cff", "green": "#30d158"}
"""The colour in a terminal for each colour of a seat."""

_OTHER = "#d0d0d5"

DETAILS = ("details", "what each seat has")
"""The name of the command that shows details, and a description of them."""

REASONS: dict[str, str] = {}
"""The texts for the reasons of an end; other reasons are shown as they are."""


def colours_of(position: Position) -> tuple[str, ...]:
    """The colour of each seat."""
    return position.game.colours(position.rules)


def printable(text: str) -> str:
    """A text from a file, without control characters that the terminal would execute."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)


def seat_text(position: Position, seat: int, seats: Sequence[str] = ()) -> Text:
    """A seat with its shape, its colour and the player's name."""
    colour = colours_of(position)[seat]
    name = printable(seats[seat]) if seat < len(seats) and seats[seat] else colour
    return Text.assemble((f"{SHAPES[seat]} {name}", f"bold {PAINT.get(colour, _OTHER)}"))


def plain_text(position: Position) -> str:
    """The board and what each seat has, over several lines and without colours: `str(position)` of every game."""
    terminal = import_module(position.game.terminal)
    lines = terminal.picture(position, frozenset(), names=False, colour=False).plain.split("\n")
    lines += [line.plain for line in terminal.status(position, ())]
    return "\n".join(line.rstrip() for line in lines)


def picture(position: Position, last: frozenset[str], *, names: bool, colour: bool) -> Text:
    """The game's layout, a line for each row of cells; a shape is a seat's piece."""
    cells = position.game.layout(position)
    text = Text(no_wrap=True)
    if not cells:
        return text.append(position.to_text())
    left = min(cell.x for cell in cells)
    gaps = [abs(a.x - b.x) for a in cells for b in cells if a.y == b.y and a.x != b.x]
    unit = 6 / min(gaps, default=1)
    for y in sorted({cell.y for cell in cells}):
        place = 0
        for cell in sorted((cell for cell in cells if cell.y == y), key=lambda cell: cell.x):
            column = round((cell.x - left) * unit)
            text.append(" " * max(0, column - place))
            mark = "›" if cell.name in last else " "
            shape = " " if cell.seat is None else SHAPES[cell.seat]
            style = ""
            if cell.seat is not None:
                seat_colour = PAINT.get(colours_of(position)[cell.seat], _OTHER)
                style = f"bold {seat_colour}" if colour else "bold"
            text.append(mark).append(shape, style=style)
            text.append(f"{cell.name if names else cell.text or '·':<4.4}")
            place = max(place, column) + 6
        text.append("\n")
    text.rstrip()
    return text


def status(position: Position, seats: Sequence[str]) -> list[Text]:
    """Each seat with the facts that the game's panel names, and the phase."""
    view = position.view()
    lines = []
    for seat in range(position.players):
        line = Text("→ " if position.to_move == seat else "  ") + seat_text(position, seat, seats)
        line.pad_right(max(0, 16 - len(line)))
        for name in position.game.panel:
            line.append(f"   {name} {view[name][seat]}")
        if seat in position.resigned:
            line.append("   resigned", style="dim")
        lines.append(line)
    lines.append(Text(f"  {position.phase}", style="dim"))
    return lines


def details(position: Position, seats: Sequence[str]) -> list[Text]:
    """The same as the status; a game without its own module has no further details."""
    return status(position, seats)


def event_text(event: Event, who: Callable[[int], Text]) -> Text | None:
    """An event of this game as a sentence; None for what the board already shows."""
    return None
