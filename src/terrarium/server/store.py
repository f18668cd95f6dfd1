"""The event log: what is committed here happened, and nothing else did.

Every write is one transaction. On SQLite one connection writes for the whole process and commits whatever is
waiting together, so that many games share one flush to disk; on PostgreSQL every write has its own transaction.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import delete, event, insert, select, text, update
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from terrarium.server import schema
from terrarium.server.errors import Unavailable
from terrarium.server.migrations import upgrade
from terrarium.server.settings import InvalidSettings, Settings

__all__ = ["Job", "SeatRow", "SeqTaken", "Store", "StoredEvent", "check_database", "locked"]

Job = Callable[[AsyncConnection], Awaitable[Any]]

logger = logging.getLogger("terrarium.store")
MIGRATION_LOCK = 7_241_905
_BATCH = 64
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


class SeqTaken(Exception):
    """Another writer was first with this seq of this game, or with this key."""


class StoredEvent(msgspec.Struct, frozen=True):
    """One row of the log."""

    seq: int
    at: int
    kind: str
    seat: int | None
    data: dict[str, Any]
    key: str | None = None


class SeatRow(msgspec.Struct, frozen=True):
    """Who holds a seat: the hash of its secret, and the people whose cookies hold it."""

    secret_hash: str | None = None
    people: frozenset[str] = frozenset()


class _Append(NamedTuple):
    """Events to add, ready for the driver; values in the order of `_INSERT_SQL` and `_UPDATE_SQL`."""

    rows: list[tuple[Any, ...]]
    game: tuple[Any, ...]


class Store:
    """The database of one server process."""

    def __init__(self, settings: Settings) -> None:
        self.is_postgres = settings.is_postgres
        self._settings = settings
        self._queue: asyncio.Queue[tuple[Job | _Append, asyncio.Future[Any]] | None] = (
            asyncio.Queue()
        )
        self._writer: asyncio.Task[None] | None = None
        self._lock = ExitStack()
        self.commits = 0
        self.jobs = 0
        if self.is_postgres:
            self._engine = create_async_engine(
                settings.database_url,
                pool_size=8,
                max_overflow=8,
                pool_timeout=10,
                pool_pre_ping=True,
            )
            self._reading = self._engine
        else:
            settings.database_path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = _sqlite_engine(settings, is_writer=True)
            self._reading = _sqlite_engine(settings, is_writer=False)

    async def open(self) -> None:
        """Migrate the database to the newest schema and start writing."""
        self._lock.enter_context(locked(self._settings))
        while True:
            try:
                await self._migrate()
                break
            except (OperationalError, OSError) as error:
                # A worker that starts while the database restarts waits for it; a file does not come back.
                if not self.is_postgres:
                    raise
                logger.warning("waiting for the database: %s", type(error).__name__)
                await asyncio.sleep(1.0)
        if not self.is_postgres:
            self._writer = asyncio.create_task(self._write_all(), name="store-writer")

    async def _migrate(self) -> None:
        async with self._engine.begin() as connection:
            if self.is_postgres:
                await connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            await connection.run_sync(upgrade)

    async def close(self) -> None:
        """Finish every write that was asked for, then close; the writer closes last and checkpoints."""
        if self._writer is not None:
            self._queue.put_nowait(None)
            await self._writer
            self._writer = None
        if self._reading is not self._engine:
            await self._reading.dispose()
        await self._engine.dispose()
        self._lock.close()

    async def write(self, job: Job) -> Any:
        """Run `job` in a transaction; returns once it is on disk."""
        if self.is_postgres:
            try:
                async with self._engine.begin() as connection:
                    result = await job(connection)
            except IntegrityError as error:
                raise SeqTaken from error
            except (SQLAlchemyError, OSError) as error:
                raise _unavailable(error) from error
            self.commits += 1
            self.jobs += 1
            return result
        return await self._queued(job)

    async def _queued(self, job: Job | _Append) -> Any:
        if self._writer is None or self._writer.done():
            raise Unavailable("stopping", "the server is stopping; try again in a moment")
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((job, future))
        return await future

    async def read(self, job: Job) -> Any:
        """Run `job` on a connection that only reads."""
        try:
            async with self._reading.connect() as connection:
                return await job(connection)
        except (SQLAlchemyError, OSError) as error:
            raise _unavailable(error) from error

    async def _write_all(self) -> None:
        async with self._engine.connect() as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            assert raw is not None
            is_open = True
            while is_open:
                batch = [await self._queue.get()]
                while len(batch) < _BATCH and not self._queue.empty():
                    batch.append(self._queue.get_nowait())
                is_open = None not in batch
                appends = [
                    item for item in batch if item is not None and isinstance(item[0], _Append)
                ]
                jobs = [
                    item for item in batch if item is not None and not isinstance(item[0], _Append)
                ]
                if appends:
                    await self._commit_appends(raw, appends)
                if jobs:
                    await self._commit(connection, jobs)

    async def _commit_appends(self, raw: Any, items: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        """Commit many turns at once, straight through the driver: this is what everybody waits for."""
        problem: Exception | None = None
        try:
            await raw.execute("BEGIN IMMEDIATE")
            await raw.executemany(_INSERT_SQL, [row for item, _ in items for row in item.rows])
            await raw.executemany(_UPDATE_SQL, [item.game for item, _ in items])
            await raw.execute("COMMIT")
            self.commits += 1
            self.jobs += len(items)
        except Exception as error:
            with suppress(Exception):
                await raw.execute("ROLLBACK")
            is_conflict = isinstance(error, sqlite3.IntegrityError)
            if is_conflict and len(items) > 1:
                # Somebody was faster in one of these games; the others are not concerned.
                for item in items:
                    await self._commit_appends(raw, [item])
                return
            problem = SeqTaken() if is_conflict else _unavailable(error)
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
        try:
            async with connection.begin():
                for job, future in jobs:
                    try:
                        async with connection.begin_nested():
                            done.append((future, await job(connection), None))
                    except IntegrityError:
                        done.append((future, None, SeqTaken()))
                    except Exception as error:
                        done.append((future, None, error))
        except Exception as error:
            # The commit itself failed: nothing of the batch happened.
            done = [(future, None, _unavailable(error)) for _, future in jobs]
        else:
            self.commits += 1
            self.jobs += len(jobs)
        for future, result, problem in done:
            if future.cancelled():
                continue
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)

    async def create(
        self, game: dict[str, Any], log: Sequence[StoredEvent], holders: Sequence[SeatRow]
    ) -> None:
        """Write a new game: its row, its first events and who holds its seats."""

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(insert(schema.games), [game])
            await connection.execute(insert(schema.events), _rows(game["id"], log))
            await _write_holders(connection, game["id"], dict(enumerate(holders)), is_new=True)

        await self.write(job)

    async def append(
        self,
        game_id: str,
        log: Sequence[StoredEvent],
        index: dict[str, Any],
        holders: dict[int, SeatRow] | None = None,
    ) -> None:
        """Add events to a game whose last seq is the one before them; raises `SeqTaken` otherwise."""
        if not self.is_postgres and not holders:
            await self._queued(_Append(_tuples(game_id, log), (*index.values(), game_id)))
            return

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(_INSERT_EVENT, _rows(game_id, log))
            await connection.execute(_UPDATE_GAME, index | {"game": game_id})
            if holders:
                await _write_holders(connection, game_id, holders, is_new=False)
            if self.is_postgres:
                await connection.execute(_NOTIFY, {"payload": f"{game_id} {log[-1].seq}"})

        await self.write(job)

    async def events(self, game_id: str, since: int = 0) -> list[StoredEvent]:
        """The events of a game after a seq, in order; none if there is no such game."""

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            result = await connection.execute(_SELECT_EVENTS, {"game": game_id, "since": since})
            return result.all()

        return [
            StoredEvent(row.seq, row.at, row.kind, row.seat, _decode(row.data), row.key)
            for row in await self.read(job)
        ]

    async def holders(self, game_id: str) -> list[SeatRow]:
        """Who holds each seat of a game."""

        async def job(connection: AsyncConnection) -> list[SeatRow]:
            table, people = schema.seats, schema.holders
            query = select(table).where(table.c.game_id == game_id).order_by(table.c.seat)
            rows = (await connection.execute(query)).all()
            held = await connection.execute(select(people).where(people.c.game_id == game_id))
            pairs = [(row.seat, row.person) for row in held.all()]
            return [
                SeatRow(row.secret_hash, frozenset(who for seat, who in pairs if seat == row.seat))
                for row in rows
            ]

        result: list[SeatRow] = await self.read(job)
        return result

    async def check(self) -> None:
        """Ask the database for a sign of life; raises `Unavailable`."""

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(text("SELECT 1"))

        await self.read(job)

    async def pragmas(self) -> dict[str, Any]:
        """The settings of the SQLite writer that the promise about disks rests on."""

        async def job(connection: AsyncConnection) -> dict[str, Any]:
            names = ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint")
            return {
                name: (await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in names
            }

        result: dict[str, Any] = await self.write(job)
        return result


_INSERT_EVENT = insert(schema.events)
_UPDATE_GAME = text(
    "UPDATE games SET status = :status, has_open_seat = :has_open_seat, seq = :seq, turns = :turns, names = :names, "
    "awaits_computer = :awaits_computer, deadline = :deadline, updated = :updated WHERE id = :game"
)
_INSERT_SQL = (
    "INSERT INTO events (game_id, seq, at, kind, seat, key, data) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE_SQL = (
    "UPDATE games SET status = ?, has_open_seat = ?, seq = ?, turns = ?, names = ?, "
    "awaits_computer = ?, deadline = ?, updated = ? WHERE id = ?"
)
_SELECT_EVENTS = text(
    "SELECT seq, at, kind, seat, data, key FROM events WHERE game_id = :game AND seq > :since ORDER BY seq"
)
_NOTIFY = text("SELECT pg_notify('terrarium', :payload)")


def _rows(game_id: str, log: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    return [
        {
            "game_id": game_id,
            "seq": item.seq,
            "at": item.at,
            "kind": item.kind,
            "seat": item.seat,
            "key": item.key,
            "data": _encode(item.data).decode(),
        }
        for item in log
    ]


def _tuples(game_id: str, log: Sequence[StoredEvent]) -> list[tuple[Any, ...]]:
    return [
        (game_id, item.seq, item.at, item.kind, item.seat, item.key, _encode(item.data).decode())
        for item in log
    ]


async def _write_holders(
    connection: AsyncConnection, game_id: str, holders: Mapping[int, SeatRow], *, is_new: bool
) -> None:
    seats, people = schema.seats, schema.holders
    for seat, row in holders.items():
        if is_new:
            values = {"game_id": game_id, "seat": seat, "secret_hash": row.secret_hash}
            await connection.execute(insert(seats).values(values))
        else:
            await connection.execute(
                update(seats)
                .where(seats.c.game_id == game_id, seats.c.seat == seat)
                .values(secret_hash=row.secret_hash)
            )
            await connection.execute(
                delete(people).where(people.c.game_id == game_id, people.c.seat == seat)
            )
        if row.people:
            held = [{"game_id": game_id, "seat": seat, "person": who} for who in sorted(row.people)]
            await connection.execute(insert(people), held)


def _unavailable(error: BaseException) -> Unavailable:
    return Unavailable(
        "database-unavailable",
        "the database does not answer; nothing was changed, try again in a moment",
        retry_after=1,
    )


def check_database(settings: Settings) -> None:
    """Refuse an address at which no PostgreSQL answers, before anything waits for it."""
    if not settings.is_postgres:
        return
    import psycopg

    try:
        psycopg.connect(settings.postgres_dsn, connect_timeout=10).close()
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[-1]
        message = f"{settings.describe()['database']}: the database does not answer: {reason}"
        raise InvalidSettings("database-unavailable", message) from None


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Sure that no other process writes this SQLite database; it ends with the process, however that ends."""
    if settings.is_postgres:
        yield
        return
    settings.database_path.parent.mkdir(parents=True, exist_ok=True)
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


def _sqlite_engine(settings: Settings, *, is_writer: bool) -> AsyncEngine:
    options: dict[str, Any] = {"poolclass": StaticPool} if is_writer else {"pool_size": 4}
    engine = create_async_engine(settings.database_url, **options)

    @event.listens_for(engine.sync_engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        # The driver must not begin transactions by itself: ours begin with the write lock.
        connection.isolation_level = None
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
