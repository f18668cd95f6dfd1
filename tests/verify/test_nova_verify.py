"""Long test: kernel and reference agree in tens of thousands of random games.

pytest tests/verify            or `make verify`
TERRARIUM_VERIFY_GAMES=200000  for more
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from terrarium import nova
from tests.nova.side_by_side import Tally, play_side_by_side

GAMES = int(os.environ.get("TERRARIUM_VERIFY_GAMES", "30000"))
FIRST_SEED = 1_000_000
CHUNK = 250
LARGE_EVERY = 100  # one game in this many is played on a built-in board


def play_chunk(first: int) -> Tally:
    """Play the games of consecutive seeds; return their counts."""
    maps = [board.to_text() for board in nova.BOARDS.values()]
    tally = Tally()
    for seed in range(first, min(first + CHUNK, FIRST_SEED + GAMES)):
        is_large = seed % LARGE_EVERY == 0
        tally += play_side_by_side(
            seed, maps[seed // LARGE_EVERY % len(maps)] if is_large else None
        )
    return tally


def test_kernel_and_reference_agree_in_tens_of_thousands_of_games(
    capfd: pytest.CaptureFixture[str],
) -> None:
    total, begun = Tally(), time.monotonic()
    starts = range(FIRST_SEED, FIRST_SEED + GAMES, CHUNK)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for tally in pool.map(play_chunk, starts):
            total += tally
            with capfd.disabled():
                print(
                    f"\rnova: {total.games:,} of {GAMES:,} games, {total.positions:,} positions "
                    f"agree, {time.monotonic() - begun:.0f} s",
                    end="",
                    flush=True,
                )
    with capfd.disabled():
        print(f"\n{total}", flush=True)
    assert total.games == GAMES
    assert set(total.reasons) == {
        "divided",
        "blocked",
        "depleted",
        "stones",
        "stalled",
        "resigned",
    }
    assert set(total.at_once) >= {1, 2, 3}
    assert total.passes
    assert total.forfeits
