"""Limits of raw connections: times for sending and reading, sizes of headers, numbers per address.

uvicorn has none of these limits, and a server without a proxy in front of it needs them. This module extends its two protocols:
a client that makes the server wait too long, or sends too much, loses its connection.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from terrarium.server.http.limits import Bucket, neighbourhood

__all__ = ["BoundedHttp", "BoundedWebSocket", "Connections"]

MAX_HEAD = 32_768
"""The most bytes of a request's first line and headers, and of the trailers of a chunked body."""
MAX_PIPELINED = 32
"""The most requests that may wait on one connection for the response to an earlier one."""
MAX_FRAGMENTS = 64
"""The most frames of one WebSocket message."""
MAX_LATE = 262_144
"""The most bytes that a WebSocket client may send after the server's close frame."""
_FRAMES = (50.0, 200.0)
"""The limit of pings, pongs and fragments of one WebSocket: rate per second, and burst."""
_UNREAD = 131_072
"""The size in bytes of the system's send buffer of a WebSocket."""
_SLICE = 4_096
_STATE = "connections"
_REFUSAL = b"HTTP/1.1 %d %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class _Waiting(Protocol):
    def give_up(self, reason: str) -> None: ...


class Connections:
    """The connections that wait for their client to send a request or the rest of one, or to read a response.

    Their number is limited for each address and for all together; beyond that the one that has waited longest is closed.
    """

    def __init__(self, seconds: float, each: int, most: int, trusted: Sequence[str] = ()) -> None:
        self.seconds = seconds
        """The time in which a client must send its headers, and read something; a body may take twice as long."""
        self.closed: Counter[str] = Counter()
        """Connections closed by the server, by reason."""
        self._each, self._most = each, most
        self._trusted = [
            ipaddress.ip_network(text, strict=False) for text in trusted if _is_network(text)
        ]
        self._trusts_all = "*" in trusted
        self._waiting: dict[_Waiting, str] = {}
        self._by_address: dict[str, dict[_Waiting, None]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def publish(self, scope: Any) -> None:
        """Make this object available to the protocols, through the lifespan state of uvicorn."""
        scope["state"][_STATE] = self

    def add(self, connection: _Waiting, host: str) -> None:
        """Add a connection that begins to wait for its client."""
        if connection in self._waiting:
            return
        address = "" if self._is_proxy(host) else neighbourhood(host)
        self._waiting[connection] = address
        if address:
            here = self._by_address.setdefault(address, {})
            here[connection] = None
            if len(here) > self._each:
                next(iter(here)).give_up("address")
        if len(self._waiting) > self._most:
            next(iter(self._waiting)).give_up("crowded")

    def remove(self, connection: _Waiting) -> None:
        """Remove a connection that no longer waits."""
        address = self._waiting.pop(connection, "")
        here = self._by_address.get(address)
        if here is not None:
            here.pop(connection, None)
            if not here:
                del self._by_address[address]

    def _is_proxy(self, host: str) -> bool:
        """Whether this is the address of a proxy, which serves many clients and so has no limit."""
        if self._trusts_all or not host:
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return True
        return any(address in network for network in self._trusted)


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


class _Reader:
    """Checks that a client reads: aborts a connection whose write buffer does not shrink."""

    def __init__(self, connection: BoundedHttp | BoundedWebSocket) -> None:
        self._connection = connection
        self._timer: asyncio.TimerHandle | None = None
        self._before = 0

    def watch(self) -> None:
        """Start checking: until the buffer is empty, the client must read something between two checks."""
        if self._timer is None:
            self._before = self._connection.transport.get_write_buffer_size()
            self._again()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _again(self) -> None:
        seconds = self._connection.bounds.seconds
        self._timer = self._connection.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        transport = self._connection.transport
        size = transport.get_write_buffer_size()
        if not size and not transport.is_closing():
            return
        if size >= self._before:
            self._connection.give_up("unread")
        else:
            self._before = size
            self._again()


class BoundedHttp(HttpToolsProtocol):
    """HTTP with limits."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.bounds: Connections = self.app_state[_STATE]
        self._reader = _Reader(self)
        self._timer: asyncio.TimerHandle | None = None
        self._is_in_head = True
        self._is_in_body = False
        self._head = 0
        self._extra = 0

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.bounds.seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def give_up(self, reason: str) -> None:
        """Close at once and discard unsent data."""
        self.bounds.closed[reason] += 1
        self._done()
        self.transport.abort()

    def _done(self) -> None:
        self._stop_timer()
        self._reader.stop()
        self.bounds.remove(self)

    def _wait(self, seconds: float) -> None:
        """Start the timer in which the client must send a whole request or frame."""
        if self._timer is None:
            self._timer = self.loop.call_later(seconds, self.give_up, "unsent")
            self.bounds.add(self, self._host)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if not self._is_in_body:
            self._is_in_head = True
            self._head += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self._done()
                self.handle_websocket_upgrade()
            return
        except httptools.HttpParserError as error:
            is_large = isinstance(error.__context__, _TooLarge)
            self._refuse(431 if is_large else 400)
            return
        if self._is_in_head and self._head > MAX_HEAD:
            self._refuse(431)
        elif self._is_in_head:
            self._wait(self.bounds.seconds)
        elif self._is_in_body:
            self._wait(2 * self.bounds.seconds)
        else:
            self._stop_timer()
            self.bounds.remove(self)

    def _refuse(self, status: int) -> None:
        if self.transport.is_closing():
            return
        self.bounds.closed["large" if status == 431 else "invalid"] += 1
        text = b"Request Header Fields Too Large" if status == 431 else b"Bad Request"
        self.transport.write(_REFUSAL % (status, text))
        self._close()

    def _close(self) -> None:
        self.transport.close()
        self._reader.watch()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head, self._is_in_body, self._extra = True, False, 0

    def on_url(self, url: bytes) -> None:
        self._count(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(name, value)
        super().on_header(name, value)

    def _count(self, *parts: bytes) -> None:
        self._extra += sum(map(len, parts)) + 4
        if self._extra > MAX_HEAD or len(self.pipeline) > MAX_PIPELINED:
            raise _TooLarge

    def on_headers_complete(self) -> None:
        self._is_in_head, self._is_in_body, self._head = False, True, 0
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._reader.watch()
        elif self.timeout_keep_alive_task is not None:
            self.bounds.add(self, self._host)

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.bounds.add(self, self._host)
        self._reader.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._timer is None and self.timeout_keep_alive_task is None:
            self.bounds.remove(self)

    def _unsupported_upgrade_warning(self) -> None:
        """Suppress uvicorn's warning about a client's unsupported upgrade."""


class _TooLarge(Exception):
    """The headers, or the number of pipelined requests, exceed the limit."""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """WebSockets with limits."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.bounds: Connections = self.app_state[_STATE]
        self._reader = _Reader(self)
        self._frames = Bucket(*_FRAMES, self.loop.time())
        self._rest = b""
        self._late = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # By default the system buffers megabytes for a client that does not read.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        super().connection_made(transport)

    def give_up(self, reason: str) -> None:
        """Close at once and discard unsent data."""
        self.bounds.closed[reason] += 1
        self._reader.stop()
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._reader.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.close_sent:
            self._late += len(data)
            if self._late > MAX_LATE:
                self.give_up("large")
                return
        self._rest += data
        self._feed()

    def _feed(self) -> None:
        """Process received data in slices, so that tiny frames are counted, and messages answered, before more are parsed."""
        while self._rest and not self.read_paused and not self.transport.is_closing():
            data, self._rest = self._rest[:_SLICE], self._rest[_SLICE:]
            super().data_received(data)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self._fail(1008, "too many fragments")
        elif self._is_within_rate():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._is_within_rate():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._is_within_rate():
            super().handle_pong(event)

    def _is_within_rate(self) -> bool:
        """Whether the client keeps to the limit of frames; closes the connection if not."""
        if self.transport.is_closing():
            return False
        if self._frames.take(self.loop.time()):
            self._fail(1008, "too many frames")
            return False
        return True

    def _fail(self, code: int, reason: str) -> None:
        if self.transport.is_closing():
            return
        self.bounds.closed["frames"] += 1
        self.conn.fail(code, reason)
        self.handle_parser_exception()

    def handle_parser_exception(self) -> None:
        if not self.transport.is_closing():
            super().handle_parser_exception()
            self._reader.watch()

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(1007, "not UTF-8")
                return
        if not self.transport.is_closing():
            super().send_receive_event_to_app()

    def pause_writing(self) -> None:
        super().pause_writing()
        # Stop reading from a client that does not read, because the answers to its pings would accumulate.
        if not self.read_paused and not self.transport.is_closing():
            self.read_paused = True
            self.transport.pause_reading()
        self._reader.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._resume_reading()

    def _resume_reading(self) -> None:
        if self.read_paused and self.queue.empty() and self.writable.is_set():
            self.read_paused = False
            if not self.transport.is_closing():
                self.transport.resume_reading()
                self._feed()

    async def send(self, message: Any) -> None:
        if self.close_sent and message["type"] in ("websocket.send", "websocket.close"):
            raise ClientDisconnected  # the server closed the socket meanwhile
        await super().send(message)

    async def receive(self) -> Any:
        message = await self.queue.get()
        self._resume_reading()
        return message

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.give_up("silent")

    async def run_asgi(self) -> None:
        await super().run_asgi()
        if not self.disconnected:
            self._reader.watch()
