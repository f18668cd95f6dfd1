"""Advice for beginners at Terra Turrium: the purpose of each phase, and a good cell for a flag."""

from __future__ import annotations

from typing import Any

from terrarium.core.game import Advice

__all__ = ["advice"]

_RULES = {"flags": "TT-3", "take": "TT-5", "place": "TT-8", "move": "TT-10"}


def advice(position: Any) -> Advice | None:
    """The advice for the present phase; while flags are set, a cell with a height that the seat still misses."""
    if position.outcome is not None or position.phase not in _RULES:
        return None
    missing = position.view()["ladders"][position.to_move]["missing"]
    if position.phase == "flags":
        heights = position.heights
        spots = [
            (heights[action.target], action.target)
            for action in position.legal_actions()
            if heights.get(action.target) in missing
        ]
        if spots:
            height, cell = max(spots)
            return Advice("spot", "TT-14", (cell,), {"cell": cell, "height": height})
    facts = {"missing": ", ".join(str(height) for height in missing)} if missing else {}
    return Advice(position.phase, _RULES[position.phase], (), facts)
