"""Studies without a server: created, edited and kept in the browser, without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from terrarium import Record
from tests.site.test_page import FIRST_OFFERED, act, ready_offline
from tests.web.texts import t

pytestmark = pytest.mark.only_long


def rows(page: Page) -> Any:
    return page.locator(".moves [data-node]")


def test_a_study_is_made_and_edited_with_the_network_cut_and_stays_in_the_browser(
    site: Path, host: Any, visitor: Any
) -> None:
    static = host(site)
    context, page, complaints = visitor(static.url)
    ready_offline(page)
    static.stop()
    context.set_offline(True)
    page.get_by_role("link", name=t("common.nav.studies"), exact=True).click()
    page.get_by_role("button", name=t("studies.new")).click()
    page.get_by_label(t("studies.name")).fill("On the train")
    page.get_by_role("button", name=t("studies.create")).click()
    page.wait_for_url(re.compile("#/study/"))
    act(page)
    expect(rows(page)).to_have_count(1)
    page.locator("#comment").fill("without a network")
    expect(page.locator('[data-state="saved"]')).to_be_visible()

    # Another tab sees it and changes it; the first one follows.
    other = context.new_page()
    other.goto(page.url)
    expect(other.get_by_text("without a network")).to_be_visible()
    rows(other).first.click()
    other.wait_for_function(FIRST_OFFERED)
    act(other)
    expect(rows(page)).to_have_count(2)
    other.close()

    page.reload()
    expect(rows(page)).to_have_count(2)
    expect(page.get_by_text("without a network")).to_be_visible()
    page.get_by_role("button", name=t("studies.menu")).click()
    expect(page.get_by_role("button", name=t("studies.share"))).not_to_be_attached()
    with page.expect_download() as download:
        page.get_by_text(t("studies.export"), exact=True).click()
    record = Record.parse(Path(download.value.path()).read_text("utf-8"))
    assert record.line.entries[0].comment == "without a network"
    page.goto(f"{static.url}#/studies")
    expect(page.get_by_role("link", name="On the train")).to_be_visible()
    assert complaints == []
