"""Who can sit at a seat of a terminal game: `human`, `random`, `level:N`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from random import Random
from typing import NamedTuple, Protocol

from terrarium.cli.common import bad
from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.record import Evaluation

__all__ = ["KINDS", "Chosen", "Player", "player_named", "seated"]


class Chosen(NamedTuple):
    """What a player does, and what it thinks of it if it thinks."""

    actions: tuple[Action, ...]
    evaluation: Evaluation | None = None


class Player(Protocol):
    """Chooses what a seat does next."""

    name: str

    def choose(self, position: Position) -> Chosen:
        """One or more actions from here, at most to the end of the turn."""


class Human:
    """Somebody at the keyboard; the game itself asks."""

    name = ""

    def choose(self, position: Position) -> Chosen:
        raise NotImplementedError("the game asks people itself")


class RandomPlayer:
    """Any legal action, its kind tossed first."""

    name = "random"

    def __init__(self, seed: int | None) -> None:
        self.rng = Random(seed)

    def choose(self, position: Position) -> Chosen:
        kinds: dict[str, list[Action]] = {}
        for action in position.legal_actions():
            kinds.setdefault(action.kind, []).append(action)
        return Chosen((self.rng.choice(kinds[self.rng.choice(sorted(kinds))]),))


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


def _human(detail: str, seed: int | None) -> Player:
    return Human()


def _random(detail: str, seed: int | None) -> Player:
    return RandomPlayer(seed)


def _level(detail: str, seed: int | None) -> Player:
    if not (detail.isascii() and detail.isdigit() and 1 <= int(detail[:3]) <= 8):
        raise bad(f"level:{detail:.20}: levels run from 1 to 8, as in level:4", "--seat")
    return EnginePlayer(int(detail), seed)


KINDS: dict[str, Callable[[str, int | None], Player]] = {"human": _human, "random": _random}
"""The kinds of players by name; a seat is described as `kind` or `kind:detail`."""
if find_spec("terrarium.engine") is not None:
    KINDS["level"] = _level


def player_named(words: str, seed: int | None = None) -> Player:
    """The player that a seat's description means."""
    kind, colon, detail = words.partition(":")
    if kind not in KINDS or (kind != "level" and colon):
        there = ", ".join("level:1 to level:8" if kind == "level" else kind for kind in KINDS)
        raise bad(f"{words!r:.60}: a seat is one of {there}", "--seat")
    return KINDS[kind](detail, seed)


def seated(words: Sequence[str] | None, players: int, seed: int | None) -> list[Player]:
    """A player for each seat; people take the seats that nobody was named for."""
    words = list(words or [])
    if len(words) > players:
        raise bad(f"{len(words)} seats are described; this game has {players}", "--seat")
    words += ["human"] * (players - len(words))
    return [
        player_named(word, None if seed is None else seed + 7919 * seat)
        for seat, word in enumerate(words)
    ]
