"""Why one turn of Terra Turrium is better than another: towers, flags and cubes, compared in lines of turns.

| code | facts | what it is about |
|---|---|---|
| win | seat | six towers of heights 1 to 6 (TT-14) |
| near | seat | a win in the seat's next turn, by steps alone |
| capture | seat, owner, cell | a flag that `seat` captures in the line |
| exposed | seat, owner, cells | flags that `seat` could capture in its next turn, by steps alone |
| height | seat, height | a height of 1 to 6 on which the seat has a flag |
| reach | seat, height | a height that the seat misses and can reach in its next turn, by steps alone |
| blocked | seat, cells | flags that can't make a step |
| cube | seat, cell | a cube that a rival takes from the seat's land |
| pace | seat, turns | how many turns earlier the seat wins by the engine's estimate |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from terrarium.core.event import Event
from terrarium.core.reason import Course, Reason, win_reasons
from terrarium.errors import InvalidPosition
from terrarium.turrium.events import CubeTaken, FlagCaptured, TowersCompleted

__all__ = ["Steps", "reasons", "steps"]

_POINTS = 5
"""The points that a seat may spend in a turn (TT-9)."""
_WIN, _NEAR, _CAPTURE, _HEIGHT, _EXPOSED, _REACH, _BLOCKED, _CUBE = (
    500.0,
    20.0,
    3.0,
    2.0,
    1.5,
    1.0,
    0.7,
    0.3,
)
"""The weights of reasons, roughly in turns."""
_ESTIMATE = 0.5
"""The weight of a turn that the engine's estimate saves, relative to a fact."""
_SMALLEST_PACE = 0.2
"""Smaller differences in estimated turns are left out."""


class Steps(NamedTuple):
    """What a seat's flags could do if it were in its move phase now, with all its points."""

    captures: frozenset[str]
    """The cells of rivals' flags in reach (TT-11)."""
    heights: frozenset[int]
    """The heights of 1 to 6 that the seat misses and a flag can reach."""
    stuck: frozenset[str]
    """Flags that can't make a step."""
    is_near: bool
    """Whether a single flag that moves completes the six towers."""


def reasons(better: Course, other: Course) -> list[Reason]:
    """The differences between the better line and the other one."""
    found = _wins(better, other)
    found += _captures(better, other)
    found += _heights(better, other)
    found += _by_steps(better, other)
    found += _cubes(better, other)
    found += _pace(better, other)
    return found


@lru_cache(maxsize=128)
def steps(position: Any, seat: int) -> Steps:
    """What the flags of a seat could do by steps alone (TT-9 to TT-11); empty if it can't have the turn."""
    nothing = Steps(frozenset(), frozenset(), frozenset(), is_near=False)
    if position.phase not in ("take", "place", "move") or seat in position.resigned:
        return nothing
    try:
        moving = type(position).from_facts(
            replace(
                position.facts(),
                to_move=seat,
                phase="move",
                points_left=_POINTS,
                cubes_in_hand=0,
                taken_from=(),
                is_turn_start=False,
                is_attacking=False,
            )
        )
    except InvalidPosition:
        return nothing
    own = {cell for cell, of in moving.flags.items() if of == seat}
    heights = moving.heights
    missing = set(moving.ladders[seat].missing)
    captures, reached, is_near = set(), set(), False
    paths = moving.paths()
    for source, ways in paths.items():
        standing = sorted(heights[cell] for cell in own if cell != source)
        for _, path in ways:
            target = path[-1]
            if target in moving.flags:
                captures.add(target)
            if heights[target] in missing:
                reached.add(heights[target])
            if sorted([*standing, heights[target]]) == [1, 2, 3, 4, 5, 6]:
                is_near = True
    return Steps(frozenset(captures), frozenset(reached), frozenset(own - set(paths)), is_near)


def _completed(events: Iterable[Event]) -> set[int]:
    return {event.seat for event in events if isinstance(event, TowersCompleted)}


def _wins(better: Course, other: Course) -> list[Reason]:
    found = win_reasons(better, other)
    seat = better.seat
    if found:
        return found
    ours, theirs = (_completed(_all(course)) for course in (better, other))
    if seat in ours - theirs:
        found.append(Reason("gains", "win", {"seat": seat}, _WIN))
    found += [
        Reason("allows", "win", {"seat": one}, _WIN) for one in sorted(theirs - ours - {seat})
    ]
    return found


def _all(course: Course) -> list[Event]:
    return [event for events in course.events for event in events]


def _captures(better: Course, other: Course) -> list[Reason]:
    """Flags that the better turn captures, and flags of the seat that the other turn loses."""
    seat = better.seat
    found = []
    ours = [one for one in better.events_of(is_own=True) if isinstance(one, FlagCaptured)]
    played = [one for one in other.events_of(is_own=True) if isinstance(one, FlagCaptured)]
    if len(ours) > len(played):
        one = ours[-1]
        facts = {"seat": seat, "owner": one.captured, "cell": one.target}
        found.append(Reason("gains", "capture", facts, _CAPTURE))
    lost = _lost(other)
    if len(lost) > len(_lost(better)):
        one = lost[0]
        facts = {"seat": one.seat, "owner": seat, "cell": one.target}
        found.append(Reason("allows", "capture", facts, _CAPTURE))
    return found


def _lost(course: Course) -> list[FlagCaptured]:
    return [
        event
        for event in course.events_of(is_own=False)
        if isinstance(event, FlagCaptured) and event.captured == course.seat
    ]


def _missing(position: Any, seat: int) -> set[int]:
    return set(position.ladders[seat].missing)


def _heights(better: Course, other: Course) -> list[Reason]:
    """Heights that the seat holds after the better turn only, and that rivals hold at the end of the other line only."""
    found = []
    for seat in range(better.after.players):
        is_own = seat == better.seat
        ours: Any = better.after if is_own else better.stops[-1]
        theirs: Any = other.after if is_own else other.stops[-1]
        less, more = (ours, theirs) if is_own else (theirs, ours)
        won = _missing(more, seat) - _missing(less, seat)
        progress = len(_missing(more, seat)) - len(_missing(less, seat))
        if progress <= 0:
            continue
        facts = {"seat": seat, "height": max(won)}
        found.append(Reason("gains" if is_own else "allows", "height", facts, _HEIGHT * progress))
    return found


def _by_steps(better: Course, other: Course) -> list[Reason]:
    """What the seat and its rivals could do next by steps alone."""
    found = []
    me = better.seat
    for seat in range(better.after.players):
        is_own = seat == me
        ours, theirs = steps(better.after, seat), steps(other.after, seat)
        more, less = (ours, theirs) if is_own else (theirs, ours)
        side = "gains" if is_own else "allows"
        if more.is_near and not less.is_near:
            found.append(Reason(side, "near", {"seat": seat}, _NEAR))
        if new := more.heights - less.heights:
            found.append(Reason(side, "reach", {"seat": seat, "height": max(new)}, _REACH))
        if len(less.stuck) > len(more.stuck):
            cells = sorted(less.stuck - more.stuck)
            side_of_stuck = "allows" if is_own else "gains"
            weight = _BLOCKED * (len(less.stuck) - len(more.stuck))
            found.append(Reason(side_of_stuck, "blocked", {"seat": seat, "cells": cells}, weight))
        found += _exposed(better, other, seat, me)
    return found


def _exposed(better: Course, other: Course, captor: int, me: int) -> list[Reason]:
    """Flags that a captor could reach after only one of the turns: rivals' flags for the seat, the seat's flags for rivals."""
    ours, theirs = steps(better.after, captor).captures, steps(other.after, captor).captures
    course, more, less = (better, ours, theirs) if captor == me else (other, theirs, ours)
    flags = course.after.flags
    if captor != me:
        more = frozenset(cell for cell in more if flags[cell] == me)
        kept = better.after.flags
        less = frozenset(cell for cell in less if kept[cell] == me)
    if len(more) <= len(less):
        return []
    cells = sorted(more - less)
    facts = {"seat": captor, "owner": flags[cells[0]], "cells": cells}
    return [Reason("gains" if captor == me else "allows", "exposed", facts, _EXPOSED)]


def _cubes(better: Course, other: Course) -> list[Reason]:
    """Cubes that rivals take from the seat's land after the other turn only."""
    taken, kept = _taken(other), _taken(better)
    if len(taken) <= len(kept):
        return []
    one = next(event for event in taken if event not in kept)
    return [Reason("allows", "cube", {"seat": one.seat, "cell": one.cell}, _CUBE)]


def _taken(course: Course) -> list[CubeTaken]:
    lands = course.stops[0].territories
    return [
        event
        for event in course.events_of(is_own=False)
        if isinstance(event, CubeTaken) and lands[event.cell] == course.seat
    ]


def _pace(better: Course, other: Course) -> list[Reason]:
    """Turns that the seat saves by the better turn, and that rivals save by the other one."""
    ours, theirs = (course.estimate.get("turns_to_win") for course in (better, other))
    if not ours or not theirs:
        return []
    found = []
    for seat, (after, instead) in enumerate(zip(ours, theirs, strict=True)):
        is_own = seat == better.seat
        saved = instead - after if is_own else after - instead
        if saved >= _SMALLEST_PACE:
            facts = {"seat": seat, "turns": round(saved, 1)}
            found.append(Reason("gains" if is_own else "allows", "pace", facts, _ESTIMATE * saved))
    return found
