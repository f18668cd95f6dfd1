"""How fair a board is: how similar its landscapes are in size, fence and remoteness."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from terrarium.nova.board import Board

__all__ = ["Fairness", "fairness"]

Place = tuple[int, int]
"""A cell as (letter, number), both counted from 0, as in `Board.axial`."""


@dataclass(frozen=True)
class Fairness:
    """Measures of each landscape; on a fair board they are similar.

    `sizes` counts cells; `fences` the cells around a landscape that stones must cover to close it (the sea is free);
    `remoteness` is the mean distance from a cell of the landscape to any cell of the board, in hundredths;
    `borders` counts the landscapes it touches. All in the order of `board.letters`.
    """

    sizes: tuple[int, ...]
    fences: tuple[int, ...]
    remoteness: tuple[int, ...]
    borders: tuple[int, ...]

    @property
    def unfairness(self) -> float:
        """The sum of the spreads (standard deviation over mean) of sizes, fences and remoteness, in percent; 0 is perfectly fair."""
        return round(_spread(self.sizes) + _spread(self.fences) + _spread(self.remoteness), 1)


def _spread(values: tuple[int, ...]) -> float:
    total, squares = sum(values), sum(value * value for value in values)
    return 100 * sqrt(len(values) * squares - total * total) / total


def fairness(board: Board) -> Fairness:
    """The fairness measures of a board; `docs/boards.md` explains them."""
    count = len(board.letters)
    around: list[set[int]] = [set() for _ in range(count)]
    touching: list[set[int]] = [set() for _ in range(count)]
    sizes, far = [0] * count, [0] * count
    distances = [sum(row) for row in steps_between(list(board.axial))]
    for cell, own in enumerate(board.landscape_of):
        sizes[own] += 1
        far[own] += distances[cell]
        for near in board.neighbours[cell]:
            if near >= 0 and board.landscape_of[near] != own:
                around[own].add(near)
                touching[own].add(board.landscape_of[near])
    return Fairness(
        sizes=tuple(sizes),
        fences=tuple(len(cells) for cells in around),
        remoteness=tuple(100 * d // (n * len(board)) for d, n in zip(far, sizes, strict=True)),
        borders=tuple(len(others) for others in touching),
    )


def steps_between(places: list[Place]) -> list[list[int]]:
    """The distances in steps between each (letter, number) and all others."""
    return [
        [max(abs(i - k), abs(j - m), abs((i - k) - (j - m))) for k, m in places] for i, j in places
    ]
