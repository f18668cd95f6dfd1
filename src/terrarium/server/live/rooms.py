"""Rooms: the watchers of each game receive its events; a slow watcher does not delay others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from msgspec import structs

from terrarium.play.clocks import Now
from terrarium.play.log import SEATING_EVENTS, LogEvent, SeatHolders
from terrarium.play.messages import (
    ChangedMessage,
    EventMessage,
    GameMessage,
    PresenceMessage,
    ReadyMessage,
    for_watchers,
    messages,
)
from terrarium.play.people import seats_held
from terrarium.play.shapes import Snapshot
from terrarium.play.table import Table
from terrarium.play.views import clock_view
from terrarium.server.live.snapshots import Snapshots
from terrarium.server.live.tables import MAX_MISSED
from terrarium.server.live.watchers import StreamWatcher, Watcher, encoded

__all__ = ["Room", "Rooms"]

_MAX_SEEN = 20_000
_MAX_LAST = 500
LogMessage = EventMessage | Snapshot


class Room:
    """The watchers of one game."""

    __slots__ = ("_players", "watchers")

    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self._players: set[Watcher] = set()
        """The watchers with a seat; only few, even if thousands watch."""

    def add(self, watcher: Watcher) -> None:
        """Add a watcher."""
        self.watchers.add(watcher)
        if watcher.seats:
            self._players.add(watcher)

    def remove(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self.watchers.discard(watcher)
        self._players.discard(watcher)

    def seat(self, watcher: Watcher, seats: frozenset[int]) -> None:
        """Set the seats that a watcher holds."""
        watcher.seats = seats
        if seats:
            self._players.add(watcher)
        else:
            self._players.discard(watcher)

    def connected(self) -> set[int]:
        """The seats with a connection."""
        return {seat for watcher in self._players for seat in watcher.seats}


class Rooms:
    """The rooms of all games that are watched from this process."""

    def __init__(self, now: Now, limit: int) -> None:
        self._now = now
        self._limit = limit
        self._rooms: dict[str, Room] = {}
        self._started = now()
        self._elsewhere: dict[str, dict[int, int]] = {}
        self._seen: OrderedDict[tuple[str, int], int] = OrderedDict()
        self._last: OrderedDict[str, tuple[Table, Sequence[LogMessage]]] = OrderedDict()
        self.snapshots = Snapshots()
        self.dropped = 0
        self.sent = 0
        self.on_presence: Callable[[str], None] | None = None
        self.on_watched: Callable[[str], None] = lambda game_id: None
        """Called when the first watcher of a game joins, or the last one leaves."""
        self.holders: Callable[[str], Sequence[SeatHolders] | None] = lambda game_id: None
        """Returns the holders of a game's seats, if it is in memory."""
        self._are_streams_over = False

    def here(self, game_id: str) -> set[int]:
        """The seats of a game that are connected to this process."""
        room = self._rooms.get(game_id)
        return set() if room is None else room.connected()

    def connected(self, game_id: str) -> set[int]:
        """The seats of a game that are connected to this process or another worker."""
        found = self.here(game_id)
        now = self._now()
        return found | {
            seat for seat, until in self._elsewhere.get(game_id, {}).items() if until > now
        }

    def elsewhere(self, game_id: str, seats: dict[int, int]) -> None:
        """Set the seats that are connected to other workers, each with the end of its lease."""
        before = self.connected(game_id) | set(self._elsewhere.pop(game_id, {}))
        if seats:
            self._elsewhere[game_id] = seats
        after = self.connected(game_id)
        for seat in before - after:
            self._saw(game_id, seat)
        if before != after:
            self.send(game_id, PresenceMessage(connected=sorted(after)))

    def games_elsewhere(self) -> list[str]:
        """The games with seats that are connected to other workers."""
        return list(self._elsewhere)

    def forget_lost(self) -> None:
        """Remove seats whose leases ended, because their worker died or can't reach the database."""
        now = self._now()
        for game_id, seats in list(self._elsewhere.items()):
            if any(until <= now for until in seats.values()):
                self.elsewhere(game_id, {s: until for s, until in seats.items() if until > now})

    def seen(self, game_id: str, seat: int) -> int:
        """When a seat was last connected to this process; by default the start of the process."""
        return self._seen.get((game_id, seat), self._started)

    def is_watched(self, game_id: str) -> bool:
        """Whether a game is watched from this process."""
        return game_id in self._rooms

    @property
    def watchers(self) -> int:
        """The number of watchers."""
        return sum(len(room.watchers) for room in self._rooms.values())

    def signed_in(self) -> list[tuple[str, Watcher]]:
        """The watchers that are signed in to an account, each with its game."""
        return [
            (game_id, watcher)
            for game_id, room in self._rooms.items()
            for watcher in room.watchers
            if watcher.caller.credential is not None
        ]

    def revoke(self, game_id: str, watcher: Watcher) -> None:
        """End the connection of a watcher whose credentials were revoked; its seats are no longer connected."""
        self.leave(game_id, watcher)
        watcher.revoke()

    def games(self) -> list[str]:
        """The games that are watched."""
        return list(self._rooms)

    def join(
        self, table: Table, watcher: Watcher, since: int | None, anchor: Table | None = None
    ) -> None:
        """Add a watcher: it receives the events since a seq or a snapshot, then all new events.

        `anchor` is an earlier state of the same table.
        """
        room = self._rooms.get(table.id)
        if room is None:
            room = self._rooms[table.id] = Room()
            self.on_watched(table.id)
        is_new = bool(watcher.seats - self.connected(table.id))
        room.add(watcher)
        if is_new:
            self._send_presence(table.id, room, except_for=watcher)
        for message in self._missed(table, watcher, since, self.connected(table.id), anchor):
            watcher.push(encoded(message))
        watcher.seq = table.seq
        if self._are_streams_over and isinstance(watcher, StreamWatcher):
            watcher.end()

    def end_streams(self) -> None:
        """End all streams, including future ones, so that a server that stops does not wait for its readers."""
        self._are_streams_over = True
        for room in self._rooms.values():
            for watcher in room.watchers:
                if isinstance(watcher, StreamWatcher):
                    watcher.end()

    def leave(self, game_id: str, watcher: Watcher) -> None:
        """Remove a watcher, and report its seats as disconnected if no other connection holds them."""
        room = self._rooms.get(game_id)
        if room is None or watcher not in room.watchers:
            return
        room.remove(watcher)
        if watcher.is_slow:
            self.dropped += 1
        gone = watcher.seats - room.connected()
        for seat in gone:
            self._saw(game_id, seat)
        if not room.watchers:
            del self._rooms[game_id]
            self.on_watched(game_id)
        elif gone:
            self._send_presence(game_id, room)
        if gone and not room.watchers and self.on_presence is not None:
            self.on_presence(game_id)

    def listener(self, before: Table, log: Sequence[LogEvent], after: Table) -> None:
        """Send a game's watchers its new events; registered with `Tables`."""
        room = self._rooms.get(after.id)
        if room is None:
            return
        if not log and after is not before:
            self._start_over(room, after)
            return
        changed = self._reseat(room, after) if any(map(_changes_seats, log)) else []
        connected = self.connected(after.id)
        sent = [
            message
            for message in messages(before, log, connected, self._now(), after)
            if isinstance(message, LogMessage)
        ]
        is_player = {bool(watcher.seats) for watcher in room.watchers}
        texts = {
            True: [encoded(message) for message in sent] if True in is_player else [],
            False: [encoded(for_watchers(message)) for message in sent]
            if False in is_player
            else [],
        }
        for watcher in list(room.watchers):
            for message, text in zip(sent, texts[bool(watcher.seats)], strict=True):
                if message.seq > watcher.seq:
                    watcher.push(text)
                    self.sent += 1
            watcher.seq = max(watcher.seq, after.seq)
        for watcher in changed:
            self._push_snapshot(after, watcher, connected)
        if changed:
            self._send_presence(after.id, room)

    def start_over(self, table: Table) -> None:
        """Send a game again to its watchers after it was repaired, or released from quarantine."""
        room = self._rooms.get(table.id)
        if room is not None:
            self._start_over(room, table)

    def _start_over(self, room: Room, table: Table) -> None:
        """Send all watchers the present state of a game that was restored from a backup."""
        self._reseat(room, table)
        connected = self.connected(table.id)
        for watcher in list(room.watchers):
            self._push_snapshot(table, watcher, connected)
            watcher.seq = table.seq

    def _push_snapshot(self, table: Table, watcher: Watcher, connected: set[int]) -> None:
        message = self.snapshots.message(table, watcher.seats, connected, self._now())
        watcher.push(encoded(message))
        watcher.push(encoded(_ready(table, watcher, connected)))

    def _reseat(self, room: Room, table: Table) -> list[Watcher]:
        """Update the seats that watchers hold; returns the watchers whose seats changed."""
        holders = self.holders(table.id)
        if holders is None:
            return []
        changed = []
        for watcher in room.watchers:
            seats = seats_held(holders, watcher.caller)
            if seats != watcher.seats:
                room.seat(watcher, seats)
                changed.append(watcher)
        return changed

    def send(self, game_id: str, message: GameMessage) -> None:
        """Send a message that is not in the log to a game's watchers."""
        room = self._rooms.get(game_id)
        if room is not None:
            text = encoded(message)
            for watcher in list(room.watchers):
                watcher.push(text)

    def announce_change(
        self, game_id: str, what: Literal["talk", "plans"], seat: int | None = None
    ) -> None:
        """Notify all connected seats, or only this seat, that something private to seats changed."""
        room = self._rooms.get(game_id)
        if room is None:
            return
        text = encoded(ChangedMessage(what=what))
        for watcher in list(room.watchers):
            if watcher.seats if seat is None else seat in watcher.seats:
                watcher.push(text)

    def _saw(self, game_id: str, seat: int) -> None:
        self._seen[game_id, seat] = self._now()
        self._seen.move_to_end((game_id, seat))
        while len(self._seen) > _MAX_SEEN:
            self._seen.popitem(last=False)

    def _missed(
        self,
        table: Table,
        watcher: Watcher,
        since: int | None,
        connected: set[int],
        anchor: Table | None,
    ) -> Iterator[LogMessage | ReadyMessage]:
        now = self._now()
        first = table.seq if anchor is None else max(anchor.seq, table.seq - MAX_MISSED)
        if since is None or not first <= since <= table.seq:
            yield self.snapshots.message(table, watcher.seats, connected, now)
        elif since < table.seq and anchor is not None:
            clock = clock_view(table.clock, now)
            for message in self._last_messages(table, anchor, connected):
                if message.seq > since:
                    yield structs.replace(message, clock=clock)
        yield _ready(table, watcher, connected)

    def _last_messages(
        self, table: Table, anchor: Table, connected: set[int]
    ) -> Sequence[LogMessage]:
        """The messages about the last events, computed once for all clients that reconnect."""
        of, known = self._last.get(table.id, (None, ()))
        if of is not table:
            start = max(anchor.seq, table.seq - MAX_MISSED)
            before = anchor.after(table.log[anchor.seq : start])
            found = messages(before, table.log[start:], connected, self._now(), table)
            known = tuple(message for message in found if isinstance(message, LogMessage))
            self._last[table.id] = (table, known)
            while len(self._last) > _MAX_LAST:
                self._last.popitem(last=False)
        return known

    def _send_presence(self, game_id: str, room: Room, except_for: Watcher | None = None) -> None:
        text = encoded(PresenceMessage(connected=sorted(self.connected(game_id))))
        for watcher in list(room.watchers):
            if watcher is not except_for:
                watcher.push(text)
        if self.on_presence is not None:
            self.on_presence(game_id)


def _changes_seats(event: LogEvent) -> bool:
    return event.kind in SEATING_EVENTS


def _ready(table: Table, watcher: Watcher, connected: set[int]) -> ReadyMessage:
    return ReadyMessage(seq=table.seq, you=sorted(watcher.seats), connected=sorted(connected))
