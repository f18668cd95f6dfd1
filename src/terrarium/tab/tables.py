"""The games of this browser: loaded when needed, changed only through their logs.

A command is decided on the current table and written to the browser's storage before it is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from terrarium.play.clocks import Now
from terrarium.play.commands import Decision, expire
from terrarium.play.errors import NotFound
from terrarium.play.log import LogEvent, SeatHolders
from terrarium.play.people import Caller, seats_held
from terrarium.play.table import Table
from terrarium.tab.store import Change, GameRow, Store

__all__ = ["ME", "Decide", "Entry", "Tables", "row_of"]

PERSON = "me"
ME = Caller("tab", people=frozenset({PERSON}))
"""The user of this browser, who holds every seat that is played in it."""
Decide = Callable[[Table, Sequence[SeatHolders], int], Decision]
Listener = Callable[[Table, Sequence[LogEvent], Table], None]
_GRACE = 0.05
"""The clock is checked this many seconds after a deadline."""
_ATTEMPTS = 8


@dataclass(eq=False)
class Entry:
    """A game in memory: the table, who holds its seats, and the lock that orders its commands."""

    table: Table
    holders: list[SeatHolders]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    alarm: asyncio.TimerHandle | None = None

    @property
    def held(self) -> frozenset[int]:
        """The seats that are played in this browser."""
        return seats_held(self.holders, ME)


def row_of(table: Table, holders: Sequence[SeatHolders]) -> GameRow:
    """A game's row for lists."""
    names = " ".join(seat.name.casefold() for seat in table.seats if seat.name)
    return GameRow(table.id, table.game, table.status, names, table.updated, list(holders))


class Tables:
    """Every game of this browser."""

    def __init__(self, store: Store, now: Now) -> None:
        self.store = store
        self.now = now
        self.listeners: list[Listener] = []
        self.rows: dict[str, GameRow] = {}
        self._entries: dict[str, Entry] = {}
        self._loading = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Load the rows of all games from the browser's storage."""
        self.rows = {row.id: row for row in await self.store.rows()}

    async def entry(self, id: str) -> Entry:
        """A game; `NotFound` if this browser does not have it."""
        if id not in self._entries:
            async with self._loading:
                if id not in self._entries:
                    await self._load(id)
        return self._entries[id]

    def cached(self, id: str) -> Entry | None:
        """A game; None if it is not in memory."""
        return self._entries.get(id)

    async def _load(self, id: str) -> None:
        log = await self.store.log(id) if id in self.rows else []
        if not log:
            raise NotFound("no-such-game", f"{id[:40]!r}: there is no such game")
        entry = Entry(Table.replay(id, log), list(self.rows[id].holders))
        self._entries[id] = entry
        self._set_alarm(entry)

    async def add(self, table: Table, holders: Sequence[SeatHolders]) -> Entry:
        """Store a new game."""
        row = row_of(table, holders)
        await self.store.write(Change(row, list(table.log)))
        return self._added(table, row)

    def _added(self, table: Table, row: GameRow) -> Entry:
        self.rows[table.id] = row
        entry = self._entries[table.id] = Entry(table, list(row.holders))
        self._set_alarm(entry)
        return entry

    async def command(self, id: str, decide: Decide) -> tuple[Entry, Decision]:
        """Decide, write to storage, update the table in memory; completes even if the caller is cancelled."""
        task = asyncio.ensure_future(self._command(id, decide))
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks the exception as retrieved: the caller may have been cancelled

    async def _command(self, id: str, decide: Decide) -> tuple[Entry, Decision]:
        entry = await self.entry(id)
        async with entry.lock:
            for _ in range(_ATTEMPTS):
                now = self.now()
                overdue = expire(entry.table, entry.holders, now)
                decision = overdue if overdue.drafts else decide(entry.table, entry.holders, now)
                if decision.drafts:
                    await self._commit(entry, decision, now)
                if decision is not overdue:
                    break
            return entry, decision

    async def _commit(self, entry: Entry, decision: Decision, now: int) -> None:
        before = entry.table
        log = [draft.at(before.seq + 1 + i, now) for i, draft in enumerate(decision.drafts)]
        played = {
            event.seq: draft.played
            for event, draft in zip(log, decision.drafts, strict=True)
            if draft.played is not None
        }
        after = before.after(log, played)
        holders = [decision.holders.get(seat, row) for seat, row in enumerate(entry.holders)]
        changes = [Change(row_of(after, holders), log)]
        other: Table | None = None
        if decision.new is not None:
            other = Table.replay(decision.new.game["id"], decision.new.log)
            changes.append(Change(row_of(other, decision.new.holders), list(decision.new.log)))
        await self.store.write(*changes)
        self.rows[before.id] = changes[0].row
        entry.table, entry.holders = after, holders
        if other is not None:
            self._added(other, changes[1].row)
        self._set_alarm(entry)
        loop = asyncio.get_running_loop()
        for listener in self.listeners:
            # The caller waits for the command, so it is answered before the listeners run.
            loop.call_soon(listener, before, log, after)

    def _set_alarm(self, entry: Entry) -> None:
        """Set a timer for the moment when the time of the seat to move is up."""
        if entry.alarm is not None:
            entry.alarm.cancel()
            entry.alarm = None
        clock = entry.table.clock
        deadline = None if clock is None or not entry.table.is_live else clock.final_deadline
        if deadline is not None:
            wait = max(0.0, (deadline - self.now()) / 1000) + _GRACE
            loop = asyncio.get_running_loop()
            # At most a day, because a browser's timers can't wait longer than 24 days; `_look_at_clock` sets the next.
            entry.alarm = loop.call_later(min(wait, 86_400), self._ring, entry)

    def _ring(self, entry: Entry) -> None:
        task = asyncio.ensure_future(self._look_at_clock(entry))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    async def _look_at_clock(self, entry: Entry) -> None:
        await self._command(entry.table.id, lambda table, holders, now: Decision())
        self._set_alarm(entry)
