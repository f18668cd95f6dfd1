"""Terra Turrium seen from above: height as number and tint, flags as emblems."""

from __future__ import annotations

from terrarium.turrium.art import Point, arrow, emblem, number, polygon, written
from terrarium.turrium.palette import SEATS, ink_on, mixed
from terrarium.turrium.scene import Scene, Spot

__all__ = ["Above"]

_CELL = 48.0
_RIM = 24.0
_AROUND = 16.0


class Above:
    """The picture of a scene from above; its box is (left, top, width, height)."""

    def __init__(self, scene: Scene, *, coordinates: bool) -> None:
        self.scene = scene
        self.coordinates = coordinates
        self.size = scene.side * _CELL
        edge = _RIM + _AROUND
        self.box = (-edge, -self.size - edge, self.size + 2 * edge, self.size + 2 * edge)

    def square(self, u: float, v: float, inset: float = 0, size: float = 1) -> str:
        """The outline of a square whose lower left corner is at (u, v), in cells."""
        x, y, length = u * _CELL + inset, -v * _CELL - inset, size * _CELL - 2 * inset
        return polygon(((x, y), (x + length, y), (x + length, y - length), (x, y - length)))

    def middle(self, spot: Spot) -> Point:
        """The middle of a cell on the picture."""
        return (spot.u + 0.5) * _CELL, -(spot.v + 0.5) * _CELL

    def draw(self) -> str:
        """The rim, the cells, the borders of territories, then towers and the marks of the last actions."""
        drawn = self.rim()
        for spot in self.scene.backwards():
            drawn += self.cell(spot)
        drawn += self.borders() + self.marks()
        for spot in self.scene.backwards():
            if spot.flag is not None:
                drawn += self.tower(spot, spot.flag)
        return drawn + self.trails()

    def rim(self) -> str:
        """A coloured strip outside each territory, with names and emblems (TT-2)."""
        theme, side = self.scene.theme, self.scene.side
        r = _RIM / _CELL
        drawn = (
            f'<path d="{self.square(-r, -r, 0, side + 2 * r)}" fill="{theme.plate}" stroke="{theme.line}"'
            ' stroke-width="1.4" stroke-linejoin="round"/>'
        )
        for (i, j), owner in self.scene.quarter_owners().items():
            colour = mixed(theme.plate, self.scene.owner_colour(owner), 0.5)
            u, v = (-r, side / 2)[i], (-r, side / 2)[j]
            drawn += f'<path d="{self.square(u, v, 0.7, side / 2 + r)}" fill="{colour}"/>'
            if owner is not None:
                ends = (-_RIM / 2, self.size + _RIM / 2)
                drawn += emblem(owner, ends[i], -ends[j], 6.6, theme, stroke=1.2)
        if self.coordinates:
            along, up = self.scene.labels()
            for i in range(side):
                place = (i + 0.5) * _CELL
                drawn += written(along[i], place, _RIM / 2 + 5, 11, theme.text, width=1.4)
                drawn += written(up[i], -_RIM / 2, -place + 5, 11, theme.text, width=1.4)
        return drawn

    def cell(self, spot: Spot) -> str:
        """The ground, or the top of a construction with its height."""
        theme = self.scene.theme
        fill = self.scene.tint(spot) if spot.height else self.scene.ground(spot)
        drawn = (
            f'<path d="{self.square(spot.u, spot.v)}" fill="{fill}" stroke="{theme.line}"'
            ' stroke-opacity=".55" stroke-width="1"/>'
        )
        if spot.height:
            # higher constructions have a stronger bevel
            x, y = self.middle(spot)
            a, b = _CELL / 2 - 1, _CELL / 2 - 1 - min(2 + spot.height, 8)
            shade = polygon(
                (
                    (x - a, y + a),
                    (x + a, y + a),
                    (x + a, y - a),
                    (x + b, y - b),
                    (x + b, y + b),
                    (x - b, y + b),
                )
            )
            light = polygon(
                (
                    (x - a, y + a),
                    (x - a, y - a),
                    (x + a, y - a),
                    (x + b, y - b),
                    (x - b, y - b),
                    (x - b, y + b),
                )
            )
            drawn += f'<path d="{shade}" fill="#000000" fill-opacity=".16"/>'
            drawn += f'<path d="{light}" fill="#ffffff" fill-opacity=".22"/>'
            if spot.flag is None:
                drawn += number(spot.height, x, y + 8, 16, theme)
        names = f'data-cell="{spot.cell}" data-height="{spot.height}"'
        return f"<g {names}>{drawn}</g>"

    def tower(self, spot: Spot, seat: int) -> str:
        """A flag from above: the emblem of its seat with the height of its tower."""
        x, y = self.middle(spot)
        theme = self.scene.theme
        ink = ink_on(SEATS[seat])
        shift = 2.4 if seat == 2 else 0
        size = 12.5 if spot.height < 10 else 9.5
        return (
            f'<g data-cell="{spot.cell}" data-seat="{seat}">'
            + emblem(seat, x, y, 14.2, theme, stroke=1.8)
            + written(str(spot.height), x, y + size / 2 + shift, size, ink, width=2.1)
            + "</g>"
        )

    def borders(self) -> str:
        """Lines between the territories and around the used area."""
        theme, side, size = self.scene.theme, self.scene.side, self.size
        half = side / 2 * _CELL
        path = f"M{half:.1f} 0L{half:.1f} {-size:.1f}M0 {-half:.1f}L{size:.1f} {-half:.1f}"
        return (
            f'<path d="{path}" fill="none" stroke="{theme.border}" stroke-width="2.4" stroke-opacity=".75"/>'
            f'<path d="{self.square(0, 0, 0, side)}" fill="none" stroke="{theme.border}" stroke-width="2.4"/>'
        )

    def marks(self) -> str:
        """A bright line around each cell of the last actions; dashed around cells that a piece left."""
        theme, drawn = self.scene.theme, ""
        for cells, dashes in zip(self.scene.acted(), (' stroke-dasharray="6 4"', ""), strict=True):
            for cell in sorted(cells):
                spot = self.scene.spots[cell]
                path = self.square(spot.u, spot.v, 2.6)
                drawn += (
                    f'<path class="last" d="{path}" fill="none" stroke="{theme.casing}" stroke-width="4.6"/>'
                    f'<path d="{path}" fill="none" stroke="{theme.accent}" stroke-width="2.8"{dashes}/>'
                )
        return drawn

    def trails(self) -> str:
        """An arrow along each step and capture."""
        drawn = ""
        for action in self.scene.last:
            if action.source and action.target:
                start = self.middle(self.scene.spots[action.source])
                drawn += arrow(
                    start, self.middle(self.scene.spots[action.target]), self.scene.theme, 17
                )
        return drawn
