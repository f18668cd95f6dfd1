"""Positions are equal exactly when the rules say that they are the same."""

from __future__ import annotations

import pytest

from tests.nova.drawn import legal, row

READINGS = ("three_moves", "turn_end", "never")


@pytest.mark.parametrize("returning", READINGS)
def test_two_pioneers_moved_in_either_order_make_the_same_position(returning: str) -> None:
    position = row("ABCDEFGHIJKL", "r2 r7 b12", returning=returning)
    one, other = position.play_all("a2-a3 a7-a8"), position.play_all("a7-a8 a2-a3")
    assert one == other
    assert hash(one) == hash(other)
    assert one.to_text() == other.to_text()


def test_where_a_pioneer_started_distinguishes_positions_only_while_it_matters() -> None:  # TN-12
    def reached(pieces: str, first: str, returning: str) -> object:
        return row("ABCDEFGHIJKL", pieces, returning=returning).play_all([first, "+a6"])

    # In both, red is on a5 and has placed a stone, but came from a3 or from a4.
    assert reached("r3 b12", "a3-a5", "three_moves") == reached("r4 b12", "a4-a5", "three_moves")
    for returning in ("turn_end", "never"):
        assert reached("r3 b12", "a3-a5", returning) != reached("r4 b12", "a4-a5", returning)


@pytest.mark.parametrize("returning", READINGS)
def test_nothing_of_a_finished_turn_is_remembered(returning: str) -> None:
    position = row("ABCDEFGHIJKLMNOP", "r2 r7 b14", returning=returning)
    one = position.play_all("a2-a3 a7-a8 a8-a9")
    other = position.play_all("a7-a8 a8-a9 a2-a3")
    assert one == other


def test_the_seat_to_move_the_scores_and_the_supply_distinguish_positions() -> None:
    base = row("ABCDEFGHIJKL", "r2 b10")
    assert base == row("ABCDEFGHIJKL", "r2 b10")
    for other in (
        row("ABCDEFGHIJKL", "r2 b10", to_move=1),
        row("ABCDEFGHIJKL", "r2 b10", scores=(1, 0)),
        row("ABCDEFGHIJKL", "r2 b10", supply=79),
        row("ABCDEFGHIJKL", "r2 b10", edition="en"),
        row("ABCDEFGHIJKL", "r2 b10", stall_rounds=5),
        row("ABCDEFGHIJKL", "r2 b10", players=3),
        row("ABCDEFGHIJKK", "r2 b10"),
        row("ABCDEFGHIJKL", "r2 b10", dead="12"),
    ):
        assert base != other
        assert base.to_text() != other.to_text()


def test_turns_without_a_stone_distinguish_positions() -> None:  # TN-27
    position = row("ABCDEFGHIJKL", "r2 b10")
    later = position.play_all("a2-a3 a3-a2 a2-a1 a10-a11 a11-a10 a10-a9")
    again = later.play_all("a1-a3 a3-a1 a1-a2 a9-a11 a11-a9 a9-a10")
    assert dict(again.pioneers) == dict(position.pioneers)
    assert legal(again) == legal(position)
    assert again != position
