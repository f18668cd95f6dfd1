"""The position editor and the island painter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlparse

from playwright.sync_api import Locator, Page, Route, expect

from terrarium import nova, turrium
from tests.server.running import comes
from tests.web.screens import AXE
from tests.web.texts import t

Visit = Callable[..., Page]
YELLOW, RED = t("common.colour.yellow"), t("common.colour.red")
FLAG = t("board.cell.flag", colour=YELLOW)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def cell(page: Page, name: str) -> None:
    """Clicks the middle of a cell with the mouse."""
    box = page.locator(f'[data-cell="{name}"]').bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def tap(page: Page, name: str) -> None:
    box = page.locator(f'[data-cell="{name}"]').bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def tool(page: Page, name: str) -> None:
    page.locator(f'[data-tool="{name}"]').click()


def verdict(page: Page) -> Locator:
    """The text about the position or the island."""
    return page.locator("[data-legal]")


def legal(page: Page) -> None:
    expect(page.locator('[data-legal="yes"]')).to_be_visible()


def position(page: Page) -> str:
    """The position in the address of the editor."""
    address: str = page.evaluate("location.href")
    return parse_qs(urlparse(address).query)["position"][0]


def test_pieces_are_placed_counted_and_removed_again(visit: Visit) -> None:
    page = visit("/editor?game=nova")
    legal(page)
    page.get_by_label(t("editor.phase")).select_option("play")
    cell(page, "e7")
    tool(page, "pioneer-1")
    cell(page, "h8")
    tool(page, "stone")
    cell(page, "f8")
    expect(page.get_by_label(t("editor.supply"))).to_have_value("79")
    page.get_by_label(t("editor.score", name=RED)).fill("7")
    page.get_by_label(t("editor.score", name=RED)).press("Enter")
    page.get_by_role("radio", name=RED, exact=True).click()
    page.wait_for_url(re.compile("%201%201%20-%200%2C7%2079"))
    legal(page)
    found = nova.Position.from_text(position(page))
    assert found.pioneers == {"e7": 0, "h8": 1}
    assert (found.stones, found.scores, found.to_move) == (("f8",), (0, 7), 1)
    cell(page, "f8")
    expect(page.get_by_label(t("editor.supply"))).to_have_value("80")
    page.get_by_role("button", name=t("editor.undo")).click()
    expect(page.locator(".stone")).to_have_count(1)


def test_an_impossible_position_says_why_and_can_not_be_played(
    visit: Visit, complaints: list[str]
) -> None:
    page = visit("/editor?game=nova")
    legal(page)
    tool(page, "stone")
    cell(page, "f8")
    expect(verdict(page)).to_contain_text(t("common.error.placing-not-over"))
    expect(page.get_by_role("link", name="TN-5")).to_be_visible()
    expect(page.get_by_role("button", name=t("editor.play"))).to_be_disabled()
    page.keyboard.press("u")
    legal(page)
    assert all("422" in text for text in complaints)
    complaints.clear()


def test_towers_are_built_by_keyboard_alone(visit: Visit) -> None:
    page = visit("/editor?game=turrium")
    legal(page)
    page.get_by_label(t("editor.phase")).select_option("play")
    page.locator('[data-cell="c3"]').focus()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator('[data-cell="c3"]')).to_have_attribute("aria-label", re.compile(FLAG))
    legal(page)

    def built() -> tuple[int | None, dict[str, int]]:
        found = turrium.Position.from_text(position(page))
        return found.heights.get("c3"), dict(found.flags)

    assert comes(lambda: built() == (3, {"c3": 0})), built()


def test_a_position_set_up_by_touch_is_played_against_the_computer(visit: Visit) -> None:
    page = visit("/editor?game=turrium", **PHONE)
    legal(page)
    page.get_by_label(t("editor.phase")).select_option("play")
    tool(page, "flag-0")
    tap(page, "c3")
    legal(page)
    page.wait_for_url("**1A**")
    # Delay the table's script: the editor stays on the screen meanwhile, and must not change the address back.
    held: list[Route] = []
    page.route("**/assets/Table*", lambda route: held.append(route))
    page.get_by_role("button", name=t("editor.play")).click()
    page.wait_for_url("**/g/*")
    page.wait_for_timeout(1_000)  # time in which a bug would change the address back
    assert held
    page.unroute("**/assets/Table*")  # releases the held requests
    expect(page.get_by_text(t("table.yourTurn")).first).to_be_visible()
    expect(page.locator('[data-cell="c3"]')).to_have_attribute("aria-label", re.compile(FLAG))
    assert "/g/" in page.url


def test_a_friend_joins_a_game_that_begins_with_a_shared_position(visit: Visit) -> None:
    start = nova.compose(
        nova.Rules(pioneers=3), pioneers={"e7": 0, "h8": 1}, stones=["f8"], to_move=1
    )
    page = visit(f"/editor?position={quote(start.to_text())}")
    legal(page)
    page.get_by_role("link", name=t("editor.playOthers")).click()
    expect(page.locator("[data-from]")).to_be_visible()
    page.get_by_label(t("new.seatKind", number=1)).select_option("device")
    page.get_by_label(t("new.seatKind", number=2)).select_option("link")
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url("**/g/*")
    link = page.locator("[data-copy]").first.get_attribute("data-copy")
    assert link
    friend = visit(link)
    expect(friend.get_by_text(t("table.yourTurn")).first).to_be_visible()
    expect(friend.locator(".stone")).to_have_count(1)
    expect(page.locator(".pioneer")).to_have_count(2)


def option(page: Page, name: str) -> Locator:
    return page.locator(f"#option-{name}")


def test_the_rules_of_a_position_are_chosen_and_kept(visit: Visit) -> None:
    page = visit("/editor?game=nova")
    legal(page)
    page.get_by_text(t("new.rules"), exact=True).click()
    option(page, "edition").select_option("sv")
    page.get_by_text(t("new.options"), exact=True).click()
    expect(option(page, "returning")).to_have_value(nova.Rules(edition="sv").returning)
    option(page, "returning").select_option("never")
    option(page, "stones").fill("30")
    option(page, "stones").press("Enter")
    supply = page.get_by_label(t("editor.supply"))
    expect(supply).to_have_value("30")
    option(page, "stones").fill("")
    option(page, "stones").press("Enter")
    expect(supply).to_have_value(str(nova.Rules().stones))
    option(page, "stones").fill("30")
    option(page, "stones").press("Enter")
    expect(supply).to_have_value("30")
    page.get_by_label(t("editor.players")).select_option("3")
    page.wait_for_url(re.compile("sv%2F3%2F"))
    legal(page)
    rules = nova.Position.from_text(position(page)).rules
    assert rules == nova.Rules(players=3, edition="sv", returning="never", stones=30)
    page.reload()
    page.get_by_text(t("new.rules"), exact=True).click()
    expect(option(page, "edition")).to_have_value("sv")
    page.get_by_role("button", name=t("editor.play")).click()
    page.wait_for_url(re.compile("/g/"))
    made = page.request.get(f"/api/games/{page.url.rsplit('/', 1)[1]}").json()
    assert made["rules"] == rules.to_dict()

    page.goto("/editor?game=turrium")
    legal(page)
    page.get_by_text(t("new.rules"), exact=True).click()
    option(page, "variant").select_option("burgenland")
    page.wait_for_url(re.compile("burgenland"))
    expect(page.get_by_label(t("editor.unlocked"))).to_be_visible()
    page.get_by_role("button", name=t("editor.undo")).click()
    expect(option(page, "variant")).to_have_value("standard")


def test_a_newcomer_finds_the_editor_in_the_header(visit: Visit) -> None:
    page = visit("/")
    page.locator("header").get_by_role("link", name=t("common.nav.editor"), exact=True).click()
    legal(page)
    expect(page.locator('header a[aria-current="page"]')).to_have_text(t("common.nav.editor"))
    page.get_by_text(t("new.board"), exact=True).click()
    page.get_by_role("radio", name=t("new.board.two-bays")).click()
    page.wait_for_url(re.compile("two-bays"))
    legal(page)
    page.get_by_role("radio", name="Terra Turrium").check()
    page.wait_for_url(re.compile("position=turrium"))
    legal(page)


def test_a_painted_island_is_checked_saved_and_offered_for_new_games(
    visit: Visit, complaints: list[str]
) -> None:
    page = visit("/editor?game=nova&paint=1")
    legal(page)
    expect(verdict(page)).to_contain_text("15.7")
    page.locator('[data-brush="sea"]').click()
    shore = page.locator("[data-cell]:not(.sea)").first
    name = shore.get_attribute("data-cell")
    box = shore.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(f'[data-cell="{name}"]')).to_have_class(re.compile(r"\bsea\b"))
    expect(verdict(page)).to_contain_text("167")
    page.get_by_label(t("editor.name")).fill("terra-nova")
    page.get_by_role("button", name=t("editor.keep")).click()
    expect(page.get_by_role("alert")).to_have_text(t("editor.nameTaken"))
    page.get_by_label(t("editor.name")).fill("Cove")
    page.get_by_label(t("editor.name")).press("Enter")
    page.get_by_role("button", name=t("editor.keep")).click()
    expect(page.get_by_role("button", name=t("editor.kept"))).to_be_visible()
    page.get_by_role("button", name=t("editor.toPosition")).click()
    legal(page)
    assert len(nova.Position.from_text(position(page)).board) == 167
    page.goto("/new?game=nova")
    page.locator('[data-own="Cove"]').click()
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url("**/g/*")
    answer = page.request.get(f"/api/games/{page.url.rsplit('/', 1)[1]}")
    assert answer.json()["board"]["name"] == "Cove"
    assert "forest" in answer.json()["board"]["landscapes"]


def test_an_island_in_two_pieces_is_refused_while_it_is_painted(visit: Visit) -> None:
    page = visit("/editor?game=nova&paint=1")
    legal(page)
    cells = page.locator("[data-cell]")
    cells.first.focus()
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(page.locator('[data-legal="no"] li')).to_have_count(1)
    page.keyboard.press("u")
    legal(page)


def test_an_island_is_painted_by_touch_and_saved(visit: Visit) -> None:
    page = visit("/editor?game=nova&paint=1", **PHONE)
    legal(page)
    before = verdict(page).inner_text()
    page.locator('[data-brush="sea"]').tap()
    page.evaluate("() => scrollTo(0, 0)")
    tap(page, str(page.locator("[data-cell]:not(.sea)").first.get_attribute("data-cell")))
    expect(verdict(page)).to_contain_text("167")
    legal(page)
    assert verdict(page).inner_text() != before
    page.get_by_label(t("editor.name")).fill("Touched")
    page.get_by_role("button", name=t("editor.keep")).tap()
    expect(page.get_by_role("button", name=t("editor.kept"))).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name=t("editor.toPosition")).tap()
    legal(page)
    assert len(nova.Position.from_text(position(page)).board) == 167


def test_axe_finds_no_faults_in_the_editor(visit: Visit) -> None:
    for path in ("/editor?game=nova", "/editor?game=turrium", "/editor?game=nova&paint=1"):
        page = visit(path)
        legal(page)
        page.evaluate(AXE.read_text())
        found = page.evaluate("async () => (await axe.run()).violations.map((one) => one.id)")
        assert found == [], json.dumps(found)
