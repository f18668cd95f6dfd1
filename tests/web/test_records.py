"""Replay, review, records from files, and the analysis board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.server.running import Server
from tests.web.screens import RECORD, Screens, prepare

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def screens(server: Server) -> Screens:
    return prepare(server)


def test_a_terra_file_is_opened_and_stepped_through(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "club.terra"
    file.write_text(RECORD)
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_text("Before the first turn")).to_be_visible()
    expect(page.locator(".pioneer")).to_have_count(0)
    page.get_by_role("button", name="One turn on").click()
    expect(page.locator(".pioneer")).to_have_count(1)
    page.get_by_role("button", name="To the newest turn").click()
    expect(page.locator(".stone")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stone")).to_have_count(2)
    page.keyboard.press("Home")
    expect(page.locator(".stone")).to_have_count(0)
    page.get_by_role("button", name="Play by itself").click()
    expect(page.locator(".stone")).to_have_count(4, timeout=15_000)


def test_a_broken_file_says_where_it_breaks(
    visit: Visit, tmp_path: Path, complaints: list[str]
) -> None:
    file = tmp_path / "broken.terra"
    file.write_text(RECORD.replace("+d8", "+z99"))
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("This text could not be read.")
    expect(page.get_by_role("alert")).to_contain_text("Line 5")
    page.get_by_label("Or paste its text").fill(RECORD)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("Before the first turn")).to_be_visible()
    assert all("422" in text for text in complaints)
    complaints.clear()


def test_a_finished_game_is_reviewed(visit: Visit, screens: Screens, complaints: list[str]) -> None:
    page = visit(f"/g/{screens.finished}/review")
    page.get_by_role("button", name="Review with the engine").click()
    graph = page.get_by_role("img", name="Chances over the turns")
    expect(graph).to_be_visible()
    page.wait_for_function(
        """async (id) => (await (await fetch(`/api/games/${id}/review`)).json()).status === 'done'""",
        arg=screens.finished,
        timeout=120_000,
    )
    expect(page.get_by_text("Reviewing:")).not_to_be_attached(timeout=10_000)
    graph.click(position={"x": 200, "y": 40})
    expect(page).to_have_url(
        f"{page.url.split('/g/')[0]}/g/{screens.finished}/review?turn=" + page.url.split("turn=")[1]
    )
    expect(page.locator("figcaption")).to_contain_text("%")
    labelled = page.locator(".label")
    if labelled.count():
        labelled.first.click()
        expect(page.get_by_text("Better:")).to_be_visible()
        assert page.locator(".arrow, .arrow-cell").count() > 0
    assert all("404" in text for text in complaints), "before it is asked for there is no review"
    complaints.clear()


def test_a_turn_has_a_link_and_a_game_can_be_taken_home(
    visit: Visit, screens: Screens, complaints: list[str]
) -> None:
    page = visit(f"/g/{screens.finished}/review?turn=3")
    expect(page.get_by_text("Turn 3 of")).to_be_visible()
    page.get_by_role("button", name="One turn on").click()
    expect(page).to_have_url(f"{page.url.split('?')[0]}?turn=4")
    for name, start in (("Text", b"[Game"), ("PNG", b"\x89PNG"), ("GIF", b"GIF8")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
    complaints[:] = [text for text in complaints if "404" not in text]


def test_variations_are_tried_on_the_analysis_board_with_the_engine(visit: Visit) -> None:
    page = visit("/analysis?game=turrium")
    page.locator("[data-cell]").first.wait_for()
    for cell in ("c3", "d3", "e3", "f3", "g3", "h3"):
        page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
        expect(page.locator(f'[data-cell="{cell}"][aria-label*="Yellow flag"]')).to_be_attached()
    expect(page.locator(".moves li button")).to_have_count(1)
    page.get_by_label("Engine").check()
    expect(page.locator(".lines li").first).to_be_visible(timeout=20_000)
    assert page.locator(".arrow, .arrow-cell").count() > 0
    page.get_by_role("button", name="Play it").first.click()
    expect(page.locator(".moves li button")).to_have_count(2)
    page.get_by_role("button", name="To the start").click()
    expect(page.locator(".flag use")).to_have_count(0)
    page.get_by_label("Engine").uncheck()


def test_a_position_has_a_link(visit: Visit, complaints: list[str]) -> None:
    page = visit("/analysis?position=nonsense")
    expect(page.get_by_role("heading", level=1)).to_have_text("This position cannot be set up")
    assert len(complaints) == 1
    complaints.clear()
    page.get_by_role("link", name="Start from the beginning").click()
    page.locator("[data-cell]").first.wait_for()
    page.locator("summary").click()
    link = page.locator('[data-copy*="position="]').get_attribute("data-copy")
    assert link is not None
    other = visit(link[link.index("/analysis") :])
    expect(other.locator("[data-cell]")).to_have_count(168)
