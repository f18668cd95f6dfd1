"""The application: the page, the HTTP interface and the sockets behind one guard."""

from __future__ import annotations

import asyncio
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import Any

from litestar import Litestar
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import Receive, Send

import terrarium
from terrarium.play.clocks import Now, wall_clock
from terrarium.server.api import (
    accounts,
    analysis,
    boards,
    downloads,
    events,
    games,
    lists,
    live,
    meta,
    offers,
    positions,
    records,
    tokens,
)
from terrarium.server.api.common import (
    EXCEPTION_HANDLERS,
    JsonRequest,
    caller_of,
    game_exists,
    services_of,
)
from terrarium.server.http.guard import Guard
from terrarium.server.http.static import StaticFiles
from terrarium.server.services import Services
from terrarium.server.settings import Settings

__all__ = ["Application", "build"]

TOPICS = (
    meta,
    games,
    lists,
    offers,
    downloads,
    boards,
    positions,
    records,
    analysis,
    accounts,
    tokens,
    events,
    live,
)
_DESCRIPTION = (
    "Play Terra Nova and Terra Turrium. A seat's secret, or a token, goes into `Authorization: Bearer`; "
    "the page uses a cookie instead. Every error has `code`, `message` and `rule`."
)


def litestar_app(services: Services) -> Litestar:
    """The HTTP interface alone."""

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        await services.open()
        _when_told_to_stop(services.end_streams)
        try:
            yield
        finally:
            await services.close()

    app = Litestar(
        [handler for topic in TOPICS for handler in topic.HANDLERS],
        lifespan=[running],
        dependencies={
            "services": Provide(services_of, sync_to_thread=False),
            "caller": Provide(caller_of),
        },
        guards=[game_exists],
        request_class=JsonRequest,
        exception_handlers=EXCEPTION_HANDLERS,
        request_max_body_size=services.settings.max_body,
        logging_config=None,
        debug=False,
        openapi_config=OpenAPIConfig(
            title="Terrarium",
            version=terrarium.__version__,
            description=_DESCRIPTION,
            # its own page for what is not there is confined to below this path
            path="/api/openapi.json",
            render_plugins=[JsonRenderPlugin(path="/")],
            security=[{"bearer": []}, {}],
            components=Components(
                security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}
            ),
            use_handler_docstrings=True,
        ),
    )
    app.state.services = services
    return app


def _when_told_to_stop(call: Callable[[], None]) -> None:
    """Call something as soon as a signal asks the process to stop.

    uvicorn notifies the application only after every open response has ended, and streams never end without being closed.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def told(signum: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(call)
            if callable(before):
                before(signum, frame)

        signal.signal(number, told)


class Application:
    """What uvicorn runs: `/api` is the interface, `/metrics` the figures, everything else the page."""

    def __init__(self, settings: Settings, now: Now = wall_clock) -> None:
        self.services = Services(settings, now)
        self.api = litestar_app(self.services)
        self._static = StaticFiles()
        self._guard = Guard(
            self._route, self.services.settings, self.services.limits, self.services.metrics
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._guard(scope, receive, send)

    async def _route(self, scope: Any, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path == "/api" or path.startswith("/api/"):
            await self.api(scope, receive, send)
        elif path == "/metrics":
            await self._metrics(scope, send)
        else:
            await self._static(scope, send)

    async def _metrics(self, scope: Any, send: Send) -> None:
        allowed = self.services.settings.metrics
        client = (scope.get("client") or ("",))[0]
        is_allowed = allowed == "all" or (allowed == "local" and client in ("127.0.0.1", "::1", ""))
        body = self.services.metrics.text().encode() if is_allowed else b"not here\n"
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        status = 200 if is_allowed else 404
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _end_with_parent() -> None:
    """Stop this worker when its parent is gone, even if it was killed: the service manager can start anew then."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def build() -> Application:
    """The application for one worker process, set up by its environment."""
    from terrarium.server.operation.logs import configure

    settings = Settings.load()
    configure(settings)
    _end_with_parent()
    sys.setswitchinterval(0.001)
    return Application(settings)
