"""The browser's storage: a row and a log for each game.

The Web Worker supplies an object with the methods of `Browser`; they exchange JSON texts, so that nothing has to be converted between the
two languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from terrarium.play.log import LogEvent, SeatHolders

__all__ = ["Browser", "Change", "GameRow", "Memory", "Store", "StudyBrowser", "StudyMemory"]


class GameRow(msgspec.Struct):
    """A game as lists need it, and who holds its seats."""

    id: str
    game: str
    status: str
    names: str
    updated: int
    holders: list[SeatHolders]


class Change(msgspec.Struct):
    """A game's row and the events that were added to its log."""

    row: GameRow
    events: list[LogEvent]


class Browser(Protocol):
    """Storage for games: IndexedDB in a browser, `Memory` in tests."""

    async def rows(self) -> str:
        """All rows as a JSON array."""

    async def log(self, id: str) -> str:
        """The events of a game as a JSON array, in order."""

    async def write(self, changes: str) -> None:
        """Store all these changes or none; returns when they are stored."""

    async def review(self, id: str) -> str:
        """The review of a game as JSON, empty if there is none."""

    async def keep_review(self, id: str, review: str) -> None:
        """Store a review."""


class StudyBrowser(Protocol):
    """Storage for studies: rows and logs as for games, but a study can be deleted."""

    async def rows(self) -> str:
        """All rows as a JSON array."""

    async def log(self, id: str) -> str:
        """The events of a study as a JSON array, in order."""

    async def write(self, changes: str) -> None:
        """Store all these changes or none; returns when they are stored."""

    async def remove(self, id: str) -> None:
        """Delete a row and its log."""


class Store:
    """Encodes and decodes the JSON that `Browser` stores."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    async def rows(self) -> list[GameRow]:
        """The rows of all games."""
        return msgspec.json.decode(await self._browser.rows(), type=list[GameRow])

    async def log(self, id: str) -> list[LogEvent]:
        """The events of a game; empty if there is no such game."""
        return msgspec.json.decode(await self._browser.log(id), type=list[LogEvent])

    async def write(self, *changes: Change) -> None:
        """Store changes; returns when they are on disk."""
        await self._browser.write(msgspec.json.encode(changes).decode())

    async def review(self, id: str) -> dict[str, Any] | None:
        """The stored review of a game; None if there is none."""
        text = await self._browser.review(id)
        return msgspec.json.decode(text) if text else None

    async def keep_review(self, id: str, review: dict[str, Any]) -> None:
        """Store a review, which may be unfinished."""
        await self._browser.keep_review(id, msgspec.json.encode(review).decode())


class Memory:
    """Storage in memory only, for tests."""

    def __init__(self) -> None:
        self._rows: dict[str, GameRow] = {}
        self._logs: dict[str, list[LogEvent]] = {}
        self._reviews: dict[str, str] = {}

    async def rows(self) -> str:
        return msgspec.json.encode(list(self._rows.values())).decode()

    async def log(self, id: str) -> str:
        return msgspec.json.encode(self._logs.get(id, [])).decode()

    async def write(self, changes: str) -> None:
        for change in msgspec.json.decode(changes, type=list[Change]):
            log = self._logs.setdefault(change.row.id, [])
            assert _continues(log, change.events), (
                f"{change.row.id}: another writer extended the log"
            )
            log += change.events
            self._rows[change.row.id] = change.row

    async def review(self, id: str) -> str:
        return self._reviews.get(id, "")

    async def keep_review(self, id: str, review: str) -> None:
        self._reviews[id] = review


class StudyMemory:
    """Storage of studies in memory only, for tests and for browsers without storage."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Any, list[Any]]] = {}

    async def rows(self) -> str:
        return msgspec.json.encode([row for row, _ in self._kept.values()]).decode()

    async def log(self, id: str) -> str:
        return msgspec.json.encode(self._kept[id][1] if id in self._kept else []).decode()

    async def write(self, changes: str) -> None:
        for change in msgspec.json.decode(changes):
            log = self._kept.get(change["row"]["id"], (None, []))[1]
            assert change["events"][0]["seq"] == len(log) + 1, "another writer extended the log"
            self._kept[change["row"]["id"]] = (change["row"], log + change["events"])

    async def remove(self, id: str) -> None:
        del self._kept[id]


def _continues(log: Sequence[LogEvent], events: Sequence[LogEvent]) -> bool:
    return not events or events[0].seq == len(log) + 1
