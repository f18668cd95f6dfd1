"""The explorer beside the analysis board: turns of the engine's games, of the server's public games, and of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from terrarium import games
from terrarium.core.opening import key_of
from tests.sizes import mostly_slow
from tests.web.conftest import Complaints
from tests.web.screens import axe
from tests.web.table import Table, nova, whole_game
from tests.web.test_analysis_tree import click
from tests.web.texts import LANGUAGES, catalogue, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]


def explorer(page: Page) -> Locator:
    """Open the panel."""
    panel = page.locator("details.explorer")
    page.locator("[data-cell]").first.wait_for()
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    return panel


def choose(panel: Locator, source: str) -> None:
    panel.get_by_role("radio", name=t(f"explorer.source.{source}")).check()


def analyse(page: Page) -> None:
    """Go from the end of a game to its analysis by the page's links."""
    page.locator('a[href^="/g/"][href$="/review"]').first.click()
    page.locator('a[href^="/analysis?id="]').first.click()
    page.wait_for_url("**/analysis?id=*")


@pytest.mark.parametrize("visibility", ["listed", "private"])
def test_a_game_that_was_just_played_is_found_by_its_player_and_if_public_by_others(
    sit: Sit, visit: Visit, complaints: Complaints, visibility: str
) -> None:
    complaints.expect("404")  # no review was requested yet
    # The server is shared: use rules that no other test uses.
    rounds = 4 if visibility == "listed" else 5
    order = nova(["device", "device"], stall_rounds=rounds) | {"visibility": visibility}
    table = sit(order)
    page = table.page
    table.send_turns(whole_game(**order["rules"]))
    played = table.snapshot()
    assert played["status"] == "over"
    analyse(page)
    page.keyboard.press("Home")
    panel = explorer(page)
    choose(panel, "own")
    first = " ".join(played["turns"][0]["actions"])
    button = panel.get_by_role("button", name=t("explorer.play", turn=first))
    expect(button).to_be_visible()
    expect(panel.get_by_role("status")).to_have_text(t("explorer.games", count=1))
    won = panel.locator("tbody tr").first.locator(".shares > span")
    for seat in range(2):
        share = "100%" if played["outcome"]["winners"] == [seat] else "0%"
        if len(played["outcome"]["winners"]) == 1:
            expect(won.nth(seat)).to_have_text(re.compile(rf"\s{share}$"))
    # A click plays the turn; the panel then shows what followed.
    button.click()
    second = " ".join(played["turns"][1]["actions"])
    expect(
        panel.get_by_role("button", name=t("explorer.play", turn=second), exact=True)
    ).to_be_visible()

    other = visit(None)
    other.goto(page.url)
    theirs = explorer(other)
    other.keyboard.press("Home")
    choose(theirs, "own")
    expect(theirs.get_by_text(t("explorer.none.own"))).to_be_visible()
    choose(theirs, "server")
    if visibility == "listed":
        expect(theirs.get_by_role("status")).to_have_text(t("explorer.games", count=1))
    else:
        expect(theirs.get_by_text(t("explorer.none.server"))).to_be_visible()


@pytest.mark.parametrize("game", sorted(games))
def test_the_engines_games_are_explored_by_keyboard(visit: Visit, game: str) -> None:
    page = visit(f"/analysis?game={game}")
    panel = page.locator("details.explorer")
    page.locator("[data-cell]").first.wait_for()
    panel.locator("summary").focus()
    page.keyboard.press("Enter")
    rows = panel.locator("tbody tr")
    expect(rows.nth(1)).to_be_visible()
    assert axe(page) == []
    page.keyboard.press("Tab")  # the source
    position: Any = games[game].start()
    for _ in range(3):
        turns = games[game].openings
        best = turns[key_of(position)][0]
        text = " ".join(best.actions)
        play = panel.get_by_role("button", name=t("explorer.play", turn=text), exact=True)
        expect(rows.first).to_contain_text(f"{best.games:,}")
        expect(play).to_be_enabled()
        page.keyboard.press("Tab")
        expect(play).to_be_focused()
        page.keyboard.press("Enter")
        position = position.play_all(best.actions)
        expect(play).not_to_be_attached()
        # The row was replaced; Tab leads to the next one.
        expect(panel.get_by_role("status")).to_be_focused()


def test_turns_of_the_previous_position_can_not_be_played(visit: Visit) -> None:
    page = visit("/analysis?game=nova")
    panel = explorer(page)
    start, turns = games["nova"].start(), games["nova"].openings
    first = turns[key_of(start)][0].actions
    second = turns[key_of(start.play_all(first))][0].actions
    row = panel.locator("tbody button").first
    row.click()
    expect(row).to_have_text(" ".join(second))
    expect(row).to_be_enabled()
    held: list[Route] = []
    page.route("**/api/openings", lambda route: held.append(route), times=1)
    with page.expect_request("**/api/openings"):
        page.keyboard.press("Home")
    expect(row).to_have_text(" ".join(second))
    expect(row).to_be_disabled()
    held[0].continue_()
    expect(row).to_have_text(" ".join(first))
    expect(row).to_be_enabled()


def test_the_rest_of_the_turns_is_shown_by_keyboard(visit: Visit) -> None:
    page = visit("/analysis?game=nova")
    panel = explorer(page)
    turns = games["nova"].openings[key_of(games["nova"].start())]
    more = panel.get_by_role("button", name=t("explorer.more", count=len(turns) - 8))
    more.focus()
    page.keyboard.press("Enter")
    expect(panel.locator("tbody button")).to_have_count(len(turns))
    expect(panel.locator("tbody button").nth(8)).to_be_focused()


def test_the_panel_explains_what_to_do_within_a_turn(visit: Visit) -> None:
    start = games["turrium"].start(players=3)
    page = visit(None)
    page.goto("/analysis?position=" + start.to_text().replace(" ", "%20"))
    panel = explorer(page)
    expect(panel.get_by_text(t("explorer.none.book"))).to_be_visible()
    click(page, str(start.legal_actions()[0])[1:])
    expect(panel.get_by_text(t("explorer.partial"))).to_be_visible()


@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "de"))
def test_the_panel_fits_a_phone_in_every_language(visit: Visit, language: str) -> None:
    page = visit(
        "/analysis?game=nova",
        locale=language,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    panel = page.locator("details.explorer")
    panel.locator("summary").tap()
    expect(panel.locator("summary")).to_have_text(catalogue(language, "explorer")["title"])
    row = panel.locator("tbody tr button").first
    text = str(row.text_content())
    row.tap()
    expect(panel.get_by_role("button", name=text, exact=False)).to_have_count(0)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []
