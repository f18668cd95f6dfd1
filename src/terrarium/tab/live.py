"""The page's live connections to games; the messages are those of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from terrarium.play.clocks import Now, iso
from terrarium.play.log import LogEvent
from terrarium.play.messages import PongMessage, ReadyMessage, messages, snapshot_message
from terrarium.play.table import Table
from terrarium.tab.tables import Entry

__all__ = ["Live", "Send"]

Send = Callable[[str, str], None]
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class _Watcher:
    socket: str
    held: frozenset[int]


class Live:
    """The connections by game."""

    def __init__(self, now: Now, send: Send) -> None:
        self._now = now
        self._send_text = send
        self._watchers: dict[str, list[_Watcher]] = {}

    def is_watched(self, id: str) -> bool:
        """Whether a page shows the game."""
        return bool(self._watchers.get(id))

    def connected(self, id: str) -> set[int]:
        """The seats that somebody who watches the game plays."""
        return {seat for watcher in self._watchers.get(id, ()) for seat in watcher.held}

    def join(self, socket: str, entry: Entry, since: int | None) -> None:
        """Watch a game: send its state, unless the page already has it (`since`), then every change."""
        table = entry.table
        self._watchers.setdefault(table.id, []).append(_Watcher(socket, entry.held))
        connected = self.connected(table.id)
        if since != table.seq:
            self._send(socket, snapshot_message(table, entry.held, connected, self._now()))
        ready = ReadyMessage(seq=table.seq, you=sorted(entry.held), connected=sorted(connected))
        self._send(socket, ready)

    def leave(self, socket: str) -> str | None:
        """Stop watching; returns the id of the game that was watched."""
        for id, watchers in self._watchers.items():
            kept = [watcher for watcher in watchers if watcher.socket != socket]
            if len(kept) < len(watchers):
                self._watchers[id] = kept
                return id
        return None

    def pong(self, socket: str, at: float | None) -> None:
        """Answer a ping."""
        self._send(socket, PongMessage(now=iso(self._now()), at=at))

    def happened(self, before: Table, log: Sequence[LogEvent], after: Table) -> None:
        """Send new events to everybody who watches the game."""
        watchers = self._watchers.get(after.id, ())
        if not watchers:
            return
        for message in messages(before, log, self.connected(after.id), self._now(), after):
            for watcher in watchers:
                self._send(watcher.socket, message)

    def _send(self, socket: str, message: msgspec.Struct) -> None:
        self._send_text(socket, _encode(message).decode())
