"""Kernel and reference agree at every position of hundreds of random games."""

from __future__ import annotations

import pytest

from terrarium import nova
from tests.nova.side_by_side import Tally, play_side_by_side

GAMES = 1500
BIG = "\n".join(
    " " * (r % 2) + " ".join("ABCDEFGH"[(r // 5 + c // 5) % 8] for c in range(26))
    for r in range(26)
)


@pytest.fixture(scope="module")
def tally() -> Tally:
    """What hundreds of games contained in which kernel and reference agreed everywhere."""
    total = Tally()
    for seed in range(GAMES):
        total += play_side_by_side(seed)
    return total


def test_kernel_and_reference_agree_on_small_boards(tally: Tally) -> None:
    assert tally.games == GAMES
    assert tally.positions > 15 * GAMES


@pytest.mark.parametrize(
    "reason", ["divided", "blocked", "depleted", "stones", "stalled", "resigned"]
)
def test_games_ended_for_every_reason(tally: Tally, reason: str) -> None:  # TN-22 .. TN-28
    assert tally.reasons[reason] >= 10


@pytest.mark.parametrize("landscapes", [1, 2, 3])
@pytest.mark.parametrize("size", ["1", "2-4", "5-9", "10+"])
def test_territories_of_every_kind_and_size_formed(
    tally: Tally, landscapes: int, size: str
) -> None:  # TN-16, TN-17
    if size == "1" and landscapes > 1:
        assert tally.territories[landscapes, size] == 0
    else:
        assert tally.territories[landscapes, size] >= 3


def test_one_stone_scored_one_two_and_three_territories(tally: Tally) -> None:  # TN-16
    assert all(tally.at_once[count] >= 2 for count in (1, 2, 3))


def test_passes_forfeits_and_resignations_occurred(tally: Tally) -> None:  # TN-6, TN-9, TN-28
    assert tally.passes >= 50
    assert tally.forfeits >= 50
    assert tally.resignations >= 50


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(nova.BOARDS))
def test_kernel_and_reference_agree_on_every_built_in_board(name: str, seed: int) -> None:
    play_side_by_side(10_000 + seed, nova.BOARDS[name].to_text())


@pytest.mark.parametrize("seed", [20_000, 20_001])
def test_kernel_and_reference_agree_on_26_by_26_cells(seed: int) -> None:
    play_side_by_side(seed, BIG)
