"""Positions from the editor: refusals, and games that start from them."""

from __future__ import annotations

from typing import Any

import pytest

from terrarium import Record, games, nova, turrium
from terrarium.errors import InvalidPosition
from terrarium.play import commands
from terrarium.play.boards import checked_board
from terrarium.play.continuing import continued
from terrarium.play.errors import Unprocessable
from terrarium.play.positions import FreshStart, start_position, tried
from terrarium.play.recording import record_of
from terrarium.play.seats import NewGame, new_game, rematch
from terrarium.play.shapes import CreateGame, CustomBoard, SeatChoice
from terrarium.play.table import Table

ISLAND = "A A A B C D E\n A A B B C D"
SEATS = [SeatChoice("device"), SeatChoice("device")]


def island() -> nova.Position:
    """Two pioneers on a small island, the second seat to move, with points and fewer stones."""
    start = FreshStart(
        "nova",
        {"players": 2, "pioneers": 2},
        CustomBoard(ISLAND),
        {
            "pioneers": {"a1": 0, "a7": 1},
            "stones": ["a4"],
            "scores": [5, 2],
            "supply": 30,
            "to_move": 1,
        },
    )
    found = start_position(start)
    assert isinstance(found, nova.Position)
    return found


def refusal(game: str, rules: dict[str, Any], setup: dict[str, Any]) -> InvalidPosition:
    with pytest.raises(InvalidPosition) as caught:
        start_position(FreshStart(game, rules, None, setup))
    return caught.value


def made(position: str, **order: Any) -> NewGame:
    name = position.split(" ", 1)[0]
    return new_game(CreateGame(name, position=position, seats=SEATS, **order), "g:1", 0)


def test_a_setup_becomes_a_position_with_its_pieces_and_numbers() -> None:
    position = island()
    assert position.pioneers == {"a1": 0, "a7": 1}
    assert (position.scores, position.supply, position.to_move) == ((5, 2), 30, 1)
    assert tried(position, []).view["stones"] == ["a4"]


def test_while_pioneers_are_placed_the_others_are_in_hand() -> None:
    setup = {"pioneers": {"e7": 0}, "to_move": 1, "phase": "place"}
    position = start_position(FreshStart("nova", setup=setup))
    assert isinstance(position, nova.Position)
    assert (position.phase, position.hand) == ("place", (12, 13))


def test_while_flags_are_set_the_first_seat_continues() -> None:
    setup = {"heights": turrium.start().heights, "flags": {"c3": 0}, "phase": "flags"}
    position = start_position(FreshStart("turrium", setup=setup))
    assert isinstance(position, turrium.Position)
    assert (position.phase, position.hand) == ("flags", (5, 6))


@pytest.mark.parametrize(
    ("setup", "code", "facts"),
    [
        (
            {"pioneers": dict.fromkeys(nova.BOARDS["terra-nova"].cells[:14], 1)},
            "too-many-pioneers",
            {"seat": 1, "count": 14, "most": 13},
        ),
        (
            {"stones": ["e7"], "supply": 80},
            "too-many-stones",
            {"count": 1, "left": 80, "most": 80},
        ),
        ({"stones": ["e7"], "phase": "place"}, "placing-not-over", {}),
        ({"scores": [3, 0], "phase": "place"}, "placing-not-over", {}),
        ({"pioneers": {"e7": 0}, "phase": "place"}, "placing-order", {}),
        ({"towers": 1}, "unknown-setup", {}),
    ],
)
def test_a_refused_setup_of_terra_nova_has_a_code_and_facts(
    setup: dict[str, Any], code: str, facts: dict[str, Any]
) -> None:
    error = refusal("nova", {}, setup)
    assert (error.code, error.facts) == (code, facts)


def test_nobody_places_a_pioneer_when_all_are_placed() -> None:
    rules = {"pioneers": 1}
    setup = {"pioneers": {"e7": 0, "e8": 1}, "phase": "place"}
    assert refusal("nova", rules, setup).code == "all-placed"


LAND = turrium.start().heights
SIX = dict.fromkeys(("c3", "d3", "e3", "f3", "g3", "h3"), 0)


@pytest.mark.parametrize(
    ("setup", "code", "seat"),
    [
        ({"heights": {"c3": 1}, "flags": {"c4": 0}}, "flag-without-construction", None),
        ({"heights": LAND, "flags": SIX | {"c4": 0}}, "too-many-flags", 0),
        ({"heights": LAND, "attacks": [1, 0], "phase": "flags"}, "flags-not-set", None),
        ({"heights": LAND, "flags": {"c8": 0}, "phase": "flags"}, "flag-outside-land", 0),
        ({"heights": LAND, "to_move": 1, "phase": "flags"}, "flags-missing", 0),
        ({"heights": LAND, "flags": SIX, "phase": "flags"}, "flags-all-set", 0),
        ({"heights": LAND, "flags": {"c8": 1}, "phase": "flags"}, "flags-too-early", 1),
        ({"heights": {"c3": 1}, "phase": "flags"}, "too-few-constructions", 0),
        ({"heights": {"c3": 9_000, "c4": 9_000}}, "uncountable-cubes", None),
        ({"phase": "over"}, "invalid-phase", None),
    ],
)
def test_a_refused_setup_of_terra_turrium_has_a_code_and_names_the_seat(
    setup: dict[str, Any], code: str, seat: int | None
) -> None:
    error = refusal("turrium", {}, setup)
    assert (error.code, error.facts.get("seat")) == (code, seat)


def test_a_game_begins_with_the_position_and_its_rules() -> None:
    table = made(island().to_text()).table
    assert table.start == island()
    assert (table.rules.pioneers, table.to_move) == (2, 1)
    assert Table.replay(table.id, table.log).position == island()


def test_a_position_keeps_the_names_of_its_landscapes() -> None:
    board = CustomBoard(ISLAND, "cove", {"A": "forest"})
    table = made(island().to_text(), board=board).table
    assert table.board.landscapes["A"] == "forest"
    assert table.start == island()


def test_the_record_of_such_a_game_is_read_again_unchanged() -> None:
    table = made(island().to_text()).table
    turn = [str(table.start.legal_actions()[0])]
    position = table.start.play(turn[0])
    while not position.at_turn_start and position.to_move is not None:
        turn.append(str(position.legal_actions()[0]))
        position = position.play(turn[-1])
    decision = commands.play_turn(table, {1}, table.seq, turn, None, now=1)
    table = table.after([draft.at(table.seq + 1, 1) for draft in decision.drafts])
    record = record_of(table)
    assert record.start == island()
    assert Record.parse(str(record)) == record


def test_a_rematch_begins_with_the_same_position() -> None:
    game = made(island().to_text())
    table = game.table
    for seat in (0,):
        decision = commands.resign(table, {0, 1}, seat)
        table = table.after([draft.at(table.seq + 1, 1) for draft in decision.drafts])
    assert rematch(table, game.holders, frozenset({0, 1}), 2).table.start == island()


def test_a_game_of_a_browser_that_began_with_a_position_continues_on_a_server() -> None:
    table = made(island().to_text()).table
    assert continued(list(table.log), "g:2", 5).table.start == island()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (nova.start().play("@e7").play("@e8").to_text(), None),
        (turrium.start().play("@c3").to_text(), "position-unplayable"),
        (nova.start(players=2).resign(0).to_text(), "position-unplayable"),
    ],
)
def test_only_the_start_of_a_turn_begins_a_game(text: str, code: str | None) -> None:
    if code is None:
        assert made(text).table.start == games["nova"].position(text)
        return
    with pytest.raises(Unprocessable) as caught:
        made(text)
    assert caught.value.code == code


def test_rules_that_are_not_those_of_the_position_are_refused() -> None:
    with pytest.raises(Unprocessable) as caught:
        made(island().to_text(), rules={"players": 2, "edition": "en"})
    assert caught.value.code == "position-rules"


def test_a_checked_board_says_how_fair_it_is() -> None:
    board = nova.BOARDS["two-bays"]
    found = checked_board(board.to_text())
    assert found.fairness is not None
    assert found.fairness.unfairness == 22.1
    assert found.fairness.sizes == [12] * 6
    assert checked_board("A A").fairness is None
