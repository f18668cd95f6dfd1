"""A beginner at Terra Nova: it scores as much as it can at once, answers half of the obvious threats, and otherwise plays at random."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from terrarium.core.action import Action
from terrarium.core.novice import LOOK_AHEAD, best_of, finished

__all__ = ["turn"]

_ANSWERS = 8
"""How many turns against a threat a novice tries."""


class _Closing(NamedTuple):
    """The beginning of a turn that scores, and its points for the seat that plays it."""

    points: int
    ids: tuple[int, ...]


def turn(position: Any, random: Random) -> tuple[Action, ...]:
    """The rest of the turn: the closing that pays most, an answer to a threat, or random actions."""
    if position.phase == "place":
        return finished(position, (), random)
    points = {actions: gain for gain, actions in _scoring(position, random)}
    most = max(points.values(), default=0)
    plans = [actions for actions, gain in points.items() if gain == most]
    plan = random.choice(plans) if plans else finished(position, (), random)
    if random.random() >= LOOK_AHEAD:
        return plan
    threat = _threat(position.play_all(plan))
    if threat is None or threat.points <= most:
        return plan

    def worth(actions: tuple[Action, ...]) -> int:
        answer = _threat(position.play_all(actions))
        return points.get(actions, 0) - (0 if answer is None else answer.points)

    return best_of([plan, *_answers(position, threat, random)], worth, random)


def _scoring(position: Any, random: Random) -> Iterator[tuple[int, tuple[Action, ...]]]:
    """Complete turns that close land with one or two stones and gain points for the seat."""
    for closing in _closings(position, stones=2):
        begun = tuple(position.action(id) for id in closing.ids)
        yield closing.points, finished(position, begun, random)


def _closings(position: Any, stones: int) -> Iterator[_Closing]:
    """The ways to score with at most one move, then at most this many stones."""
    seat, cells = position.to_move, len(position.board.cells)
    before = position.scores[seat]

    def stone_after(at: Any, ids: tuple[int, ...], left: int) -> Iterator[_Closing]:
        for id in at.legal_ids():
            if id >= 2 * cells:  # ids of stones come before those of moves
                break
            after = at.play(id)
            if after.scores[seat] > before:
                yield _Closing(after.scores[seat] - before, (*ids, id))
            elif left > 1 and after.to_move == seat and not after.at_turn_start:
                yield from stone_after(after, (*ids, id), left - 1)

    if not position.at_turn_start:
        yield from stone_after(position, (), stones)
        return
    for id in position.legal_ids():
        after = position.play(id)
        if after.to_move == seat and not after.at_turn_start:
            yield from stone_after(after, (id,), stones)


def _threat(position: Any) -> _Closing | None:
    """The most that the next seat can score with a move and its stones."""
    if position.outcome is not None:
        return None
    return max(_closings(position, stones=2), default=None)


def _answers(position: Any, threat: _Closing, random: Random) -> list[tuple[Action, ...]]:
    """Some turns that occupy a cell that the threat needs."""
    needed = {position.action(id).target for id in threat.ids}
    found: list[tuple[Action, ...]] = []
    for action in position.legal_actions():
        if action.target in needed:
            found.append((action,))
            continue
        after = position.play(action)
        if after.to_move == position.to_move and not after.at_turn_start:
            found += [
                (action, stone)
                for stone in after.legal_actions()
                if stone.kind == "stone" and stone.target in needed
            ]
    random.shuffle(found)
    return [finished(position, begun, random) for begun in found[:_ANSWERS]]
