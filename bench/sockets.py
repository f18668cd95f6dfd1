"""How much hostile connections cost a server: `python -m bench.sockets PORT PID [PATH]`.

Attacks any HTTP server on this machine from an address that is not a trusted proxy. For each attack it prints how many bytes the
server accepted, by how much its memory grew, and how many connections were still open half a minute later. PATH is the path of
a WebSocket; without it the two attacks with frames are left out.
"""

from __future__ import annotations

import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

__all__ = ["main"]

_SOURCE = "127.0.0.2"
_MOST = 64_000_000
_WAIT = 30.0
_SECONDS = 20.0


def _connected(port: int) -> socket.socket:
    connection = socket.socket()
    connection.bind((_SOURCE, 0))
    connection.settimeout(5)
    connection.connect(("127.0.0.1", port))
    return connection


def _pour(connection: socket.socket, piece: bytes) -> int:
    """Send without reading until the server closes the connection, accepts no more, or has accepted `_MOST` bytes; returns their number."""
    sent, until = 0, time.monotonic() + _SECONDS
    with suppress(OSError):
        while sent < _MOST and time.monotonic() < until:
            sent += connection.send(piece)
    return sent


def _frame(opcode: int, data: bytes = b"", *, fin: bool = True) -> bytes:
    return struct.pack("!BB", (0x80 if fin else 0) | opcode, 0x80 | len(data)) + b"\0\0\0\0" + data


def _open(connections: list[socket.socket]) -> int:
    """How many of these connections the server has not closed; discards everything that it sent."""
    found = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            while connection.recv(65_536):
                pass
        except BlockingIOError:
            found += 1
        except OSError:
            pass
    return found


def _upgraded(port: int, path: str) -> socket.socket:
    connection = _connected(port)
    connection.sendall(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    select.select([connection], [], [], 5)
    assert b" 101 " in connection.recv(64), "the WebSocket was refused"
    return connection


def main(port: int, pid: int, path: str = "") -> None:
    """Run every attack and print one line for each."""
    process = psutil.Process(pid)

    def attack(name: str, call: Callable[[], tuple[list[socket.socket], int]]) -> None:
        before = process.memory_info().rss
        connections, sent = call()
        grown = process.memory_info().rss - before
        time.sleep(_WAIT)
        left = _open(connections)
        print(
            f"{name:22} {sent / 1e6:8.1f} MB sent {grown / 1e6:8.1f} MB grown {left:5} open",
            flush=True,
        )
        for connection in connections:
            connection.close()

    def many(count: int, text: bytes) -> tuple[list[socket.socket], int]:
        found = []
        with suppress(OSError):
            for _ in range(count):
                found.append(_connected(port))
                if text:
                    found[-1].sendall(text)
        return found, len(text) * len(found)

    def poured(start: bytes, piece: bytes) -> tuple[list[socket.socket], int]:
        connection = _connected(port)
        with suppress(OSError):
            connection.sendall(start)
        return [connection], _pour(connection, piece)

    def framed(piece: bytes) -> tuple[list[socket.socket], int]:
        connection = _upgraded(port, path)
        return [connection], _pour(connection, piece)

    attack("half-open requests", lambda: many(200, b"GET / HTTP/1.1\r\nX-A: "))
    attack("idle connections", lambda: many(900, b""))
    attack("endless headers", lambda: poured(b"GET / HTTP/1.1\r\n", b"X-A: b\r\n" * 2_000))
    attack("endless address", lambda: poured(b"GET /", b"a" * 16_000))
    if path:
        attack("pings never read", lambda: framed(_frame(0x9, b"p" * 120) * 100))
        first = _frame(0x1, b"x", fin=False)
        attack("empty fragments", lambda: framed(first + _frame(0x0, fin=False) * 2_000))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
