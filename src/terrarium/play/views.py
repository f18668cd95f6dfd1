"""A table as interfaces see it: snapshots and summaries."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from terrarium import games
from terrarium.core.position import Position
from terrarium.play.boards import board_view
from terrarium.play.clocks import Clock, iso
from terrarium.play.shapes import (
    ActionShape,
    ClockView,
    OfferView,
    OutcomeView,
    SeatView,
    Snapshot,
    Summary,
)
from terrarium.play.table import Table

__all__ = [
    "clock_view",
    "legal_actions",
    "offer_views",
    "outcome_view",
    "seat_views",
    "snapshot",
    "summary",
]


def legal_actions(position: Position) -> list[ActionShape]:
    """Every legal action, as interfaces receive it."""
    return [
        ActionShape(str(action), action.kind, action.source, action.target, action.id)
        for action in position.legal_actions()
    ]


def seat_views(table: Table, connected: Collection[int] = ()) -> list[SeatView]:
    """The seats as everybody may see them."""
    colours = table.start.game.colours(table.rules)
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
            seat.is_account,
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
        turns=table.turns,
        resignations=table.resignations,
        offers=offer_views(table),
        start=table.start.to_text(),
        rules_version=games[table.game].rules_version,
        rematch_of=table.rematch_of,
    )
