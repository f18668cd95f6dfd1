"""Statistics of matches: score with an interval, Elo with error bars, and a sequential test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, log10, sqrt

__all__ = ["Score", "elo", "score", "sprt"]

_Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class Score:
    """The mean of results between 0 and 1, with its 95 % interval."""

    games: int
    mean: float
    low: float
    high: float


def score(groups: Sequence[Sequence[float]]) -> Score:
    """Mean and 95 % interval of results; each group has the games of one opening.

    Games of a group share their opening, so the groups are the independent units. The interval is Wilson's, with the
    number of trials that corresponds to the variance between groups; it stays within 0 and 1 even at 100 %.

    >>> result = score([(1.0, 1.0)] * 20)
    >>> result.mean, round(result.low, 2), result.high
    (1.0, 0.91, 1.0)
    """
    games = sum(map(len, groups))
    if not games:
        return Score(0, 0.5, 0.0, 1.0)
    mean = sum(map(sum, groups)) / games
    trials = float(games)
    means = [sum(group) / len(group) for group in groups if group]
    spread = sum((m - mean) ** 2 for m in means)
    if len(means) > 1 and 0 < mean < 1 and spread > 0:
        variance = spread / (len(means) - 1) / len(means)
        # never narrower than for independent games
        trials = min(trials, mean * (1 - mean) / variance)
    z = _Z95
    middle = (mean + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (
        z * sqrt(mean * (1 - mean) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    )
    return Score(games, mean, max(0.0, middle - half), min(1.0, middle + half))


def elo(share: float) -> float:
    """The Elo difference that corresponds to an expected score between two players."""
    if share <= 0:
        return -inf
    if share >= 1:
        return inf
    return 400 * log10(share / (1 - share))


def expected(difference: float) -> float:
    """The expected score for an Elo difference."""
    return 1 / (1 + exp(-difference * log(10) / 400))


def sprt(
    groups: Sequence[Sequence[float]], low_elo: float, high_elo: float, error: float = 0.05
) -> str | None:
    """Wald's sequential test of `low_elo` against `high_elo`: "low", "high", or None while undecided.

    The log-likelihood ratio is the normal approximation over groups, as usual in engine testing.
    """
    means = [sum(group) / len(group) for group in groups if group]
    if len(means) < 4:
        return None
    mean = sum(means) / len(means)
    # half a win and half a loss keep the variance above zero when all results are equal
    variance = (sum((m - mean) ** 2 for m in means) + (1 - mean) ** 2 / 2 + mean**2 / 2) / (
        len(means) + 1
    )
    first, second = expected(low_elo), expected(high_elo)
    ratio = len(means) * (second - first) * (2 * mean - first - second) / (2 * variance)
    bound = log((1 - error) / error)
    if ratio >= bound:
        return "high"
    if ratio <= -bound:
        return "low"
    return None
