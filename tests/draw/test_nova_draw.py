"""Pictures of Terra Nova: well formed, complete, the same every time, and drawable without fonts."""

from __future__ import annotations

import re
from io import BytesIO
from multiprocessing import active_children
from random import Random
from xml.etree import ElementTree

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from terrarium import nova
from terrarium.core.lettering import text_path, text_width
from terrarium.core.picture import apart, gif, png
from terrarium.errors import InvalidBoard, TerrariumError
from terrarium.nova import palette
from terrarium.nova.draw import animate, draw, draw_board

SVG = "{http://www.w3.org/2000/svg}"

Turns = list[tuple[nova.Position, tuple[nova.Action, ...]]]


def played(players: int, board: str, seed: int) -> Turns:
    """A random game with many stones, as the positions after each turn."""
    rng = Random(seed)
    position = nova.start(nova.Rules(players=players), nova.BOARDS[board])
    turns: Turns = []
    turn: list[nova.Action] = []
    while position.outcome is None:
        legal = position.legal_actions()
        stones = [action for action in legal if action.kind == "stone"]
        action = rng.choice(stones if stones and rng.random() < 0.75 else legal)
        position = position.play(action)
        turn.append(action)
        if position.at_turn_start or position.outcome is not None:
            turns.append((position, tuple(turn)))
            turn = []
    return turns


@pytest.fixture(scope="module")
def turns() -> Turns:
    return played(4, "terra-nova", 3)


def parsed(svg: str) -> ElementTree.Element:
    """The picture as XML, with every reference in it resolved."""
    root = ElementTree.fromstring(svg)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)), "an id is given twice"
    for element in root.iter():
        if element.tag == f"{SVG}use":
            assert element.get("href", "").removeprefix("#") in ids
        for name in re.findall(r"url\(#([^)]*)\)", " ".join(element.attrib.values())):
            assert name in ids
    return root


def cells_with(root: ElementTree.Element, kind: str) -> set[str]:
    found = [e for e in root.iter(f"{SVG}use") if kind in e.get("class", "").split()]
    return {str(element.get("data-cell")) for element in found}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_pioneer_stone_and_dead_cell_is_drawn(turns: Turns, theme: str) -> None:
    position = next(p for p, _ in turns if p.dead and len(p.stones) > 30)
    root = parsed(draw(position, theme=theme))
    assert cells_with(root, "stone") == set(position.stones)
    for seat in range(4):
        own = {cell for cell, of in position.pioneers.items() if of == seat}
        assert cells_with(root, f"seat-{seat}") == own
    dead = next(e for e in root.iter() if e.get("class") == "dead")
    assert set(dead.get("data-cells", "").split()) == set(position.dead)


def test_pieces_stand_on_their_cells() -> None:
    board = nova.BOARDS["terra-nova"]
    rules = nova.Rules()
    position = nova.compose(rules, board, pioneers={"a3": 0, "e7": 1, "q12": 1}, stones=["e9"])
    root = parsed(draw(position))
    at = {
        element.get("data-cell"): (float(element.get("x", "")), float(element.get("y", "")))
        for element in root.iter(f"{SVG}use")
        if element.get("data-cell")
    }
    for cell, (x, y) in at.items():
        unit_x, unit_y = board.centres[board.index(str(cell))]
        assert (x, y) == pytest.approx((24 * unit_x, 24 * unit_y), abs=0.1)
    assert set(at) == {"a3", "e7", "q12", "e9"}


def test_seats_differ_in_shape_as_well_as_in_colour(turns: Turns) -> None:
    root = parsed(draw(turns[0][0]))
    figures = {
        str(group.get("id")): [path.get("d") for path in group.iter(f"{SVG}path")]
        for group in root.iter(f"{SVG}g")
        if "-pioneer-" in group.get("id", "")
    }
    assert len(figures) == 4
    assert len({paths[0] for paths in figures.values()}) == 4


def test_landscapes_differ_in_colour_and_in_pattern() -> None:
    many = nova.Board.parse("A B C D E F G H I J K L")
    for board in (*nova.BOARDS.values(), many):
        for theme in ("light", "dark"):
            root = parsed(draw_board(board, theme=theme))
            looks = [
                tuple((mark.get("d"), mark.get("stroke"), mark.get("fill")) for mark in group)
                for group in root.iter(f"{SVG}g")
                if (group.get("id") or "").endswith("-0")
            ]
            assert len(looks) == len(set(looks)) == len(board.letters)
    for board in nova.BOARDS.values():
        root = parsed(draw_board(board))
        groups = [g for g in root.iter(f"{SVG}g") if (g.get("id") or "").endswith("-0")]
        patterns = {tuple(mark.get("d") for mark in group) for group in groups}
        assert len(patterns) == len(board.letters)
        assert len({ground.fill for ground in palette.grounds(board)}) == len(board.letters)


def test_the_last_actions_are_marked(turns: Turns) -> None:
    position, last = next((p, a) for p, a in turns if {x.kind for x in a} == {"move", "stone"})
    marked = [e for e in parsed(draw(position, last=last)).iter() if e.get("class") == "last"]
    assert len(marked) == 2, "an arrow, and rings on the target cells"
    assert marked[1].get("d", "").count("M") == len(last)
    assert "last" not in draw(position)
    assert draw(position, last=[str(a) for a in last]) == draw(position, last=last)
    assert draw(position, last=last[0]) == draw(position, last=str(last[0]))


def test_regions_that_could_be_closed_show_their_points() -> None:
    board = nova.Board.parse("A A A A A A B B B B B B C D E F G")
    position = nova.compose(
        nova.Rules(),
        board,
        pioneers={"a2": 0, "a5": 0, "a8": 1, "a17": 0, "a14": 1},
        stones=["a13"],
        dead=[],
    )
    closable = [region for region in position.regions() if region.is_closable]
    assert [region.points for region in closable] == [24]
    root = parsed(draw(position, regions=True))
    payoffs = [e.get("data-points") for e in root.iter() if e.get("class") == "payoff"]
    assert payoffs == ["24"]
    held = [e.get("data-count") for e in root.iter() if e.get("class") == "landscapes"]
    assert held == [str(len(r.landscapes)) for r in position.regions() if not r.is_closable]
    assert len([e for e in root.iter() if e.get("class") == "region"]) == len(position.regions())
    assert "payoff" not in draw(position)


def test_coordinates_highlights_and_scores_can_be_asked_for(turns: Turns) -> None:
    position = turns[-1][0]
    assert len(draw(position, coordinates=False)) < len(draw(position)) - 10_000
    assert parsed(draw(position, scores=False)).get("height") != parsed(draw(position)).get(
        "height"
    )
    marked = parsed(draw(position, highlight=["a3", "e7"]))
    group = next(e for e in marked.iter() if e.get("class") == "highlight")
    assert len(group) == 2
    with pytest.raises(InvalidBoard, match="'zz9'"):
        draw(position, highlight=["zz9"])
    with pytest.raises(TerrariumError, match="light and dark"):
        draw(position, theme="sepia")


def test_winners_get_a_star(turns: Turns) -> None:
    position = turns[-1][0]
    assert position.outcome is not None
    stars = [e for e in parsed(draw(position)).iter() if e.get("class") == "winner"]
    assert len(stars) == len(position.outcome.winners)


def test_equal_positions_give_equal_pictures(turns: Turns) -> None:
    position = turns[20][0]
    again = nova.Position.from_text(position.to_text())
    assert draw(position, regions=True) == draw(again, regions=True)


def test_pictures_need_no_fonts_scripts_or_outside_files(turns: Turns) -> None:
    svg = draw(turns[-1][0], last=turns[-1][1], regions=True)
    root = parsed(svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {
        *("svg", "title", "defs", "g", "use", "path", "rect", "circle", "ellipse", "polygon"),
        "clipPath",
    }
    assert svg.count("http") == 1, "only the XML namespace"


def test_names_from_outside_are_escaped() -> None:
    board = nova.Board.parse("A B C D", "<script>&")
    assert (
        parsed(draw_board(board))
        .findtext(f"{SVG}title", "")
        .startswith("Terra Nova board <script>&")
    )


@pytest.mark.parametrize("text", ["A B C D", "A\n B\nC\n D", "1 2\n Å Ж"])
def test_the_smallest_boards_can_be_drawn(text: str) -> None:
    parsed(draw_board(nova.Board.parse(text)))
    rules = nova.Rules(players=4, pioneers=1)
    parsed(draw(nova.start(rules, nova.Board.parse(text)), regions=True))


def test_a_png_has_the_width_that_was_asked_for(turns: Turns) -> None:
    svg = draw(turns[30][0])
    image = Image.open(BytesIO(png(svg, 400)))
    assert image.format == "PNG"
    assert image.width == 400
    root = parsed(svg)
    ratio = float(root.get("height", "")) / float(root.get("width", ""))
    assert image.height == pytest.approx(400 * ratio, abs=1)
    assert len(image.convert("RGB").getcolors(maxcolors=1 << 20) or ()) > 100


def test_a_png_shows_the_pioneers_colour_where_they_stand() -> None:
    board = nova.BOARDS["two-bays"]
    position = nova.compose(nova.Rules(), board, pioneers={"e7": 0, "d7": 1, "f9": 1})
    svg = draw(position, scores=False, coordinates=False)
    root = parsed(svg)
    left, top = (float(n) for n in root.get("viewBox", "").split()[:2])
    image = Image.open(BytesIO(png(svg))).convert("RGB")
    for cell, colour in (("e7", "yellow"), ("d7", "red"), ("f9", "red")):
        x, y = board.centres[board.index(cell)]
        pixel = image.getpixel((round(24 * x - left - 4), round(24 * y - top + 2)))
        wanted = palette.SEATS[colour]
        assert pixel == tuple(int(wanted[i : i + 2], 16) for i in (1, 3, 5))


def test_a_game_becomes_an_animated_gif(turns: Turns) -> None:
    frames = turns[30:36]
    data = animate(frames, milliseconds=200, width=240)
    image = Image.open(BytesIO(data))
    assert isinstance(image, GifImageFile)
    assert (image.width, image.n_frames, image.info["loop"]) == (240, 6, 0)
    durations = []
    for number in range(image.n_frames):
        image.seek(number)
        durations.append(image.info["duration"])
    assert durations == [200] * 5 + [800]


def test_pictures_that_cannot_be_made_are_refused() -> None:
    svg = draw_board(nova.BOARDS["two-bays"])
    for wrong in (0, -5, 100_000):
        with pytest.raises(TerrariumError) as caught:
            png(svg, wrong)
        assert caught.value.code == "picture-width"
    with pytest.raises(TerrariumError, match="can't be drawn"):
        png("<svg")
    with pytest.raises(TerrariumError, match="1 to 8192 pixels"):
        gif([svg], width=0)
    with pytest.raises(TerrariumError, match="at least one"):
        gif([])
    with pytest.raises(TerrariumError, match="2 durations for 1 frames"):
        gif([svg], [100, 200], width=100)


def test_other_processes_draw_the_same(turns: Turns) -> None:
    frames = turns[40:44]
    svg = draw(frames[0][0])
    here = png(svg, 200), animate(frames, width=120)
    others = active_children()
    with apart(2):
        assert (png(svg, 200), animate(frames, width=120)) == here
        with pytest.raises(TerrariumError, match="can't be drawn"):
            png("<svg", 100)
        for process in active_children():
            if process not in others:
                process.kill()
        assert (png(svg, 200), animate(frames, width=120)) == here, (
            "pictures must be drawn in this process if the others died"
        )
    assert png(svg, 200) == here[0]


def test_lettering_has_the_width_it_reports() -> None:
    path = text_path("a12", 100, 50, 10)
    xs = [float(x) for x in re.findall(r"[MLCS ]?(-?[0-9.]+) -?[0-9.]+", path)]
    half = text_width("a12", 10) / 2
    assert min(xs) >= 100 - half - 0.5
    assert max(xs) <= 100 + half + 0.5
    assert text_width("", 10) == 0
