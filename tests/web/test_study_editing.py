"""Editing a study: text is never lost, the focus stays in place, and failures are shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.server.running import Server
from tests.web.conftest import Complaints
from tests.web.screens import RECORD, axe
from tests.web.test_analysis_tree import rows
from tests.web.test_studies import (
    LESSON,
    Visit,
    chapters,
    comment,
    edit_link,
    exported,
    lesson,
    opened,
    show,
    state,
    study,
)
from tests.web.texts import t


def two_chapters(page: Page, server: Server) -> str:
    return study(
        page,
        server,
        {"name": "First", "source": {"text": RECORD}},
        {"name": "Second", "source": {"text": LESSON}},
    )


@pytest.mark.slow
def test_text_written_right_before_leaving_is_sent(visit: Visit, server: Server) -> None:
    owner = visit(None)
    id = study(owner, server)
    show(owner, server, id)
    reader = opened(visit(None), f"/study/{id}")
    opened(owner, f"/study/{id}")
    rows(owner).first.click()
    comment(owner).fill("then to another page")
    owner.get_by_role("link", name=t("studies.title")).first.click()
    expect(reader.get_by_text("then to another page")).to_be_visible()
    owner.go_back()
    rows(owner).first.click()
    comment(owner).fill("then away from the site")
    owner.goto("about:blank")
    expect(reader.get_by_text("then away from the site")).to_be_visible()


def test_an_export_contains_text_that_was_just_written(visit: Visit, server: Server) -> None:
    page = visit(None)
    opened(page, f"/study/{study(page, server)}")
    rows(page).first.click()
    page.get_by_role("button", name=t("studies.menu")).click()
    comment(page).evaluate(
        """field => {
            field.value = 'just written'
            field.dispatchEvent(new Event('input', { bubbles: true }))
        }"""
    )
    with page.expect_download() as download:
        page.get_by_text(t("studies.export"), exact=True).click()
    assert "just written" in download.value.path().read_text("utf-8")
    assert "just written" in exported(page)


def test_an_exported_study_becomes_a_study_again(visit: Visit, server: Server) -> None:
    page = visit(None)
    opened(page, f"/study/{two_chapters(page, server)}")
    text = exported(page, "studies.export")
    page.goto("/studies")
    page.get_by_role("button", name=t("studies.new")).click()
    page.get_by_label(t("studies.name")).fill("Again")
    page.get_by_role("radio", name=t("studies.from.paste")).check()
    page.get_by_role("textbox", name=t("studies.from.paste")).fill(text)
    page.get_by_role("button", name=t("studies.create")).click()
    expect(chapters(page)).to_contain_text(["First", "Second"])


def test_whoever_looks_at_a_line_that_another_deletes_sees_it_and_brings_it_back(
    visit: Visit, server: Server
) -> None:
    owner, other = visit(None), visit(None)
    id = study(owner, server)
    opened(owner, f"/study/{id}")
    opened(other, edit_link(owner, server, id))
    rows(other).last.click()
    count = rows(owner).count()
    rows(owner).last.click()
    owner.get_by_role("button", name=t("tree.remove")).click()
    expect(other.get_by_text(t("tree.lost"))).to_be_visible()
    expect(rows(other)).to_have_count(count - 1)
    other.get_by_role("button", name=t("tree.restore")).click()
    expect(other.get_by_text(t("tree.lost"))).to_have_count(0)
    expect(rows(owner)).to_have_count(count)


def test_changes_to_a_study_that_somebody_deleted_are_reported_and_discarded(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("404")
    page = visit("/learn")
    change = {"type": "study", "set": {"name": "Lost"}, "time": 1, "by": "x"}
    page.evaluate(
        "change => localStorage.setItem('terrarium.sending.study.gone.x',"
        " JSON.stringify({ sending: null, waiting: [change, change] }))",
        change,
    )
    page.goto("/study/gone")
    expect(page.get_by_text(t("studies.unsent", count=2))).to_be_visible()
    page.goto("/studies")
    expect(page.get_by_text(t("studies.unsent.all", count=2))).to_be_visible()
    page.get_by_role("button", name=t("studies.discard")).click()
    expect(page.get_by_text(t("studies.unsent.all", count=2))).to_have_count(0)
    assert page.evaluate("() => localStorage.getItem('terrarium.sending.study.gone.x')") is None


def test_a_chapter_that_cannot_be_opened_gives_a_message_and_a_retry(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("500")
    page = visit(None)
    id = two_chapters(page, server)
    opened(page, f"/study/{id}")
    address = f"**/api/studies/{id}/chapters/2"
    page.route(address, lambda route: route.fulfill(status=500, json={"code": "internal-error"}))
    page.get_by_role("link", name="Second").click()
    expect(page.get_by_role("alert")).to_contain_text(t("studies.chapter.failed"))
    expect(rows(page)).to_have_count(6)
    page.unroute(address)
    page.get_by_role("button", name=t("common.again")).click()
    expect(rows(page)).to_have_count(5)
    expect(page.get_by_role("alert")).not_to_be_attached()


def test_a_rename_keeps_the_focus_and_sends_only_a_changed_name(
    visit: Visit, server: Server
) -> None:
    page = visit(None)
    id = two_chapters(page, server)
    opened(page, f"/study/{id}")
    sent: list[str] = []
    page.on(
        "request", lambda request: sent.append(request.url) if "changes" in request.url else None
    )
    for button, field in (
        ("studies.rename", "studies.name"),
        ("studies.chapter.rename", "studies.chapter.name"),
    ):
        page.get_by_role("button", name=t(button), exact=True).click()
        expect(page.get_by_role("textbox", name=t(field))).to_be_focused()
        comment(page).click()
        expect(page.get_by_role("textbox", name=t(field))).not_to_be_attached()
        expect(comment(page)).to_be_focused()
        page.get_by_role("button", name=t(button), exact=True).click()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name=t(button), exact=True)).to_be_focused()
    rows(page).first.click()
    comment(page).fill("a change")
    state(page, "sending")
    state(page, "saved")
    assert len(sent) == 1


def test_a_restored_chapter_gets_the_focus(visit: Visit, server: Server) -> None:
    page = visit(None)
    opened(page, f"/study/{two_chapters(page, server)}")
    page.get_by_role("button", name=t("studies.chapter.remove")).click()
    expect(chapters(page)).to_have_count(1)
    # The server's list no longer contains it.
    state(page, "saved")
    page.get_by_role("button", name=t("studies.undo"), exact=True).click()
    expect(page.get_by_role("link", name="First")).to_be_focused()


def test_a_task_that_is_cleared_stays_open_for_typing(visit: Visit, server: Server) -> None:
    page = visit(None)
    opened(page, f"/study/{lesson(page, server)}")
    goal = page.get_by_label(t("studies.goal"), exact=True)
    goal.fill("")
    state(page, "sending")
    state(page, "saved")
    expect(goal).to_be_visible()
    page.keyboard.type("Another task")
    expect(goal).to_have_value("Another task")


def test_a_refused_change_of_visibility_is_reverted(
    visit: Visit, server: Server, complaints: Complaints
) -> None:
    complaints.expect("500")
    page = visit(None)
    id = study(page, server, name='Bays & "capes"')
    opened(page, f"/study/{id}")

    def refuse(route: Route) -> None:
        if route.request.method == "PATCH":
            route.fulfill(status=500, json={"code": "internal-error"})
        else:
            route.continue_()

    page.route(f"**/api/studies/{id}", refuse)
    page.get_by_role("button", name=t("studies.share"), exact=True).click()
    link = page.get_by_label(t("studies.seen.link"), exact=False)
    link.click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label(t("studies.seen.private"), exact=False)).to_be_checked()
    page.unroute(f"**/api/studies/{id}")
    link.check()
    code = page.get_by_role("button", name=t("studies.embed")).get_attribute("data-copy")
    assert 'title="Bays &amp; &quot;capes&quot;: First"' in str(code)


def test_an_embedded_lesson_shows_its_task_and_not_its_solution(
    visit: Visit, server: Server
) -> None:
    page = opened(visit(None), f"/embed/study/{lesson(visit(None), server)}/1")
    expect(page.get_by_text("Place your pioneers well.")).to_be_visible()
    expect(page.get_by_role("link", name=t("studies.open"))).to_be_visible()
    expect(rows(page)).to_have_count(0)
    assert axe(page) == []
