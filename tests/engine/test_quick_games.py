"""No computer player ever breaks the rules: quick games over all options."""

from __future__ import annotations

import pytest

from tests.engine.quick import CASES, play
from tests.sizes import size

pytestmark = pytest.mark.long

GAMES_PER_CASE = size(1, -(-1000 // len(CASES)))  # a thousand games in all


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda case: CASES[case][0])
def test_no_illegal_action_in_quick_games(case: int) -> None:
    """`play` raises when a player breaks the rules or stops in the middle of a turn."""
    name, options = CASES[case]
    for number in range(GAMES_PER_CASE):
        outcome = play(name.split("-")[0], options, seed=1000 * case + number)
        assert outcome.reason
