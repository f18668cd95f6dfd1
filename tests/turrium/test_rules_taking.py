"""Taking and placing cubes (TT-4 to TT-8, TT-16)."""

from __future__ import annotations

import pytest

from terrarium.errors import IllegalAction
from tests.turrium.drawn import (
    BLUE,
    GREEN,
    RED,
    at,
    cells,
    composed,
    is_legal,
    opened,
    play,
    put_back,
    refused,
    texts,
)

CORNERS = "a1 a2 b1 e1 e2 a5"  # red flags out of the way of the tests


def test_a_turn_is_taking_then_placing_then_moving() -> None:  # TT-4
    position = opened(flags=CORNERS)
    assert position.phase == "take"
    assert {text[0] for text in texts(position)} == {"-"}
    assert position.play("-c3").phase == "take"
    placing = play(position, "-c3 -c4 +d4")
    assert placing.phase == "place"
    assert {text[0] for text in texts(placing)} == {"+"}
    assert placing.play("+d4").phase == "move"


def test_placing_the_first_cube_ends_taking() -> None:  # TT-4
    position = play(opened(flags=CORNERS), "-c3 -c4")
    assert is_legal(position, "-c5")
    assert is_legal(position, "+c5")
    assert refused(position.play("+c5"), "-d5", "TT-4")


@pytest.mark.parametrize("action", ["+c3", "a1-a2", "a2-a3", "end"])
def test_nothing_is_placed_or_moved_before_taking(action: str) -> None:  # TT-4
    with pytest.raises(IllegalAction):
        opened(flags=CORNERS).play(action)


@pytest.mark.parametrize("action", ["a2-a3", "end", "@c3"])
def test_nothing_moves_before_every_cube_is_placed(action: str) -> None:  # TT-4, TT-8
    position = play(opened(flags=CORNERS), "-c3 -c4 +c3")
    with pytest.raises(IllegalAction):
        position.play(action)


def test_one_to_three_cubes_are_taken() -> None:  # TT-5
    position = play(opened(flags=CORNERS), "-c3 -c4 -b2")
    assert position.cubes_in_hand == 3
    assert position.phase == "place"
    assert refused(position, "-b3", "TT-5")


def test_a_seat_that_can_take_must_take() -> None:  # TT-5
    position = at("a1=1r a2=1r b1=1 j10=1")
    assert texts(position) == {"-b1", "-j10"}


def test_at_most_one_of_the_cubes_comes_from_all_enemies_together() -> None:  # TT-5
    position = opened(flags=CORNERS + " b8 i8").play("-a8")
    assert refused(position, "-j8", "TT-5")
    assert refused(position, "-a7", "TT-5")
    assert is_legal(position, "-c3")


def test_the_enemy_cube_may_come_last() -> None:  # TT-5
    position = play(opened(flags=CORNERS), "-c3 -c4")
    assert is_legal(position, "-j8")


def test_option_per_territory_allows_one_cube_from_each_enemy() -> None:  # TT-5
    position = opened(flags=CORNERS + " b8 i8 i1", enemy_takes="per_territory")
    position = position.play("-a8")
    assert refused(position, "-a7", "TT-5")
    position = position.play("-j8")
    assert refused(position, "-j7", "TT-5")
    assert is_legal(position, "-j2")
    assert play(position, "-j2").phase == "place"


@pytest.mark.parametrize(("takes", "legal"), [("total", False), ("per_territory", True)])
def test_in_a_duel_a_territory_is_a_quarter(takes: str, legal: bool) -> None:  # TT-2, TT-5
    position = at("c3=1r c4=1 c8=2 h8=1", players=2, enemy_takes=takes).play("-c8")
    assert is_legal(position, "-h8") == legal
    assert not is_legal(position, "-c8")


@pytest.mark.parametrize(("takes", "legal"), [("total", False), ("per_territory", True)])
def test_vacant_land_is_enemy_land(takes: str, legal: bool) -> None:  # TT-5
    position = at("b2=1r c2=1 i2=2 i9=1 f2=1 g3=1", players=3, enemy_takes=takes)
    assert cells("-", position) == {"c2", "i2", "i9", "f2", "g3"}
    position = position.play("-i2")
    assert is_legal(position, "-i9") == legal
    assert not is_legal(position, "-i2")
    assert not is_legal(position, "-f2")


def test_the_count_of_cubes_restarts_with_every_turn() -> None:  # TT-5
    position = at("a1=1r a3=1 a10=1b c10=1 j10=3")
    position = play(position, "-j10 +j10 end -j10 +j10 end")
    assert position.to_move == GREEN
    position = play(position, "-j10 -j10 -j10 +j10 +j10 +j10 end")
    assert is_legal(position, "-j10")


def test_a_resigned_seat_s_land_stays_enemy_land() -> None:  # TT-5, TT-19
    position = at("a1=1r a3=2 a10=2 e10=2").resign(BLUE).play("-a10")
    assert cells("-", position) == {"a3"}


def test_own_land_gives_any_free_cube_even_an_interior_one() -> None:  # TT-5
    assert is_legal(opened(flags=CORNERS), "-c3")
    assert is_legal(opened(flags=CORNERS), "-d4")


def test_nothing_is_taken_from_a_tower() -> None:  # TT-6
    position = opened(flags="c3 a8")
    assert refused(position, "-c3", "TT-6")
    assert refused(position, "-a8", "TT-6")


def test_cubes_come_off_the_top() -> None:  # TT-6
    position = opened(flags=CORNERS)
    assert position.heights["d4"] == 2
    assert position.play("-d4").heights["d4"] == 1
    assert play(position, "-d4 -d4").heights.get("d4", 0) == 0
    assert refused(play(position, "-d4 -d4"), "-d4", "TT-6")


def test_an_interior_construction_of_an_enemy_is_out_of_reach() -> None:  # TT-7
    position = opened(flags=CORNERS + " c8 b9 b7")
    assert is_legal(position, "-a8")
    assert refused(position, "-b8", "TT-7")


def test_a_construction_behind_an_emptied_cell_is_exterior() -> None:  # TT-7
    position = play(opened(flags=CORNERS + " c10 d10"), "-a8 +a9 end")
    while position.to_move != RED:
        position = put_back(position).play("end")
    assert is_legal(position, "-b8")
    position = play(position, "-c3 +a8 end")
    while position.to_move != RED:
        position = put_back(position).play("end")
    assert not is_legal(position, "-b8")


def test_a_tower_at_the_edge_keeps_the_construction_behind_it_interior() -> None:  # TT-7
    walls = "b6=1 b10=1 j8=1 b7=1 b9=1 c8=1"
    assert is_legal(at(f"c3=1r b8=1 {walls}"), "-b8")
    assert not is_legal(at(f"c3=1r b8=1 a8=1 {walls}"), "-b8")
    assert not is_legal(at(f"c3=1r b8=1 a8=1b {walls}"), "-b8")


@pytest.mark.parametrize("wall", ["g8=1", "j8=1", "g8=9", "h8=1r", "i8=1y"])
def test_any_construction_on_the_line_blocks_it_whatever_its_height_or_owner(
    wall: str,
) -> None:  # TT-7
    around = "c1=1r b8=1 a8=1 b7=1 b9=1"
    assert is_legal(at(around), "-b8")
    assert not is_legal(at(f"{around} {wall}"), "-b8")


@pytest.mark.parametrize("opening", ["a8", "e8", "c10", "c6"])
def test_one_open_line_of_the_four_is_enough(opening: str) -> None:  # TT-7
    walls = {"a8", "e8", "c10", "c6"} - {opening}
    position = at("e1=1r c8=1 " + " ".join(f"{cell}=1b" for cell in sorted(walls)))
    assert is_legal(position, "-c8")


def test_a_line_is_straight_and_never_diagonal() -> None:  # TT-7
    position = at("e1=1r a1=1 b9=1 a9=1b c9=1b b10=1b b8=1b")
    assert refused(position, "-b9", "TT-7")


def test_the_line_runs_to_the_edge_of_the_used_area() -> None:  # TT-1, TT-7
    position = at("c3=1r d3=1 c7=1 d7=1 c8=1b d8=1b e7=1b d6=1b", players=2)
    assert is_legal(position, "-c7")
    assert refused(position, "-d7", "TT-7")


def test_the_line_may_cross_any_land() -> None:  # TT-7
    position = at("a1=1r e1=1 c8=1 b8=1b c9=1b d8=1b")
    assert is_legal(position, "-c8")
    assert not is_legal(at("a1=1r e1=1 c8=1 b8=1b c9=1b d8=1b c2=1y"), "-c8")


def test_the_exterior_is_determined_again_at_every_take() -> None:  # TT-7
    position = at("a1=1r c8=1 b8=1b c9=1b d8=1b c2=2")
    assert not is_legal(position, "-c8")
    assert not is_legal(position.play("-c2"), "-c8")
    assert is_legal(play(position, "-c2 -c2"), "-c8")


def test_an_enemy_take_may_open_the_way_to_another_enemy() -> None:  # TT-5, TT-7
    drawing = "e1=1r e8=1 h8=1 h7=1g h9=1g j8=1g"
    position = at(drawing, enemy_takes="per_territory")
    assert not is_legal(position, "-h8")
    assert is_legal(position.play("-e8"), "-h8")
    assert not is_legal(at(drawing).play("-e8"), "-h8")


def test_a_cube_put_down_closes_the_line_of_a_later_turn() -> None:  # TT-7
    position = play(at("e1=1r a1=1 a9=1b b8=1 b7=1b b9=1b c8=1b j10=1g"), "-a1 +a8 end")
    while position.to_move != RED:
        position = put_back(position).play("end")
    assert cells("-", position) == {"a8"}


@pytest.mark.parametrize(("line", "legal"), [("orthogonal", False), ("path", True)])
def test_option_path_leads_around_corners_over_empty_cells(line: str, legal: bool) -> None:  # TT-7
    # row 9: b9 open, row 8: c8 between walls; the way out is c9, b9, b10
    position = at("e1=1r a1=1 c8=1 b8=1b d8=1b c7=1b c10=1b", line=line)
    assert is_legal(position, "-c8") == legal


@pytest.mark.parametrize("line", ["orthogonal", "path"])
def test_a_closed_pocket_has_no_path(line: str) -> None:  # TT-7
    position = at("e1=1r a1=1 c8=1 b8=1b d8=1b c7=1b b9=1b d9=1b c10=1b", line=line)
    assert refused(position, "-c8", "TT-7")


def test_a_path_never_runs_diagonally() -> None:  # TT-7
    position = at("e1=1r a1=1 b9=1 a9=1b c9=1b b10=1b b8=1b", line="path")
    assert not is_legal(position, "-b9")


def test_a_path_never_leaves_the_used_area() -> None:  # TT-1, TT-7
    position = at("c3=1r d3=1 d7=1 d8=1b c7=1b e7=1b d6=1b", players=2, line="path")
    assert not is_legal(position, "-d7")


def test_cubes_are_placed_on_empty_cells_or_free_constructions_anywhere() -> None:  # TT-8
    position = at("a1=1r a2=2 j10=1g f7=3").play("-a2")
    everywhere = {f"{x}{y}" for x in "abcdefghij" for y in range(1, 11)}
    assert cells("+", position) == everywhere - {"a1", "j10"}
    assert position.play("+f7").heights["f7"] == 4
    assert position.play("+e9").heights["e9"] == 1


def test_nothing_is_placed_on_a_tower() -> None:  # TT-8
    position = at("a1=1r a2=2 j10=1g f7=3").play("-a2")
    assert refused(position, "+a1", "TT-8")
    assert refused(position, "+j10", "TT-8")


def test_a_cube_may_return_where_it_came_from() -> None:  # TT-8
    position = at("a1=1r a2=1 c1=2")
    assert play(position, "-a2 +a2").heights == position.heights
    assert play(position, "-c1 +c1").heights == position.heights


def test_a_cube_may_be_placed_on_a_cell_emptied_by_another() -> None:  # TT-8
    position = play(at("a1=1r a3=1 c1=1 e1=1"), "-a3 -c1 +a3 +a3")
    assert position.heights["a3"] == 2
    assert position.heights.get("c1", 0) == 0


def test_every_cube_taken_must_be_placed() -> None:  # TT-8
    position = play(at("a1=1r a2=1 a3=3 j10=1"), "-a3 -a3 -a3")
    for left in (3, 2, 1):
        assert position.cubes_in_hand == left
        assert position.phase == "place"
        position = position.play("+j10")
    assert position.phase == "move"
    assert position.cubes_in_hand == 0


def test_there_is_no_limit_to_height() -> None:  # TT-8
    position = play(at("a1=1r a2=1 c3=99"), "-a2 +c3")
    assert position.heights["c3"] == 100


def test_the_same_cubes_in_another_order_make_the_same_position() -> None:
    position = opened(flags=CORNERS)
    one, two = play(position, "-c3 -a8 -d4"), play(position, "-d4 -c3 -a8")
    assert one == two
    assert hash(one) == hash(two)
    assert one.to_text() == two.to_text()
    one, two = play(position, "-c3 -d4 +a8 +c3"), play(position, "-d4 -c3 +c3 +a8")
    assert one == two


def test_where_the_cubes_came_from_no_longer_matters_once_one_is_placed() -> None:  # TT-4
    mine = at("a1=1r b2=1 j1=1 j2=1y")
    assert play(mine, "-b2 +c5") != play(mine, "-j1 +c5")
    two = at("a1=1r b2=2 j1=2 j2=1y")
    assert play(two, "-b2 -j1 +b2 +j1") == play(two, "-b2 +b2") == play(two, "-j1 +j1")


def test_a_seat_that_can_take_nothing_moves_at_once() -> None:  # TT-16
    position = at("e6=1r d5=1r d6=1 c6=1b d7=1b")  # d6 lies between four towers
    assert position.phase == "move"
    assert position.points_left == 5
    assert texts(position) == {"e6-d6", "d5-d6", "end"}
    assert refused(position, "-d6", "TT-7")


def test_a_seat_that_can_neither_take_nor_move_is_passed_over() -> None:  # TT-16
    reds = "a1=1r c1=1r e1=1r a3=1r c3=1r e3=1r"
    blues = "a10=1b c10=1b e10=1b a8=1b c8=1b e8=1b"
    greens = "h8=1 g8=1g i8=1g h7=1g h9=1g"  # only green can take h8
    assert composed(f"{reds} {blues} {greens}").to_move == GREEN
    assert composed(f"{reds} {blues} {greens} j1=1").to_move == RED
    position = play(at(f"{reds} {blues} {greens}", to_move=GREEN), "-h8 +h8 end")
    assert (position.to_move, position.rounds) == (GREEN, 1)


def test_after_the_second_cube_placing_follows_if_nothing_more_can_be_taken() -> None:  # TT-5
    position = play(at("a1=1r a2=1 b1=1"), "-a2 -b1")
    assert position.phase == "place"
    assert position.cubes_in_hand == 2
