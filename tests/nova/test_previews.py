"""The preview of a stone shows exactly what it does (TN-16 to TN-18)."""

from __future__ import annotations

from random import Random

import pytest

from terrarium import nova
from terrarium.nova.events import GameEnded, TerritoryScored
from terrarium.play.views import previews
from tests.nova.drawn import row


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_preview_of_a_stone_shows_what_it_closes(players: int) -> None:
    random = Random(players)
    position = nova.start(nova.Rules(players=players))
    seen = 0
    for _ in range(700):
        if position.outcome is not None:
            break
        told = previews(position)
        for action in position.legal_actions():
            if action.kind != "stone":
                assert str(action) not in told
                continue
            happened = [
                event.to_dict()
                for event in position.step(action)[1]
                if isinstance(event, (TerritoryScored, GameEnded))
            ]
            assert told.get(str(action), []) == happened
            seen += bool(happened)
        stones = [a for a in position.legal_actions() if a.kind == "stone"]
        closing = [a for a in stones if str(a) in told]
        # Stones that close a territory are rare in random play: play only some of them, so that others can be checked later.
        choices = closing if closing and random.random() < 0.3 else stones
        is_stone = choices and random.random() < 0.7
        position = position.play(random.choice(choices if is_stone else position.legal_actions()))
    assert seen > 10


def test_a_preview_says_who_gets_how_much_and_why() -> None:  # TN-18
    position = row("AAAAAAABCDEF", "b3 r5 b12", to_move=1).play("a12-a9")
    told = previews(position)
    [closure] = [event for event in told["+a8"] if len(event["cells"]) == 7]
    assert (closure["points"], closure["awards"]) == (21, [10, 10])


def test_a_stone_that_ends_the_game_says_so() -> None:  # TN-22
    position = row("AAABCDE", "r1 b7", to_move=1).play("a7-a5")
    kinds = [event["kind"] for event in previews(position)["+a4"]]
    assert kinds == ["territory-scored", "territory-scored", "game-ended"]
