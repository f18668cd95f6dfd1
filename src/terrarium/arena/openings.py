"""Makes an opening book from games of the engine against itself."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from terrarium.core.game import GAMES
from terrarium.core.opening import OpeningTurn, counted, opening_turns
from terrarium.core.position import Position
from terrarium.engine import Engine, Limit
from terrarium.errors import IllegalAction

__all__ = ["SelfPlay", "book_of", "play_openings"]


@dataclass(frozen=True)
class SelfPlay:
    """Games of one level against itself; the same values give the same games.

    Each of the first `loose_turns` is played with a probability of one half by the lowest level, which chooses among many turns,
    so that games differ.
    """

    game: str
    games: int
    players: int = 2
    level: int = 6
    nodes: int = 600
    seed: int = 1
    board: str | None = None
    loose_turns: int = 8


_LOOSE = 0.5


def played(settings: SelfPlay, number: int) -> list[OpeningTurn]:
    """Play game `number` to its end and return the turns of its opening."""
    chance = random.Random(f"{settings.seed}/{settings.board}/{number}")
    engine = Engine(level=settings.level, seed=chance.getrandbits(31))
    loose = Engine(level=1, seed=chance.getrandbits(31))
    position = GAMES[settings.game].start(board=settings.board, players=settings.players)
    limit, turns = Limit(nodes=settings.nodes), list[tuple[Position, tuple[str, ...]]]()
    while position.outcome is None:
        is_loose = len(turns) < settings.loose_turns and chance.random() < _LOOSE
        actions = (loose if is_loose else engine).choose(position, limit).actions
        turns.append((position, _in_any_order(position, [str(one) for one in actions], chance)))
        position = position.play_all(actions)
    return list(opening_turns(turns, position.outcome.winners))


def _in_any_order(position: Position, actions: list[str], chance: random.Random) -> tuple[str, ...]:
    """The actions in a random order in phases where each counts separately, because the engine places pieces in the order of the cells."""
    if position.phase in position.game.explored_singly:
        other = chance.sample(actions, len(actions))
        with suppress(IllegalAction):
            if position.play_all(other) == position.play_all(actions):
                return tuple(other)
    return tuple(actions)


def play_openings(settings: SelfPlay, executor: Executor) -> Iterator[list[OpeningTurn]]:
    """The opening of each game, in order."""
    numbers = range(settings.games)
    return cast(
        Iterator[list[OpeningTurn]],
        executor.map(played, [settings] * settings.games, numbers),
    )


def book_of(openings: Iterable[Iterable[OpeningTurn]], seats: int, at_least: int) -> str:
    """The text of a book: by position, the turns that were played in at least `at_least` games."""
    found: dict[str, list[OpeningTurn]] = {}
    for opening in openings:
        for turn in opening:
            found.setdefault(turn.key, []).append(turn)
    lines = []
    for key, played_there in sorted(found.items()):
        turns = [turn for turn in counted(played_there, seats) if turn.games >= at_least]
        if turns:
            lines.append({"key": key, "turns": [turn.to_list() for turn in turns]})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
