"""Plans without a server: which plans are possible, when one is due, and why one fails."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from terrarium import games
from terrarium.errors import TerrariumError
from terrarium.play.clocks import clock_rules
from terrarium.play.commands import Draft, play_turn, resign
from terrarium.play.plans import (
    MAX_LINE,
    Plan,
    PlannedTurn,
    check_plan,
    due,
    follow,
    planned_turn,
    replaced,
    try_ahead,
)
from terrarium.play.seats import new_game
from terrarium.play.shapes import ClockChoice, CreateGame, SeatChoice
from terrarium.play.table import Table
from tests.server.playing import random_turn

SMALL = {"name": "islet", "map": "  A A B B\n A A C B D\n  E C C D D\n   E E D"}


def started(game: str = "nova", players: int = 2, **order: Any) -> Table:
    from terrarium.play.shapes import CustomBoard

    rules: dict[str, Any] = {"players": players}
    board = None
    if game == "nova":
        rules |= {"pioneers": 1}
        board = CustomBoard(SMALL["map"])
    seats = [SeatChoice("device") for _ in range(players)]
    made = new_game(
        CreateGame(game, rules=rules, board=board, seats=seats, **order), "g:1", 1_000_000, None
    )
    return made.table


def played(table: Table, turn: Sequence[str], later: int = 1_000) -> Table:
    now = table.updated + later
    decision = play_turn(table, {table.to_move or 0}, table.seq, turn, None, now=now)
    return table.after([decision.drafts[0].at(table.seq + 1, now)])


def turns_from(position: Any, count: int, seed: int = 1) -> list[tuple[str, ...]]:
    rng, found = random.Random(seed), []
    for _ in range(count):
        turn, position = random_turn(position, rng)
        found.append(tuple(turn))
    return found


def opened(game: str = "nova", players: int = 2, turns: int = 4, **order: Any) -> Table:
    table = started(game, players, **order)
    for turn in turns_from(table.position, turns, 5):
        table = played(table, turn)
    return table


def other(table: Table) -> int:
    return 1 - (table.to_move or 0)


def planned(table: Table, *turns: PlannedTurn, seat: int | None = None) -> Plan:
    seat = other(table) if seat is None else seat
    return check_plan(table, {seat}, seat, table.seq, turns, f"p{len(turns)}")


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_conditional_turn_is_due_after_its_condition_and_only_then(game: str) -> None:
    table = opened(game)
    condition, answer = turns_from(table.position, 2)
    plan = planned(table, condition, answer)
    assert follow(table, plan).state == "waiting"
    after = played(table, condition)
    progress = follow(after, plan)
    assert (progress.state, progress.actions) == ("due", answer)
    done = after.after([planned_turn(after, plan, progress).drafts[0].at(after.seq + 1, 0)])
    assert follow(done, plan).state == "played"
    elsewhere = next(
        turn
        for turn in (turns_from(table.position, 1, seed)[0] for seed in range(2, 50))
        if table.position.play_all(turn) != table.position.play_all(condition)
    )
    failed = follow(played(table, elsewhere), plan)
    assert (failed.state, failed.reason) == ("failed", "other-turn")


def test_a_premove_is_due_whatever_the_others_play_or_fails_as_illegal() -> None:
    table = opened()
    premove = tuple(
        random_turn(table.position.game.imagine(table.position, other(table)), random.Random(1))[0]
    )
    plan = planned(table, None, premove)
    states = set()
    for seed in range(30):
        after = played(table, turns_from(table.position, 1, seed)[0])
        if after.to_move != plan.seat:
            continue
        progress = follow(after, plan)
        code = None
        try:
            after.position.play_all(premove)
        except TerrariumError as error:
            code = error.code
        assert (progress.state, progress.reason) == ("failed" if code else "due", code)
        states.add(progress.state)
    assert "due" in states


def test_a_line_continues_after_its_first_turn() -> None:
    table = opened("turrium", turns=2)
    line = turns_from(table.position, 4)
    plan = planned(table, *line)
    for index, turn in enumerate(line):
        progress = follow(table, plan)
        assert progress.done == index
        assert progress.state == ("due" if index % 2 else "waiting")
        table = played(table, turn)
    assert follow(table, plan).state == "played"


def test_with_three_seats_any_turn_covers_all_the_others() -> None:
    table = opened("turrium", 3, 3)
    seat = ((table.to_move or 0) + 2) % 3
    first, second, own = turns_from(table.position, 3)
    certain = planned(table, first, second, own, seat=seat)
    anything = planned(table, None, own, seat=seat)
    mixed = planned(table, first, None, own, seat=seat)
    for turn in (first, second):
        assert all(follow(table, plan).state == "waiting" for plan in (certain, anything, mixed))
        table = played(table, turn)
    assert all(follow(table, plan).state == "due" for plan in (certain, anything, mixed))
    found = due(table, [anything, certain])
    assert found is not None
    assert found[0] is certain, (
        "a plan with a fulfilled condition must come before one for any turn"
    )


def test_invalid_plans_are_refused() -> None:
    table = opened("turrium", turns=2)
    one, two, three = turns_from(table.position, 3)
    for turns, code in [
        ((one,), "invalid-plan"),
        ((one, two, three), "invalid-plan"),
        ((None, None, two), "invalid-plan"),
        ((None, two, three, two), "invalid-plan"),
        ((one, None), "invalid-plan"),
        ((one, ()), "invalid-plan"),
        ((one[:-1], two), "turn-incomplete"),
        ((None, ("nonsense",)), "unreadable-action"),
        ((one, two) * MAX_LINE, "invalid-plan"),
    ]:
        with pytest.raises(TerrariumError) as refused:
            planned(table, *turns)
        assert refused.value.code == code, turns
    with pytest.raises(TerrariumError) as refused:
        check_plan(table, {0}, other(table), table.seq, [None, one], "p")
    assert refused.value.code == "not-your-seat" or other(table) == 0
    with pytest.raises(TerrariumError) as refused:
        planned(table, one, two, seat=table.to_move)
    assert refused.value.code == "plan-own-turn"
    with pytest.raises(TerrariumError) as refused:
        check_plan(table, {0, 1}, other(table), table.position_seq - 1, [one, two], "p")
    assert refused.value.code == "stale-turn"


def test_a_plan_fails_when_the_game_changes_in_another_way() -> None:
    table = opened("turrium", 3, 3)
    seat = ((table.to_move or 0) + 2) % 3
    first, second, own = turns_from(table.position, 3)
    plan = planned(table, first, second, own, seat=seat)

    def after(*drafts: Draft) -> Table:
        return table.after(draft.at(table.seq + 1 + i, 0) for i, draft in enumerate(drafts))

    mover = table.to_move or 0
    gone = after(*resign(table, {mover}, mover).drafts)
    assert follow(gone, plan).reason == "game-changed"
    back = after(Draft("taken-back", mover, {"turns": 2, "resignations": 0}))
    assert follow(back, plan).reason == "game-changed"
    assert follow(after(Draft("vacated", seat)), plan).reason == "seat-lost"
    assert follow(after(Draft("agreed", mover, {"winners": [0]})), plan).reason == "game-over"
    still = after(Draft("offered", mover, {"offer": "draw"}))
    assert follow(still, plan).state == "waiting"


def test_playing_something_else_ends_the_plan() -> None:
    table = opened("turrium", turns=2)
    condition, answer = turns_from(table.position, 2)
    plan = planned(table, condition, answer)
    table = played(table, condition)
    mine = next(
        turn
        for turn in (turns_from(table.position, 1, seed)[0] for seed in range(2, 50))
        if table.position.play_all(turn) != table.position.play_all(answer)
    )
    assert follow(played(table, mine), plan).reason == "own-turn"


def test_a_planned_turn_costs_no_time_and_is_played_once_however_often_it_is_decided() -> None:
    clock = ClockChoice("game", seconds=60, increment=2)
    assert clock_rules("game", 60, 2, None)
    table = opened("turrium", turns=2, clock=clock)
    condition, answer = turns_from(table.position, 2)
    plan = planned(table, condition, answer)
    after = played(table, condition)
    assert after.clock is not None
    left = after.clock.remaining[plan.seat]
    decision = planned_turn(after, plan, follow(after, plan))
    done = after.after([decision.drafts[0].at(after.seq + 1, after.updated + 900)])
    assert done.clock is not None
    assert done.clock.remaining[plan.seat] == left + 2_000
    key = decision.drafts[0].key or ""
    assert done.logged(key) == done.seq


def test_a_new_plan_for_the_same_case_replaces_the_old_one() -> None:
    table = opened("turrium", turns=2)
    condition, answer = turns_from(table.position, 2)
    known = {"a": planned(table, condition, answer), "b": planned(table, None, answer)}
    assert replaced(known, planned(table, condition, answer)) == ["a"]
    assert replaced(known, planned(table, None, answer)) == ["b"]


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize("turns", [0, 4])
def test_a_board_to_choose_a_premove_on_has_the_seat_to_move(game: str, turns: int) -> None:
    table = opened(game, turns=turns)
    seat = other(table)
    tried, is_example = try_ahead(table, seat, [None], [])
    assert tried.position.to_move == seat
    assert tried.position.legal_actions()
    assert is_example == (turns == 0)
    assert games[game].position(tried.position.to_text()) == tried.position or game == "nova"
