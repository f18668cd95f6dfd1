"""Letters and digits as strokes, so that pictures need no fonts and look the same on every machine.

A glyph is drawn ten units high on the baseline y = 0, y pointing down as in SVG.
"""

from __future__ import annotations

import re

__all__ = ["text_path", "text_width"]

_BOWL = "C5.8 -1.4 4.6 0 3 0S.2 -1.4 .2 -3.5S1.4 -7 3 -7S5.8 -5.6 5.8 -3.5"
_BOWL_RIGHT = "C.2 -5.6 1.4 -7 3 -7S5.8 -5.6 5.8 -3.5S4.6 0 3 0S.2 -1.4 .2 -3.5"

_GLYPHS: dict[str, tuple[float, str]] = {
    "0": (6.4, "M3.2 -10C5.3 -10 6.2 -8 6.2 -5S5.3 0 3.2 0S.2 -2 .2 -5S1.1 -10 3.2 -10Z"),
    "1": (4.2, "M.8 -8.2L3.2 -10L3.2 0"),
    "2": (6.2, "M.4 -7.6C.5 -9.1 1.6 -10 3.1 -10C4.7 -10 5.8 -9 5.8 -7.5C5.8 -6.2 5 -5.2 .3 0L6 0"),
    "3": (
        6.2,
        "M.5 -8.6C1 -9.5 1.9 -10 3 -10C4.6 -10 5.6 -9.1 5.6 -7.7C5.6 -6.2 4.5 -5.4 3 -5.4L2.4 -5.4"
        "M3 -5.4C4.8 -5.4 6 -4.4 6 -2.8C6 -1.1 4.8 0 3 0C1.7 0 .7 -.5 .2 -1.6",
    ),
    "4": (6.4, "M4.6 0L4.6 -10L.2 -2.9L6.2 -2.9"),
    "5": (
        6.4,
        "M5.5 -10L1.3 -10L.8 -5.6C1.4 -6.1 2.2 -6.4 3.1 -6.4C4.9 -6.4 6.1 -5.1 6.1 -3.2"
        "C6.1 -1.3 4.8 0 3 0C1.8 0 .8 -.5 .3 -1.4",
    ),
    "6": (
        6.4,
        "M5.4 -9C4.9 -9.7 4.2 -10 3.4 -10C1.4 -10 .2 -8 .2 -4.6C.2 -1.6 1.3 0 3.2 0"
        "C4.9 0 6.1 -1.3 6.1 -3.1C6.1 -4.9 4.9 -6.2 3.2 -6.2C1.5 -6.2 .4 -5 .3 -3.4",
    ),
    "7": (6.2, "M.3 -10L6 -10L2.2 0"),
    "8": (
        6.4,
        "M3.2 -5.4C1.6 -5.4 .6 -6.3 .6 -7.7S1.6 -10 3.2 -10S5.8 -9.1 5.8 -7.7S4.8 -5.4 3.2 -5.4"
        "C1.4 -5.4 .2 -4.4 .2 -2.7S1.4 0 3.2 0S6.2 -1.1 6.2 -2.7S5 -5.4 3.2 -5.4Z",
    ),
    "9": (
        6.4,
        "M1 -1C1.5 -.3 2.2 0 3 0C5 0 6.2 -2 6.2 -5.4C6.2 -8.4 5.1 -10 3.2 -10"
        "C1.5 -10 .3 -8.7 .3 -6.9C.3 -5.1 1.5 -3.8 3.2 -3.8C4.9 -3.8 6 -5 6.1 -6.6",
    ),
    "a": (6, "M5.8 -7L5.8 0M5.8 -3.5" + _BOWL),
    "b": (6, "M.2 -10L.2 0M.2 -3.5" + _BOWL_RIGHT),
    "c": (
        5.6,
        "M5.4 -5.6C4.9 -6.5 4.1 -7 3.1 -7C1.4 -7 .2 -5.5 .2 -3.5S1.4 0 3.1 0C4.1 0 4.9 -.5 5.4 -1.4",
    ),
    "d": (6, "M5.8 -10L5.8 0M5.8 -3.5" + _BOWL),
    "e": (
        5.8,
        "M.3 -3.7L5.7 -3.7C5.7 -5.7 4.6 -7 3 -7S.2 -5.5 .2 -3.5S1.4 0 3.1 0C4.2 0 5 -.5 5.5 -1.4",
    ),
    "f": (3.8, "M3.8 -9.8C2.2 -10.3 1.5 -9.4 1.5 -8L1.5 0M0 -7L3.4 -7"),
    "g": (6, "M5.8 -7L5.8 .2C5.8 2 4.7 3 3 3C1.9 3 1.1 2.6 .6 1.9M5.8 -3.5" + _BOWL),
    "h": (5.6, "M.2 -10L.2 0M.2 -4.2C.2 -6 1.3 -7 2.8 -7C4.5 -7 5.4 -5.9 5.4 -4.2L5.4 0"),
    "i": (1.2, "M.6 -7L.6 0M.6 -9.6L.6 -9.5"),
    "j": (2.2, "M1.6 -7L1.6 1C1.6 2.4 .9 3 -.4 2.9M1.6 -9.6L1.6 -9.5"),
    "k": (5.4, "M.2 -10L.2 0M5 -7L.3 -2.8M2.2 -4.4L5.3 0"),
    "l": (1.2, "M.6 -10L.6 0"),
    "m": (
        8.8,
        "M.2 -7L.2 0M.2 -4.4C.2 -6 1.1 -7 2.4 -7S4.4 -6.1 4.4 -4.5L4.4 0"
        "M4.4 -4.4C4.4 -6 5.3 -7 6.6 -7S8.6 -6.1 8.6 -4.5L8.6 0",
    ),
    "n": (5.6, "M.2 -7L.2 0M.2 -4.2C.2 -6 1.3 -7 2.8 -7C4.5 -7 5.4 -5.9 5.4 -4.2L5.4 0"),
    "o": (6, "M5.8 -3.5" + _BOWL),
    "p": (6, "M.2 -7L.2 3M.2 -3.5" + _BOWL_RIGHT),
    "q": (6, "M5.8 -7L5.8 3M5.8 -3.5" + _BOWL),
    "r": (3.5, "M.2 -7L.2 0M.2 -3.6C.2 -5.8 1.4 -7.2 3.4 -6.9"),
    "s": (
        5.2,
        "M4.8 -6C4.4 -6.7 3.6 -7 2.6 -7C1.3 -7 .5 -6.3 .5 -5.3C.5 -2.9 5 -4.2 5 -1.8"
        "C5 -.7 4 0 2.6 0C1.5 0 .6 -.4 .1 -1.2",
    ),
    "t": (3.8, "M1.5 -9L1.5 -1.8C1.5 -.4 2.2 .2 3.6 -.1M0 -7L3.4 -7"),
    "u": (5.6, "M.2 -7L.2 -2.8C.2 -1 1.2 0 2.8 0S5.4 -1 5.4 -2.8M5.4 -7L5.4 0"),
    "v": (5.2, "M0 -7L2.6 0L5.2 -7"),
    "w": (8, "M0 -7L2 0L4 -6L6 0L8 -7"),
    "x": (5.2, "M.2 -7L5 0M5 -7L.2 0"),
    "y": (5.2, "M0 -7L2.6 0M5.2 -7L2.2 1.6C1.8 2.7 1 3.2 0 2.9"),
    "z": (5.2, "M.3 -7L4.9 -7L.2 0L5.1 0"),
    "+": (5.6, "M2.8 -6.6L2.8 -1M0 -3.8L5.6 -3.8"),
    "-": (4.4, "M.2 -3.8L4.2 -3.8"),
    "×": (4.8, "M.2 -6.2L4.6 -1.8M4.6 -6.2L.2 -1.8"),
    "/": (4, "M4 -10.4L0 .4"),
    ".": (1.2, "M.6 -.1L.6 0"),
    ":": (1.2, "M.6 -.1L.6 0M.6 -5.4L.6 -5.3"),
    " ": (3, ""),
}
_SPACING = 2.0
_TOKEN = re.compile(r"[A-Z]|-?[0-9]*\.?[0-9]+")


def text_width(text: str, size: float) -> float:
    """How wide `text` is when its digits are `size` high."""
    widths = [_GLYPHS[letter][0] for letter in text]
    return (sum(widths) + _SPACING * (len(widths) - 1)) * size / 10 if widths else 0.0


def text_path(text: str, x: float, y: float, size: float, anchor: float = 0.5) -> str:
    """Path data that writes `text` with its baseline at y, to be stroked with round caps.

    `anchor` is the fraction of the text that lies left of x: with 0 it begins at x, with 0.5 it is centred, with 1 it ends at x.

    >>> text_path("1", 0, 0, 10, anchor=0)
    'M.8 -8.2L3.2 -10L3.2 0'
    """
    scale = size / 10
    left = x - anchor * text_width(text, size)
    parts: list[str] = []
    for letter in text:
        width, glyph = _GLYPHS[letter]
        is_x = True
        for token in _TOKEN.findall(glyph):
            if token.isalpha():
                parts.append(token)
                is_x = True
                continue
            value = float(token) * scale + (left if is_x else y)
            after_number = bool(parts) and not parts[-1].isalpha()
            parts.append((" " if after_number else "") + _short(value))
            is_x = not is_x
        left += (width + _SPACING) * scale
    return "".join(parts)


def _short(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    if text in ("-0", ""):
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
