"""Positions as text for a terminal, with or without colour, and events as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rich.text import Text

from terrarium.core.action import Action
from terrarium.core.event import Event
from terrarium.core.outcome import Outcome
from terrarium.core.position import Position
from terrarium.core.record import Entry, Line, Step
from terrarium.core.record.words import clock_text
from terrarium.core.terminal import printable, seat_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["event_text", "painter", "picture", "print_events", "status", "verdict"]


def painter(position: Position) -> Any:
    """The module that shows this position's game in a terminal."""
    return import_module(position.game.terminal)


def picture(
    position: Position, last: Sequence[str] = (), *, names: bool = False, colour: bool = True
) -> Text:
    """The board with everything on it; cells in `last` are marked, `names` writes each cell's name in it."""
    text: Text = painter(position).picture(position, frozenset(last), names=names, colour=colour)
    return text


GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


def entry_text(entry: Entry) -> str:
    """An action in its notation, with its glyphs and the clock after it."""
    glyphs = "".join(GLYPHS.get(glyph, f" ${glyph}") for glyph in entry.glyphs)
    clock = "" if entry.clock is None else f" [{clock_text(entry.clock)}]"
    return f"{entry.text}{glyphs}{clock}"


def line_text(line: Line) -> str:
    """A variation in one line: its actions, comments and variations."""
    words = [f"{{{printable(line.comment)}}}"] if line.comment else []
    for entry in line:
        words.append(entry_text(entry))
        words += [f"{{{printable(entry.comment)}}}"] if entry.comment else []
        words += [f"({line_text(variation)})" for variation in entry.variations]
    return " ".join(words)


def actions_in(steps: Sequence[Step]) -> tuple[Action, ...]:
    """The actions of some steps of a record, without resignations."""
    return tuple(step.action for step in steps if step.action is not None)


def cells_of(actions: Sequence[Action]) -> tuple[str, ...]:
    """The source and target cells of actions, to be marked."""
    return tuple(
        cell for action in actions for cell in (action.source, action.target) if cell is not None
    )


def status(position: Position, seats: Sequence[str] = ()) -> list[Text]:
    """The lines beside the board, such as scores and the seat to move."""
    lines: list[Text] = painter(position).status(position, seats)
    return lines


def event_text(position: Position, event: Event, seats: Sequence[str] = ()) -> Text | None:
    """An event as a sentence; None for an event that the board shows."""

    def who(seat: int) -> Text:
        return seat_text(position, seat, seats)

    facts = event.to_dict()
    kind = event.kind
    if kind == "passed":
        return who(facts["seat"]) + Text(" has no legal action and passes")
    if kind == "resigned":
        return who(facts["seat"]) + Text(" resigns")
    if kind == "game-ended":
        outcome = facts["outcome"]
        scores = outcome["scores"]
        found = Outcome(
            tuple(outcome["winners"]), outcome["reason"], None if scores is None else tuple(scores)
        )
        return verdict(position, found, seats)
    sentence: Text | None = painter(position).event_text(event, who)
    return sentence


def print_events(
    output: Console, position: Position, events: Sequence[Event], seats: Sequence[str] = ()
) -> None:
    """Print each event as a sentence on its line."""
    for event in events:
        sentence = event_text(position, event, seats)
        if sentence is not None:
            output.print(Text("  ") + sentence, soft_wrap=True)


REASONS = {
    "resigned": "only one player is left",
    "timeout": "time has run out",
    "agreement": "by agreement",
    "adjudicated": "adjudicated",
    "aborted": "the game was aborted",
}


def verdict(position: Position, outcome: Outcome, seats: Sequence[str] = ()) -> Text:
    """The outcome of a game as a sentence."""
    why = (REASONS | painter(position).REASONS).get(outcome.reason, outcome.reason)
    text = Text.assemble(("The game is over", "bold"), f" ({why}): ")
    if not outcome.winners:
        text += Text("nobody wins" if outcome.reason == "aborted" else "a draw")
    for index, seat in enumerate(outcome.winners):
        text += Text(" and ") if index else Text("")
        text += seat_text(position, seat, seats)
    if outcome.winners:
        text += Text(" wins" if len(outcome.winners) == 1 else " share the win")
    if outcome.scores is not None:
        text += Text(f", {' : '.join(map(str, outcome.scores))}")
    return text
