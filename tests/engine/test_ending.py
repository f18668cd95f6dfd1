"""The exact search of the last turns finds exactly the wins that trying every turn finds."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from terrarium import nova
from terrarium.core.game import Look
from terrarium.core.position import Position
from terrarium.engine import Analysis, Engine, Limit
from terrarium.engine.ending import winning_turn
from tests.engine.puzzles import is_won, turns
from tests.sizes import size


def wins(position: Position, seat: int, left: int) -> bool:
    """Whether the seat wins alone within this many turns, whatever the others do: tries every turn."""
    if position.outcome is not None or left == 0:
        return is_won(position, seat)
    ends = turns(position)
    if position.to_move == seat:
        return any(wins(end, seat, left - 1) for end in ends)
    return all(wins(end, seat, left - 1) for end in ends)


def endings(edition: str, count: int) -> list[Position]:
    """Positions at the start of a turn in random games on a small board, with few turns left."""
    random, found = Random(edition), list[Position]()
    board = nova.Board.parse("A A B C\n D E F G\nH A B C")
    while len(found) < count:
        position = nova.start(nova.Rules(edition=edition, pioneers=2, stones=6), board)
        starts = []
        while position.outcome is None:
            position = position.play(random.choice(position.legal_ids()))
            if position.at_turn_start and position.outcome is None and position.phase == "play":
                starts.append(position)
        found += starts[-2:]
    return found[:count]


@pytest.mark.parametrize("edition", ["fr", "en"])
def test_it_finds_the_wins_that_trying_every_turn_finds(edition: str) -> None:
    results = set()
    for position in endings(edition, size(12, 120)):
        assert position.to_move is not None
        is_won_here = wins(position, position.to_move, 2)
        found = winning_turn(position, turns=2, effort=10**8)
        assert (found is not None) == is_won_here
        if found is not None:
            assert wins(position.play_all(found), position.to_move, 1)
        results.add(is_won_here)
    assert results == {True, False}


def test_without_effort_nothing_is_found() -> None:
    won = next(one for one in endings("fr", 40) if winning_turn(one, turns=2, effort=10**8))
    assert winning_turn(won, turns=2, effort=1) is None


class Inexact(Engine):
    """An engine without the exact search."""

    def _look(self, position: Position) -> Look:
        return replace(super()._look(position), exact=0)


def last_report(engine: Engine, position: Position) -> Analysis:
    *_, last = engine.analyse(position, Limit(nodes=500))
    return last


def test_level_8_plays_a_proven_win() -> None:
    position = next(
        one for one in endings("fr", 12) if winning_turn(one, turns=3, effort=40_000) is not None
    )
    assert not last_report(Inexact(level=8, seed=1), position).lines[0].is_proven
    last = last_report(Engine(level=8, seed=1), position)
    assert last.lines[0].is_proven
    assert position.to_move is not None
    assert last.shares[position.to_move] == 1
    assert any(last.points)
