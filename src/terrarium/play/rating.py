"""Ratings of people who solve puzzles, by the Bradley-Terry model of Weng and Lin (2011), as in the package `openskill`.

It is implemented here because that package is not available in the browser; a test compares it with `openskill`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

__all__ = ["Rating", "rated"]

_MU = 25.0
_SIGMA = _MU / 3
_BETA = _SIGMA / 2
"""The influence of chance on the result of one game."""
_TAU = _MU / 300
"""Added to the uncertainty before each game, so that it never becomes zero."""
_KAPPA = 0.0001
_BASE, _STEP = 1500, 40
"""The displayed rating of a newcomer, and its change for each unit of skill."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Estimated skill with its uncertainty."""

    mu: float = _MU
    sigma: float = _SIGMA

    @property
    def shown(self) -> int:
        """The skill as a number on the scale of Elo ratings.

        >>> Rating().shown
        1500
        """
        return round(_BASE + _STEP * (self.mu - _MU))

    @property
    def deviation(self) -> int:
        """The uncertainty of that number."""
        return round(_STEP * self.sigma)

    @classmethod
    def at(cls, shown: float, deviation: float = 0.0) -> Rating:
        """The rating that is shown as this number."""
        return cls(_MU + (shown - _BASE) / _STEP, deviation / _STEP)


def rated(rating: Rating, opponent: Rating, score: float) -> Rating:
    """The rating after a game against an opponent: 1 for a win, 0.5 for a draw, 0 for a loss.

    >>> rated(Rating(), Rating.at(1500, 60), 1).shown
    1635
    """
    own = rating.sigma**2 + _TAU**2
    other = opponent.sigma**2 + _TAU**2
    c = sqrt(own + other + 2 * _BETA**2)
    expected = 1 / (1 + exp((opponent.mu - rating.mu) / c))
    shrink = sqrt(own) / c * own / c**2 * expected * (1 - expected)
    return Rating(
        rating.mu + own / c * (score - expected), sqrt(own) * sqrt(max(1 - shrink, _KAPPA))
    )
