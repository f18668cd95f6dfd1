"""Terra Turrium seen from one corner: stacked cubes, drawn from the farthest to the nearest."""

from __future__ import annotations

from terrarium.turrium.art import Point, arrow, emblem, flag, number, polygon, written
from terrarium.turrium.palette import mixed
from terrarium.turrium.scene import Scene, Spot

__all__ = ["Isometric"]

_WIDE, _DEEP, _TALL = (
    30.0,
    15.0,
    19.0,
)  # half a cell's width and depth on the picture, a cube's height
_RIM = 0.62  # the plate around the cells, in cells


class Isometric:
    """The isometric picture of a scene; its box is (left, top, width, height)."""

    def __init__(self, scene: Scene, *, coordinates: bool) -> None:
        self.scene = scene
        self.coordinates = coordinates
        end = scene.side + _RIM
        half = end * _WIDE + _RIM * _WIDE + 22
        highest = min(
            (self.at(spot.u + 1, spot.v + 1, spot.height)[1] - 42 * (spot.flag is not None))
            for spot in scene.spots.values()
        )
        top = min(highest, self.at(end, end)[1]) - 18
        bottom = self.at(-_RIM, -_RIM)[1] + 34
        self.box = (-half, top, 2 * half, bottom - top)

    def at(self, u: float, v: float, z: float = 0) -> Point:
        """The place in the picture of a corner of the grid, z cubes high."""
        return (u - v) * _WIDE, -(u + v) * _DEEP - z * _TALL

    def draw(self) -> str:
        """The plate, then all cells from back to front with their cubes, flags and the marks of the last actions."""
        flags = "".join(
            f'<g id="{self.flag_id(seat)}">{flag(seat, self.scene.theme)}</g>'
            for seat in range(self.scene.position.players)
        )
        drawn = f"<defs>{flags}</defs>" + self.plate()
        left, reached = self.scene.acted()
        for spot in self.scene.backwards():
            mark = self.mark(spot, is_left=True) if spot.cell in left else ""
            mark += self.mark(spot, is_left=False) if spot.cell in reached else ""
            drawn += self.column(spot, mark) + self.trails(spot)
        return drawn

    def flag_id(self, seat: int) -> str:
        return f"tt-{self.scene.theme.name}-flag-{seat}"

    def diamond(self, u: float, v: float, z: float = 0, inset: float = 0, size: float = 1) -> str:
        """The outline of a square on the picture."""
        a, b = inset, size - inset
        return polygon(self.at(u + x, v + y, z) for x, y in ((a, a), (b, a), (b, b), (a, b)))

    def plate(self) -> str:
        """The board below the cubes: a coloured strip outside each territory, names and emblems (TT-2)."""
        theme, side, r = self.scene.theme, self.scene.side, _RIM
        low, high = -r, side + r
        front, right, left = self.at(low, low), self.at(high, low), self.at(low, high)
        edge = polygon((left, front, right, *((x, y + 9) for x, y in (right, front, left))))
        drawn = (
            f'<path d="{edge}" fill="{theme.plate_edge}" stroke="{theme.line}" stroke-width="1.2" stroke-linejoin="round"/>'
            f'<path d="{self.diamond(low, low, 0, 0, high - low)}" fill="{theme.plate}" stroke="{theme.line}"'
            ' stroke-width="1.2" stroke-linejoin="round"/>'
        )
        middle = side / 2
        for (i, j), owner in self.scene.quarter_owners().items():
            colour = mixed(theme.plate, self.scene.owner_colour(owner), 0.5)
            u, v = (low, middle)[i], (low, middle)[j]
            inner_u, inner_v = (0, middle)[i], (0, middle)[j]
            quarter = self.diamond(u, v, 0, 0, middle + r)
            hole = self.diamond(inner_u, inner_v, 0, 0, middle)
            drawn += f'<path d="{quarter}{hole}" fill="{colour}" fill-rule="evenodd"/>'
        for (i, j), owner in self.scene.quarter_owners().items():
            if owner is not None:
                corner = (low + r / 2, high - r / 2)
                x, y = self.at(corner[i], corner[j])
                drawn += emblem(owner, x, y, 5.6, theme, stroke=1.2)
        if self.coordinates:
            along, up = self.scene.labels()
            for i in range(side):
                x, y = self.at(i + 0.5, -r / 2)
                drawn += written(along[i], x, y + 4, 10, theme.text, width=1.3)
                x, y = self.at(-r / 2, i + 0.5)
                drawn += written(up[i], x, y + 4, 10, theme.text, width=1.3)
        return drawn

    def column(self, spot: Spot, mark: str) -> str:
        """A cell with its cubes, number and flag; sides that a neighbour in front hides are left out."""
        theme, u, v, h = self.scene.theme, spot.u, spot.v, spot.height
        if h == 0:
            path = self.diamond(u, v)
            body = (
                f'<path d="{path}" fill="{self.scene.ground(spot)}" stroke="{theme.line}" stroke-opacity=".35"'
                ' stroke-width="1"/>'
            )
        else:
            top = self.scene.tint(spot)
            body = self.wall(spot, (u, v + 1), mixed("#000000", top, theme.left))
            body += self.wall(spot, (u + 1, v), mixed("#000000", top, theme.right))
            body += (
                f'<path d="{self.diamond(u, v, h)}" fill="{top}" stroke="{theme.line}" stroke-width="1.1"'
                ' stroke-linejoin="round"/>'
            )
        body += mark
        x, y = self.at(u + 0.5, v + 0.5, h)
        if spot.flag is not None:
            body += number(h, x, y + 11.4, 9, theme, is_tower=True)
            body += f'<use href="#{self.flag_id(spot.flag)}" x="{x:.1f}" y="{y - 4.5:.1f}"/>'
        elif h:
            body += number(h, x, y + 5.6, 12, theme)
        names = f'data-cell="{spot.cell}" data-height="{h}"'
        if spot.flag is not None:
            names += f' data-seat="{spot.flag}"'
        return f"<g {names}>{body}</g>"

    def wall(self, spot: Spot, far: tuple[int, int], colour: str) -> str:
        """One of the two sides that face the viewer, with a seam between cubes."""
        near = (spot.u, spot.v)
        points = (
            self.at(*near),
            self.at(*far),
            self.at(*far, spot.height),
            self.at(*near, spot.height),
        )
        seams = "".join(
            "M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*self.at(*near, z), *self.at(*far, z))
            for z in range(1, spot.height)
        )
        line = self.scene.theme.line
        return (
            f'<path d="{polygon(points)}" fill="{colour}" stroke="{line}" stroke-width="1.1" stroke-linejoin="round"/>'
            + (
                f'<path d="{seams}" fill="none" stroke="{line}" stroke-opacity=".7" stroke-width="1"/>'
                if seams
                else ""
            )
        )

    def mark(self, spot: Spot, *, is_left: bool) -> str:
        """A bright line around the top of a cell of the last actions; dashed if a piece left it."""
        path = self.diamond(spot.u, spot.v, spot.height, 0.08)
        theme = self.scene.theme
        dashes = ' stroke-dasharray="6 4"' if is_left else ""
        return (
            f'<path class="last" d="{path}" fill="none" stroke="{theme.casing}" stroke-width="4.4" stroke-linejoin="round"/>'
            f'<path d="{path}" fill="none" stroke="{theme.accent}" stroke-width="2.4"{dashes} stroke-linejoin="round"/>'
        )

    def trails(self, spot: Spot) -> str:
        """An arrow along each step and capture whose nearer end is this spot, so that nearer towers cover the arrow."""
        drawn = ""
        for action in self.scene.last:
            if action.source is None or action.target is None:
                continue
            ends = [self.scene.spots[cell] for cell in (action.source, action.target)]
            if min(ends, key=lambda end: end.u + end.v) is spot:
                start, end = (self.at(end.u + 0.5, end.v + 0.5, end.height) for end in ends)
                drawn += arrow(start, end, self.scene.theme, 6)
        return drawn
