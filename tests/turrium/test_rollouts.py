"""Random games in the kernel end according to the rules."""

from __future__ import annotations

import pytest

from terrarium import turrium
from tests.turrium.drawn import BLUE, LAST_STEP, NEARLY, RED, YELLOW, at, moving, play

LONGEST_TURN = 3 + 3 + 5  # cubes taken, cubes placed, points spent


def test_rollouts_are_repeatable_and_divide_among_threads() -> None:
    position = turrium.start(turrium.Rules(players=3, max_rounds=3))
    assert position.rollouts(200, seed=5) == position.rollouts(200, seed=5)
    assert position.rollouts(200, seed=5) != position.rollouts(200, seed=6)
    both = turrium.rollouts(position, games=201, seed=5, threads=2)
    assert both.games == 201
    assert sum(both.shares) == pytest.approx(201)


def test_rollouts_of_a_game_that_is_over_play_nothing() -> None:
    position = turrium.start(turrium.Rules()).resign(RED)
    result = position.rollouts(10, seed=1)
    assert (result.games, result.actions) == (10, 0)
    assert result.shares == (0.0, 10.0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rollouts_last_as_long_as_turns_do(players: int) -> None:  # TT-18
    position = turrium.start(turrium.Rules(players=players, max_rounds=2))
    result = position.rollouts(300, seed=1)
    turns = 2 * players
    assert 6 * players + 2 * turns < result.actions / result.games
    assert result.actions / result.games <= 6 * players + LONGEST_TURN * turns


def test_rollouts_count_a_game_that_nobody_can_win_as_a_draw() -> None:  # TT-18
    position = at("c3=1r c4=1 c8=1b c7=1", players=2, max_rounds=1)
    assert position.rollouts(300, seed=1).shares == (150.0, 150.0)


def test_rollouts_let_only_those_win_who_have_a_turn_left() -> None:  # TT-14, TT-15
    position = moving(" ".join(NEARLY.values()), to_move=YELLOW, max_rounds=1)
    red, blue, green, yellow = position.rollouts(400, seed=1).shares
    assert red == blue == green
    assert 400 > yellow > red
    won = play(position, LAST_STEP[YELLOW] + " end").rollouts(50, seed=1)
    assert won.shares == (0.0, 0.0, 0.0, 50.0)


def test_rollouts_keep_a_win_once_declared() -> None:  # TT-15
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r g4=5r f4=6 h3=1"
    position = play(moving(f"{red} c8=1b c7=1", players=2), "g4-f4 end")
    assert position.to_move == BLUE
    assert position.rollouts(100, seed=1).shares == (100.0, 0.0)
