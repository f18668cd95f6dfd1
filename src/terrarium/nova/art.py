"""Landscape symbols, pioneers and stones of a Terra Nova picture, as SVG.

Everything is drawn around (0, 0) for a hex of radius 24 with a corner at the top. Symbols stay in
the upper part of their cell, because the cell's name is at the bottom. `{ink}`, `{shine}` and `{fill}` are the
landscape's colours.
"""

from __future__ import annotations

from terrarium.nova.palette import Ground, Theme

__all__ = ["RADIUS", "VARIANTS", "hexagon", "pioneer", "stone", "symbols"]

RADIUS = 24.0
VARIANTS = 3

_W, _H = 0.866025, 0.5
_CORNERS = ((0, -1), (_W, -_H), (_W, _H), (0, 1), (-_W, _H), (-_W, -_H))


def hexagon(x: float, y: float, radius: float = RADIUS) -> str:
    """Path data of a hex with a corner at the top."""
    points = (f"{x + radius * cx:.1f} {y + radius * cy:.1f}" for cx, cy in _CORNERS)
    return "M" + "L".join(points) + "Z"


def _line(path: str, width: float = 1.2, colour: str = "{ink}", opacity: float = 0.75) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"'
        f' stroke-opacity="{opacity}" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _area(path: str, colour: str = "{ink}", opacity: float = 0.6) -> str:
    return f'<path d="{path}" fill="{colour}" fill-opacity="{opacity}"/>'


def _dots(
    *places: tuple[float, float], r: float = 1.1, colour: str = "{ink}", opacity: float = 0.7
) -> str:
    path = "".join(
        f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0" for x, y in places
    )
    return _area(path, colour, opacity)


def _tuft(x: float, y: float) -> str:
    return f"M{x} {y}q-.6 -3.4 -3.2 -4.6M{x} {y}q0 -3.4 .2 -6M{x} {y}q.8 -3 3.2 -4.2"


def _conifer(x: float, y: float, s: float = 1.0) -> str:
    def p(dx: float, dy: float) -> str:
        return f"{x + dx * s:.1f} {y + dy * s:.1f}"

    outline = (
        f"M{p(0, -12)}L{p(3.6, -6.2)}L{p(2, -6.2)}L{p(5.4, -0.6)}L{p(0.9, -0.6)}L{p(0.9, 1.8)}"
        f"L{p(-0.9, 1.8)}L{p(-0.9, -0.6)}L{p(-5.4, -0.6)}L{p(-2, -6.2)}L{p(-3.6, -6.2)}Z"
    )
    lit = (
        f"M{p(0, -12)}L{p(-3.6, -6.2)}L{p(-2, -6.2)}L{p(-5.4, -0.6)}L{p(-2.6, -0.6)}L{p(-0.6, -5)}Z"
    )
    return _area(outline, "{ink}", 0.85) + _area(lit, "{shine}", 0.4)


def _peak(x: float, y: float, s: float = 1.0) -> str:
    def p(dx: float, dy: float) -> str:
        return f"{x + dx * s:.1f} {y + dy * s:.1f}"

    shade = f"M{p(0, -17)}L{p(9.5, 0)}L{p(1.5, 0)}L{p(-1.2, -6)}L{p(1, -10)}Z"
    face = f"M{p(0, -17)}L{p(1, -10)}L{p(-1.2, -6)}L{p(1.5, 0)}L{p(-9.5, 0)}Z"
    snow = f"M{p(0, -17)}L{p(3.4, -11)}L{p(1.8, -12)}L{p(0.6, -9.6)}L{p(-1, -11.6)}L{p(-2.6, -9.8)}L{p(-3.6, -10.6)}Z"
    return _area(shade, "{ink}", 0.8) + _area(face, "{shine}", 0.42) + _area(snow, "{shine}", 0.95)


def _reed(x: float, y: float, height: float) -> str:
    return f"M{x} {y}q.4 {-height / 2} 0 {-height}"


def _meadow(v: int) -> str:
    places = [
        ((-8, -3), (6, -8), (3, 7)),
        ((8, -2), (-5, -9), (-6, 7)),
        ((-9, 2), (0, -8), (8, 4)),
    ][v]
    flowers = [((-1, 0), (10, 1)), ((1, -1), (-11, 1)), ((-7, -10), (2, 6))][v]
    return _line("".join(_tuft(x, y) for x, y in places), 1.1, opacity=0.85) + _dots(
        *flowers, r=1.5, colour="{shine}", opacity=0.95
    )


def _forest(v: int) -> str:
    return [
        _conifer(6.5, -3.5, 0.92) + _conifer(-6.5, -1, 1.05) + _conifer(3.5, 9, 0.95),
        _conifer(-1, -5.5, 0.95) + _conifer(8.5, 3, 0.95) + _conifer(-7, 6.5, 1.1),
        _conifer(-8, -3, 0.9) + _conifer(4, -1.5, 1.1) + _conifer(-3, 9, 0.9),
    ][v]


def _lake(v: int) -> str:
    x, y = ((0, 0), (3, 2), (-2, -1))[v]
    wave = f"M{-11 + x} {-6 + y}q2.8 -3 5.6 0t5.6 0t5.6 0"
    short = f"M{-4 - x} {2 + y}q2.8 -3 5.6 0t5.6 0"
    low = f"M{-10 + 2 * x} {9 - y / 2}q2.8 -3 5.6 0t5.6 0"
    return (
        _line(wave, 1.3, "{shine}", 0.75)
        + _line(short, 1.2, "{ink}", 0.7)
        + _line(low, 1.2, "{shine}", 0.6)
    )


def _mountain(v: int) -> str:
    return [
        _peak(6.5, 5, 0.72) + _peak(-4, 9, 1.08),
        _peak(-7, 4, 0.75) + _peak(4, 9, 1.1),
        _peak(-8, 6.5, 0.6) + _peak(9, 6, 0.55) + _peak(0.5, 9.5, 1.12),
    ][v]


def _desert(v: int) -> str:
    dunes = (
        "M-13 -3q6.5 -7 13 -.5q-3.5 -.5 -6 2.5M0 7q5 -6 11.5 -.5q-3 0 -5 2",
        "M-3 -6q6.5 -7 13 -.5q-3.5 -.5 -6 2.5M-12 6q5.5 -6 11.5 -.5q-3 0 -5 2",
        "M-9 -7q5.5 -6 11 -.5q-3 0 -5 2M-6 6q7 -7.5 14 -.5q-3.5 -.5 -6 2.5",
    )[v]
    grains = (
        ((7, -8), (10, -5), (-8, 6), (-5, 9)),
        ((-9, -6), (-6, -9), (8, 5), (6, 9)),
        ((9, -3), (-11, 2), (6, -9)),
    )[v]
    return _line(dunes, 1.2, opacity=0.8) + _dots(*grains, r=0.8, opacity=0.8)


def _field(v: int) -> str:
    def ear(x: float, y: float) -> str:
        grains = "".join(
            f"M{x} {y - 2 - i * 2.3}l-2 -1.8M{x} {y - 2 - i * 2.3}l2 -1.8" for i in range(3)
        )
        return f"M{x} {y + 3}L{x} {y - 9.5}{grains}"

    places = [
        ((-9, 2), (-1, -3), (7, 4)),
        ((-6, 4), (1, -4), (9, 1)),
        ((-9, -2), (-2, 5), (6, -2)),
    ][v]
    return _line("".join(ear(x, y) for x, y in places), 1.15, opacity=0.85)


def _swamp(v: int) -> str:
    x = (0, 5, -6)[v]
    reeds = _reed(-6 + x, 4, 15) + _reed(-2 + x, 5, 11) + _reed(2.5 + x, 4, 13)
    heads = "".join(f"M{a} {b}v3.2" for a, b in ((-6 + x, -9.5), (-2 + x, -4.5), (2.5 + x, -7.5)))
    water = (
        "M-12 6.5h7M-3 9h9M5 3.5h7",
        "M-13 3h7M-7 8.5h8M4 9h6",
        "M2 -4h9M-9 8.5h8M3 6h9",
    )[v]
    return (
        _line(reeds, 1.1, opacity=0.85)
        + _line(heads, 2.3, opacity=0.9)
        + _line(water, 1.1, "{shine}", 0.8)
    )


def _heath(v: int) -> str:
    def sprig(x: float, y: float) -> str:
        return f"M{x} {y}V{y - 6}M{x} {y - 1.5}l-2.8 -3M{x} {y - 1.5}l2.8 -3"

    places = [((-8, 1), (6, -4), (0, 9)), ((8, 3), (-4, -4), (-6, 9)), ((-9, -1), (1, 4), (9, -2))][
        v
    ]
    bloom = [
        (x + dx, y + dy) for x, y in places for dx, dy in ((0, -7.2), (-3.3, -5.4), (3.3, -5.4))
    ]
    return (
        _line("".join(sprig(x, y) for x, y in places), 1.0, opacity=0.8)
        + _dots(*bloom, r=1.5, colour="{ink}", opacity=0.85)
        + _dots(*[(x, y - 7.2) for x, y in places], r=0.9, colour="{shine}", opacity=0.9)
    )


def _tundra(v: int) -> str:
    x, y = ((0, 0), (4, 3), (-3, 2))[v]
    stars = "".join(
        f"M{a} {b - 3}v6M{a - 2.6} {b - 1.5}l5.2 3M{a - 2.6} {b + 1.5}l5.2 -3"
        for a, b in ((-7 + x, -5 + y), (7 - x, -2 - y), (-1 + x, 7 - y))
    )
    return _line(stars, 1.0, opacity=0.7)


def _vineyard(v: int) -> str:
    x = (0, 2, -2)[v]
    stakes = "".join(f"M{a + x} {b}v-8" for a, b in ((-8, -1), (0, -3), (8, -1), (-4, 10), (5, 10)))
    grapes = [
        (a + x + dx, b + dy)
        for a, b in ((-8, -5), (0, -7), (8, -5), (-4, 6), (5, 6))
        for dx, dy in ((-1.5, 0), (1.5, 0), (0, 2.3))
    ]
    return _line(stakes, 0.9, opacity=0.7) + _dots(*grapes, r=1.4, opacity=0.85)


def _beach(v: int) -> str:
    s = (1, -1, 1)[v]
    ripples = (
        f"M{-12 * s} -5q{4 * s} 3 {8 * s} 0t{8 * s} 0M{-5 * s} 6q{4 * s} 3 {8 * s} 0t{6 * s} 0"
    )
    return _line(ripples, 1.1, opacity=0.8) + _dots(
        (8 * s, -9), (-9 * s, 3), (3 * s, 1), r=1, opacity=0.7
    )


def _glacier(v: int) -> str:
    s = (1, -1, 1)[v]
    cracks = f"M{-10 * s} -9L{-3 * s} -3L{-6 * s} 5M{-3 * s} -3L{6 * s} -6M{2 * s} 9L{6 * s} 2L{12 * s} 3"
    return _line(cracks, 1.2, opacity=0.7) + _line(f"M{3 * s} -10l{5 * s} -1", 1.4, "{shine}", 0.9)


_DRAWN = {
    "meadow": _meadow,
    "forest": _forest,
    "lake": _lake,
    "mountain": _mountain,
    "desert": _desert,
    "field": _field,
    "swamp": _swamp,
    "heath": _heath,
    "tundra": _tundra,
    "vineyard": _vineyard,
    "beach": _beach,
    "glacier": _glacier,
}

_PLAIN = (
    _dots((-7, -6), (7, -6), (0, 0), (-7, 6), (7, 6), r=2),
    _line("M-12 -8L12 -8M-12 0L12 0M-12 8L12 8", 1.6),
    _line("M-9 -8l6 6m0 -6l-6 6M3 -8l6 6m0 -6l-6 6M-3 3l6 6m0 -6l-6 6", 1.4),
    _line("M-9 -5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M2 5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", 1.5),
    _line("M-12 -5l4 -4l4 4l4 -4l4 4l4 -4l4 4M-12 6l4 -4l4 4l4 -4l4 4l4 -4l4 4", 1.4),
    _line("M-9 -9h7v7h-7zM2 1h7v7h-7z", 1.4),
    _line("M-6 -9l5 8h-10zM6 0l5 8h-10z", 1.4),
    _line("M-10 2L2 -10M-8 9L9 -8M-2 11L10 -1", 1.5),
)


def _plain(number: int) -> str:
    # With more landscapes than marks the colours repeat; shifted marks keep the landscapes distinct.
    return _PLAIN[(number + 3 * (number // len(_PLAIN))) % len(_PLAIN)]


def symbols(key: str, number: int, ground: Ground) -> list[str]:
    """The symbols of a landscape in its colours, one for each variant; plain marks for an unknown landscape."""
    drawn = _DRAWN.get(key)
    marks = [drawn(v) for v in range(VARIANTS)] if drawn else [_plain(number)] * VARIANTS
    return [
        mark.replace("{ink}", ground.ink)
        .replace("{shine}", ground.shine)
        .replace("{fill}", ground.fill)
        for mark in marks
    ]


_BODIES: tuple[tuple[str, ...], ...] = (
    # A pawn: round head, flowing body.
    (
        "M-2.6 -5C-3.2 .5 -5.4 4.6 -8.6 8.2Q-9.8 12 -6.2 12L6.2 12Q9.8 12 8.6 8.2C5.4 4.6 3.2 .5 2.6 -5Z",
        "M-5.4 -9.4a5.4 5.4 0 1 0 10.8 0a5.4 5.4 0 1 0 -10.8 0Z",
    ),
    # A surveyor: broad hat, square coat.
    (
        "M-7.6 -1.2Q-7.6 -4 -4.8 -4L4.8 -4Q7.6 -4 7.6 -1.2L8.2 12L1.6 12L0 7L-1.6 12L-8.2 12Z",
        "M-4 -8.2L4 -8.2L3.4 -3.4L-3.4 -3.4Z",
        "M-10 -8.8Q-10 -10.4 -5 -10.6L-4.2 -15.2Q0 -17.4 4.2 -15.2L5 -10.6Q10 -10.4 10 -8.8Q0 -6.2 -10 -8.8Z",
    ),
    # A wanderer: pointed hood, wide cloak.
    (
        "M0 -17C2.6 -13.4 5.2 -10.6 5.2 -6.6C6.4 -.6 8.4 5.4 11 12L-11 12C-8.4 5.4 -6.4 -.6 -5.2 -6.6"
        "C-5.2 -10.6 -2.6 -13.4 0 -17Z",
    ),
    # A bearer: staff with a pennant.
    (
        "M7.2 -17L9 -17L9 12L7.2 12Z",
        "M7.2 -16.6L-3.2 -13.6L7.2 -10Z",
        "M-4.6 -2.2C-6 2 -7.8 6 -9 12L5 12C4.6 6 3 2 1.6 -2.2Z",
        "M-5.8 -6.2a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0Z",
    ),
)

_DETAILS: tuple[str, ...] = (
    "M-4.6 7.4Q0 9 4.6 7.4",
    "M-5.6 -10.8Q0 -9.4 5.6 -10.8M0 -3L0 4",
    "M-2.6 -6.2Q0 -10.6 2.6 -6.2Q0 -3.6 -2.6 -6.2ZM0 -2L0 9",
    "M-4.6 5.6L3.2 5.6",
)


def pioneer(seat: int, colour: str, theme: Theme) -> str:
    """The figure of a seat; each seat has a different silhouette as well as a different colour."""
    body = "".join(_BODIES[seat % len(_BODIES)])
    detail = _DETAILS[seat % len(_DETAILS)]
    return (
        '<g transform="translate(0 -2.6)">'
        f'<ellipse cx="0" cy="12.2" rx="11" ry="3.2" fill="{theme.outline}" fill-opacity=".32"/>'
        f'<path d="{body}" fill="none" stroke="{theme.halo}" stroke-width="4.6" stroke-opacity=".9" stroke-linejoin="round"/>'
        f'<path d="{body}" fill="{colour}" stroke="{theme.outline}" stroke-width="2.2" stroke-linejoin="round"/>'
        f'<path d="{body}" fill="{colour}"/>'
        f'<path d="{detail}" fill="none" stroke="{theme.outline}" stroke-width="1.2" stroke-opacity=".6"'
        ' stroke-linecap="round" stroke-linejoin="round"/></g>'
    )


def stone(theme: Theme) -> str:
    """A border stone: a hex tile with a visible front side, so that it looks raised."""
    top, inner, lift = 22.4, 17, -2.4
    outer = [(top * x, top * y + lift) for x, y in _CORNERS]
    inside = [(inner * x, inner * y + lift) for x, y in _CORNERS]
    facets = {theme.stone_light: "", theme.stone_dark: ""}
    for colour, sides in ((theme.stone_light, (0, 5)), (theme.stone_dark, (2, 3))):
        for i in sides:
            after = (i + 1) % 6
            corners = (outer[i], outer[after], inside[after], inside[i])
            facets[colour] += "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "Z"
    bevel = "".join(f'<path d="{path}" fill="{colour}"/>' for colour, path in facets.items())
    side = (
        f"M{outer[5][0]:.1f} {outer[5][1]:.1f}L{outer[4][0]:.1f} {outer[4][1] + 5:.1f}L{outer[3][0]:.1f} {outer[3][1] + 5:.1f}"
        f"L{outer[2][0]:.1f} {outer[2][1] + 5:.1f}L{outer[1][0]:.1f} {outer[1][1]:.1f}Z"
    )
    return (
        f'<path d="{hexagon(0, 3, 23)}" fill="{theme.outline}" fill-opacity=".28"/>'
        f'<path d="{side}" fill="{theme.stone_side}" stroke="{theme.stone_line}" stroke-width="1" stroke-linejoin="round"/>'
        f'<path d="{hexagon(0, lift, top)}" fill="{theme.stone_top}" stroke="{theme.stone_line}" stroke-width="1" stroke-linejoin="round"/>'
        f"{bevel}"
        f'<path d="M-8 -8L-3 -10.5M4 4.5L8.5 2M-2 .5L1 -1" fill="none" stroke="{theme.stone_light}" stroke-width="1.1"'
        ' stroke-opacity=".7" stroke-linecap="round"/>'
    )
