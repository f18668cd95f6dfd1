"""A player reports somebody. An operator reads the report in another browser and bans the person, who loses the seat at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.server.running import PROGRAM, Server
from tests.server.test_studies import NOVA, make
from tests.web.conftest import Complaints
from tests.web.screens import axe
from tests.web.table import Table, nova
from tests.web.test_account import create, fill
from tests.web.texts import t

Visit = Callable[..., Page]
Sit = Callable[..., Table]


@pytest.mark.slow
def test_an_operator_reads_a_report_and_a_ban_removes_the_person_at_once(
    sit: Sit, visit: Visit, server: Server, complaints: Complaints
) -> None:
    host = sit(nova(["device", "link"]))
    rude = visit("/account")
    create(rude, "Rude one")
    rude.goto(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    expect(rude.locator(".link.open")).to_be_visible()
    expect(host.page.locator('[data-seat="1"]')).to_contain_text("Rude one")
    panel = host.page.locator("details.talk")
    panel.locator("summary").click()
    panel.get_by_role("button", name=t("talk.report", name="Rude one")).click()
    dialog = host.page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name=t("report.send"))).to_be_disabled()
    dialog.get_by_label(t("report.reason.messages")).check()
    dialog.get_by_label(t("report.text")).fill("<b>insults</b>")
    assert axe(host.page) == []
    dialog.get_by_role("button", name=t("report.send")).click()
    expect(dialog.get_by_role("status")).to_have_text(t("report.sent"))
    host.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    chief = visit("/account")
    create(chief, "Chief")
    chief.goto("/operator")
    expect(chief.get_by_role("heading", level=1)).to_have_text(t("operator.only"))
    flags = ["--data", str(server.folder / "data")]
    command = [sys.executable, "-c", PROGRAM, "admin", "operator", "Chief"]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    chief.goto("/account")
    chief.get_by_role("link", name=t("account.operator")).click()
    report = chief.locator(".rows li").filter(has_text="Rude one")
    expect(report).to_contain_text("<b>insults</b>")
    assert axe(chief) == []
    # With the keyboard only.
    ban = t("operator.doTo", act=t("operator.do.ban"), name="Rude one")
    report.get_by_role("button", name=ban).focus()
    chief.keyboard.press("Enter")
    sure = chief.get_by_role("dialog")
    sure.get_by_label(t("operator.reasonLogged")).fill("insults at a table")
    assert axe(chief) == []
    chief.keyboard.press("Enter")
    expect(chief.locator(".done")).to_contain_text(t("operator.done.ban", name="Rude one"))
    expect(report).to_contain_text(t("operator.banned"))

    # Without a reload: the seat and the sign-in are gone, and the seat's link no longer works.
    expect(rude.locator('[data-seat="1"]').get_by_text(t("common.you"), exact=True)).to_have_count(
        0
    )
    rude.goto(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    rude.get_by_role("heading", level=1).first.wait_for(state="attached")
    seats = "async (id) => (await (await fetch('/api/games/' + id)).json()).you"
    assert rude.evaluate(seats, host.id) == []
    rude.goto("/account")
    fill(rude, "Rude one")
    rude.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(rude.get_by_role("alert")).to_have_text(t("common.error.account-banned"))
    complaints.expect("403", "401")

    parts = chief.get_by_role("navigation", name=t("operator.parts"))
    close = t("operator.do.close-report")
    report.get_by_role("button", name=close).click()
    expect(report).to_have_count(0)
    parts.get_by_role("link", name=t("operator.part.people")).click()
    chief.get_by_label(t("operator.findPerson")).fill("rude")
    person = chief.locator(".rows li")
    expect(person).to_have_count(1)
    person.get_by_role("button", name=t("operator.do.unban")).click()
    expect(person).not_to_contain_text(t("operator.banned"))
    parts.get_by_role("link", name=t("operator.part.games")).click()
    chief.get_by_label(t("operator.findGame")).fill(host.id)
    game = chief.locator(".rows li")
    expect(game).to_have_count(1)
    game.get_by_role("button", name=t("operator.do.quarantine")).click()
    sure.get_by_label(t("operator.reasonShown")).fill("looking into it")
    sure.get_by_role("button", name=t("operator.do.quarantine")).click()
    expect(game).to_contain_text("looking into it")
    game.get_by_role("button", name=t("operator.do.release")).click()
    expect(game).not_to_contain_text("looking into it")
    parts.get_by_role("link", name=t("operator.part.invites")).click()
    chief.get_by_label(t("operator.note")).fill("for the club")
    chief.get_by_role("button", name=t("operator.invite")).click()
    expect(chief.locator(".done").locator("code")).to_be_visible()
    expect(chief.locator(".rows li")).to_contain_text("for the club")
    assert axe(chief) == []
    parts.get_by_role("link", name=t("operator.part.stats")).click()
    expect(chief.locator("dl")).to_contain_text(t("operator.stat.reports-open"))
    parts.get_by_role("link", name=t("operator.part.log")).click()
    expect(chief.locator(".rows")).to_contain_text("insults at a table")
    expect(chief.locator(".rows")).to_contain_text(t("operator.act.make-operator"))
    assert axe(chief) == []
    chief.set_viewport_size({"width": 390, "height": 844})
    assert chief.evaluate("document.documentElement.scrollWidth <= innerWidth")
    complaints.expect("409")  # the game set aside


@pytest.mark.slow
def test_a_reader_reports_a_study_and_an_operator_deletes_it(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    with server.person() as owner:
        study = make(owner, NOVA, name="Rude study")["id"]
        shared = owner.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
        assert shared.status_code == 200, shared.text
    reader = visit(f"/study/{study}")
    menu = reader.get_by_role("button", name=t("studies.menu"))
    menu.click()
    reader.get_by_role("button", name=t("studies.report")).click()
    dialog = reader.get_by_role("dialog")
    expect(dialog).to_contain_text(t("report.about.study"))
    dialog.get_by_label(t("report.reason.content")).check()
    dialog.get_by_label(t("report.text")).fill("<b>insults</b>")
    assert axe(reader) == []
    dialog.get_by_role("button", name=t("report.send")).click()
    expect(dialog.get_by_role("status")).to_have_text(t("report.sent"))

    chief = visit("/account")
    create(chief, "Chief of studies")
    flags = ["--data", str(server.folder / "data")]
    command = [sys.executable, "-c", PROGRAM, "admin", "operator", "Chief of studies"]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    chief.goto("/operator")
    report = chief.locator(".rows li").filter(has_text="Rude study")
    expect(report).to_contain_text("<b>insults</b>")
    expect(report).to_contain_text(t("report.reason.content"))
    assert axe(chief) == []
    name = t("operator.doTo", act=t("operator.do.delete-study"), name=study)
    report.get_by_role("button", name=name).click()
    sure = chief.get_by_role("dialog")
    expect(sure).to_contain_text(t("operator.about.delete-study"))
    sure.get_by_role("button", name=t("operator.do.delete-study")).click()
    expect(chief.locator(".done")).to_contain_text(t("operator.done.delete-study", name=study))
    expect(report).to_have_count(0)
    chief.goto("/operator?show=log")
    expect(chief.locator(".rows li").first).to_contain_text(t("operator.act.delete-study"))
    expect(reader.get_by_role("heading", name=t("studies.gone"))).to_be_visible()
