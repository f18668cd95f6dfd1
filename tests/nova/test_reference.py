"""Kernel and reference agree at every position of hundreds of random games."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from terrarium import nova
from tests.nova.side_by_side import Tally, play_side_by_side
from tests.sizes import size

pytestmark = pytest.mark.long

GAMES = size(500, 1500)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"


def rhomb(rows: int, cells: int, shift: Callable[[int], int]) -> str:
    """A map of equal rows; row `n` is moved to the right by `shift(n)`."""
    return "\n".join(
        " " * shift(r) + " ".join(LETTERS[(r // 4 + c // 4) % 32] for c in range(cells))
        for r in range(rows)
    )


EXTREME = {
    "26 by 26": rhomb(26, 26, lambda r: r % 2),
    "1014 cells, numbers to 64": rhomb(26, 39, lambda r: r),
    "1014 cells, leaning left": rhomb(26, 39, lambda r: 25 - r),
    "one row of 64": rhomb(1, 64, lambda r: 0),
    "one column along a number": rhomb(26, 1, lambda r: 25 - r),
    "one column along both": rhomb(26, 1, lambda r: r),
}


@pytest.fixture(scope="module")
def tally() -> Tally:
    """The counts of hundreds of games in which kernel and reference agreed everywhere."""
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


@pytest.mark.parametrize("name", EXTREME)
def test_kernel_and_reference_agree_on_the_largest_and_thinnest_boards(name: str) -> None:
    play_side_by_side(20_000, EXTREME[name])
