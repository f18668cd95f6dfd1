"""Advice for beginners at Terra Nova: what to do next in the turn, and a good cell for a pioneer."""

from __future__ import annotations

from typing import Any

from terrarium.core.game import Advice
from terrarium.nova.compose import compose

__all__ = ["advice"]


def advice(position: Any) -> Advice | None:
    """The advice for the next action: where to place, that a move comes first, or what stones do."""
    if position.outcome is not None:
        return None
    if position.phase == "place":
        return _place(position)
    if not position.view()["moved"]:
        return Advice("move", "TN-10")
    return Advice("stone", "TN-17")


def _place(position: Any) -> Advice:
    """The cell from which a pioneer could move to the most cells, not next to another pioneer of the same seat.

    Moves can be counted once every seat has a pioneer on the board.
    """
    board, seat, pioneers = position.board, position.to_move, position.pioneers
    if len(set(pioneers.values()) | {seat}) < position.rules.players:
        return Advice("place", "TN-5")
    own = {cell for cell, of in pioneers.items() if of == seat}
    near = {board.cells[n] for cell in own for n in board.neighbours[board.index(cell)] if n >= 0}
    best, count = "", 0
    for cell in board.cells:
        if cell in pioneers or cell in near:
            continue
        placed = compose(position.rules, board, pioneers={**pioneers, cell: seat}, to_move=seat)
        moves = sum(action.source == cell for action in placed.legal_actions())
        if moves > count:
            best, count = cell, moves
    if not best:
        return Advice("place", "TN-5")
    return Advice("spot", "TN-10", (best,), {"cell": best, "count": count})
