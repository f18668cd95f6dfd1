"""Reasons for the lines of an analysis: it plays them and lets the game compare them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.reason import Course, Reason, strongest
from terrarium.engine.engine import Analysis, Engine, brain_for
from terrarium.engine.limit import Limit

__all__ = ["course", "differences", "explained", "null_turn"]

_NULL_TURN = Limit(nodes=400)
"""The limit for the search of the next seat's turn if this seat does nothing."""


def course(before: Position, turns: Iterable[Sequence[Action | str]]) -> Course:
    """The line of these turns, with the engine's estimate of its last position."""
    return Course.of(before, turns, _estimate)


def _estimate(position: Position) -> Mapping[str, Any]:
    return brain_for(position).extras(position)


def differences(better: Course, other: Course) -> tuple[Reason, ...]:
    """The most important differences of two lines; `position` if the game finds none."""
    found = strongest(better.stops[0].game.reasons(better, other))
    return found or (Reason("gains", "position", {"seat": better.seat}),)


def explained(position: Position, analysis: Analysis) -> Analysis:
    """The analysis with reasons for each line: what its turn gains, and what it prevents rivals from doing.

    Each line is compared with doing nothing: the next seat plays at once and the seat's pieces stay where they are.
    If that is not possible, for instance while pieces are set up, the lines have no reasons.
    """
    if not position.at_turn_start:
        return analysis
    nothing = null_turn(position)
    if nothing is None:
        return analysis
    lines = tuple(
        replace(
            line,
            reasons=strongest(
                position.game.reasons(course(position, (line.turn, *line.replies)), nothing)
            ),
        )
        for line in analysis.lines
    )
    return replace(analysis, lines=lines)


def null_turn(position: Position) -> Course | None:
    """The line in which the seat to move does nothing and the next seat plays; None if there is no such position."""
    seat = position.to_move
    if seat is None:
        return None
    order = [(seat + step) % position.players for step in range(1, position.players)]
    rival = next((one for one in order if one not in position.resigned), None)
    imagined = None if rival is None else position.game.imagine(position, rival)
    if imagined is None or not imagined.at_turn_start or imagined.outcome is not None:
        return None
    choice = Engine(level=8, seed=0, memory_mb=16).choose(imagined, _NULL_TURN)
    return Course.of(imagined, (choice.actions, *choice.replies), _estimate, seat)
