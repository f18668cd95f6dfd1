"""The table of games, and the facts about a game."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import terrarium
from terrarium import Action, nova, turrium
from terrarium.core.game import Game, register
from terrarium.errors import InvalidBoard

NOVA, TURRIUM = terrarium.games["nova"], terrarium.games["turrium"]


def output_of(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_games_are_imported_on_demand() -> None:
    code = "import sys, terrarium; print(*[m for m in {!r} if m in sys.modules])"
    watched = ["terrarium.nova", "terrarium.turrium", "importlib.metadata"]
    assert output_of(code.format(watched)) == ""
    asked = "import sys, terrarium; terrarium.games['nova']; print('importlib.metadata' in sys.modules, 'terrarium.turrium' in sys.modules)"
    assert output_of(asked) == "False False"


def test_a_game_is_registered_once_and_under_its_own_name_only() -> None:
    code = (
        "import terrarium; from terrarium.core.game import Game, register\n"
        "game = Game('solo', 'Solo', 'nowhere')\n"
        "register(game); register(game)\n"
        "assert terrarium.games['solo'] is game and 'solo' in list(terrarium.games)\n"
        "try: register(Game('solo', 'Another', 'nowhere'))\n"
        "except ValueError as error: print(error)"
    )
    assert "registered already" in output_of(code)
    with pytest.raises(ValueError, match="registered already"):
        register(replace(TURRIUM, title="Another"))
    assert terrarium.games["turrium"] is TURRIUM


def test_an_unknown_game_is_a_key_error() -> None:
    assert "chess" not in terrarium.games
    assert 7 not in terrarium.games  # type: ignore[comparison-overlap]
    with pytest.raises(KeyError):
        terrarium.games["chess"]


def test_a_board_is_found_by_its_name() -> None:
    assert NOVA.board("crescent") is nova.BOARDS["crescent"]
    with pytest.raises(InvalidBoard, match="the built-in boards are terra-nova") as refused:
        NOVA.board("moon")
    assert refused.value.code == "no-such-board"
    with pytest.raises(InvalidBoard) as refused:
        TURRIUM.board("crescent")
    assert refused.value.code == "no-boards"
    assert TURRIUM.boards == {}


def test_a_board_can_be_restored_from_its_stored_form() -> None:
    mine = nova.Board.parse("A A B\n C D D", "mine", {"A": "forest"}, "a player", "small")
    assert NOVA.board_from_data(NOVA.board_data(mine)) == mine
    crescent = nova.BOARDS["crescent"]
    assert NOVA.board_from_data(NOVA.board_data(crescent)) is crescent
    renamed = NOVA.board_data(crescent) | {"name": "mine"}
    assert NOVA.board_from_data(renamed).name == "mine"


def test_the_text_of_an_action_comes_from_the_marks_of_its_game() -> None:
    assert str(Action("move", "e7", "e12")) == "e7-e12"
    assert str(Action("capture", "c4", "c5")) == "c4xc5"
    assert str(Action("stone", None, "d8")) == "+d8"
    assert str(Action("end")) == "end"
    assert str(Action("fly", "a1", "a2")) == "fly"
    for position in (nova.start(), turrium.start()):
        for action in position.legal_actions():
            assert str(action) == f"{position.game.marks[action.kind]}{action.target}"


def test_seats_have_the_colours_of_the_box() -> None:
    assert NOVA.colours(nova.Rules(players=3)) == ("yellow", "red", "blue")
    assert TURRIUM.colours(turrium.Rules(players=2)) == ("yellow", "red")


def test_a_minimal_game_is_described_by_defaults() -> None:
    plain = Game("turrium", "Towers", "terrarium.turrium")
    facts = plain.describe()
    assert (facts["boards"], facts["levels"], facts["layout"]) == ([], [], "cells")
    assert plain.reach(turrium.start()) == {}
