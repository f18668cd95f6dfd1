"""Tables: what follows from the event log, without a server."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from typing import Any

import pytest

from terrarium import games, turrium
from terrarium.play import commands, offers
from terrarium.play.commands import Decision
from terrarium.play.errors import Conflict, Unprocessable
from terrarium.play.log import LogEvent
from terrarium.play.messages import messages
from terrarium.play.recording import record_of
from terrarium.play.records import record_view
from terrarium.play.seats import _computer_level, new_game, rematch
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table
from terrarium.play.views import seat_views
from tests.server.playing import random_turn

ALL = frozenset({0, 1, 2})


def three_seats(game: str = "turrium") -> Table:
    """A game of three on one device."""
    seats = [SeatChoice("device") for _ in range(3)]
    return new_game(CreateGame(game, {"players": 3}, seats=seats), "g:1", 0).table


def carried_out(table: Table, decision: Decision) -> Table:
    """The table after a decision, as a server would write and apply it."""
    log = [draft.at(table.seq + 1 + i, 1_000) for i, draft in enumerate(decision.drafts)]
    played = {e.seq: d.played for e, d in zip(log, decision.drafts, strict=True) if d.played}
    return table.after(log, played)


def played(table: Table, turns: int, seed: int = 1) -> Table:
    """The table after some random turns."""
    rng = random.Random(seed)
    for _ in range(turns):
        actions, _ = random_turn(table.position, rng)
        decision = commands.play_turn(table, ALL, table.seq, actions, None, now=0)
        table = carried_out(table, decision)
    return table


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_resignation_is_not_a_turn_anywhere(game: str) -> None:  # TN-28, TT-19
    table = played(three_seats(game), 4)
    table = carried_out(table, commands.resign(table, ALL, 0))
    table = played(table, 3)
    assert [turn.number for turn in table.turns] == [1, 2, 3, 4, 5, 6, 7]
    assert [(one.seat, one.after) for one in table.resignations] == [(0, 4)]
    view = record_view(record_of(table))
    assert [turn.number for turn in view.turns] == [turn.number for turn in table.turns]
    assert [(one.seat, one.after) for one in view.resignations] == [(0, 4)]
    for number, position in enumerate(table.positions()):
        assert position == table.position_at(number)
        if number:
            assert view.turns[number - 1].position == position.to_text()


def test_a_resignation_before_the_first_turn_belongs_to_no_turn() -> None:
    table = three_seats()
    table = played(carried_out(table, commands.resign(table, ALL, 1)), 2)
    view = record_view(record_of(table))
    assert [(one.seat, one.after) for one in view.resignations] == [(1, 0)]
    assert [turn.number for turn in view.turns] == [1, 2]
    assert view.start_view["resigned"] == [1]


def test_taking_back_undoes_the_resignations_after_that_turn() -> None:
    before = played(three_seats("nova"), 3)
    table = played(before, 1)
    table = carried_out(table, commands.resign(table, ALL, 1))
    table = carried_out(table, offers.offer(table, ALL, "takeback", 0))
    assert table.position == before.position
    assert (len(table.turns), table.resignations) == (3, [])


def test_logs_that_counted_resignations_as_turns_can_still_be_read() -> None:
    table = played(three_seats("nova"), 2)
    table = carried_out(table, commands.resign(table, ALL, 2))
    kept = table.position
    table = played(table, 1)
    # Two turns and a resignation were kept: in one number, as logs had it once.
    old = LogEvent(table.seq + 1, 0, "taken-back", 0, {"turns": 3})
    table = table.after([old])
    assert table.position == kept
    assert (len(table.turns), len(table.resignations)) == (2, 1)


def test_a_submitted_turn_is_worked_out_once() -> None:
    """Checked, stored and told to the watchers of a game, each action is parsed and applied once."""
    table = played(three_seats(), 4)
    actions, _ = random_turn(table.position, random.Random(3))
    count: Counter[str] = Counter()
    counted = _Counting(table.position, count)
    table.position = counted  # type: ignore[assignment]
    decision = commands.play_turn(table, ALL, table.seq, actions, None, now=0)
    log = [draft.at(table.seq + 1 + i, 1_000) for i, draft in enumerate(decision.drafts)]
    worked_out = {e.seq: d.played for e, d in zip(log, decision.drafts, strict=True) if d.played}
    after = table.after(log, worked_out)
    assert [message.type for message in messages(table, log, (), 0, after)] == ["turn"]
    assert isinstance(after.position, _Counting)
    assert isinstance(after.position.real, turrium.Position)
    assert count["step"] == len(actions)
    assert count["play"] == count["events"] == count["parse"] == 0


class _Counting:
    """A position that counts how often it is asked to parse and apply actions."""

    def __init__(self, real: Any, count: Counter[str]) -> None:
        self.real, self.count = real, count

    def __getattr__(self, name: str) -> Any:
        if name in ("parse", "play", "play_all", "events"):
            self.count[name] += 1
        return getattr(self.real, name)

    def step(self, action: Any) -> Any:
        self.count["step"] += 1
        position, events = self.real.step(action)
        return _Counting(position, self.count), events


def test_a_seat_has_one_colour_on_the_page_in_pictures_and_in_the_terminal() -> None:
    from terrarium.core.terminal import colours_of
    from terrarium.turrium.palette import FLAGS

    table = three_seats()
    shown = [seat.colour for seat in seat_views(table)]
    assert shown == list(colours_of(table.position)) == list(FLAGS)[:3]
    picture = turrium.draw.draw(table.position.play(table.position.legal_actions()[0]))
    assert FLAGS[shown[0]] in picture


def test_a_seat_that_resigned_neither_makes_nor_answers_offers() -> None:
    table = played(three_seats("nova"), 3)
    table = carried_out(table, commands.resign(table, ALL, 2))
    table = carried_out(table, offers.offer(table, {0}, "draw", 0))
    for attempt in (
        lambda: offers.answer(table, {2}, "draw", 2, False),
        lambda: offers.answer(table, {2}, "draw", 2, True),
        lambda: offers.offer(table, {2}, "draw", 2),
    ):
        with pytest.raises(Conflict) as refused:
            attempt()
        assert refused.value.code == "already-resigned"
    assert [offer.kind for offer in table.offers] == ["draw"]


def test_a_deleted_account_leaves_an_empty_seat_empty() -> None:
    order = CreateGame("nova", seats=[SeatChoice("device"), SeatChoice("link", name="Second")])
    table = new_game(order, "g:1", 0).table
    table = table.after([LogEvent(2, 0, "sat", 1, {"name": None, "forget": True})])
    assert (table.seats[1].name, table.seats[1].is_taken, table.status) == (None, False, "waiting")


def test_a_rematch_marks_no_seat_as_an_account_before_it_sits_down() -> None:
    order = CreateGame("nova", seats=[SeatChoice("device"), SeatChoice("link")])
    game = new_game(order, "g:1", 0)
    table = game.table.after([LogEvent(2, 0, "sat", 1, {"name": "Second", "account": True})])
    assert seat_views(table)[1].is_account
    table = carried_out(table, commands.resign(table, {0}, 0))
    again = rematch(table, game.holders, frozenset({0}), 0).table
    assert again.seats[0].name == "Second"
    assert not any(seat.is_account for seat in seat_views(again))


def test_a_level_that_the_game_does_not_have_is_refused() -> None:
    few = dataclasses.replace(games["turrium"], levels=games["turrium"].levels[:3])
    assert _computer_level(few, None) == 3
    assert _computer_level(few, 2) == 2
    with pytest.raises(Unprocessable) as refused:
        _computer_level(few, 4)
    assert refused.value.code == "seat-level"
