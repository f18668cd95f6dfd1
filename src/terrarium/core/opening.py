"""Openings: which turns were played in a position, in how many games, and how these games ended.

A game keeps a book of them in `openings.jsonl` in its own package, one JSON object per line for each position:

    {"key": "5be1f0a2c3d4e5f6", "turns": [[["@e7"], 12, [7.5, 4.5]]]}

Each turn has its actions, the number of games and how many of them each seat won; a shared win counts in parts. Positions are
found by their key, so games that reach a position by different orders of turns count together.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Any

from terrarium.core.outcome import Outcome
from terrarium.core.position import Position

__all__ = ["OpeningTurn", "TurnCount", "counted", "key_of", "opening_turns", "read_openings"]


def key_of(position: Position) -> str:
    """A hash of a position with its rules and board: sixteen hexadecimal digits."""
    return blake2b(position.to_text().encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class OpeningTurn:
    """A turn of a finished game: the keys of the positions before and after it, and the seats that won in the end."""

    key: str
    after: str
    actions: tuple[str, ...]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnCount:
    """A turn played in a position: the number of games, and how many of them each seat won."""

    actions: tuple[str, ...]
    games: int
    wins: tuple[float, ...]

    def to_list(self) -> list[Any]:
        """The turn as a line of a book contains it."""
        return [list(self.actions), self.games, [round(won, 2) for won in self.wins]]


def opening_turns(
    turns: Iterable[tuple[Position, Sequence[str]]], winners: Sequence[int]
) -> Iterator[OpeningTurn]:
    """The first turns of a game, at most `Game.explored_turns`; `turns` has each turn with the position it was played in.

    In the phases `Game.explored_singly` each action counts as a turn. A position that occurs twice counts once.
    """
    seen: set[str] = set()
    for number, (position, actions) in enumerate(turns):
        game = position.game
        if number >= game.explored_turns:
            return
        is_single = position.phase in game.explored_singly
        for part in [(action,) for action in actions] if is_single else [tuple(actions)]:
            key = key_of(position)
            position = position.play_all(part)
            if key not in seen:
                seen.add(key)
                yield OpeningTurn(key, key_of(position), part, tuple(winners))


def counted(turns: Iterable[OpeningTurn], seats: int) -> list[TurnCount]:
    """The turns of one position with their counts, the most frequent first; turns that lead to the same position count together."""
    games = Counter[str]()
    ways: dict[str, Counter[tuple[str, ...]]] = {}
    wins: dict[str, list[float]] = {}
    for turn in turns:
        games[turn.after] += 1
        ways.setdefault(turn.after, Counter())[turn.actions] += 1
        sums = wins.setdefault(turn.after, [0.0] * seats)
        for seat, share in enumerate(Outcome(turn.winners, "").shares(seats)):
            sums[seat] += share
    found = [
        TurnCount(_usual(ways[after]), count, tuple(wins[after])) for after, count in games.items()
    ]
    return sorted(found, key=lambda turn: (-turn.games, turn.actions))


def _usual(ways: Counter[tuple[str, ...]]) -> tuple[str, ...]:
    """The order of actions that was played most often."""
    return min(ways, key=lambda actions: (-ways[actions], actions))


@cache
def read_openings(package: str) -> Mapping[str, tuple[TurnCount, ...]]:
    """The opening book in a game's package, by position key; empty if there is no file."""
    file = resources.files(package) / "openings.jsonl"
    if not file.is_file():
        return {}
    lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {
        line["key"]: tuple(
            TurnCount(tuple(actions), games, tuple(wins)) for actions, games, wins in line["turns"]
        )
        for line in lines
    }
