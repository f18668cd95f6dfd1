"""The cases of the rules page: with four players and the initial cubes, unless a test sets others."""

from __future__ import annotations

import pytest

from terrarium import turrium
from terrarium.errors import InvalidAction
from tests.turrium.drawn import (
    BLUE,
    GREEN,
    LAST_STEP,
    NEARLY,
    RED,
    YELLOW,
    at,
    is_legal,
    moving,
    opened,
    play,
    put_back,
    refused,
    won,
)

AWAY = "a1 a2 b1 e1 e2 a5"  # red flags that leave c3, c4 and b2 free


@pytest.mark.parametrize(("players", "cubes"), [(4, 116), (3, 80), (2, 36)])
def test_cubes_at_set_up(players: int, cubes: int) -> None:
    assert sum(turrium.start(turrium.Rules(players=players)).heights.values()) == cubes


def test_a_seventh_flag_is_refused() -> None:
    position = play(turrium.start(turrium.Rules(players=4)), "@a1 @a2 @b1 @e1 @e2 @a5")
    assert refused(position, "@c3", "TT-3")


def test_own_c3_c4_and_b2_may_be_taken_together_and_a_fourth_not() -> None:
    position = play(opened(flags=AWAY), "-c3 -c4 -b2")
    assert position.cubes_in_hand == 3
    assert refused(position, "-d4", "TT-5")


def test_a8_and_j8_of_two_enemies_together() -> None:
    assert refused(opened(flags=AWAY).play("-a8"), "-j8", "TT-5")
    assert refused(opened(flags=AWAY).play("-j8"), "-a8", "TT-5")
    each = opened(flags=AWAY, enemy_takes="per_territory")
    assert play(each, "-a8 -j8").cubes_in_hand == 2


def test_b8_is_interior_until_a8_is_empty_and_again_while_a8_bears_a_flag() -> None:
    position = opened(flags=AWAY)
    assert refused(position, "-b8", "TT-7")
    assert is_legal(position, "-a8")
    after = play(position, "-a8 +c3 end")
    while after.to_move != RED:
        after = put_back(after).play("end")
    assert is_legal(after, "-b8")
    assert refused(opened(flags=AWAY + " a8"), "-b8", "TT-7")


def test_neither_take_from_nor_place_on_a_tower() -> None:
    position = opened(flags="c3")
    assert refused(position, "-c3", "TT-6")
    assert refused(position.play("-b2"), "+c3", "TT-8")


def test_steps_by_height_direction_and_ground() -> None:
    # c3 bears a flag on 1; e5 one on 3
    position = moving("c3=1r c4=2 d3=3 d4=1 e5=3r e4=1 a1=1")
    assert is_legal(position, "c3-c4")
    assert refused(position, "c3-d3", "TT-10")
    assert refused(position, "e5-e4", "TT-10")
    assert refused(position, "c3-b3", "TT-10")
    with pytest.raises(InvalidAction, match="c3-d4"):
        position.play("c3-d4")  # no action goes diagonally


@pytest.mark.parametrize(("height", "cost"), [(2, 1), (3, 2), (4, 3)])
def test_captures_cost_one_two_or_three(height: int, cost: int) -> None:
    position = moving(f"c3=3r c4={height}b a1=1")
    assert position.play("c3xc4").points_left == 5 - cost


def test_with_one_point_left_an_equal_capture_is_illegal_and_a_lower_one_legal() -> None:
    position = moving("c3=3r c4=2b b3=3b a1=1r b1=1 e1=1")
    position = play(position, "a1-b1 b1-a1 a1-b1 b1-a1")
    assert position.points_left == 1
    assert refused(position, "c3xb3", "TT-11")
    assert is_legal(position, "c3xc4")


def test_captures_in_nw_in_ne_and_at_home_in_one_turn_add_one_attack() -> None:
    position = moving("e6=2r e7=1b f5=2r f6=1b d5=2r d4=1b a1=1", attacks=(3, 0, 0, 0))
    assert play(position, "e6xe7 f5xf6 d5xd4").attacks == (4, 0, 0, 0)


def test_after_five_attacks_captures_on_enemy_land_are_illegal_and_at_home_legal() -> None:
    position = moving("e5=2r e6=1b d5=2r d4=1b a1=1", attacks=(5, 0, 0, 0))
    assert refused(position, "e5xe6", "TT-12")
    assert is_legal(position, "d5xd4")


def test_a_captured_flag_may_enter_a_free_exterior_six_high_for_one_point() -> None:
    position = play(moving("c3=2r c4=1b a1=1 h10=6 h9=5 e10=1 e9=1b"), "c3xc4 end")
    position = put_back(position).play("@h10")
    assert position.points_left == 4
    assert position.flags["h10"] == BLUE


def test_heights_one_to_five_and_seven_do_not_win() -> None:
    drawing = NEARLY[YELLOW].replace("i5=5y", "i5=7y").replace("h5=6", "h5=7")
    assert moving(drawing, to_move=YELLOW).play("end").outcome is None


def test_if_the_second_of_four_wins_the_third_and_fourth_play_once_more_and_the_first_does_not() -> (
    None
):
    position = moving(" ".join(NEARLY.values()), to_move=BLUE)
    position = play(position, f"{LAST_STEP[BLUE]} end")
    assert position.to_move == GREEN
    position = put_back(position).play("end")
    assert position.to_move == YELLOW
    position = put_back(position).play("end")
    assert won(position) == (BLUE,)


def test_options_that_do_not_concern_the_number_of_players_are_ignored() -> None:
    plain = opened(4)
    other = opened(4, two_player_area=8, two_player_sides="opposite", vacant_attack=False)
    assert plain.heights == other.heights
    assert {str(a) for a in plain.legal_actions()} == {str(a) for a in other.legal_actions()}
    assert at("c3=1r c4=1", players=2, vacant_attack=False).to_move == RED
