"""The fifteen cases of the rules page, which include the two examples of the rule books."""

from __future__ import annotations

import pytest

from tests.nova.drawn import BLUE, GREEN, RED, legal, play, row, stones_of

EDITIONS = ("fr", "nl", "sv", "en")


def test_case_1_twelve_cells_of_two_landscapes_are_24_points_to_the_majority() -> None:  # TN-17, 18
    position = row("AAAAAABBBBBBCDEFG", "b2 b5 r8 b17", to_move=BLUE)
    position = play(position, "a17-a14 +a13")
    assert position.scores == (0, 24)
    assert dict(position.pioneers) == {"a14": BLUE}


def test_case_2_seven_cells_of_one_landscape_shared_by_two_are_10_each() -> None:  # TN-18
    position = row("AAAAAAABCDEF", "b3 r5 b12", to_move=BLUE)
    assert play(position, "a12-a9 +a8").scores == (10, 10)


def test_case_3_both_sides_score_the_third_action_is_forfeited_and_all_is_divided() -> None:
    position = play(row("AAABCDE", "r1 b7", to_move=BLUE), "a7-a5 +a4")
    assert position.scores == (9, 3)
    assert position.outcome is not None
    assert position.outcome.reason == "divided"
    assert position.outcome.winners == (RED,)


def test_case_4_four_landscapes_on_either_side_do_not_score() -> None:  # TN-16, TN-20
    position = play(row("ABCDAEFGH", "r1 b9", to_move=BLUE), "a9-a6 +a5 a6-a7")
    assert position.scores == (0, 0)
    assert not position.dead
    assert position.to_move == RED


def test_case_5_a_cell_with_nobody_inside_dies_and_nobody_scores_it() -> None:  # TN-18
    position = play(row("ABCDAEFGH", "r1 b9", to_move=BLUE), "a9-a6 +a5 a6-a7", "a1-a2 +a3")
    assert position.scores == (4, 0)
    assert set(position.dead) == {"a1", "a2", "a4"}


def test_case_6_landscapes_drop_to_three_and_score_though_nothing_was_divided() -> None:  # TN-16
    assert play(row("AABBCCD", "r3 b1"), "a3-a6 +a7").scores == (3, 3)


def test_case_7_no_stone_goes_next_to_a_removed_pioneer_so_another_must_move() -> None:  # TN-13
    position = play(row("AAABCDEF", "b1 b8 r6", to_move=BLUE), "a1-a3 +a4")
    assert position.scores == (0, 9)
    assert position.to_move == BLUE
    assert legal(position) == {"a8-a7"}


def test_case_8_stones_go_next_to_where_the_pioneer_stands_now() -> None:  # TN-13
    position = play(row("AAABCDEF", "r1 b8"), "a1-a3 a3-a2")
    assert stones_of(position) == {"a1", "a3"}


def test_case_9_stones_go_next_to_either_of_two_moved_pioneers() -> None:  # TN-13
    position = play(row("ABCDEFGH", "r1 r8 b4"), "a1-a2 a8-a6")
    assert stones_of(position) == {"a1", "a3", "a5", "a7"}


@pytest.mark.parametrize("edition", EDITIONS)
def test_case_10_three_moves_of_one_pioneer_never_end_where_it_started(edition: str) -> None:
    position = play(row("ABCDEFGH", "r3 b8", edition=edition), "a3-a4 a4-a5")
    assert "a5-a3" not in legal(position)
    assert "a5-a4" in legal(position)


def test_case_11_there_and_back_and_a_stone_is_legal_in_fr() -> None:  # TN-12
    position = play(row("ABCDEFGH", "r3 b8", edition="fr"), "a3-a4 a4-a3")
    assert "a2" in stones_of(position)


def test_case_11_there_and_back_may_not_end_the_turn_in_sv() -> None:  # TN-12
    position = play(row("ABCDEFGH", "r3 b8", edition="sv"), "a3-a4 a4-a3")
    assert stones_of(position) == {"a4"}  # it scores a1 to a3 and removes the pioneer


def test_case_11_there_and_back_is_illegal_at_once_in_en() -> None:  # TN-12
    position = play(row("ABCDEFGH", "r3 b8", edition="en"), "a3-a4")
    assert "a4-a3" not in legal(position)


def test_case_12_a_player_who_cannot_move_passes_and_may_play_again_later() -> None:  # TN-9
    position = row("ABCDEFGH", "r1 b2 g8", to_move=RED)
    assert position.to_move == BLUE
    position = play(position, "a2-a5 a5-a4 a4-a3")
    assert position.to_move == GREEN
    position = play(position, "a8-a7 a7-a6 a6-a5")
    assert position.to_move == RED
    assert legal(position) == {"a1-a2"}


def test_case_13_it_ends_when_at_most_one_player_is_able_to_move() -> None:  # TN-23
    position = play(row("ABCDEFGH", "r1 b4 b8", to_move=BLUE), "a4-a2 a8-a7 a7-a6")
    assert position.outcome is not None
    assert position.outcome.reason == "blocked"
    assert position.outcome.winners == (RED, BLUE)
    assert position.outcome.scores == (0, 0)


@pytest.mark.parametrize("edition", EDITIONS)
def test_case_14_a_player_without_pioneers_ends_the_game_in_en_only(edition: str) -> None:  # TN-24
    position = row("AAABCDEFGH", "r2 b8 g10", to_move=BLUE, edition=edition)
    position = play(position, "a8-a5 +a4 a5-a6")
    assert position.scores == (9, 0, 0)
    assert RED not in dict(position.pioneers).values()
    if edition == "en":
        assert position.outcome is not None
        assert position.outcome.reason == "depleted"
    else:
        assert position.outcome is None
        assert position.to_move == GREEN
        assert play(position, "a10-a9 a9-a8 a8-a7").to_move == BLUE  # red passes


def test_case_15_three_tied_for_most_divide_ten_points_in_three_each() -> None:  # TN-18
    assert play(row("AAABBCDEFG", "r1 b2 g3 r10"), "a10-a7 +a6").scores == (3, 3, 3)
