"""Two hundred hostile sockets, in a separate process so that their cost is not measured with the server.

`python -m tests.server.hostile ADDRESS ORIGIN` connects, then reads lines: `attack`, `rest`, or the end of its
input. It answers each line with the number of messages sent so far.
"""

from __future__ import annotations

import asyncio
import os
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

SOCKETS = 200
JUNK: tuple[bytes | str, ...] = (
    b"\x00\xff" * 400,
    '{"type":"turn"}',
    '{"type":"ping","x":' + "[" * 3_000,
    "x" * 4_000,
    "",
    '{"type":"ping","at":1}',
)


class Crowd:
    """All attacking sockets."""

    def __init__(self, address: str, origin: str) -> None:
        self.address = address
        self.origin = origin
        self.sent = 0
        self.connected = 0
        self.attack = asyncio.Event()

    async def hostile(self, number: int) -> None:
        """Connect, send junk until the server closes the socket, and connect again."""
        while True:
            try:
                async with connect(self.address, origin=self.origin, open_timeout=60) as socket:  # type: ignore[arg-type]
                    self.connected += 1
                    try:
                        while True:
                            await self.attack.wait()
                            await socket.send(JUNK[(number + self.sent) % len(JUNK)])
                            self.sent += 1
                            await asyncio.sleep(0.02)
                    finally:
                        self.connected -= 1
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(0.5)

    async def run(self) -> None:
        tasks = [asyncio.create_task(self.hostile(number)) for number in range(SOCKETS)]
        while self.connected < SOCKETS:
            await asyncio.sleep(0.05)
        print(self.sent, flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            (self.attack.set if line.strip() == "attack" else self.attack.clear)()
            print(self.sent, flush=True)
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    os.nice(5)
    asyncio.run(Crowd(*sys.argv[1:]).run())
