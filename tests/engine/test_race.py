"""The network of Terra Turrium."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from terrarium import turrium
from terrarium.engine import Engine, Limit
from terrarium.engine import turrium as evaluation
from terrarium.engine.search import Search

SEATS = (2, 3, 4)


def tuned(players: int, trust: float = 1.0) -> evaluation.TurriumBrain:
    """The evaluation with the network, which counts for `trust` of the shares."""
    weights = evaluation.tuned_weights(players, True)
    assert weights is not None
    network = weights["network"] | {"trust": trust}
    return evaluation.brain(turrium.start(players=players), weights | {"network": network})


def positions(players: int, seed: int = 1) -> list[turrium.Position]:
    """Some turn starts of a random game."""
    chance, position = Random(seed), turrium.start(players=players)
    found: list[turrium.Position] = []
    while position.outcome is None and len(found) < 60:
        if position.at_turn_start:
            found.append(position)
        position = position.play(chance.choice(position.legal_ids()))
    return found[::6]


@pytest.mark.parametrize("players", SEATS)
def test_shares_depend_only_on_the_position(players: int) -> None:
    used, fresh = tuned(players), tuned(players)
    for position in reversed(positions(players)):
        used.network_shares(position)
    for position in positions(players):
        shares = used.network_shares(turrium.Position.from_text(position.to_text()))
        assert fresh.network_shares(position) == shares
        assert sum(shares) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("players", SEATS)
def test_a_search_takes_its_first_shares_from_the_network(players: int) -> None:
    position = positions(players)[5]
    brain = tuned(players)
    search = Search(position, brain, root_width=4, thorough=True, alert=False)
    search.run(nodes=1_000)
    compared = 0
    for ids, _, _, first, _, _ in search.turns():
        after = position.play_all([position.action(id) for id in ids])
        if after.outcome is None and not after.declared:
            assert first == pytest.approx(brain.network_shares(after), abs=1e-6)
            compared += 1
    assert compared > 4


@pytest.mark.parametrize("players", SEATS)
def test_the_network_leaves_the_evaluation_of_single_actions_as_it_is(players: int) -> None:
    for position in positions(players):
        assert evaluation.brain(position).evaluate(position) == tuned(players).evaluate(position)


def test_a_seat_that_resigned_has_no_share() -> None:
    position = positions(3)[5].resign(1)
    shares = tuned(3).network_shares(position)
    assert shares[1] == 0
    assert sum(shares) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize(
    "options", [{"variant": "burgenland"}, {"line": "path"}, {"two_player_area": 8}]
)
def test_level_8_plays_with_all_options(players: int, options: dict[str, Any]) -> None:
    chance = Random(2)
    position = turrium.start(players=players, **options)
    while position.phase == "flags":
        position = position.play(chance.choice(position.legal_ids()))
    choice = Engine(level=8).choose(position, Limit(seconds=0.05))
    assert position.play_all(choice.actions).to_move != position.to_move


def test_a_network_of_another_size_is_refused() -> None:
    start = turrium.start(players=3)
    weights = evaluation.tuned_weights(3, True)
    assert weights is not None
    short = {"weights": weights["network"]["weights"][1:]}
    with pytest.raises(ValueError, match="a network for 3 seats has"):
        evaluation.brain(start, weights | {"network": short})
    with pytest.raises(ValueError, match="a network for 2 seats has"):
        evaluation.brain(turrium.start(), weights)


def test_the_network_refuses_positions_that_it_does_not_know() -> None:
    middle = positions(3)[5]
    middle = middle.play(middle.legal_ids()[0])
    with pytest.raises(ValueError, match="starts of turns"):
        tuned(3).network_shares(middle)
    with pytest.raises(ValueError, match="no network"):
        evaluation.brain(middle).network_shares(middle)
    assert evaluation.tuned_weights(3, False) is None


def test_two_players_on_the_larger_area_have_no_network() -> None:
    weights = evaluation.tuned_weights(2, True)
    large = turrium.start(players=2, two_player_area=8)
    with pytest.raises(ValueError, match="no network"):
        evaluation.brain(large, weights).network_shares(large)
    assert sum(tuned(2).network_shares(turrium.start())) == pytest.approx(1, abs=1e-5)
