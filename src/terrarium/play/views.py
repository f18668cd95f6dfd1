"""A table as interfaces see it: snapshots, summaries and the messages that tell what happened."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from terrarium import games
from terrarium.core.position import Position
from terrarium.play.boards import board_view
from terrarium.play.clocks import Clock
from terrarium.play.log import LogEvent
from terrarium.play.shapes import (
    ActionShape,
    ClockView,
    OfferView,
    OutcomeView,
    SeatView,
    Snapshot,
    Summary,
    TurnView,
)
from terrarium.play.table import Table, Turn

__all__ = [
    "clock_view",
    "iso",
    "legal_actions",
    "messages",
    "seat_views",
    "snapshot",
    "summary",
    "turn_view",
]

_COLOURS = ("yellow", "red", "blue", "green")


def iso(at: int) -> str:
    """A moment as text, in UTC."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def legal_actions(position: Position) -> list[ActionShape]:
    """Every legal action, as interfaces receive it."""
    return [
        ActionShape(str(action), action.kind, action.source, action.target, action.id)
        for action in position.legal_actions()
    ]


def seat_views(table: Table, connected: Collection[int] = ()) -> list[SeatView]:
    """The seats as everybody may see them."""
    colours = getattr(table.rules, "colours", None) or _COLOURS
    resigned = table.position.resigned
    return [
        SeatView(
            number,
            seat.kind,
            seat.name,
            seat.level,
            seat.is_taken,
            seat.is_computer or number in connected,
            colours[number],
            number in resigned,
        )
        for number, seat in enumerate(table.seats)
    ]


def clock_view(clock: Clock | None, now: int) -> ClockView | None:
    """The clock as it stands."""
    if clock is None:
        return None
    view = clock.view(now)
    deadline = view.pop("deadline")
    return ClockView(
        **(view | {"now": iso(now), "deadline": None if deadline is None else iso(deadline)})
    )


def turn_view(turn: Turn) -> TurnView:
    """A turn as interfaces receive it."""
    view = TurnView(
        turn.number,
        turn.seat,
        list(turn.actions),
        list(turn.events),
        iso(turn.at),
        turn.by,
        turn.seq,
    )
    if turn.clock is not None:
        view.clock_ms = turn.clock
    return view


def offer_views(table: Table) -> list[OfferView]:
    """What is proposed now."""
    return [OfferView(offer.kind, offer.seat, list(offer.accepted)) for offer in table.offers]


def outcome_view(table: Table) -> OutcomeView | None:
    """How the game ended, if it has."""
    outcome = table.outcome
    return None if outcome is None else OutcomeView(**outcome)


def _facts(
    table: Table, you: Collection[int], connected: Collection[int], now: int
) -> dict[str, Any]:
    return {
        "id": table.id,
        "game": table.game,
        "rules": table.rules.to_dict(),
        "board_name": None if table.board is None else table.board.name,
        "seats": seat_views(table, connected),
        "you": sorted(you),
        "status": table.status,
        "visibility": table.visibility,
        "clock": clock_view(table.clock, now),
        "seq": table.seq,
        "turn": len(table.turns),
        "position": table.position.to_text(),
        "view": table.position.view(),
        "outcome": outcome_view(table),
        "rematch": table.rematch,
        "created": iso(table.created),
        "updated": iso(table.updated),
    }


def summary(table: Table, you: Collection[int], connected: Collection[int], now: int) -> Summary:
    """A game in a list."""
    return Summary(**_facts(table, you, connected, now))


def snapshot(table: Table, you: Collection[int], connected: Collection[int], now: int) -> Snapshot:
    """Everything about a game at its seq."""
    return Snapshot(
        **_facts(table, you, connected, now),
        board=None if table.board is None else board_view(table.board),
        legal=legal_actions(table.position) if table.is_live else [],
        turns=[turn_view(turn) for turn in table.turns],
        offers=offer_views(table),
        start=table.start.to_text(),
        rules_version=games[table.game].rules_version,
        rematch_of=table.rematch_of,
    )


def messages(
    before: Table, log: Sequence[LogEvent], connected: Collection[int], now: int
) -> Iterator[dict[str, Any]]:
    """What to tell everybody about events after `before`, one or two messages for each, in order."""
    table = before
    for event in log:
        was_over = table.outcome is not None
        table = table.after([event])
        yield _message(table, event, connected, now)
        if table.outcome is not None and not was_over:
            yield {
                "type": "over",
                "seq": event.seq,
                "status": table.status,
                "outcome": outcome_view(table),
                "clock": clock_view(table.clock, now),
            }


def _message(table: Table, event: LogEvent, connected: Collection[int], now: int) -> dict[str, Any]:
    common = {"seq": event.seq, "status": table.status, "clock": clock_view(table.clock, now)}
    if event.kind == "taken-back":
        body = snapshot(table, (), connected, now)
        facts = {name: getattr(body, name) for name in body.__struct_fields__ if name != "you"}
        return facts | {"type": "takeback"}
    if table.turns and table.turns[-1].seq == event.seq:
        return common | {
            "type": "turn",
            "turn": turn_view(table.turns[-1]),
            "turn_number": len(table.turns),
            "view": table.position.view(),
            "legal": legal_actions(table.position) if table.is_live else [],
            "position": table.position.to_text(),
            "seats": seat_views(table, connected),
            "offers": [],
        }
    if event.kind in ("offered", "answered"):
        extra: dict[str, Any] = {}
        if event.kind == "answered":
            extra = {"answer": {"seat": event.seat} | event.data}
        return common | {"type": "offers", "offers": offer_views(table)} | extra
    if event.kind == "rematched":
        return common | {"type": "rematch", "id": table.rematch}
    if event.kind in ("agreed", "aborted", "vacation"):
        return common | {"type": "offers", "offers": offer_views(table)}
    return common | {"type": "seats", "seats": seat_views(table, connected)}
