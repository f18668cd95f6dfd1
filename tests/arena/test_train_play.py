"""Training by play moves weights towards those that win games."""

from __future__ import annotations

import numpy as np
import pytest

from terrarium import games
from terrarium.arena.train_play import Pairs, Trainer, changed
from terrarium.engine.brain import trained_weights
from terrarium.engine.engine import brain_for


def test_weights_change_by_a_factor_or_a_sum() -> None:
    weights = {"step": 0.5, "tempo": -1.0, "pay": [1.0, 2.0], "hand": 3.0}
    found = changed(weights, {"step": "factor", "tempo": "sum", "pay.1": "sum"}, [0.1, 0.1, -0.1])
    assert found == {"step": 0.5526, "tempo": -0.925, "pay": [1.0, 1.875], "hand": 3.0}
    assert weights["pay"] == [1.0, 2.0], "the given weights stay the same"


def won_with_more(name: str, trainer: Trainer) -> Pairs:
    """Pairs of games won by the side with more of one weight."""
    place = list(trainer.learnt).index(name)
    direction = np.random.default_rng(1).choice([-1.0, 1.0], (200, len(trainer.learnt)))
    return Pairs(direction, direction[:, place])


def test_the_weight_that_wins_games_grows_and_the_others_hardly_change() -> None:
    trainer = Trainer("turrium", 2)
    start = trained_weights("turrium")
    found = trainer.fit(won_with_more("step", trainer), {"weights": start})["weights"]
    rise = {name: found[name] / start[name] - 1 for name in trainer.learnt}
    assert rise.pop("step") == pytest.approx(0.105, abs=0.001)
    assert max(map(abs, rise.values())) < 0.1
    assert {name: found[name] for name in found if name not in trainer.learnt} == {
        name: start[name] for name in start if name not in trainer.learnt
    }


def test_later_rounds_take_smaller_steps() -> None:
    trainer = Trainer("turrium", 2)
    before = {"weights": trained_weights("turrium")}
    rises = []
    for _ in range(12):
        after = trainer.fit(won_with_more("step", trainer), before)
        rises.append(after["weights"]["step"] / before["weights"]["step"])
        before = after
    assert rises == sorted(rises, reverse=True)
    assert rises[10] - 1 == pytest.approx((rises[0] - 1) / 2, rel=0.1)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_every_learnt_weight_exists_and_a_pair_of_games_can_be_played(
    game: str, players: int
) -> None:
    trainer = Trainer(game, players)
    many = game == "nova" and players > 2
    weights = trained_weights("nova_many" if many else game)
    assert changed(weights, trainer.learnt, [0.0] * len(trainer.learnt)) == weights
    if players == 3:
        pair = trainer.collect(1, weights, 0.0, "two-bays" if game == "nova" else None, players)
        assert pair.direction.shape == (1, len(trainer.learnt))
        assert -1 <= pair.lead[0] <= 1


def test_tuned_weights_are_for_two_players_at_the_highest_levels() -> None:
    assert [look.is_tuned for look in games["nova"].levels] == [False] * 5 + [True] * 3
    for players in (2, 3):
        start = games["nova"].start(players=players)
        plain, tuned = (brain_for(start, is_tuned=way).evaluate(start) for way in (False, True))
        assert (plain == tuned) == (players == 3)
