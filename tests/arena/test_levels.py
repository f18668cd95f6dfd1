"""The weak levels suit beginners: their two-player games end with towers, and a beginner has a chance (docs/strength.md)."""

from __future__ import annotations

import pytest

from terrarium.arena import Match, run
from terrarium.engine import Limit
from tests.sizes import IS_LONG, size

LIMIT = Limit(nodes=20_000)
SEED = 2026


@pytest.mark.parametrize("level", [1, 2, 3])
def test_duels_between_equal_weak_levels_are_won_by_towers_within_60_rounds(level: int) -> None:
    name, games = f"level:{level}", size(16, 100)
    result = run(Match("turrium", name, name, games=games, limit=LIMIT, seed=SEED))
    # both players set their flags in one turn each before the first round
    won = sum(one.reason == "towers" and one.turns <= 2 + 2 * 60 for one in result.games)
    assert won >= 0.9 * games


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize(("level", "low", "high"), [(1, 0.4, 0.6), (2, 0.6, 0.8)])
def test_a_novice_has_a_chance_against_the_lowest_levels(
    game: str, level: int, low: float, high: float
) -> None:
    slack = 0 if IS_LONG else 0.35  # about two standard deviations of eight games
    match = Match(game, f"level:{level}", "novice", games=size(8, 100), limit=LIMIT, seed=SEED)
    assert low - slack <= run(match).score.mean <= high + slack
