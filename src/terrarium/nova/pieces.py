"""The layer of a Terra Nova picture that changes: stones, pioneers, dead cells, marks and scores."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import TYPE_CHECKING

from terrarium.core.action import Action
from terrarium.core.lettering import text_path, text_width
from terrarium.nova.art import RADIUS, hexagon, pioneer, stone
from terrarium.nova.board import Board
from terrarium.nova.ground import centre, outline_of
from terrarium.nova.palette import SEATS, Theme, grounds

if TYPE_CHECKING:
    from terrarium.nova.position import Position
    from terrarium.nova.region import Region

__all__ = ["PANEL_HEIGHT", "PANEL_WIDTH", "Actions", "panel", "pieces_layer", "rings"]

Actions = Action | str | Iterable[Action | str]

PANEL_HEIGHT = 54.0
PANEL_WIDTH = 430.0
_HATCH = 9.0


def pieces_layer(
    position: Position, theme: Theme, last: Actions, regions: bool, highlight: Iterable[str]
) -> str:
    """Everything on the board, from the ground upwards."""
    board = position.board
    actions = _actions(position, last)
    stones = "".join(
        _at(board, cell, f"tn-{theme.name}-stone", "stone") for cell in _upwards(position.stones)
    )
    pioneers = "".join(
        _at(board, cell, f"tn-{theme.name}-pioneer-{seat}", f"pioneer seat-{seat}")
        for cell, seat in sorted(position.pioneers.items(), key=lambda item: board.index(item[0]))
    )
    return (
        _definitions(position, theme)
        + _dead(board, position.dead, theme)
        + _left(board, actions, theme)
        + stones
        + (_regions(position, theme) if regions else "")
        + _trails(board, actions, theme)
        + pioneers
        + _acted(board, actions, theme)
        + rings(board, highlight, theme)
        + (_chips(position, theme) if regions else "")
    )


def _upwards(cells: Iterable[str]) -> list[str]:
    """Cells from the back to the front, so that pieces in front cover those behind."""
    return sorted(cells, key=lambda cell: (cell[0], int(cell[1:])))


def _actions(position: Position, last: Actions) -> list[Action]:
    if isinstance(last, Action | str):
        last = (last,)
    return [position.parse(action) if isinstance(action, str) else action for action in last]


def _definitions(position: Position, theme: Theme) -> str:
    drawn = f'<g id="tn-{theme.name}-stone">{stone(theme)}</g>'
    for seat, colour in enumerate(position.rules.colours):
        drawn += f'<g id="tn-{theme.name}-pioneer-{seat}">{pioneer(seat, SEATS[colour], theme)}</g>'
    return f"<defs>{drawn}</defs>"


def _at(board: Board, cell: str, symbol: str, classes: str) -> str:
    x, y = centre(board, board.index(cell))
    return f'<use href="#{symbol}" x="{x:.1f}" y="{y:.1f}" class="{classes}" data-cell="{cell}"/>'


def _dead(board: Board, cells: Iterable[str], theme: Theme) -> str:
    """A hatched veil over the dead cells, with a line around each dead territory (TN-19)."""
    dead = [board.index(cell) for cell in cells]
    if not dead:
        return ""
    around = outline_of(board, dead)
    places = [centre(board, cell) for cell in dead]
    low = min(x + y for x, y in places) - 36
    high = max(x + y for x, y in places) + 36
    top = min(y for _, y in places) - RADIUS
    bottom = max(y for _, y in places) + RADIUS
    first, after = int(low // _HATCH), int(high // _HATCH) + 1
    hatch = "".join(
        f"M{k * _HATCH - top:.1f} {top:.1f}L{k * _HATCH - bottom:.1f} {bottom:.1f}"
        for k in range(first, after)
    )
    clip = f"tn-{theme.name}-dead-{min(dead)}-{len(dead)}"
    names = " ".join(sorted(cells, key=lambda cell: (cell[0], int(cell[1:]))))
    return (
        f'<clipPath id="{clip}"><path d="{around}"/></clipPath>'
        f'<g class="dead" data-cells="{names}">'
        f'<path d="{around}" fill="{theme.dead}" fill-opacity="{theme.dead_opacity}"/>'
        f'<g clip-path="url(#{clip})"><path d="{hatch}" fill="none" stroke="{theme.dead_ink}"'
        ' stroke-opacity=".5" stroke-width="1.1"/></g>'
        f'<path d="{around}" fill="none" stroke="{theme.dead_ink}" stroke-width="1.6" stroke-linejoin="round"/></g>'
    )


def _left(board: Board, actions: list[Action], theme: Theme) -> str:
    """A dashed hex on each cell that a move left."""
    path = "".join(
        hexagon(*centre(board, board.index(action.source)), RADIUS - 4.5)
        for action in actions
        if action.source
    )
    if not path:
        return ""
    return (
        f'<path d="{path}" fill="none" stroke="{theme.casing}" stroke-width="4" stroke-opacity=".8"/>'
        f'<path d="{path}" fill="none" stroke="{theme.accent}" stroke-width="2" stroke-dasharray="5 4"/>'
    )


def _trails(board: Board, actions: list[Action], theme: Theme) -> str:
    """An arrow along each move."""
    lines = heads = ""
    for action in actions:
        if not action.source or not action.target:
            continue
        (x, y), (tx, ty) = (centre(board, board.index(c)) for c in (action.source, action.target))
        length = hypot(tx - x, ty - y)
        ux, uy = (tx - x) / length, (ty - y) / length
        # The arrow ends at the target's ring; over a short distance it starts at the centre, so that it stays visible.
        start = 0 if length < 2 * RADIUS else 7
        sx, sy, ex, ey = x + start * ux, y + start * uy, tx - 22 * ux, ty - 22 * uy
        bx, by = ex - 9 * ux, ey - 9 * uy
        lines += f"M{sx:.1f} {sy:.1f}L{bx + ux:.1f} {by + uy:.1f}"
        heads += (
            f"M{ex:.1f} {ey:.1f}L{bx - 6 * uy:.1f} {by + 6 * ux:.1f}"
            f"L{bx + 6 * uy:.1f} {by - 6 * ux:.1f}Z"
        )
    if not lines:
        return ""
    return (
        f'<path class="last" d="{lines}" fill="none" stroke="{theme.casing}" stroke-width="7" stroke-linecap="round"/>'
        f'<path d="{heads}" fill="{theme.casing}" stroke="{theme.casing}" stroke-width="4" stroke-linejoin="round"/>'
        f'<path d="{lines}" fill="none" stroke="{theme.accent}" stroke-width="3.4" stroke-linecap="round"/>'
        f'<path d="{heads}" fill="{theme.accent}" stroke="{theme.accent}" stroke-width="1" stroke-linejoin="round"/>'
    )


def _acted(board: Board, actions: list[Action], theme: Theme) -> str:
    """A ring around each cell where a pioneer or a stone was put."""
    path = "".join(
        hexagon(*centre(board, board.index(action.target)), RADIUS - 1.6)
        for action in actions
        if action.target
    )
    if not path:
        return ""
    return (
        f'<path class="last" d="{path}" fill="none" stroke="{theme.casing}" stroke-width="4.6" stroke-linejoin="round"/>'
        f'<path d="{path}" fill="none" stroke="{theme.accent}" stroke-width="2.6" stroke-linejoin="round"/>'
    )


def rings(board: Board, cells: Iterable[str], theme: Theme) -> str:
    """A round mark on each highlighted cell."""
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="15.5"/>'
        for x, y in (centre(board, board.index(cell)) for cell in cells)
    )
    if not marks:
        return ""
    return (
        f'<g class="highlight" fill="none" stroke="{theme.casing}" stroke-width="5" stroke-opacity=".85">{marks}</g>'
        f'<g fill="none" stroke="{theme.accent}" stroke-width="2.4">{marks}</g>'
    )


def _leaders(region: Region) -> list[int]:
    most = max(region.pioneers)
    return [seat for seat, count in enumerate(region.pioneers) if count == most > 0]


def _shown_regions(position: Position) -> tuple[Region, ...]:
    """The regions; none while the whole island is one region that a stone can't close."""
    found = position.regions()
    return found if len(found) > 1 or any(region.is_closable for region in found) else ()


def _regions(position: Position, theme: Theme) -> str:
    """A line inside each region in the colour of its leading seat, thicker if the region would score when closed now."""
    board = position.board
    drawn = ""
    for region in _shown_regions(position):
        around = outline_of(board, (board.index(cell) for cell in region.cells))
        leaders = _leaders(region)
        colour = SEATS[position.rules.colours[leaders[0]]] if len(leaders) == 1 else theme.halo
        width = 8 if region.is_closable else 5
        tint = 0.16 if region.is_closable else 0
        clip = f"tn-{theme.name}-region-{board.index(region.cells[0])}"
        drawn += (
            f'<clipPath id="{clip}"><path d="{around}"/></clipPath>'
            f'<g class="region" clip-path="url(#{clip})" stroke-linejoin="round">'
            f'<path d="{around}" fill="{colour}" fill-opacity="{tint}" stroke="{theme.outline}"'
            f' stroke-opacity=".8" stroke-width="{width + 2.5}"/>'
            f'<path d="{around}" fill="none" stroke="{colour}" stroke-width="{width}"/></g>'
        )
    return drawn


def _chips(position: Position, theme: Theme) -> str:
    """A label for each region: its leaders, and its points if closed now or else its landscapes (TN-18)."""
    return "".join(_chip(position, region, theme) for region in _shown_regions(position))


def _chip(position: Position, region: Region, theme: Theme) -> str:
    board = position.board
    x, y = _roomiest(board, position, region)
    leaders = _leaders(region)
    text = str(region.points) if region.is_closable else ""
    content = text_width(text, 11) if text else 9.0 * len(region.landscapes) - 1
    width = content + 11 * len(leaders) + 16
    left, right = x - width / 2, x + width / 2
    drawn = (
        f'<rect x="{left:.1f}" y="{y - 10.5:.1f}" width="{width:.1f}" height="21" rx="10.5"'
        f' fill="{theme.panel}" stroke="{theme.outline}" stroke-width="1.4"/>'
    )
    for i, seat in enumerate(leaders):
        colour = SEATS[position.rules.colours[seat]]
        drawn += (
            f'<circle cx="{left + 11.5 + 11 * i:.1f}" cy="{y:.1f}" r="4.2" fill="{colour}"'
            f' stroke="{theme.outline}" stroke-width="1.2"/>'
        )
    if text:
        path = text_path(text, right - 8, y + 5.5, 11, anchor=1)
        return (
            f'<g class="payoff" data-points="{text}">{drawn}{_written(path, theme.text, 1.9)}</g>'
        )
    colours = dict(zip(board.landscapes.values(), grounds(board), strict=True))
    start = right - 8 - content + 4
    for i, key in enumerate(region.landscapes):
        drawn += (
            f'<path d="{hexagon(start + 9 * i, y, 4.6)}" fill="{colours[key].fill}"'
            f' stroke="{theme.outline}" stroke-width=".9"/>'
        )
    return f'<g class="landscapes" data-count="{len(region.landscapes)}">{drawn}</g>'


def _roomiest(board: Board, position: Position, region: Region) -> tuple[float, float]:
    """The centre of the region's empty cell nearest to its middle, or of any cell if none is empty."""
    cells = [board.index(cell) for cell in region.cells]
    empty = [cell for cell in cells if board.cells[cell] not in position.pioneers] or cells
    places = [centre(board, cell) for cell in cells]
    mx = sum(x for x, _ in places) / len(places)
    my = sum(y for _, y in places) / len(places)
    return min(
        (centre(board, cell) for cell in empty), key=lambda p: (hypot(p[0] - mx, p[1] - my), p)
    )


def _written(path: str, colour: str, width: float) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _star(x: float, y: float, theme: Theme) -> str:
    """The mark of a winner (TN-25)."""
    corners = ((0, -10), (2.9, -3.2), (9.5, -3.1), (4.7, 1.5), (5.9, 8.1), (0, 4.8))
    mirrored = [(-a, b) for a, b in reversed(corners[1:5])]
    points = " ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in (*corners, *mirrored))
    return (
        f'<polygon class="winner" points="{points}" fill="{theme.accent}" stroke="{theme.outline}"'
        ' stroke-width="1.2" stroke-linejoin="round"/>'
    )


def panel(position: Position, theme: Theme, left: float, top: float, width: float) -> str:
    """The strip below the board: each seat's figure, score and pioneers in hand, and the stones left."""
    middle = top + PANEL_HEIGHT / 2
    drawn = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{PANEL_HEIGHT}" fill="{theme.panel}"/>'
    seats = position.players
    step = (width - 96) / seats
    for seat in range(seats):
        x = left + 30 + step * seat
        if position.to_move == seat:
            drawn += (
                f'<rect x="{x - 20:.1f}" y="{top + 5:.1f}" width="{min(step - 8, 104):.1f}" height="{PANEL_HEIGHT - 10}"'
                f' rx="10" fill="none" stroke="{theme.accent}" stroke-width="2"/>'
            )
        faded = ' opacity=".35"' if seat in position.resigned else ""
        figure = f"tn-{theme.name}-pioneer-{seat}"
        drawn += f'<use href="#{figure}" x="{x:.1f}" y="{middle + 2:.1f}"{faded}/>'
        score = str(position.scores[seat])
        drawn += _written(text_path(score, x + 19, middle + 8, 17, anchor=0), theme.text, 2.6)
        hand = position.hand[seat]
        if hand:
            at = x + 19 + text_width(score, 17) + 8
            drawn += _written(text_path(f"+{hand}", at, middle + 8, 9, anchor=0), theme.text, 1.3)
        if position.outcome is not None and seat in position.outcome.winners:
            drawn += _star(x + 19 + text_width(score, 17) + 17, middle, theme)
    x = left + width - 66
    drawn += f'<use href="#tn-{theme.name}-stone" transform="translate({x:.1f} {middle:.1f}) scale(.72)"/>'
    drawn += _written(
        text_path(str(position.supply), x + 22, middle + 6, 13, anchor=0), theme.text, 2
    )
    return drawn
