"""Numbers larger than in any real game: they are handled correctly or refused, never truncated."""

from __future__ import annotations

from typing import Any

import pytest

from terrarium import turrium
from terrarium.errors import InvalidPosition
from tests.turrium.drawn import RED, at, composed, is_legal, moving, play


@pytest.mark.parametrize("height", [9, 99, 127, 255, 256, 300, 5000])
def test_heights_are_counted_to_any_size(height: int) -> None:  # TT-8
    position = play(at(f"a1=1r a2=1 c3={height} c1=1"), "-a2 +c3")
    assert position.heights["c3"] == height + 1
    assert turrium.Position.from_text(position.to_text()) == position


@pytest.mark.parametrize("height", [100, 127, 128, 255, 256, 300])
def test_steps_between_high_towers_compare_true_heights(height: int) -> None:  # TT-10
    position = moving(f"c3={height}r c4={height + 1} b3={height - 1} d3={height + 2} c2=1 a1=1")
    assert is_legal(position, "c3-c4")
    assert is_legal(position, "c3-b3")
    assert not is_legal(position, "c3-d3")
    assert not is_legal(position, "c3-c2")


@pytest.mark.parametrize("low", [1, 2, 44, 45, 46])
def test_heights_256_apart_are_not_level(low: int) -> None:  # TT-10
    assert not is_legal(moving(f"c3={low + 256}r c4={low} a1=1"), "c3-c4")


@pytest.mark.parametrize("captures", [9, 126, 127, 254, 255, 256, 1000])
def test_captures_are_counted_over_a_long_game(captures: int) -> None:  # TT-11
    position = moving("c3=3r c4=2b c5=1b a1=1", captures=(captures, 0, 0, 0))
    assert play(position, "c3xc4 c4xc5").captures[RED] == captures + 2


def test_rounds_are_counted_to_the_highest_limit() -> None:  # TT-18
    position = moving("c3=1r c4=1 a1=1", players=4, rounds=9_998, max_rounds=10_000)
    assert position.rounds == 9_998
    for _ in range(4):
        if position.phase != "move":
            position = play(position, "-a1 +a1")
        position = position.play("end")
    assert position.rounds == 9_999
    assert position.outcome is None


def test_players_who_can_do_nothing_reach_the_highest_limit() -> None:  # TT-16, TT-18
    position = composed("", max_rounds=10_000)
    assert position.outcome is not None
    assert position.rounds == 10_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"attacks": (6, 0, 0, 0)},
        {"attacks": (-1, 0, 0, 0)},
        {"attacks": (0, 0, 0)},
        {"captures": (-1, 0, 0, 0)},
        {"captures": (3, 0, 0, 0), "variant": "burgenland"},
        {"rounds": -1},
        {"rounds": 101},
    ],
    ids=str,
)
def test_impossible_values_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidPosition):
        composed("c3=1r c4=1 a1=1", **wrong)


@pytest.mark.parametrize(
    "drawing",
    ["c3=0r", "c3=-1", "k1=1", "a11=1", "a0=1", "a1=1r b1=1r c1=1r d1=1r e1=1r a2=1r a3=1r"],
)
def test_impossible_boards_are_refused(drawing: str) -> None:
    with pytest.raises(InvalidPosition):
        composed(drawing)


@pytest.mark.parametrize("seat", [-1, 2, 3, 4])
def test_seats_that_do_not_exist_are_refused(seat: int) -> None:
    with pytest.raises(InvalidPosition):
        turrium.compose(turrium.Rules(), heights={"c3": 1}, flags={"c3": seat})
    with pytest.raises(InvalidPosition):
        turrium.compose(turrium.Rules(), heights={"c3": 1}, flags={"c3": 0}, to_move=seat)
