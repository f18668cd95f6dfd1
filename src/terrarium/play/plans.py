"""Turns planned ahead: what a seat will play next, in any case or if the others play certain turns.

A plan is a line of turns from the position in which it was made. `None` means any turns of the others until it
is the seat's turn again. Every other entry is a whole turn: a turn of the others is a condition, a turn of the seat will be played. The
progress of a plan depends only on the game's log, so that it is the same for every worker and after a restart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from terrarium.core.position import Position
from terrarium.errors import TerrariumError
from terrarium.play.commands import (
    MAX_TURN,
    Decision,
    Tried,
    check_live,
    must_hold,
    play_turn,
    try_actions,
)
from terrarium.play.errors import Conflict, Unprocessable
from terrarium.play.log import LOSING_EVENTS
from terrarium.play.table import Table

__all__ = [
    "MAX_LINE",
    "MAX_PLANS",
    "Plan",
    "PlannedTurn",
    "Progress",
    "check_plan",
    "due",
    "follow",
    "planned_turn",
    "replaced",
    "try_ahead",
]

MAX_PLANS = 8
"""The most plans of one seat at the same time."""
MAX_LINE = 12
"""The most turns of one plan."""
PlannedTurn = tuple[str, ...] | None
_QUIET = frozenset({"turn", "sat", "offered", "answered", "vacation", "rematched"})
"""Events that don't invalidate a plan: the position still depends only on the turns."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A line of turns for one seat; `base` is the seq at which the position had last changed when it was made."""

    id: str
    seat: int
    base: int
    turns: tuple[PlannedTurn, ...]

    @property
    def is_certain(self) -> bool:
        """Whether it begins with a condition."""
        return self.turns[0] is not None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a plan: `waiting`, `due`, `played` to its end, or `failed` for a reason."""

    state: str
    done: int
    """How many of its entries have been played."""
    reason: str | None = None
    """Why it failed: `other-turn`, `own-turn`, `game-changed`, `game-over`, `seat-lost`, or the code of an illegal action."""
    actions: tuple[str, ...] = ()
    """The actions to play now, if it is due."""


def check_plan(
    table: Table, held: Collection[int], seat: int, seq: int, turns: Sequence[PlannedTurn], id: str
) -> Plan:
    """A plan for the position at `seq`; refused if the rules don't allow it as far as the position is known."""
    must_hold(table, held, seat)
    check_live(table)
    if not table.position_seq <= seq <= table.seq:
        message = f"seq {seq}: the game is at seq {table.seq} now; load it again"
        raise Conflict("stale-turn", message, seq=table.seq)
    if table.to_move == seat:
        raise Conflict("plan-own-turn", "it is this seat's turn: play it", seq=table.seq)
    if not 2 <= len(turns) <= MAX_LINE or any(turn == () for turn in turns):
        raise Unprocessable("invalid-plan", f"{len(turns)} turns: a plan has 2 to {MAX_LINE}")
    position: Position | None = table.position
    is_own = False
    for index, turn in enumerate(turns):
        is_own = _is_own(position, seat, turns[index - 1] if index else ())
        if turn is None:
            if is_own:
                raise _invalid(index, "it is a turn of the plan's own seat")
            position = None
        elif len(turn) > MAX_TURN:
            raise _invalid(index, f"a turn has at most {MAX_TURN} actions")
        elif position is not None:
            position = _whole(position, turn, index)
        elif not is_own:
            raise _invalid(index, "after null the turns of the others can't be given")
        else:
            for action in turn:
                table.position.parse(action)
    if not is_own:
        raise _invalid(len(turns) - 1, "a plan ends with a turn of its own seat")
    return Plan(id, seat, table.position_seq, tuple(turns))


def _is_own(position: Position | None, seat: int, before: PlannedTurn) -> bool:
    """Whether the next turn of a line is the seat's; if the position is unknown, only directly after `None`."""
    return before is None if position is None else position.to_move == seat


def _invalid(index: int, problem: str) -> Unprocessable:
    return Unprocessable("invalid-plan", f"turn {index + 1} of the plan: {problem}", index=index)


def _whole(position: Position, turn: Sequence[str], index: int) -> Position:
    if position.outcome is not None:
        raise _invalid(index, "the game would be over before it")
    tried = try_actions(position, turn)
    if not tried.is_complete:
        raise Unprocessable("turn-incomplete", f"{' '.join(turn)}: the turn is not over yet")
    return tried.position


def try_ahead(
    table: Table, seat: int, turns: Sequence[PlannedTurn], actions: Sequence[str]
) -> tuple[Tried, bool]:
    """The result of a line followed by some actions, and whether its position is only an example.

    For `None` the position stays as it is, with the seat to move. If there is no such position, for instance while pieces are
    set up in turn, the others play arbitrary legal turns, and the position is an example.
    """
    position, is_example = table.position, False
    for index, turn in enumerate(turns[:MAX_LINE]):
        if turn is not None:
            position = _whole(position, turn, index)
            continue
        imagined = position.game.imagine(position, seat)
        if imagined is None:
            position, is_example = _until_own(position, seat), True
        else:
            position = imagined
    return try_actions(position, actions), is_example


def _until_own(position: Position, seat: int) -> Position:
    for _ in range(MAX_TURN * position.players):
        if position.outcome is not None or (position.to_move == seat and position.at_turn_start):
            return position
        position = position.play(position.legal_actions()[-1])
    return position


def follow(table: Table, plan: Plan) -> Progress:
    """The progress of a plan in the game."""
    log = table.log[plan.base :]
    if any(event.kind in LOSING_EVENTS and event.seat == plan.seat for event in log):
        return Progress("failed", 0, "seat-lost")
    first = bisect_right(table.turns, plan.base, key=lambda turn: turn.seq)
    turns = table.turns[first:]
    if any(event.kind not in _QUIET for event in log):
        return Progress("failed", 0, "game-changed" if table.is_live else "game-over")
    position = table.position_at(first)
    done = 0
    for turn in turns:
        after = position.play_all(turn.actions)
        if turn.seat == plan.seat and plan.turns[done] is None:
            done += 1
        expected = plan.turns[done]
        if expected is not None:
            if not _leads_to(position, expected, after):
                reason = "own-turn" if turn.seat == plan.seat else "other-turn"
                return Progress("failed", done, reason)
            done += 1
            if done == len(plan.turns):
                return Progress("played", done)
        position = after
    if not table.is_live:
        return Progress("failed", done, "game-over")
    if table.to_move != plan.seat:
        return Progress("waiting", done)
    actions = plan.turns[done] or plan.turns[done + 1] or ()
    try:
        if not try_actions(table.position, actions).is_complete:
            return Progress("failed", done, "turn-incomplete")
    except TerrariumError as error:
        return Progress("failed", done, error.code)
    return Progress("due", done, actions=actions)


def _leads_to(position: Position, turn: Sequence[str], after: Position) -> bool:
    """Whether a turn leads to a position; the order of its actions does not matter."""
    try:
        return position.play_all(turn) == after
    except TerrariumError:
        return False


def due(table: Table, plans: Iterable[Plan]) -> tuple[Plan, Progress] | None:
    """The plan to be played now; a plan with a condition comes before one without."""
    found = [(plan, follow(table, plan)) for plan in plans]
    ready = [item for item in found if item[1].state == "due"]
    return min(ready, key=lambda item: not item[0].is_certain, default=None)


def replaced(plans: Mapping[str, Plan], new: Plan) -> list[str]:
    """The ids of plans that a new one replaces: those for the same case."""
    return [
        id
        for id, plan in plans.items()
        if plan.seat == new.seat
        and plan.turns[:-1] == new.turns[:-1]
        and (plan.base == new.base or not new.is_certain)
    ]


def planned_turn(table: Table, plan: Plan, progress: Progress) -> Decision:
    """The turn that is due. It is charged no time, because it was planned before the clock started."""
    now = table.updated if table.clock is None else table.clock.since
    key = f"plan {plan.id} {progress.done}"
    return play_turn(table, {plan.seat}, table.seq, progress.actions, key, now=now)
