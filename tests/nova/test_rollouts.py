"""Random games inside the kernel have the same statistics as games played action by action."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from random import Random
from statistics import fmean, pvariance
from typing import Any

import pytest

from terrarium import nova
from tests.nova.drawn import row
from tests.nova.side_by_side import DUMBBELL, HEXAGON_19, choose, twin_rules
from tests.reference import nova as reference
from tests.sizes import size

GAMES = size(150, 1_000)
ROLLOUTS = 20_000


def played_by_the_reference(
    position: reference.Position, seed: int
) -> tuple[reference.Position, int]:
    """The end of a random game (kinds of action are drawn first), and its number of actions."""
    random, actions = Random(seed), 0
    while position.outcome is None:
        position = position.play(choose(random, position.legal()))
        actions += 1
    return position, actions


def is_near(sample: list[float], mean: float) -> bool:
    """Whether a mean over very many games agrees with the sample (within 4.5 sigma)."""
    error = sqrt(pvariance(sample) / len(sample) + pvariance(sample) / ROLLOUTS)
    return abs(fmean(sample) - mean) <= 4.5 * error + 1e-9


@pytest.mark.long
@pytest.mark.parametrize(
    ("text_map", "options"),
    [
        (HEXAGON_19, {"players": 2, "edition": "fr", "pioneers": 2}),
        (HEXAGON_19, {"players": 3, "edition": "en", "pioneers": 2}),
        (HEXAGON_19, {"players": 2, "edition": "sv", "pioneers": 3, "stones": 4}),
        (DUMBBELL, {"players": 4, "edition": "nl", "pioneers": 2, "stall_rounds": 1}),
    ],
    ids=["fr-2", "en-3", "sv-2-four-stones", "nl-4-stalling"],
)
def test_rollouts_give_the_points_and_lengths_of_games_played_action_by_action(
    text_map: str, options: dict[str, Any]
) -> None:
    rules = nova.Rules(**options)
    start = reference.start(twin_rules(rules), reference.parse_board(text_map))
    games = [played_by_the_reference(start, seed) for seed in range(GAMES)]
    ends = [end for end, _ in games]
    totals = nova.start(rules, nova.Board.parse(text_map)).rollouts(games=ROLLOUTS, seed=1)
    assert totals.games == ROLLOUTS
    assert is_near([actions for _, actions in games], totals.actions / ROLLOUTS)
    for seat in range(rules.players):
        assert is_near([end.scores[seat] for end in ends], totals.points[seat] / ROLLOUTS)
        shares = [
            1 / len(end.outcome.winners) if end.outcome and seat in end.outcome.winners else 0
            for end in ends
        ]
        assert is_near(shares, totals.shares[seat] / ROLLOUTS)
    assert is_near([float(any(end.scores)) for end in ends], totals.scored / ROLLOUTS)


def test_rollouts_from_within_a_turn_continue_that_turn() -> None:
    # Only the third action is left and the last stone is placed: every action ends the game.
    position = row("ABCDEFGHIJ", "r5 b10", supply=1).play_all("a5-a6 +a5")
    totals = position.rollouts(games=100, seed=3)
    assert totals.actions == 100
    assert totals.shares == (50.0, 50.0)


def test_rollouts_of_a_finished_game_repeat_its_outcome() -> None:
    position = row("AAABCDE", "r1 b7", to_move=1).play_all("a7-a5 +a4")
    totals = position.rollouts(games=10, seed=3)
    assert totals.actions == 0
    assert totals.shares == (10.0, 0.0)
    assert totals.points == (90, 30)


def test_rollouts_add_up_and_threads_do_not_change_how_many() -> None:
    position = nova.start(nova.Rules(pioneers=2), nova.Board.parse(HEXAGON_19))
    one, two = position.rollouts(games=50, seed=1), position.rollouts(games=70, seed=2)
    both = one + two
    assert both.games == 120
    assert both.points == tuple(a + b for a, b in zip(one.points, two.points, strict=True))
    assert position.rollouts(games=101, seed=9, threads=2).games == 101
    assert replace(both, games=0) != both
