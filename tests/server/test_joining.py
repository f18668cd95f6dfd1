"""If many sockets connect at once, only a few are handled at a time, so that turns are answered in between."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from terrarium.server.http import guard
from terrarium.server.http.guard import Guard
from terrarium.server.http.limits import Limits
from terrarium.server.operation.metrics import Metrics
from terrarium.server.settings import Settings

SCOPE = {
    "type": "websocket",
    "scheme": "ws",
    "path": "/api/games/x/live",
    "headers": [(b"host", b"localhost"), (b"origin", b"http://localhost")],
    "client": ("127.0.0.1", 1),
}


class Crowd:
    """Sockets that connect at once to an application that answers when the test says so."""

    def __init__(self, count: int) -> None:
        self.entered = 0
        self.answer = asyncio.Semaphore(0)
        self.leave = asyncio.Event()
        self.is_answered = asyncio.Event()
        self.guard = Guard(self.app, Settings(rate=0.0), Limits(0.0), Metrics())
        self.tasks = [
            asyncio.create_task(self.guard(dict(SCOPE), self.nothing, self.nothing))  # type: ignore[arg-type]
            for _ in range(count)
        ]

    def request(self) -> asyncio.Task[None]:
        """A request that is answered when the test says so."""
        scope = SCOPE | {"type": "http", "scheme": "http", "method": "GET", "path": "/api/games/x"}
        return asyncio.create_task(self.guard(scope, self.nothing, self.nothing))  # type: ignore[arg-type]

    async def nothing(self, *_: Any) -> None:
        return

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self.is_answered.wait()
            return
        self.entered += 1
        await send({"type": "websocket.accept"})
        await self.answer.acquire()
        await send({"type": "websocket.send", "text": "{}"})
        await self.leave.wait()

    async def end(self) -> None:
        self.leave.set()
        for _ in self.tasks:
            self.answer.release()
        await asyncio.gather(*self.tasks)


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_many_new_sockets_are_handled_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_JOIN_SECONDS", 1_000.0)

    async def run() -> None:
        crowd = Crowd(50)
        await settle()
        few = crowd.entered
        assert 0 < few < 50
        for _ in range(5):
            crowd.answer.release()
        await settle()
        assert crowd.entered == few + 5, (
            "a socket that got its first message makes room for the next, and stays open"
        )
        await crowd.end()
        assert crowd.entered == 50

    asyncio.run(run())


def test_slow_sockets_do_not_block_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "_JOIN_SECONDS", 0.0)

    async def run() -> None:
        crowd = Crowd(50)
        async with asyncio.timeout(60):
            while crowd.entered < 50:
                await asyncio.sleep(0.01)
        await crowd.end()

    asyncio.run(run())


@pytest.mark.parametrize("patience", [1_000.0, 0.0])
def test_requests_go_before_connecting_sockets_but_only_for_a_moment(
    monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr(guard, "_JOIN_SECONDS", 1_000.0)
    monkeypatch.setattr(guard, "_YIELD_SECONDS", patience)

    async def run() -> None:
        crowd = Crowd(0)
        request = crowd.request()
        await settle()
        socket = asyncio.create_task(crowd.guard(dict(SCOPE), crowd.nothing, crowd.nothing))  # type: ignore[arg-type]
        crowd.tasks.append(socket)
        if patience:
            await settle()
            assert crowd.entered == 0
            crowd.is_answered.set()
        async with asyncio.timeout(60):
            while not crowd.entered:
                await asyncio.sleep(0.01)
        assert patience or not request.done()
        crowd.is_answered.set()
        await crowd.end()
        await request

    asyncio.run(run())
