"""Invariants of every position of every game, tested on random games."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from terrarium import turrium
from terrarium.errors import TerrariumError
from tests.turrium.side_by_side import CHOICES, near_a_win

WINNING = (1, 2, 3, 4, 5, 6)

options = st.fixed_dictionaries(
    {
        "players": st.integers(2, 4),
        "max_rounds": st.sampled_from((1, 2, 5, 100)),
        **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    }
)
seeds = st.integers(0, 2**32)


def walk(rules: dict[str, Any], seed: int, length: int) -> list[turrium.Position]:
    """The positions of a game, from the opening or from a composed position near a win."""
    rng = random.Random(seed)
    position = composed(rules, rng) if seed % 2 else turrium.start(turrium.Rules(**rules))
    positions = [position]
    while len(positions) <= length and position.outcome is None:
        position = position.play(any_action(position, rng))
        positions.append(position)
    return positions


def composed(rules: dict[str, Any], rng: random.Random) -> turrium.Position:
    """A position near a win."""
    rules = {"max_rounds": 100, **rules}
    return turrium.compose(turrium.Rules(**rules), **near_a_win(rules, rng))


def any_action(position: turrium.Position, rng: random.Random) -> turrium.Action:
    """A random action. Its kind is drawn first."""
    legal = position.legal_actions()
    kind = rng.choice(sorted({action.kind for action in legal}))
    return rng.choice([action for action in legal if action.kind == kind])


walks = st.builds(walk, options, seeds, st.integers(1, 150))
positions = walks.map(lambda walked: walked[-1])
check = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@check
@given(walks)
def test_cubes_are_conserved_with_those_in_hand(walked: list[turrium.Position]) -> None:
    totals = {sum(p.heights.values()) + p.cubes_in_hand for p in walked}
    assert len(totals) == 1


@check
@given(walks)
def test_flags_are_conserved_with_those_in_hand(walked: list[turrium.Position]) -> None:
    for position in walked:
        flags = Counter(position.flags.values())
        assert all(flags[seat] + position.hand[seat] == 6 for seat in range(position.players))


@check
@given(walks)
def test_flags_stand_on_constructions_and_constructions_on_used_cells(
    walked: list[turrium.Position],
) -> None:
    for position in walked:
        assert set(position.flags) <= set(position.heights) <= set(position.cells)
        assert min(position.heights.values(), default=1) >= 1
        assert set(position.exterior) <= set(position.heights)


@check
@given(walks)
def test_a_tower_never_changes_height(walked: list[turrium.Position]) -> None:
    for before, after in itertools.pairwise(walked):
        for cell in before.flags.keys() & after.flags.keys():
            assert before.heights[cell] == after.heights[cell]


@check
@given(walks)
def test_attacks_only_rise_and_never_above_five_outside_burgenland(
    walked: list[turrium.Position],
) -> None:
    for before, after in itertools.pairwise(walked):
        rises = [b - a for a, b in zip(before.attacks, after.attacks, strict=True)]
        assert set(rises) <= {0, 1}
        assert sum(rises) <= 1
        if after.rules.variant == "standard":
            assert max(after.attacks) <= 5
        else:
            assert max(after.captures) <= 2


@check
@given(walks)
def test_a_turn_takes_three_cubes_and_spends_five_points_at_most(
    walked: list[turrium.Position],
) -> None:
    for position in walked:
        assert 0 <= position.cubes_in_hand <= 3
        assert 0 <= position.points_left <= 5
        assert position.phase != "move" or position.points_left > 0
        assert (position.cubes_in_hand > 0) <= (position.phase in ("take", "place"))


@check
@given(walks)
def test_there_are_legal_actions_exactly_until_the_outcome(
    walked: list[turrium.Position],
) -> None:
    for position in walked:
        is_over = position.outcome is not None
        assert (position.legal_actions() == []) == is_over
        assert (position.to_move is None) == is_over
        assert (position.phase == "over") == is_over


@check
@given(walks)
def test_end_is_legal_whenever_a_move_is(walked: list[turrium.Position]) -> None:
    for position in walked:
        assert position.is_legal("end") == (position.phase == "move")


@check
@given(walks)
def test_winners_hold_one_to_six_when_they_are_declared(walked: list[turrium.Position]) -> None:
    for before, after in itertools.pairwise(walked):
        for seat in set(after.declared) - set(before.declared):
            held = [h for s, h in flag_heights(after) if s == seat]
            assert seat == before.to_move or "passed" in kinds(before, after)
            assert sorted(held) == list(WINNING)


def flag_heights(position: turrium.Position) -> list[tuple[int, int]]:
    """Seat and height of every flag on the board."""
    return [(seat, position.heights[cell]) for cell, seat in position.flags.items()]


def kinds(before: turrium.Position, after: turrium.Position) -> set[str]:
    """The kinds of events between two positions that follow each other."""
    for action in before.legal_actions():
        if before.play(action) == after:
            return {event.kind for event in before.events(action)}
    raise AssertionError("no action leads there")


@check
@given(positions)
def test_ladders_list_the_heights_held_and_missing(position: turrium.Position) -> None:
    assert len(position.ladders) == position.players
    for seat, ladder in enumerate(position.ladders):
        held = [height for other, height in flag_heights(position) if other == seat]
        assert sorted(ladder.held) == sorted(held)
        assert set(ladder.missing) == set(WINNING) - set(held)


@check
@given(positions)
def test_positions_round_trip_through_text_and_pickle(position: turrium.Position) -> None:
    for again in (
        turrium.Position.from_text(position.to_text()),
        pickle.loads(pickle.dumps(position)),
        copy.copy(position),
        copy.deepcopy(position),
    ):
        assert again == position
        assert hash(again) == hash(position)
        assert again.key == position.key
        assert again.to_text() == position.to_text()
        assert again.rules == position.rules
        assert again.outcome == position.outcome
        assert again.view() == position.view()
        assert again.legal_actions() == position.legal_actions()
    assert "\n" not in position.to_text()


@check
@given(options, seeds, st.integers(1, 60))
def test_equality_and_hash_agree_with_the_text(
    rules: dict[str, Any], seed: int, length: int
) -> None:
    walked = walk({**rules, "max_rounds": 5}, seed, length)
    other = walk({**rules, "max_rounds": 5}, seed ^ 2, length)
    for one in walked[-12:]:
        for two in walked[-12:] + other[-12:]:
            assert (one == two) == (one.to_text() == two.to_text())
            assert (one != two) == (one.to_text() != two.to_text())
            if one == two:
                assert hash(one) == hash(two)
                assert one.key == two.key


def test_positions_under_different_rules_are_not_equal() -> None:
    starts = [
        turrium.start(turrium.Rules(players=players, **{name: choice}))
        for players in (2, 3, 4)
        for name, choices in CHOICES.items()
        for choice in choices[1:]
    ] + [turrium.start(turrium.Rules(players=players)) for players in (2, 3, 4)]
    texts = {position.to_text() for position in starts}
    assert len(set(starts)) == len(starts) == len(texts)
    assert turrium.start() != "something else"


@check
@given(options, seeds)
def test_the_same_cubes_taken_in_another_order_make_an_equal_position(
    rules: dict[str, Any], seed: int
) -> None:
    rng = random.Random(seed)
    position = composed({**rules, "max_rounds": 5}, rng)
    if position.phase != "take":
        return
    here, takes = position, []
    while here.phase == "take":
        legal = [action for action in here.legal_actions() if action.kind == "take"]
        takes.append(str(rng.choice(legal)))
        here = here.play(takes[-1])
    for _ in range(4):
        rng.shuffle(takes)
        there = position
        for take in takes:
            if not there.is_legal(take):  # not yet exterior in this order (TT-7)
                break
            there = there.play(take)
        else:
            assert there == here
            assert hash(there) == hash(here)
            assert there.to_text() == here.to_text()


@check
@given(positions, seeds)
def test_playing_does_not_change_the_old_position(position: turrium.Position, seed: int) -> None:
    rng = random.Random(seed)
    text, view = position.to_text(), position.view()
    for _ in range(3):
        if position.outcome is None:
            position.play(any_action(position, rng)).legal_actions()
            position.resign(
                rng.choice([s for s in range(position.players) if s not in position.resigned])
            )
    for facts in (position.heights, position.flags, position.territories, position.view()):
        facts.clear()
    position.legal_actions().clear()
    assert (position.to_text(), position.view()) == (text, view)


def test_a_position_has_no_attribute_to_set() -> None:
    position = turrium.start()
    for name in ("to_move", "phase", "heights", "rules", "outcome", "rounds", "anything"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(position, name, 0)


@check
@given(positions)
def test_the_view_is_plain_json_with_everything_to_draw(position: turrium.Position) -> None:
    view = position.view()
    assert json.loads(json.dumps(view)) == view
    assert view["game"] == "turrium"
    assert view["heights"] == position.heights
    assert view["flags"] == position.flags
    for name in ("phase", "to_move", "points_left", "cubes_in_hand", "rounds", "unlocked"):
        assert view[name] == getattr(position, name)
    for name in ("hand", "attacks", "captures", "declared", "exterior", "cells", "resigned"):
        assert view[name] == list(getattr(position, name))


@check
@given(positions)
def test_every_id_is_legal_or_refused_with_a_reason(position: turrium.Position) -> None:
    legal = position.legal_ids()
    assert legal == sorted(set(legal))
    assert [int(action) for action in position.legal_actions()] == legal
    for id in range(0, turrium.NUM_ACTIONS, 7):
        assert position.is_legal(id) == (id in legal)
        if id in legal:
            action = position.action(id)
            assert position.parse(str(action)) == action
            assert position.play(id) == position.play(action) == position.play(str(action))
        else:
            with pytest.raises(TerrariumError) as caught:
                position.play(id)
            assert caught.value.code
            assert caught.value.message


@settings(deadline=None, max_examples=25)
@given(options, seeds)
@example({"players": 4, "max_rounds": 5}, 0)
def test_every_game_ends(rules: dict[str, Any], seed: int) -> None:
    rules = {**rules, "max_rounds": min(rules["max_rounds"], 5)}
    position = walk(rules, seed, 10_000)[-1]
    assert position.outcome is not None
    assert position.rounds <= rules["max_rounds"]
    assert position.outcome.reason in ("towers", "limit")
    assert (position.outcome.winners == ()) == (position.outcome.reason == "limit")


@settings(deadline=None, max_examples=20)
@given(options, seeds)
def test_rollouts_play_complete_games(rules: dict[str, Any], seed: int) -> None:
    rules = {**rules, "max_rounds": min(rules["max_rounds"], 5)}
    position = walk(rules, seed, 20)[-1]
    text = position.to_text()
    result = position.rollouts(games=5, seed=seed)
    assert result == position.rollouts(games=5, seed=seed)
    assert result.games == 5
    assert sum(result.shares) == pytest.approx(5.0)
    assert position.to_text() == text
