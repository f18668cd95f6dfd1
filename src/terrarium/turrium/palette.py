"""The colours of Terra Turrium, for every interface that draws it: seats, heights, ground and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from terrarium.errors import TerrariumError

__all__ = ["FLAGS", "SEATS", "THEMES", "Theme", "ThemeName", "ink_on", "mixed", "theme_of"]

ThemeName = Literal["light", "dark"]

FLAGS = {"yellow": "#f2c021", "red": "#d9402f", "blue": "#2f6fd0", "green": "#2ba05a"}
"""The colour of each seat, in seat order."""
SEATS = tuple(FLAGS.values())
"""The colours of the seats' flags; the flags also differ in shape."""


@dataclass(frozen=True)
class Theme:
    """The colours of everything except the seats."""

    name: ThemeName
    background: str
    plate: str
    plate_edge: str
    vacant: str
    ground: str
    ground_mix: float
    """The fraction of the owner's colour in empty ground (TT-2)."""
    stone_mix: float
    """The fraction of the owner's colour in constructions."""
    heights: tuple[str, ...]
    """The tints of constructions of 1, 2, 3, 4, 5, 6 and more cubes."""
    first_light_ink: int
    last_light_ink: int
    """Between these heights numbers are written in light ink."""
    dark_ink: str
    light_ink: str
    left: float
    right: float
    """The brightness of the two visible sides of a cube (`left`, `right`), relative to its top."""
    line: str
    border: str
    accent: str
    casing: str
    panel: str
    text: str
    outline: str
    halo: str


THEMES: dict[str, Theme] = {
    "light": Theme(
        name="light",
        background="#e9eef0",
        plate="#fbf8f0",
        plate_edge="#b9ad95",
        vacant="#a7a7a7",
        ground="#f4efe2",
        ground_mix=0.22,
        stone_mix=0.1,
        heights=("#f3e8d0", "#ecd3a2", "#e3b973", "#d6974f", "#c0703c", "#9c4a30", "#6f3030"),
        first_light_ink=5,
        last_light_ink=99,
        dark_ink="#3a2a17",
        light_ink="#fff6e6",
        left=0.87,
        right=0.72,
        line="#5b4a33",
        border="#4a3f2e",
        accent="#e0591a",
        casing="#fffaf0",
        panel="#fbf7ec",
        text="#2b2418",
        outline="#221c14",
        halo="#fffaf0",
    ),
    "dark": Theme(
        name="dark",
        background="#10171e",
        plate="#1d262f",
        plate_edge="#0a0e12",
        vacant="#6a6f75",
        ground="#242d36",
        ground_mix=0.26,
        stone_mix=0.1,
        heights=("#57534c", "#716650", "#8e7850", "#ad8b4d", "#cb9c4b", "#e8b052", "#ffd27e"),
        first_light_ink=1,
        last_light_ink=3,
        dark_ink="#221708",
        light_ink="#f6efdf",
        left=0.78,
        right=0.58,
        line="#0d0f12",
        border="#f1e7cf",
        accent="#ff8f3a",
        casing="#14110d",
        panel="#18212b",
        text="#f1ecdf",
        outline="#0d0b08",
        halo="#f4ecd9",
    ),
}


def theme_of(name: str) -> Theme:
    """The colours of a theme by its name, `light` or `dark`."""
    try:
        return THEMES[name]
    except (KeyError, TypeError):
        message = f"theme {name!r:.40}: there are {' and '.join(THEMES)}"
        raise TerrariumError("unknown-theme", message) from None


def mixed(colour: str, other: str, part: float) -> str:
    """A mix of two colours; `part` is the fraction of the second.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    channels = (
        round(int(colour[i : i + 2], 16) * (1 - part) + int(other[i : i + 2], 16) * part)
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


_INKS = ("#ffffff", "#221c14")


def ink_on(colour: str) -> str:
    """The ink, light or dark, that contrasts more with a colour (WCAG contrast ratio).

    >>> [ink_on(colour) for colour in SEATS]
    ['#221c14', '#ffffff', '#ffffff', '#221c14']
    """
    return max(_INKS, key=lambda ink: _contrast(ink, colour))


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
