"""Positions with one right answer, which the strongest level must find."""

from __future__ import annotations

import pytest

from tests.engine.puzzles import can_win_at_once, is_won, solved, turns
from tests.nova.drawn import BLUE, RED, row
from tests.turrium.drawn import at

LAST_STEP = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r"
LOW_FLAGS = "c8=1b d8=1b e8=1b f8=1b g8=1b h8=1b"
BLUE_THREAT = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6"
RED_RING = "c3=1r d3=1r e3=1r c4=1r e4=1r d5=1r"


def test_it_closes_the_territory_in_which_it_has_the_majority() -> None:  # TN-16, TN-18
    # A second red pioneer far away prevents the end of the game, so that the points decide.
    position = row("AAAAAABBBBBBCDEFGHA", "b2 b5 r8 b15 r19", to_move=BLUE)
    most = max(end.scores[BLUE] - end.scores[RED] for end in turns(position))
    after = solved(position)
    assert after.scores[BLUE] - after.scores[RED] == most > 0 or is_won(after, BLUE)


@pytest.mark.parametrize(
    ("landscapes", "pieces"), [("AAABCDE", "r1 b7"), ("AAAABBCDEF", "r1 r3 b10")]
)
def test_it_does_not_close_a_territory_that_pays_the_other_side(
    landscapes: str, pieces: str
) -> None:  # TN-18
    position = row(landscapes, pieces, to_move=BLUE)
    ends = turns(position)
    assert any(end.scores[RED] > end.scores[BLUE] for end in ends), "some turn must be wrong"
    after = solved(position)
    assert after.scores[RED] <= after.scores[BLUE]


def test_it_wins_this_turn_where_it_can_in_terra_nova() -> None:  # TN-23, TN-25
    position = row("ABCDEFGH", "r1 b4 b8", to_move=BLUE, scores=(0, 5))
    assert is_won(solved(position), BLUE)


@pytest.mark.parametrize(
    ("landscapes", "pieces", "scores"),
    [
        ("BCAFCFGGC", "r5 r3 b6 b7", (1, 1)),
        ("DBAGEBBFFB", "r8 r3 b6 b4", (0, 1)),
        ("FFFEBDDFEAA", "r9 r1 b4 b8", (0, 1)),
        ("ECBEBABFBB", "r1 r10 b4 b7", (0, 0)),
    ],
)
def test_it_stops_a_win_in_terra_nova(
    landscapes: str, pieces: str, scores: tuple[int, int]
) -> None:
    position = row(landscapes, pieces, to_move=RED, scores=scores)
    ends = turns(position)
    right = [end for end in ends if not can_win_at_once(end, BLUE)]
    assert 0 < len(right) <= len(ends) / 10, "only a tenth of all turns may be right"
    assert not can_win_at_once(solved(position), BLUE)


@pytest.mark.parametrize(
    "cubes", ["h4=6 c5=1", "h4=5 c5=1 c4=1"], ids=["by a step", "by a cube and a step"]
)
def test_it_wins_this_turn_where_it_can_in_terra_turrium(cubes: str) -> None:  # TT-14
    position = at(f"{LAST_STEP} {cubes} {LOW_FLAGS}", players=2)
    after = solved(position)
    assert after.declared == (RED,)


@pytest.mark.parametrize("cube", ["", "d4=1", "c5=1"])
def test_it_stops_a_win_in_terra_turrium(cube: str) -> None:  # TT-6, TT-7, TT-14
    drawing = f"{BLUE_THREAT} {RED_RING} {cube}"
    threatened = solved(at(drawing, to_move=BLUE, players=2))
    assert threatened.declared == (BLUE,), "blue must threaten to win"
    answered = solved(solved(at(drawing, players=2)))
    assert answered.declared == ()
