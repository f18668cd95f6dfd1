"""The themes of puzzles of Terra Turrium.

| theme | what the solution does |
|---|---|
| win | completes the six towers in this turn (TT-14) |
| win-next | completes them in the next turn, after the answers that the engine expects |
| stop | prevents a rival from completing its towers in its next turn, which it still has |
| capture | captures two flags or more (TT-11) |
| reentry | re-enters a flag with an immediate gain: onto height 4 or more, or with a capture (TT-13) |
| last-round | is played in the last round, after somebody has won (TT-15) |
"""

from __future__ import annotations

from collections.abc import Iterable

from terrarium.core.event import Event
from terrarium.core.reason import Course
from terrarium.turrium.events import FlagCaptured, FlagEntered, FlagMoved, TowersCompleted

__all__ = ["themes"]

_HIGH = 4
"""The lowest height for which a re-entry counts as a gain: other flags reach it only step by step."""


def themes(line: Course, nothing: Course | None) -> tuple[str, ...]:
    """The themes of the line's first turn, which the line's seat plays."""
    found = []
    if _completes(line.events[0], line.seat):
        found.append("win")
    elif any(
        mover == line.seat and _completes(events, line.seat)
        for mover, events in zip(line.movers[1:], line.events[1:], strict=True)
    ):
        found.append("win-next")
    # a win that ends the game leaves the rivals no turn, so it stops nobody
    if nothing is not None and (_rivals(nothing) - _rivals(line)).intersection(line.movers):
        found.append("stop")
    if sum(isinstance(event, FlagCaptured) for event in line.events[0]) > 1:
        found.append("capture")
    if _is_trick(line):
        found.append("reentry")
    if line.stops[0].is_last_round:
        found.append("last-round")
    return tuple(found)


def _completes(events: Iterable[Event], seat: int) -> bool:
    return any(isinstance(event, TowersCompleted) and event.seat == seat for event in events)


def _rivals(line: Course) -> set[int]:
    """The rivals that complete their towers before the seat's next turn."""
    found: set[int] = set()
    for mover, events in zip(line.movers, line.events, strict=True):
        if mover == line.seat and found:
            break
        found |= {
            event.seat
            for event in events
            if isinstance(event, TowersCompleted) and event.seat != line.seat
        }
    return found


def _is_trick(line: Course) -> bool:
    heights = line.after.heights
    entered = set()
    for event in line.events[0]:
        if isinstance(event, FlagEntered):
            entered.add(event.cell)
            if heights.get(event.cell, 0) >= _HIGH:
                return True
        elif isinstance(event, FlagCaptured) and event.source in entered:
            return True
        elif isinstance(event, FlagMoved) and event.source in entered:
            entered.add(event.target)
    return False
