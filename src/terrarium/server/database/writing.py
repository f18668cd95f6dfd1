"""Writing to SQLite: one process, one connection, and one flush to disk for all waiting writes.

SQLite before 3.51.3 can corrupt a write-ahead log that several connections write, so only one connection writes
and checkpoints, and a lock on a file beside the database excludes other processes.
"""

from __future__ import annotations

import asyncio
import fcntl
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from terrarium.play.errors import Unavailable
from terrarium.server.settings import InvalidSettings, Settings

__all__ = [
    "GAME_COLUMNS",
    "HANGING_SECONDS",
    "PATIENCE_SECONDS",
    "Append",
    "GroupWriter",
    "Job",
    "UniqueViolation",
    "lenient",
    "locked",
    "outcome_unknown",
    "sqlite_engine",
    "unavailable",
]

Job = Callable[[AsyncConnection], Awaitable[Any]]
PATIENCE_SECONDS = 8.0
"""How long a request waits for the database."""
HANGING_SECONDS = 1.0
"""How long all further requests are refused at once after one waited too long."""
_BATCH = 64
_INSERT_SQL = (
    "INSERT INTO events (game_id, seq, at, kind, seat, key, data, digest) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
GAME_COLUMNS = (
    "status",
    "has_open_seat",
    "seq",
    "turns",
    "names",
    "awaits_computer",
    "deadline",
    "updated",
    "head",
)
"""The columns of a game's row that change with every event."""
_UPDATE_SQL = f"UPDATE games SET {', '.join(f'{name} = ?' for name in GAME_COLUMNS)} WHERE id = ? AND head = ?"


class UniqueViolation(Exception):
    """Another writer already stored this seq of the game, or this key, or rewrote the log."""


class Append(NamedTuple):
    """Events to add to a game, as values for the driver: the rows, and the game's row as `GAME_COLUMNS`, id and last digest."""

    rows: Sequence[tuple[Any, ...]]
    game: tuple[Any, ...]


def unavailable() -> Unavailable:
    """The error for a failed database."""
    return Unavailable(
        "database-unavailable",
        "the database does not answer; nothing was changed, try again in a moment",
        retry_after=1,
    )


def outcome_unknown() -> Unavailable:
    """The error for a database that failed during a commit; the commit may have succeeded."""
    return Unavailable(
        "outcome-unknown",
        "the database stopped answering while this was being stored, and it is unknown whether it was; "
        "send it again with the same key, or if it had none, look first whether it is there",
        retry_after=1,
    )


class GroupWriter:
    """The only connection that writes; it commits all waiting writes together."""

    def __init__(self, engine: AsyncEngine, on_late: Callable[[], None]) -> None:
        self._on_late = on_late
        """Called when a write ends for which nobody waits any more."""
        self._hangs_until = 0.0
        self.commits = 0
        self.writes = 0
        self._engine = engine
        self._is_closing = False
        self._queue: asyncio.Queue[tuple[Job | Append, asyncio.Future[Any]] | None] = (
            asyncio.Queue()
        )
        self._begun: set[asyncio.Future[Any]] = set()
        """The writes of the present batch."""
        self._begun_at = 0.0
        self._task = asyncio.create_task(self._run(), name="store-writer")

    async def write(self, job: Job | Append) -> Any:
        """Run a job in a transaction; returns when it is on disk.

        If the database does not answer, a write that has not begun is removed from the queue.
        """
        if self._is_closing or self._task.done():
            raise Unavailable("stopping", "the server is stopping; try again in a moment")
        loop = asyncio.get_running_loop()
        if loop.time() < self._hangs_until:
            raise unavailable()
        future: asyncio.Future[Any] = loop.create_future()
        self._queue.put_nowait((job, future))
        try:
            await asyncio.wait({future}, timeout=PATIENCE_SECONDS)
        except asyncio.CancelledError:
            future.cancel()
            raise
        if future.done():
            return future.result()
        self._hangs_until = loop.time() + HANGING_SECONDS
        if future not in self._begun:
            future.cancel()
            raise unavailable()
        future.add_done_callback(self._ended_late)
        raise outcome_unknown()

    @property
    def is_stuck(self) -> bool:
        """Whether the present batch takes so long that further writes would probably fail."""
        is_waiting = any(not future.done() for future in self._begun)
        late = asyncio.get_running_loop().time() - self._begun_at
        return is_waiting and late > PATIENCE_SECONDS / 2

    def _ended_late(self, future: asyncio.Future[Any]) -> None:
        if future.exception() is None:
            self._on_late()

    async def close(self) -> None:
        """Finish all waiting writes."""
        self._is_closing = True
        self._queue.put_nowait(None)
        await self._task

    async def _run(self) -> None:
        async with self._engine.connect() as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            assert raw is not None
            is_open = True
            while is_open:
                batch = [await self._queue.get()]
                while len(batch) < _BATCH and not self._queue.empty():
                    batch.append(self._queue.get_nowait())
                is_open = None not in batch
                items = [item for item in batch if item is not None]
                appends = [item for item in items if isinstance(item[0], Append)]
                if begun := self._begin(appends):
                    await self._commit_appends(raw, begun)
                jobs = [item for item in items if not isinstance(item[0], Append)]
                if begun := self._begin(jobs):
                    await self._commit(connection, begun)

    def _begin(
        self, items: list[tuple[Any, asyncio.Future[Any]]]
    ) -> list[tuple[Any, asyncio.Future[Any]]]:
        """The items for which somebody still waits."""
        begun = [item for item in items if not item[1].cancelled()]
        self._begun = {future for _, future in begun}
        self._begun_at = asyncio.get_running_loop().time()
        return begun

    async def _commit_appends(self, raw: Any, items: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        """Commit many turns at once, directly through the driver for speed, because every player waits for this."""
        problem: Exception | None = None
        is_committing = False
        try:
            await raw.execute("BEGIN IMMEDIATE")
            await raw.executemany(_INSERT_SQL, [row for item, _ in items for row in item.rows])
            games = await raw.executemany(_UPDATE_SQL, [item.game for item, _ in items])
            if games.rowcount != len(items):
                raise UniqueViolation
            is_committing = True
            await raw.execute("COMMIT")
            self.commits += 1
            self.writes += len(items)
        except Exception as error:
            with suppress(Exception):
                await raw.execute("ROLLBACK")
            is_conflict = isinstance(error, sqlite3.IntegrityError | UniqueViolation)
            if is_conflict and len(items) > 1:
                # One of these games was changed by another writer; the others must not fail with it.
                for item in items:
                    await self._commit_appends(raw, [item])
                return
            failed = outcome_unknown() if is_committing else unavailable()
            problem = UniqueViolation() if is_conflict else failed
        for _, future in items:
            if future.cancelled():
                continue
            if problem is None:
                future.set_result(None)
            else:
                future.set_exception(problem)

    async def _commit(
        self, connection: AsyncConnection, jobs: list[tuple[Any, asyncio.Future[Any]]]
    ) -> None:
        done: list[tuple[asyncio.Future[Any], Any, BaseException | None]] = []
        is_committing = False
        try:
            async with connection.begin():
                for job, future in jobs:
                    try:
                        async with connection.begin_nested():
                            done.append((future, await job(connection), None))
                    except IntegrityError:
                        done.append((future, None, UniqueViolation()))
                    except SQLAlchemyError:
                        done.append((future, None, unavailable()))
                    except Exception as error:
                        done.append((future, None, error))
                is_committing = True
        except Exception:
            failed = outcome_unknown if is_committing else unavailable
            done = [
                (future, None, failed() if problem is None else problem)
                for future, _, problem in [
                    *done,
                    *((item[1], None, None) for item in jobs[len(done) :]),
                ]
            ]
        else:
            self.commits += 1
            self.writes += len(jobs)
        for future, result, problem in done:
            if future.cancelled():
                continue
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Hold the lock of a SQLite database, so that no other process writes to it; it is released when the process ends."""
    if settings.is_postgres:
        yield
        return
    settings.database_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = settings.database_path.with_name(settings.database_path.name + ".lock")
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = (
                f"{settings.database_path}: another Terrarium uses this database; stop it first"
            )
            raise InvalidSettings("database-in-use", message) from None
        yield


def lenient(data: bytes) -> str:
    """The bytes as text; invalid UTF-8 is replaced."""
    return data.decode(errors="replace")


def sqlite_engine(settings: Settings, *, is_writer: bool) -> AsyncEngine:
    options: dict[str, Any] = {"poolclass": StaticPool} if is_writer else {"pool_size": 4}
    engine = create_async_engine(settings.database_url, **options)

    @event.listens_for(engine.sync_engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        # The driver must not begin transactions; ours begin by taking the write lock.
        connection.isolation_level = None
        # Damaged text must not make a whole result unreadable; the digests reveal it.
        connection.driver_connection.text_factory = lenient
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout = 5000")
        if is_writer:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA foreign_keys = ON")
        else:
            cursor.execute("PRAGMA query_only = ON")
            cursor.execute("PRAGMA wal_autocheckpoint = 0")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begun(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")

    return engine
