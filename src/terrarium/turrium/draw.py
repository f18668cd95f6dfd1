"""Pictures of Terra Turrium as SVG.

`draw` shows a position from one corner or from above, `animate` a game as an animated GIF. The SVG uses no
fonts, scripts, filters or external files, so that browsers and resvg show the same. Equal positions give
equal SVG text.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from terrarium.errors import TerrariumError
from terrarium.turrium.above import Above
from terrarium.turrium.isometric import Isometric
from terrarium.turrium.palette import theme_of
from terrarium.turrium.panel import PANEL_HEIGHT, SEAT_WIDTH, panel
from terrarium.turrium.scene import Actions, Scene

if TYPE_CHECKING:
    from terrarium.turrium.position import Position

__all__ = ["animate", "draw"]

_VIEWS: dict[str, type[Isometric] | type[Above]] = {"isometric": Isometric, "above": Above}


def draw(
    position: Position,
    *,
    last: Actions = (),
    coordinates: bool = True,
    view: str = "isometric",
    turn: int = 0,
    theme: str = "light",
    ladders: bool = True,
) -> str:
    """The position as SVG.

    `view` is `isometric` or `above`; `turn` 0 to 3 brings the corner SW, NW, NE or SE to the front. `last` marks the
    action or actions that led here, and `ladders` adds the strip with each seat's heights, attacks and flags in hand.
    """
    return _picture(position, last, coordinates, view, turn, theme, ladders, None)


def animate(
    frames: Iterable[tuple[Position, Actions]],
    *,
    milliseconds: int = 900,
    width: int = 640,
    coordinates: bool = False,
    view: str = "isometric",
    turn: int = 0,
    theme: str = "light",
) -> bytes:
    """An animated GIF of positions, each with the actions that led to it; the last one stays longer."""
    from terrarium.core.picture import gif

    shown = list(frames)
    # all frames are as tall as the tallest, so that the board does not move
    tops = [
        _view(position, last, coordinates, view, turn, theme).box[1] for position, last in shown
    ]
    top = min(tops, default=0.0)
    svgs = [
        _picture(position, last, coordinates, view, turn, theme, True, top)
        for position, last in shown
    ]
    durations = [milliseconds] * len(svgs)
    durations[-1:] = [4 * milliseconds] * bool(svgs)
    return gif(svgs, durations, width)


def _view(
    position: Position, last: Actions, coordinates: bool, view: str, turn: int, theme: str
) -> Isometric | Above:
    if view not in _VIEWS:
        raise TerrariumError("unknown-view", f"view {view!r:.40}: there are {' and '.join(_VIEWS)}")
    if type(turn) is not int or not 0 <= turn <= 3:
        raise TerrariumError(
            "unknown-turn", f"turn {turn!r:.40}: must be 0, 1, 2 or 3 for SW, NW, NE or SE in front"
        )
    scene = Scene(position, turn, theme_of(theme), last)
    return _VIEWS[view](scene, coordinates=coordinates)


def _picture(
    position: Position,
    last: Actions,
    coordinates: bool,
    view: str,
    turn: int,
    theme: str,
    ladders: bool,
    highest: float | None,
) -> str:
    shown = _view(position, last, coordinates, view, turn, theme)
    colours = theme_of(theme)
    left, top, width, height = shown.box
    if highest is not None and highest < top:
        top, height = highest, height + top - highest
    if ladders:
        # a small board gets more space around it, so that the strip has room for all seats
        more = max(0.0, SEAT_WIDTH * position.players - width)
        left, width = left - more / 2, width + more
    body = shown.draw()
    if ladders:
        body += panel(position, colours, left, top + height, width)
        height += PANEL_HEIGHT
    return (
        '<svg xmlns="http://www.w3.org/2000/svg"'
        f' viewBox="{left:.1f} {top:.1f} {width:.1f} {height:.1f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img">'
        f"<title>{escape(_title(position))}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colours.background}"/>'
        f"{body}</svg>"
    )


def _title(position: Position) -> str:
    held = "; ".join(
        f"seat {seat} on {', '.join(map(str, ladder.held)) or 'nothing'}"
        for seat, ladder in enumerate(position.ladders)
    )
    seat = position.to_move
    turn = "the game is over" if seat is None else f"seat {seat} to move ({position.phase})"
    return f"Terra Turrium: {held}; {turn}"
