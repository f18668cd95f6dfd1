"""The interface for the Web Worker: requests with their answers, and live connections."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now, wall_clock
from terrarium.play.errors import Unavailable, error_body, status_of
from terrarium.tab import engine_routes, routes, study_routes
from terrarium.tab.crew import Crew, NoWorkers, Workers
from terrarium.tab.finished import FinishedGames
from terrarium.tab.live import Live
from terrarium.tab.routing import Text, answer
from terrarium.tab.store import Browser, Store, StudyBrowser, StudyMemory
from terrarium.tab.studies import LocalStudies
from terrarium.tab.tables import Tables
from terrarium.tab.thinking import Computers, Reviews

__all__ = ["Tab"]

logger = logging.getLogger("terrarium.tab")
Reply = Callable[[str, int, str, str, bool], None]
ROUTES = (routes, engine_routes, study_routes)
"""The modules that answer requests; importing them adds their functions to the routes."""
_JSON = "application/json"
_encode = msgspec.json.Encoder().encode


class _Ping(msgspec.Struct, tag="ping", tag_field="type"):
    at: float | None = None


class Tab:
    """Terrarium in one browser tab.

    `reply(request, status, media type, text, is last)` sends an answer, `send(socket, text)` a live message. `workers` also run the engine;
    `studies` keeps the studies, as `browser` keeps the games; `load(name)` downloads data that the first download leaves out.
    """

    def __init__(
        self,
        browser: Browser,
        reply: Reply,
        send: Callable[[str, str], None],
        workers: Workers | None = None,
        studies: StudyBrowser | None = None,
        load: Callable[[str], Awaitable[Any]] | None = None,
        now: Now = wall_clock,
    ) -> None:
        self.now = now
        self.tables = Tables(Store(browser), now)
        self.live = Live(now, send)
        self.studies = LocalStudies(StudyMemory() if studies is None else studies, now, send)
        self.computers = Computers(self.tables, self.live.is_watched)
        self.crew = Crew(NoWorkers() if workers is None else workers)
        self.reviews = Reviews(self.tables, self.crew)
        self.tables.listeners += [
            self.live.happened,
            lambda before, log, after: self.computers.look(after),
        ]
        self.finished = FinishedGames(self.tables)
        self._reply = reply
        self._load = load
        self._requests: dict[str, asyncio.Task[None]] = {}
        self._sockets: set[str] = set()

    async def open(self) -> None:
        """Load the lists of games and studies from the browser's storage."""
        await self.tables.open()
        await self.studies.open()

    async def need(self, name: str) -> None:
        """Wait until this data is there: the puzzles or the books of openings."""
        if self._load is None:
            return
        try:
            await self._load(name)
        except Exception as error:
            logger.warning("%s: %s", name, error)
            message = f"{name}: can't be downloaded"
            raise Unavailable("download-failed", message) from error

    def ask(self, request: str, method: str, path: str, body: str) -> None:
        """Answer a request as soon as possible; `cancel` stops it."""
        task = asyncio.ensure_future(self._answer(request, method, path, body))
        self._requests[request] = task
        task.add_done_callback(lambda _: self._requests.pop(request, None))

    def cancel(self, request: str) -> None:
        """Cancel a request whose answer is no longer needed."""
        task = self._requests.get(request)
        if task is not None:
            task.cancel()

    async def _answer(self, request: str, method: str, path: str, body: str) -> None:
        try:
            found = answer(self, method, path, body)
            if isinstance(found, AsyncIterator):
                async for line in found:
                    text = _encode(line).decode() + "\n"
                    self._reply(request, 200, "application/x-ndjson", text, False)
                self._reply(request, 200, "application/x-ndjson", "", True)
                return
            result = await found
            if isinstance(result, Text):
                self._reply(request, 200, result.media_type, result.text, True)
            else:
                self._reply(request, 200, _JSON, _encode(result).decode(), True)
        except TerrariumError as error:
            self._refuse(request, status_of(error), error_body(error))
        except Exception as error:
            logger.exception("%s %s", method, path)
            message = f"something went wrong: {error!r:.200}"
            self._refuse(request, 500, {"code": "internal-error", "message": message})

    def _refuse(self, request: str, status: int, body: dict[str, Any]) -> None:
        self._reply(request, status, _JSON, _encode(body).decode(), True)

    async def watch(self, socket: str, id: str, since: int | None) -> bool:
        """Open a live connection to a game or a study; False if there is none with this id."""
        self._sockets.add(socket)
        if id in self.studies.rows:
            study = await self.studies.entry(id)
            if socket in self._sockets:
                self.studies.join(socket, study, since)
            return True
        try:
            entry = await self.tables.entry(id)
        except TerrariumError:
            return False
        if socket in self._sockets:
            self.live.join(socket, entry, since)
            self.computers.look(entry.table)
        return True

    def hear(self, socket: str, text: str) -> None:
        """Handle a message from the page: answer a ping, ignore anything else."""
        try:
            ping = msgspec.json.decode(text, type=_Ping)
        except msgspec.DecodeError:
            return
        self.live.pong(socket, ping.at)

    def unwatch(self, socket: str) -> None:
        """Close a live connection; if it was the game's last, the engine stops thinking about the game."""
        self._sockets.discard(socket)
        self.studies.leave(socket)
        game = self.live.leave(socket)
        entry = None if game is None else self.tables.cached(game)
        if entry is not None:
            self.computers.look(entry.table)
