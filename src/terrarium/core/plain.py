"""A base for the positions of games written in plain Python, without a kernel.

A game supplies `game`, `rules`, `to_move`, `outcome`, `resigned`, `num_actions`, `action`, `legal_ids`, `after`,
`without`, `to_text` and `from_text`; the other methods of a position are derived from these. A game whose turns have
several actions also supplies `at_turn_start` and `phase`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from hashlib import blake2b
from operator import index
from random import Random
from typing import Any, Self

from terrarium.core.action import Action
from terrarium.core.chance import random_action
from terrarium.core.event import Event, GameEnded, Resigned, TurnEnded
from terrarium.core.game import Game
from terrarium.core.kernel import Rollouts
from terrarium.core.outcome import Outcome
from terrarium.errors import IllegalAction, InvalidAction, InvalidArgument, TerrariumError

__all__ = ["PlainPosition"]


class PlainPosition(ABC):
    """The base class: a game implements the abstract methods, everything else is derived from them."""

    game: Game
    rules: Any
    to_move: int | None
    outcome: Outcome | None
    resigned: tuple[int, ...]
    num_actions: int

    @abstractmethod
    def action(self, id: int) -> Action:
        """The action with this id; raises InvalidAction if there is none."""

    @abstractmethod
    def legal_ids(self) -> list[int]:
        """The ids of all legal actions in ascending order; empty only when the game is over."""

    @abstractmethod
    def after(self, id: int) -> Self:
        """The position after a legal action."""

    @abstractmethod
    def without(self, seat: int) -> Self:
        """The position after a seat resigned; the caller has checked that it may."""

    @abstractmethod
    def to_text(self) -> str:
        """The position as one line that begins with the game's name."""

    @classmethod
    @abstractmethod
    def from_text(cls, text: str) -> Self:
        """The position that a text describes; raises InvalidPosition if it isn't one."""

    def refusal(self, action: Action) -> IllegalAction:
        """The error that says why an action is not legal here."""
        code = "illegal-action" if self.outcome is None else "game-over"
        return IllegalAction(code, f"{action}: not possible now")

    @property
    def players(self) -> int:
        """How many seats there are."""
        return int(self.rules.players)

    @property
    def at_turn_start(self) -> bool:
        """Whether nothing has been done in the present turn yet."""
        return True

    @property
    def phase(self) -> str:
        """The phase of the turn."""
        return "play" if self.outcome is None else "over"

    @property
    def key(self) -> int:
        """A 64-bit key that equal positions share."""
        return int.from_bytes(blake2b(self.to_text().encode(), digest_size=8).digest(), "little")

    def legal_actions(self) -> list[Action]:
        """All legal actions, in the order of their ids."""
        return [self.action(id) for id in self.legal_ids()]

    def resolve(self, action: Action | str | int) -> int:
        """The id of an action given as Action, text or id; raises InvalidAction if the game has no such action."""
        if isinstance(action, str | Action):
            for id in range(self.num_actions):
                known = self.action(id)
                if known == action or str(known) == action:
                    return id
            code = "unreadable-action" if isinstance(action, str) else "no-such-action"
            raise InvalidAction(code, f"{action!r:.80}: not an action of {self.game.title}")
        if isinstance(action, bool) or not hasattr(type(action), "__index__"):
            message = f"{action!r:.80}: an action is an Action, its text or its id"
            raise InvalidAction("not-an-action", message)
        if not 0 <= index(action) < self.num_actions:
            message = f"{action}: ids of actions here run from 0 to {self.num_actions - 1}"
            raise InvalidAction("no-such-action", message)
        return index(action)

    def parse(self, text: str) -> Action:
        """The action that a text means, legal or not."""
        return self.action(self.resolve(text))

    def is_legal(self, action: Action | str | int) -> bool:
        """Whether `play` would accept this action, text or id."""
        try:
            return self.resolve(action) in self.legal_ids()
        except TerrariumError:
            return False

    def play(self, action: Action | str | int) -> Self:
        """The position after an action; raises IllegalAction with the reason if it isn't legal."""
        id = self.resolve(action)
        if id not in self.legal_ids():
            raise self.refusal(self.action(id))
        return self.after(id)

    def play_all(self, actions: str | Iterable[Action | str | int]) -> Self:
        """The position after several actions; a text may hold several, separated by spaces."""
        return self.step_all(actions)[0]

    def step(self, action: Action | str | int) -> tuple[Self, tuple[Event, ...]]:
        """The position after an action and the events that describe it."""
        after = self.play(action)
        return after, self._described(after, [])

    def step_all(
        self, actions: str | Iterable[Action | str | int]
    ) -> tuple[Self, tuple[tuple[Event, ...], ...]]:
        """The position after several actions, and the events of each of them."""
        position, told = self, []
        for action in actions.split() if isinstance(actions, str) else actions:
            position, events = position.step(action)
            told.append(events)
        return position, tuple(told)

    def events(self, action: Action | str | int) -> tuple[Event, ...]:
        """The events of an action, in order."""
        return self.step(action)[1]

    def step_resignation(self, seat: int) -> tuple[Self, tuple[Event, ...]]:
        """The position after a seat resigned, and the events that describe it."""
        if type(seat) is not int or not 0 <= seat < self.players:
            message = f"{seat!r:.40}: seats here run from 0 to {self.players - 1}"
            raise IllegalAction("no-such-seat", message)
        if self.outcome is not None:
            raise IllegalAction("game-over", f"seat {seat} can't resign: the game is over")
        if seat in self.resigned:
            raise IllegalAction("already-resigned", f"seat {seat} has already resigned")
        after = self.without(seat)
        return after, self._described(after, [Resigned(seat)], ends_turn=seat == self.to_move)

    def _described(
        self, after: Self, events: list[Event], *, ends_turn: bool = True
    ) -> tuple[Event, ...]:
        is_over = after.at_turn_start or after.outcome is not None
        if ends_turn and self.to_move is not None and is_over:
            events.append(TurnEnded(self.to_move))
        if after.outcome is not None:
            events.append(GameEnded(after.outcome))
        return tuple(events)

    def resign(self, seat: int) -> Self:
        """The position after a seat resigned."""
        return self.step_resignation(seat)[0]

    def resignation_events(self, seat: int) -> tuple[Event, ...]:
        """The events of a seat's resignation, in order."""
        return self.step_resignation(seat)[1]

    def view(self) -> dict[str, Any]:
        """Everything an interface needs to draw the position, ready for JSON."""
        return {
            "game": self.game.name,
            "phase": self.phase,
            "to_move": self.to_move,
            "at_turn_start": self.at_turn_start,
            "resigned": list(self.resigned),
            "cells": [cell.to_dict() for cell in self.game.layout(self)],
            "outcome": None if self.outcome is None else self.outcome.to_dict(),
        }

    def perft(self, depth: int) -> int:
        """How many sequences of `depth` actions there are; shorter ones that end the game do not count."""
        if depth <= 1:
            return len(self.legal_ids()) if depth else 1
        return sum(self.after(id).perft(depth - 1) for id in self.legal_ids())

    def rollouts(self, games: int = 1000, seed: int | None = None, threads: int = 1) -> Rollouts:
        """Totals of random games from here to the end; `threads` has no effect in plain Python."""
        if isinstance(games, bool) or not isinstance(games, int) or games < 0:
            raise InvalidArgument(
                "invalid-argument", f"games={games!r:.40}: must be a whole number, 0 or more"
            )
        random = Random(seed)
        actions, scored = 0, 0
        shares, points = [0.0] * self.players, [0] * self.players
        for _ in range(games):
            position = self
            while position.outcome is None:
                position = position.play(random_action(position, random))
                actions += 1
            scores = position.outcome.scores or (0,) * self.players
            shares = [
                a + b for a, b in zip(shares, position.outcome.shares(self.players), strict=True)
            ]
            points = [a + b for a, b in zip(points, scores, strict=True)]
            scored += any(scores)
        return Rollouts(games, actions, tuple(shares), tuple(points), scored)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.to_text() == other.to_text()

    def __hash__(self) -> int:
        return hash(self.to_text())

    def __str__(self) -> str:
        from terrarium.core.terminal import plain_text

        return plain_text(self)

    def _repr_svg_(self) -> str:
        """The position as SVG, as notebooks show it."""
        return str(self.game.draw.draw(self))

    def __repr__(self) -> str:
        return f"<{self.game.name}.Position {self.to_text()}>"
