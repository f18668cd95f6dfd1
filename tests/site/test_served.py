"""The page of a server that can compute in the browser: where the engine runs, what works without a connection, and local games that continue online."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from terrarium.site import build
from tests.server.running import Server
from tests.site.conftest import CACHE, built
from tests.site.test_page import FIRST_OFFERED, act, play_turn, ready_offline
from tests.web.texts import t

pytestmark = pytest.mark.only_long


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose page can compute."""
    folder = tmp_path_factory.mktemp("served")
    built(lambda: build(folder / "page", CACHE, for_server=True))
    with Server(folder, "--page", str(folder / "page")) as server:
        yield server


def address(server: Server) -> str:
    """`localhost`, where browsers have service workers."""
    return server.url.replace("127.0.0.1", "localhost")


def start(page: Page, game: str) -> None:
    page.locator(f"[data-play={game}]").click()
    page.wait_for_url(re.compile("/g/"))
    page.wait_for_function(FIRST_OFFERED)


def await_python(page: Page, url: str) -> None:
    page.goto(f"{url}/settings")
    expect(page.get_by_text(t("tab.ready"))).to_be_visible()


def requests_of(page: Page) -> list[str]:
    """The requests of the page to the server from now on."""
    asked: list[str] = []

    def remember(request: Request) -> None:
        if "/api/" in request.url:
            asked.append(request.url.partition("/api")[2])

    page.on("request", remember)
    return asked


def analyse(page: Page) -> None:
    page.get_by_role("link", name=t("common.nav.analysis")).first.click()
    page.wait_for_selector("[role=grid]:not([aria-busy=true]) [data-cell]")
    page.locator(".engine input[type=checkbox]").check()
    expect(page.locator(".engine .lines li").first).to_be_visible()


def hint(page: Page) -> None:
    marks = page.locator("path.arrow, path.cell")
    before = marks.count()
    page.get_by_role("button", name=t("table.hint")).click()
    expect(marks).not_to_have_count(before)


def test_the_server_plays_analyses_and_hints_until_python_is_loaded(
    served: Server, visitor: Any
) -> None:
    url = address(served)
    context, page, _ = visitor("about:blank", service_workers="block")
    context.route(re.compile("/tab/"), lambda route: None)  # a download that never ends
    page.goto(url)
    start(page, "nova")
    assert not re.search("/g/local", page.url)
    play_turn(page)
    asked = requests_of(page)
    hint(page)
    assert any(path.endswith("/hint") for path in asked)
    analyse(page)
    assert "/analysis" in asked


def test_this_device_runs_the_engine_when_it_is_ready_unless_the_settings_choose_the_server(
    served: Server, visitor: Any
) -> None:
    url = address(served)
    _, page, complaints = visitor(url)
    await_python(page, url)
    asked = requests_of(page)
    analyse(page)
    assert "/analysis" not in asked
    page.goto(f"{url}/settings")
    page.get_by_label(t("tab.who")).select_option("server")
    page.goto(url)
    start(page, "nova")
    game = page.url
    assert not re.search("/g/local", game)
    hint(page)
    assert any(path.endswith("/hint") for path in asked)
    page.goto(f"{url}/settings")
    page.get_by_label(t("tab.who")).select_option("device")
    expect(page.get_by_text(t("tab.ready"))).to_be_visible()  # without a reload
    page.get_by_role("link", name=t("common.nav.games")).first.click()
    page.get_by_role("link", name=t("home.show.mine")).first.click()
    page.locator(f"a[href='{game.removeprefix(url)}']").first.click()
    page.wait_for_function(FIRST_OFFERED)
    asked.clear()
    hint(page)
    assert not [path for path in asked if path.endswith(("/hint", "/analysis"))]
    assert complaints == []


def test_local_games_continue_without_a_connection_and_later_online(
    served: Server, visitor: Any
) -> None:
    url = address(served)
    context, page, _ = visitor(url)
    await_python(page, url)
    ready_offline(page)
    page.goto(url)
    page.wait_for_function("document.documentElement.dataset.tab")
    await_python(page, url)
    page.locator("a[href='/']").first.click()
    start(page, "nova")
    expect(page).to_have_url(re.compile("/g/local"))
    local = page.url
    play_turn(page)
    context.set_offline(True)
    play_turn(page)
    page.reload()  # the page from the service worker, the game from this browser
    page.wait_for_function(FIRST_OFFERED)
    play_turn(page)
    page.goto(url)
    start(page, "turrium")  # a new game needs no connection either
    expect(page).to_have_url(re.compile("/g/local"))
    act(page)
    page.goto(f"{url}/learn/nova")
    expect(page.locator("h1").first).to_be_visible()
    context.set_offline(False)
    page.goto(local)
    page.wait_for_function(FIRST_OFFERED)
    turns = page.locator("[data-turn]").count()
    page.get_by_role("button", name=t("story.more"), exact=True).click()
    page.get_by_role("button", name=t("tab.continue")).click()
    page.wait_for_url(re.compile(r"/g/(?!local)"))
    page.wait_for_function(FIRST_OFFERED)
    assert page.locator("[data-turn]").count() == turns
    play_turn(page)


def test_a_study_begun_without_the_server_is_listed_and_copied_to_it(
    served: Server, visitor: Any
) -> None:
    url = address(served)
    context, page, _ = visitor(url)
    await_python(page, url)
    context.route(re.compile("/api/studies"), lambda route: route.abort())
    page.goto(f"{url}/studies")
    page.get_by_role("button", name=t("studies.new")).click()
    page.get_by_label(t("studies.name")).fill("Begun alone")
    page.get_by_role("button", name=t("studies.create")).click()
    page.wait_for_url(re.compile("/study/local"))
    act(page)
    rows = page.locator(".moves [data-node]")
    expect(rows).to_have_count(1)
    page.locator("#comment").fill("without the server")
    expect(page.locator('[data-state="saved"]')).to_be_visible()
    context.unroute_all()
    page.get_by_role("button", name=t("studies.menu")).click()
    page.get_by_text(t("studies.upload"), exact=True).click()
    page.wait_for_url(re.compile("/study/(?!local)"))
    expect(rows).to_have_count(1)
    expect(page.get_by_text("without the server")).to_be_visible()
    page.goto(f"{url}/studies")
    expect(page.get_by_role("link", name="Begun alone")).to_have_count(2)
