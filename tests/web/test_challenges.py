"""Challenges on the page: sent by name, shown without a reload, accepted or declined; marks on seats."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.server.running import Server
from tests.web.test_account import create
from tests.web.texts import t

Visit = Callable[..., Page]


@pytest.mark.slow
def test_a_challenged_person_sees_it_at_once_and_accepts_or_declines(
    server: Server, visit: Visit
) -> None:
    one, other = visit("/account"), visit("/account")
    create(one, "Challenger")
    create(other, "Challenged")
    other.goto("/learn")
    one.goto("/account")
    one.get_by_label(t("challenge.bot")).check()
    for game in ("nova", "turrium"):
        _send(one, game)
    withdraw = one.get_by_role("button", name=t("challenge.withdrawOf", name="Challenged"))
    accept = other.get_by_role("button", name=t("challenge.acceptOf", name="Challenger"))
    decline = other.get_by_role("button", name=t("challenge.declineOf", name="Challenger"))
    expect(accept).to_have_count(2)
    bar = other.get_by_role("region", name=t("challenge.title"))
    text = t("challenge.receivedBot", name="Challenger", game=t("common.game.turrium"))
    expect(bar).to_contain_text(text)
    one.locator("li", has_text=t("common.game.nova")).locator(withdraw).click()
    expect(accept).to_have_count(1)
    bar.locator(".challenge", has_text=text).locator(decline).click()
    expect(accept).to_have_count(0)
    expect(one.get_by_text(t("challenge.ended.declined", name="Challenged"))).to_be_visible()

    _settle(one)
    _send(one, "nova")
    for wanted in (
        t("challenge.clock", minutes=7, increment=3),
        t("challenge.youStart"),
        t("new.board.two-bays"),
        f"{t('new.option.nova.edition')}: {t('new.choice.nova.edition.en')}",
        f"{t('new.option.nova.pioneers')}: 5",
    ):
        expect(bar).to_contain_text(wanted)
    # Rules that follow from the edition are not listed.
    expect(bar).not_to_contain_text(t("new.option.nova.depletion"))
    accept.click()
    expect(other.locator("article[data-seat]")).to_have_count(2)
    expect(accept).to_have_count(0)
    challenger = other.locator('article[data-seat="1"]')
    expect(challenger).to_contain_text("Challenger")
    expect(challenger.get_by_role("img", name=t("table.account"))).to_be_visible()
    expect(challenger.get_by_text(t("table.bot"), exact=False).first).to_be_visible()
    expect(challenger).to_contain_text(t("table.botAbout"))
    challenged = other.locator('article[data-seat="0"]')
    expect(challenged).to_contain_text("Challenged")
    expect(challenged.get_by_role("img", name=t("table.account"))).to_be_visible()
    expect(challenged).not_to_contain_text(t("table.botAbout"))
    one.get_by_role("link", name=t("challenge.open")).click()
    expect(one.locator("article[data-seat]")).to_have_count(2)
    game = one.request.get(f"/api/games/{one.url.rpartition('/')[2]}").json()
    assert (game["rules"]["edition"], game["rules"]["pioneers"]) == ("en", 5)
    assert (game["board"]["name"], game["you"]) == ("two-bays", [1])
    # On a phone, marks and clock are in a second line, so that the name is not broken into letters.
    one.set_viewport_size({"width": 390, "height": 800})
    for name in ("Challenger", "Challenged"):
        shown = one.locator("article[data-seat] .name", has_text=name).bounding_box()
        assert shown is not None
        assert shown["height"] < 60


def _send(page: Page, game: str) -> None:
    name = page.get_by_label(t("challenge.name"), exact=True)
    name.fill("challenged")
    page.get_by_label(t("challenge.game"), exact=True).select_option(game)
    page.get_by_role("button", name=t("challenge.send"), exact=True).click()
    expect(name).to_have_value("")


def _settle(page: Page) -> None:
    """Choose a clock, who starts, a board, an edition and an option for the next challenge."""
    page.get_by_label(t("challenge.game"), exact=True).select_option("nova")
    page.get_by_text(t("challenge.settings"), exact=True).click()
    page.get_by_label(t("new.clock.kind"), exact=True).select_option("game")
    page.get_by_label(t("new.clock.minutes")).fill("7")
    page.get_by_label(t("new.clock.increment")).fill("3")
    page.get_by_label(t("new.starter"), exact=True).select_option("other")
    page.get_by_role("radio", name=t("new.board.two-bays")).click()
    page.get_by_label(t("new.option.nova.edition"), exact=True).select_option("en")
    page.get_by_text(t("new.options"), exact=True).click()
    page.get_by_label(t("new.option.nova.pioneers"), exact=True).fill("5")
