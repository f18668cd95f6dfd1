"""A new version of the page without a server: when each tab gets it, and that nothing is lost."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.test_page import (
    FIRST_OFFERED,
    act,
    play_turn,
    ready_offline,
    start_game,
    turns_played,
)
from tests.web.texts import t

pytestmark = pytest.mark.only_long

IS_NEW = "title[data-new]"
# JavaScript: the page can be hidden and shown, which headless browsers never do.
HIDE = """() => {
  window.state = 'visible';
  Object.defineProperty(document, 'visibilityState', { get: () => window.state });
}"""
LATER = "assets/renamed.js"


@pytest.fixture
def old(site: Path, tmp_path: Path) -> Path:
    """The page, with a file that the next version lacks."""
    folder = tmp_path / "page"
    shutil.copytree(site, folder)
    (folder / LATER).write_text("export {}")
    worker = (folder / "sw.js").read_text()
    (folder / "sw.js").write_text(
        worker.replace('const FILES = ["./", ', f'const FILES = ["./", "{LATER}", ')
    )
    assert LATER in (folder / "sw.js").read_text()
    return folder


def publish(folder: Path) -> None:
    """Replace the page by its next version."""
    index = (folder / "index.html").read_text()
    (folder / "index.html").write_text(index.replace("<title>", '<title data-new="1">'))
    worker = (folder / "sw.js").read_text().replace(f'"{LATER}", ', "")
    (folder / "sw.js").write_text(worker.replace('const VERSION = "', 'const VERSION = "next-'))
    (folder / LATER).unlink()


def look_for_update(page: Page) -> None:
    page.evaluate("navigator.serviceWorker.getRegistration().then(r => r.update())")
    expect(page.get_by_text(t("tab.update"))).to_be_visible()


def update_now(page: Page) -> None:
    page.get_by_role("button", name=t("tab.updateNow")).click()
    page.wait_for_selector(IS_NEW, state="attached")


def hide(page: Page) -> None:
    page.evaluate("window.state = 'hidden'; document.dispatchEvent(new Event('visibilitychange'))")


def undo_button(page: Page) -> Locator:
    return page.get_by_role("button", name=t("table.undo"), exact=True)


def caches(page: Page) -> list[str]:
    """The versions whose files the browser has."""
    found: list[str] = page.evaluate("caches.keys()")
    return found


@pytest.fixture
def two_tabs(old: Path, host: Any, visitor: Any) -> Callable[[str], tuple[Any, Page, Page]]:
    """A host, a tab at an address and another tab, both with the old version; the new one is ready."""

    def open_both(address: str) -> tuple[Any, Page, Page]:
        static = host(old)
        context, first, _ = visitor(static.url)
        context.add_init_script(f"({HIDE})()")
        start_game(first, "turrium")
        ready_offline(first)
        first.goto(static.url + (address or first.url.removeprefix(static.url)))
        first.reload()
        second = context.new_page()
        second.goto(static.url)
        expect(second.locator("[data-play]").first).to_be_visible()
        publish(old)
        look_for_update(second)
        expect(first.get_by_text(t("tab.update"))).to_be_visible()
        return static, first, second

    return open_both


def test_a_new_version_is_offered_and_keeps_the_games(old: Path, host: Any, visitor: Any) -> None:
    static = host(old)
    _, page, _ = visitor(static.url)
    start_game(page, "nova")
    play_turn(page)
    turns = turns_played(page)
    assert turns > 1
    ready_offline(page)
    page.reload()
    page.wait_for_function(FIRST_OFFERED)
    publish(old)
    look_for_update(page)
    assert page.locator(IS_NEW).count() == 0
    update_now(page)
    page.wait_for_function(FIRST_OFFERED)
    assert turns_played(page) == turns
    play_turn(page)  # the new version continues the log of the old one
    assert turns_played(page) == turns + 2


def test_another_tab_asks_and_reloads_unseen_with_its_unfinished_turn(
    two_tabs: Callable[[str], tuple[Any, Page, Page]],
) -> None:
    static, first, second = two_tabs("")
    act(first)
    expect(undo_button(first)).to_be_enabled()
    before = len(caches(first))
    update_now(second)
    expect(first.get_by_text(t("tab.updated"))).to_be_visible()
    assert first.locator(IS_NEW).count() == 0  # somebody looks at it
    # The old version still has all of its files, without a network.
    static.stop()
    first.context.set_offline(True)
    assert first.evaluate(f"fetch('{LATER}').then(r => r.ok)")
    assert len(caches(first)) == before == 2
    hide(first)
    first.wait_for_selector(IS_NEW, state="attached")
    expect(undo_button(first)).to_be_enabled()  # the unfinished turn is there
    first.wait_for_function("caches.keys().then(names => names.length === 1)")


def test_a_tab_with_entered_text_never_reloads_by_itself(
    two_tabs: Callable[[str], tuple[Any, Page, Page]],
) -> None:
    _, first, second = two_tabs("#/analysis?game=nova")
    first.get_by_text(t("tree.open")).wait_for()
    field = first.locator("textarea:visible, input[type=text]:visible").first
    field.fill("not saved")
    update_now(second)
    expect(first.get_by_text(t("tab.updated"))).to_be_visible()
    hide(first)
    # The event was handled when the next message of the page is answered.
    first.evaluate("new Promise(done => setTimeout(done, 500))")
    assert first.locator(IS_NEW).count() == 0
    expect(field).to_have_value("not saved")
    first.get_by_role("button", name=t("tab.reload")).click()
    first.wait_for_selector(IS_NEW, state="attached")


def test_a_tab_with_an_old_version_gets_the_new_one_with_its_next_screen(
    two_tabs: Callable[[str], tuple[Any, Page, Page]],
) -> None:
    _, first, second = two_tabs("#/settings")
    update_now(second)
    expect(first.get_by_text(t("tab.updated"))).to_be_visible()
    first.get_by_role("link", name=t("common.nav.learn")).first.click()
    first.wait_for_selector(IS_NEW, state="attached")
    expect(first).to_have_url(re.compile("#/learn$"))
    expect(first.get_by_text(t("tab.updated"))).to_have_count(0)


def test_two_copies_of_the_page_on_one_host_keep_their_own_files(
    site: Path, host: Any, visitor: Any, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        shutil.copytree(site, tmp_path / name)
    static = host(tmp_path)
    context, page, _ = visitor(f"{static.url}one/")
    ready_offline(page)
    page.goto(f"{static.url}two/")
    ready_offline(page)
    static.stop()
    context.set_offline(True)
    for name in ("one", "two"):
        page.goto(f"{static.url}{name}/")
        expect(page.locator("[data-play]").first).to_be_visible()
    assert json.dumps(sorted(caches(page))).count("/one/") == 1
