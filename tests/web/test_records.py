"""Replay, review, records from files, and the analysis board."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from terrarium import turrium
from terrarium.core.record import Record
from tests.server.running import Server
from tests.web.conftest import Complaints
from tests.web.screens import RECORD, Screens, prepare
from tests.web.table import WON
from tests.web.texts import pattern, t

Visit = Callable[..., Page]
FLAG = t("board.cell.flag", colour=t("common.colour.yellow"))
PIONEER = t("board.cell.pioneer", colour=t("common.colour.yellow"))
ARROWS = "path.arrow, path.cell, .arrow-cell"


@pytest.fixture(scope="module")
def screens(server: Server) -> Screens:
    return prepare(server)


def test_a_terra_file_is_opened_and_stepped_through(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "club.terra"
    file.write_text(RECORD)
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_text(t("replay.start"))).to_be_visible()
    expect(page.locator(".pioneer")).to_have_count(0)
    page.get_by_role("button", name=t("table.next")).click()
    expect(page.locator(".pioneer")).to_have_count(1)
    page.get_by_role("button", name=t("table.last")).click()
    expect(page.locator(".stone")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stone")).to_have_count(2)
    page.keyboard.press("Home")
    expect(page.locator(".stone")).to_have_count(0)
    page.get_by_role("button", name=t("replay.play")).click()
    expect(page.locator(".stone")).to_have_count(4)


def test_a_broken_file_says_where_it_breaks(
    visit: Visit, tmp_path: Path, complaints: Complaints
) -> None:
    file = tmp_path / "broken.terra"
    file.write_text(RECORD.replace("+d8", "+z99"))
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text(t("replay.open.failed"))
    expect(page.get_by_role("alert")).to_contain_text(pattern("replay.open.place", line=5))
    page.get_by_label(t("replay.open.paste")).fill(RECORD)
    page.get_by_role("button", name=t("replay.open.read")).click()
    expect(page.get_by_text(t("replay.start"))).to_be_visible()
    complaints.expect("422")


def test_a_finished_game_is_reviewed(
    visit: Visit, screens: Screens, complaints: Complaints
) -> None:
    page = visit(f"/g/{screens.finished}/review")
    page.get_by_role("button", name=t("replay.review")).click()
    graph = page.get_by_role("img", name=t("replay.graph"))
    expect(graph).to_be_visible()
    page.wait_for_function(
        """async (id) => (await (await fetch(`/api/games/${id}/review`)).json()).status === 'done'""",
        arg=screens.finished,
    )
    expect(page.get_by_text(pattern("replay.running"))).not_to_be_attached()
    box = graph.bounding_box()
    assert box
    graph.click(position={"x": box["width"] - 2, "y": 40})
    expect(page.get_by_text(t("replay.turn", number=19, count=19))).to_be_visible()
    graph.click(position={"x": 2, "y": 40})
    expect(page.get_by_text(t("replay.start"))).to_be_visible()
    graph.click(position={"x": box["width"] / 3, "y": 40})
    expect(page).to_have_url(re.compile(rf"/g/{screens.finished}/review\?turn=6$"))
    expect(page.locator("figcaption")).to_contain_text("%")
    label = page.locator(".label").first
    label.click()
    expect(page.get_by_text(pattern("replay.better"))).to_be_visible()
    number = int(label.locator("..").get_attribute("data-turn") or 0)
    page.get_by_role("button", name=t("coach.show")).click()
    expect(page.locator(ARROWS)).not_to_have_count(0)
    expect(page.get_by_text(pattern("coach.shown", number=number))).to_be_visible()
    complaints.expect("404")  # before it is asked for there is no review


@pytest.mark.slow
def test_a_turn_has_a_link_and_a_game_can_be_downloaded(
    visit: Visit, screens: Screens, complaints: Complaints
) -> None:
    page = visit(f"/g/{screens.finished}/review?turn=3")
    expect(page.get_by_text(pattern("replay.turn", number=3))).to_be_visible()
    page.get_by_role("button", name=t("table.next")).click()
    expect(page).to_have_url(f"{page.url.split('?')[0]}?turn=4")
    for name, start in ((t("replay.text"), b"[Game"), ("PNG", b"\x89PNG"), ("GIF", b"GIF8")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
    complaints.expect("404")


def test_the_shown_turn_stays_in_the_middle_of_the_list(
    visit: Visit, screens: Screens, complaints: Complaints
) -> None:
    page = visit(f"/g/{screens.finished}/review?turn=9")
    shown = page.locator('[aria-current="step"]')
    expect(shown).to_be_visible()
    for height in (1000, 640, 820):
        page.set_viewport_size({"width": 1280, "height": height})
        page.wait_for_function(
            """() => {
                const middle = (box) => (box.top + box.bottom) / 2;
                const row = document.querySelector('[aria-current="step"]');
                const list = row.closest('ol');
                return Math.abs(middle(row.getBoundingClientRect()) - middle(list.getBoundingClientRect())) < 3;
            }"""
        )
    complaints.expect("404")  # before it is asked for there is no review


def test_variations_are_tried_on_the_analysis_board_with_the_engine(visit: Visit) -> None:
    page = visit("/analysis?game=turrium")
    page.locator("[data-cell]").first.wait_for()
    for cell in ("c3", "d3", "e3", "f3", "g3", "h3"):
        page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
        expect(page.locator(f'[data-cell="{cell}"][aria-label*="{FLAG}"]')).to_be_attached()
    expect(page.locator(".moves li button")).to_have_count(1)
    page.get_by_role("switch", name=t("replay.engine")).check()
    expect(page.locator(".lines li").first).to_be_visible()
    expect(page.locator(ARROWS)).not_to_have_count(0)
    page.get_by_role("button", name=t("replay.analysis.play")).first.click()
    expect(page.locator(".moves li button")).to_have_count(2)
    page.get_by_role("button", name=t("table.first")).click()
    expect(page.locator(".flag use")).to_have_count(0)
    page.get_by_role("switch", name=t("replay.engine")).uncheck()


@pytest.mark.slow
def test_a_position_has_a_link(visit: Visit, complaints: Complaints) -> None:
    page = visit("/analysis?position=nonsense")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("replay.analysis.failed"))
    complaints.expect("422")
    page.get_by_role("button", name=t("replay.analysis.fresh")).click()
    page.locator("[data-cell]").first.wait_for()
    page.locator("summary").last.click()
    link = page.locator('[data-copy*="position="]').get_attribute("data-copy")
    assert link is not None
    other = visit(link[link.index("/analysis") :])
    expect(other.locator("[data-cell]")).to_have_count(168)


@pytest.mark.slow
def test_a_game_from_a_file_has_a_link_to_every_turn(visit: Visit) -> None:
    page = visit("/replay")
    page.get_by_role("button", name=t("replay.open.example")).click()
    expect(page.get_by_text(t("replay.start"))).to_be_visible()
    for _ in range(12):
        page.get_by_role("button", name=t("table.next")).click()
    link = page.locator('[data-copy*="/replay?turn=12#"]').get_attribute("data-copy")
    assert link is not None
    expect(page).to_have_url(link)  # the same link is in the address bar
    friend = visit(link[link.index("/replay") :])
    expect(friend.get_by_text(t("replay.turn", number=12, count=37))).to_be_visible()
    friend.keyboard.press("End")
    expect(
        friend.get_by_text(
            t("board.event.won", name=t("common.colour.yellow"), reason=t("board.reason.divided"))
        ).first
    ).to_be_visible()
    cut = visit(link[link.index("/replay") : -60])
    expect(cut.get_by_role("alert")).to_contain_text(t("replay.open.link"))
    cut.get_by_label(t("replay.open.paste")).fill(RECORD)
    cut.get_by_role("button", name=t("replay.open.read")).click()
    expect(cut.get_by_text(t("replay.start"))).to_be_visible()


# Presses play, and pause as soon as a text appears, however busy the machine is.
PLAY_AND_PAUSE = """async ([play, text, pause]) => {
  const press = (name) => [...document.querySelectorAll('button')].find(one => one.textContent.trim() === name).click();
  const shown = new Promise(done => new MutationObserver((_, observer) => {
    if (!document.body.textContent.includes(text)) return;
    observer.disconnect();
    done();
  }).observe(document.body, {childList: true, subtree: true, characterData: true}));
  press(play);
  await shown;
  press(pause);
}"""


@pytest.mark.slow
def test_a_game_from_a_file_plays_automatically(visit: Visit, tmp_path: Path) -> None:
    page = visit("/replay")
    page.get_by_label(t("replay.open.paste")).fill(RECORD)
    page.get_by_role("button", name=t("replay.open.read")).click()
    page.get_by_role("button", name=t("replay.play")).click()
    expect(page.get_by_text(t("replay.turn", number=6, count=6))).to_be_visible()
    first = t("replay.turn", number=1, count=6)
    page.evaluate(PLAY_AND_PAUSE, [t("replay.play"), first, t("replay.pause")])
    expect(page.get_by_role("button", name=t("replay.play"))).to_be_visible()
    expect(page.get_by_text(first)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name=t("replay.text")).click()
    assert Path(download.value.path()).read_text() == RECORD
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    with Image.open(download.value.path()) as picture:
        assert picture.format == "PNG"
        assert picture.width == 1400
        colours = picture.convert("RGB").getcolors(1 << 24) or []
        assert len(colours) > 500, "the picture must show an island, not an empty sea"
    with page.expect_download() as download:
        page.get_by_role("button", name="GIF").click()
    with Image.open(download.value.path()) as film:
        assert (film.format, film.n_frames) == ("GIF", 7)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_game_from_a_file_is_reviewed(visit: Visit) -> None:
    page = visit("/replay")
    page.get_by_label(t("replay.open.paste")).fill(RECORD)
    page.get_by_role("button", name=t("replay.open.read")).click()
    # Hold the answer about the first turn until the test has seen the page waiting for it.
    held: list[Route] = []
    page.route("**/api/positions/review", lambda route: held.append(route), times=1)
    with page.expect_request("**/api/positions/review"):
        page.get_by_role("button", name=t("replay.review")).click()
    expect(page.get_by_text(pattern("replay.running"))).to_be_visible()
    held[0].continue_()
    expect(page.get_by_text(pattern("replay.running"))).not_to_be_attached()
    page.keyboard.press("End")
    expect(page.locator("figcaption")).to_contain_text("%")
    lines = page.locator("figure svg path.line")
    drawn = [lines.nth(at).get_attribute("d") or "" for at in range(lines.count())]
    assert [line.count("L") for line in drawn] == [5, 5], "one point for each of six turns"


def test_a_missed_win_in_a_file_is_shown(visit: Visit, tmp_path: Path) -> None:
    position = turrium.start()
    for turn in WON[:-2]:
        position = position.play_all(turn.split())
    file = tmp_path / "missed.terra"
    file.write_text(str(Record(position).play(["-e4", "+f8", "@g8", "@g5", "g5xg6", "f4-g4"])))
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(file)
    page.get_by_role("button", name=t("replay.review")).click()
    page.get_by_role("button", name=t("table.next")).click()
    expect(page.locator(".verdict li").first).to_have_text(t("reason.fault.gains.win"))
    page.get_by_role("button", name=t("coach.show")).click()
    expect(page.locator(ARROWS).first).to_be_attached()


def test_earlier_variations_stay_when_another_one_is_tried(visit: Visit) -> None:
    page = visit("/analysis")
    page.locator("[data-cell]").first.wait_for()
    for cell in ("e7", "h9"):
        page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
        expect(page.locator('.moves [aria-current="step"]')).to_contain_text(cell)
        page.get_by_role("button", name=t("table.first")).click()
    variation = page.get_by_role("list", name=t("tree.variation", number=1))
    expect(variation.get_by_role("button")).to_contain_text(["h9"])
    page.locator(".moves [data-node]").first.click()
    expect(page.locator('.moves [aria-current="step"]')).to_contain_text("e7")
    expect(page.locator(f'[data-cell="e7"][aria-label*="{PIONEER}"]')).to_be_attached()
