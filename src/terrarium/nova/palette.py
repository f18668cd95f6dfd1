"""The colours of Terra Nova, for every interface that draws it: landscapes, seats, sea and stones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from terrarium.errors import TerrariumError
from terrarium.nova.board import Board

__all__ = ["SEATS", "THEMES", "Ground", "Theme", "ThemeName", "ground", "grounds", "theme_of"]

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True)
class Ground:
    """A landscape's colours: the ground, the ink of its symbols, and the light on them."""

    fill: str
    ink: str
    shine: str


@dataclass(frozen=True)
class Theme:
    """The colours of everything that is not a landscape or a seat."""

    name: ThemeName
    deep: str
    shallows: tuple[str, str, str]
    sand: str
    coast: str
    grid: str
    grid_opacity: float
    border: str
    label: str
    label_opacity: float
    stone_top: str
    stone_light: str
    stone_dark: str
    stone_side: str
    stone_line: str
    dead: str
    dead_opacity: float
    dead_ink: str
    accent: str
    casing: str
    panel: str
    text: str
    outline: str
    halo: str


SEATS: dict[str, str] = {
    "yellow": "#f7c92b",
    "red": "#d9402f",
    "blue": "#2f6fd0",
    "green": "#2ba05a",
}
"""The colours of the pioneers by the names that `rules.colours` uses (TN-2, TN-3)."""

THEMES: dict[str, Theme] = {
    "light": Theme(
        name="light",
        deep="#b4d5e4",
        shallows=("#bddbe7", "#c9e3eb", "#d9edf0"),
        sand="#f3e7c9",
        coast="#b39f74",
        grid="#ffffff",
        grid_opacity=0.42,
        border="#4a3f2e",
        label="#2b2418",
        label_opacity=0.72,
        stone_top="#4c4a4e",
        stone_light="#77747a",
        stone_dark="#333136",
        stone_side="#1d1b1f",
        stone_line="#151317",
        dead="#f1ede2",
        dead_opacity=0.74,
        dead_ink="#a89f8b",
        accent="#f26b1d",
        casing="#fffaf0",
        panel="#fbf7ec",
        text="#2b2418",
        outline="#221c14",
        halo="#fffaf0",
    ),
    "dark": Theme(
        name="dark",
        deep="#101c27",
        shallows=("#142431", "#1a2f3e", "#22404f"),
        sand="#6d6046",
        coast="#a8966c",
        grid="#000000",
        grid_opacity=0.3,
        border="#0b0d10",
        label="#f4efe2",
        label_opacity=0.66,
        stone_top="#cfc9bb",
        stone_light="#ece7da",
        stone_dark="#a39c8c",
        stone_side="#6b6456",
        stone_line="#2a261f",
        dead="#30353b",
        dead_opacity=0.82,
        dead_ink="#7d8791",
        accent="#ff9a3d",
        casing="#14110d",
        panel="#18232e",
        text="#f1ecdf",
        outline="#0d0b08",
        halo="#f7f1e3",
    ),
}

_GROUNDS: dict[str, tuple[Ground, Ground]] = {
    "meadow": (Ground("#aed273", "#62953a", "#fdfbe4"), Ground("#5d7d38", "#a9cc6f", "#f0efc8")),
    "forest": (Ground("#5f9a5b", "#28592f", "#8fc084"), Ground("#2c5334", "#17301e", "#6da06a")),
    "lake": (Ground("#7dbfe3", "#3a86b8", "#e9f7fc"), Ground("#2b6288", "#5aa5d0", "#a9d8ee")),
    "mountain": (Ground("#b3aaa1", "#6f665e", "#fbfaf7"), Ground("#625d5a", "#383431", "#d9d6d0")),
    "desert": (Ground("#f1dca6", "#c79d4b", "#fff6dc"), Ground("#a58a55", "#e0c78d", "#f4e4bb")),
    "field": (Ground("#ebbe55", "#b07c22", "#fbe3a0"), Ground("#95701f", "#e2b954", "#f3d88d")),
    "swamp": (Ground("#9aa079", "#4f5a38", "#cfd8c0"), Ground("#4b5138", "#98a272", "#b7c2a3")),
    "heath": (Ground("#c49ac4", "#7f4b85", "#f3def1"), Ground("#6b4870", "#c596c8", "#ecd2ea")),
    "tundra": (Ground("#d3dad2", "#7f9189", "#ffffff"), Ground("#6b7672", "#b6c4bd", "#e6efea")),
    "vineyard": (Ground("#b86f83", "#6d2742", "#f0c6cf"), Ground("#6b3145", "#c47b92", "#eec4cf")),
    "beach": (Ground("#f6eacb", "#cdb27a", "#ffffff"), Ground("#8d805f", "#d9c99c", "#f4ead0")),
    "glacier": (Ground("#dcf0f6", "#7db4c8", "#ffffff"), Ground("#5f8593", "#b5dce8", "#eaf7fb")),
}

_OTHERS: tuple[tuple[Ground, Ground], ...] = (
    (Ground("#e9a487", "#a1502c", "#fbe3d7"), Ground("#7f4931", "#d99876", "#f2d3c3")),
    (Ground("#9cc9b4", "#3f7d63", "#e4f4ec"), Ground("#3d6957", "#8cc4aa", "#d5eee3")),
    (Ground("#a9b4e0", "#4d5c9e", "#e8ecfa"), Ground("#444f85", "#9aa8e0", "#dce2f8")),
    (Ground("#e8cd6f", "#97791d", "#fbf2cf"), Ground("#776420", "#d6bd5f", "#f2e6b3")),
    (Ground("#d99ab0", "#93425f", "#f8dfe7"), Ground("#7a3d54", "#d28fa8", "#f1d0dc")),
    (Ground("#93c6d4", "#357688", "#e0f2f6"), Ground("#33626f", "#84bccb", "#d2ebf1")),
    (Ground("#c3b592", "#74653c", "#f1ebdb"), Ground("#625838", "#b9ab80", "#e7dfc6")),
    (Ground("#b5cf8a", "#5d7f2d", "#eaf4d7"), Ground("#546f33", "#a6c877", "#deedc6")),
)


def theme_of(name: str) -> Theme:
    """The colours of a theme by its name, `light` or `dark`."""
    try:
        return THEMES[name]
    except (KeyError, TypeError):
        message = f"theme {name!r}: there are {' and '.join(THEMES)}"
        raise TerrariumError("unknown-theme", message) from None


def ground(key: str, number: int = 0, theme: str = "light") -> Ground:
    """The colours of a landscape by its key; for an unknown key, by its number."""
    pair = _GROUNDS.get(key) or _OTHERS[number % len(_OTHERS)]
    return pair[list(THEMES).index(theme_of(theme).name)]


def grounds(board: Board, theme: str = "light") -> tuple[Ground, ...]:
    """The colours of each landscape of a board, in the order of its landscape numbers."""
    return tuple(ground(key, i, theme) for i, key in enumerate(board.landscapes.values()))
