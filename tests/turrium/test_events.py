"""Events describe exactly what an action did."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given

from terrarium import turrium
from terrarium.core.event import Passed, Resigned
from terrarium.turrium.events import FlagCaptured, LastRound, TowersCompleted
from tests.turrium.drawn import (
    BLUE,
    GREEN,
    LAST_STEP,
    NEARLY,
    RED,
    YELLOW,
    at,
    composed,
    moving,
    play,
)
from tests.turrium.test_invariants import any_action, check, options, seeds, walk


def event_kinds(position: turrium.Position, action: str) -> list[str]:
    """The kinds of the events of an action, in order."""
    return [event.kind for event in position.events(action)]


class Board:
    """The facts of a position, updated only by events."""

    def __init__(self, position: turrium.Position) -> None:
        self.heights, self.flags = position.heights, position.flags
        self.hand, self.cubes = list(position.hand), position.cubes_in_hand
        self.attacks, self.captures = list(position.attacks), list(position.captures)
        self.declared, self.unlocked = set(position.declared), position.unlocked
        self.before, self.outcome = position, None
        self.points = position.points_left
        self.ended: list[int] = []
        self.is_last_round = position.is_last_round

    def apply(self, event: Any) -> None:
        if event.kind == "flag-set":
            self.hand[event.seat] -= 1
            self.flags[event.cell] = event.seat
        elif event.kind == "cube-taken":
            self.cubes += 1
            self.heights[event.cell] -= 1
            if self.heights[event.cell] == 0:
                del self.heights[event.cell]
            assert event.is_enemy == (self.before.territories[event.cell] != event.seat)
        elif event.kind == "cube-placed":
            self.cubes -= 1
            self.heights[event.cell] = self.heights.get(event.cell, 0) + 1
        elif event.kind == "flag-moved":
            assert self.flags.pop(event.source) == event.seat
            self.flags[event.target] = event.seat
            self.points -= event.cost
        elif event.kind == "flag-captured":
            self.captured(event)
        elif event.kind == "flag-entered":
            self.hand[event.seat] -= 1
            self.flags[event.cell] = event.seat
            self.points -= event.cost
        elif event.kind == "unlocked":
            self.unlocked = True
        elif event.kind == "towers-completed":
            self.declared.add(event.seat)
        elif event.kind == "last-round":
            self.is_last_round = True
        elif event.kind in ("turn-ended", "passed"):
            self.ended.append(event.seat)
        elif event.kind == "game-ended":
            self.outcome = event.outcome
        else:
            assert event.kind in ("phase-skipped", "resigned"), event

    def captured(self, event: Any) -> None:
        assert self.flags[event.target] == event.captured != event.seat
        assert self.flags.pop(event.source) == event.seat
        self.flags[event.target] = event.seat
        self.hand[event.captured] += 1
        self.captures[event.seat] += 1
        self.points -= event.cost
        if event.is_attack and not self.before.is_attacking:
            self.attacks[event.seat] += 1

    def agrees(self, after: turrium.Position) -> None:
        """Check that the events described everything that changed."""
        assert (self.heights, self.flags) == (after.heights, after.flags)
        assert (self.hand, self.cubes) == (list(after.hand), after.cubes_in_hand)
        assert (self.attacks, self.captures) == (list(after.attacks), list(after.captures))
        assert (self.declared, self.unlocked) == (set(after.declared), after.unlocked)
        assert self.outcome == after.outcome
        if after.to_move == self.before.to_move and after.rounds == self.before.rounds:
            assert self.ended == []
            assert after.phase != "move" or self.points == after.points_left
        elif self.before.phase in ("take", "place", "move"):
            assert self.ended[0] == self.before.to_move
        if after.outcome is None:
            assert self.is_last_round == after.is_last_round


@check
@given(options, seeds)
def test_events_describe_exactly_what_changed(rules: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    for position in walk(rules, seed, 150):
        if position.outcome is None:
            action = any_action(position, rng)
            board = Board(position)
            for event in position.events(action):
                assert event.to_dict()["kind"] == event.kind
                board.apply(event)
            board.agrees(position.play(action))


@check
@given(options, seeds)
def test_events_of_a_resignation_describe_what_changed(rules: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    for position in walk(rules, seed, 60)[::5]:
        if position.outcome is None:
            seat = rng.randrange(position.players)
            board = Board(position)
            events = position.resignation_events(seat)
            assert events[0] == Resigned(seat)
            for event in events:
                board.apply(event)
            after = position.resign(seat)
            assert board.outcome == after.outcome
            assert (board.heights, board.flags) == (after.heights, after.flags)
            assert board.hand == list(after.hand)


def test_a_step_and_the_end_of_a_turn_are_events() -> None:  # TT-9, TT-10
    position = moving("a1=1r b1=1 e1=1 e10=1")
    assert event_kinds(position, "a1-b1") == ["flag-moved"]
    assert event_kinds(position, "end") == ["turn-ended"]


def test_a_capture_names_the_flags_owner_the_cost_and_whether_it_was_an_attack() -> None:  # TT-11
    position = moving("e5=2r e6=2b d5=2r d4=1g a1=1")
    assert position.events("e5xe6") == (FlagCaptured(RED, BLUE, "e5", "e6", 2, True),)
    assert position.events("d5xd4") == (FlagCaptured(RED, GREEN, "d5", "d4", 1, False),)


def test_a_win_is_followed_by_the_last_round_and_the_end() -> None:  # TT-14, TT-15
    position = play(moving(" ".join(NEARLY.values()), to_move=GREEN), LAST_STEP[GREEN])
    events = position.events("end")
    assert [event.kind for event in events] == ["towers-completed", "turn-ended", "last-round"]
    assert events[0] == TowersCompleted(GREEN)
    assert events[2] == LastRound((YELLOW,))
    last = play(moving(NEARLY[YELLOW], to_move=YELLOW), LAST_STEP[YELLOW])
    assert event_kinds(last, "end")[-1] == "game-ended"
    assert "last-round" not in event_kinds(last, "end")


def test_seats_passed_over_are_events() -> None:  # TT-16
    reds = "a1=1r c1=1r e1=1r a3=1r c3=1r e3=1r"
    blues = "a10=1b c10=1b e10=1b a8=1b c8=1b e8=1b"
    greens = "h8=1 g8=1g i8=1g h7=1g h9=1g"
    position = play(at(f"{reds} {blues} {greens}", to_move=GREEN), "-h8 +h8")
    passed = [event.seat for event in position.events("end") if isinstance(event, Passed)]
    assert passed == [YELLOW, RED, BLUE]
    assert position.play("end").to_move == GREEN
    assert composed(f"{reds} {blues} {greens}", to_move=RED).to_move == GREEN


def test_the_unlocking_of_captures_is_an_event() -> None:  # TT-17
    drawing = "a1=1r a2=2r a3=3r a4=4r a5=5r b5=5r b4=4 e1=1"
    position = moving(drawing, variant="burgenland")
    assert event_kinds(position, "b5-b4") == ["flag-moved", "unlocked"]
    again = play(position, "b5-b4 b4-b5")
    assert event_kinds(again, "b5-b4") == ["flag-moved"]
