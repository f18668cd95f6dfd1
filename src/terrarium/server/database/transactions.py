"""Connections and transactions, on SQLite and PostgreSQL.

On SQLite one connection writes for the whole process and commits all waiting writes together, so that many games
share one flush to disk. On PostgreSQL every write has its own transaction.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any

from sqlalchemy import create_engine, text
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from terrarium.play.errors import Unavailable, Unprocessable
from terrarium.server.database.migrations import refuse_newer, upgrade
from terrarium.server.database.writing import (
    HANGING_SECONDS,
    PATIENCE_SECONDS,
    GroupWriter,
    Job,
    UniqueViolation,
    locked,
    outcome_unknown,
    sqlite_engine,
    unavailable,
)
from terrarium.server.operation.tracing import Span, no_span
from terrarium.server.settings import InvalidSettings, Settings

__all__ = ["Database", "check_database"]

logger = logging.getLogger("terrarium.store")
MIGRATION_LOCK = 7_241_905
_NOTIFY = text("SELECT pg_notify('terrarium', :payload)")


class Database:
    """The connections of one server process to its database; every job is one transaction."""

    def __init__(self, settings: Settings) -> None:
        self.is_postgres = settings.is_postgres
        self._settings = settings
        self._writer: GroupWriter | None = None
        self._lock = ExitStack()
        self._commits = 0
        self._hangs_until = 0.0
        self.span: Span = no_span
        self.on_late: Callable[[], None] = lambda: None
        """Called on SQLite when a write succeeds after its caller got the error that its outcome is unknown."""
        if self.is_postgres:
            self._engine = create_async_engine(
                settings.database_url,
                pool_size=8,
                max_overflow=8,
                pool_timeout=5,
                pool_pre_ping=True,
                connect_args={"connect_timeout": 5, "options": "-c statement_timeout=7000"},
            )
            self._reading = self._engine
        else:
            settings.database_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._engine = sqlite_engine(settings, is_writer=True)
            self._reading = sqlite_engine(settings, is_writer=False)

    async def open(self) -> None:
        """Migrate the database to the newest schema and start writing."""
        self._lock.enter_context(locked(self._settings))
        while True:
            try:
                await self._migrate()
                break
            except (OperationalError, OSError) as error:
                # A worker that starts while PostgreSQL restarts waits for it; with SQLite waiting would not help.
                if not self.is_postgres:
                    raise
                logger.warning("waiting for the database: %s", type(error).__name__)
                await asyncio.sleep(1.0)
        if not self.is_postgres:
            self._writer = GroupWriter(self._engine, lambda: self.on_late())

    @property
    def commits(self) -> int:
        """The number of committed transactions."""
        return self._commits if self._writer is None else self._writer.commits

    @property
    def writes(self) -> int:
        """The number of writes in those transactions."""
        return self._commits if self._writer is None else self._writer.writes

    async def _migrate(self) -> None:
        async with self._engine.begin() as connection:
            if self.is_postgres:
                # Migrating much data, or waiting for another worker's migration, can take long.
                await connection.execute(text("SET LOCAL statement_timeout = 0"))
                await connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            await connection.run_sync(upgrade)

    async def close(self) -> None:
        """Finish all waiting writes, then close; the writer closes last and checkpoints."""
        if self._writer is not None:
            await self._writer.close()
        if self._reading is not self._engine:
            await self._reading.dispose()
        await self._engine.dispose()
        self._lock.close()

    async def write(self, job: Job) -> Any:
        """Run `job` in a transaction; returns when it is on disk."""
        with self.span("database write"):
            if self.is_postgres:
                return await self._bounded(self._write(job))
            return await self._group().write(job)

    async def _write(self, job: Job) -> Any:
        is_committing = False
        try:
            async with self._engine.begin() as connection:
                result = await job(connection)
                is_committing = True
        except asyncio.CancelledError as error:
            if is_committing:
                raise outcome_unknown() from error
            raise
        except IntegrityError as error:
            raise UniqueViolation from error
        except DataError as error:
            raise _unstorable() from error
        except (SQLAlchemyError, OSError) as error:
            raise (outcome_unknown() if is_committing else unavailable()) from error
        self._commits += 1
        return result

    async def _bounded(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Give up waiting if PostgreSQL hangs; for a short time all further requests are refused at once.

        The work is abandoned, because a frozen server can't even cancel it.
        """
        loop = asyncio.get_running_loop()
        if loop.time() < self._hangs_until:
            work.close()
            raise unavailable()
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            return task.result()
        self._hangs_until = loop.time() + HANGING_SECONDS
        task.cancel()
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise outcome_unknown()

    def _group(self) -> GroupWriter:
        if self._writer is None:
            raise Unavailable("stopping", "the server is not ready; try again in a moment")
        return self._writer

    async def read(self, job: Job) -> Any:
        """Run `job` on a read-only connection."""
        with self.span("database read"):
            if not self.is_postgres:
                return await self._read(job)
            try:
                return await self._bounded(self._read(job))
            except Unavailable as error:
                raise unavailable() from error.__cause__

    async def _read(self, job: Job) -> Any:
        try:
            async with self._reading.connect() as connection:
                return await job(connection)
        except DataError as error:
            raise _unstorable() from error
        except (SQLAlchemyError, OSError) as error:
            raise unavailable() from error

    async def lock(self, connection: AsyncConnection, name: str) -> None:
        """Wait until no other transaction holds the lock with this name; not needed on SQLite, which has one writer.

        Use it for transactions that must not overlap, for instance because they count rows and then add one.
        """
        if self.is_postgres:
            query = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
            await connection.execute(query, {"name": name})

    async def announce(self, connection: AsyncConnection, payload: str) -> None:
        """Send a notification to all workers when this transaction is committed."""
        if self.is_postgres:
            await connection.execute(_NOTIFY, {"payload": payload})

    async def check(self) -> None:
        """Check that the database answers, and on SQLite that it is not stuck in a write; raises `Unavailable`."""
        if self._writer is not None and self._writer.is_stuck:
            raise unavailable()

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(text("SELECT 1"))

        await self.read(job)

    async def pragmas(self) -> dict[str, Any]:
        """The settings of the SQLite writer that matter for durability."""

        async def job(connection: AsyncConnection) -> dict[str, Any]:
            names = ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint")
            return {
                name: (await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in names
            }

        result: dict[str, Any] = await self.write(job)
        return result


def _unstorable() -> Unprocessable:
    """The error for input that PostgreSQL can't store, such as a NUL in a text."""
    message = "a text or number that can't be stored: leave out control characters"
    return Unprocessable("invalid-text", message)


def check_database(settings: Settings) -> None:
    """Refuse an unusable database before the server starts: PostgreSQL doesn't answer, or the file isn't a database of ours.

    The caller holds the lock of a SQLite file, so no other server has it open.
    """
    if not settings.is_postgres:
        _check_file(settings)
        return
    engine = create_engine(settings.database_url, connect_args={"connect_timeout": 10})
    try:
        with engine.connect() as connection:
            refuse_newer(connection)
    except DatabaseError as error:
        reason = str(error.orig).strip().splitlines()[-1]
        message = f"{settings.describe()['database']}: the database does not answer: {reason}"
        raise InvalidSettings("database-unavailable", message) from None
    finally:
        engine.dispose()


def _check_file(settings: Settings) -> None:
    if not settings.database_path.exists():
        return
    engine = create_engine(f"sqlite:///{settings.database_path}")
    try:
        with engine.connect() as connection:
            refuse_newer(connection)
            # Another program, such as a database tool, may hold SQLite's own lock.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("ROLLBACK")
    except DatabaseError as error:
        message = f"{settings.database_path}: can't be used as the database: {error.orig}"
        raise InvalidSettings("database-unreadable", message) from None
    finally:
        engine.dispose()
