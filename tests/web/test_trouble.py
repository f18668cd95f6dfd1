"""Bad links, full tables, a server that is away: the page says what happened and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.server.running import Server
from tests.web.table import Table, nova

Visit = Callable[..., Page]
Sit = Callable[..., Table]


def test_a_game_that_does_not_exist(visit: Visit, complaints: list[str]) -> None:
    page = visit("/g/nosuchgame00000000000")
    expect(page.get_by_role("heading", level=1)).to_have_text("Game not found")
    page.get_by_role("link", name="New game").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("New game")
    assert all("404" in text for text in complaints)
    complaints.clear()


def test_an_address_that_leads_nowhere(visit: Visit) -> None:
    page = visit("/somewhere/else")
    expect(page.get_by_role("heading", level=1)).to_have_text("This page is off the map")
    page.get_by_role("link", name="Home page").click()
    expect(page.locator("[data-play]")).to_have_count(2)


def test_a_seat_link_that_is_not_valid(sit: Sit, visit: Visit, complaints: list[str]) -> None:
    host = sit(nova(["device", "link"]))
    page = visit(f"/g/{host.id}?seat=1#wrong")
    expect(page.get_by_role("heading", level=1)).to_have_text("You can’t take this seat")
    page.get_by_role("link", name="Watch the game").click()
    page.locator("[data-cell]").first.wait_for()
    assert all("403" in text for text in complaints), complaints
    complaints.clear()


def test_a_full_table(sit: Sit, visit: Visit, complaints: list[str]) -> None:
    host = sit(nova(["device", "open"]))
    first = visit(f"/g/{host.id}")
    first.get_by_role("button", name="Take seat").click()
    expect(first.locator('[data-seat="1"]').get_by_text("you", exact=True)).to_be_visible()
    second = visit(f"/g/{host.id}?seat=1")
    expect(second.get_by_role("heading", level=1)).to_have_text("You can’t take this seat")
    expect(second.get_by_text("This seat is already taken.")).to_be_visible()
    assert all("409" in text or "403" in text for text in complaints), complaints
    complaints.clear()


def test_a_review_of_no_game(visit: Visit, complaints: list[str]) -> None:
    page = visit("/g/nosuchgame00000000000/review")
    expect(page.get_by_role("heading", level=1)).to_have_text("Game not found")
    page.get_by_role("link", name="Finished games").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Games")
    assert all("404" in text for text in complaints)
    complaints.clear()


def test_a_file_that_is_no_game(visit: Visit, complaints: list[str], tmp_path: Path) -> None:
    picture = tmp_path / "holiday.terra"
    picture.write_bytes(bytes(range(256)) * 8)
    page = visit("/replay")
    page.locator('input[type="file"]').set_input_files(picture)
    expect(page.get_by_role("alert")).to_contain_text("This text could not be read.")
    huge = tmp_path / "huge.terra"
    huge.write_text("x" * 300_000)
    page.locator('input[type="file"]').set_input_files(huge)
    expect(page.get_by_role("alert")).to_contain_text("The text is too long for a game record.")
    page.get_by_role("button", name="Show an example").click()
    expect(page.get_by_text("Before the first turn")).to_be_visible()
    assert all("422" in text for text in complaints), complaints
    complaints.clear()


def test_a_board_file_with_mistakes(visit: Visit, complaints: list[str], tmp_path: Path) -> None:
    file = tmp_path / "island.txt"
    file.write_text(" A A\nB ?\n")
    page = visit("/new")
    page.get_by_text("Draw or upload your own").click()
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("alert")).to_contain_text("Line 2, column 3:")
    file.write_text("  A A B B\n A A C B D\n  E C C D D\n   E E D\n")
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_role("radio", name="your own map")).to_be_checked()
    page.get_by_role("button", name="Start game").click()
    expect(page.get_by_role("alert")).to_contain_text("choose a larger board or fewer pioneers")
    page.get_by_text("All options").click()
    page.get_by_label("Pioneers per player").fill("2")
    page.get_by_role("button", name="Start game").click()
    expect(page.locator("[data-cell]")).to_have_count(17)
    assert all("422" in text for text in complaints), complaints
    complaints.clear()


def test_a_table_set_while_the_server_is_away(visit: Visit, complaints: list[str]) -> None:
    page = visit("/settings")
    page.get_by_role("heading", level=1).wait_for()
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("link", name="Play", exact=True).click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("A game can’t be set up right now")
    page.unroute("**/api/**")
    page.get_by_role("button", name="Try again").click()
    expect(title).to_have_text("New game")
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("button", name="Start game").click()
    expect(page.get_by_role("alert")).to_contain_text("The server isn’t responding")
    page.get_by_role("link", name="Terrarium").click()
    page.locator('[data-play="nova"]').click()
    expect(page.get_by_role("alert")).to_contain_text("The server isn’t responding")
    assert all("ERR_FAILED" in text for text in complaints), complaints
    complaints.clear()


def test_a_screen_that_cannot_be_fetched(visit: Visit, complaints: list[str]) -> None:
    page = visit("/settings")
    page.get_by_role("heading", level=1).wait_for()
    page.route("**/assets/Learn-*", lambda route: route.abort())
    page.get_by_role("link", name="Learn").click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text("This screen could not be loaded")
    page.unroute("**/assets/Learn-*")
    page.get_by_role("button", name="Try again").click()
    expect(title).to_have_text("Learn")
    complaints.clear()  # The browser writes what it could not fetch.


def test_a_server_that_restarts_takes_nothing_away(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path).start()
    context = browser.new_context(base_url=server.url, reduced_motion="reduce", locale="en")
    page = context.new_page()
    page.goto("/settings")
    page.get_by_role("heading", level=1).wait_for()
    table = Table.set(page, nova(["device", "device"]))
    table.turn()
    server.kill()
    expect(page.locator(".link.lost")).to_be_visible(timeout=15_000)
    labels = table.labels()
    table.choose(next(cell for cell, text in labels.items() if "can be placed" in text))
    expect(page.get_by_text("The server isn’t responding")).to_be_visible()
    server.start()
    expect(page.locator(".link.open")).to_be_visible(timeout=20_000)
    table.turn()
    assert len(table.snapshot()["turns"]) == 2
    context.close()
    server.stop()


def test_a_page_opened_while_the_server_is_away_comes_by_itself(
    sit: Sit, complaints: list[str]
) -> None:
    table = sit(nova(["device", "device"]))
    page = table.page
    page.route("**/api/games/*", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("The server isn’t responding")
    page.unroute("**/api/games/*")
    page.locator("[data-cell]").first.wait_for(timeout=10_000)
    assert all("ERR_FAILED" in text for text in complaints)
    complaints.clear()
