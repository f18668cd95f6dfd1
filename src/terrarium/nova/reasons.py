"""Why one turn of Terra Nova is better than another: territories, majorities, land and pioneers, compared in lines of turns.

| code | facts | what it is about |
|---|---|---|
| win | seat | the game |
| territory | seat, points, cells, landscapes | land that is closed in the line, or that a rival could close in its next turn |
| threat | seat, points, cells, landscapes | land that the seat could close if it had the next turn too |
| majority | seat, cells, pioneers | the seat with most pioneers in a region (TN-18) |
| tie | seat, cells, pioneers | a majority that is shared |
| locked | seat, cells | pioneers that can't move |
| split | seat, regions | the number of regions |
| claim | seat, points, cell, landscape | the points that the engine expects the seat to get from connected land of one landscape |
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from terrarium.core.event import Event
from terrarium.core.reason import Course, Reason, win_reasons
from terrarium.nova.events import TerritoryScored
from terrarium.nova.region import Region

__all__ = ["closing", "reasons", "stuck"]

_SMALLEST_CLAIM = 0.75
"""Smaller differences of expected points are left out."""
_THREAT = 0.5
"""The weight of a closing that is only threatened, relative to one that is played."""
_PER_CELL = 0.25
"""The weight of the majority in a region, for each of its cells."""
_PER_PIONEER = 1.0
_ESTIMATE = 0.5
"""The weight of an expected point, relative to a scored one."""
_SPLIT = 0.5


class _Award(NamedTuple):
    """The points of a seat, and the territory that gives it most of them."""

    points: int
    territory: TerritoryScored | None


def reasons(better: Course, other: Course) -> list[Reason]:
    """The differences between the better line and the other one."""
    found = win_reasons(better, other)
    found += _territories(better, other)
    found += _threats(better, other)
    found += _majorities(better, other)
    found += _locked(better, other)
    found += _splits(better, other)
    found += _claims(better, other)
    return found


def _award(events: Iterable[Event], seat: int) -> _Award:
    scored = [one for one in events if isinstance(one, TerritoryScored) and one.awards[seat]]
    best = max(scored, key=lambda one: one.awards[seat], default=None)
    return _Award(sum(one.awards[seat] for one in scored), best)


@lru_cache(maxsize=64)
def closing(position: Any, seat: int) -> _Award:
    """The most points that a seat could score now with a move and stones; 0 if it can't have the turn.

    It tries every move followed by one or two stones (TN-7, TN-13, TN-16).
    """
    if position.phase != "play":
        return _Award(0, None)
    if position.to_move != seat:
        position = position.game.imagine(position, seat)
        if position is None:
            return _Award(0, None)
    had = position.scores[seat]
    best = had
    line: tuple[Any, ...] | None = None
    for move in position.legal_actions():
        moved = position.play(move)
        for stone in _stones(moved, seat):
            once = moved.play(stone)
            if once.scores[seat] > best:
                best, line = once.scores[seat], (move, stone)
            for second in _stones(once, seat):
                if once.play(second).scores[seat] > best:
                    best, line = once.play(second).scores[seat], (move, stone, second)
    if line is None:
        return _Award(0, None)
    _, events = position.step_all(line)
    return _award((event for one in events for event in one), seat)


def _stones(position: Any, seat: int) -> list[Any]:
    if position.to_move != seat or position.at_turn_start:
        return []
    return [action for action in position.legal_actions() if action.kind == "stone"]


def _territory_facts(seat: int, award: _Award) -> dict[str, Any]:
    territory = award.territory
    assert territory is not None
    return {
        "seat": seat,
        "points": territory.awards[seat],
        "cells": list(territory.cells),
        "landscapes": list(territory.landscapes),
    }


def _territories(better: Course, other: Course) -> list[Reason]:
    """Points that the better turn scores, and those that rivals score or could score after the other one."""
    seat, found = better.seat, []
    gained = _award(better.events_of(is_own=True), seat)
    had = _award(other.events_of(is_own=True), seat)
    if gained.territory and gained.points > had.points:
        facts = _territory_facts(seat, gained)
        found.append(Reason("gains", "territory", facts, gained.points - had.points))
    for rival in range(better.after.players):
        if rival == seat:
            continue
        paid = _award(_all_events(other), rival)
        spared = _award(_all_events(better), rival)
        if paid.territory and paid.points > spared.points:
            facts = _territory_facts(rival, paid)
            found.append(Reason("allows", "territory", facts, paid.points - spared.points))
            continue
        could = closing(other.after, rival)
        less = closing(better.after, rival).points
        if could.territory and could.points > less:
            weight = _THREAT * (could.points - less)
            found.append(Reason("allows", "territory", _territory_facts(rival, could), weight))
    return found


def _all_events(course: Course) -> list[Event]:
    return [event for events in course.events for event in events]


def _threats(better: Course, other: Course) -> list[Reason]:
    """Land that the seat threatens to close after the better turn only."""
    seat = better.seat
    could = closing(better.after, seat)
    less = closing(other.after, seat).points
    if could.territory is None or could.points <= less:
        return []
    weight = _THREAT * (could.points - less)
    return [Reason("gains", "threat", _territory_facts(seat, could), weight)]


def _majorities(better: Course, other: Course) -> list[Reason]:
    """Regions in which the seat has most pioneers after the better turn, or a rival after the other one."""
    seat, found = better.seat, []
    theirs = other.after.regions()
    ours = better.after.regions()
    if len(theirs) < 2 and len(ours) < 2:
        return []
    for region in ours:
        same = _most_alike(region, theirs)
        if same is None or not region.pioneers[seat]:
            continue
        now, then = _leaders(region), _leaders(same)
        weight = _PER_CELL * len(region.cells)
        if seat in now and seat not in then:
            code = "majority" if len(now) == 1 else "tie"
            found.append(Reason("gains", code, _region_facts(seat, region), weight))
        elif now == (seat,) and len(then) > 1:
            rival = next(one for one in then if one != seat)
            found.append(Reason("allows", "tie", _region_facts(rival, same), weight / 2))
        if then and seat not in then and then[0] not in now:
            found.append(Reason("allows", "majority", _region_facts(then[0], same), weight))
    return found


def _most_alike(region: Region, others: Iterable[Region]) -> Region | None:
    """The region that shares more than half of the cells with this one."""
    cells = set(region.cells)
    for one in others:
        shared = len(cells & set(one.cells))
        if 2 * shared > max(len(cells), len(one.cells)):
            return one
    return None


def _leaders(region: Region) -> tuple[int, ...]:
    most = max(region.pioneers)
    return tuple(seat for seat, count in enumerate(region.pioneers) if most and count == most)


def _region_facts(seat: int, region: Region) -> dict[str, Any]:
    return {"seat": seat, "cells": list(region.cells), "pioneers": list(region.pioneers)}


@lru_cache(maxsize=64)
def stuck(position: Any, seat: int) -> frozenset[str]:
    """The pioneers of a seat that can't move (TN-10)."""
    if position.phase != "play" or seat in position.resigned:
        return frozenset()
    own = {cell for cell, of in position.pioneers.items() if of == seat}
    at = position if position.to_move == seat else position.game.imagine(position, seat)
    if at is None:
        return frozenset()
    return frozenset(own - {action.source for action in at.legal_actions()})


def _locked(better: Course, other: Course) -> list[Reason]:
    """The seat's pioneers that only the other turn leaves without a move, and rivals' pioneers that only the better turn does."""
    seat, found = better.seat, []
    for owner in range(better.after.players):
        after, instead = stuck(better.after, owner), stuck(other.after, owner)
        more, less = (instead, after) if owner == seat else (after, instead)
        if len(more) <= len(less):
            continue
        cells = sorted(more - less)
        side = "allows" if owner == seat else "gains"
        weight = _PER_PIONEER * (len(more) - len(less))
        found.append(Reason(side, "locked", {"seat": owner, "cells": cells}, weight))
    return found


def _splits(better: Course, other: Course) -> list[Reason]:
    """Land that one of the turns divides into more regions."""
    ours = len(better.after.regions())
    theirs = len(other.after.regions())
    if ours == theirs:
        return []
    side, regions = ("gains", ours) if ours > theirs else ("allows", theirs)
    return [Reason(side, "split", {"seat": better.seat, "regions": regions}, _SPLIT)]


def _claims(better: Course, other: Course) -> list[Reason]:
    """The connected land of one landscape on which the estimates differ most, for the seat and for its rivals."""
    position: Any = better.after
    if "ownership" not in better.estimate or "ownership" not in other.estimate:
        return []
    ours, theirs = better.estimate["ownership"], other.estimate["ownership"]
    found = []
    for seat in range(position.players):
        is_own = seat == better.seat
        more, less = (ours, theirs) if is_own else (theirs, ours)
        best = max(
            (
                (_expected(more, patch, seat) - _expected(less, patch, seat), patch)
                for patch in _patches(position.board)
            ),
            key=lambda one: one[0],
        )
        if best[0] < _SMALLEST_CLAIM:
            continue
        patch = best[1]
        facts = {
            "seat": seat,
            "points": round(best[0]) or 1,
            "cell": max(patch, key=lambda cell: _expected(more, (cell,), seat)),
            "landscape": _landscape(position.board, patch[0]),
        }
        found.append(Reason("gains" if is_own else "allows", "claim", facts, _ESTIMATE * best[0]))
    return found


def _expected(ownership: dict[str, Any], cells: Iterable[str], seat: int) -> float:
    """The points that a seat is expected to get from these cells."""
    return float(
        sum(
            ownership[cell]["pay"] * ownership[cell]["shares"][seat]
            for cell in cells
            if cell in ownership
        )
    )


def _landscape(board: Any, cell: str) -> str:
    return str(board.landscapes[board.letters[board.landscape_of[board.index(cell)]]])


@lru_cache(maxsize=8)
def _patches(board: Any) -> tuple[tuple[str, ...], ...]:
    """The connected pieces of each landscape."""
    found, seen = [], set()
    for first in range(len(board.cells)):
        if first in seen:
            continue
        seen.add(first)
        patch = [first]
        for cell in patch:
            for near in board.neighbours[cell]:
                if (
                    near >= 0
                    and near not in seen
                    and board.landscape_of[near] == board.landscape_of[first]
                ):
                    seen.add(near)
                    patch.append(near)
        found.append(tuple(board.cells[cell] for cell in patch))
    return tuple(found)
