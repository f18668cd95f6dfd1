"""The studies in this process's memory, and their watchers.

A batch of changes is checked on the present study in another thread, and committed. Then the caller gets the response, and
all watchers get the changes. If another worker committed first, the batch is checked again on the new study.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Conflict, Forbidden, NotFound, TooMany, Unavailable
from terrarium.play.people import Caller, new_game_id
from terrarium.play.studies import (
    Access,
    Change,
    ReloadMessage,
)
from terrarium.play.study import Study
from terrarium.server.database import studies as rows
from terrarium.server.database.chain import StudyDamaged
from terrarium.server.database.store import Store, is_corrupt
from terrarium.server.database.studies import Event, Facts, Stored, no_such_study
from terrarium.server.database.writing import UniqueViolation
from terrarium.server.live.watched_study import WEIGHT, Entry, dismiss, missed
from terrarium.server.live.watchers import SocketWatcher, Watcher, encoded

__all__ = ["Studies"]

logger = logging.getLogger("terrarium.studies")
T = TypeVar("T")
Decide = Callable[[Study], tuple[Study, Sequence[Change]]]
_ATTEMPTS = 20
_MAX_CACHED = 500
_CACHED_BYTES = 512_000_000
"""Bytes of memory for all studies; beyond this, studies without watchers are dropped."""
_MAX_MEMORY = 1_000_000_000
"""Bytes of memory for watched studies; beyond this, no further study is opened."""
_BATCH = 500
"""How many studies are compared with the database in one transaction."""
_MAX_MISSED = 500_000
"""A client that reconnects gets up to this many bytes of missed changes; beyond this it loads the study again."""
_SMALL = 20_000
"""Up to this many bytes of changes are decoded on the event loop; more in another thread."""
_CHAINED = 20
"""How many logs of the release before get their digests in one transaction."""
_CHAINED_BYTES = 2_000_000
"""How many bytes these logs have together, unless one has more."""
_encode = msgspec.json.Encoder().encode


class Studies:
    """The studies of one process. A damaged study is unavailable until it is restored or deleted; the others are not affected."""

    def __init__(
        self, store: Store, now: Now, work: Callable[[Callable[[], Any]], Awaitable[Any]]
    ) -> None:
        self._store = store
        self._now = now
        self._work = work
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Entry]] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._is_chained = False
        self.damaged: dict[str, StudyDamaged] = {}
        self.worker = secrets.token_hex(4)
        """The id of this process among the workers."""
        self.on_people: Callable[[Entry], None] = lambda entry: None
        """Called when a watcher joins or leaves, or its access changes."""

    async def entry(self, id: str) -> Entry:
        """The present study; raises `NotFound` if there is none."""
        entry = await self._known(id)
        if entry.is_stale or (
            self._store.is_postgres and (await self._facts([id])).get(id) != entry.facts
        ):
            async with self._locked(id) as entry:
                await self._catch_up(entry)
        return entry

    async def facts(self, id: str) -> Facts:
        """The data of a study besides its log, even if the log is damaged."""
        found = (await self._facts([id])).get(id) if _is_plausible(id) else None
        if found is None:
            raise no_such_study(id)
        return found

    async def _facts(self, ids: Sequence[str]) -> dict[str, Facts]:
        found: dict[str, Facts] = await self._store.read(
            lambda connection: rows.facts(connection, ids, self.worker, self._now())
        )
        return found

    async def seen(self, id: str, caller: Caller) -> tuple[Entry, Access]:
        """The study and the caller's access; raises `NotFound` if the caller may not see it."""
        async with self._hidden(id, caller):
            entry = await self.entry(id)
        access = entry.access(caller)
        if access is None:
            raise no_such_study(id)
        return entry, access

    @asynccontextmanager
    async def _hidden(self, id: str, caller: Caller) -> AsyncIterator[None]:
        """Report a damaged study only to people who may see it; for others it does not exist."""
        try:
            yield
        except StudyDamaged:
            if (await self.facts(id)).access(caller.people) is None:
                raise no_such_study(id) from None
            raise

    async def listed(self, caller: Caller) -> Sequence[Any]:
        """The rows of the caller's studies."""
        people = caller.people
        if not people:
            return ()
        found: Sequence[Any] = await self._store.read(
            lambda connection: rows.studies_of(connection, people)
        )
        return found

    async def create(
        self,
        owner: str,
        people: Iterable[str],
        study: Study,
        changes: Sequence[Change],
        key: str | None = None,
    ) -> Entry:
        """Store a new study, unless the owner used the key before."""
        id, data = new_game_id(), await self._work(lambda: _encode(changes).decode())
        names = frozenset({owner, *people})

        async def job(connection: AsyncConnection) -> tuple[str, str]:
            index = study.index()
            now = self._now()
            return await rows.add_study(
                self._store, connection, id, owner, names, key, data, index, now
            )

        made, head = await self._store.write(job)
        if made != id:
            return await self.entry(made)
        size = len(data.encode())
        entry = Entry(id, study, Facts(owner, "private", 1, size, frozenset(), head=head), head)
        self._keep(entry)
        return entry

    async def change(
        self, id: str, caller: Caller, decide: Decide, key: str | None = None
    ) -> tuple[Entry, int]:
        """Decide and commit changes, unless the key was used before; returns the study and the seq of the changes.

        `decide` runs in another thread. Completes even if the caller disconnects.
        """
        return await self._completed(self._change(id, caller, decide, key))

    async def _change(
        self, id: str, caller: Caller, decide: Decide, key: str | None
    ) -> tuple[Entry, int]:
        async with self._hidden(id, caller), self._locked(id) as entry:
            for _ in range(_ATTEMPTS):
                await self._check_editor(entry, caller)
                if key is not None:
                    known = await self._seq_of_key(id, key)
                    if known is not None:
                        return entry, known
                before = entry.study
                after, changes = await self._work(lambda before=before: decide(before))  # type: ignore[misc]
                if await self._commit(entry, caller, after, changes, key):
                    return entry, after.seq
        raise Conflict("busy", "too many people change this study at once; try again")

    async def _check_editor(self, entry: Entry, caller: Caller) -> None:
        if entry.is_stale or self._store.is_postgres:
            await self._catch_up(entry)
        access = entry.access(caller)
        if access is None:
            raise no_such_study(entry.id)
        if access == "reader":
            raise Forbidden("not-an-editor", "you can read this study, but not change it")

    async def changes_at(self, id: str, seq: int) -> Sequence[Change]:
        """The changes of one entry of a log."""
        found: Event = await self._store.read(lambda connection: rows.event(connection, id, seq))
        return rows.decoded(id, [found])[0][1]

    async def _seq_of_key(self, id: str, key: str) -> int | None:
        found: int | None = await self._store.read(
            lambda connection: rows.seq_of_key(connection, id, key)
        )
        return found

    async def _commit(
        self,
        entry: Entry,
        caller: Caller,
        after: Study,
        changes: Sequence[Change],
        key: str | None,
    ) -> bool:
        data = await self._work(lambda: _encode(changes).decode())
        before, digest = entry.facts, entry.digest

        async def job(connection: AsyncConnection) -> str:
            index, now = after.index(), self._now()
            people = caller.people
            head = await rows.append(
                connection, entry.id, people, before, digest, key, data, index, now
            )
            await rows.notify(self._store, connection, entry.id)
            return head

        entry.is_stale = True  # until the commit is confirmed
        try:
            head: str = await self._store.write(job)
        except UniqueViolation:
            return False
        entry.is_stale = False
        size = before.bytes + len(data.encode())
        entry.facts = entry.facts._replace(seq=after.seq, bytes=size, head=head)
        entry.digest = head
        entry.advance(after, changes)
        self._drop_idle(entry)
        return True

    async def written(self, id: str, job: Callable[[AsyncConnection], Awaitable[None]]) -> Entry:
        """Run a job that changes data outside the log, and notify all watchers."""

        async def locked() -> Entry:
            async with self._locked(id) as entry:
                entry.is_stale = True
                await self._store.write(job)
                await self._catch_up(entry)
                return entry

        return await self._completed(locked())

    async def removed(self, id: str, job: Callable[[AsyncConnection], Awaitable[None]]) -> None:
        """Delete a study, even if it is damaged, and notify all watchers."""

        async def all_of_it() -> None:
            await self._store.write(job)
            await self.refresh_all([id])

        await self._completed(all_of_it())

    async def _completed(self, job: Coroutine[Any, Any, T]) -> T:
        """Run a job to its end even if the caller disconnects; returns its result."""
        task = asyncio.ensure_future(job)
        self._running.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # retrieve the exception: the caller may have disconnected

    async def drain(self) -> None:
        """Wait until all running changes are done."""
        while self._running:
            await asyncio.wait(set(self._running))

    async def watch(self, id: str, watcher: SocketWatcher, since: int | None) -> None:
        """Add a watcher: it receives the changes since a seq, then the study itself, then all new changes."""
        try:
            await self._watch(id, watcher, since)
        except NotFound:
            dismiss(watcher)

    async def _watch(self, id: str, watcher: SocketWatcher, since: int | None) -> None:
        async with self._hidden(id, watcher.caller), self._locked(id) as entry:
            await self._catch_up(entry)
            access = entry.access(watcher.caller)
            if access is None:
                raise no_such_study(id)
            if since is not None and since != entry.study.seq:
                await self._send_missed(entry, watcher, since)
            entry.join(watcher, access)
        self.on_people(entry)

    async def _send_missed(self, entry: Entry, watcher: Watcher, since: int) -> None:
        async def job(connection: AsyncConnection) -> tuple[str | None, list[Event]]:
            if await rows.bytes_since(connection, entry.id, since) > _MAX_MISSED:
                return None, []
            digest = await rows.digest_at(connection, entry.id, since)
            return digest, await rows.events(connection, entry.id, since)

        before, log = await self._store.read(job)
        log = [event for event in log if event.seq <= entry.study.seq]
        message = encoded(ReloadMessage(seq=entry.study.seq))
        # Without a digest at `since` the missed changes can't be checked.
        if log and (before or since == 0):
            stored = Stored(entry.facts, since, before, log)
            with suppress(StudyDamaged):
                message = await self._light(log, partial(missed, entry.id, stored))
        watcher.push(message)

    def leave(self, id: str, watcher: SocketWatcher) -> None:
        """Remove a watcher."""
        entry = self._entries.get(id)
        if entry is not None and watcher in entry.watchers:
            entry.watchers.discard(watcher)
            entry.announce_people()
            self.on_people(entry)
            self._drop_idle()

    def here(self, id: str) -> tuple[int, int]:
        """The numbers of connections to this process that can edit a study, and that can only read it."""
        entry = self._entries.get(id)
        return (0, 0) if entry is None else entry.here()

    def watched(self) -> list[Entry]:
        """The studies that are watched."""
        return [entry for entry in self._entries.values() if entry.watchers]

    def signed_in(self) -> list[SocketWatcher]:
        """The watchers that are signed in to an account."""
        return [
            watcher
            for entry in self.watched()
            for watcher in entry.watchers
            if watcher.caller.credential is not None
        ]

    async def refresh(self, id: str) -> None:
        """Read the changes of other workers to a study, if it is in memory."""
        self.damaged.pop(id, None)  # it may have been restored
        if id in self._loading:
            # The load may have started before the change.
            await asyncio.wait({self._loading[id]})
        if id in self._entries:
            with suppress(NotFound, Conflict):
                async with self._locked(id) as entry:
                    await self._catch_up(entry)

    async def refresh_all(self, ids: Iterable[str]) -> None:
        """Refresh several studies; an error in one is logged and does not stop the others."""
        for id in ids:
            try:
                await self.refresh(id)
            except Exception as error:
                logger.warning("study %s: %s", id, type(error).__name__)

    async def catch_up(self) -> None:
        """Compare all watched studies with the database, because a notification may have been lost."""
        ids = [entry.id for entry in self.watched()]
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            found = await self._facts(some)
            known = {id: self._entries[id] for id in some if id in self._entries}
            await self.refresh_all(
                id for id, entry in known.items() if entry.is_stale or entry.facts != found.get(id)
            )

    @asynccontextmanager
    async def _locked(self, id: str) -> AsyncIterator[Entry]:
        """The study with its lock held."""
        while True:
            entry = await self._known(id)
            async with entry.lock:
                # If the entry was dropped from memory meanwhile, use the new one, which others see.
                if self._entries.get(id) is entry:
                    yield entry
                    return

    async def chain(self) -> None:
        """Compute digests for some logs that the release before wrote, until all have them."""
        if not self._is_chained:
            done = await self._store.write(
                lambda connection: rows.chain_some(connection, _CHAINED, _CHAINED_BYTES)
            )
            self._is_chained = done == 0

    async def _known(self, id: str) -> Entry:
        entry = self._entries.get(id)
        if entry is not None:
            self._entries.move_to_end(id)
            return entry
        if id in self.damaged:
            raise self.damaged[id].again()
        task = self._loading.get(id)
        if task is None:
            task = self._loading[id] = asyncio.ensure_future(self._load(id))
            task.add_done_callback(lambda _: self._loading.pop(id, None))
            task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    async def _load(self, id: str) -> Entry:
        stored = await self._stored(id)
        held = sum(one.memory for one in self._entries.values() if one.watchers)
        if held + stored.facts.bytes * WEIGHT > _MAX_MEMORY:
            raise TooMany("large studies open at once", 30)
        study, digest = await self._replayed(id, stored)
        entry = Entry(id, study, stored.facts, digest)
        self._keep(entry)
        return entry

    async def _stored(self, id: str, since: int = 0) -> Stored:
        """The data of a study, and its log after a seq."""

        async def job(connection: AsyncConnection) -> Stored | None:
            now = self._now()
            return await rows.stored(self._store, connection, id, since, self.worker, now)

        try:
            found: Stored | None = await self._store.read(job) if _is_plausible(id) else None
        except Unavailable as error:
            if is_corrupt(error.__cause__):
                problem = StudyDamaged(id, since + 1, "the database file is damaged")
                raise self._quarantined(problem) from error
            raise
        if found is None:
            raise no_such_study(id)
        return found

    async def _replayed(self, id: str, stored: Stored) -> tuple[Study, str]:
        """The study after its whole log, and the digest of its last entry."""

        def job() -> tuple[Study, str]:
            digest = rows.checked(id, stored)
            return rows.replayed(id, stored.log), digest

        try:
            found: tuple[Study, str] = await self._work(job)
        except StudyDamaged as error:
            raise self._quarantined(error) from None
        return found

    def _quarantined(self, error: StudyDamaged) -> StudyDamaged:
        """Remember that a study is damaged, report it once, and end the connections of its watchers; returns the error to raise."""
        if error.id not in self.damaged:
            logger.error("%s", error.message)
        self.damaged[error.id] = error
        entry = self._entries.pop(error.id, None)
        if entry is not None:
            entry.drop()
        return error.again()

    async def _catch_up(self, entry: Entry) -> None:
        """Read the changes of other workers; the caller holds the lock."""
        entry.is_stale = True
        try:
            stored = await self._stored(entry.id, entry.study.seq)
            try:
                steps, digest = await self._light(stored.log, partial(entry.steps, stored))
            except StudyDamaged:
                # The study was restored from a backup, or it is damaged.
                stored = await self._stored(entry.id)
                study, digest = await self._replayed(entry.id, stored)
                entry.restart(study)
                steps = []
        except NotFound:
            self._end(entry)
            raise
        entry.digest = digest
        if entry.learn(stored.facts):
            self.on_people(entry)
        for after, changes in steps:
            entry.advance(after, changes)
        entry.is_stale = False
        self._drop_idle(entry)

    async def _light(self, log: Sequence[Event], job: Callable[[], T]) -> T:
        """Run a job that reads a log: directly if the log is short, otherwise in another thread."""
        if sum(len(event.data) for event in log) <= _SMALL:
            return job()
        found: T = await self._work(job)
        return found

    def _end(self, entry: Entry) -> None:
        """Drop a study that no longer exists, and end the connections of its watchers."""
        self._entries.pop(entry.id, None)
        entry.end()

    def _keep(self, entry: Entry) -> None:
        self._entries[entry.id] = entry
        self._drop_idle(entry)

    def _drop_idle(self, kept: Entry | None = None) -> None:
        """Drop studies without watchers while there are too many, the least recently used first."""
        size = sum(one.memory for one in self._entries.values())
        for one in list(self._entries.values()):
            if size <= _CACHED_BYTES and len(self._entries) <= _MAX_CACHED:
                return
            if one is not kept and not one.watchers and not one.lock.locked():
                size -= one.memory
                del self._entries[one.id]


def _is_plausible(id: str) -> bool:
    return len(id) <= 32 and id.isascii() and id.isalnum()
