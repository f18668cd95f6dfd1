"""A turn: three actions, moves and stones (TN-6 .. TN-13, without the return rule TN-12)."""

from __future__ import annotations

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction, InvalidAction
from tests.nova.drawn import BLUE, GREEN, RED, YELLOW, drawn, legal, moves_of, play, row, stones_of

HEXAGON = """
   A A A A
  A A B B B
 C C B B B E
C C C D D E E
 F C D D D E
  F F F G G
   F F G G
"""
"""Rows a to g; d4 is the middle of a hexagon with sides of four cells."""


def test_a_turn_is_three_compulsory_actions_of_the_same_player() -> None:  # TN-6
    position = row("ABCDEFGHIJKL", "r2 b10")
    for action in ("a2-a3", "a3-a4"):
        position = position.play(action)
        assert position.to_move == RED
    assert position.play("a4-a5").to_move == BLUE


@pytest.mark.parametrize("text", ["pass", "end", "-", "skip", ""])
def test_nobody_can_choose_to_forfeit_or_pass(text: str) -> None:  # TN-6
    position = row("ABCDEFGHIJKL", "r2 b10").play("a2-a3")
    with pytest.raises(InvalidAction):
        position.play(text)


def test_an_impossible_third_action_is_forfeited_automatically() -> None:  # TN-6
    # a1 is covered, blue stands on a3: red on a2 can neither move nor place a stone.
    position = play(row("ABCDEFG", "r1 b3 g7"), "a1-a2 +a1")
    assert position.outcome is None
    assert position.to_move == BLUE
    assert position.at_turn_start


def test_a_third_action_is_forfeited_when_all_own_pioneers_have_left() -> None:  # TN-6, TN-19
    position = play(row("AAABCDEFGH", "r2 b8 g10"), "a2-a3 +a4")
    assert position.scores == (9, 0, 0)
    assert position.to_move == BLUE


@pytest.mark.parametrize("returning", ["turn_end", "never"])
def test_a_third_action_that_only_the_return_rule_forbids_is_forfeited_too(
    returning: str,
) -> None:  # TN-6, TN-12
    position = row("ABCDEFGHIJ", "r5 b6", returning=returning, supply=1)
    position = play(position, "a5-a4 +a3")
    assert position.outcome is not None
    assert position.outcome.reason == "stones"


def test_a_third_action_that_the_return_rule_allows_is_compulsory() -> None:  # TN-6, TN-12
    position = row("ABCDEFGHIJ", "r5 b6", returning="three_moves", supply=1)
    assert legal(play(position, "a5-a4 +a3")) == {"a4-a5"}


def test_the_first_action_is_a_move() -> None:  # TN-7
    position = row("ABCDEFGHIJKL", "r2 b10")
    assert legal(position) == {"a2-a1", *(f"a2-a{number}" for number in range(3, 10))}
    with pytest.raises(IllegalAction) as refused:
        position.play("+a3")
    assert refused.value.rule == "TN-7"


@pytest.mark.parametrize(
    "turn", ["a8-a9 a9-a10 a10-a11", "a8-a9 a9-a10 +a9", "a8-a9 +a8 a9-a10", "a8-a9 +a8 +a10"]
)
def test_the_second_and_third_are_each_a_move_or_a_stone(turn: str) -> None:  # TN-7
    position = play(row("ABCDEFGHIJKLMNOP", "r2 r8 b16"), turn)
    assert position.to_move == BLUE
    assert len(position.stones) == turn.count("+")


def test_the_first_action_need_not_keep_later_ones_possible() -> None:  # TN-8
    position = row("ABCDEFGH", "r1 b4 g8")
    assert legal(position) == {"a1-a2", "a1-a3"}
    position = play(position, "a1-a3 +a2")  # a1 dies, red is stuck between the stone and blue
    assert position.to_move == BLUE
    assert position.at_turn_start


def test_a_player_who_cannot_make_a_first_action_passes_this_turn() -> None:  # TN-9
    position = row("ABCDEFGHIJKL", "r1 b2 g11", to_move=GREEN)
    position = play(position, "a11-a10 a10-a9 a9-a8")
    assert position.to_move == BLUE  # red passed


def test_several_seats_may_pass_one_after_the_other() -> None:  # TN-9
    position = row("ABCDEFGHIJKLMNOP", "r1 b2 g3 y16", to_move=YELLOW)
    assert play(position, "a16-a15 a15-a14 a14-a13").to_move == GREEN


def test_a_player_who_passed_may_play_again_later() -> None:  # TN-9
    position = row("ABCDEFGHIJKL", "r1 b2 g11", to_move=GREEN)
    position = play(position, "a11-a10 a10-a9 a9-a8", "a2-a5 a5-a4 a4-a3", "a8-a9 a9-a10 a10-a11")
    assert position.to_move == RED
    assert legal(position) == {"a1-a2"}


def test_a_pioneer_moves_straight_in_six_directions_any_distance() -> None:  # TN-10
    position = drawn(HEXAGON, "rd4 ba1")
    along_the_letter = {"d1", "d2", "d3", "d5", "d6", "d7"}
    along_the_number = {"a4", "b4", "c4", "e4", "f4", "g4"}
    along_both = {"b2", "c3", "e5", "f6", "g7"}  # a1 is taken
    targets = along_the_letter | along_the_number | along_both
    assert legal(position) == {f"d4-{target}" for target in targets}


def test_a_pioneer_moves_neither_onto_nor_past_a_pioneer_of_any_colour() -> None:  # TN-10
    position = drawn(HEXAGON, "rd4 rd6 bc4 be5 ra1")
    assert moves_of(position, "d4") == {
        *("d4-d3", "d4-d2", "d4-d1", "d4-d5"),
        *("d4-e4", "d4-f4", "d4-g4"),
        *("d4-c3", "d4-b2"),
    }


def test_a_pioneer_moves_neither_onto_nor_past_a_stone() -> None:  # TN-10, TN-14
    position = drawn(HEXAGON, "rd4 ba1 sd6 sc4 sg7")
    assert moves_of(position, "d4") == {
        *("d4-d3", "d4-d2", "d4-d1", "d4-d5"),
        *("d4-e4", "d4-f4", "d4-g4"),
        *("d4-c3", "d4-b2", "d4-e5", "d4-f6"),
    }


def test_a_pioneer_moves_neither_onto_nor_past_a_dead_cell() -> None:  # TN-10, TN-19
    position = row("ABCDEFGH", "r2 b8", dead="5")
    assert legal(position) == {"a2-a1", "a2-a3", "a2-a4"}


def test_a_pioneer_does_not_jump_over_a_gap_in_the_island() -> None:  # TN-10, TN-15
    ring = " A B\nC . D\n E F"
    assert legal(drawn(ring, "rb1 ba2 bc3")) == {"b1-a1", "b1-c2"}  # not b1-b3


def test_only_own_pioneers_move_and_only_from_where_they_stand() -> None:  # TN-10
    position = drawn(HEXAGON, "rd4 ba1")
    for action in ("a1-a2", "c4-c5", "d4-d4"):
        with pytest.raises((IllegalAction, InvalidAction)):
            position.play(action)


def test_no_move_turns_a_corner() -> None:  # TN-10
    position = drawn(HEXAGON, "rd4 ba1")
    assert "d4-c5" not in legal(position)
    with pytest.raises((IllegalAction, InvalidAction)):
        position.play("d4-c5")


def test_the_moves_of_a_turn_may_be_made_with_the_same_or_different_pioneers() -> None:  # TN-11
    position = row("ABCDEFGHIJKL", "r2 r6 r9 b12")
    for turn in (
        "a2-a3 a3-a4 a4-a5",
        "a2-a3 a6-a7 a9-a8",
        "a2-a3 a6-a5 a3-a4",
        "a2-a1 a1-a3 a6-a5",
    ):
        assert play(position, turn).to_move == BLUE


def test_a_stone_goes_next_to_a_pioneer_moved_this_turn_on_any_of_six_sides() -> None:  # TN-13
    position = drawn(HEXAGON, "rd1 ba1").play("d1-d4")
    assert stones_of(position) == {"d3", "d5", "c3", "c4", "e4", "e5"}


def test_a_stone_goes_on_an_empty_cell_only() -> None:  # TN-13
    position = drawn(HEXAGON, "rd1 rc3 bc4 sd5", dead="e5").play("d1-d4")
    assert stones_of(position) == {"d3", "e4"}


def test_a_pioneer_that_did_not_move_this_turn_gives_no_adjacency() -> None:  # TN-13
    position = row("ABCDEFGHIJKL", "r2 r10 b6").play("a2-a3")
    assert stones_of(position) == {"a2", "a4"}
    with pytest.raises(IllegalAction) as refused:
        position.play("+a9")
    assert refused.value.code == "stone-not-adjacent"
    assert refused.value.rule == "TN-13"


def test_an_opponents_pioneer_moved_last_turn_gives_no_adjacency() -> None:  # TN-13
    position = play(row("ABCDEFGHIJKL", "r2 b10"), "a2-a3 a3-a4 a4-a3").play("a10-a11")
    assert stones_of(position) == {"a10", "a12"}


def test_only_the_current_cell_counts_when_a_pioneer_moved_twice() -> None:  # TN-13
    position = play(row("ABCDEFGHIJKL", "r2 b12"), "a2-a5 a5-a9")
    assert stones_of(position) == {"a8", "a10"}


def test_both_pioneers_count_after_one_moved_onto_the_other_ones_cell() -> None:  # TN-13
    position = play(row("ABCDEFGHIJKL", "r2 r8 b12"), "a8-a10 a2-a8")
    assert stones_of(position) == {"a7", "a9", "a11"}


def test_a_stone_after_a_stone_goes_next_to_the_same_pioneer() -> None:  # TN-13
    position = play(row("ABCDEFGHIJKL", "r6 b12"), "a6-a7 +a6")
    assert stones_of(position) == {"a8"}


def test_a_pioneer_removed_by_scoring_gives_no_adjacency() -> None:  # TN-13
    position = play(row("AAABCDEFGH", "r2 r10 b7"), "a2-a3 +a4")
    assert position.scores == (9, 0)
    assert not stones_of(position)
    assert moves_of(position) == {"a10-a9", "a10-a8"}


def test_moved_pioneers_of_the_turn_before_are_forgotten() -> None:  # TN-13
    position = play(
        row("ABCDEFGHIJKL", "r2 r9 b12"), "a2-a3 a3-a4 a4-a5", "a12-a11 a11-a10 a10-a11"
    )
    position = position.play("a9-a8")
    assert stones_of(position) == {"a7", "a9"}


def test_playing_leaves_the_old_position_as_it_was() -> None:
    position = row("ABCDEFGHIJKL", "r2 b10")
    before = position.to_text()
    position.play("a2-a3").play("+a4")
    assert position.to_text() == before
    assert isinstance(position, nova.Position)


def test_an_impossible_second_action_is_forfeited_with_the_third() -> None:  # TN-6
    # No stones at all, and red on a2 may only go back where it started: `never` forbids it.
    rules = nova.Rules(edition="en", pioneers=1, stones=0)
    position = play(nova.start(rules, nova.Board.parse("A B C D E F G H")), "@a1 @a3")
    assert legal(position) == {"a1-a2"}
    position = position.play("a1-a2")
    assert position.outcome is not None  # the turn is over, and with it the stones (TN-26)
    assert position.outcome.reason == "stones"
