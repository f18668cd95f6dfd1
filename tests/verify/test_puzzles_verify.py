"""Long test: a search of about ten seconds confirms every puzzle."""

from __future__ import annotations

import pytest

from terrarium import games
from terrarium.engine import Limit
from terrarium.puzzles import DEEPER, check


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_deep_search_confirms_every_puzzle(game: str, capfd: pytest.CaptureFixture[str]) -> None:
    puzzles, wrong = games[game].puzzles, {}
    limit = Limit(nodes=DEEPER * games[game].puzzle_nodes)
    for done, puzzle in enumerate(puzzles.values(), 1):
        problem = check(games[game], puzzle, limit)
        if problem is not None:
            wrong[puzzle.id] = problem
        with capfd.disabled():
            print(f"\r{game}: {done - len(wrong)} of {done} confirmed", end="", flush=True)
    assert puzzles
    assert wrong == {}
