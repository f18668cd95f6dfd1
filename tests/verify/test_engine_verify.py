"""The long proof that computer players keep to the rules: a thousand quick games over all options."""

from __future__ import annotations

import pytest

from tests.engine.quick import CASES, play

ROUNDS = range(-(-1000 // len(CASES)))


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda case: CASES[case][0])
def test_no_illegal_action_in_a_thousand_quick_games(case: int) -> None:
    name, options = CASES[case]
    for number in ROUNDS:
        assert play(name.split("-")[0], options, seed=1_000_000 + 1000 * case + number).reason
