"""Outlines of sets of cells, for drawing."""

from __future__ import annotations

from collections.abc import Iterable

from terrarium.nova.board import Board

__all__ = ["Loop", "loops", "smooth_path", "straight_path"]

Loop = list[tuple[int, int]]
"""A closed outline, clockwise around cells: corners in half hex widths and half side lengths."""

_CORNERS = ((1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1), (0, -2))
"""The corner where the side towards direction d begins, relative to the centre; the side ends where the next one begins."""


def loops(board: Board, cells: Iterable[int]) -> list[Loop]:
    """The outlines of a set of cells: the outer ones, and one around each hole."""
    inside = set(cells)
    after: dict[tuple[int, int], tuple[int, int]] = {}
    for cell in sorted(inside):
        r, x = board.coordinates[cell]
        for d, near in enumerate(board.neighbours[cell]):
            if near not in inside:
                (ax, ay), (bx, by) = _CORNERS[d], _CORNERS[(d + 1) % 6]
                after[x + ax, 3 * r + ay] = (x + bx, 3 * r + by)
    found = []
    while after:
        start = min(after)
        loop = [start]
        corner = after.pop(start)
        while corner != start:
            loop.append(corner)
            corner = after.pop(corner)
        found.append(loop)
    return found


def straight_path(outlines: list[Loop], across: float, down: float) -> str:
    """Path data along the sides of the cells; `across` and `down` are the sizes of the units of a `Loop`."""
    return "".join(
        "M" + "L".join(f"{x * across:.1f} {y * down:.1f}" for x, y in loop) + "Z"
        for loop in outlines
    )


def smooth_path(outlines: list[Loop], across: float, down: float) -> str:
    """Path data with smooth curves between the middles of the sides."""
    parts = []
    for loop in outlines:
        points = [(x * across, y * down) for x, y in loop]
        middles = [
            ((x + nx) / 2, (y + ny) / 2)
            for (x, y), (nx, ny) in zip(points, points[1:] + points[:1], strict=True)
        ]
        start = middles[-1]
        curves = "".join(
            f"Q{x:.1f} {y:.1f} {mx:.1f} {my:.1f}"
            for (x, y), (mx, my) in zip(points, middles, strict=True)
        )
        parts.append(f"M{start[0]:.1f} {start[1]:.1f}{curves}Z")
    return "".join(parts)
