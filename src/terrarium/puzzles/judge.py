"""Decides whether one turn of a position is clearly better than all others, by searches with a given number of nodes.

Turns that lead to the same position count as one result. The results of a search are compared by their expected win shares. A
result with few visits gets a separate search, and so does a near miss, which is the best turn with one action changed. Then the
best turn gets the same search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from terrarium.core.position import Position
from terrarium.core.puzzle import goal_of, reaches
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search

__all__ = ["MARGIN", "Verdict", "judge"]

MARGIN = 0.12
"""The win share by which every other turn must be worse, so that a review would call each of them a mistake."""

_WELL_VISITED = 16
"""A result with this many visits needs no separate search."""

_RESULTS, _NEAR_MISSES = 8, 8
"""The most results and near misses that get a separate search."""

_SHARE = 20
"""A separate search has 1/20 of the nodes. A first one, which rejects most, has a tenth of that."""


_FEWEST = 2_000
"""The fewest nodes of a separate search, unless the whole search has fewer."""

_ALIKE, _MOST_ALIKE = 0.01, 6
"""At most `_MOST_ALIKE` near misses may be within `_ALIKE` of the best turn by their static evaluation."""

_SLICE = 50_000
"""Nodes per slice of a search; signals such as Ctrl-C are handled between slices."""

_UNCLEAR = 0.1
"""If the first search exceeds the margin by less than this, the longer one follows."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The best turn of a position, and by how much it is better than the next result."""

    turn: tuple[str, ...]
    margin: float
    share: float
    """The win share that the search expects after it."""
    goal: str
    """Which other turns count as the same result (`terrarium.core.puzzle.reaches`)."""


@dataclass(frozen=True, slots=True)
class _Result:
    turn: tuple[int, ...]
    after: Any
    share: float
    visits: int


@dataclass(frozen=True, slots=True)
class _Lead:
    """The best result of a search so far, the others, and its lead over those with enough visits."""

    start: Position
    best: _Result
    others: list[_Result]
    gap: float
    goal: str

    def is_same(self, after: Any) -> bool:
        """Whether a position counts as the same result as the best one."""
        return reaches(self.goal, self.start, self.best.after, after)


def judge(position: Position, nodes: int, margin: float = MARGIN) -> Verdict | None:
    """The turn that is better than every other by at least the margin; None if there is none, or only one result."""
    search = Search(position, brain_for(position))
    for part in (0.05, 0.2):
        _run(search, max(1, int(part * nodes)))
        lead = _lead(position, search)
        if lead.gap < margin / 2:
            return None
    # most positions are rejected here, so this comes before the rest of the search
    compared = _compared(position, lead, nodes, margin)
    if compared is None:
        return None
    expected, gap = compared
    _run(search, nodes - search.nodes)
    last = _lead(position, search)
    if last.goal != lead.goal or not (
        lead.is_same(last.best.after) and last.is_same(lead.best.after)
    ):
        return None
    gap = min(gap, last.gap)
    if gap < margin:
        return None
    turn = tuple(str(position.action(id)) for id in lead.best.turn)
    return Verdict(turn, gap, expected, lead.goal)


def _lead(position: Position, search: Search) -> _Lead:
    best, *others = _results(position, search)
    goal = goal_of(position, best.after)
    others = [one for one in others if not reaches(goal, position, best.after, one.after)]
    visited = (one.share for one in others if one.visits >= _WELL_VISITED)
    return _Lead(position, best, others, best.share - max(visited, default=0), goal)


def _compared(
    position: Position, lead: _Lead, nodes: int, margin: float
) -> tuple[float, float] | None:
    """The value of the best turn, and its lead over near misses and results with few visits.

    None if the lead is less than the margin, or if there is no other result.
    """
    seat, best = cast(int, position.to_move), lead.best
    known = {best.after, *(one.after for one in lead.others)}
    missed = [
        one
        for one in _near_misses(position, best.turn)
        if one.after not in known and not lead.is_same(one.after)
    ]
    if not lead.others and not missed:
        return None
    first = _first_share(best.after, seat)
    if lead.goal != "win" and sum(one.share > first - _ALIKE for one in missed) > _MOST_ALIKE:
        return None  # one of them is nearly always as good, and searching all takes long
    unsure = [one for one in lead.others if one.visits < _WELL_VISITED]
    chosen = sorted(unsure, key=_share_of, reverse=True)[:_RESULTS]
    chosen += sorted(missed, key=_share_of, reverse=True)[:_NEAR_MISSES]
    least = min(nodes, _FEWEST)
    more, few = max(least, nodes // _SHARE), max(least, nodes // (10 * _SHARE))
    expected, gap = 1.0 if lead.goal == "win" else _share(best.after, seat, more), 1.0
    for one in sorted(chosen, key=_share_of, reverse=True):
        instead = _share(one.after, seat, few)
        if few < more and expected - instead < margin + _UNCLEAR:
            instead = _share(one.after, seat, more)
        gap = min(gap, expected - instead)
        if gap < margin:
            return None
    return expected, gap


def _share_of(result: _Result) -> float:
    return result.share


def _run(search: Search, nodes: int) -> None:
    """Search this many further positions, in slices, so that Ctrl-C works."""
    until = search.nodes + nodes
    while (left := until - search.nodes) > 0:
        before = search.nodes
        if not search.run(nodes=min(left, _SLICE)) or search.nodes == before:
            break


def _results(position: Position, search: Search) -> list[_Result]:
    """The results of the search, the best first; of turns with the same result only the best one."""
    seat = cast(int, position.to_move)
    found: dict[Any, _Result] = {}
    for ids, visits, shares, _, _, _ in search.turns():
        after = position.play_all(ids)
        if after not in found:
            found[after] = _Result(ids, after, shares[seat], visits)
    return list(found.values())


def _share(after: Any, seat: int, nodes: int) -> float:
    """The win share that a search of this position expects for the seat."""
    if after.outcome is not None:
        return cast(float, after.outcome.shares(after.players)[seat])
    search = Search(after, brain_for(after))
    _run(search, nodes)
    shares = search.turns()[0][2]
    return shares[seat] / (sum(shares) or 1)


def _first_share(after: Any, seat: int) -> float:
    """The win share that the static evaluation expects for the seat."""
    if after.outcome is not None:
        return cast(float, after.outcome.shares(after.players)[seat])
    return brain_for(after).evaluate(after)[0][seat]


def _near_misses(position: Any, turn: tuple[int, ...]) -> list[_Result]:
    """The results of the turn with one action changed, left out or added, with their static evaluation."""
    seat = position.to_move
    found: dict[Any, _Result] = {}
    for ids in _changed(position, turn):
        after = _finished(position, ids)
        if after is None or after in found:
            continue
        found[after] = _Result(ids, after, _first_share(after, seat), 0)
    return list(found.values())


def _changed(position: Any, turn: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    at = position
    for index, id in enumerate(turn):
        yield (*turn[:index], *turn[index + 1 :])
        for other in at.legal_ids():
            if other != id:
                yield (*turn[:index], other, *turn[index + 1 :])
                yield (*turn[:index], other, *turn[index:])
        at = at.play(id)


def _finished(position: Any, ids: tuple[int, ...]) -> Any:
    """The position after these actions; None if they are not one whole turn."""
    seat, at = position.to_move, position
    for index, id in enumerate(ids):
        if (index > 0 and at.at_turn_start) or at.to_move != seat or not at.is_legal(id):
            return None
        at = at.play(id)
    return at if at.outcome is not None or at.at_turn_start else None
