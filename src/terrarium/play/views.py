"""A table as interfaces receive it: snapshots and summaries."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from terrarium import games
from terrarium.core.position import Position
from terrarium.play.boards import board_view
from terrarium.play.clocks import Clock, iso
from terrarium.play.commands import Tried as TriedActions
from terrarium.play.commands import check_fresh, check_live, try_actions
from terrarium.play.shapes import (
    ActionShape,
    ClockView,
    OfferView,
    OutcomeView,
    SeatView,
    Snapshot,
    Summary,
    Tried,
    TryActions,
    TurnPage,
)
from terrarium.play.table import Table

__all__ = [
    "MAX_TURNS",
    "clock_view",
    "legal_actions",
    "offer_views",
    "outcome_view",
    "previews",
    "seat_views",
    "snapshot",
    "summary",
    "tried_turn",
    "tried_view",
    "turn_page",
]

MAX_TURNS = 500
"""A snapshot has at most this many turns, the last ones; clients load earlier ones page by page."""


def turn_page(table: Table, before: int | None = None) -> TurnPage:
    """The last turns before turn number `before`, or the last of all."""
    end = len(table.turns) if before is None else min(before - 1, len(table.turns))
    first = max(0, end - MAX_TURNS)
    return TurnPage(table.turns[first:end], first)


def legal_actions(position: Position) -> list[ActionShape]:
    """Every legal action, as interfaces receive it."""
    return [
        ActionShape(str(action), action.kind, action.source, action.target, action.id)
        for action in position.legal_actions()
    ]


def previews(position: Position) -> dict[str, list[dict[str, Any]]]:
    """The additional effects of legal actions, by their text, as interfaces receive them."""
    return {
        text: [event.to_dict() for event in events]
        for text, events in position.game.previews(position).items()
    }


def seat_views(table: Table, connected: Collection[int] = ()) -> list[SeatView]:
    """The seats as everybody may see them."""
    colours = table.start.game.colours(table.rules)
    resigned = table.position.resigned
    characters = {one.key: one for one in table.start.game.characters}
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
            seat.is_bot,
            characters.get(seat.character or ""),
        )
        for number, seat in enumerate(table.seats)
    ]


def clock_view(clock: Clock | None, now: int) -> ClockView | None:
    """The clock as interfaces receive it."""
    if clock is None:
        return None
    view = clock.view(now)
    deadline = view.pop("deadline")
    return ClockView(
        **(view | {"now": iso(now), "deadline": None if deadline is None else iso(deadline)})
    )


def offer_views(table: Table) -> list[OfferView]:
    """The open offers."""
    return [OfferView(offer.kind, offer.seat, list(offer.accepted)) for offer in table.offers]


def outcome_view(table: Table) -> OutcomeView | None:
    """The outcome, if the game has ended."""
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
    """The full state of a game at its seq."""
    page = turn_page(table)
    return Snapshot(
        **_facts(table, you, connected, now),
        board=None if table.board is None else board_view(table.board),
        legal=legal_actions(table.position) if table.is_live else [],
        turns=page.turns,
        turns_omitted=page.omitted,
        resignations=table.resignations,
        offers=offer_views(table),
        start=table.start.to_text(),
        rules_version=games[table.game].rules_version,
        rematch_of=table.rematch_of,
    )


def tried_turn(table: Table, asked: TryActions) -> Tried:
    """The result of trying actions at a seq, and the actions that could follow; nothing is played."""
    check_fresh(table, asked.seq)
    check_live(table)
    return tried_view(table.seq, try_actions(table.position, asked.actions))


def tried_view(seq: int, tried: TriedActions) -> Tried:
    """The result of tried actions as interfaces receive it, with the actions that could follow in the same turn."""
    position, is_complete = tried.position, tried.is_complete
    return Tried(
        seq,
        [] if is_complete else legal_actions(position),
        tried.effects,
        position.view(),
        position.to_text(),
        is_complete,
        {} if is_complete else position.game.reach(position),
        None if (ending := tried.ending) is None else OutcomeView(**ending.to_dict()),
        {} if is_complete else previews(position),
    )
