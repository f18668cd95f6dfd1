"""The types of the messages on a live connection, and the messages that events cause."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, structs

from terrarium.play.log import LogEvent
from terrarium.play.shapes import (
    ActionShape,
    AnyDict,
    ClockView,
    OfferView,
    OutcomeView,
    ResignationView,
    SeatView,
    Snapshot,
    Status,
    TurnView,
)
from terrarium.play.table import Table
from terrarium.play.views import (
    clock_view,
    legal_actions,
    offer_views,
    outcome_view,
    seat_views,
    snapshot,
)

__all__ = [
    "ChangedMessage",
    "EventMessage",
    "GameMessage",
    "PongMessage",
    "PresenceMessage",
    "QueueMessage",
    "ReadyMessage",
    "SnapshotMessage",
    "for_watchers",
    "messages",
    "snapshot_message",
]


class SnapshotMessage(Snapshot, kw_only=True):
    """The full state of a game, for a client that missed too many events to receive them one by one."""

    type: Literal["snapshot"] = "snapshot"


class TakebackMessage(Snapshot, kw_only=True):
    """Turns were taken back; the full state of the game, except which seats are yours."""

    type: Literal["takeback"] = "takeback"
    you: list[int] | UnsetType = UNSET  # type: ignore[assignment]


class EventMessage(Struct, kw_only=True):
    """The common fields of messages about events."""

    seq: int
    status: Status
    clock: ClockView | None


class PositionMessage(EventMessage, kw_only=True):
    """An event that changed the position."""

    turn_number: int
    view: AnyDict
    legal: list[ActionShape]
    position: str
    seats: list[SeatView]
    offers: list[OfferView]


class TurnMessage(PositionMessage, kw_only=True):
    """A turn was played."""

    type: Literal["turn"] = "turn"
    turn: TurnView


class ResignedMessage(PositionMessage, kw_only=True):
    """A seat resigned, or its time was up."""

    type: Literal["resigned"] = "resigned"
    resignation: ResignationView


class OfferAnswer(Struct):
    """The answer of a seat to an offer."""

    seat: int
    offer: str
    accept: bool


class OffersMessage(EventMessage, kw_only=True):
    """Offers were made, answered or ended."""

    type: Literal["offers"] = "offers"
    offers: list[OfferView]
    answer: OfferAnswer | UnsetType = UNSET


class SeatsMessage(EventMessage, kw_only=True):
    """Somebody sat down or lost a seat."""

    type: Literal["seats"] = "seats"
    seats: list[SeatView]


class RematchMessage(EventMessage, kw_only=True):
    """A rematch was set up."""

    type: Literal["rematch"] = "rematch"
    id: str | None


class OverMessage(EventMessage, kw_only=True):
    """The game is over; follows the message about the event that ended it."""

    type: Literal["over"] = "over"
    outcome: OutcomeView | None


class PresenceMessage(Struct, kw_only=True):
    """Which seats are connected."""

    type: Literal["presence"] = "presence"
    connected: list[int]


class ReadyMessage(Struct, kw_only=True):
    """All missed events have been sent, or your seats changed; lists the seats that are yours now."""

    type: Literal["ready"] = "ready"
    seq: int
    you: list[int]
    connected: list[int]


class ChangedMessage(Struct, kw_only=True):
    """Something that only some seats may read changed: load it again. Sent only to those seats."""

    type: Literal["changed"] = "changed"
    what: Literal["talk", "plans"]


class PongMessage(Struct, kw_only=True):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"
    now: str
    at: float | None


class QueueMessage(Struct, kw_only=True):
    """The number of turns that the computer to move waits for; 0 when it thinks."""

    type: Literal["queue"] = "queue"
    ahead: int


GameMessage = (
    SnapshotMessage
    | TakebackMessage
    | TurnMessage
    | ResignedMessage
    | OffersMessage
    | SeatsMessage
    | RematchMessage
    | OverMessage
    | PresenceMessage
    | ReadyMessage
    | ChangedMessage
    | PongMessage
    | QueueMessage
)


def snapshot_message(
    table: Table, you: Collection[int], connected: Collection[int], now: int
) -> SnapshotMessage:
    """The full state of a game, as a message."""
    return SnapshotMessage(**structs.asdict(snapshot(table, you, connected, now)))


def for_watchers(message: GameMessage) -> GameMessage:
    """The message for spectators: without the legal actions, which are most of its size."""
    return structs.replace(message, legal=[]) if hasattr(message, "legal") else message


def messages(
    before: Table,
    log: Sequence[LogEvent],
    connected: Collection[int],
    now: int,
    after: Table | None = None,
) -> Iterator[GameMessage]:
    """The messages to all connections about events after `before`, one or two for each, in order.

    `after` is the table after all of them, if it is known; then the last event is not applied again.
    """
    table = before
    for event in log:
        was_over = table.outcome is not None
        is_last = after is not None and event.seq == after.seq
        table = after if is_last and after is not None else table.after([event])
        yield _message(table, event, connected, now)
        if table.outcome is not None and not was_over:
            yield OverMessage(**_common(table, event, now), outcome=outcome_view(table))


def _common(table: Table, event: LogEvent, now: int) -> dict[str, Any]:
    return {"seq": event.seq, "status": table.status, "clock": clock_view(table.clock, now)}


def _position(table: Table, connected: Collection[int]) -> dict[str, Any]:
    return {
        "turn_number": len(table.turns),
        "view": table.position.view(),
        "legal": legal_actions(table.position) if table.is_live else [],
        "position": table.position.to_text(),
        "seats": seat_views(table, connected),
        "offers": [],
    }


def _message(table: Table, event: LogEvent, connected: Collection[int], now: int) -> GameMessage:
    if event.kind == "taken-back":
        facts = structs.asdict(snapshot(table, (), connected, now))
        return TakebackMessage(**(facts | {"you": UNSET}))
    common = _common(table, event, now)
    if table.turns and table.turns[-1].seq == event.seq:
        return TurnMessage(**common, **_position(table, connected), turn=table.turns[-1])
    if table.resignations and table.resignations[-1].seq == event.seq:
        resignation = table.resignations[-1]
        return ResignedMessage(**common, **_position(table, connected), resignation=resignation)
    if event.kind == "answered":
        answer = OfferAnswer(event.seat or 0, event.data["offer"], event.data["accept"])
        return OffersMessage(**common, offers=offer_views(table), answer=answer)
    if event.kind in ("offered", "agreed", "aborted", "vacation"):
        return OffersMessage(**common, offers=offer_views(table))
    if event.kind == "rematched":
        return RematchMessage(**common, id=table.rematch)
    return SeatsMessage(**common, seats=seat_views(table, connected))
