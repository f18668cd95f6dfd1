"""The variant Burgenland (TT-17)."""

from __future__ import annotations

from typing import Any

from terrarium import turrium
from tests.turrium.drawn import (
    BLUE,
    GREEN,
    RED,
    at,
    is_legal,
    moving,
    play,
    put_back,
    refused,
    won,
)

LOCKED = "a1=1r a2=2r a3=3r a4=4r a5=5r b5=5r b4=4 e1=1"  # b5-b4 makes 5, 4, 4, 3, 2, 1
PREY = "c4=3b d4=2b e4=1b"
SHOWN = "a10=1b a9=2b a8=3b a7=4b b7=4b a6=5b"


def burg(drawing: str, to_move: int = RED, **options: Any) -> turrium.Position:
    """The move phase of a Burgenland position."""
    return moving(drawing, to_move, variant="burgenland", **options)


def test_there_is_no_capture_at_first() -> None:  # TT-17
    position = burg("c3=2r c4=1b a1=1")
    assert not position.unlocked
    assert refused(position, "c3xc4", "TT-17")


def test_five_four_four_three_two_one_unlocks_captures_at_once() -> None:  # TT-17
    position = burg(f"{LOCKED} {PREY}")
    assert not is_legal(position, "b5xc4")
    position = position.play("b5-b4")
    assert position.unlocked
    assert is_legal(position, "b4xc4")
    position = position.play("b4xc4")
    assert position.captures[RED] == 1


def test_captures_unlock_for_everybody() -> None:  # TT-17
    position = play(burg(f"{LOCKED} c8=2b c9=1g e10=1"), "b5-b4 end")
    assert position.to_move == BLUE
    assert is_legal(put_back(position), "c8xc9")


def test_captures_stay_unlocked_until_the_end() -> None:  # TT-17
    position = play(burg(f"{LOCKED} c8=2b c9=1g e10=1"), "b5-b4 b4-b5 end")
    assert position.unlocked
    assert is_legal(put_back(position), "c8xc9")


def test_five_flags_do_not_unlock() -> None:  # TT-17
    position = burg(f"a1=1r a2=2r a3=3r a4=4r a5=5r {PREY} b4=4 e1=1")
    assert not position.unlocked
    assert not position.play("a4-b4").unlocked


def test_a_re_entry_may_unlock() -> None:  # TT-13, TT-17
    position = burg("a1=1r a2=2r a3=3r a4=4r a5=5r j4=4 e1=1")
    assert not position.unlocked
    assert position.play("@j4").unlocked


def test_other_heights_do_not_unlock() -> None:  # TT-17
    for heights in ("123456", "123455", "133445", "123344", "123444"):
        cells = ("a1", "a3", "a5", "c1", "c3", "c5")
        drawing = " ".join(f"{cell}={height}r" for cell, height in zip(cells, heights, strict=True))
        assert not at(f"{drawing} e1=1", variant="burgenland").unlocked, heights


def test_what_stands_on_the_board_unlocks_a_composed_position() -> None:  # TT-17
    position = burg("c3=2r c4=1b e1=1 a9=2b a8=3b a7=4b b7=4b a6=5b")
    assert position.unlocked
    assert is_legal(position, "c3xc4")


def test_each_player_makes_two_captures_in_the_whole_game() -> None:  # TT-17
    drawing = "c3=4r d3=3g e3=2g e2=1g a1=1 " + SHOWN
    position = play(burg(drawing), "c3xd3 d3xe3")
    assert position.captures[RED] == 2
    assert refused(position, "e3xe2", "TT-17")


def test_defences_count_among_the_two_captures() -> None:  # TT-17
    position = burg("c3=2r c4=1g e5=2r e6=1g d2=2r d1=1g a1=1 " + SHOWN)
    position = play(position, "c3xc4 e5xe6")
    assert position.attacks[RED] == 1
    assert position.captures[RED] == 2
    assert refused(position, "d2xd1", "TT-17")


def test_the_two_captures_are_counted_over_the_game_and_for_each_player() -> None:  # TT-17
    drawing = "c3=2r c4=1g e5=2g e4=1r a1=1 j10=1 " + SHOWN
    position = burg(drawing, captures=(2, 0, 2, 0))
    assert refused(position, "c3xc4", "TT-17")
    position = burg(drawing, to_move=GREEN, captures=(2, 0, 1, 0))
    assert is_legal(position, "e5xe4")


def test_attacks_are_counted_but_not_limited() -> None:  # TT-12, TT-17
    position = burg("e5=2r e6=1g a1=1 " + SHOWN, attacks=(5, 0, 0, 0))
    position = position.play("e5xe6")
    assert position.attacks[RED] == 6


def test_the_standard_game_has_no_lock_and_no_limit_of_two_captures() -> None:  # TT-12, TT-17
    position = moving("c3=2r c4=1g a1=1", captures=(9, 0, 0, 0))
    assert position.play("c3xc4").captures[RED] == 10


def test_the_condition_to_win_stays_one_to_six() -> None:  # TT-14, TT-17
    drawing = "j1=1y j2=2y j3=3y j4=4y j5=5y i5=5y h5=6 i4=4 f1=1"
    assert won(play(burg(drawing, to_move=3), "i5-h5 end")) == (3,)
    assert play(burg(drawing, to_move=3), "i5-i4 end").outcome is None
