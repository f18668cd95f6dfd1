"""The strip below a Terra Turrium picture: each seat's ladder of heights, attacks and flags in hand, and the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from terrarium.turrium.art import emblem, polygon, written
from terrarium.turrium.palette import SEATS, Theme, ink_on, mixed

if TYPE_CHECKING:
    from terrarium.turrium.position import Position

__all__ = ["PANEL_HEIGHT", "SEAT_WIDTH", "panel"]

PANEL_HEIGHT = 62.0
SEAT_WIDTH = 152.0
_RUNG = 15.0


def panel(position: Position, theme: Theme, left: float, top: float, width: float) -> str:
    """One box per seat; the seat to move is framed."""
    drawn = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{PANEL_HEIGHT}" fill="{theme.panel}"/>'
    step = width / position.players
    for seat in range(position.players):
        x = left + step * seat + (step - SEAT_WIDTH) / 2
        faded = ' opacity=".4"' if seat in position.resigned else ""
        drawn += (
            f'<g class="seat" data-seat="{seat}"{faded}>{_seat(position, seat, theme, x, top)}</g>'
        )
    return drawn


def _seat(position: Position, seat: int, theme: Theme, left: float, top: float) -> str:
    drawn = ""
    is_to_move = position.to_move == seat
    if is_to_move:
        drawn += (
            f'<rect x="{left + 2:.1f}" y="{top + 4:.1f}" width="{SEAT_WIDTH - 4}" height="{PANEL_HEIGHT - 8}" rx="9"'
            f' fill="none" stroke="{theme.accent}" stroke-width="2"/>'
        )
    drawn += emblem(seat, left + 25, top + 23, 9.5, theme)
    drawn += _ladder(position, seat, theme, left + 46, top + 14)
    drawn += _attacks(position, seat, theme, left + 46, top + 44)
    if position.hand[seat]:
        drawn += written(f"+{position.hand[seat]}", left + 25, top + 50, 9.5, theme.text, width=1.5)
    if is_to_move and position.phase in ("take", "place"):
        drawn += _cubes(position.cubes_in_hand, theme, left + 112, top + 44)
    elif is_to_move and position.phase == "move":
        drawn += _points(position.points_left, theme, left + 92, top + 44)
    has_won = seat in position.declared or (
        position.outcome is not None and seat in position.outcome.winners
    )
    return drawn + (_star(left + 128, top + 44, theme) if has_won else "")


def _ladder(position: Position, seat: int, theme: Theme, x: float, y: float) -> str:
    """Heights 1 to 6: filled where a flag stands (TT-14)."""
    drawn = ""
    held = position.ladders[seat].held
    for height in range(1, 7):
        is_held = height in held
        fill = SEATS[seat] if is_held else "none"
        ink = ink_on(SEATS[seat]) if is_held else theme.text
        at = x + (height - 1) * _RUNG
        drawn += (
            f'<rect x="{at:.1f}" y="{y:.1f}" width="{_RUNG - 2}" height="18" rx="2.5" fill="{fill}"'
            f' stroke="{theme.text}" stroke-opacity="{0.9 if is_held else 0.35}" stroke-width="1.1"/>'
        )
        opacity = 1.0 if is_held else 0.5
        drawn += written(
            str(height), at + _RUNG / 2 - 1, y + 13.5, 9, ink, width=1.5, opacity=opacity
        )
    return drawn


def _attacks(position: Position, seat: int, theme: Theme, x: float, y: float) -> str:
    """One tick for each attacking turn made (TT-12)."""
    ticks = "".join(
        f"M{x + 2 + 7 * i:.1f} {y - 3:.1f}l5 6m0 -6l-5 6" for i in range(position.attacks[seat])
    )
    if not ticks:
        return ""
    return (
        f'<path class="attacks" d="{ticks}" fill="none" stroke="{theme.text}" stroke-width="1.5"'
        ' stroke-linecap="round" stroke-opacity=".8"/>'
    )


def _cubes(count: int, theme: Theme, x: float, y: float) -> str:
    """The cubes in hand (TT-8), or an empty place for one."""
    drawn = ""
    top = theme.heights[1]
    for i in range(max(count, 1)):
        cx = x + 13 * i
        faces = (
            (((cx - 6, y - 3), (cx, y), (cx, y + 7), (cx - 6, y + 4)), theme.left),
            (((cx + 6, y - 3), (cx, y), (cx, y + 7), (cx + 6, y + 4)), theme.right),
            (((cx, y - 6), (cx + 6, y - 3), (cx, y), (cx - 6, y - 3)), 1.0),
        )
        for points, light in faces:
            fill = mixed("#000000", top, light) if count else "none"
            drawn += (
                f'<path d="{polygon(points)}" fill="{fill}" stroke="{theme.text}" stroke-width=".9"'
                f' stroke-opacity="{1 if count else 0.45}" stroke-linejoin="round"/>'
            )
    return f'<g class="cubes" data-cubes="{count}">{drawn}</g>'


def _points(count: int, theme: Theme, x: float, y: float) -> str:
    """The points left, of five (TT-9)."""
    dots = "".join(
        f'<circle cx="{x + 9.5 * i:.1f}" cy="{y:.1f}" r="3.4" fill="{theme.accent if i < count else "none"}"'
        f' stroke="{theme.accent}" stroke-width="1.3"/>'
        for i in range(5)
    )
    return f'<g class="points" data-points="{count}">{dots}</g>'


def _star(x: float, y: float, theme: Theme) -> str:
    """The mark of a winner (TT-14)."""
    corners = ((0, -9), (2.6, -2.9), (8.6, -2.8), (4.2, 1.4), (5.3, 7.3), (0, 4.3))
    mirrored = [(-a, b) for a, b in reversed(corners[1:5])]
    path = polygon((x + a, y + b) for a, b in (*corners, *mirrored))
    return (
        f'<path class="winner" d="{path}" fill="{theme.accent}" stroke="{theme.outline}"'
        ' stroke-width="1.2" stroke-linejoin="round"/>'
    )
