"""A game of Terra Nova that never ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["endless"]


def endless(position: Any) -> Iterator[tuple[int, list[str]]]:
    """Seats and turns without end: all pioneers are placed, then each player moves back and forth. The rule about stalls must be off."""
    while position.phase == "place":
        action = position.legal_actions()[0]
        yield position.to_move, [str(action)]
        position = position.play(action)
    back: dict[int, str] = {}
    while True:
        turn = []
        seat = position.to_move
        while position.to_move == seat and position.outcome is None:
            legal = [a for a in position.legal_actions() if a.kind == "move"]
            wanted = back.get(seat)
            move = next((a for a in legal if str(a) == wanted), None) or legal[0]
            back[seat] = f"{move.target}-{move.source}"
            turn.append(str(move))
            position = position.play(move)
            if position.at_turn_start:
                break
        yield seat, turn
