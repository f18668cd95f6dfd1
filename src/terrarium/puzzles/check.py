"""Checks that a puzzle is still valid: its solution is legal, and a deep search finds it."""

from __future__ import annotations

from terrarium.core.game import Game
from terrarium.core.puzzle import Puzzle
from terrarium.engine import Engine, Limit
from terrarium.errors import TerrariumError
from terrarium.puzzles.file import id_of
from terrarium.puzzles.judge import MARGIN

__all__ = ["check"]


def check(game: Game, puzzle: Puzzle, limit: Limit | None) -> str | None:
    """The problem of a puzzle; None if there is none. Without a limit only the form and the rules are checked."""
    try:
        position = game.position(puzzle.position)
        solved = puzzle.is_solved_by(position, puzzle.solution)
    except TerrariumError as error:
        return str(error)
    if puzzle.id != id_of(puzzle.position) or position.to_text() != puzzle.position:
        return "the id is not that of the position"
    if not solved or not position.at_turn_start:
        return "the solution does not solve it"
    if not puzzle.themes:
        return "it has no theme"
    if puzzle.margin < MARGIN or not 1 <= puzzle.level <= len(game.levels):
        return "margin or level is out of range"
    if limit is None:
        return None
    choice = Engine(level=len(game.levels), seed=1, network=False).choose(position, limit)
    if not puzzle.is_solved_by(position, tuple(map(str, choice.actions))):
        return f"a deep search plays {choice}"
    return None
