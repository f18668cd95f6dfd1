"""Pictures of Terra Turrium: well formed, complete, hidden where something is in front, and drawable without fonts."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import combinations
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from terrarium import turrium
from terrarium.core.picture import png
from terrarium.errors import TerrariumError
from terrarium.turrium import art, palette
from terrarium.turrium.draw import animate, draw
from terrarium.turrium.palette import theme_of
from terrarium.turrium.scene import Scene

SVG = "{http://www.w3.org/2000/svg}"
VIEWS = ("isometric", "above")
THEMES = ("light", "dark")


def played(players: int, actions: int, seed: int, **options: Any) -> turrium.Position:
    """A position after some random actions, their kind drawn first."""
    rng = Random(seed)
    position = turrium.start(turrium.Rules(players=players, **options))
    for _ in range(actions):
        if position.outcome is not None:
            break
        legal = position.legal_actions()
        kind = rng.choice(sorted({action.kind for action in legal}))
        position = position.play(rng.choice([a for a in legal if a.kind == kind]))
    return position


def parsed(svg: str) -> ElementTree.Element:
    """The picture as XML, with every reference in it resolved."""
    root = ElementTree.fromstring(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), "an id is given twice"
    for element in root.iter():
        if element.tag == f"{SVG}use":
            assert element.get("href", "").removeprefix("#") in ids
    return root


def pixels(svg: str, width: int = 500) -> Image.Image:
    return Image.open(BytesIO(png(svg, width))).convert("RGB")


def apart(one: Image.Image, other: Image.Image) -> float:
    """How many pixels are clearly different; slight differences at smoothed edges do not count."""
    return sum(abs(a - b) > 60 for a, b in zip(one.tobytes(), other.tobytes(), strict=True)) / 3


def cells_in_order(svg: str) -> list[str]:
    return re.findall(r'<g data-cell="(\w+)" data-height', svg)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_position_of_a_game_can_be_drawn(view: str, theme: str, players: int) -> None:
    for actions in (0, 3, 6 * players, 6 * players + 3, 120):
        position = played(players, actions, seed=players)
        for turn in range(4):
            svg = draw(position, view=view, theme=theme, turn=turn)
            parsed(svg)
            assert not re.search(r"nan|inf|<text|<image|font|filter", svg.split("</title>")[1])
            assert sorted(cells_in_order(svg)) == sorted(position.cells)
            heights = dict(re.findall(r'data-cell="(\w+)" data-height="([1-9]\d*)"', svg))
            assert {cell: int(h) for cell, h in heights.items()} == position.heights


@pytest.mark.parametrize("view", VIEWS)
def test_each_flag_is_drawn_once_on_its_cell(view: str) -> None:
    position = played(4, 150, seed=2)
    root = parsed(draw(position, view=view, ladders=False))
    drawn = [
        (group.get("data-cell"), int(group.get("data-seat", "")))
        for group in root.iter(f"{SVG}g")
        if group.get("data-cell") and group.get("data-seat")
    ]
    assert len(drawn) == len(position.flags)
    assert dict(drawn) == position.flags


@pytest.mark.parametrize("turn", range(4))
def test_near_cells_are_drawn_after_far_ones(turn: int) -> None:
    position = played(4, 60, seed=1)
    places = {
        cell: (spot.u, spot.v)
        for cell, spot in Scene(position, turn, theme_of("light"), ()).spots.items()
    }
    order = cells_in_order(draw(position, turn=turn))
    for earlier, later in combinations(order, 2):
        # a cell that is nearer or equal along both axes may hide the other
        (u, v), (after_u, after_v) = places[earlier], places[later]
        assert not (u <= after_u and v <= after_v), f"{earlier} hides {later} and is drawn first"


def test_a_tower_hides_what_stands_right_behind_it() -> None:
    def shown(height: int, turn: int) -> Image.Image:
        position = turrium.compose(
            turrium.Rules(players=4), heights={"d4": 8, "e5": height, "a1": 1}, flags={"d4": 0}
        )
        return pixels(draw(position, turn=turn, ladders=False))

    assert apart(shown(1, turn=0), shown(3, turn=0)) == 0
    assert apart(shown(1, turn=2), shown(3, turn=2)) > 300
    assert apart(shown(1, turn=1), shown(3, turn=1)) > 300


@pytest.mark.parametrize(("turn", "corner"), list(enumerate(("a1", "a10", "j10", "j1"))))
def test_a_turn_brings_each_seat_s_corner_to_the_front(turn: int, corner: str) -> None:
    position = turrium.start(turrium.Rules(players=4))
    scene = Scene(position, turn, theme_of("light"), ())
    spot = scene.spots[corner]
    assert (spot.u, spot.v) == (0, 0)
    assert spot.owner == turn
    along, up = scene.labels()
    assert corner in (along[0] + up[0], up[0] + along[0])
    assert cells_in_order(draw(position, turn=turn))[-1] == corner


@pytest.mark.parametrize("theme", THEMES)
def test_seats_can_be_distinguished_without_colour(
    monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    for module in (palette, art):
        monkeypatch.setattr(module, "SEATS", ("#777777",) * 4)
    frame = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-15 -42 45 50" width="45" height="50">'
    )
    flags, emblems = [], []
    for seat in range(4):
        flags.append(pixels(f"{frame}{art.flag(seat, theme_of(theme))}</svg>", 180))
        mark = art.emblem(seat, 5, -20, 12, theme_of(theme))
        emblems.append(pixels(f"{frame}{mark}</svg>", 180))
    for images in (flags, emblems):
        for one, other in combinations(images, 2):
            assert apart(one, other) > 400, "silhouettes differ by too few of 36,000 pixels"


@pytest.mark.parametrize("view", VIEWS)
def test_the_last_actions_are_marked(view: str) -> None:
    heights = {"c3": 2, "c4": 1, "c5": 2, "e5": 3, "f5": 1}
    position = turrium.compose(turrium.Rules(players=4), heights=heights, flags={"c3": 0, "f5": 3})
    for actions in ("-e5", "-e5 +a1", "-e5 +a1 c3-c4", "-e5 +e5 c3-c4 c4-c5"):
        after = position.play_all(actions)
        plain = draw(after, view=view, ladders=False)
        marked = draw(after, view=view, ladders=False, last=actions.split())
        assert 'class="last"' in marked
        assert 'class="last"' not in plain
        assert pixels(plain).tobytes() != pixels(marked).tobytes()
        parsed(marked)
    assert "stroke-dasharray" in draw(position.play("-e5"), view=view, last="-e5")
    assert draw(after, last=after.parse("c4-c5")) == draw(after, last=["c4-c5"])


def test_the_strip_shows_heights_attacks_cubes_and_points() -> None:
    position = turrium.compose(
        turrium.Rules(players=2),
        heights={"c3": 1, "d3": 2, "e3": 3, "f3": 1, "c8": 1},
        flags={"c3": 0, "d3": 0, "c8": 1},
        attacks=(3, 0),
    )
    root = parsed(draw(position))
    seats = [group for group in root.iter(f"{SVG}g") if group.get("class") == "seat"]
    rungs = [rect for rect in seats[0].iter(f"{SVG}rect") if rect.get("height") == "18"]
    assert [rung.get("fill") != "none" for rung in rungs] == [True, True] + [False] * 4
    ticks = [path for path in seats[0].iter(f"{SVG}path") if path.get("class") == "attacks"]
    assert ticks[0].get("d", "").count("M") == 3
    assert 'data-cubes="1"' in draw(position.play("-f3"))
    assert 'data-points="4"' in draw(position.play_all("-f3 +f3 d3-e3"))
    assert "winner" in draw(position.resign(0))
    assert "winner" not in draw(position)


def test_equal_positions_give_equal_pictures() -> None:
    position = played(3, 100, seed=9)
    again = turrium.Position.from_text(position.to_text())
    assert draw(position, turn=1) == draw(again, turn=1)


def test_coordinates_and_the_strip_can_be_left_out() -> None:
    position = played(2, 40, seed=4)
    for view in VIEWS:
        full = draw(position, view=view)
        assert len(draw(position, view=view, coordinates=False)) < len(full)
        assert len(draw(position, view=view, ladders=False)) < len(full)


def test_the_title_describes_the_picture() -> None:
    title = parsed(draw(played(2, 12, seed=1))).find(f"{SVG}title")
    assert title is not None
    assert title.text == (
        "Terra Turrium: seat 0 on 1, 1, 1, 1, 1, 1; seat 1 on 1, 1, 1, 1, 1, 1; seat 0 to move (take)"
    )


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"view": "below"}, "unknown-view"),
        ({"turn": 4}, "unknown-turn"),
        ({"turn": "1"}, "unknown-turn"),
        ({"theme": "grey"}, "unknown-theme"),
        ({"last": "c3-c5"}, "not-adjacent"),
    ],
)
def test_impossible_drawings_are_refused(wrong: dict[str, Any], code: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        draw(turrium.start(), **wrong)
    assert caught.value.code == code


def test_an_animation_keeps_the_board_still() -> None:
    position = turrium.compose(
        turrium.Rules(players=2), heights={"c3": 1, "d3": 2, "c4": 8}, flags={"c3": 0, "c4": 1}
    )
    frames = [(position, ()), (position.play("-d3"), ("-d3",))]
    frames.append((frames[-1][0].play("+h8"), ("+h8",)))
    image = Image.open(BytesIO(animate(frames, width=320, milliseconds=50)))
    assert getattr(image, "n_frames", 1) == 3
    for number in range(3):
        image.seek(number)
        assert image.size[0] == 320
