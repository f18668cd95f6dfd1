"""Feeds: one stream for everything that happens in all games of a person, for bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from terrarium.play.log import LogEvent
from terrarium.play.table import Table
from terrarium.server.live.rooms import StreamWatcher, encoded
from terrarium.server.live.tables import Tables

__all__ = ["Feeds"]


class Feeds:
    """Everybody who follows all of their games from this process."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._followers: dict[StreamWatcher, frozenset[str]] = {}
        self._are_streams_over = False

    @property
    def is_followed(self) -> bool:
        """Whether anybody follows anything."""
        return bool(self._followers)

    def join(self, watcher: StreamWatcher, people: frozenset[str]) -> None:
        """Let somebody follow; not for long, if streams have been ended."""
        self._followers[watcher] = people
        if self._are_streams_over:
            watcher.end()

    def leave(self, watcher: StreamWatcher) -> None:
        """Somebody stopped following."""
        self._followers.pop(watcher, None)

    def signed_in(self) -> list[StreamWatcher]:
        """Everybody who follows as an account."""
        return [watcher for watcher in self._followers if watcher.caller.credential is not None]

    def end_streams(self) -> None:
        """End every stream, also those still to come, so that a server that stops need not wait for its readers."""
        self._are_streams_over = True
        for watcher in self._followers:
            watcher.end()

    def listener(self, before: Table, log: Sequence[LogEvent], after: Table) -> None:
        """Tell those who hold a seat of the game; registered with `Tables`."""
        entry = self._tables.cached(after.id) if self._followers else None
        if entry is None:
            return
        for watcher, people in list(self._followers.items()):
            seats = [seat for seat, row in enumerate(entry.holders) if row.people & people]
            if not seats:
                continue
            kind = "game-start" if after.seq == 1 else "game-update"
            if before.outcome is None and after.outcome is not None:
                kind = "game-over"
            elif any(event.kind == "sat" for event in log) and before.status != after.status:
                kind = "game-start"
            watcher.push(encoded(told(kind, after, seats)))

    def created(self, table: Table) -> None:
        """Tell those who hold a seat of a new game."""
        entry = self._tables.cached(table.id) if self._followers else None
        if entry is None:
            return
        for watcher, people in list(self._followers.items()):
            seats = [seat for seat, row in enumerate(entry.holders) if row.people & people]
            if seats:
                watcher.push(encoded(told("game-start", table, seats)))


def told(kind: str, table: Table, seats: list[int]) -> dict[str, Any]:
    """One line of a feed."""
    return {
        "type": kind,
        "id": table.id,
        "game": table.game,
        "seq": table.seq,
        "status": table.status,
        "seats": seats,
        "to_move": table.to_move,
        "is_your_turn": table.to_move in seats,
        "outcome": table.outcome,
        "rematch": table.rematch,
    }
