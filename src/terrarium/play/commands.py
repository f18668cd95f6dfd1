"""Commands at a table: each function returns the events that follow, or raises a refusal.

Nothing is stored here: `Tables` stores the events, and runs the command again if another one was stored first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from terrarium.core.event import Event
from terrarium.core.game import Game
from terrarium.core.outcome import Outcome
from terrarium.core.position import Position
from terrarium.engine import default_level
from terrarium.errors import TerrariumError
from terrarium.play.characters import computer_data
from terrarium.play.errors import Conflict, Forbidden, Unprocessable
from terrarium.play.log import LogEvent, NewGameRows, SeatHolders
from terrarium.play.table import PlayedOut, Table

__all__ = [
    "Decision",
    "Draft",
    "Tried",
    "abort",
    "check_alone",
    "check_engine",
    "check_fresh",
    "check_live",
    "check_room",
    "expire",
    "must_hold",
    "play_turn",
    "resign",
    "try_actions",
]

MAX_TURN = 64
"""The most actions in a turn of any game."""
MAX_EVENTS = 5_000
"""After this many events only turns are possible: no names, offers or take-backs."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event without a seq."""

    kind: str
    seat: int | None = None
    data: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    played: PlayedOut | None = None
    """For a turn: the position and events after it, from the check of the turn."""

    def at(self, seq: int, now: int) -> LogEvent:
        return LogEvent(seq, now, self.kind, self.seat, self.data, self.key)


@dataclass(frozen=True, slots=True)
class Decision:
    """The events that follow from a command, and the new holders of seats."""

    drafts: tuple[Draft, ...] = ()
    holders: dict[int, SeatHolders] = field(default_factory=dict)
    new: NewGameRows | None = None
    """A new game that the command creates."""
    replayed: int | None = None
    """The seq at which the same command was already executed."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of trying actions: for each of them the position after it and its events."""

    start: Position
    steps: list[tuple[Position, tuple[Event, ...]]]

    @property
    def position(self) -> Position:
        """The position after all of them."""
        return self.steps[-1][0] if self.steps else self.start

    @property
    def effects(self) -> list[list[dict[str, Any]]]:
        """The events of each of them, as interfaces receive them."""
        return [[event.to_dict() for event in events] for _, events in self.steps]

    @property
    def is_complete(self) -> bool:
        """Whether they are a whole turn."""
        after = self.position
        return bool(self.steps) and (after.at_turn_start or after.outcome is not None)

    @property
    def ending(self) -> Outcome | None:
        """How the game would end if the turn were finished here; None if it would continue, or can't be finished."""
        after = self.position
        if after.outcome is None and not self.is_complete:
            end = next((action for action in after.legal_actions() if action.kind == "end"), None)
            after = after if end is None else after.play(end)
        return after.outcome

    @property
    def turn(self) -> PlayedOut:
        """The same as one turn of a table."""
        return PlayedOut(
            self.position, tuple(event for _, events in self.steps for event in events)
        )


def check_live(table: Table) -> None:
    """Refuse if the game has ended."""
    if not table.is_live:
        message = f"game {table.id} has ended ({table.status}); start another one"
        raise Conflict("game-over", message, seq=table.seq)


def check_fresh(table: Table, seq: int) -> None:
    """Refuse a command for a position that has changed since `seq`."""
    if not table.position_seq <= seq <= table.seq:
        message = f"seq {seq}: the game is at seq {table.seq} now; load it again"
        raise Conflict("stale-turn", message, seq=table.seq)


def check_room(table: Table) -> None:
    """Limit how often people change names, make offers and take turns back in one game."""
    if table.seq >= MAX_EVENTS:
        message = (
            f"this game has reached the limit of {MAX_EVENTS:,} events; only turns are possible"
        )
        raise Conflict("too-much-happened", message, seq=table.seq)


def must_hold(table: Table, held: Collection[int], seat: int) -> None:
    """Refuse a caller who does not hold the seat."""
    if not 0 <= seat < table.players:
        message = f"seat {seat}: this game has seats 0 to {table.players - 1}"
        raise Unprocessable("no-such-seat", message)
    if seat not in held:
        raise Forbidden("not-your-seat", f"seat {seat} is not yours; send its secret or its cookie")


def try_actions(position: Position, actions: Sequence[str], *, one_turn: bool = True) -> Tried:
    """Play the actions one by one; the first illegal one raises an error with its `index`."""
    tried = Tried(position, [])
    for index, text in enumerate(actions):
        try:
            if one_turn and index and (position.at_turn_start or position.outcome is not None):
                message = f"{text}: the turn was over before this action; send one turn at a time"
                raise Unprocessable("turn-too-long", message)
            tried.steps.append(position.step(text))
        except TerrariumError as error:
            error.index = index  # type: ignore[attr-defined]
            raise
        position = tried.position
    return tried


def play_turn(
    table: Table,
    held: Collection[int],
    seq: int,
    actions: Sequence[str],
    key: str | None,
    *,
    now: int,
    lag: int = 0,
    by: str = "player",
) -> Decision:
    """Play a whole turn of the seat to move, for the position at `seq`; a repeated request with the same key has no effect."""
    if key is not None:
        found = {own: table.logged(f"{own}:{key}") for own in held}
        done = {own: at for own, at in found.items() if at is not None}
        # A turn is logged after the seq that it was sent for: the next entry with its key is this turn.
        logged = sorted(at for at in done.values() if at > seq)
        if logged and list(actions) == table.log[logged[0] - 1].data["actions"]:
            return Decision(replayed=logged[0])
        if logged or table.to_move in done:
            message = f"key {key!r}: another turn was sent with it; use a new key for each"
            raise Conflict("key-reused", message, seq=table.seq)
    if not held:
        raise Forbidden(
            "not-your-seat", "none of this game's seats is yours; send a secret or a cookie"
        )
    check_fresh(table, seq)
    check_live(table)
    seat = table.to_move
    if seat is None or seat not in held:
        raise Forbidden(
            "not-your-turn", f"it is seat {seat}'s turn, which is not yours", seq=table.seq
        )
    if not actions or len(actions) > MAX_TURN:
        message = f"{len(actions)} actions: a turn has 1 to {MAX_TURN}"
        raise Unprocessable("turn-incomplete" if not actions else "turn-too-long", message)
    tried = try_actions(table.position, actions)
    if not tried.is_complete:
        message = f"{' '.join(actions)}: the turn is not over yet; send it whole"
        raise Unprocessable("turn-incomplete", message)
    data: dict[str, Any] = {"actions": list(actions), "by": by}
    if table.clock is not None:
        spent, forgiven = table.clock.charge(seat, now, lag)
        data |= {"spent": spent, "lag": forgiven}
    stored_key = None if key is None else f"{seat}:{key}"
    return Decision((Draft("turn", seat, data, stored_key, tried.turn),))


def check_engine(game: Game) -> None:
    """Refuse a game that the engine can't play."""
    if not game.levels:
        raise Unprocessable("no-evaluation", f"{game.title}: the engine can't play this game")


def check_alone(table: Table, held: Collection[int]) -> None:
    """Refuse help from the engine in a game against other people."""
    others = [
        number
        for number, seat in enumerate(table.seats)
        if number not in held and not seat.is_computer and number not in table.position.resigned
    ]
    if others:
        message = "the engine gives no hints in games against other people"
        raise Conflict("hint-against-people", message, seq=table.seq)


def resign(table: Table, held: Collection[int], seat: int) -> Decision:
    """A seat resigns (TN-28, TT-19)."""
    must_hold(table, held, seat)
    check_live(table)
    table.position.resign(seat)
    return Decision((Draft("resigned", seat, {"by": "player"}),))


def abort(table: Table, held: Collection[int]) -> Decision:
    """Abort the game: before its first turn, or while nobody else has sat down."""
    if not held:
        raise Forbidden("not-your-seat", "only somebody with a seat may abort the game")
    check_live(table)
    others = [
        seat
        for number, seat in enumerate(table.seats)
        if number not in held and seat.is_taken and not seat.is_computer
    ]
    if table.turns and (others or table.status != "waiting"):
        message = (
            f"{len(table.turns)} turns have been played; a game is aborted before its first turn"
        )
        raise Conflict("already-started", message, seq=table.seq)
    return Decision((Draft("aborted", min(held)),))


def expire(table: Table, holders: Sequence[SeatHolders], now: int, lag: int = 0) -> Decision:
    """The events if the running seat's time is up; none if it is not."""
    clock = table.clock
    if clock is None or not table.is_live or clock.running is None or clock.deadline is None:
        return Decision()
    seat = clock.running
    _, forgiven = clock.charge(seat, now, lag)
    if now - forgiven <= clock.deadline:
        return Decision()
    effect = "lost"
    if table.players > 2:
        effect = table.on_timeout
    data: dict[str, Any] = {"effect": effect, "by": "timeout"}
    if effect != "computer":
        return Decision((Draft("timed-out", seat, data),))
    # A computer takes over, so the former player no longer holds the seat.
    data |= computer_data(table, default_level(table.start.game))
    return Decision((Draft("timed-out", seat, data),), {seat: holders[seat].left()})
