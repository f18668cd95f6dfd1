"""A page that sends requests to the tab, as through the Web Worker."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

from terrarium.tab.app import Tab
from terrarium.tab.store import Browser, Memory


class Page:
    """Pending requests, and the messages of live connections."""

    def __init__(self, browser: Browser | None = None, **options: Any) -> None:
        self.browser = browser or Memory()
        self.tab = Tab(self.browser, self._reply, self._tell, **options)
        self.heard: dict[str, list[dict[str, Any]]] = {}
        self._waiting: dict[str, asyncio.Future[tuple[int, str]]] = {}
        self._texts: dict[str, list[str]] = {}
        self._numbers = itertools.count()
        self._changed = asyncio.Event()

    @classmethod
    async def opened(cls, browser: Browser | None = None, **options: Any) -> Page:
        page = cls(browser, **options)
        await page.tab.open()
        return page

    def _reply(self, request: str, status: int, media_type: str, text: str, is_last: bool) -> None:
        self._texts.setdefault(request, []).append(text)
        if is_last:
            self._waiting.pop(request).set_result((status, "".join(self._texts.pop(request))))

    def _tell(self, socket: str, text: str) -> None:
        self.heard[socket].append(json.loads(text))
        self._changed.set()

    async def send(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        request = str(next(self._numbers))
        self._waiting[request] = asyncio.get_running_loop().create_future()
        future = self._waiting[request]
        self.tab.ask(request, method, path, "" if body is None else json.dumps(body))
        return await future

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request that must succeed."""
        status, text = await self.send(method, path, body)
        assert status == 200, text
        return json.loads(text)

    async def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """The status and code of a request that must fail."""
        status, text = await self.send(method, path, body)
        assert status != 200, text
        return status, json.loads(text)["code"]

    async def watch(self, game: str, since: int | None = None) -> str:
        socket = str(next(self._numbers))
        self.heard[socket] = []
        assert await self.tab.watch(socket, game, since)
        return socket

    async def until(self, socket: str, wanted: Any, seconds: float = 180) -> None:
        """Wait until a message of this connection satisfies a condition."""
        async with asyncio.timeout(seconds):
            while not any(wanted(message) for message in self.heard[socket]):
                self._changed.clear()
                await self._changed.wait()

    async def play_out(self, game: str, socket: str, most: int = 400) -> dict[str, Any]:
        """Play the first legal actions for the seats of this page until the game is over."""
        for _ in range(most):
            shown: dict[str, Any] = await self.ask("GET", f"/games/{game}")
            if shown["outcome"] is not None:
                return shown
            if shown["view"]["to_move"] not in shown["you"]:
                seq = shown["seq"]
                await self.until(socket, lambda message: message.get("seq", 0) > seq)  # noqa: B023
                continue
            actions: list[str] = []
            while True:
                tried = await self.ask(
                    "POST", f"/games/{game}/try", {"seq": shown["seq"], "actions": actions}
                )
                if tried["turn_complete"]:
                    break
                actions.append(tried["legal"][len(tried["legal"]) // 2]["text"])
            turn = {"seq": shown["seq"], "actions": actions, "key": f"k{shown['seq']}"}
            await self.ask("POST", f"/games/{game}/turns", turn)
        raise AssertionError("the game does not end")
