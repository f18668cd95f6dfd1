"""Where flags can go within a turn, for interfaces that show it before anybody commits (TT-9 to TT-11)."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from terrarium.core.game import Way

__all__ = ["reach"]


def reach(position: Any) -> dict[str, list[Way]]:
    """The ways of every flag that can move now, by the cell it stands on; empty outside the move phase.

    It walks the legal actions of the positions themselves, so what it gives is what the rules allow.
    """
    if position.phase != "move":
        return {}
    return {
        source: _ways(position, source)
        for source in sorted({a.source for a in position.legal_actions() if a.source is not None})
    }


def _ways(start: Any, source: str) -> list[Way]:
    best: dict[str, Way] = {}
    waiting: list[tuple[int, int, str, Any, tuple[str, ...]]] = [(0, 0, source, start, ())]
    count = 0
    while waiting:
        spent, _, cell, position, actions = heappop(waiting)
        if actions:
            if cell in best or cell == source:
                continue
            best[cell] = Way(cell, actions, spent)
        if position.to_move != start.to_move or position.at_turn_start:
            continue
        for action in position.legal_actions():
            if action.source != cell or action.target in best:
                continue
            after, events = position.step(action)
            cost = next(event.cost for event in events if hasattr(event, "cost"))
            count += 1
            heappush(waiting, (spent + cost, count, action.target, after, (*actions, str(action))))
    return list(best.values())
