"""Accounts on the page: creation, use on another device, recovery, API tokens, export and deletion."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Response, expect

from tests.server.running import Server
from tests.web.conftest import Complaints
from tests.web.table import Table, nova
from tests.web.texts import t

Visit = Callable[..., Page]
Sit = Callable[..., Table]
PASSWORD = "four pioneers by the lake"


def fill(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label(t("account.name"), exact=True).fill(name)
    page.get_by_label(t("account.password"), exact=True).fill(password)


def create(page: Page, name: str) -> list[str]:
    """Create an account on the page. Return the recovery codes it shows."""
    page.goto("/account?show=create")
    fill(page, name)
    page.get_by_role("button", name=t("account.do.create")).click()
    expect(page.get_by_role("heading", name=t("account.codes"))).to_be_focused()
    codes = page.locator("ol li").all_inner_texts()
    page.get_by_role("button", name=t("account.codesKept")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    return codes


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/account")
    fill(page, name, password)
    page.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_guest_keeps_a_game_in_a_new_account_and_continues_on_another_device(
    sit: Sit, visit: Visit
) -> None:
    table = sit(nova(["device", "link"]))
    page = table.page
    page.goto("/account")
    expect(page.get_by_text(t("account.guest", count=1))).to_be_visible()
    codes = create(page, "Wanderer")
    assert len(set(codes)) == 8
    page.get_by_role("link", name=t("account.games", count=1)).click()
    expect(page.locator(f'a[href="/g/{table.id}"]')).to_be_visible()

    page.goto("/account")
    page.get_by_role("button", name=t("account.signOut")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("account.title"))
    page.goto(f"/g/{table.id}")
    page.locator("[data-cell]").first.wait_for()
    expect(page.locator(".bar")).to_have_count(0)

    other = visit("/account")
    sign_in(other, "Wanderer")
    expect(other.get_by_role("banner").get_by_role("link", name="Wanderer")).to_be_visible()
    there = Table(other, table.id, table.secrets)
    there.open()
    expect(
        other.locator('[data-seat="0"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    guest = visit(f"/g/{table.id}?seat=1#{table.secrets[1]}")
    guest.locator("[data-cell]").first.wait_for()
    there.turn()
    assert len(there.snapshot()["turns"]) == 1


def test_errors_say_what_would_be_right(visit: Visit, complaints: Complaints) -> None:
    page = visit("/account?show=create")
    fill(page, "Surveyor", "short")
    page.get_by_role("button", name=t("account.do.create")).click()
    expect(page.get_by_role("alert")).to_have_text(t("common.error.invalid-password"))
    expect(page.get_by_label(t("account.name"), exact=True)).to_have_value("Surveyor")
    create(page, "Surveyor")
    page.get_by_role("button", name=t("account.signOut")).click()

    page.get_by_role("link", name=t("account.way.create")).click()
    fill(page, "surveyor")
    page.get_by_role("button", name=t("account.do.create")).click()
    expect(page.get_by_role("alert")).to_have_text(t("common.error.name-taken"))

    page.get_by_role("navigation", name=t("account.ways")).get_by_role(
        "link", name=t("account.way.sign-in")
    ).click()
    fill(page, "Surveyor", "not this one")
    page.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(page.get_by_role("alert")).to_have_text(t("common.error.wrong-password"))
    page.get_by_role("button", name=t("account.showPassword")).click()
    expect(page.get_by_label(t("account.password"), exact=True)).to_have_attribute("type", "text")

    page.route("**/api/sessions", lambda route: route.abort())
    page.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(page.get_by_role("alert")).to_contain_text(t("common.error.offline"))
    complaints.expect("422", "409", "401", "ERR_FAILED")


def test_if_sign_up_needs_an_invitation_the_page_asks_for_the_code(visit: Visit) -> None:
    page = visit("/")
    page.route(
        "**/api/meta",
        lambda route: route.fulfill(json=route.fetch().json() | {"sign_up": "invite"}),
    )
    page.goto("/account?show=create")
    fill(page, "Guest of honour")
    page.get_by_label(t("account.invite")).fill(" ABCDE-FGHJK ")
    with page.expect_request("**/api/accounts") as asked:
        page.get_by_role("button", name=t("account.do.create")).click()
    sent = asked.value.post_data_json
    assert sent is not None
    assert sent["invite"] == "ABCDE-FGHJK"


@pytest.mark.slow
def test_a_recovery_code_opens_the_account_once(visit: Visit, complaints: Complaints) -> None:
    first = visit("/account")
    codes = create(first, "Castellan")
    other = visit("/account?show=recover")
    other.get_by_label(t("account.name"), exact=True).fill("Castellan")
    other.get_by_label(t("account.code")).fill(codes[3].lower())
    other.get_by_label(t("account.newPassword")).fill("another one altogether")
    other.get_by_role("button", name=t("account.do.recover")).click()
    expect(other.get_by_role("heading", name=t("account.codes"))).to_be_visible()
    fresh = other.locator("ol li").all_inner_texts()
    assert len(fresh) == 8
    assert not set(fresh) & set(codes)
    with other.expect_download() as download:
        other.get_by_role("button", name=t("account.codesSave")).click()
    assert fresh[0] in Path(download.value.path()).read_text()

    first.reload()
    expect(first.get_by_role("heading", level=1)).to_have_text(t("account.title"))
    fill(first, "Castellan")
    first.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(first.get_by_role("alert")).to_be_visible()
    first.goto("/account?show=recover")
    first.get_by_label(t("account.name"), exact=True).fill("Castellan")
    first.get_by_label(t("account.code")).fill(codes[3])
    first.get_by_label(t("account.newPassword")).fill("a third password")
    first.get_by_role("button", name=t("account.do.recover")).click()
    expect(first.get_by_role("alert")).to_have_text(t("common.error.wrong-code"))
    sign_in(first, "Castellan", "another one altogether")
    complaints.expect("401")


def test_a_key_for_a_program_is_made_used_and_revoked(visit: Visit, server: Server) -> None:
    page = visit("/account")
    create(page, "Engineer")
    page.get_by_label(t("account.keyName")).fill("Tower bot")
    page.get_by_label(t("account.scope.follow.about")).uncheck()
    page.get_by_role("button", name=t("account.keyMake")).click()
    key = page.locator("code").inner_text()
    mine = httpx.get(f"{server.url}/api/me", headers={"authorization": f"Bearer {key}"}).json()
    assert (mine["name"], mine["scopes"]) == ("Engineer", ["play", "read"])
    page.reload()
    expect(page.get_by_text("Tower bot")).to_be_visible()
    expect(page.locator("code")).to_have_count(0)
    page.get_by_role("button", name=t("account.keyRevokeOf", name="Tower bot")).click()
    expect(page.get_by_text("Tower bot")).to_have_count(0)
    refused = httpx.get(f"{server.url}/api/me", headers={"authorization": f"Bearer {key}"})
    assert refused.json()["code"] == "wrong-token"


@pytest.mark.slow
def test_vacation_stops_the_clock_of_a_game_by_correspondence(sit: Sit) -> None:
    table = sit(nova(["device", "device"]) | {"clock": {"kind": "correspondence", "days": 2}})
    page = table.page
    create(page, "Traveller")

    def is_change(response: Response) -> bool:
        return response.url.endswith("/api/me") and response.request.method == "PATCH"

    expect(page.get_by_text(t("account.vacationLeft", days=30))).to_be_visible()
    with page.expect_response(is_change):
        page.get_by_label(t("account.vacationOn")).check()
    page.reload()
    expect(page.get_by_label(t("account.vacationOn"))).to_be_checked()
    assert table.snapshot()["clock"]["away"] == [0, 1]
    with page.expect_response(is_change):
        page.get_by_label(t("account.vacationOn")).uncheck()
    page.reload()
    expect(page.get_by_label(t("account.vacationOn"))).not_to_be_checked()
    assert table.snapshot()["clock"]["away"] == []


@pytest.mark.slow
def test_an_account_can_be_exported_and_deleted(
    sit: Sit, visit: Visit, complaints: Complaints
) -> None:
    table = sit(nova(["device", "link"]))
    page = table.page
    create(page, "Leaver")
    with page.expect_download() as download:
        page.get_by_role("link", name=t("account.export")).click()
    facts = json.loads(Path(download.value.path()).read_text())
    assert facts["account"]["name"] == "Leaver"
    assert [game["id"] for game in facts["games"]] == [table.id]

    page.get_by_role("button", name=t("account.remove")).click()
    dialog = page.get_by_role("dialog")
    last = dialog.get_by_role("button", name=t("account.remove"))
    expect(last).to_be_disabled()
    dialog.get_by_label(t("account.removeType", name="Leaver")).fill("Leaver")
    last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("account.title"))
    stored = page.evaluate("() => Object.keys(localStorage)")
    assert not [key for key in stored if key.startswith(("terrarium.seats", "terrarium.draft"))]
    fill(page, "Leaver")
    page.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(page.get_by_role("alert")).to_have_text(t("common.error.wrong-password"))
    complaints.expect("401")
    page.goto(f"/g/{table.id}")
    page.locator("[data-cell]").first.wait_for()
