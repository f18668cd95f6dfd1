"""The ASGI application: the page, the HTTP interface and WebSockets, all behind `Guard`."""

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
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import msgspec
from litestar import Litestar, Router
from litestar.config.compression import CompressionConfig
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import Receive, Send

import terrarium
from terrarium.play.clocks import Now, wall_clock
from terrarium.play.errors import Unavailable
from terrarium.server.api import (
    accounts,
    analysis,
    boards,
    challenges,
    downloads,
    events,
    games,
    insights,
    lists,
    live,
    meta,
    notices,
    offers,
    openings,
    operators,
    plans,
    positions,
    puzzles,
    records,
    reports,
    studies,
    talk,
    tokens,
)
from terrarium.server.api.common import (
    EXCEPTION_HANDLERS,
    JsonRequest,
    caller_of,
    game_exists,
    services_of,
)
from terrarium.server.api.description import Description, operation_id
from terrarium.server.http.guard import Guard
from terrarium.server.http.static import StaticFiles
from terrarium.server.operation.metrics import as_text
from terrarium.server.operation.siblings import FOLDER
from terrarium.server.operation.tracing import Tracing
from terrarium.server.services import Services
from terrarium.server.settings import Settings

__all__ = ["Application", "build"]

TOPICS: dict[str, tuple[ModuleType, ...]] = {
    "server": (meta,),
    "games": (games, lists, offers, plans, reports, talk),
    "challenges": (challenges,),
    "downloads": (downloads,),
    "tools": (boards, positions, openings, records, analysis),
    "puzzles": (puzzles,),
    "studies": (studies,),
    "accounts": (accounts, insights, notices, tokens),
    "operators": (operators,),
    "streams": (events, live),
}
"""The handlers, by their tag in the OpenAPI description."""
_DESCRIPTION = (
    "Play Terra Nova and Terra Turrium. Send a seat's secret, or a token, as `Authorization: Bearer`; "
    "the page uses a cookie instead. Every error has `code`, `message` and `rule`."
)

# Streams must arrive line by line, and pictures are already compressed. Only our own page can send a reader's cookie, so the compressed
# size of a response reveals nothing to other sites.
_COMPRESSION = CompressionConfig(
    backend="gzip",
    gzip_compress_level=4,
    minimum_size=1000,
    exclude=[r"/stream(/|$)", r"^/api/analysis$", r"\.(png|gif)$"],
)


def litestar_app(services: Services) -> Litestar:
    """The HTTP interface without the page."""

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        await services.open()
        _on_stop_signal(services.end_streams)
        try:
            yield
        finally:
            await services.close()

    app = Litestar(
        [
            Router(
                "/", route_handlers=[one for topic in topics for one in topic.HANDLERS], tags=[tag]
            )
            for tag, topics in TOPICS.items()
        ],
        lifespan=[running],
        dependencies={
            "services": Provide(services_of, sync_to_thread=False),
            "caller": Provide(caller_of),
        },
        guards=[game_exists],
        request_class=JsonRequest,
        compression_config=_COMPRESSION,
        exception_handlers=EXCEPTION_HANDLERS,
        request_max_body_size=services.settings.max_body,
        logging_config=None,
        debug=False,
        openapi_config=OpenAPIConfig(
            title="Terrarium",
            version=terrarium.__version__,
            description=_DESCRIPTION,
            # Litestar answers unknown addresses below this path itself, so it must not be a prefix of other addresses
            path="/api/openapi.json",
            render_plugins=[Description(path="/")],
            security=[{"bearer": []}, {}],
            components=Components(
                security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}
            ),
            use_handler_docstrings=True,
            operation_id_creator=operation_id,
        ),
    )
    app.state.services = services
    return app


def _on_stop_signal(call: Callable[[], None]) -> None:
    """Call a function as soon as a signal asks the process to stop.

    uvicorn notifies the application only after every open response has ended, and streams never end without being closed.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def handle(signum: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(call)
            if callable(before):
                before(signum, frame)

        signal.signal(number, handle)


class Application:
    """The ASGI application: `/api` is the interface, `/metrics` and `/health` are for monitoring, everything else is the page."""

    def __init__(
        self,
        settings: Settings,
        now: Now = wall_clock,
        tracing: Tracing | None = None,
        siblings: Path | None = None,
    ) -> None:
        self.services = Services(settings, now, tracing or Tracing.load(settings), siblings)
        self.api = litestar_app(self.services)
        page = settings.page_folder
        self._static = StaticFiles(Path(page)) if page else StaticFiles()
        self._guard = Guard(
            self._route, self.services.settings, self.services.limits, self.services.metrics
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            self.services.connections.publish(scope)
        tracing = self.services.tracing
        if tracing is None:
            await self._guard(scope, receive, send)
        else:
            await tracing.request(self._guard, scope, receive, send)

    async def _route(self, scope: Any, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path == "/api" or path.startswith("/api/"):
            await self.api(scope, receive, send)
        elif path == "/metrics":
            await self._metrics(scope, send)
        elif path in ("/health/live", "/health/ready"):
            await self._health(path == "/health/ready", send)
        else:
            await self._static(scope, send)

    async def _metrics(self, scope: Any, send: Send) -> None:
        allowed = self.services.settings.metrics
        client = (scope.get("client") or ("",))[0]
        is_allowed = allowed == "all" or (allowed == "local" and client in ("127.0.0.1", "::1", ""))
        body = b"not here\n"
        if is_allowed:
            body = as_text(await self.services.siblings.families()).encode()
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        status = 200 if is_allowed else 404
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    async def _health(self, wants_ready: bool, send: Send) -> None:
        """Health checks: `live` if this process responds at all, `ready` if it can serve requests now."""
        status, state = 200, "ready" if wants_ready else "alive"
        if wants_ready:
            try:
                if not self.services.is_open:
                    raise Unavailable("stopping", "the server is stopping")
                await self.services.store.check()
            except Unavailable as error:
                status, state = 503, error.code
        body = msgspec.json.encode({"status": state, "version": terrarium.__version__})
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _end_with_parent() -> None:
    """Stop this worker when its parent process has ended, even by a kill, so that the service manager can start it again."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def build() -> Application:
    """The application for one worker process, configured by environment variables."""
    from terrarium.server.operation.logs import configure

    settings = Settings.load()
    configure(settings)
    _end_with_parent()
    sys.setswitchinterval(0.001)
    folder = os.environ.get(FOLDER)
    return Application(settings, siblings=Path(folder) if folder else None)
