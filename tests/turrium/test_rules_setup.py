"""The board, the territories and the flags set before play (TT-1 to TT-3)."""

from __future__ import annotations

from typing import Any

import pytest

from terrarium import turrium
from terrarium.errors import IllegalAction, InvalidPosition, TerrariumError
from tests.turrium.drawn import BLUE, RED, at, cells, opened, play, refused, texts


def square(first: str, last: str) -> set[str]:
    """All cells between two corners."""
    columns = "abcdefghij"
    columns = columns[columns.index(first[0]) : columns.index(last[0]) + 1]
    return {f"{x}{y}" for x in columns for y in range(int(first[1:]), int(last[1:]) + 1)}


def first_seat_sets(seat: int, **options: Any) -> set[str]:
    """The cells on which a seat may set its first flag."""
    position = turrium.start(turrium.Rules(**options))
    while position.to_move != seat:
        position = position.play(position.legal_actions()[0])
    return cells("@", position)


@pytest.mark.parametrize(
    ("options", "cubes", "used"),
    [
        ({"players": 4}, 116, square("a1", "j10")),
        ({"players": 3}, 80, square("b2", "i9")),
        ({"players": 2}, 36, square("c3", "h8")),
        ({"players": 2, "two_player_area": 8}, 64, square("b2", "i9")),
    ],
)
def test_the_cubes_fill_the_used_area(
    options: dict[str, Any], cubes: int, used: set[str]
) -> None:  # TT-1
    heights = turrium.start(turrium.Rules(**options)).heights
    assert sum(heights.values()) == cubes
    assert {cell for cell, height in heights.items() if height} == used


@pytest.mark.parametrize("players", [3, 4])
def test_a_second_cube_stands_on_the_central_sixteen_cells(players: int) -> None:  # TT-1
    heights = turrium.start(turrium.Rules(players=players)).heights
    assert {cell for cell, height in heights.items() if height == 2} == square("d4", "g7")


@pytest.mark.parametrize("area", [6, 8])
def test_with_two_players_no_construction_is_higher_than_one_at_first(area: int) -> None:  # TT-1
    heights = turrium.start(turrium.Rules(two_player_area=area)).heights
    assert max(heights.values()) == 1


def test_unused_cells_never_hold_anything() -> None:  # TT-1
    duel = opened(players=2, flags="h3 h4 h5 g3 g4 g5")
    assert cells("+", duel.play("-c3")) <= square("c3", "h8")
    with pytest.raises(TerrariumError, match="b3"):
        duel.play("-c3").play("+b3")
    with pytest.raises(InvalidPosition, match="b3"):
        at("b3=1 c3=1r", players=2)
    with pytest.raises(TerrariumError, match="a1"):
        turrium.start(turrium.Rules(players=3)).play("@a1")


@pytest.mark.parametrize(
    ("seat", "territory"),
    list(enumerate([("a1", "e5"), ("a6", "e10"), ("f6", "j10"), ("f1", "j5")])),
)
def test_four_players_own_a_quarter_each_clockwise_from_the_bottom_left(
    seat: int, territory: tuple[str, str]
) -> None:  # TT-2
    assert first_seat_sets(seat, players=4) == square(*territory)


@pytest.mark.parametrize(
    ("seat", "territory"), list(enumerate([("b2", "e5"), ("b6", "e9"), ("f6", "i9")]))
)
def test_three_players_leave_the_bottom_right_quarter_vacant(
    seat: int, territory: tuple[str, str]
) -> None:  # TT-2
    assert first_seat_sets(seat, players=3) == square(*territory)


def test_in_a_duel_each_player_owns_the_half_before_them() -> None:  # TT-2
    assert first_seat_sets(RED) == square("c3", "h5")
    assert first_seat_sets(BLUE) == square("c6", "h8")


def test_in_a_duel_the_quarters_may_lie_opposite() -> None:  # TT-2
    sides = {"two_player_sides": "opposite", "two_player_area": 8}
    assert first_seat_sets(RED, **sides) == square("b2", "e5") | square("f6", "i9")
    assert first_seat_sets(BLUE, **sides) == square("b6", "e9") | square("f2", "i5")


def test_a_position_shows_whose_territory_each_cell_is() -> None:  # TT-2
    choices: tuple[dict[str, Any], ...] = (
        {"players": 4},
        {"players": 3},
        {},
        {"two_player_sides": "opposite"},
    )
    for options in choices:
        territories = turrium.start(turrium.Rules(**options)).territories
        for seat in range(options.get("players", 2)):
            own = {cell for cell, owner in territories.items() if owner == seat}
            assert own == first_seat_sets(seat, **options)
    vacant = turrium.start(turrium.Rules(players=3)).territories
    assert {cell for cell, owner in vacant.items() if owner is None} == square("f2", "i5")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_first_seat_starts_and_each_sets_all_six_flags(players: int) -> None:  # TT-3
    position = turrium.start(turrium.Rules(players=players))
    for seat in range(players):
        for left in range(6, 0, -1):
            assert position.to_move == seat
            assert position.phase == "flags"
            assert position.hand[seat] == left
            position = position.play(position.legal_actions()[-1])
    assert (position.phase, position.to_move) == ("take", RED)
    assert position.hand == (0,) * players
    assert sorted(position.flags.values()) == sorted(list(range(players)) * 6)


def test_a_seventh_flag_is_refused() -> None:  # TT-3
    position = turrium.start(turrium.Rules(players=4))
    position = play(position, "@a1 @a2 @a3 @a4 @a5 @b1")
    assert position.to_move == BLUE
    assert refused(position, "@b2", "TT-3")
    assert refused(opened(), "@e5", "TT-3")


def test_two_flags_never_stand_on_one_construction() -> None:  # TT-3
    position = turrium.start(turrium.Rules(players=4)).play("@c3")
    assert refused(position, "@c3", "TT-3")


def test_flags_are_set_on_own_territory_only() -> None:  # TT-3
    position = turrium.start(turrium.Rules(players=4))
    assert refused(position, "@a6", "TT-3")
    assert refused(position, "@f1", "TT-3")


def test_nothing_but_flags_is_played_during_the_set_up() -> None:  # TT-3
    position = turrium.start(turrium.Rules(players=4))
    for action in ("-c3", "+c3", "c3-c4", "c3xc4", "end"):
        with pytest.raises(IllegalAction):
            position.play(action)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_aggression_starts_at_zero(players: int) -> None:  # TT-3
    position = opened(players)
    assert position.attacks == (0,) * players
    assert position.captures == (0,) * players
    assert position.rounds == 0


def test_a_set_flag_makes_a_tower_of_its_construction() -> None:  # TT-3, TT-6
    position = opened(flags="c3")
    assert position.flags["c3"] == RED
    assert "-c3" not in texts(position)
