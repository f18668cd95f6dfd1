"""Puzzles: a position and the turn that is clearly best in it.

A game keeps its puzzles in `puzzles.jsonl` in its own package, one JSON object per line:

    {"id": "5be1f0a2", "position": "…", "themes": ["close"], "level": 4, "margin": 0.21, "solution": ["b4-b6", "+c5", "+c6"]}

With `"goal": "win"` every turn that wins solves it, with `"goal": "stop"` every turn after which no rival can win at once, and with
`"goal": "gain"` every turn that gains at least as much at once as the solution. Otherwise only turns that lead to the same position
as the solution do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

from terrarium.core.position import Position
from terrarium.errors import IllegalAction

__all__ = ["Puzzle", "goal_of", "reaches", "read_puzzles"]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with the turn to find; `level` is the lowest level of the engine that finds it."""

    id: str
    position: str
    """The position as text, at the start of a turn of the seat that solves it."""
    themes: tuple[str, ...]
    level: int
    margin: float
    """By how much the solution is better than every other turn, in win share."""
    solution: tuple[str, ...]
    goal: str = ""
    """Which turns solve it (`reaches`)."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Puzzle:
        """The puzzle that a line of a file describes."""
        values = dict(data)
        return cls(
            **{**values, "themes": tuple(values["themes"]), "solution": tuple(values["solution"])}
        )

    def to_dict(self) -> dict[str, Any]:
        """The puzzle as a line of a file contains it."""
        data = asdict(self)
        if not self.goal:
            del data["goal"]
        return data

    def is_solved_by(self, start: Position, actions: Sequence[str]) -> bool:
        """Whether these actions, in any order, reach the puzzle's goal.

        `start` is the puzzle's position. Raises IllegalAction if the actions are not a legal turn.
        """
        after = start.play_all(actions)
        if after.outcome is None and not after.at_turn_start:
            raise IllegalAction("turn-incomplete", "the turn is not finished")
        return reaches(self.goal, start, start.play_all(self.solution), after)


def reaches(goal: str, start: Position, solved: Position, after: Position) -> bool:
    """Whether a turn from `start` to `after` solves a puzzle whose solution leads to `solved`.

    With the goal `win` it must win, with `stop` no rival may be able to win at once after it, with `gain` it must gain at least as
    much at once, otherwise it must lead to the same position.
    """
    game, seat = start.game, cast(int, start.to_move)
    if goal == "win":
        return game.has_won(after, seat)
    if goal == "stop":
        return after == solved or not game.is_threatened(after, seat)
    if goal == "gain":
        return game.gain(start, after, seat) >= game.gain(start, solved, seat)
    return after == solved


def goal_of(start: Position, after: Position) -> str:
    """The goal of a puzzle whose solution leads to `after`."""
    game, seat = start.game, cast(int, start.to_move)
    if game.has_won(after, seat):
        return "win"
    if game.is_threatened(start, seat) and not game.is_threatened(after, seat):
        return "stop"
    return "gain" if game.gain(start, after, seat) >= game.least_gain else ""


@cache
def read_puzzles(package: str) -> Mapping[str, Puzzle]:
    """The puzzles in a game's package by id, in the file's order; empty if there is no file."""
    file = resources.files(package) / "puzzles.jsonl"
    if not file.is_file():
        return {}
    puzzles = (Puzzle.from_dict(json.loads(line)) for line in file.read_text("utf-8").splitlines())
    return {puzzle.id: puzzle for puzzle in puzzles}
