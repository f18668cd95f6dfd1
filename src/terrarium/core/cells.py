"""Pictures of any game from its layout: a circle for each cell, filled with the colour of the seat that occupies it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from terrarium.core.action import Action
from terrarium.core.picture import gif
from terrarium.core.position import Position
from terrarium.errors import TerrariumError

__all__ = ["animate", "draw"]

COLOURS = {"red": "#d9402f", "blue": "#2f6fd0", "green": "#2ba05a", "yellow": "#f2c021"}

_THEMES = {
    # background, cell, line, mark
    "light": ("#e9eef0", "#fbf8f0", "#5b4a33", "#e0591a"),
    "dark": ("#10171e", "#242d36", "#f1e7cf", "#ff8f3a"),
}
_RADIUS = 0.42


def draw(position: Position, last: Sequence[Action | str] = (), theme: str = "light") -> str:
    """The position as SVG; the cells of the actions in `last` are marked."""
    if theme not in _THEMES:
        message = f"theme {theme!r:.40}: there are {' and '.join(_THEMES)}"
        raise TerrariumError("unknown-theme", message)
    background, ground, line, mark = _THEMES[theme]
    cells = position.game.layout(position)
    colours = position.game.colours(position.rules)
    done = [position.parse(action) if isinstance(action, str) else action for action in last]
    marked = {cell for action in done for cell in (action.source, action.target)}
    left, top = min((c.x for c in cells), default=0) - 1, min((c.y for c in cells), default=0) - 1
    width = max((c.x for c in cells), default=0) + 1 - left
    height = max((c.y for c in cells), default=0) + 1 - top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} {height:g}"'
        f' width="{width * 64:g}" height="{height * 64:g}">',
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{background}"/>',
    ]
    for cell in cells:
        fill = ground if cell.seat is None else COLOURS.get(colours[cell.seat], "#888888")
        edge, thick = (mark, 0.09) if cell.name in marked else (line, 0.03)
        parts.append(
            f'<circle cx="{cell.x:g}" cy="{cell.y:g}" r="{_RADIUS}" fill="{fill}" stroke="{edge}"'
            f' stroke-width="{thick}"><title>{escape(cell.name)}</title></circle>'
        )
        if cell.text:
            parts.append(
                f'<text x="{cell.x:g}" y="{cell.y + 0.12:g}" font-size="0.36" text-anchor="middle"'
                f' font-family="sans-serif" fill="{line}">{escape(cell.text)}</text>'
            )
    return "".join((*parts, "</svg>"))


def animate(
    frames: Iterable[tuple[Position, Sequence[Action | str]]],
    milliseconds: int = 700,
    width: int = 640,
    theme: str = "light",
    **settings: Any,
) -> bytes:
    """An animated GIF, a frame for each position with the actions that led to it."""
    svgs = (draw(position, last, theme) for position, last in frames)
    return gif(svgs, milliseconds, width, **settings)
