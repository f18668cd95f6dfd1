"""Continues a game from a browser on this server: every event of its log is checked again by the rules.

Nothing of the log is trusted. Its first event becomes an order for a new table; its turns, resignations and
take-backs are executed as commands, and refused if a table would refuse them. Offers and clocks are not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from terrarium.errors import TerrariumError
from terrarium.play.commands import MAX_EVENTS, Decision, Draft, check_live, play_turn, resign
from terrarium.play.errors import Unprocessable
from terrarium.play.log import LogEvent
from terrarium.play.people import Owner
from terrarium.play.seats import NewGame, new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table

__all__ = ["continued"]

_EFFECTLESS = frozenset({"offered", "answered", "sat", "vacation", "rematched"})


def continued(
    log: Sequence[LogEvent], creator: str, now: int, account: Owner | None = None
) -> NewGame:
    """The game that a log describes, as a new game of `creator`; raises if it is not a game by the rules."""
    if not 1 <= len(log) <= MAX_EVENTS:
        raise _refusal(f"{len(log)} events; a game has 1 to {MAX_EVENTS:,}")
    first = log[0]
    if first.kind != "created":
        raise _refusal(f"its first event is {first.kind[:20]!r}")
    earlier = 0
    for number, event in enumerate(log, start=1):
        if event.seq != number or not earlier <= event.at <= now:
            raise _refusal("its events are not in ascending order", number)
        earlier = event.at
    made = new_game(_order(first.data), creator, first.at, account)
    table = made.table
    for event in log[1:]:
        if event.kind in _EFFECTLESS:
            continue
        try:
            decision = _DECIDE.get(event.kind, _unknown)(table, event)
        except TerrariumError as error:
            raise _refusal(str(error), event.seq) from None
        drafts = enumerate(decision.drafts, start=table.seq + 1)
        table = table.after([draft.at(seq, event.at) for seq, draft in drafts])
    return NewGame(table, made.holders, made.secrets)


def _order(data: dict[str, Any]) -> CreateGame:
    """The order for the table in the log's first event, without the clock, because it ran in the meantime."""
    try:
        seats = [
            {"kind": seat["kind"], "name": seat["name"], "level": seat["level"]}
            for seat in data["seats"]
        ]
        order = {name: data[name] for name in ("game", "rules", "board")} | {
            "position": data.get("position"),
            "seats": seats,
        }
        found = msgspec.convert(order, CreateGame)
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise _refusal(f"its first event can't be read: {error}", 1) from None
    if any(seat.kind not in ("device", "computer") for seat in found.seats or [SeatChoice("link")]):
        raise _refusal("it has seats for people elsewhere", 1)
    return found


def _turn(table: Table, event: LogEvent) -> Decision:
    actions = event.data.get("actions")
    if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
        raise Unprocessable("turn-incomplete", "a turn is a list of actions")
    if event.seat is None or event.seat != table.to_move:
        raise Unprocessable("not-your-turn", f"it is seat {table.to_move}'s turn")
    by = "computer" if table.seats[event.seat].is_computer else "player"
    return play_turn(table, {event.seat}, table.seq, actions, None, now=event.at, by=by)


def _resigned(table: Table, event: LogEvent) -> Decision:
    if event.seat is None:
        raise Unprocessable("no-such-seat", "nobody resigns")
    return resign(table, {event.seat}, event.seat)


def _taken_back(table: Table, event: LogEvent) -> Decision:
    check_live(table)
    kept, resignations = event.data.get("turns"), event.data.get("resignations")
    is_possible = (
        isinstance(kept, int)
        and isinstance(resignations, int)
        and 0 <= kept < len(table.turns)
        and 0 <= resignations <= len(table.resignations)
        and all(one.after <= kept for one in table.resignations[:resignations])
        and event.seat in range(table.players)
    )
    if not is_possible:
        raise Unprocessable("nothing-to-take-back", "this can't be taken back")
    return Decision(
        (Draft("taken-back", event.seat, {"turns": kept, "resignations": resignations}),)
    )


def _unknown(table: Table, event: LogEvent) -> Decision:
    """Raise for ends and seat changes that were caused by other people or clocks."""
    message = f"{event.kind[:20]!r}: only turns, resignations and take-backs can be continued"
    raise Unprocessable("log-refused", message)


_DECIDE: dict[str, Callable[[Table, LogEvent], Decision]] = {
    "turn": _turn,
    "resigned": _resigned,
    "taken-back": _taken_back,
}


def _refusal(reason: str, seq: int | None = None) -> Unprocessable:
    where = "" if seq is None else f" (event {seq})"
    return Unprocessable("log-refused", f"this is not the log of a game{where}: {reason[:200]}")
