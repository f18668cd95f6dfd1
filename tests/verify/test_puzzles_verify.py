"""Long test: a search of about ten seconds of one core confirms every puzzle."""

from __future__ import annotations

import pytest

from terrarium import games
from terrarium.engine import Limit
from terrarium.puzzles import check

TEN_SECONDS = {
    "nova": {2: 7_000_000, 3: 4_200_000, 4: 4_200_000},
    "turrium": {2: 8_000_000, 3: 8_000_000, 4: 8_000_000},
}
"""For each number of seats, about as many positions as a core searches in ten seconds. A limit of positions, unlike one of time, gives the same result on every machine."""


@pytest.mark.parametrize("game", TEN_SECONDS)
def test_a_deep_search_confirms_every_puzzle(game: str, capfd: pytest.CaptureFixture[str]) -> None:
    puzzles, wrong = games[game].puzzles, {}
    for done, puzzle in enumerate(puzzles.values(), 1):
        players = games[game].position(puzzle.position).players
        problem = check(games[game], puzzle, Limit(nodes=TEN_SECONDS[game][players]))
        if problem is not None:
            wrong[puzzle.id] = problem
        with capfd.disabled():
            print(f"\r{game}: {done - len(wrong)} of {done} confirmed", end="", flush=True)
    assert puzzles
    assert wrong == {}
