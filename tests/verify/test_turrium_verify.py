"""Long test: kernel and reference of Terra Turrium agree in thousands of games.

pytest tests/verify            or `make verify`
TERRARIUM_VERIFY_GAMES=200000  for more
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.turrium.happenings import NAMES
from tests.turrium.side_by_side import Report, all_options, compared_game

GAMES = int(os.environ.get("TERRARIUM_VERIFY_GAMES", "10000"))
FIRST_SEED = 1_000
LONG_EVERY = 20  # one game in this many is played with the usual limit of 100 rounds
COMBINATIONS = list(all_options())


def play_all_options(seed: int) -> Report:
    """Play one game of every combination of options; return their counts."""
    total = Report()
    for options in COMBINATIONS:
        total += compared_game(options, seed, is_long=seed % LONG_EVERY == 0)
    return total


def test_kernel_and_reference_agree_in_thousands_of_games(
    capfd: pytest.CaptureFixture[str],
) -> None:
    total, begun = Report(), time.monotonic()
    seeds = range(FIRST_SEED, FIRST_SEED + -(-GAMES // len(COMBINATIONS)))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for report in pool.map(play_all_options, seeds):
            total += report
            with capfd.disabled():
                passed = time.monotonic() - begun
                print(
                    f"\rturrium: {total.games:,} of {GAMES:,} games, {total.positions:,} positions "
                    f"compared, {len(total.disagreements)} disagreements, {passed:.0f} s",
                    end="",
                    flush=True,
                )
    with capfd.disabled():
        print()
        for name in sorted(NAMES):
            print(f"{total.happened[name]:>9,} {name}")
    assert total.disagreements == []
    assert total.games >= GAMES
    assert {name for name in NAMES if total.happened[name] == 0} == set()
