"""How values are displayed: `print` in a terminal, `_repr_svg_` in a notebook."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from terrarium import Record, games, nova, turrium
from terrarium.errors import InvalidBoard, InvalidRules


def test_print_shows_the_board_and_what_each_seat_has() -> None:
    shown = str(nova.start(board="two-bays").play("@e7").play("@f7"))
    assert "●Y" in shown
    assert "■R" in shown
    assert "80 stones left" in shown
    assert shown.count("\n") >= 9
    assert not any(line != line.rstrip() for line in shown.split("\n"))


@pytest.mark.parametrize("game", sorted(games))
def test_repr_has_the_text_that_is_read_back(game: str) -> None:
    position = games[game].start()
    assert position.to_text() in repr(position)
    assert "\n" not in repr(position)
    assert "\n" in str(position)


@pytest.mark.parametrize(
    "value",
    [
        nova.start(),
        turrium.start(),
        nova.BOARDS["two-bays"],
        Record(nova.start()).play("@e7"),
        Record(turrium.start()),
        Record(nova.start()).play("@e7").node((0,)),
    ],
)
def test_a_notebook_gets_a_picture(value: Any) -> None:
    assert ElementTree.fromstring(value._repr_svg_()).tag.endswith("svg")


def test_a_game_starts_from_options_and_the_name_of_a_board() -> None:
    position = nova.start(players=3, edition="en", board="two-bays")
    assert position == nova.start(nova.Rules(players=3, edition="en"), nova.BOARDS["two-bays"])
    assert turrium.start(players=4) == turrium.start(turrium.Rules(players=4))


def test_an_impossible_start_is_refused() -> None:
    with pytest.raises(InvalidBoard, match="terra-nova"):
        nova.start(board="atlantis")
    with pytest.raises(InvalidRules, match="players=5"):
        nova.start(players=5)
    with pytest.raises(InvalidRules):
        turrium.start(colour="red")
    with pytest.raises(TypeError):
        nova.start(nova.Rules(), players=3)
    with pytest.raises(TypeError):
        turrium.start(turrium.Rules(), players=3)
