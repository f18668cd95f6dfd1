"""A bad network: a proxy that drops, delays, duplicates and cuts."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter

MISFORTUNES = ("request lost", "answer lost", "request twice", "answer cut")


class Proxy:
    """A proxy between clients and a server. Requests may get lost, arrive late or twice; sockets are cut."""

    def __init__(self, port: int, seed: int) -> None:
        self._port = port
        self._rng = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._fates: list[str] = []
        self.is_bad = True
        self.did: Counter[str] = Counter()

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._handle(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"upgrade: websocket" in head.lower():
                await self._socket(head, reader, writer)
            else:
                await self._request(head, reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _request(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        body = await reader.readexactly(_length(head))
        fate = self._fate() if self.is_bad else ""
        await asyncio.sleep(self._rng.random() * 0.03 if self.is_bad else 0)
        if fate:
            self.did[fate] += 1
        if fate == "request lost":
            return
        answer = await self._forward(head, body)
        if fate == "answer lost":
            return
        if fate == "request twice":
            await self._forward(head, body)
        if fate == "answer cut":
            answer = answer[: len(answer) // 2]
        writer.write(answer)
        await writer.drain()

    def _fate(self) -> str:
        """What happens to the next request: of every eight, each kind of failure affects one."""
        if not self._fates:
            self._fates = [*MISFORTUNES, "", "", "", ""]
            self._rng.shuffle(self._fates)
        return self._fates.pop()

    async def _forward(self, head: bytes, body: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(head + body)
            await writer.drain()
            answer = await reader.readuntil(b"\r\n\r\n")
            return answer + await reader.readexactly(_length(answer))
        finally:
            writer.close()

    async def _socket(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        upstream, downstream = await asyncio.open_connection("127.0.0.1", self._port)
        downstream.write(head)
        pumps = [
            asyncio.ensure_future(self._pump(reader, downstream)),
            asyncio.ensure_future(self._pump(upstream, writer)),
        ]
        try:
            limit = self._rng.uniform(0.05, 0.8) if self.is_bad else None
            _, waiting = await asyncio.wait(
                pumps, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            if len(waiting) == 2:
                self.did["socket cut"] += 1
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            downstream.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            if self.is_bad:
                await asyncio.sleep(self._rng.random() * 0.02)
                # Split frames at any byte: both ends must join them again.
                cut = self._rng.randrange(len(data) + 1)
                writer.write(data[:cut])
                await writer.drain()
                data = data[cut:]
            writer.write(data)
            await writer.drain()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
