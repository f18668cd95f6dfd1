"""Common parts of WebSockets: refusing, listening and closing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from terrarium.errors import TerrariumError
from terrarium.play.clocks import iso
from terrarium.play.errors import TooMany, error_body, status_of
from terrarium.play.log import SeatHolders
from terrarium.play.messages import PongMessage
from terrarium.play.people import Caller
from terrarium.server.live.watchers import SocketWatcher, encoded
from terrarium.server.services import Services

__all__ = ["listen_until_closed", "refuse", "since_of", "socket_watcher"]

_MAX_EXCESS = 100


class _Ping(msgspec.Struct, tag="ping", tag_field="type"):
    at: float | None = None


_decode = msgspec.json.Decoder(_Ping).decode


def since_of(socket: WebSocket[Any, Any, Any]) -> int | None:
    """The last seq that the client has received."""
    text = socket.query_params.get("since", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def socket_watcher(
    services: Services,
    socket: WebSocket[Any, Any, Any],
    caller: Caller,
    holders: list[SeatHolders],
) -> SocketWatcher:
    """A watcher on a WebSocket; dropping it cancels the current task."""
    task = asyncio.current_task()
    assert task is not None

    def end() -> None:
        task.cancel()

    return SocketWatcher(caller, holders, services.settings.send_queue, socket.send_text, end)


async def listen_until_closed(
    services: Services,
    socket: WebSocket[Any, Any, Any],
    watcher: SocketWatcher,
    begin: Callable[[], Awaitable[None]],
) -> None:
    """Call `begin`, then answer pings until either side closes the socket."""
    try:
        await begin()
        await _listen(services, socket)
    except (WebSocketDisconnect, OSError):
        pass
    except asyncio.CancelledError:
        if not watcher.is_dropped:
            raise
        with contextlib.suppress(Exception):
            async with asyncio.timeout(1):
                await socket.close(*watcher.close_reason)
    finally:
        watcher.close()


async def _listen(services: Services, socket: WebSocket[Any, Any, Any]) -> None:
    bucket = services.limits.bucket("message")
    loop = asyncio.get_running_loop()
    excess = 0
    while True:
        message: Any = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        seconds = bucket.take(loop.time())
        if seconds:
            excess += 1
            if excess > _MAX_EXCESS:
                await socket.close(1008, "too many messages")
                return
            if excess % 10 == 1:
                await socket.send_text(_error(TooMany("messages", seconds)))
            continue
        try:
            ping = _decode(message.get("text") or message.get("bytes") or b"")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            problem = TerrariumError("unknown-message", 'only {"type":"ping","at":…} is understood')
            await socket.send_text(_error(problem))
            continue
        # Not through the queue, so that a client that sends faster than it reads delays only itself.
        await socket.send_text(encoded(PongMessage(now=iso(services.now()), at=ping.at)))


def _error(error: TerrariumError) -> str:
    return encoded({"type": "error"} | error_body(error))


async def refuse(socket: WebSocket[Any, Any, Any], error: TerrariumError) -> None:
    """Answer with an HTTP error instead of opening the socket."""
    if "websocket.http.response" not in (socket.scope.get("extensions") or {}):
        await socket.close(1008)
        return
    send: Any = socket.send
    await socket.receive()
    headers = [(b"content-type", b"application/json")]
    body = msgspec.json.encode(error_body(error))
    start = {"type": "websocket.http.response.start", "status": status_of(error)}
    await send(start | {"headers": headers})
    await send({"type": "websocket.http.response.body", "body": body, "more_body": False})
