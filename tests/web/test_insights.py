"""Insights: a game that was just played is counted for its player, not for others, with plots and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.running import Server
from tests.sizes import mostly_slow
from tests.web.conftest import Complaints
from tests.web.screens import axe
from tests.web.table import Table, nova, turrium
from tests.web.texts import LANGUAGES, catalogue, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]


def resign(page: Page, server: Server, id: str) -> None:
    answer = page.request.post(
        f"/api/games/{id}/resign", data={"seat": 0}, headers={"Origin": server.url}
    )
    assert answer.ok, answer.text()


def follow(page: Page) -> None:
    """Go to the insights by the page's links."""
    page.locator('header a[href="/games"]').click()
    page.locator('a[href="/insights"]').click()
    page.get_by_role("heading", level=1, name=t("insights.title")).wait_for()


def test_a_game_that_was_just_played_is_counted_for_its_player_alone(
    sit: Sit, visit: Visit, server: Server
) -> None:
    table = sit(nova(["device", "computer"]))
    page = table.page
    follow(page)
    expect(page.get_by_text(t("insights.none"))).to_be_visible()
    assert axe(page) == []
    page.go_back()
    page.go_back()
    table.turn()
    resign(page, server, table.id)
    expect(page.locator('[data-resigned="0"]')).to_be_attached()
    follow(page)
    expect(page.locator(".total")).to_have_text(t("insights.games", count=1))
    plot = page.get_by_role("img", name=t("insights.by.game"))
    expect(plot).to_contain_text("Terra Nova")
    section = page.locator("section", has=plot)
    section.locator("summary").focus()
    page.keyboard.press("Enter")
    cells = section.locator("tbody td")
    expect(cells).to_have_text(["1", "0", "0%"])
    assert axe(page) == []
    page.get_by_role("radio", name="Terra Turrium").check()
    expect(page.get_by_text(t("insights.none.filtered"))).to_be_visible()
    page.get_by_role("radio", name=t("insights.all")).check()
    page.get_by_role("radio", name=t("insights.period.7")).check()
    expect(page.locator(".total")).to_be_visible()

    other = visit("/insights")
    expect(other.get_by_text(t("insights.none"))).to_be_visible()


@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "de"))
def test_the_numbers_fit_a_phone_in_every_language(
    visit: Visit, server: Server, language: str
) -> None:
    page = visit(
        None,
        locale=language,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    for order in (nova(["device", "computer"]), turrium(["device", "computer"])):
        made = page.request.post("/api/games", data=order, headers={"Origin": server.url}).json()
        resign(page, server, made["id"])
    page.goto("/insights")
    texts = catalogue(language, "insights")
    expect(page.get_by_role("heading", level=1)).to_have_text(texts["title"])
    expect(page.get_by_text(texts["tally.nova.per_territory"])).to_be_visible()
    page.locator("section summary").first.tap()
    expect(page.locator("section table").first).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []


def year() -> dict[str, Any]:
    """Insights of somebody who played in some months from December to November, including a game that the page does not know."""
    keys = ["2025-12", *(f"2026-{month:02}" for month in (1, 2, 4, 7, 9, 11))]
    rows = [("month", key, 10 + i) for i, key in enumerate(keys)]
    rows += [("edition", "edition.old", 1), ("game", "chess", 1)]
    return {
        "games": 91,
        "groups": [
            {"game": "chess", "by": by, "key": key, "games": games, "wins": games / 2}
            for by, key, games in rows
        ],
        "achieved": [
            {
                "game": "chess",
                "name": "mates",
                "count": 2,
                "total": 1,
                "won_count": 1,
                "won_total": 1,
            }
        ],
        "reviewed_games": 0,
        "reviewed_turns": 0,
        "faults": [],
        "is_capped": False,
    }


@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "de"))
def test_a_year_of_months_fits_in_every_language(visit: Visit, language: str) -> None:
    page = visit(None, locale=language, viewport={"width": 390, "height": 844})
    page.route("**/api/me/insights*", lambda route: route.fulfill(json=year()))
    page.goto("/insights")
    title = catalogue(language, "insights")["by.month"]
    plot = page.get_by_role("img", name=title)
    labels = plot.locator("text.soft:not(.num)")
    expect(labels).to_have_count(12)
    expect(plot.locator("text.soft.num")).to_have_text(["2026"])
    boxes = [box for label in labels.all() if (box := label.bounding_box())]
    assert len(boxes) == 12
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] < right["x"]
    assert "NaN" not in plot.inner_html()
    rows = page.locator("section", has=plot).locator("tbody tr")
    expect(rows).to_have_count(12)
    expect(rows.first.locator("th")).to_contain_text("2025")
    # An achievement without a text is shown by its name.
    expect(page.get_by_text(re.compile(r"chess\s?: mates"))).to_be_visible()
    expect(
        page.get_by_role("img").filter(has_text=re.compile(r"chess\s?: edition.old"))
    ).to_be_visible()


def test_a_failed_request_is_reported_even_without_games(
    visit: Visit, complaints: Complaints
) -> None:
    complaints.expect("503")
    page = visit("/insights")
    expect(page.get_by_text(t("insights.none"))).to_be_visible()
    page.route("**/api/me/insights*", lambda route: route.fulfill(status=503))
    page.get_by_role("radio", name="Terra Turrium").check()
    expect(page.get_by_role("alert")).to_be_visible()
