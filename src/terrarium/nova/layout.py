"""The places of a board's cells in the bit boards and lines of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["packed_lines", "sites_of"]


def sites_of(
    axial: Sequence[tuple[int, int]], neighbours: Sequence[Sequence[int]]
) -> tuple[int, tuple[int, int, int], list[int]]:
    """Bit numbers for the cells such that only neighbours differ by 1, s or s + 1.

    Returns s, the difference for a step along each axis, and the numbers. Rows may overlap the gaps of other rows. Of both orientations
    the one that needs fewer bits is used.
    """
    best: tuple[int, int, tuple[int, int, int], list[int]] | None = None
    for turned in (False, True):
        places = [(b, a) if turned else (a, b) for a, b in axial]
        order = (2, 1, 0, 5, 4, 3) if turned else (0, 1, 2, 3, 4, 5)
        for stride in range(1, 64):
            sites = [row * stride + column for row, column in places]
            first = min(sites)
            at = {site: cell for cell, site in enumerate(sites)}
            if len(at) < len(sites):
                continue
            steps = (1, stride + 1, stride, -1, -stride - 1, -stride)
            if all(
                at.get(site + step, -1) == near[order[d]]
                for site, near in zip(sites, neighbours, strict=True)
                for d, step in enumerate(steps)
            ):
                size = max(sites) - first + 1
                if best is None or size < best[0]:
                    deltas = (stride, stride + 1, 1) if turned else (1, stride + 1, stride)
                    best = size, stride, deltas, [site - first for site in sites]
                break
    assert (
        best is not None
    )  # in the turned orientation a stride of the number of rows plus one always works
    return best[1:]


def packed_lines(
    rays: Sequence[Sequence[Sequence[int]]],
) -> tuple[list[list[tuple[int, int]]], int]:
    """Word and bit of each cell on each of three axes, and the number of words; lines share words, with one bit between them."""
    places = [[(0, 0)] * 3 for _ in rays]
    word = 0
    for axis in range(3):
        free = 0
        for cell, ray in enumerate(rays):
            if ray[axis + 3]:
                continue
            line = (cell, *ray[axis])
            if free + len(line) > 64:
                word, free = word + 1, 0
            for step, other in enumerate(line):
                places[other][axis] = word, free + step
            free += len(line) + 1
        word += 1
    return places, word
