"""The themes of puzzles of Terra Nova.

| theme | what the solution does |
|---|---|
| close | closes a territory that pays the seat more than any rival (TN-16 to TN-18) |
| majority | has most pioneers in a region or territory in which a rival had at least as many before the turn (TN-18) |
| split | divides a region with one stone so that both parts score, or cuts rivals off from land that scores, or keeps both parts in play |
| block | prevents a rival from closing land in its next turn, or locks a rival's pioneers in (TN-10) |
| race | closes land that a rival would have closed in its next turn, or prepares a closing that the expected answers do not prevent |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from terrarium.core.event import Event
from terrarium.core.reason import Course
from terrarium.nova.events import StonePlaced, TerritoryScored
from terrarium.nova.reasons import stuck

__all__ = ["themes"]

_LEAST = 6
"""Closings for fewer points don't count."""

_ENTER = 3
"""The most pioneers that a seat can move into a region in one turn: one with each action (TN-7)."""

_LOCKED = 2
"""How many pioneers a turn must lock in to count as a block."""


def themes(line: Course, nothing: Course | None) -> tuple[str, ...]:
    """The themes of the line's first turn, which the line's seat plays."""
    before, after, seat = line.stops[0], line.after, line.seat
    closed = [one for one in _scored(line.events[0]) if _is_gain(one, seat)]
    threats = [] if nothing is None else _threats(nothing)
    found = []
    if sum(one.awards[seat] for one in closed) >= _LEAST:
        found.append("close")
    if any(_turns_majority(before, one.cells, one.pioneers, seat) for one in closed) or any(
        _turns_majority(before, region.cells, region.pioneers, seat)
        for region in after.regions()
        if len(region.cells) < len(before.board.cells) / 4 and sum(region.pioneers) > 1
    ):
        found.append("majority")
    if (
        _scores_both_parts(line.events[0], seat)
        or any(_cuts_off(before, after, one, seat) for one in closed)
        or _keeps_both_parts(line)
    ):
        found.append("split")
    raced = {cell for one in closed for cell in one.cells}
    if any(raced.intersection(threat.cells) for threat in threats) or _prepares(line):
        found.append("race")
    if (threats and not _threats(line)) or _locks(before, after, seat):
        found.append("block")
    return tuple(found)


def _scored(events: Iterable[Event]) -> list[TerritoryScored]:
    return [event for event in events if isinstance(event, TerritoryScored)]


def _is_gain(territory: TerritoryScored, seat: int) -> bool:
    return territory.awards[seat] > max(
        points for other, points in enumerate(territory.awards) if other != seat
    )


def _threats(line: Course) -> list[TerritoryScored]:
    """The territories that rivals close for themselves before the seat's next turn."""
    found: list[TerritoryScored] = []
    for turn, (mover, events) in enumerate(zip(line.movers, line.events, strict=True)):
        if mover == line.seat:
            if turn > 0:
                break
            continue
        found += [
            one
            for one in _scored(events)
            if one.awards[mover] >= _LEAST and one.awards[mover] > one.awards[line.seat]
        ]
    return found


def _prepares(line: Course) -> bool:
    """Whether the seat closes land for itself in its next turn, and none in this one."""
    paid = [
        sum(one.awards[line.seat] for one in _scored(events) if _is_gain(one, line.seat))
        for mover, events in zip(line.movers, line.events, strict=True)
        if mover == line.seat
    ]
    return len(paid) > 1 and paid[0] == 0 and paid[1] >= _LEAST


def _turns_majority(
    before: Any, cells: Iterable[str], pioneers: tuple[int, ...], seat: int
) -> bool:
    """Whether the seat now has most pioneers on these cells, and a rival had at least as many as the seat before."""
    inside = set(cells)
    had = [0] * before.players
    for cell, owner in before.pioneers.items():
        had[owner] += cell in inside
    rivals = [other for other in range(before.players) if other != seat]
    return pioneers[seat] > max(pioneers[other] for other in rivals) > 0 and had[seat] <= max(
        had[other] for other in rivals
    )


def _scores_both_parts(events: Iterable[Event], seat: int) -> bool:
    """Whether one stone closes two territories that pay somebody, at least one of them the seat most (TN-16)."""
    parts: list[TerritoryScored] = []
    for event in events:
        if isinstance(event, StonePlaced):
            parts = []
        elif isinstance(event, TerritoryScored) and any(event.awards):
            parts.append(event)
            if len(parts) > 1 and any(_is_gain(one, seat) for one in parts):
                return True
    return False


def _cuts_off(before: Any, after: Any, closed: TerritoryScored, seat: int) -> bool:
    """Whether a rival could have entered the closed land in its next turn and had as many pioneers there as the seat.

    Counted are pioneers that could have entered with one move and are still outside after the turn.
    """
    inside = set(closed.cells)
    for rival in range(before.players):
        imagined = None if rival == seat else before.game.imagine(before, rival)
        if imagined is None:
            continue
        outside = {
            move.source
            for move in imagined.legal_actions()
            if move.kind == "move" and move.target in inside and move.source not in inside
        }
        entering = sum(after.pioneers.get(cell) == rival for cell in outside)
        if entering and closed.pioneers[rival] + min(entering, _ENTER) >= closed.pioneers[seat]:
            return True
    return False


def _keeps_both_parts(line: Course) -> bool:
    """Whether the turn divides a region and scores nothing, so that both parts stay in play (TN-20)."""
    return not _scored(line.events[0]) and len(line.after.regions()) > len(line.stops[0].regions())


def _locks(before: Any, after: Any, seat: int) -> bool:
    """Whether the turn leaves several pioneers of a rival without a move, or ends the game that way."""
    if after.outcome is not None and after.outcome.reason == "blocked":
        return True
    return any(
        len(stuck(after, rival)) - len(stuck(before, rival)) >= _LOCKED
        for rival in range(before.players)
        if rival != seat
    )
