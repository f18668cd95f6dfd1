"""The games in this process's memory: loaded once, kept up to date, changed only through the log.

A command is decided on the present table and its events are committed. Then the caller gets the response, and then
all watchers are notified. If another worker committed first, the command is decided again on the new state.

A game whose log is damaged is quarantined: only this game is unavailable, and the server's log has the reason.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from terrarium.play.boards import board_view
from terrarium.play.clocks import Now
from terrarium.play.commands import Decision, expire
from terrarium.play.errors import Conflict, NotFound
from terrarium.play.log import SEATING_EVENTS, LogEvent, SeatHolders
from terrarium.play.table import Table
from terrarium.server.database.chain import GameDamaged, replayed
from terrarium.server.database.store import Rewritten, Store
from terrarium.server.database.writing import UniqueViolation

__all__ = ["MAX_MISSED", "Decide", "Entry", "Listener", "Tables"]

Decide = Callable[[Table, Sequence[SeatHolders], int], Decision]
Listener = Callable[[Table, Sequence[LogEvent], Table], None]

logger = logging.getLogger("terrarium.tables")
MAX_MISSED = 12
"""Beyond this many missed events, a client gets a snapshot instead."""
_ATTEMPTS = 50


@dataclass(eq=False)
class Entry:
    """A game in memory: the table, the holders of its seats, and the lock that orders its commands."""

    table: Table
    holders: list[SeatHolders]
    head: str
    """The digest of the last event."""
    anchor: Table
    """An earlier state of the table, at least `MAX_MISSED` events ago if the game is that long; missed events are replayed from it."""
    middle: Table | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_stale: bool = False

    def advance(self, table: Table) -> None:
        """Replace the table by the one after further events."""
        self.table = table
        middle = self.middle or self.anchor
        if table.seq - middle.seq >= MAX_MISSED:
            self.anchor, self.middle = middle, table


class Tables:
    """The games of one process."""

    def __init__(self, store: Store, now: Now, capacity: int) -> None:
        self.store = store
        self.now = now
        self.listeners: list[Listener] = []
        """Called with all events of a game, from this and other workers."""
        self.own_listeners: list[Listener] = []
        """Called with the events that this process committed."""
        self.is_watched: Callable[[str], bool] = lambda game_id: False
        """Whether a game is watched from this process; then it stays in memory."""
        self.on_read: Callable[[Table], None] = lambda table: None
        """Called with every game that was loaded into memory."""
        self.damaged: dict[str, GameDamaged] = {}
        """Games that could not be read or replayed; each is tried again after a notification or a restart."""
        self.turns = 0
        self._capacity = capacity
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Entry]] = {}
        self._running: set[asyncio.Task[Any]] = set()
        store.on_late = self._doubt

    async def entry(self, game_id: str, *, seq: int | None = None) -> Entry:
        """The present state of a game; raises `NotFound` if there is none.

        `seq` is the game's last seq, if the caller has just read it; the log is then read only if the game in memory is older.
        """
        entry = await self._known(game_id)
        is_known = seq is not None and entry.table.seq >= seq
        if entry.is_stale or (self.store.is_postgres and not is_known):
            async with entry.lock:
                await self._catch_up(entry)
        return entry

    async def table(self, game_id: str) -> Table:
        """The present table of a game."""
        return (await self.entry(game_id)).table

    def cached(self, game_id: str) -> Entry | None:
        """The game if it is in memory."""
        return self._entries.get(game_id)

    def holders(self, game_id: str) -> list[SeatHolders] | None:
        """The holders of a game's seats, if it is in memory."""
        entry = self._entries.get(game_id)
        return None if entry is None else entry.holders

    def add(self, table: Table, holders: list[SeatHolders], head: str) -> Entry:
        """Add a game that was just created, and call the listeners."""
        entry = Entry(table, holders, head, table)
        self._keep(table.id, entry)
        self._advance(entry, (), table, ())
        return entry

    async def reload(self, game_id: str) -> None:
        """Read a game again from its first event, because its log was rewritten; the entry and its lock stay the same."""
        loading = self._loading.get(game_id)
        if loading is not None:
            await asyncio.wait({loading})  # the load may have read the old log
        entry = self._entries.get(game_id)
        if entry is not None:
            async with entry.lock:
                if self._entries.get(game_id) is entry:
                    await self._reload(entry)

    async def command(
        self, game_id: str, decide: Decide, lag: int = 0, account: str | None = None
    ) -> tuple[Table, Decision]:
        """Decide, commit, and update the memory; completes even if the caller disconnects.

        `account`, if given, must still exist when the events are committed.
        """
        task = asyncio.ensure_future(self._command(game_id, decide, lag, account))
        self._running.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    async def catch_up(self, game_id: str, *, load: bool = False) -> Entry | None:
        """Read the events that other workers have committed, if the game is in memory or `load` is true."""
        entry = self._entries.get(game_id)
        self.damaged.pop(game_id, None)
        if entry is None:
            return await self._known(game_id) if load else None
        async with entry.lock:
            await self._catch_up(entry)
        return entry

    async def drain(self) -> None:
        """Wait until all running commands are done."""
        while self._running:
            await asyncio.wait(set(self._running))

    def _doubt(self) -> None:
        """Read all games again before they are used, because a write succeeded that counted as failed."""
        for entry in self._entries.values():
            entry.is_stale = True

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # retrieve the exception: the caller may have disconnected

    async def _command(
        self, game_id: str, decide: Decide, lag: int, account: str | None
    ) -> tuple[Table, Decision]:
        while True:
            entry = await self._known(game_id)
            async with entry.lock:
                # If the entry was dropped from memory meanwhile, use the new one, which others see.
                if self._entries.get(game_id) is entry:
                    return await self._decided(entry, decide, lag, account)

    async def _decided(
        self, entry: Entry, decide: Decide, lag: int, account: str | None
    ) -> tuple[Table, Decision]:
        for _ in range(_ATTEMPTS):
            if self.store.is_postgres or entry.is_stale:
                await self._catch_up(entry)
            now = self.now()
            overdue = expire(entry.table, entry.holders, now, lag)
            decision = overdue if overdue.drafts else decide(entry.table, entry.holders, now)
            if not decision.drafts:
                return entry.table, decision
            actor = None if decision is overdue else account
            if await self._commit(entry, decision, now, actor) and decision is not overdue:
                return entry.table, decision
        raise Conflict(
            "busy", "too many people act on this game at once; try again", seq=entry.table.seq
        )

    async def _commit(
        self, entry: Entry, decision: Decision, now: int, account: str | None
    ) -> bool:
        before = entry.table
        log = [draft.at(before.seq + 1 + i, now) for i, draft in enumerate(decision.drafts)]
        played = {
            event.seq: draft.played
            for event, draft in zip(log, decision.drafts, strict=True)
            if draft.played is not None
        }
        after = before.after(log, played)
        try:
            head = await self.store.append(
                before.id, log, after.index(), entry.head, decision.holders, decision.new, account
            )
        except UniqueViolation:
            entry.is_stale = True
            return False
        except BaseException:
            # The commit may have succeeded; the log must be read again.
            entry.is_stale = True
            raise
        for seat, row in decision.holders.items():
            entry.holders[seat] = row
        entry.head = head
        self._advance(entry, log, after, self.own_listeners)
        return True

    async def _catch_up(self, entry: Entry) -> None:
        entry.is_stale = True
        game_id = entry.table.id
        try:
            log, head = await self.store.log(game_id, entry.table.seq, entry.head)
        except Rewritten:
            await self._reload(entry)
            return
        except GameDamaged as error:
            raise self._quarantined(error) from None
        if any(event.kind in SEATING_EVENTS for event in log):
            entry.holders = await self.store.holders(game_id)
        after = await self._replayed(game_id, log, entry.table) if log else entry.table
        entry.is_stale, entry.head = False, head
        if log:
            self._advance(entry, log, after, ())

    async def _reload(self, entry: Entry) -> None:
        entry.is_stale = True
        before = entry.table
        table, entry.holders, entry.head, entry.anchor = await self._read(before.id)
        entry.is_stale, entry.middle = False, None
        if not _continues(before, table):
            # The game was restored from a backup, so watchers must get the new state.
            entry.table = table
            for listener in self.listeners:
                asyncio.get_running_loop().call_soon(listener, before, (), table)
        elif table.seq > before.seq:
            self._advance(entry, table.log[before.seq :], table, ())
        entry.table = table

    async def _read(self, game_id: str) -> tuple[Table, list[SeatHolders], str, Table]:
        try:
            log, head = await self.store.log(game_id) if _is_plausible(game_id) else ([], "")
        except GameDamaged as error:
            raise self._quarantined(error) from None
        if not log:
            self._entries.pop(game_id, None)
            raise NotFound("no-such-game", f"{game_id[:40]!r}: there is no such game")
        holders = await self.store.holders(game_id)
        try:
            # In a thread, because the game may be long and its board new.
            table, anchor = await asyncio.to_thread(_from_start, game_id, log)
        except GameDamaged as error:
            raise self._quarantined(error) from None
        return table, holders, head, anchor

    async def _replayed(self, game_id: str, log: Sequence[LogEvent], table: Table) -> Table:
        """The table after further events; a game that can't be replayed for any reason is quarantined."""
        try:
            if len(log) <= MAX_MISSED:
                return replayed(game_id, log, table)
            return await asyncio.to_thread(replayed, game_id, log, table)
        except GameDamaged as error:
            raise self._quarantined(error) from None

    def _quarantined(self, error: GameDamaged) -> GameDamaged:
        if error.id not in self.damaged:
            logger.error("%s", error.message)
        self.damaged[error.id] = error
        self._entries.pop(error.id, None)
        return error.again()

    def _advance(
        self, entry: Entry, log: Sequence[LogEvent], after: Table, also: Sequence[Listener]
    ) -> None:
        before = entry.table
        entry.advance(after)
        self.turns += sum(event.kind == "turn" for event in log)
        loop = asyncio.get_running_loop()
        # Later, so that the caller who waits for the commit gets the response first.
        for listener in (*self.listeners, *also):
            loop.call_soon(listener, before, log, after)

    async def _known(self, game_id: str) -> Entry:
        entry = self._entries.get(game_id)
        if entry is not None:
            self._entries.move_to_end(game_id)
            return entry
        if game_id in self.damaged:
            raise self.damaged[game_id].again()
        task = self._loading.get(game_id)
        if task is None:
            task = asyncio.ensure_future(self._load(game_id))
            self._loading[game_id] = task
            task.add_done_callback(lambda done: self._loaded(game_id, done))
        return await asyncio.shield(task)

    def _loaded(self, game_id: str, task: asyncio.Task[Entry]) -> None:
        self._loading.pop(game_id, None)
        if not task.cancelled():
            task.exception()

    async def _load(self, game_id: str) -> Entry:
        entry = Entry(*await self._read(game_id))
        self._keep(game_id, entry)
        asyncio.get_running_loop().call_soon(self.on_read, entry.table)
        return entry

    def _keep(self, game_id: str, entry: Entry) -> None:
        self._entries[game_id] = entry
        for _ in range(len(self._entries) - self._capacity):
            oldest = next(iter(self._entries))
            if self._entries[oldest].lock.locked() or self.is_watched(oldest):
                self._entries.move_to_end(oldest)
            else:
                del self._entries[oldest]


def _from_start(game_id: str, log: Sequence[LogEvent]) -> tuple[Table, Table]:
    """The table after a whole log, and its anchor."""
    start = max(1, len(log) - MAX_MISSED)
    anchor = replayed(game_id, log[:start])
    if anchor.board is not None:
        board_view(anchor.board)  # fills the cache, because it will be needed soon
    return replayed(game_id, log[start:], anchor), anchor


def _continues(before: Table, after: Table) -> bool:
    """Whether a log that was read again still begins with the known events, except for names."""
    if after.seq < before.seq:
        return False
    old, new = before.log[-1], after.log[before.seq - 1]
    return (old.seq, old.at, old.kind, old.seat, old.key) == (
        new.seq,
        new.at,
        new.kind,
        new.seat,
        new.key,
    )


def _is_plausible(game_id: str) -> bool:
    return 0 < len(game_id) <= 32 and game_id.isascii() and game_id.isalnum()
