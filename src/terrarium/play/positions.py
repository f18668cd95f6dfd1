"""Positions outside of games: a first position or a setup, and actions from there over any number of turns."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from terrarium import games
from terrarium.core.game import Advice, Way
from terrarium.core.position import Position
from terrarium.core.record.line import Cursor
from terrarium.errors import IllegalAction
from terrarium.play.boards import board_view, chosen_board, game_named
from terrarium.play.commands import try_actions
from terrarium.play.errors import Unprocessable
from terrarium.play.shapes import ActionShape, ActionText, AnyDict, BoardView, CustomBoard
from terrarium.play.views import legal_actions, previews

__all__ = [
    "Advised",
    "AskAdvice",
    "FreshStart",
    "PlayedTurn",
    "TriedPosition",
    "TryPosition",
    "start_position",
    "tried",
]

MAX_ACTIONS = 2_000


class FreshStart(Struct, forbid_unknown_fields=True):
    """The first position of a game, or with `setup` any position: its pieces and numbers are the arguments of the game's `compose`."""

    game: str
    rules: AnyDict = msgspec.field(default_factory=dict)
    board: str | CustomBoard | None = None
    setup: AnyDict | None = None


class TryPosition(Struct, forbid_unknown_fields=True):
    """Actions to play from any position; they may span turns."""

    start: Annotated[str, Meta(max_length=20_000)] | FreshStart
    actions: Annotated[list[ActionText], Meta(max_length=MAX_ACTIONS)] = msgspec.field(
        default_factory=list
    )


class AskAdvice(Struct, forbid_unknown_fields=True):
    """A position for which a beginner requests advice."""

    position: Annotated[str, Meta(max_length=20_000)]


class Advised(Struct):
    """Advice for a beginner; null if there is none."""

    advice: Advice | None


class PlayedTurn(Struct):
    """A turn, or the beginning of one, with its events and the position after it."""

    number: int
    seat: int
    actions: list[str]
    events: list[AnyDict]
    view: AnyDict
    position: str
    comment: str = ""
    clock_ms: int | None = None
    shares: list[float] | None = None


class TriedPosition(Struct):
    """The position after the actions, and the events of each."""

    start: str
    game: str
    rules: AnyDict
    board: BoardView | None
    legal: list[ActionShape]
    effects: list[list[AnyDict]]
    turns: list[PlayedTurn]
    view: AnyDict
    position: str
    turn_complete: bool
    reach: dict[str, list[Way]] = msgspec.field(default_factory=dict)
    previews: dict[str, list[AnyDict]] = msgspec.field(default_factory=dict)
    null_turns: dict[str, str] = msgspec.field(default_factory=dict)
    """The null turn that gives the turn to another seat, by that seat; it can be used to show a threat."""


def start_position(start: str | FreshStart) -> Position:
    """A position from its text, the first one of a game, or one set up by pieces."""
    if isinstance(start, str):
        name = start.split(" ", 1)[0]
        if name not in games:
            message = f"{start[:40]!r}: a position begins with {' or '.join(games)}"
            raise Unprocessable("invalid-position", message)
        return games[name].position(start)
    game = game_named(start.game)
    rules, board = game.rules(**start.rules), chosen_board(game, start.board)
    if start.setup is not None:
        return game.compose(rules, board, start.setup)
    return game.begin(rules, board)


def tried(start: Position, actions: list[str]) -> TriedPosition:
    """The actions played from a position, turn by turn."""
    found = try_actions(start, actions, one_turn=False)
    turns: list[PlayedTurn] = []
    before = start
    for text, (position, events) in zip(actions, found.steps, strict=True):
        if not turns or before.at_turn_start:
            turns.append(PlayedTurn(len(turns) + 1, before.to_move or 0, [], [], {}, ""))
        turns[-1].actions.append(text)
        turns[-1].events += [event.to_dict() for event in events]
        is_last = position is found.position
        if position.at_turn_start or position.outcome is not None or is_last:
            turns[-1].view, turns[-1].position = position.view(), position.to_text()
        before = position
    board = getattr(start, "board", None)
    return TriedPosition(
        start.to_text(),
        start.game.name,
        start.rules.to_dict(),
        None if board is None else board_view(board),
        legal_actions(found.position),
        found.effects,
        turns,
        found.position.view(),
        found.position.to_text(),
        found.is_complete,
        start.game.reach(found.position),
        previews(found.position),
        _null_turns(found.position),
    )


def _null_turns(position: Position) -> dict[str, str]:
    cursor, found = Cursor.at(position), {}
    for seat in range(position.players):
        try:
            _, entry = cursor.skip_to(seat)
        except IllegalAction:
            continue
        found[str(seat)] = entry.text
    return found
