"""The parts of Terra Turrium pictures that both views use: flags, emblems, numbers and shapes.

Each seat has a colour, an emblem (disc, square, triangle, diamond) and a shape of flag (pennant, banner, swallowtail,
gonfalon), so that seats differ in more than colour.
"""

from __future__ import annotations

from collections.abc import Iterable

from terrarium.core.lettering import text_path
from terrarium.turrium.palette import SEATS, Theme

__all__ = ["Point", "arrow", "emblem", "flag", "number", "polygon", "written"]

Point = tuple[float, float]

_CLOTHS = (
    "M1 -33L25 -25.5L1 -18Z",
    "M1 -33L22 -33L22 -18L1 -18Z",
    "M1 -33L25 -33L18.5 -25.5L25 -18L1 -18Z",
    "M-9 -33L13 -33L13 -20L2 -12.5L-9 -20Z",
)
_CLOTH_CENTRES: tuple[Point, ...] = ((7.6, -25.5), (11.5, -25.5), (9.4, -25.5), (2, -24.6))


def polygon(points: Iterable[Point]) -> str:
    """Path data around these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def written(text: str, x: float, y: float, size: float, colour: str, **how: float) -> str:
    """A text in strokes, its baseline at y; `how` can set `anchor`, `width` and `opacity`."""
    path = text_path(text, x, y, size, how.get("anchor", 0.5))
    width = how.get("width", size / 6.2)
    opacity = f' stroke-opacity="{how["opacity"]:.2f}"' if "opacity" in how else ""
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.2f}"{opacity}'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def number(
    height: int, x: float, y: float, size: float, theme: Theme, *, is_tower: bool = False
) -> str:
    """The height of a construction, in a colour that contrasts with it; low ones without a flag are fainter."""
    is_light = theme.first_light_ink <= height <= theme.last_light_ink
    ink = theme.light_ink if is_light else theme.dark_ink
    opacity = 1.0 if is_tower or height > 2 else 0.72 if height == 2 else 0.5
    width = size / (6 if is_tower or height > 2 else 8)
    return written(str(height), x, y, size, ink, opacity=opacity, width=width)


def emblem_path(seat: int, x: float, y: float, r: float) -> str:
    """The outline of a seat's emblem, about 2r wide, around a point."""
    if seat == 0:
        return f"M{x - r:.1f} {y:.1f}a{r:.1f} {r:.1f} 0 1 0 {2 * r:.1f} 0a{r:.1f} {r:.1f} 0 1 0 {-2 * r:.1f} 0Z"
    if seat == 1:
        s = r * 0.88
        return polygon(((x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)))
    if seat == 2:
        return polygon(
            ((x, y - 1.22 * r), (x + 1.22 * r, y + 0.86 * r), (x - 1.22 * r, y + 0.86 * r))
        )
    s = r * 1.22
    return polygon(((x, y - s), (x + s, y), (x, y + s), (x - s, y)))


def emblem(seat: int, x: float, y: float, r: float, theme: Theme, *, stroke: float = 1.6) -> str:
    """A seat's emblem in its colour, with a light rim so that it is visible on any ground."""
    path = emblem_path(seat, x, y, r)
    return (
        f'<path d="{path}" fill="{theme.halo}" stroke="{theme.halo}" stroke-width="{stroke + 2.4:.1f}"'
        ' stroke-linejoin="round"/>'
        f'<path d="{path}" fill="{SEATS[seat]}" stroke="{theme.outline}" stroke-width="{stroke:.1f}"'
        ' stroke-linejoin="round"/>'
    )


def flag(seat: int, theme: Theme) -> str:
    """A seat's flag on its pole; the pole's foot is at (0, 0)."""
    cloth = _CLOTHS[seat]
    x, y = _CLOTH_CENTRES[seat]
    pole = "M0 0L0 -35.5"
    mark = emblem_path(seat, x, y, 3.5)
    rim = 'stroke-linejoin="round" stroke-linecap="round"'
    return (
        '<ellipse cx="0" cy="0" rx="5" ry="2.6" fill="#000000" fill-opacity=".35"/>'
        f'<path d="{pole}{cloth}" fill="{theme.halo}" stroke="{theme.halo}" stroke-width="4.6" {rim}/>'
        f'<path d="{pole}" fill="none" stroke="{theme.outline}" stroke-width="2.6" {rim}/>'
        f'<path d="{cloth}" fill="{SEATS[seat]}" stroke="{theme.outline}" stroke-width="1.4" {rim}/>'
        f'<path d="{mark}" fill="#ffffff" stroke="{theme.outline}" stroke-width=".7" stroke-opacity=".55"/>'
        f'<circle cx="0" cy="-36" r="2.1" fill="{theme.halo}" stroke="{theme.outline}" stroke-width="1.1"/>'
    )


def arrow(start: Point, end: Point, theme: Theme, gap: float) -> str:
    """An arrow from one point towards another; it ends `gap` before it."""
    (x, y), (tx, ty) = start, end
    length = max(((tx - x) ** 2 + (ty - y) ** 2) ** 0.5, 0.1)
    ux, uy = (tx - x) / length, (ty - y) / length
    ex, ey = tx - gap * ux, ty - gap * uy
    bx, by = ex - 9 * ux, ey - 9 * uy
    line = f"M{x:.1f} {y:.1f}L{bx + ux:.1f} {by + uy:.1f}"
    head = polygon(((ex, ey), (bx - 6 * uy, by + 6 * ux), (bx + 6 * uy, by - 6 * ux)))
    return (
        f'<path class="last" d="{line}" fill="none" stroke="{theme.casing}" stroke-width="7" stroke-linecap="round"/>'
        f'<path d="{head}" fill="{theme.casing}" stroke="{theme.casing}" stroke-width="4" stroke-linejoin="round"/>'
        f'<path d="{line}" fill="none" stroke="{theme.accent}" stroke-width="3.4" stroke-linecap="round"/>'
        f'<path d="{head}" fill="{theme.accent}" stroke="{theme.accent}" stroke-width="1" stroke-linejoin="round"/>'
    )
