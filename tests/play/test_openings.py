"""The turns played in a position: keys, counts, and the openings of complete games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from terrarium import games, nova, turrium
from terrarium.core.opening import OpeningTurn, counted, key_of, opening_turns
from terrarium.play.openings import MOST_GAMES, explored, from_book

GAMES = pytest.mark.parametrize("game", sorted(games))


def test_positions_reached_in_different_orders_have_the_same_key() -> None:
    one = nova.start().play_all("@e7 @f7 @g7 @h7")
    other = nova.start().play_all("@g7 @h7 @e7 @f7")
    assert key_of(one) == key_of(other)
    assert key_of(one) != key_of(nova.start().play_all("@e7 @f7 @g7 @h8"))


def test_other_rules_and_boards_have_other_keys() -> None:
    starts: list[Any] = [
        nova.start(),
        nova.start(nova.Rules(players=3)),
        nova.start(nova.Rules(edition="en")),
        nova.start(board=nova.BOARDS["crescent"]),
        turrium.start(),
    ]
    assert len({key_of(start) for start in starts}) == len(starts)


def test_turns_that_lead_to_the_same_position_are_counted_together() -> None:
    played = [
        OpeningTurn("a", "b", ("x", "y"), (0,)),
        OpeningTurn("a", "b", ("y", "x"), (1,)),
        OpeningTurn("a", "b", ("y", "x"), (0, 1)),
        OpeningTurn("a", "c", ("z",), ()),
    ]
    first, second = counted(played, 2)
    assert (first.actions, first.games, first.wins) == (("y", "x"), 3, (1.5, 1.5))
    assert (second.actions, second.games, second.wins) == (("z",), 1, (0.5, 0.5))


def test_flags_count_one_by_one_and_later_turns_as_a_unit() -> None:
    start = turrium.start()
    flags = ("@c3", "@d3", "@e3", "@f3", "@g3", "@h3")
    theirs = ("@c6", "@d6", "@e6", "@f6", "@g6", "@h6")
    after = start.play_all(flags).play_all(theirs)
    actions: list[str] = []
    position = after
    while not actions or not position.at_turn_start:
        actions.append(str(position.legal_actions()[-1]))
        position = position.play(actions[-1])
    found = list(
        opening_turns(
            [(start, flags), (start.play_all(flags), theirs), (after, tuple(actions))], (1,)
        )
    )
    assert [turn.actions for turn in found[:12]] == [(flag,) for flag in flags + theirs]
    assert [turn.actions for turn in found[12:]] == [tuple(actions)]
    assert found[-1].after == key_of(position)


@GAMES
def test_only_the_first_turns_of_a_game_are_counted(game: str) -> None:
    chance, position = random.Random(4), games[game].start()
    turns = []
    for _ in range(games[game].explored_turns + 5):
        actions: list[str] = []
        before = position
        while position.outcome is None and (not actions or not position.at_turn_start):
            actions.append(str(chance.choice(position.legal_actions())))
            position = position.play(actions[-1])
        if actions:
            turns.append((before, actions))
    found = list(opening_turns(turns, (0,)))
    last = turns[games[game].explored_turns - 1][0]
    assert len(turns) > games[game].explored_turns
    assert found[-1].key == key_of(last)
    assert len({turn.key for turn in found}) == len(found)


def test_the_latest_games_are_counted_up_to_a_bound() -> None:
    start = nova.start()
    turns = [OpeningTurn("a", "b", ("@e7",), (0,))] * MOST_GAMES
    old = [OpeningTurn("a", "c", ("@e8",), (1,))]
    assert not explored(start, "server", turns).is_capped
    found = explored(start, "server", turns + old)
    assert found.is_capped
    assert [(turn.actions, turn.games) for turn in found.turns] == [(["@e7"], MOST_GAMES)]


@GAMES
def test_every_turn_of_the_book_can_be_played_from_the_first_position_on(game: str) -> None:
    """The main line: each most frequent turn is legal, and its counts add up."""
    position, depth = games[game].start(), 0
    while (found := from_book(position)).turns:
        assert found.games == sum(turn.games for turn in found.turns)
        for turn in found.turns:
            assert sum(turn.wins) == pytest.approx(turn.games, abs=0.05)
            position.play_all(turn.actions)
        position, depth = position.play_all(found.turns[0].actions), depth + 1
    assert depth >= 5


def test_a_position_that_is_not_in_the_book_has_no_turns() -> None:
    assert from_book(nova.start(nova.Rules(players=4))).turns == []
