"""The return rule in its three readings (TN-12)."""

from __future__ import annotations

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction
from tests.nova.drawn import BLUE, drawn, legal, moves_of, play, row, stones_of

READINGS = ("three_moves", "turn_end", "never")
SLOPE = """
  A B C D
 E F G H
A B C D
"""


def test_the_editions_read_the_return_rule_differently() -> None:  # TN-12
    assert nova.Rules().edition == "fr"
    readings = {
        edition: nova.Rules(edition=edition).returning for edition in ("fr", "nl", "sv", "en")
    }
    assert readings == {
        "fr": "three_moves",
        "nl": "three_moves",
        "sv": "turn_end",
        "en": "never",
    }


@pytest.mark.parametrize("returning", READINGS)
@pytest.mark.parametrize("way", ["a5-a6 a6-a7", "a5-a8 a8-a4", "a5-a2 a2-a3"])
def test_a_pioneer_that_makes_all_three_moves_may_not_end_where_it_started(
    returning: str, way: str
) -> None:  # TN-12
    position = play(row("ABCDEFGHIJ", "r5 b10", returning=returning), way)
    last = position.moved[0]
    assert moves_of(position)
    assert f"{last}-a5" not in legal(position)
    with pytest.raises(IllegalAction) as refused:
        position.play(f"{last}-a5")
    assert refused.value.rule == "TN-12"


@pytest.mark.parametrize(
    ("returning", "is_legal"), [("three_moves", True), ("turn_end", True), ("never", False)]
)
def test_the_second_move_may_lead_back_unless_no_move_ever_may(
    returning: str, is_legal: bool
) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r5 b10", returning=returning).play("a5-a6")
    assert ("a6-a5" in legal(position)) == is_legal


def test_after_there_and_back_every_third_action_is_legal() -> None:  # TN-12 three_moves
    position = row("ABCDEFGHIJ", "r5 r1 b10", returning="three_moves")
    position = play(position, "a5-a6 a6-a5")
    assert stones_of(position) == {"a4", "a6"}
    assert moves_of(position, "a1") == {"a1-a2", "a1-a3", "a1-a4"}
    assert len(moves_of(position, "a5")) == 7


def test_after_there_and_back_that_pioneer_must_leave_again() -> None:  # TN-12 turn_end
    position = row("ABCDEFGHIJ", "r5 r1 b10", returning="turn_end")
    position = play(position, "a5-a6 a6-a5")
    assert legal(position) == moves_of(position, "a5")
    assert len(legal(position)) == 7


def test_a_stone_that_removes_the_pioneer_brought_back_is_legal() -> None:  # TN-12 turn_end
    position = play(row("AAABCDEFGH", "r2 b10", returning="turn_end"), "a2-a3 a3-a2")
    assert stones_of(position) == {"a3"}  # +a3 scores a1 and a2, +a1 would leave red on a2
    position = position.play("+a3")
    assert position.scores == (6, 0)
    assert position.outcome is not None


def test_a_stone_may_remove_the_pioneer_brought_back_from_either_side() -> None:  # TN-12 turn_end
    position = play(row("ABCDEFGHH", "r8 b2", returning="turn_end"), "a8-a9 a9-a8")
    assert stones_of(position) == {"a7"}
    assert position.play("+a7").scores == (6, 0)


@pytest.mark.parametrize(
    ("returning", "is_legal"), [("three_moves", True), ("turn_end", False), ("never", False)]
)
def test_move_stone_and_back_is_legal_only_under_three_moves(
    returning: str, is_legal: bool
) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r5 b10", returning=returning)
    position = play(position, "a5-a6 +a7")
    assert ("a6-a5" in legal(position)) == is_legal
    assert "a6-a4" in legal(position)


@pytest.mark.parametrize(
    ("returning", "is_legal"), [("three_moves", True), ("turn_end", False), ("never", False)]
)
def test_going_back_after_another_pioneers_move(returning: str, is_legal: bool) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning=returning)
    position = play(position, "a2-a3 a7-a8")
    assert ("a3-a2" in legal(position)) == is_legal
    assert ("a8-a7" in legal(position)) == is_legal
    assert {"a3-a1", "a8-a6"} <= legal(position)


@pytest.mark.parametrize(
    ("returning", "is_legal"), [("three_moves", True), ("turn_end", False), ("never", False)]
)
def test_the_second_pioneer_of_two_may_not_go_back_either(
    returning: str, is_legal: bool
) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning=returning)
    position = play(position, "a7-a6 a2-a3")
    assert ("a3-a2" in legal(position)) == is_legal
    assert ("a6-a7" in legal(position)) == is_legal


def test_another_pioneers_move_may_not_leave_the_first_at_home() -> None:  # TN-12 turn_end
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning="turn_end")
    position = play(position, "a7-a6 a6-a7")
    assert not moves_of(position, "a2")
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning="three_moves")
    assert moves_of(play(position, "a7-a6 a6-a7"), "a2")


@pytest.mark.parametrize("returning", READINGS)
def test_two_own_pioneers_may_exchange_cells(returning: str) -> None:  # TN-12
    position = drawn(SLOPE, "ra2 ra3 bc4", returning=returning)
    position = play(position, "a2-b3", "a3-a2")
    assert "b3-a3" in legal(position)
    position = position.play("b3-a3")
    assert position.to_move == BLUE
    assert dict(position.pioneers) == {"a2": 0, "a3": 0, "c4": 1}


@pytest.mark.parametrize("returning", READINGS)
def test_another_pioneer_may_end_where_one_started(returning: str) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning=returning)
    position = play(position, "a7-a8", "a2-a7")
    assert dict(position.pioneers)["a7"] == 0
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning=returning)
    position = play(position, "a7-a8", "a8-a9")
    assert "a2-a7" in legal(position)


@pytest.mark.parametrize(
    ("returning", "is_legal"), [("three_moves", True), ("turn_end", False), ("never", False)]
)
def test_a_pioneer_on_anothers_first_cell_may_still_not_go_back_to_its_own(
    returning: str, is_legal: bool
) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r2 r7 b10", returning=returning)
    position = play(position, "a7-a8", "a2-a7")
    assert ("a7-a2" in legal(position)) == is_legal
    assert {"a7-a3", "a8-a9"} <= legal(position)


@pytest.mark.parametrize("returning", READINGS)
def test_the_cell_passed_on_the_way_may_be_entered_again(returning: str) -> None:  # TN-12
    position = row("ABCDEFGHIJ", "r2 b10", returning=returning)
    assert "a4-a3" in legal(play(position, "a2-a3", "a3-a4"))


@pytest.mark.parametrize("returning", READINGS)
def test_the_next_turn_forgets_earlier_moves(returning: str) -> None:  # TN-12
    position = row("ABCDEFGHIJKL", "r2 b11", returning=returning)
    position = play(position, "a2-a3 a3-a4 a4-a3", "a11-a10 a10-a9 a9-a10")
    assert {"a3-a2", "a3-a4"} <= legal(position)


@pytest.mark.parametrize("returning", READINGS)
def test_a_pioneer_removed_by_scoring_forbids_nothing_to_the_others(returning: str) -> None:
    # Red's a2 moved and was removed with its territory; the other pioneer may go anywhere (TN-12).
    position = row("AAABCDEFGH", "r2 r7 b10", returning=returning)
    position = play(position, "a2-a3 +a4")
    assert legal(position) == {"a7-a5", "a7-a6", "a7-a8", "a7-a9"}
