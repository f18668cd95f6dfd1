"""The page without a server, built once, and hosts that serve it."""

from __future__ import annotations

import fcntl
import functools
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from terrarium.site import SiteError, build
from terrarium.site.folder import tab_files
from tests.web.conftest import CHROMIUM, UNDRAWN

CACHE = Path(__file__).parents[2] / "build" / "site"


T = TypeVar("T")


def built(make: Callable[[], T]) -> T:
    """Build from the package registries, in one process at a time. The first build takes a minute or more."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return make()
        except SiteError as error:
            if error.code not in ("site-download", "site-package", "site-page"):
                raise
            pytest.skip(f"the page without a server can't be built here: {error}")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a static host serves."""
    out = tmp_path_factory.mktemp("site") / "page"
    built(lambda: build(out, CACHE))
    return out


@pytest.fixture(scope="session")
def tab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the Web Worker loads, without the page."""
    out = tmp_path_factory.mktemp("tab")
    for name, data in built(lambda: tab_files(CACHE)).items():
        (out / name).write_bytes(data)
    return out


class Host:
    """A static host: files only, with given headers."""

    def __init__(self, folder: Path, headers: dict[str, str] | None = None, port: int = 0) -> None:
        self.asked = asked = list[str]()
        """The addresses that were asked for."""

        class Handler(SimpleHTTPRequestHandler):
            def end_headers(self) -> None:
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                super().end_headers()

            def do_GET(self) -> None:
                asked.append(self.path)
                super().do_GET()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(
            ("127.0.0.1", port), functools.partial(Handler, directory=str(folder))
        )
        self.port = self._server.server_address[1]
        self.url = f"http://localhost:{self.port}/"
        self._is_stopped = False
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if not self._is_stopped:
            self._is_stopped = True
            self._server.shutdown()
            self._server.server_close()


@pytest.fixture
def host() -> Iterator[Callable[..., Host]]:
    """Starts static hosts, which are stopped at the end."""
    started: list[Host] = []

    def start(folder: Path, **options: Any) -> Host:
        started.append(Host(folder, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": UNDRAWN}


def record_message(message: ConsoleMessage, complaints: list[str]) -> None:
    if message.type in ("error", "warning"):
        complaints.append(message.text)


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., tuple[BrowserContext, Page, list[str]]]]:
    """A new browser context, one page of it, and the messages on its console."""
    contexts: list[BrowserContext] = []

    def come(url: str, **options: Any) -> tuple[BrowserContext, Page, list[str]]:
        options = {"reduced_motion": "reduce", "locale": "en-GB"} | options
        context = browser.new_context(viewport={"width": 1280, "height": 860}, **options)
        contexts.append(context)
        context.set_default_timeout(180_000)
        page, complaints = context.new_page(), list[str]()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: record_message(message, complaints))
        page.goto(url)
        return context, page, complaints

    yield come
    for context in contexts:
        context.close()
