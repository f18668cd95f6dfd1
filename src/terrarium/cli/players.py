"""The players of a terminal game: `human`, `random`, `novice`, `mcts`, `level:N`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from terrarium.cli.common import bad
from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.record import Evaluation

__all__ = ["NAMES", "Chosen", "Player", "adviser", "player_named", "seated"]

NAMES = "human, random, novice, mcts, level:1 to level:8"

_SECONDS = 0.5
"""Seconds per turn for a player without its own time limit."""


class Chosen(NamedTuple):
    """The actions of a player, and their evaluation if the player computes one."""

    actions: tuple[Action, ...]
    evaluation: Evaluation | None = None


class Player(Protocol):
    """Chooses the next actions of a seat."""

    name: str

    def choose(self, position: Position) -> Chosen:
        """One or more actions in this position, at most until the end of the turn."""


class Human:
    """A person at the keyboard; `Table` reads the actions."""

    name = ""

    def choose(self, position: Position) -> Chosen:
        raise NotImplementedError("`Table` reads the actions of people")


class ArenaPlayer:
    """A player of the arena without evaluations: `random`, `novice` or `mcts`."""

    def __init__(self, name: str, seed: int | None) -> None:
        from terrarium.arena.players import player

        self.name = name
        self.player = player(name, seed)

    def choose(self, position: Position) -> Chosen:
        from terrarium.engine import Limit

        return Chosen(tuple(self.player.turn(position, Limit(seconds=_SECONDS))))


class EnginePlayer:
    """The computer player of this package at one of its levels."""

    def __init__(self, level: int, seed: int | None) -> None:
        from terrarium.engine import Engine

        self.engine = Engine(level=level, seed=seed)
        self.name = f"level {level}"

    def choose(self, position: Position) -> Chosen:
        choice = self.engine.choose(position)
        shares = tuple(round(min(max(share, 0.0), 1.0), 4) for share in choice.shares)
        return Chosen(choice.actions, Evaluation(shares, nodes=choice.nodes))


def player_named(words: str, seed: int | None = None) -> Player:
    """The player that the description of a seat names."""
    kind, _, detail = words.partition(":")
    if words == "human":
        return Human()
    if words in ("random", "novice", "mcts"):
        return ArenaPlayer(words, seed)
    if kind != "level":
        raise bad(f"{words!r:.60}: a seat is one of {NAMES}", "--seat")
    if not (detail.isascii() and detail.isdigit() and 1 <= int(detail[:3]) <= 8):
        raise bad(f"level:{detail:.20}: levels run from 1 to 8, as in level:4", "--seat")
    return EnginePlayer(int(detail), seed)


def adviser(position: Position) -> Player:
    """The player that gives hints: the engine at its default level, or `mcts` for a game that the engine does not play."""
    from terrarium.engine import default_level

    if position.game.levels:
        return EnginePlayer(default_level(position.game), None)
    return ArenaPlayer("mcts", None)


def seated(words: Sequence[str] | None, players: int, seed: int | None) -> list[Player]:
    """A player for each seat; the seats without a description are human."""
    words = list(words or [])
    if len(words) > players:
        raise bad(f"{len(words)} seats are described; this game has {players}", "--seat")
    words += ["human"] * (players - len(words))
    return [
        player_named(word, None if seed is None else seed + 7919 * seat)
        for seat, word in enumerate(words)
    ]
