"""Scores, Elo and the sequential test, compared with published values and simulations."""

from __future__ import annotations

from math import inf, sqrt
from random import Random
from statistics import NormalDist

import pytest

from terrarium.arena.statistics import elo, expected, score, sprt


def wilson(share: float, trials: float) -> tuple[float, float]:
    """The 95 % Wilson interval by the textbook formula."""
    z = NormalDist().inv_cdf(0.975)
    middle = share + z * z / (2 * trials)
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return (middle - half) / (1 + z * z / trials), (middle + half) / (1 + z * z / trials)


def test_the_interval_is_wilsons() -> None:
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)  # a published value
    half = score([(1.0, 0.0)] * 50)
    assert (half.low, half.high) == pytest.approx(wilson(0.5, 100), abs=1e-4)
    all_won = score([(1.0, 1.0)] * 20)
    assert (all_won.low, all_won.high) == pytest.approx(wilson(1.0, 40), abs=1e-4)


def test_openings_that_decide_both_games_count_as_one_trial_each() -> None:
    # Twenty games, but ten openings: estimating the variance from them leaves nine trials.
    found = score([(1.0, 1.0)] * 5 + [(0.0, 0.0)] * 5)
    assert found.games == 20
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 9), abs=1e-4)


def test_the_interval_stays_within_bounds_and_contains_the_true_value_about_as_often_as_stated() -> (
    None
):
    assert score([]).low == 0.0
    assert score([(0.0, 0.0)] * 3).low == 0.0
    random, held = Random(1), 0
    for _ in range(400):
        found = score([[float(random.random() < 0.8) for _ in range(2)] for _ in range(30)])
        assert 0 <= found.low <= found.mean <= found.high <= 1
        held += found.low <= 0.8 <= found.high
    assert 0.92 <= held / 400 <= 0.995


def test_elo_and_expected_score_are_inverse() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(0.0) == -inf
    assert elo(1.0) == inf
    for difference in (-300.0, 0.0, 25.0, 400.0):
        assert elo(expected(difference)) == pytest.approx(difference)


def test_the_sequential_test_accepts_the_true_hypothesis() -> None:
    random = Random(2)

    def verdict(share: float) -> str | None:
        groups: list[list[float]] = []
        for _ in range(2000):
            groups.append([float(random.random() < share) for _ in range(2)])
            found = sprt(groups, 0, 60)
            if found is not None:
                return found
        return None

    strong = [verdict(expected(60)) for _ in range(20)]
    equal = [verdict(0.5) for _ in range(20)]
    assert strong.count("high") >= 17
    assert equal.count("low") >= 17
    assert sprt([(1.0, 1.0)] * 3, 0, 60) is None, "too few openings for a decision"
