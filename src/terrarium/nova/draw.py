"""Pictures of Terra Nova as SVG.

`draw` shows a position, `draw_board` a board alone, `animate` a game as an animated GIF. The SVG uses no
fonts, scripts, filters or external files, so that browsers and resvg show the same. Equal positions give
equal SVG text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

from terrarium.nova.board import Board
from terrarium.nova.ground import ACROSS, DOWN, ground_layer
from terrarium.nova.palette import Theme, theme_of
from terrarium.nova.pieces import PANEL_HEIGHT, PANEL_WIDTH, Actions, panel, pieces_layer, rings

if TYPE_CHECKING:
    from terrarium.nova.position import Position

__all__ = ["animate", "draw", "draw_board"]

_SEA = 44.0


def draw(
    position: Position,
    *,
    last: Actions = (),
    coordinates: bool = True,
    regions: bool = False,
    theme: str = "light",
    highlight: Iterable[str] = (),
    scores: bool = True,
) -> str:
    """The position as SVG.

    `last` marks the action or actions that led here, `highlight` draws rings on cells, `scores` adds the
    strip with scores, pioneers in hand and stones left. `regions` outlines the regions once there are
    several, and shows which seats lead in each and its landscapes, or its points if it has so few
    landscapes that the next stone beside it closes it (TN-16 to TN-18).
    """
    colours = theme_of(theme)
    frame = _Frame(position.board, with_panel=scores)
    body = ground_layer(position.board, theme, coordinates)
    body += _changing(position, frame, colours, last, regions, highlight)
    return frame.svg(body, colours, _title(position))


def draw_board(
    board: Board, *, coordinates: bool = True, theme: str = "light", highlight: Iterable[str] = ()
) -> str:
    """The board alone as SVG."""
    colours = theme_of(theme)
    frame = _Frame(board, with_panel=False)
    body = ground_layer(board, theme, coordinates) + rings(board, highlight, colours)
    landscapes = ", ".join(board.landscapes.values())
    return frame.svg(
        body, colours, f"Terra Nova board {board.name}: {len(board)} cells of {landscapes}"
    )


def animate(
    frames: Iterable[tuple[Position, Actions]],
    *,
    milliseconds: int = 900,
    width: int = 640,
    coordinates: bool = False,
    regions: bool = False,
    theme: str = "light",
) -> bytes:
    """An animated GIF of positions, each with the actions that led to it; the last one stays longer."""
    from terrarium.core.picture import gif

    shown = iter(frames)
    first = next(shown, None)
    if first is None:
        return gif(())
    colours = theme_of(theme)
    board = first[0].board
    frame = _Frame(board, with_panel=True)
    ground = frame.svg(ground_layer(board, theme, coordinates), colours, "Terra Nova")

    def layers() -> Iterator[str]:
        for position, last in chain((first,), shown):
            changing = _changing(position, frame, colours, last, regions, ())
            yield frame.svg(changing, colours, "Terra Nova", with_sea=False)

    return gif(layers(), milliseconds, width, ground, hold=4 * milliseconds)


class _Frame:
    """The size of a picture: the island with sea around it, and a strip below for the scores."""

    def __init__(self, board: Board, *, with_panel: bool) -> None:
        across = [x for _, x in board.coordinates]
        self.left = (min(across) - 1) * ACROSS - _SEA
        self.width = (max(across) - min(across) + 2) * ACROSS + 2 * _SEA
        self.top = -2 * DOWN - _SEA
        self.sea_height = (3 * board.rows + 1) * DOWN + 2 * _SEA
        self.height = self.sea_height
        self.has_panel = with_panel
        if with_panel:
            # A small board gets more sea, so that the strip has room for four seats.
            more = max(0.0, PANEL_WIDTH - self.width)
            self.left -= more / 2
            self.width += more
            self.height += PANEL_HEIGHT

    @property
    def bottom(self) -> float:
        """Where the sea ends and the strip begins."""
        return self.top + self.sea_height

    def svg(self, body: str, theme: Theme, title: str, *, with_sea: bool = True) -> str:
        """The whole picture with `body` in it."""
        sea = (
            f'<rect x="{self.left:.1f}" y="{self.top:.1f}" width="{self.width:.1f}"'
            f' height="{self.height:.1f}" fill="{theme.deep}"/>'
        )
        return (
            '<svg xmlns="http://www.w3.org/2000/svg"'
            f' viewBox="{self.left:.1f} {self.top:.1f} {self.width:.1f} {self.height:.1f}"'
            f' width="{self.width:.0f}" height="{self.height:.0f}" role="img">'
            f"<title>{escape(title)}</title>{sea if with_sea else ''}{body}</svg>"
        )


def _changing(
    position: Position,
    frame: _Frame,
    theme: Theme,
    last: Actions,
    regions: bool,
    highlight: Iterable[str],
) -> str:
    drawn = pieces_layer(position, theme, last, regions, highlight)
    if frame.has_panel:
        drawn += panel(position, theme, frame.left, frame.bottom, frame.width)
    return drawn


def _title(position: Position) -> str:
    colours = position.rules.colours
    points = ", ".join(f"{name} {n}" for name, n in zip(colours, position.scores, strict=True))
    turn = (
        "the game is over" if position.to_move is None else f"{colours[position.to_move]} to move"
    )
    return f"Terra Nova on {position.board.name}: {points}; {turn}"
