"""Moving, capturing, re-entering (TT-9 to TT-13)."""

from __future__ import annotations

import pytest

from tests.turrium.drawn import (
    BLUE,
    GREEN,
    RED,
    at,
    cells,
    is_legal,
    moving,
    play,
    put_back,
    refused,
    texts,
)

ROW = "a1=1r b1=1 c1=1 d1=1 e1=1 e2=1 e3=1"


def test_five_points_are_spent_a_step_at_a_time() -> None:  # TT-9
    position = moving(ROW)
    for left, action in zip(
        (5, 4, 3, 2, 1), ["a1-b1", "b1-c1", "c1-d1", "d1-e1", "e1-e2"], strict=True
    ):
        assert (position.to_move, position.points_left) == (RED, left)
        position = position.play(action)
    assert position.to_move == BLUE


def test_the_points_are_shared_among_own_flags() -> None:  # TT-9
    position = play(moving("a1=1r b1=1 a3=1r b3=1 c3=1 e5=1"), "a1-b1 a3-b3 b1-a1 b3-c3")
    assert position.points_left == 1
    assert position.flags == {"a1": RED, "c3": RED}


def test_points_need_not_be_spent() -> None:  # TT-9
    position = moving(ROW)
    assert position.play("end").to_move == BLUE
    assert position.play("end").flags == position.flags


def test_unspent_points_are_lost() -> None:  # TT-9
    position = play(moving("a1=1r b1=1 j1=1 a10=1b", players=4), "a1-b1 end")
    while position.to_move != RED:
        position = put_back(position).play("end")
    assert put_back(position).points_left == 5


def test_the_turn_ends_automatically_when_no_move_is_possible() -> None:  # TT-9
    alone = "a1=1r a3=1r c1=1r c3=1r e1=1r e3=1r e5=1"
    position = play(at(alone), "-e5 +e5")
    assert position.to_move != RED
    beside = play(at(f"{alone} j10=1b"), "-e5 +e4")
    assert beside.to_move == RED
    assert texts(beside) == {"e3-e4", "end"}


@pytest.mark.parametrize(
    ("height", "legal"), [(1, False), (2, True), (3, True), (4, True), (5, False)]
)
def test_a_step_climbs_or_descends_one_cube_at_most(height: int, legal: bool) -> None:  # TT-10
    position = moving(f"c3=3r c4={height} a1=1")
    assert is_legal(position, "c3-c4") == legal
    assert legal or refused(position, "c3-c4", "TT-10")


def test_from_height_one_a_step_leads_to_two_but_not_to_three() -> None:  # TT-10
    position = moving("c3=1r c4=2 c2=3 a1=1")
    assert is_legal(position, "c3-c4")
    assert refused(position, "c3-c2", "TT-10")
    assert refused(moving("c3=3r c4=1 a1=1"), "c3-c4", "TT-10")


def test_a_step_goes_to_one_of_the_four_cells_around() -> None:  # TT-10
    around = "b3=1 d3=1 c2=1 c4=1 b2=1 b4=1 d2=1 d4=1 c5=1 e3=1"
    steps = {text for text in texts(moving(f"c3=1r {around}")) if text.startswith("c3")}
    assert steps == {"c3-b3", "c3-d3", "c3-c2", "c3-c4"}


def test_a_step_ends_on_a_construction_never_on_an_empty_cell() -> None:  # TT-10
    assert refused(moving("c3=1r d3=1 a1=1"), "c3-c4", "TT-10")


def test_there_is_no_step_over_the_edge_or_around_it() -> None:  # TT-10
    position = moving("j5=1r a6=1 a5=1 a4=1 i5=1 j1=1")
    assert {text for text in texts(position) if text.startswith("j5")} == {"j5-i5"}
    position = moving("c3=1r d3=1 h4=1 h3=1 h8=1", players=2)
    assert {text for text in texts(position) if text.startswith("c3")} == {"c3-d3"}


def test_a_construction_bears_one_flag_and_none_can_be_passed() -> None:  # TT-10
    position = moving("a1=1r b1=1r c1=1 a2=1b a3=1 e5=1", attacks=(5, 0, 0, 0))
    assert not is_legal(position, "a1-b1")
    assert not is_legal(position, "a1xb1")
    assert {text for text in texts(position) if text.startswith("a1")} == {"a1xa2"}
    assert {text for text in texts(position) if text.startswith("b1")} == {"b1-c1"}


def test_flags_may_stand_on_any_territory() -> None:  # TT-10
    position = play(moving("e5=1r f5=1 f6=1 e6=1 a1=1"), "e5-f5 f5-f6 f6-e6 e6-e5")
    assert position.flags == {"e5": RED}


def test_flags_may_stand_on_vacant_land() -> None:  # TT-2, TT-10
    assert play(moving("e5=1r f5=1 b2=1", players=3), "e5-f5").flags == {"f5": RED}


def test_a_freed_construction_can_be_taken_and_stepped_on_again() -> None:  # TT-10
    position = play(moving("a1=1r b1=1 a2=1r a3=1"), "a1-b1 a2-a1")
    assert position.flags == {"b1": RED, "a1": RED}


@pytest.mark.parametrize(("height", "cost"), [(2, 1), (3, 2), (4, 3)])
def test_a_capture_costs_one_two_or_three(height: int, cost: int) -> None:  # TT-11
    position = moving(f"c3=3r c4={height}b a1=1").play("c3xc4")
    assert position.points_left == 5 - cost
    assert position.flags == {"c4": RED}
    assert position.hand[BLUE] == 6


@pytest.mark.parametrize("height", [1, 5])
def test_the_step_limit_holds_for_captures(height: int) -> None:  # TT-11
    assert refused(moving(f"c3=3r c4={height}b a1=1"), "c3xc4", "TT-10")


@pytest.mark.parametrize(
    ("points", "legal"),
    [(1, {"lower"}), (2, {"lower", "equal"}), (3, {"lower", "equal", "higher"})],
)
def test_a_capture_needs_all_its_points(points: int, legal: set[str]) -> None:  # TT-11
    position = moving("c3=3r c4=2b b3=3b c2=4b a1=1r b1=1 e1=1")
    for step in ("a1-b1", "b1-a1", "a1-b1", "b1-a1")[: 5 - points]:
        position = position.play(step)
    captures = {"lower": "c3xc4", "equal": "c3xb3", "higher": "c3xc2"}
    assert position.points_left == points
    assert {key for key, action in captures.items() if is_legal(position, action)} == legal
    for key in captures.keys() - legal:
        assert refused(position, captures[key], "TT-11")


def test_a_capture_is_not_a_step_and_a_step_is_not_a_capture() -> None:  # TT-11
    position = moving("c3=1r c4=1b b3=1 a1=1")
    assert refused(position, "c3-c4", "TT-10")
    assert refused(position, "c3xb3", "TT-11")


def test_a_flag_may_make_several_captures_in_a_turn() -> None:  # TT-11
    position = play(moving("c3=3r c4=2b c5=1g d5=1 a1=1"), "c3xc4 c4xc5 c5-d5")
    assert position.hand[:3] == (5, 6, 6)
    assert position.points_left == 2
    assert position.captures[RED] == 2


def test_a_resigned_seat_s_flags_may_be_captured() -> None:  # TT-11, TT-19
    position = put_back(at("c3=2r c4=1b a1=1").resign(BLUE)).play("c3xc4")
    assert position.hand[BLUE] == 6


def test_a_capture_at_home_is_defence() -> None:  # TT-12
    position = moving("c3=2r c4=1b a1=1").play("c3xc4")
    assert position.attacks == (0, 0, 0, 0)
    assert position.captures == (1, 0, 0, 0)


def test_a_capture_on_any_other_land_is_an_attack() -> None:  # TT-12
    assert moving("e5=2r e6=1b a1=1").play("e5xe6").attacks == (1, 0, 0, 0)
    assert moving("e6=2r f6=1b a1=1").play("e6xf6").attacks == (1, 0, 0, 0)


def test_the_land_of_the_captured_flag_decides_not_that_of_the_captor() -> None:  # TT-12
    assert moving("e6=2r e5=1b a1=1").play("e6xe5").attacks == (0, 0, 0, 0)
    assert moving("e5=2r e6=1g a1=1").play("e5xe6").attacks == (1, 0, 0, 0)


def test_the_attacks_of_one_turn_count_as_one() -> None:  # TT-12
    position = moving("e6=3r f6=2b e7=2b e5=3r d5=2b a1=1")
    position = play(position, "e6xe7 e5xd5")
    assert position.attacks == (1, 0, 0, 0)
    both = moving("e6=2r e7=1b f5=2r f6=1b d5=2r d4=1b a1=1")
    both = play(both, "e6xe7 f5xf6 d5xd4")  # NW, NE and at home
    assert both.attacks == (1, 0, 0, 0)
    assert both.captures == (3, 0, 0, 0)


def test_after_five_attacking_turns_only_defence_is_left() -> None:  # TT-12
    position = moving("e5=2r e6=1b d5=2r d4=1b a1=1", attacks=(5, 0, 0, 0))
    assert refused(position, "e5xe6", "TT-12")
    assert is_legal(position, "d5xd4")


def test_the_fifth_attacking_turn_may_contain_several_attacks() -> None:  # TT-12
    position = moving("e6=3r e7=2b e8=1b a1=1", attacks=(4, 0, 0, 0)).play("e6xe7")
    assert position.attacks[RED] == 5
    position = position.play("e7xe8")
    assert position.attacks[RED] == 5
    assert position.captures[RED] == 2


def test_five_attacks_are_counted_in_turns_and_the_sixth_is_refused() -> None:  # TT-12
    chain = " ".join(f"{cell}=1b" for cell in ("e7", "e8", "e9", "e10", "d10", "c10"))
    position = at(f"e6=2r a1=1 e7=1b j10=1g {chain}")
    position = put_back(position)
    for turn, action in enumerate(("e6xe7", "e7xe8", "e8xe9", "e9xe10", "e10xd10")):
        position = position.play(action)
        assert position.attacks[RED] == turn + 1
        position = position.play("end")
        while position.to_move != RED:
            position = put_back(position).play("end")
        position = put_back(position)
    assert refused(position, "d10xc10", "TT-12")


def test_the_limit_is_each_player_s_own() -> None:  # TT-12
    position = moving("e6=2b e5=1r a10=1", to_move=BLUE, attacks=(5, 4, 0, 0))
    assert position.play("e6xe5").attacks == (5, 5, 0, 0)


def test_vacant_land_counts_as_enemy_land_for_attacks() -> None:  # TT-12
    drawing = "f5=2r f4=1b b2=1"
    assert moving(drawing, players=3).play("f5xf4").attacks == (1, 0, 0)
    assert refused(moving(drawing, players=3, attacks=(5, 0, 0)), "f5xf4", "TT-12")


def test_option_vacant_attack_leaves_captures_on_vacant_land_uncounted() -> None:  # TT-12
    drawing = "f5=3r f4=2b f3=1b e5=2r e6=1b b2=1"
    position = moving(drawing, players=3, attacks=(5, 0, 0), vacant_attack=False)
    assert not is_legal(position, "e5xe6")
    position = play(position, "f5xf4 f4xf3")
    assert position.attacks == (5, 0, 0)
    assert position.captures == (2, 0, 0)


def test_option_vacant_attack_changes_nothing_without_vacant_land() -> None:  # TT-12
    assert moving("e5=2r e6=1b a1=1", vacant_attack=False).play("e5xe6").attacks[RED] == 1


@pytest.mark.parametrize(("sides", "attacks"), [("adjacent", 0), ("opposite", 1)])
def test_in_a_duel_home_is_both_own_quarters(sides: str, attacks: int) -> None:  # TT-2, TT-12
    position = moving("f5=2r f4=1b c3=1", players=2, two_player_sides=sides)
    assert position.play("f5xf4").attacks[RED] == attacks


def test_a_captured_flag_returns_to_its_owner() -> None:  # TT-13
    position = moving("c3=2r c4=1b a1=1").play("c3xc4")
    assert position.hand == (5, 6, 6, 6)


def test_a_captured_flag_re_enters_for_one_point_on_any_free_exterior_construction() -> None:
    # TT-13
    blues = "a10=1b b10=1b c10=1b d10=1b e10=1b"
    position = moving(f"{blues} j3=6 b8=1 i3=1 h3=1r f2=3 g2=9y a1=2r a9=1", to_move=BLUE)
    assert position.hand[BLUE] == 1
    assert cells("@", position) == {"j3", "b8", "i3", "f2", "a9"}
    entered = position.play("@j3")
    assert entered.points_left == 4
    assert entered.hand[BLUE] == 0
    assert entered.flags["j3"] == BLUE


def test_a_flag_does_not_re_enter_on_a_tower_an_empty_cell_or_an_interior_construction() -> None:
    # TT-13
    position = moving("a1=1r a2=1 c8=1 b8=1 d8=1 c9=1 c7=1", to_move=RED)
    assert refused(position, "@a1", "TT-13")
    assert refused(position, "@e5", "TT-13")
    assert refused(position, "@c8", "TT-13")


def test_a_flag_re_enters_only_in_the_move_phase() -> None:  # TT-13
    position = at("a1=1r a2=1 c1=1")
    assert refused(position, "@c1", "TT-4")
    assert refused(position.play("-a2"), "@c1", "TT-4")


def test_without_a_flag_in_hand_there_is_no_re_entry() -> None:  # TT-13
    position = moving("a1=1r b1=1r c1=1r d1=1r e1=1r e2=1r e3=1 a5=1")
    assert refused(position, "@a5", "TT-13")


def test_a_re_entered_flag_may_move_on_and_capture() -> None:  # TT-13
    position = play(moving("a1=1r a5=3 b5=2 b6=1b"), "@a5 a5-b5 b5xb6")
    assert position.flags["b6"] == RED
    assert position.points_left == 2
    assert position.attacks[RED] == 1


def test_several_flags_may_re_enter_in_one_turn_while_points_last() -> None:  # TT-13
    position = moving("a1=1 b1=1 c1=1 d1=1 e1=1 e2=1")
    position = play(position, "@a1 @b1 @c1 @d1 @e1")
    assert position.to_move != RED
    assert position.hand[RED] == 1


def test_a_re_entered_flag_blocks_lines_only_as_its_construction_did() -> None:  # TT-7, TT-13
    position = moving("b1=1 b2=1 a2=1 c2=1 b3=1")
    assert cells("@", position) == {"b1", "a2", "c2", "b3"}
    assert cells("@", position.play("@a2")) == {"b1", "c2", "b3"}


@pytest.mark.parametrize(("line", "legal"), [("orthogonal", False), ("path", True)])
def test_option_path_decides_where_flags_re_enter(line: str, legal: bool) -> None:  # TT-7, TT-13
    position = moving("a1=1 c8=1 b8=1b d8=1b c7=1b c10=1b", line=line)
    assert is_legal(position, "@c8") == legal


def test_a_flag_captured_now_re_enters_in_its_owner_s_next_turn() -> None:  # TT-13
    position = play(moving("c3=2r c4=1b a1=1 e10=1 e9=1b"), "c3xc4 end")
    assert position.to_move == BLUE
    position = put_back(position)
    assert is_legal(position, "@e10")
    assert position.play("@e10").hand[BLUE] == 4


def test_a_capture_can_be_answered_at_once() -> None:  # TT-11, TT-13
    position = play(moving("e5=2r e6=1b a1=1 e10=1"), "e5xe6 end")
    position = put_back(position)
    position = play(position, "@e10 end")
    assert position.to_move == GREEN
    assert position.flags == {"e6": RED, "e10": BLUE}
