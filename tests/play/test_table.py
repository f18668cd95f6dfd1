"""Tables: the state that follows from the event log, without a server."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from terrarium import games, nova, turrium
from terrarium.engine import expected_shares
from terrarium.play import commands, offers
from terrarium.play.commands import Decision
from terrarium.play.errors import Conflict, Unprocessable
from terrarium.play.log import LogEvent, SeatHolders
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
    # Old logs counted the two turns and the resignation together.
    old = LogEvent(table.seq + 1, 0, "taken-back", 0, {"turns": 3})
    table = table.after([old])
    assert table.position == kept
    assert (len(table.turns), len(table.resignations)) == (2, 1)


def test_a_submitted_turn_is_computed_once() -> None:
    """Each action is parsed and applied once while it is checked, stored and sent to watchers."""
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
    """A position that counts how often actions are parsed and applied."""

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
    assert isinstance(table.position, turrium.Position)
    picture = turrium.draw.draw(table.position.play(table.position.legal_actions()[0]))
    assert FLAGS[shown[0]] in picture


def test_a_seat_that_resigned_neither_makes_nor_answers_offers() -> None:
    table = played(three_seats("nova"), 3)
    table = carried_out(table, commands.resign(table, ALL, 2))
    table = carried_out(table, offers.offer(table, {0}, "draw", 0))
    attempts: tuple[Callable[[], object], ...] = (
        lambda: offers.answer(table, {2}, "draw", 2, False),
        lambda: offers.answer(table, {2}, "draw", 2, True),
        lambda: offers.offer(table, {2}, "draw", 2),
    )
    for attempt in attempts:
        with pytest.raises(Conflict) as refused:
            attempt()
        assert refused.value.code == "already-resigned"
    assert [offer.kind for offer in table.offers] == ["draw"]


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_computers_accept_a_draw_that_is_worth_what_they_expect(game: str) -> None:
    seats = [SeatChoice("device"), *(SeatChoice("computer", level=1) for _ in range(2))]
    table = new_game(CreateGame(game, {"players": 3}, seats=seats), "g:1", 0).table
    answers = set()
    while table.outcome is None and len(table.turns) < 140:
        expected = expected_shares(table.position)
        is_late = len(table.turns) >= 3 * table.start.game.early_turns
        is_welcome = is_late and max(expected[1:]) <= 1 / 3 + 0.02
        if not is_welcome:
            with pytest.raises(Conflict, match="computer") as refused:
                offers.offer(table, {0}, "draw", 0)
            assert refused.value.code == "computer-declines"
        else:
            ended = carried_out(table, offers.offer(table, {0}, "draw", 0))
            assert ended.outcome is not None
            assert (ended.outcome["winners"], ended.outcome["reason"]) == ([], "agreement")
            answered = [event.seat for event in ended.log if event.kind == "answered"]
            assert answered == [1, 2]
        answers.add((is_late, is_welcome))
        table = played(table, 1, seed=len(table.turns))
    assert {(False, False), (True, False), (True, True)} == answers


def test_computers_wait_for_the_people_at_the_table_before_a_draw() -> None:
    seats = [SeatChoice("device"), SeatChoice("computer", level=1), SeatChoice("open")]
    table = new_game(CreateGame("turrium", {"players": 3}, seats=seats), "g:1", 0).table
    while len(table.turns) < 30 or expected_shares(table.position)[1] > 1 / 3:
        table = played(table, 1, seed=len(table.turns))
    table = carried_out(table, offers.offer(table, {0}, "draw", 0))
    assert (table.outcome, table.offers[0].accepted) == (None, (0, 1))
    table = carried_out(table, offers.answer(table, {2}, "draw", 2, True))
    assert table.outcome is not None


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


def computers(*levels: int, game: str = "nova") -> Table:
    """A table of computers on these levels."""
    seats = [SeatChoice("computer", level=level) for level in levels]
    return new_game(CreateGame(game, {"players": len(levels)}, seats=seats), "g:1", 0).table


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize("level", range(1, 9))
def test_four_computers_of_one_level_have_four_names(game: str, level: int) -> None:
    table = computers(*[level] * 4, game=game)
    assert len({seat.name for seat in table.seats}) == 4
    assert len({seat.character for seat in table.seats}) == 4
    assert all(view.character and view.character.level == level for view in seat_views(table))
    known = [one["name"] for one in games[game].describe()["characters"]]
    assert {seat.name for seat in table.seats} <= set(known)
    assert record_of(table).seats == tuple(seat.name for seat in table.seats)


def test_a_computer_keeps_the_name_that_it_was_given() -> None:
    order = CreateGame("nova", seats=[SeatChoice("computer", "Bob", 3), SeatChoice("device")])
    seat = new_game(order, "g:1", 0).table.seats[0]
    assert seat.name == "Bob"
    assert seat.character is not None


def over(table: Table) -> Table:
    """The table after its first seat has resigned."""
    return table.after([LogEvent(table.seq + 1, 0, "resigned", 0, {})])


def test_a_rematch_has_the_same_computers_and_a_harder_one_has_the_next_level() -> None:
    table = over(computers(3, 3))
    holders = [SeatHolders(), SeatHolders()]
    same = rematch(table, holders, frozenset(), 0).table
    assert [seat.name for seat in same.seats] == [seat.name for seat in table.seats[::-1]]
    harder = rematch(table, holders, frozenset(), 0, harder=True).table
    assert [seat.level for seat in harder.seats] == [4, 4]
    names = {seat.name for seat in harder.seats}
    assert len(names) == 2
    assert not names & {seat.name for seat in table.seats}


def test_a_harder_rematch_keeps_computers_of_the_highest_level() -> None:
    table = over(computers(8, 1))
    again = rematch(table, [SeatHolders(), SeatHolders()], frozenset(), 0, harder=True).table
    assert [seat.level for seat in again.seats] == [2, 8]
    assert again.seats[1].name == table.seats[0].name


def test_a_draft_shows_how_its_turn_would_end_the_game() -> None:
    board = nova.Board.parse("A A A B C D E")
    position = nova.compose(nova.Rules(), board, pioneers={"a1": 1, "a7": 0}, to_move=0)
    assert commands.try_actions(position, ["a7-a5"]).ending is None
    ending = commands.try_actions(position, ["a7-a5", "+a4"]).ending
    assert ending is not None
    assert ending.scores == (3, 9)


def test_a_draft_shows_how_the_action_end_would_end_the_game() -> None:
    position = turrium.start(turrium.Rules(players=2, max_rounds=1))
    while not any(action.kind == "end" for action in position.legal_actions()) or (
        position.play("end").outcome is None
    ):
        position = position.play(position.legal_actions()[0])
    tried = commands.try_actions(position, [])
    assert not tried.is_complete
    assert tried.ending == position.play("end").outcome
