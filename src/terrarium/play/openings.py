"""The turns that were played in a position: from a book, or from finished games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from terrarium.core.opening import OpeningTurn, TurnCount, counted, key_of, opening_turns
from terrarium.core.position import Position
from terrarium.play.table import Table

__all__ = ["MOST_GAMES", "AskOpenings", "Explored", "explored", "from_book", "opening_of"]

MOST_GAMES = 2_000
"""At most this many of the latest games with a position are counted, which limits the cost of a request."""
_MOST_TURNS = 60


class AskOpenings(Struct, forbid_unknown_fields=True):
    """A position and a source: games of the engine, finished public games of the server, or the caller's own games."""

    position: Annotated[str, Meta(max_length=20_000)]
    source: Literal["book", "server", "own"] = "book"


class ExploredTurn(Struct):
    """A turn, the number of games in which it was played, and how many of them each seat won; a shared win counts in parts."""

    actions: list[str]
    games: int
    wins: list[float]


class Explored(Struct):
    """The turns played in a position, the most frequent first; `is_capped` if older games were not counted."""

    source: str
    games: int
    turns: list[ExploredTurn]
    is_capped: bool = False


def opening_of(table: Table) -> list[OpeningTurn]:
    """The first turns of a finished game; empty for one that did not end with a result."""
    if table.status != "over" or table.outcome is None:
        return []
    turns = zip(table.positions(), table.turns, strict=False)
    played = ((position, turn.actions) for position, turn in turns)
    return list(opening_turns(played, table.outcome["winners"]))


def explored(position: Position, source: str, found: Sequence[OpeningTurn]) -> Explored:
    """The result from turns that were played in the position, at most `MOST_GAMES`."""
    is_capped = len(found) > MOST_GAMES
    return _answer(source, counted(found[:MOST_GAMES], position.players), is_capped=is_capped)


def from_book(position: Position) -> Explored:
    """The turns for the position in the game's book."""
    return _answer("book", position.game.openings.get(key_of(position), ()))


def _answer(source: str, turns: Iterable[TurnCount], *, is_capped: bool = False) -> Explored:
    shown = [
        ExploredTurn(list(turn.actions), turn.games, [round(won, 2) for won in turn.wins])
        for turn in turns
    ]
    games = sum(turn.games for turn in shown)
    return Explored(source, games, shown[:_MOST_TURNS], is_capped)
