"""The start page and a reader's first game: choosing a level, a short game, sitting down, tips that can be dismissed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.screens import axe
from tests.web.table import Table, nova
from tests.web.texts import pattern, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]


def test_somebody_sits_down_from_the_start_page(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "open"]))
    page = visit("/")
    button = page.locator(f'[data-sit="{host.id}"]')
    expect(button).to_be_in_viewport()
    button.click()
    page.wait_for_url(f"**/g/{host.id}")
    guest = Table(page, host.id)
    guest.settled()
    host.page.locator(".bar").wait_for()
    host.turn()
    page.locator(".bar").wait_for()
    guest.turn()
    expect(host.page.locator(".moves li button")).to_have_count(2)


@pytest.mark.slow
def test_the_chosen_level_plays_a_short_game_and_tips_appear_until_they_are_dismissed(
    visit: Visit,
) -> None:
    page = visit("/", is_taught=False)
    card = page.locator("article", has=page.locator('[data-play="nova"]'))
    card.get_by_role("radio", name=t("characters.level", level=2)).check(force=True)
    expect(card).to_contain_text(t("characters.style.2a"))
    assert axe(page) == []
    page.locator('[data-short="nova"]').click()
    page.wait_for_url("**/g/*")
    table = Table(page, page.url.rsplit("/", 1)[1])
    table.settled()
    seats = table.snapshot()
    assert [seat["level"] for seat in seats["seats"] if seat["kind"] == "computer"] == [2]
    assert seats["board_name"] == "two-bays"
    tips = page.get_by_role("complementary", name=t("first.title"))
    expect(tips).to_contain_text(pattern("first.tip.nova.place"))
    expect(tips.get_by_role("link")).to_have_attribute("href", "/learn/nova#TN-5")
    page.locator(".bar").wait_for()
    table.turn()
    expect(tips).to_contain_text(pattern("first.tip.nova.spot"))
    assert axe(page) == []
    tips.get_by_role("button", name=t("first.dismiss")).click()
    expect(tips).to_have_count(0)
    page.reload()
    table.settled()
    page.locator(".bar").wait_for()
    expect(tips).to_have_count(0)
    page.goto("/settings")
    page.get_by_label(t("settings.taught")).check()
    table.open()
    expect(tips).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("() => scrollTo(0, 0)")
    expect(tips.get_by_role("link")).to_be_in_viewport()
    expect(page.locator(".bar")).to_be_in_viewport(ratio=1)


def test_the_page_takes_the_default_level_from_the_server_until_one_is_chosen(
    visit: Visit,
) -> None:
    page = visit("/")
    usual = page.request.get("/api/meta").json()["default_level"]
    card = page.locator("article", has=page.locator('[data-play="nova"]'))
    expect(card.get_by_role("radio", name=t("characters.level", level=usual))).to_be_checked()

    other = usual + 2

    def with_other_default(route: Route) -> None:
        meta = route.fetch().json()
        route.fulfill(json=meta | {"default_level": other})

    page.route("**/api/meta", with_other_default)
    page.reload()
    expect(card.get_by_role("radio", name=t("characters.level", level=other))).to_be_checked()
    page.goto("/new?game=nova")
    level = page.get_by_role("combobox", name=t("new.seatLevel", number=2))
    expect(level).to_have_value(str(other))
    page.goto("/")
    page.locator('[data-play="nova"]').click()
    page.wait_for_url("**/g/*")
    assert _computer_levels(page) == [other]

    page.goto("/")
    card.get_by_role("radio", name=t("characters.level", level=1)).check(force=True)
    page.goto("/new?game=nova")
    expect(level).to_have_value("1")
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url("**/g/*")
    assert _computer_levels(page) == [1]


def _computer_levels(page: Page) -> list[int]:
    """The levels of the computer players at the table that the page shows."""
    table = Table(page, page.url.rsplit("/", 1)[1])
    table.settled()
    return [seat["level"] for seat in table.snapshot()["seats"] if seat["kind"] == "computer"]
