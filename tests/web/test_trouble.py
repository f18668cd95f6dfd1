"""Bad links, full tables, a server that can't be reached: the page says what happened and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server.running import Server
from tests.web.conftest import Complaints
from tests.web.table import Table, nova
from tests.web.texts import t

Visit = Callable[..., Page]
Sit = Callable[..., Table]


@pytest.fixture
def service_workers() -> str:
    return "allow"


def test_a_game_that_does_not_exist(visit: Visit, complaints: Complaints) -> None:
    page = visit("/g/nosuchgame00000000000")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("table.noGame.title"))
    page.get_by_role("link", name=t("table.newGame")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("new.title"))
    complaints.expect("404")


def test_an_address_that_leads_nowhere(visit: Visit) -> None:
    page = visit("/somewhere/else")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("common.lost.title"))
    page.get_by_role("link", name=t("common.home")).click()
    expect(page.locator("[data-play]")).to_have_count(2)


def test_a_seat_link_that_is_not_valid(sit: Sit, visit: Visit, complaints: Complaints) -> None:
    host = sit(nova(["device", "link"]))
    page = visit(f"/g/{host.id}?seat=1#wrong")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("table.noSeat.title"))
    page.get_by_role("link", name=t("table.watch")).click()
    page.locator("[data-cell]").first.wait_for()
    complaints.expect("403")


def test_a_full_table(sit: Sit, visit: Visit, complaints: Complaints) -> None:
    host = sit(nova(["device", "open"]))
    first = visit(f"/g/{host.id}")
    first.get_by_role("button", name=t("table.invite.sit")).click()
    expect(
        first.locator('[data-seat="1"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    second = visit(f"/g/{host.id}?seat=1")
    expect(second.get_by_role("heading", level=1)).to_have_text(t("table.noSeat.title"))
    expect(second.get_by_text(t("common.error.seat-taken"))).to_be_visible()
    complaints.expect("409", "403")


def test_a_review_of_an_unknown_game(visit: Visit, complaints: Complaints) -> None:
    page = visit("/g/nosuchgame00000000000/review")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("table.noGame.title"))
    page.get_by_role("link", name=t("replay.open.finished")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("home.games"))
    complaints.expect("404")


def test_a_file_that_is_not_a_game(visit: Visit, complaints: Complaints, tmp_path: Path) -> None:
    picture = tmp_path / "holiday.terra"
    picture.write_bytes(bytes(range(256)) * 8)
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(picture)
    expect(page.get_by_role("alert")).to_contain_text(t("replay.open.failed"))
    huge = tmp_path / "huge.terra"
    huge.write_text("x" * 300_000)
    page.locator('input[type="file"]').set_input_files(huge)
    expect(page.get_by_role("alert")).to_contain_text(t("common.error.record-size"))
    page.get_by_role("button", name=t("replay.open.example")).click()
    expect(page.get_by_text(t("replay.start"))).to_be_visible()
    complaints.expect("422")


def test_a_board_file_with_mistakes(visit: Visit, complaints: Complaints, tmp_path: Path) -> None:
    file = tmp_path / "island.txt"
    file.write_text(" A A\nB ?\n")
    page = visit("/new")
    page.get_by_text(t("new.draw")).click()
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text(t("new.place", line=2, column=3))
    file.write_text("  A A B B\n A A C B D\n  E C C D D\n   E E D\n")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("radio", name=t("new.own"))).to_be_checked()
    page.get_by_role("button", name=t("new.create")).click()
    expect(page.get_by_role("alert")).to_contain_text(t("common.error.no-room"))
    page.get_by_text(t("new.options")).click()
    page.get_by_label(t("new.option.nova.pioneers")).fill("2")
    page.get_by_role("button", name=t("new.create")).click()
    expect(page.locator("[data-cell]")).to_have_count(17)
    complaints.expect("422")


def test_creating_a_table_while_the_server_can_not_be_reached(
    visit: Visit, complaints: Complaints
) -> None:
    page = visit("/settings")
    page.get_by_role("heading", level=1).wait_for()
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("link", name=t("common.nav.play"), exact=True).click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(t("new.failed"))
    page.unroute("**/api/**")
    page.get_by_role("button", name=t("common.again")).click()
    expect(title).to_have_text(t("new.title"))
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("button", name=t("new.create")).click()
    expect(page.get_by_role("alert")).to_contain_text(t("common.error.offline"))
    page.get_by_role("link", name="Terrarium").click()
    page.locator('[data-play="nova"]').click()
    expect(page.get_by_role("alert")).to_contain_text(t("common.error.offline"))
    complaints.expect("ERR_FAILED")


def test_a_screen_that_cannot_be_fetched(visit: Visit, complaints: Complaints) -> None:
    page = visit("/settings")
    page.get_by_role("heading", level=1).wait_for()
    page.route("**/assets/Learn-*", lambda route: route.abort())
    page.get_by_role("link", name=t("common.nav.learn")).click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(t("common.loadFailed"))
    page.unroute("**/assets/Learn-*")
    page.get_by_role("button", name=t("common.again")).click()
    expect(title).to_have_text(t("learn.title"))
    complaints.expect("ERR_FAILED", "dynamically imported module")


def test_a_restart_of_the_server_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path).start()
    context = browser.new_context(base_url=server.url, reduced_motion="reduce", locale="en")
    page = context.new_page()
    page.goto("/settings")
    page.get_by_role("heading", level=1).wait_for()
    table = Table.set(page, nova(["device", "device"]))
    table.turn()
    server.kill()
    expect(page.locator(".link.lost")).to_be_visible()
    table.choose(table.cells("place")[0])
    expect(page.get_by_text(t("common.error.offline"))).to_be_visible()
    server.start()
    expect(page.locator(".link.open")).to_be_visible()
    table.turn()
    assert len(table.snapshot()["turns"]) == 2
    context.close()
    server.stop()


def test_a_page_opened_while_the_server_can_not_be_reached_loads_automatically(
    sit: Sit, complaints: Complaints
) -> None:
    table = sit(nova(["device", "device"]))
    page = table.page
    page.route("**/api/games/*", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("table.offline.title"))
    page.unroute("**/api/games/*")
    page.locator("[data-cell]").first.wait_for()
    complaints.expect("ERR_FAILED")
