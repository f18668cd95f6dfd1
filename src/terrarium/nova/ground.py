"""The layer of a Terra Nova picture that never changes during a game: sea, coast, landscapes, names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import sqrt

from terrarium.core.lettering import text_path
from terrarium.nova.art import RADIUS, VARIANTS, hexagon, symbols
from terrarium.nova.board import Board
from terrarium.nova.outline import loops, smooth_path, straight_path
from terrarium.nova.palette import Theme, grounds, theme_of

__all__ = ["ACROSS", "DOWN", "centre", "ground_layer", "outline_of"]

ACROSS = RADIUS * sqrt(3) / 2
"""Half the width of a cell."""
DOWN = RADIUS / 2
"""Half the length of a cell's side."""

_TONES = ("", "#ffffff", "#000000")
_TONE_OPACITY = 0.055


def centre(board: Board, cell: int) -> tuple[float, float]:
    """The centre of a cell in the picture."""
    r, x = board.coordinates[cell]
    return x * ACROSS, 3 * r * DOWN


def outline_of(board: Board, cells: Iterable[int]) -> str:
    """Path data around a set of cells, along their sides."""
    return straight_path(loops(board, cells), ACROSS, DOWN)


def ground_layer(board: Board, theme: str, coordinates: bool) -> str:
    """Coast, landscapes and, with `coordinates`, the cells' names; cached."""
    return _ground_layer(board.map, tuple(board.landscapes.items()), theme, coordinates)


@lru_cache(maxsize=32)
def _ground_layer(
    text_map: str, landscapes: tuple[tuple[str, str], ...], theme: str, coordinates: bool
) -> str:
    board = Board.parse(text_map, landscapes=dict(landscapes))
    colours = theme_of(theme)
    names = _names(board, colours) if coordinates else ""
    return (
        _definitions(board, colours) + _coast(board, colours) + _landscapes(board, colours) + names
    )


def _id(theme: Theme, number: int, key: str, variant: int) -> str:
    # A page may show two pictures; equal ids must then be equal symbols.
    word = key if key.isascii() else f"u{ord(key):x}"
    return f"tn-{theme.name}-{number}-{word}-{variant}"


def _definitions(board: Board, theme: Theme) -> str:
    drawn = ""
    keys = board.landscapes.values()
    for number, (key, ground) in enumerate(zip(keys, grounds(board, theme.name), strict=True)):
        for variant, mark in enumerate(symbols(key, number, ground)):
            drawn += f'<g id="{_id(theme, number, key, variant)}">{mark}</g>'
    return f"<defs>{drawn}</defs>"


def _coast(board: Board, theme: Theme) -> str:
    """The shallows, the beach and the line where they meet."""
    shore = smooth_path(loops(board, range(len(board))), ACROSS, DOWN)
    bands = "".join(
        f'<path d="{shore}" fill="{colour}" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>'
        for colour, width in zip(theme.shallows, (66, 46, 28), strict=True)
    )
    return (
        f"{bands}"
        f'<path d="{shore}" fill="{theme.coast}" stroke="{theme.coast}" stroke-width="13.4" stroke-linejoin="round"/>'
        f'<path d="{shore}" fill="{theme.sand}" stroke="{theme.sand}" stroke-width="11.4" stroke-linejoin="round"/>'
    )


def _chance(cell: int, choices: int) -> int:
    """A pseudo-random number for a cell, always the same, below `choices`."""
    mixed = (cell + 1) * 2654435761 & 0xFFFFFFFF
    return (mixed >> 13 ^ mixed >> 21) % choices


def _landscapes(board: Board, theme: Theme) -> str:
    areas = marks = ""
    cells = range(len(board))
    for number, (key, ground) in enumerate(
        zip(board.landscapes.values(), grounds(board, theme.name), strict=True)
    ):
        own = [cell for cell in cells if board.landscape_of[cell] == number]
        areas += f'<path d="{outline_of(board, own)}" fill="{ground.fill}"/>'
        for cell in own:
            x, y = centre(board, cell)
            mark = _id(theme, number, key, _chance(cell, VARIANTS))
            marks += f'<use href="#{mark}" x="{x:.1f}" y="{y:.1f}"/>'
    # Vary the brightness slightly from cell to cell, as on a hand-painted map.
    for tone, colour in enumerate(_TONES):
        toned = "".join(
            hexagon(*centre(board, cell)) for cell in cells if _chance(cell + 7, 3) == tone
        )
        if colour:
            areas += f'<path d="{toned}" fill="{colour}" fill-opacity="{_TONE_OPACITY}"/>'
    grid = "".join(hexagon(*centre(board, cell)) for cell in cells)
    borders = _borders(board)
    return (
        f"{areas}"
        f'<path d="{grid}" fill="none" stroke="{theme.grid}" stroke-opacity="{theme.grid_opacity}"'
        ' stroke-width=".9" stroke-linejoin="round"/>'
        f"{marks}"
        f'<path d="{borders}" fill="none" stroke="{theme.border}" stroke-opacity=".5" stroke-width="1.3"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _borders(board: Board) -> str:
    """The lines between landscapes, and the line between the land and the beach."""
    numbers = range(len(board.letters))
    owned = ([c for c in range(len(board)) if board.landscape_of[c] == n] for n in numbers)
    return "".join(outline_of(board, cells) for cells in owned)


def _names(board: Board, theme: Theme) -> str:
    path = ""
    for cell, name in enumerate(board.cells):
        x, y = centre(board, cell)
        path += text_path(name, x, y + 19.4, 5.6)
    halo = "#ffffff" if theme.name == "light" else "#000000"
    line = 'fill="none" stroke-linecap="round" stroke-linejoin="round"'
    return (
        f'<path d="{path}" {line} stroke="{halo}" stroke-opacity=".45" stroke-width="2.2"/>'
        f'<path d="{path}" {line} stroke="{theme.label}" stroke-opacity="{theme.label_opacity}" stroke-width=".8"/>'
    )
