"""The studies of this browser, changed only through their logs, and the pages that show them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import structs

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now, iso
from terrarium.play.errors import NotFound
from terrarium.play.people import LOCAL, new_game_id
from terrarium.play.studies import (
    Change,
    ChangesMessage,
    GoneMessage,
    NodeChange,
    PeopleMessage,
    ReloadMessage,
    StudyMessage,
    StudySummary,
    StudyView,
)
from terrarium.play.study import Study
from terrarium.play.trees import record_of_tree
from terrarium.tab.live import Send
from terrarium.tab.store import StudyBrowser

__all__ = ["Entry", "LocalStudies", "StudyEvent", "StudyRow"]

Decide = Callable[[Study], tuple[Study, Sequence[Change]]]
_encode = msgspec.json.Encoder().encode


class StudyRow(msgspec.Struct):
    """A study as lists need it."""

    id: str
    name: str
    game: str | None
    chapters: int
    updated: int

    def summary(self) -> StudySummary:
        """The study as an item of a list."""
        updated = iso(self.updated)
        return StudySummary(
            self.id, self.name, self.game, self.chapters, "owner", "private", updated
        )


class StudyEvent(msgspec.Struct):
    """One entry of a study's log."""

    seq: int
    at: int
    key: str | None
    changes: list[Change]


class _Written(msgspec.Struct):
    row: StudyRow
    events: list[StudyEvent]


@dataclass(eq=False)
class Entry:
    """A study in memory: its log, its state after the log, and the lock that orders its changes."""

    id: str
    log: list[StudyEvent]
    study: Study
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def view(self) -> StudyView:
        """The study as its owner sees it."""
        return self.study.view(self.id, "owner", "private", 0)


class LocalStudies:
    """All studies of this browser."""

    def __init__(self, browser: StudyBrowser, now: Now, send: Send) -> None:
        self._browser = browser
        self._now = now
        self._send_text = send
        self.rows: dict[str, StudyRow] = {}
        self._entries: dict[str, Entry] = {}
        self._keys: dict[str, str] = {}
        """The id of the study that was created with each key."""
        self._sockets: dict[str, list[str]] = {}
        """The live connections of each study, by its id."""
        self._loading = asyncio.Lock()

    async def open(self) -> None:
        """Load the rows of all studies from the browser's storage."""
        rows = msgspec.json.decode(await self._browser.rows(), type=list[StudyRow])
        self.rows = {row.id: row for row in rows}

    async def log(self, id: str) -> list[StudyEvent]:
        """The stored log of a study."""
        return msgspec.json.decode(await self._browser.log(id), type=list[StudyEvent])

    async def entry(self, id: str) -> Entry:
        """A study; `NotFound` if this browser does not have it."""
        if id not in self._entries:
            async with self._loading:
                if id not in self._entries:
                    self._entries[id] = await self._load(id)
        return self._entries[id]

    async def _load(self, id: str) -> Entry:
        log = await self.log(id) if id in self.rows else []
        if not log:
            raise NotFound("no-such-study", f"{id[:40]!r}: there is no such study")
        return Entry(id, log, _replayed(log))

    async def create(
        self, study: Study, changes: Sequence[Change], key: str | None = None
    ) -> Entry:
        """Store a new study; if this tab already used the key, return the study created with it."""
        known = None if key is None else self._keys.get(key)
        if known in self.rows:
            return await self.entry(known)
        id = new_game_id(is_local=True)
        entry = await self._add(Entry(id, [StudyEvent(1, self._now(), key, list(changes))], study))
        if key is not None:
            self._keys[key] = id
        return entry

    async def _add(self, entry: Entry) -> Entry:
        await self._write(entry, entry.study, entry.log)
        self._entries[entry.id] = entry
        return entry

    async def add_from_file(self, id: str, log: list[StudyEvent]) -> bool:
        """Store a study exported by another browser; False if it is here already or damaged."""
        if id in self.rows or not re.fullmatch(rf"{LOCAL}[a-z0-9]{{1,30}}", id):
            return False
        if not log or [event.seq for event in log] != list(range(1, len(log) + 1)):
            return False
        study = _replayed(log)
        try:
            for _, chapter in study.contents():
                record_of_tree(chapter.tree())
        except (TerrariumError, KeyError):
            return False
        await self._add(Entry(id, log, study))
        return True

    async def change(self, id: str, decide: Decide, key: str | None = None) -> tuple[Entry, int]:
        """Decide and store changes, unless the key was used before; returns the study and the seq of the changes."""
        while True:
            entry = await self.entry(id)
            async with entry.lock:
                # Otherwise the study was deleted or loaded again during the wait for the lock.
                if self._entries.get(id) is entry:
                    return entry, await self._change(entry, decide, key)

    async def _change(self, entry: Entry, decide: Decide, key: str | None) -> int:
        known = [event.seq for event in entry.log if key is not None and event.key == key]
        if known:
            return known[0]
        after, changes = decide(entry.study)
        event = StudyEvent(after.seq, self._now(), key, list(changes))
        try:
            await self._write(entry, after, [event])
        except Exception:
            # Another tab may have written to the log, so the next call must read it again.
            del self._entries[entry.id]
            raise
        entry.log.append(event)
        entry.study = after
        self._happened(entry, event)
        return after.seq

    async def _write(self, entry: Entry, study: Study, events: list[StudyEvent]) -> None:
        row = StudyRow(entry.id, **study.index(), updated=events[-1].at)
        await self._browser.write(_encode([_Written(row, events)]).decode())
        self.rows[entry.id] = row

    async def remove(self, id: str) -> None:
        """Delete a study."""
        entry = await self.entry(id)
        async with entry.lock:
            await self._browser.remove(id)
            del self.rows[id], self._entries[id]
        for socket in self._sockets.pop(id, ()):
            self._send(socket, GoneMessage())

    def join(self, socket: str, entry: Entry, since: int | None) -> None:
        """Open a live connection: send the changes missed since a seq, the study itself, then every new change."""
        seq = entry.study.seq
        if since is not None and since > seq:
            self._send(socket, ReloadMessage(seq=seq))
        elif since is not None and since < seq:
            missed = [one for event in entry.log[since:] for one in event.changes]
            self._send(socket, ChangesMessage(seq=seq, changes=missed))
        self._send(socket, _message(entry))
        self._sockets.setdefault(entry.id, []).append(socket)
        self._send_people(entry.id)

    def leave(self, socket: str) -> None:
        """Close a live connection."""
        for id, sockets in self._sockets.items():
            if socket in sockets:
                sockets.remove(socket)
                self._send_people(id)

    def _happened(self, entry: Entry, event: StudyEvent) -> None:
        is_list_changed = not all(isinstance(one, NodeChange) for one in event.changes)
        for socket in self._sockets.get(entry.id, ()):
            self._send(socket, ChangesMessage(seq=event.seq, changes=event.changes))
            if is_list_changed:
                self._send(socket, _message(entry))

    def _send_people(self, id: str) -> None:
        sockets = self._sockets[id]
        for socket in sockets:
            self._send(socket, PeopleMessage(editors=len(sockets), readers=0))

    def _send(self, socket: str, message: msgspec.Struct) -> None:
        self._send_text(socket, _encode(message).decode())


def _replayed(log: Sequence[StudyEvent]) -> Study:
    return Study.replay((event.seq, event.changes) for event in log)


def _message(entry: Entry) -> StudyMessage:
    return StudyMessage(**structs.asdict(entry.view()))
