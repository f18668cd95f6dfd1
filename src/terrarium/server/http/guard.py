"""Checks of every request (origin, rate, size), and the headers of every response."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import msgspec
from litestar.types import ASGIApp, Message, Receive, Send

from terrarium.play.errors import Forbidden, TooMany, error_body
from terrarium.server.http.limits import LIMITS, Limits, neighbourhood
from terrarium.server.operation.metrics import Metrics
from terrarium.server.settings import Settings

__all__ = ["CONTENT_POLICY", "Guard", "Origins"]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; media-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_WITH_PYTHON = CONTENT_POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
"""The policy for a page that runs Python in the browser."""
_EMBEDDED = "/embed/study/"
"""The address of pages for embedding in other sites; they only show a study."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
_POLICY = b"content-security-policy"
_MAX_JOINING = 8
_JOIN_SECONDS = 0.25
"""How many sockets may connect at a time, and the longest time for which one counts."""
_YIELD_SECONDS = 0.05
"""The longest time for which a connecting socket waits for running requests."""


class Origins:
    """The origins whose pages may act on this server: the given ones, or by default this machine's own addresses."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._given = frozenset(_normal(origin) for origin in origins)
        self._own = {"localhost", socket.gethostname().lower()}

    def allows(self, origin: str, host: str, scheme: str) -> bool:
        """Whether a request with this `Origin` header may act on the server that was addressed as `host`."""
        asked = _normal(origin)
        if asked is None or asked == "null":
            return False
        if asked in self._given:
            return True
        # Without given origins the page must have the same origin as the request, and its host must be an
        # IP address or this machine's own name: any other name may be a stranger's that points here (DNS rebinding).
        return (
            not self._given
            and asked == _normal(f"{scheme}://{host}")
            and self._is_own(urlsplit(asked).hostname or "")
        )

    def _is_own(self, name: str) -> bool:
        if name in self._own or name.endswith(".local"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


@lru_cache(maxsize=1024)
def _normal(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    if parts.username is not None or parts.path.strip("/") or parts.query or parts.fragment:
        return None
    default = 443 if parts.scheme == "https" else 80
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, default) else f":{port}")


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: Settings, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        policy = _WITH_PYTHON if settings.page_folder else CONTENT_POLICY
        self._policy = policy.encode()
        self._framed = policy.replace("frame-ancestors 'none'", "frame-ancestors *").encode()
        self._origins = Origins(settings.origins)
        self._limits = limits
        self._metrics = metrics
        self._max_open = settings.max_sockets
        self._max_each = settings.max_sockets_each if settings.rate else settings.max_sockets
        self._open: Counter[str] = Counter()
        self._joining = asyncio.Semaphore(_MAX_JOINING)
        self._requests = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            self._metrics.refused += 1
            await _refuse(scope, send, refusal)
            return
        run = self._join if scope["type"] == "websocket" else self._request
        if not _stays(scope):
            await run(scope, receive, send)
            return
        address = _address(scope)
        self._open[address] += 1
        try:
            await run(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def _refusal(self, scope: Any, headers: dict[bytes, bytes]) -> Forbidden | TooMany | None:
        is_socket = scope["type"] == "websocket"
        if is_socket or scope["method"] not in _SAFE:
            origin = headers.get(b"origin")
            if origin is None:
                kind, _, credential = headers.get(b"authorization", b"").partition(b" ")
                if kind.lower() != b"bearer" or not credential.strip():
                    message = (
                        "no Origin header: send one, or send a seat's secret or a token as bearer"
                    )
                    return Forbidden("origin-missing", message)
            else:
                scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
                host = headers.get(b"host", b"").decode("latin-1")
                if not self._origins.allows(origin.decode("latin-1"), host, scheme):
                    return Forbidden(
                        "origin-foreign", "this request comes from another site's page"
                    )
        address = _address(scope)
        name = "request"
        if _stays(scope):
            name = "join"
            if self._open.total() >= self._max_open or self._open[address] >= self._max_each:
                return TooMany("open sockets and streams", 5)
        seconds = self._limits.wait(name, address)
        return TooMany(LIMITS[name][2], seconds) if seconds else None

    async def _join(self, scope: Any, receive: Receive, send: Send) -> None:
        """Let a few sockets connect at a time, between requests, so that turns don't wait when many clients reconnect.

        A socket that takes long, because its game must be read first or its client does not read, no longer counts after a while.
        """
        await self._joining.acquire()
        try:
            await self._let_requests_pass()
        except BaseException:
            self._joining.release()
            raise
        is_over = False

        def over() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                self._joining.release()

        async def sending(message: Message) -> None:
            # The first message is the large one, and it has been computed now.
            if message["type"] != "websocket.accept":
                over()
            await send(message)

        patience = asyncio.get_running_loop().call_later(_JOIN_SECONDS, over)
        try:
            await self._app(scope, receive, sending)
        finally:
            patience.cancel()
            over()

    async def _let_requests_pass(self) -> None:
        if not self._is_idle.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_YIELD_SECONDS):
                    await self._is_idle.wait()

    async def _request(self, scope: Any, receive: Receive, send: Send) -> None:
        if _stays(scope):
            await self._answer(scope, receive, send)
            return
        self._requests += 1
        self._is_idle.clear()
        try:
            await self._answer(scope, receive, send)
        finally:
            self._requests -= 1
            if not self._requests:
                self._is_idle.set()

    async def _answer(self, scope: Any, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        status = 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), *_HEADERS]
                if not any(name == _POLICY for name, _ in headers):
                    is_framed = scope["path"].startswith(_EMBEDDED)
                    headers.append((_POLICY, self._framed if is_framed else self._policy))
                if scope["path"].startswith("/api") and not any(
                    n == b"cache-control" for n, _ in headers
                ):
                    headers.append((b"cache-control", b"no-store"))
                message["headers"] = headers
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            self._metrics.request(scope, status, time.perf_counter() - started)


def _address(scope: Any) -> str:
    return neighbourhood((scope.get("client") or ("",))[0])


def _stays(scope: Any) -> bool:
    """Whether this stays open for long: a socket, or a stream of lines."""
    path: str = scope["path"]
    return scope["type"] == "websocket" or path.endswith("/stream") or path == "/api/stream/events"


async def _refuse(scope: Any, send: Callable[[Any], Any], error: Forbidden | TooMany) -> None:
    body = msgspec.json.encode(error_body(error))
    headers = [(b"content-type", b"application/json"), *_HEADERS]
    retry = error.extra.get("retry_after")
    if retry is not None:
        headers.append((b"retry-after", str(max(1, math.ceil(retry))).encode()))
    kind = "http.response"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1008})
            return
        kind = "websocket.http.response"
    await send({"type": f"{kind}.start", "status": error.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body, "more_body": False})
