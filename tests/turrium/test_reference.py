"""Kernel and reference agree at every position of some hundred games, over all options."""

from __future__ import annotations

import pytest

from tests.sizes import size
from tests.turrium.happenings import NAMES
from tests.turrium.side_by_side import Report, all_options, compared_game

pytestmark = pytest.mark.long

GAMES_PER_COMBINATION = size(4, 8)


@pytest.fixture(scope="module")
def report() -> Report:
    """The counts of some games of each combination of options; half of the games are composed."""
    total = Report()
    for options in all_options():
        for seed in range(GAMES_PER_COMBINATION):
            total += compared_game(options, seed)
    return total


def test_kernel_and_reference_agree_at_every_position(report: Report) -> None:
    assert report.disagreements == []
    assert report.positions > 20 * report.games, "the games are too short to prove anything"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_games_met(name: str, report: Report) -> None:
    assert report.happened[name] > 0
