"""Puzzles as values: which turns solve one, and its line in a file."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from terrarium import games
from terrarium.core.puzzle import Puzzle
from terrarium.errors import IllegalAction


def played(position: Any, random: Random) -> tuple[Any, tuple[str, ...]]:
    """A random turn: the position after it, and its actions."""
    actions: list[str] = []
    while position.outcome is None and not (actions and position.at_turn_start):
        action = str(random.choice(position.legal_actions()))
        position = position.play(action)
        actions.append(action)
    return position, tuple(actions)


def swap(position: Any, turn: tuple[str, ...]) -> tuple[str, ...]:
    """The turn with two neighbouring actions swapped, if that leads to the same position; else an empty turn."""
    for i in range(len(turn) - 1):
        other = (*turn[:i], turn[i + 1], turn[i], *turn[i + 2 :])
        try:
            if other != turn and position.play_all(other) == position.play_all(turn):
                return other
        except IllegalAction:
            continue
    return ()


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_puzzle_accepts_its_solution_in_any_order_that_leads_to_the_same_position(
    game: str,
) -> None:
    random = Random(3)
    position: Any = games[game].start(players=2)
    solution: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()
    while not swapped:  # until a turn has two actions that can be swapped
        before = position
        position, solution = played(before, random)
        swapped = swap(before, solution)
    position = before
    wrong = solution
    while position.play_all(wrong) == position.play_all(solution):
        _, wrong = played(position, random)
    puzzle = Puzzle("p1", position.to_text(), ("race",), 3, 0.2, solution)
    assert puzzle.is_solved_by(position, solution)
    assert puzzle.is_solved_by(position, swapped)
    assert not puzzle.is_solved_by(position, wrong)
    with pytest.raises(IllegalAction, match="not finished"):
        puzzle.is_solved_by(position, solution[:1])
    assert Puzzle.from_dict(puzzle.to_dict()) == puzzle
