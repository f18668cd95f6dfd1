"""A real server with the real page, and browsers that complain about every error on the console."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

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
CHOOSE = "try { localStorage['terrarium.settings'] ??= '%s' } catch {}"

Visit = Callable[..., Page]

# A busy machine may be slow: tests assert that something happens, not how fast.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": FLAGS}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("page")) as running:
        yield running


@pytest.fixture
def complaints() -> list[str]:
    """What browsers wrote on their consoles; a test that expects a complaint empties it."""
    return []


@pytest.fixture
def visit(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Visit]:
    """Opens an address in a browser of its own, as a new person would."""
    contexts: list[BrowserContext] = []

    def open_page(
        path: str = "/", *, locale: str = "en-GB", is_taught: bool = True, **options: Any
    ) -> Page:
        options.setdefault("viewport", {"width": 1280, "height": 860})
        options.setdefault("reduced_motion", "reduce")
        context = browser.new_context(base_url=server.url, locale=locale, **options)
        contexts.append(context)
        # Where nobody watches, the turns of others need not be shown for any time.
        chosen = AT_ONCE if options["reduced_motion"] == "reduce" else {}
        context.add_init_script(CHOOSE % json.dumps(chosen | (TAUGHT if is_taught else {})))
        page = context.new_page()
        page.set_default_timeout(60_000)
        listen(page, complaints)
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == [], "the console stays silent"


def listen(page: Page, complaints: list[str]) -> None:
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            complaints.append(f"foreign request {request.url}")
            if not request.url.startswith(("http://127.0.0.1", "data:", "blob:"))
            else None
        ),
    )


@pytest.fixture
def sit(visit: Visit) -> Callable[..., Table]:
    """Sets a table and sits down at it."""

    def sit_down(game: dict[str, Any], **options: Any) -> Table:
        page = visit("/settings", **options)
        page.get_by_role("heading", level=1).wait_for()
        return Table.set(page, game)

    return sit_down
