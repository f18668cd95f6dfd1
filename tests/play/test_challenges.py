"""Challenges without a server: which rules the challenger chose explicitly."""

from __future__ import annotations

from typing import Any

import pytest

from terrarium.play.challenges import NewChallenge, checked, chosen_rules


@pytest.mark.parametrize(
    ("game", "rules", "chosen"),
    [
        ("nova", {}, {}),
        ("nova", {"players": 2, "edition": "fr", "stones": 80}, {}),
        ("nova", {"edition": "en"}, {"edition": "en"}),
        (
            "nova",
            {"edition": "en", "depletion": False, "pioneers": 13},
            {"edition": "en", "depletion": False},
        ),
        ("turrium", {"max_rounds": 7, "line": "orthogonal"}, {"max_rounds": 7}),
    ],
)
def test_rules_that_follow_from_other_rules_are_not_listed_as_chosen(
    game: str, rules: dict[str, Any], chosen: dict[str, Any]
) -> None:
    order = checked(NewChallenge("somebody", game, rules))
    assert chosen_rules(order) == chosen
