"""A real server with the real page, and browsers whose console errors fail the test."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.server.running import Server
from tests.web.table import Table

WHOLE_CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
CHROMIUM = shutil.which("chromium-headless-shell") or WHOLE_CHROMIUM
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# No test looks at pixels. Without memory for drawn tiles, the browser lays pages out but does not draw them, which saves
# about a tenth of the processor time.
UNDRAWN = [
    *FLAGS,
    "--force-gpu-mem-available-mb=1",
    "--disable-partial-raster",
    "--disable-lcd-text",
    "--num-raster-threads=1",
]

# Turns of others take no time, unless a test chooses otherwise.
AT_ONCE = {"turnTime": "none"}
# The reader has played both games: tables show no tips.
TAUGHT = {"taught": ["nova", "turrium"]}
# `try`: some frames have no storage.
KEEP_LINKS = "try { localStorage['terrarium.seats.%s'] ??= '%s' } catch {}"
CHOOSE = "try { localStorage['terrarium.settings'] ??= '%s' } catch {}"

Visit = Callable[..., Page]

# Long enough for a busy machine: tests assert that something happens, not how fast.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": UNDRAWN}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("page")) as running:
        yield running


class Complaints(list[str]):
    """The errors and warnings on the consoles of the browsers, and those that a test expects."""

    def __init__(self) -> None:
        super().__init__()
        self._expected: list[str] = []

    def expect(self, *parts: str) -> None:
        """Allow messages that contain one of these parts, at any time: browsers may write them late."""
        self._expected += parts

    def unexpected(self) -> list[str]:
        return [text for text in self if not any(part in text for part in self._expected)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def service_workers() -> str:
    """Whether pages may register a service worker. That takes a fifth of a test's time, so only some modules allow it."""
    return "block"


@pytest.fixture
def visit(
    browser: Browser, server: Server, complaints: Complaints, service_workers: str
) -> Iterator[Visit]:
    """Opens an address, if one is given, in a new browser context, as a new person would."""
    contexts: list[BrowserContext] = []

    def open_page(
        path: str | None = "/", *, locale: str = "en-GB", is_taught: bool = True, **options: Any
    ) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        options.setdefault("reduced_motion", "reduce")
        options.setdefault("service_workers", service_workers)
        context = browser.new_context(base_url=server.url, locale=locale, **options)
        contexts.append(context)
        # Without animations, the turns of others need not be shown at all.
        chosen = AT_ONCE if options["reduced_motion"] == "reduce" else {}
        context.add_init_script(CHOOSE % json.dumps(chosen | (TAUGHT if is_taught else {})))
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        listen(page, complaints)
        if path is not None:
            page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints.unexpected() == [], "unexpected messages on the console"


def listen(page: Page, complaints: list[str]) -> None:
    page.on("console", lambda message: record_message(message, complaints))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            complaints.append(f"foreign request {request.url}")
            if not request.url.startswith(("http://127.0.0.1", "data:", "blob:"))
            else None
        ),
    )


def record_message(message: ConsoleMessage, complaints: list[str]) -> None:
    # On a slow machine a page may use its preloaded files only after some seconds.
    is_late = "preloaded using link preload but not used within a few seconds" in message.text
    if message.type in ("error", "warning") and not is_late:
        complaints.append(message.text)


@pytest.fixture
def sit(visit: Visit, server: Server) -> Callable[..., Table]:
    """Creates a game and opens its table. With `keeps_links` the browser has the seat links, as after creating it on the page."""

    def sit_down(game: dict[str, Any], *, keeps_links: bool = False, **options: Any) -> Table:
        page = visit(None, **options)
        # This request shares its cookies with the page, so the page holds the seats.
        made = page.request.post("/api/games", data=game, headers={"Origin": server.url}).json()
        assert "id" in made, made
        if keeps_links:
            kept = json.dumps(dict(enumerate(made["secrets"])))
            page.add_init_script(KEEP_LINKS % (made["id"], kept))
        table = Table(page, made["id"], made["secrets"])
        table.open()
        return table

    return sit_down
