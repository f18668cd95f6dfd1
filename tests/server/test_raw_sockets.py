"""Raw connections without a proxy: the server closes those that make it wait or send without end."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import PATIENCE, InProcess

MB = 1_000_000
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
UPGRADE = f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n"
PATIENT = PATIENCE
"""A connection that stays open for so long counts as open for ever; nothing here waits for it if all is well."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    now = count(1_700_000_000_000).__next__
    folder = tmp_path_factory.mktemp("raw")
    with InProcess(folder, now, rate=1.0, client_seconds=0.5, max_waiting_each=40) as running:
        yield running


def raw(server: InProcess, host: str = "127.0.0.2", buffer: int | None = None) -> socket.socket:
    """A connection from an address that is not trusted as a proxy."""
    found = socket.socket()
    if buffer is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    found.bind((host, 0))
    found.settimeout(PATIENT)
    found.connect(("127.0.0.1", server.port))
    return found


def is_closed(connection: socket.socket) -> bool:
    """Whether the server closes a connection. Data that it still sends is discarded."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def taken(connection: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes of an endless message the server accepts before it closes the connection."""
    sent = 0
    with suppress(ConnectionError):
        while sent < most:
            sent += connection.send(piece)
    return sent


def upgrade(server: InProcess, path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\n"
        + ("" if path.endswith("/stream") else UPGRADE)
        + "\r\n"
    ).encode()


def watching(server: InProcess, kind: str = "live", **how: Any) -> socket.socket:
    """A WebSocket, or a stream, that watches a new game."""
    with server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    connection = raw(server, **how)
    connection.sendall(upgrade(server, f"/api/games/{game}/{kind}"))
    assert connection.recv(12) == (b"HTTP/1.1 101" if kind == "live" else b"HTTP/1.1 200")
    return connection


def frame(opcode: int, data: bytes = b"", *, fin: bool = True) -> bytes:
    head = struct.pack("!BB", (0x80 if fin else 0) | opcode, 0x80 | len(data))
    return head + b"\0\0\0\0" + data


HALF_OPEN = {
    "nothing": b"",
    "an empty line": b"\r\n",
    "half a line": b"GET /api/hea",
    "half the headers": b"GET /api/health HTTP/1.1\r\nHost: x\r\nX-One: ",
    "half a body": b"POST /api/boards/check HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
    b'Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{"text":',
    "half a chunk": b"POST /api/boards/check HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
    b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    "a refused request with half a body": b"POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{",
    "a request and half of the next": b"GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nGET /api/h",
}


def filled(server: InProcess, text: bytes) -> bytes:
    return text.replace(b"%d", str(server.port).encode())


@pytest.mark.parametrize("what", HALF_OPEN)
def test_a_half_open_request_is_closed(server: InProcess, what: str) -> None:
    with raw(server) as connection:
        connection.sendall(filled(server, HALF_OPEN[what]))
        assert is_closed(connection)


def test_headers_that_trickle_in_are_closed(server: InProcess) -> None:
    until = time.monotonic() + PATIENT
    with raw(server) as connection, suppress(ConnectionError):
        connection.sendall(b"GET /api/health HTTP/1.1\r\n")
        while time.monotonic() < until:
            connection.sendall(b"X-A: b\r\n")
            time.sleep(0.05)
        pytest.fail("the headers never end, and the connection stays open")


def test_one_address_holds_a_bounded_number_of_waiting_connections(server: InProcess) -> None:
    waiting = server.application.services.connections
    before = waiting.closed["address"]
    with ExitStack() as stack:
        crowd = [stack.enter_context(raw(server, "127.0.0.3")) for _ in range(200)]
        with raw(server, "127.0.0.4") as other:
            other.sendall(b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert other.recv(12) == b"HTTP/1.1 200"
        assert all(map(is_closed, crowd))
    assert waiting.closed["address"] - before >= 160 - 40
    with raw(server, "127.0.0.3") as again:
        again.sendall(b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert again.recv(12) == b"HTTP/1.1 200"


ENDLESS = {
    "an address": (b"GET /", b"a" * 16_000),
    "a query": (b"GET /api/games?", b"a=b&" * 4_000),
    "one header": (b"GET / HTTP/1.1\r\nX-A: ", b"a" * 16_000),
    "headers": (b"GET / HTTP/1.1\r\n", b"X-A: b\r\n" * 2_000),
    "a header's name": (b"GET / HTTP/1.1\r\n", b"a" * 16_000),
    "empty lines": (b"", b"\r\n" * 8_000),
    "trailers": (
        b"POST /api/boards/check HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"X-A: b\r\n" * 2_000,
    ),
    "requests": (b"", b"GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n" * 500),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_an_endless_message_is_cut_off_before_it_costs_memory(server: InProcess, what: str) -> None:
    start, piece = ENDLESS[what]
    with raw(server) as connection:
        connection.sendall(filled(server, start))
        # Most of this is in the socket buffers of the operating system.
        assert taken(connection, piece, 40 * MB) < 12 * MB
        assert is_closed(connection)


FRAMES = {
    "pings": frame(0x9, b"p" * 100) * 100,
    "empty pings": frame(0x9) * 1_000,
    "pongs": frame(0xA, b"p" * 100) * 100,
    "empty fragments": frame(0x1, b"x", fin=False) + frame(0x0, fin=False) * 1_000,
    "messages": frame(0x1, b'{"type":"ping"}') * 500,
}


@pytest.mark.parametrize("what", FRAMES)
def test_frames_without_end_close_the_socket(server: InProcess, what: str) -> None:
    with watching(server) as connection:
        assert taken(connection, FRAMES[what], 40 * MB) < 12 * MB
        assert is_closed(connection)


@pytest.mark.parametrize("kind", ["live", "stream"])
def test_a_watcher_that_never_reads_is_closed(server: InProcess, kind: str) -> None:
    """It is sent far more than the buffers can hold, and then nothing. Its connection must still be closed."""
    services = server.application.services
    with watching(server, kind, buffer=4_096) as connection:
        until = time.monotonic() + PATIENT
        while not services.rooms.watchers:
            assert time.monotonic() < until
            time.sleep(0.01)
        room = next(iter(services.rooms._rooms.values()))

        def push() -> None:
            for watcher in list(room.watchers):
                for _ in range(40):
                    watcher.push("x" * 400_000)

        server.run(push)
        while services.rooms.watchers or server.connections:
            assert time.monotonic() < until, (
                "the watcher was dropped, but its connection stays open"
            )
            time.sleep(0.02)
        assert is_closed(connection)


def test_an_answer_that_is_never_read_is_closed(server: InProcess, tmp_path: Path) -> None:
    """A client requests the page and never reads: the data waiting for it is limited, and the connection is closed."""
    with raw(server, buffer=4_096) as connection:
        connection.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 30)
        until = time.monotonic() + PATIENT
        while server.connections:
            assert time.monotonic() < until, "the connection stays open"
            time.sleep(0.02)


def test_a_slow_reader_gets_everything(server: InProcess) -> None:
    with raw(server, buffer=4_096) as connection:
        request = b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        connection.sendall(request * 3 + last)
        received = bytearray()
        while piece := connection.recv(65_536):
            received += piece
            time.sleep(0.005)
    assert received.count(b"HTTP/1.1 200 OK") == 4
    assert received.rstrip().endswith(b"}")


def junk(server: InProcess, game: str) -> Iterator[tuple[bytes, bytes]]:
    """Invalid input: the bytes a client sends first, and the bytes it sends after the answer."""
    live = upgrade(server, f"/api/games/{game}/live")
    own = f"Host: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\n".encode()
    post = b"POST /api/games/" + game.encode() + b"/turns HTTP/1.1\r\n" + own
    for line in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS on a plain port
        b"\x00" * 100,
        b"\xff" * 100,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT host:443 HTTP/1.1\r\nHost: host\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"BREW / HTTP/1.1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /%ff%fe%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/games?game=%ff&mine=%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET //host/../../etc/passwd HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nCookie: terrarium=\xff\xfe; terrarium=s:x:y\r\n\r\n",
        b"GET /api/games HTTP/1.1\r\nAuthorization: Bearer \xff\r\n\r\n",
        b"GET /api/games HTTP/1.1\r\nAuthorization: Bearer tt_\xc3\xa9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [\r\nOrigin: http://[\r\n\r\n",
        b"GET / HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        b"GET /api/health HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
        post + b"Content-Length: 3\r\nContent-Type: application/json\r\n\r\n{}x",
        post + b"Content-Length: 30\r\nContent-Type: application/json\r\n\r\n{",
        post + b"Content-Length: 2\r\nContent-Type: text/\xff; charset=\xff\r\n\r\n{}",
        post + b"Content-Length: 2\r\nContent-Type: multipart/form-data\r\n\r\n{}",
        post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        post + b"Content-Length: 8\r\nContent-Type: application/json\r\n\r\n\xff\xfe\x00\x00{}{}",
        live.replace(b"Version: 13", b"Version: 99"),
        live.replace(KEY.encode(), b"short"),
        live.replace(b"/live", b"/\xc3\xa9"),
        live.replace(b"/live", b"/live?since=%ff"),
        live.replace(b"/live", b"/nowhere"),
        live.replace(b"GET", b"POST"),
        live.replace(
            b"Sec-WebSocket-Version", b"Sec-WebSocket-Protocol: a, , b\r\nSec-WebSocket-Version"
        ),
        live.replace(
            b"Sec-WebSocket-Version", b"Sec-WebSocket-Extensions: \xff\r\nSec-WebSocket-Version"
        ),
        live.replace(b"Origin", b"X-\xff: y\r\nOrigin"),
        live.replace(b"HTTP/1.1", b"HTTP/1.0"),
    ):
        yield line, b""
    for wrong in (
        b"\xff" * 50,  # reserved bits
        frame(0x3, b"x"),  # reserved opcode
        frame(0x1, b"\xff\xfe"),  # not UTF-8
        frame(0x1, b"\xff", fin=False) + frame(0x0, b"\xfe"),
        frame(0x2, b"\xff\xfe"),
        frame(0x0, b"x"),  # a continuation of nothing
        frame(0x1, b"x", fin=False) + frame(0x1, b"y"),
        frame(0x9, b"x", fin=False),  # a ping in pieces
        frame(0x8, b"x"),  # a close with half a code
        frame(0x8, b"\x03\xe7"),  # a close with a reserved code
        frame(0x8, b"\x03\xe8\xff"),
        frame(0x8, b"\x03\xe8") + frame(0x1, b"more"),
        b"\x81\x05hello",  # not masked
        b"\x81\xff" + b"\xff" * 8,  # a length of 2**64
        frame(0x1, b'{"type":"ping","at":1e999}') + frame(0x1, b'{"type":"ping","at":"x"}'),
        frame(0x1, b"[" * 120),
        b"\x81",
        frame(0x1, b'{"type":"ping"}') * 300,
    ):
        yield live, wrong


@pytest.mark.parametrize("is_reset", [False, True])
def test_nothing_that_clients_send_leaves_a_traceback_or_an_error_in_the_log(
    server: InProcess, caplog: pytest.LogCaptureFixture, is_reset: bool
) -> None:
    with server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    with ExitStack() as stack:
        for number, (text, more) in enumerate(junk(server, game)):
            connection = stack.enter_context(raw(server, f"127.0.1.{number + 1}"))
            with suppress(ConnectionError):
                connection.sendall(text)
                if more:
                    assert connection.recv(12) == b"HTTP/1.1 101"
                    connection.sendall(more)
            if is_reset:
                # Disconnect abruptly, whatever the server is doing.
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                connection.close()
            elif number % 2:
                connection.shutdown(socket.SHUT_WR)
        until = time.monotonic() + PATIENT
        with raw(server) as last:
            last.sendall(b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert last.recv(12) == b"HTTP/1.1 200"
    while server.connections:
        assert time.monotonic() < until, "connections stay open"
        time.sleep(0.02)
    found = [r for r in caplog.records if r.exc_info or r.levelname in ("ERROR", "CRITICAL")]
    assert not found, [(r.name, r.getMessage(), r.exc_text or str(r.exc_info)) for r in found]
