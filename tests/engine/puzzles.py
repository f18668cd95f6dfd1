"""Solves test positions by trying every legal turn."""

from __future__ import annotations

from typing import Any, TypeVar

from terrarium.core.position import Position
from terrarium.engine import Engine, Limit

P = TypeVar("P", bound=Position)


def solved(position: Any, nodes: int = 8_000) -> Any:
    """The position after the turn that the strongest level plays."""
    choice = Engine(level=8, seed=1).choose(position, Limit(seconds=20, nodes=nodes))
    return position.play_all(choice.actions)


def turns(position: P) -> set[P]:
    """Every position in which the current turn can end."""
    seen, waiting, ends = {position}, [position], set()
    while waiting:
        here = waiting.pop()
        for id in here.legal_ids():
            after = here.play(id)
            if after.outcome is not None or after.at_turn_start:
                ends.add(after)
            elif after not in seen:
                seen.add(after)
                waiting.append(after)
    return ends


def is_won(position: Position, seat: int) -> bool:
    """Whether the game is over and this seat alone has won it."""
    return position.outcome is not None and position.outcome.winners == (seat,)


def can_win_at_once(position: Position, seat: int) -> bool:
    """Whether this seat has won, or is to move and wins with some turn."""
    if position.outcome is not None or position.to_move != seat:
        return is_won(position, seat)
    return any(is_won(end, seat) for end in turns(position))
