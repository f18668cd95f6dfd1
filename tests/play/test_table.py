"""Tables: what follows from the event log, without a server."""

from __future__ import annotations

import random

import pytest

from terrarium.play import commands, offers
from terrarium.play.commands import Decision
from terrarium.play.log import LogEvent
from terrarium.play.recording import record_of
from terrarium.play.records import record_view
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table
from tests.server.playing import random_turn

ALL = frozenset({0, 1, 2})


def three_seats(game: str = "turrium") -> Table:
    """A game of three on one device."""
    seats = [SeatChoice("device") for _ in range(3)]
    return new_game(CreateGame(game, {"players": 3}, seats=seats), "g:1", 0).table


def carried_out(table: Table, decision: Decision) -> Table:
    """The table after a decision, as a server would write and apply it."""
    log = [draft.at(table.seq + 1 + i, 1_000) for i, draft in enumerate(decision.drafts)]
    steps = {e.seq: d.steps for e, d in zip(log, decision.drafts, strict=True) if d.steps}
    return table.after(log, steps)


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
