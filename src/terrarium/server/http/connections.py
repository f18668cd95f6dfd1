"""Raw connections, bounded: time to send and to read, sizes of headers, numbers per address.

uvicorn does not bound any of this, and a server without a proxy in front of it must. Its two protocols are extended here:
a client that lets the server wait loses its connection, and so does one that sends without end.
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
"""Bytes of a request's first line and headers, and of what follows a chunked body."""
MAX_PIPELINED = 32
"""Requests that may wait on one connection for the answer to the one before."""
MAX_FRAGMENTS = 64
"""Frames of one WebSocket message."""
MAX_LATE = 262_144
"""Bytes that a WebSocket client may still send after the server said goodbye."""
_FRAMES = (50.0, 200.0)
"""Pings, pongs and fragments of one WebSocket: how many per second in the long run, and at once."""
_UNREAD = 131_072
"""Bytes that the system keeps of what a WebSocket client has not read."""
_SLICE = 4_096
_STATE = "connections"
_REFUSAL = b"HTTP/1.1 %d %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class _Waiting(Protocol):
    def give_up(self, reason: str) -> None: ...


class Connections:
    """The connections that wait for their client: to send a request, the rest of one, or to read an answer.

    Their number is bounded for each address and for all together; beyond that the one that waits longest is closed.
    """

    def __init__(self, seconds: float, each: int, most: int, trusted: Sequence[str] = ()) -> None:
        self.seconds = seconds
        """A client sends its headers within this time, a body within twice of it, and reads something."""
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
        """Let the protocols of this process find this object, by the state that the lifespan gives to uvicorn."""
        scope["state"][_STATE] = self

    def add(self, connection: _Waiting, host: str) -> None:
        """A connection begins to wait for its client."""
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
        """A connection waits no longer."""
        address = self._waiting.pop(connection, "")
        here = self._by_address.get(address)
        if here is not None:
            here.pop(connection, None)
            if not here:
                del self._by_address[address]

    def _is_proxy(self, host: str) -> bool:
        """Whether everybody may come through this address: then it has no limit of its own."""
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
    """Watches that a client reads: aborts a connection whose write buffer does not shrink."""

    def __init__(self, connection: BoundedHttp | BoundedWebSocket) -> None:
        self._connection = connection
        self._timer: asyncio.TimerHandle | None = None
        self._before = 0

    def watch(self) -> None:
        """From now on the client must read something between two checks, until the buffer is empty."""
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
    """HTTP with bounds."""

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
        """Close at once, whatever is still to be sent."""
        self.bounds.closed[reason] += 1
        self._done()
        self.transport.abort()

    def _done(self) -> None:
        self._stop_timer()
        self._reader.stop()
        self.bounds.remove(self)

    def _wait(self, seconds: float) -> None:
        """The client must send a whole request or frame within that time."""
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
    """The headers, or the number of requests sent at once, pass the bound."""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """WebSockets with bounds."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.bounds: Connections = self.app_state[_STATE]
        self._reader = _Reader(self)
        self._frames = Bucket(*_FRAMES, self.loop.time())
        self._rest = b""
        self._late = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # By default the system buffers megabytes for a client that never reads.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        super().connection_made(transport)

    def give_up(self, reason: str) -> None:
        """Close at once, whatever is still to be sent."""
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
        """Take in what came, in slices: tiny frames are counted, and messages answered, before the next thousand."""
        while self._rest and not self.read_paused and not self.transport.is_closing():
            data, self._rest = self._rest[:_SLICE], self._rest[_SLICE:]
            super().data_received(data)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MAX_FRAGMENTS:
            self._fail(1008, "too many fragments")
        elif self._is_calm():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._is_calm():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._is_calm():
            super().handle_pong(event)

    def _is_calm(self) -> bool:
        """Whether the client still keeps to the bound on frames; closes the connection if not."""
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
        # A client that does not read is not served: the answers to its pings would accumulate.
        if not self.read_paused and not self.transport.is_closing():
            self.read_paused = True
            self.transport.pause_reading()
        self._reader.watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_on()

    def _read_on(self) -> None:
        if self.read_paused and self.queue.empty() and self.writable.is_set():
            self.read_paused = False
            if not self.transport.is_closing():
                self.transport.resume_reading()
                self._feed()

    async def send(self, message: Any) -> None:
        if self.close_sent and message["type"] in ("websocket.send", "websocket.close"):
            raise ClientDisconnected  # closed here meanwhile: the application need not know why
        await super().send(message)

    async def receive(self) -> Any:
        message = await self.queue.get()
        self._read_on()
        return message

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.give_up("silent")

    async def run_asgi(self) -> None:
        await super().run_asgi()
        if not self.disconnected:
            self._reader.watch()
