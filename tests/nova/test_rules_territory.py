"""Stones, regions and their points (TN-14 .. TN-21)."""

from __future__ import annotations

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction
from tests.nova.drawn import BLUE, GREEN, RED, drawn, legal, moves_of, play, row, stones_of

STAR = """
A
 A
  A
   D B B B
  C
 C
C
"""
"""Three arms of three cells that meet in d4: a1 b2 c3, d5 d6 d7, e4 f4 g4."""

BLOCK = """
A A A B
 A B B B
C C A A
 C C A E
"""
"""Rows a1 to a4, b2 to b5, c2 to c5, d3 to d6; d6 is the only E."""


def test_stones_are_permanent_and_a_covered_cell_is_not_a_space() -> None:  # TN-14
    position = play(row("ABCDEFGHIJKL", "r5 b11"), "a5-a6 +a5 a6-a7", "a11-a10 a10-a9 a9-a10")
    assert position.stones == ("a5",)
    assert not [move for move in moves_of(position) if move.endswith(("-a5", "-a4"))]
    position = position.play("a7-a6")
    assert "a5" not in stones_of(position)


def test_a_covered_cell_no_longer_counts_as_a_landscape() -> None:  # TN-14
    # a4 was the only D on the left: three landscapes remain there.
    position = play(row("ABCDEFGHI", "r1 b7", to_move=BLUE), "a7-a5 +a4")
    assert position.scores == (3, 0)
    assert set(position.dead) == {"a1", "a2", "a3"}


def test_the_edge_of_the_board_is_border() -> None:  # TN-15
    position = play(row("AAABCDEF", "r1 b8", to_move=BLUE), "a8-a5 +a4")
    assert position.scores == (9, 0)


def test_a_gap_in_the_island_is_border_too() -> None:  # TN-15
    # The stones on c2 and a1 cut the ring around the hole into two.
    ring = " A B\nC . D\n E F"
    position = drawn(ring, "rb3 bb1 sc2", to_move=RED)
    position = play(position, "b3-a2 +a1")
    assert position.scores == (3, 3)  # a2 b3 c3 hold B D F, b1 alone is C
    assert position.outcome is not None


def test_pioneers_are_not_walls() -> None:  # TN-15
    # Blue's pioneer on a5 is between a1 to a4 and the rest: the region continues behind it.
    position = play(row("AABBCDEFGHIJ", "r1 b5 b12", to_move=BLUE), "a12-a9 +a10")
    assert position.scores == (0, 0)
    # a1 to a9 have 7 landscapes and stay in play; a11 and a12 die with nobody in them.
    assert set(position.dead) == {"a11", "a12"}


def test_a_move_scores_nothing_even_into_a_small_region() -> None:  # TN-16
    # The region a1-a4 is enclosed already and holds two landscapes; only a stone beside it scores.
    position = row("AABBCDEFGHI", "r1 s5 b8 b11")
    position = play(position, "a1-a2 a2-a3 a3-a4")
    assert position.scores == (0, 0)
    assert position.dead == ()


def test_only_regions_next_to_the_new_stone_can_score() -> None:  # TN-16
    position = row("AABBCDEFGHIJ", "r1 s5 b8 b12", to_move=BLUE)
    position = play(position, "a8-a9 +a8")
    assert set(position.dead) == {"a6", "a7"}  # and not a1 to a4, though they hold two landscapes


def test_a_small_region_set_up_before_scores_with_the_next_stone_beside_it() -> None:  # TN-16
    # The stone neither divides the region nor covers the last cell of a landscape; a2 to a4 have at most three landscapes.
    position = play(row("AABBCDEFGHI", "r1 s5 b8 b11"), "a1-a2 +a1")
    assert position.scores == (6, 0)
    assert set(position.dead) == {"a2", "a3", "a4"}


def test_a_stone_scores_every_territory_it_completes_at_once() -> None:  # TN-16
    position = row("AAABCDEFGGG", "r1 b8 r11", to_move=BLUE)
    position = position.play("a8-a5")
    after = position.play("+a4")
    assert after.scores == (9, 0)  # at once, before the turn is over
    assert after.to_move == BLUE


def test_both_sides_of_the_stone_score_if_both_qualify() -> None:  # TN-16
    position = play(row("AABBCDDEE", "r1 b9", to_move=BLUE), "a9-a6 +a5")
    assert position.scores == (8, 8)


def test_one_side_scores_while_the_other_stays_in_play() -> None:  # TN-16, TN-20
    position = play(row("AABBCDEFG", "r1 b9", to_move=BLUE), "a9-a6 +a5")
    assert position.scores == (8, 0)
    assert set(position.dead) == {"a1", "a2", "a3", "a4"}
    assert position.to_move == BLUE


def test_three_sides_of_the_stone_score_if_all_qualify() -> None:  # TN-16
    position = drawn(STAR, "ra1 bd7 rg4 bf4", to_move=BLUE)
    position = play(position, "d7-d5 +d4")
    assert position.scores == (9 + 4, 9 + 4)  # a: red's, d: blue's, e to g: shared
    assert position.outcome is not None
    assert position.outcome.reason == "divided"


def test_of_three_sides_only_qualifying_ones_score() -> None:  # TN-16
    star = STAR.replace("D B B B", "D B E F G")
    position = play(drawn(star, "ra1 bd8 rd6", to_move=BLUE), "d8-d7")
    assert not stones_of(position) & {"d4"}
    position = play(drawn(star, "ra1 bd7 rd8", to_move=BLUE), "d7-d5 +d4")
    assert position.scores == (9, 0)
    assert set(position.dead) == {"a1", "b2", "c3", "e4", "f4", "g4"}


def test_a_region_that_nothing_divided_scores_when_its_landscapes_drop_to_three() -> None:  # TN-16
    # d6, in a corner, is the only E; its neighbours c5 and d5 are adjacent.
    position = play(drawn(BLOCK, "ra1 bd3", to_move=BLUE), "d3-d5 +d6")
    assert position.scores == (7, 7)  # 15 cells of three landscapes
    assert position.outcome is not None
    assert position.outcome.reason == "divided"


def test_a_region_whose_landscapes_drop_to_four_does_not_score() -> None:  # TN-16, TN-20
    block = BLOCK.replace("A A A B", "A A A F")
    position = play(drawn(block, "ra1 bd3", to_move=BLUE), "d3-d5 +d6")
    assert position.scores == (0, 0)
    assert position.dead == ()


def test_covering_one_of_two_cells_of_a_landscape_drops_nothing() -> None:  # TN-16
    position = play(row("AABBCCDD", "r3 b1"), "a3-a7 +a8")
    assert position.scores == (0, 0)
    assert position.dead == ()


@pytest.mark.parametrize(
    ("landscapes", "worth"), [("AAAAAA", 18), ("AAABBB", 12), ("AABBCC", 6), ("ABCABC", 6)]
)
def test_a_territory_pays_three_two_or_one_point_a_cell(
    landscapes: str, worth: int
) -> None:  # TN-17
    position = row(landscapes + "DEFGHI", "r2 b12", to_move=BLUE)
    assert play(position, "a12-a8 +a7").scores == (worth, 0)


def test_most_pioneers_inside_takes_all() -> None:  # TN-18
    position = row("AAAAAABCDEFG", "r1 r3 b2 b12", to_move=BLUE)
    assert play(position, "a12-a8 +a7").scores == (18, 0)


@pytest.mark.parametrize(
    ("inside", "scores"),
    [
        ("r1", (10, 0, 0, 0)),
        ("r1 b2", (5, 5, 0, 0)),
        ("r1 b2 g3", (3, 3, 3, 0)),
        ("r1 b2 g3 y4", (2, 2, 2, 2)),
        ("r1 r2 b3 b4 g5", (5, 5, 0, 0)),
        ("r1 r2 b3 g4 y5", (10, 0, 0, 0)),
        ("b1 g2 y3", (0, 3, 3, 3)),
        ("", (0, 0, 0, 0)),
    ],
)
def test_players_tied_for_most_divide_the_points_rounded_down(
    inside: str, scores: tuple[int, ...]
) -> None:  # TN-18
    # Five cells of two landscapes are ten points.
    position = row("AAABBCDEFGHIJKLM", f"{inside} r12 g14 y16", players=4)
    assert play(position, "a12-a7 +a6").scores == scores


def test_it_does_not_matter_who_placed_the_stone() -> None:  # TN-18
    for mover, outside in ((RED, "r10 b13"), (BLUE, "b10 r13")):
        position = row("AAAAAABCDEFGH", f"r1 r3 b2 {outside}", to_move=mover)
        assert play(position, "a10-a8 +a7").scores == (18, 0)


def test_with_no_pioneers_inside_nobody_scores_and_the_cells_are_dead() -> None:  # TN-18
    position = play(row("AAABCDEFGHIJ", "r7 b10"), "a7-a5 +a4")
    assert position.scores == (0, 0)
    assert set(position.dead) == {"a1", "a2", "a3"}


def test_all_pioneers_inside_leave_the_game_and_the_cells_are_dead() -> None:  # TN-19
    position = row("AAABCDEFGHIJ", "r1 b2 b3 r7 b10")
    position = play(position, "a7-a5 +a4")
    assert dict(position.pioneers) == {"a5": RED, "a10": BLUE}
    assert set(position.dead) == {"a1", "a2", "a3"}
    assert position.hand == (0, 0)
    assert position.scores == (0, 9)


def test_a_dead_cell_is_never_used_again() -> None:  # TN-19
    position = row("ABCDEFGHIJKL", "r6 b12", dead="4")
    position = position.play("a6-a5")
    assert stones_of(position) == {"a6"}
    assert "a5-a4" not in legal(position)
    with pytest.raises(IllegalAction):
        position.play("+a4")
    # a5's region starts at a5: the stone on a8 leaves a5 to a7.
    position = play(row("ABCDEFGHIJKL", "r9 b12", dead="4"), "a9-a7 +a8")
    assert position.scores == (3, 0)
    assert set(position.dead) == {"a4", "a5", "a6", "a7"}


def test_an_enclosed_region_of_four_landscapes_stays_in_play_and_may_be_divided_later() -> (
    None
):  # TN-20
    position = play(row("ABCDEFGHI", "r1 b9", to_move=BLUE), "a9-a6 +a5 a6-a7")
    assert position.scores == (0, 0)
    assert position.dead == ()
    assert position.to_move == RED
    position = play(position, "a1-a2 +a3")
    assert position.scores == (4, 0)
    assert set(position.dead) == {"a1", "a2", "a4"}


def test_with_the_supply_empty_no_stone_can_be_placed() -> None:  # TN-21
    position = row("ABCDEFGHIJKL", "r3 b10", supply=1).play("a3-a5")
    assert stones_of(position) == {"a4", "a6"}
    position = position.play("+a6")
    assert position.supply == 0
    assert not stones_of(position)
    with pytest.raises(IllegalAction) as refused:
        position.play("+a4")
    assert refused.value.rule == "TN-21"


def test_the_supply_is_what_is_not_on_the_board() -> None:  # TN-2, TN-21
    assert row("ABCDEFGHIJKL", "r3 b10 s5 s6").supply == 78
    assert row("ABCDEFGHIJKL", "r3 b10 s5 s6", stones=30).supply == 28
    assert nova.start(nova.Rules(stones=12)).supply == 12


def test_regions_report_the_points_they_would_pay() -> None:  # TN-16, TN-17, TN-18
    position = row("AAABCDEFGH", "r1 b2 b8 s4 g10", to_move=GREEN)
    small, large = position.regions()
    assert set(small.cells) == {"a1", "a2", "a3"}
    assert small.pioneers == (1, 1, 0)
    assert (small.points, small.awards) == (9, (4, 4, 0))
    assert len(large.cells) == 6
    assert len(large.landscapes) == 6
    assert large.points == 0
    assert (small.is_closable, large.is_closable) == (True, False)
