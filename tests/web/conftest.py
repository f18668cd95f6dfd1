"""A real server with the real page, and browsers that complain about every error on the console."""

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

# Chooses that the turns of others take no time, unless something was chosen before.
AT_ONCE = {"turnTime": "none"}
# Somebody who has played both games: the table explains nothing.
TAUGHT = {"taught": ["nova", "turrium"]}
# Some frames have no storage.
KEEP_LINKS = "try { localStorage['terrarium.seats.%s'] ??= '%s' } catch {}"
CHOOSE = "try { localStorage['terrarium.settings'] ??= '%s' } catch {}"

Visit = Callable[..., Page]

# A busy machine may be slow: tests assert that something happens, not how fast.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": FLAGS}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("page")) as running:
        yield running


class Complaints(list[str]):
    """What browsers wrote on their consoles, and which of it a test expects."""

    def __init__(self) -> None:
        super().__init__()
        self._expected: list[str] = []

    def expect(self, *parts: str) -> None:
        """Allow texts with one of these parts, whenever they come: browsers may write them late."""
        self._expected += parts

    def unexpected(self) -> list[str]:
        return [text for text in self if not any(part in text for part in self._expected)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def service_workers() -> str:
    """Whether pages install themselves for use without a connection: a fifth of a test's time; some modules allow it."""
    return "block"


@pytest.fixture
def visit(
    browser: Browser, server: Server, complaints: Complaints, service_workers: str
) -> Iterator[Visit]:
    """Opens an address (or none yet) in a browser of its own, as a new person would."""
    contexts: list[BrowserContext] = []

    def open_page(
        path: str | None = "/", *, locale: str = "en-GB", is_taught: bool = True, **options: Any
    ) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        options.setdefault("reduced_motion", "reduce")
        options.setdefault("service_workers", service_workers)
        context = browser.new_context(base_url=server.url, locale=locale, **options)
        contexts.append(context)
        # Where nobody watches, the turns of others need not be shown for any time.
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
    assert complaints.unexpected() == [], "the console stays silent"


def listen(page: Page, complaints: list[str]) -> None:
    page.on("console", lambda message: hear(message, complaints))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            complaints.append(f"foreign request {request.url}")
            if not request.url.startswith(("http://127.0.0.1", "data:", "blob:"))
            else None
        ),
    )


def hear(message: ConsoleMessage, complaints: list[str]) -> None:
    # On a slow machine a page needs what it preloaded only after some seconds.
    is_late = "preloaded using link preload but not used within a few seconds" in message.text
    if message.type in ("error", "warning") and not is_late:
        complaints.append(message.text)


@pytest.fixture
def sit(visit: Visit, server: Server) -> Callable[..., Table]:
    """Sets a table and sits down at it; with `keeps_links` like somebody who set it on the page and can invite others."""

    def sit_down(game: dict[str, Any], *, keeps_links: bool = False, **options: Any) -> Table:
        page = visit(None, **options)
        # The cookies of this request are those of the page: they hold the seats.
        made = page.request.post("/api/games", data=game, headers={"Origin": server.url}).json()
        assert "id" in made, made
        if keeps_links:
            kept = json.dumps(dict(enumerate(made["secrets"])))
            page.add_init_script(KEEP_LINKS % (made["id"], kept))
        table = Table(page, made["id"], made["secrets"])
        table.open()
        return table

    return sit_down
