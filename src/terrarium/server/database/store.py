"""The event log: what is committed here happened, and nothing else did.

Every write is one transaction. On SQLite one connection writes for the whole process and commits whatever is
waiting together, so that many games share one flush to disk; on PostgreSQL every write has its own transaction.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from sqlalchemy import create_engine, delete, insert, select, text, update
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    IntegrityError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from terrarium.play.errors import Forbidden, Unavailable, Unprocessable
from terrarium.play.log import LogEvent, NewGameRows, SeatHolders
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged, checked, links
from terrarium.server.database.migrations import refuse_newer, upgrade
from terrarium.server.database.writing import (
    GAME_COLUMNS,
    Append,
    GroupWriter,
    Job,
    UniqueViolation,
    locked,
    outcome_unknown,
    sqlite_engine,
    unavailable,
)
from terrarium.server.settings import InvalidSettings, Settings

__all__ = [
    "Job",
    "Rewritten",
    "Store",
    "UniqueViolation",
    "check_database",
    "locked",
]

logger = logging.getLogger("terrarium.store")
MIGRATION_LOCK = 7_241_905
_PATIENCE_SECONDS = 8.0
_HANGING_SECONDS = 1.0


class Rewritten(Exception):
    """A game's log is not the one that was known: names were removed from it."""


class Store:
    """The database of one server process."""

    def __init__(self, settings: Settings) -> None:
        self.is_postgres = settings.is_postgres
        self._settings = settings
        self._writer: GroupWriter | None = None
        self._lock = ExitStack()
        self._commits = 0
        self._hangs_until = 0.0
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
                # A worker that starts while the database restarts waits for it; a file does not come back.
                if not self.is_postgres:
                    raise
                logger.warning("waiting for the database: %s", type(error).__name__)
                await asyncio.sleep(1.0)
        if not self.is_postgres:
            self._writer = GroupWriter(self._engine)

    @property
    def commits(self) -> int:
        """Transactions committed so far."""
        return self._commits if self._writer is None else self._writer.commits

    @property
    def writes(self) -> int:
        """What was written in those transactions."""
        return self._commits if self._writer is None else self._writer.writes

    async def _migrate(self) -> None:
        async with self._engine.begin() as connection:
            if self.is_postgres:
                # A migration of much data takes its time, and so does waiting for another worker's.
                await connection.execute(text("SET LOCAL statement_timeout = 0"))
                await connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            await connection.run_sync(upgrade)

    async def close(self) -> None:
        """Finish every write that was asked for, then close; the writer closes last and checkpoints."""
        if self._writer is not None:
            await self._writer.close()
        if self._reading is not self._engine:
            await self._reading.dispose()
        await self._engine.dispose()
        self._lock.close()

    async def write(self, job: Job) -> Any:
        """Run `job` in a transaction; returns once it is on disk."""
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
        """Give up on a PostgreSQL that hangs; for a moment all further requests are refused at once.

        The work is left behind: what a frozen server was asked can't even be cancelled before it runs again.
        """
        loop = asyncio.get_running_loop()
        if loop.time() < self._hangs_until:
            work.close()
            raise unavailable()
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=_PATIENCE_SECONDS)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            return task.result()
        self._hangs_until = loop.time() + _HANGING_SECONDS
        task.cancel()
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise outcome_unknown()

    def _group(self) -> GroupWriter:
        if self._writer is None:
            raise Unavailable("stopping", "the server is not ready; try again in a moment")
        return self._writer

    async def read(self, job: Job) -> Any:
        """Run `job` on a connection that only reads."""
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

    async def create(self, new: NewGameRows, account: str | None = None) -> str:
        """Write a new game; returns its last digest. `account`, if given, must still exist."""

        async def job(connection: AsyncConnection) -> str:
            gone = await _gone(connection, account, new.holders)
            return await self._insert(connection, new, gone)

        head: str = await self.write(job)
        return head

    async def _insert(
        self, connection: AsyncConnection, new: NewGameRows, gone: Collection[str]
    ) -> str:
        game_id = new.game["id"]
        rows = links(game_id, new.log)
        head = rows[-1].digest
        await connection.execute(insert(schema.games), [new.game | {"head": head}])
        await connection.execute(_INSERT_EVENT, [row._asdict() for row in rows])
        await _write_holders(connection, game_id, dict(enumerate(new.holders)), gone, is_new=True)
        await self.notify(connection, game_id, new.log[-1].seq)
        return head

    async def notify(self, connection: AsyncConnection, game_id: str, seq: int) -> None:
        """Tell the other workers where to look, if there can be any."""
        await self.tell(connection, f"{game_id} {seq}")

    async def tell(self, connection: AsyncConnection, payload: str) -> None:
        """Send a notification to all workers with this transaction."""
        if self.is_postgres:
            await connection.execute(_NOTIFY, {"payload": payload})

    async def append(
        self,
        game_id: str,
        log: Sequence[LogEvent],
        index: dict[str, Any],
        before: str,
        holders: dict[int, SeatHolders] | None = None,
        new: NewGameRows | None = None,
        account: str | None = None,
    ) -> str:
        """Add events to a game whose last digest is `before`; raises `UniqueViolation` if it is another one.

        A `new` game that these events announce is written with them or not at all. `account`, if given, must still exist.
        Returns the game's new last digest.
        """
        rows = links(game_id, log, before)
        head = rows[-1].digest
        index = index | {"head": head}
        if not self.is_postgres and not holders and new is None and account is None:
            game = (*(index[name] for name in GAME_COLUMNS), game_id, before)
            await self._group().write(Append(rows, game))
            return head

        async def job(connection: AsyncConnection) -> None:
            changed = [*(holders or {}).values(), *(() if new is None else new.holders)]
            gone = await _gone(connection, account, changed)
            await connection.execute(_INSERT_EVENT, [row._asdict() for row in rows])
            values = index | {"game": game_id, "before": before}
            if (await connection.execute(_UPDATE_GAME, values)).rowcount != 1:
                raise UniqueViolation
            if holders:
                await _write_holders(connection, game_id, holders, gone, is_new=False)
            if new is not None:
                await self._insert(connection, new, gone)
            await self.notify(connection, game_id, log[-1].seq)

        await self.write(job)
        return head

    async def log(
        self, game_id: str, since: int = 0, before: str = ""
    ) -> tuple[list[LogEvent], str]:
        """The events of a game after a seq, checked, and its last digest; none if there is no such game.

        `before` is the digest at `since`: if it is another one by now, `Rewritten` is raised. `GameDamaged` says that the
        chain is broken.
        """

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            result = await connection.execute(_SELECT_EVENTS, {"game": game_id, "since": since})
            return result.all()

        try:
            rows = await self.read(job)
        except Unavailable as error:
            if _is_corrupt(error.__cause__):
                raise GameDamaged(game_id, since + 1, "the database file is damaged") from error
            raise
        if since:
            if not rows or rows[0].seq != since or rows[0].digest != before:
                raise Rewritten
            found, rows = rows[0].head, rows[1:]
        else:
            found = rows[-1].head if rows else ""
        events = checked(game_id, rows, before, since)
        head = rows[-1].digest if rows else before
        if head != found:
            raise GameDamaged(game_id, since + len(rows) + 1, "the last events are missing")
        return events, head

    async def holders(self, game_id: str) -> list[SeatHolders]:
        """Who holds each seat of a game."""

        async def job(connection: AsyncConnection) -> list[SeatHolders]:
            table, people = schema.seats, schema.holders
            query = select(table).where(table.c.game_id == game_id).order_by(table.c.seat)
            rows = (await connection.execute(query)).all()
            held = await connection.execute(select(people).where(people.c.game_id == game_id))
            pairs = [(row.seat, row.person) for row in held.all()]
            return [
                SeatHolders(
                    row.secret_hash, frozenset(who for seat, who in pairs if seat == row.seat)
                )
                for row in rows
            ]

        result: list[SeatHolders] = await self.read(job)
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
    f"UPDATE games SET {', '.join(f'{name} = :{name}' for name in GAME_COLUMNS)} "
    "WHERE id = :game AND head = :before"
)
# With the row at `since`, whose digest shows whether the log before it is the one we know.
_SELECT_EVENTS = text(
    "SELECT e.seq, e.at, e.kind, e.seat, e.data, e.key, e.digest, g.head "
    "FROM events e JOIN games g ON g.id = e.game_id "
    "WHERE e.game_id = :game AND e.seq >= :since ORDER BY e.seq"
)
_NOTIFY = text("SELECT pg_notify('terrarium', :payload)")


def _unstorable() -> Unprocessable:
    """The error for input that PostgreSQL can't store, such as a NUL in a text."""
    message = "a text or number that can't be stored: leave out control characters"
    return Unprocessable("invalid-text", message)


def _is_corrupt(error: BaseException | None) -> bool:
    """Whether SQLite says that a part of its file is damaged: other parts may be well."""
    return getattr(getattr(error, "orig", None), "sqlite_errorname", "").startswith(
        "SQLITE_CORRUPT"
    )


async def _gone(
    connection: AsyncConnection, account: str | None, holders: Iterable[SeatHolders]
) -> set[str]:
    """People who are in memory but whose account was just deleted; refuses if `account`, who asks, is one of them.

    The other accounts can't be deleted before this transaction ends. Locked before the game, as a deletion does.
    """
    people = {who for row in holders for who in row.people if who.startswith("a:")}
    if account is not None:
        people.add(f"a:{account}")
    if not people:
        return set()
    table = schema.accounts
    query = select(table.c.id).where(table.c.id.in_({who[2:] for who in people}))
    # The lock is for PostgreSQL; on SQLite one transaction writes at a time.
    query = query.order_by(table.c.id).with_for_update(read=True, key_share=True)
    gone = people - {f"a:{id}" for id in (await connection.execute(query)).scalars()}
    if f"a:{account}" in gone:
        message = "this account was deleted meanwhile; sign in again"
        raise Forbidden("sign-in-needed", message, status=401)
    return gone


async def _write_holders(
    connection: AsyncConnection,
    game_id: str,
    holders: Mapping[int, SeatHolders],
    gone: Collection[str],
    *,
    is_new: bool,
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
        held = [
            {"game_id": game_id, "seat": seat, "person": who}
            for who in sorted(row.people)
            if who not in gone
        ]
        if held:
            await connection.execute(insert(people), held)


def check_database(settings: Settings) -> None:
    """Refuse an unusable database before anything starts: PostgreSQL doesn't answer, or the file isn't one of our databases.

    The caller holds the lock of a SQLite file: nobody else has it open.
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
            # Somebody else may hold the file's own lock, such as a tool that was left open.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("ROLLBACK")
    except DatabaseError as error:
        message = f"{settings.database_path}: can't be used as the database: {error.orig}"
        raise InvalidSettings("database-unreadable", message) from None
    finally:
        engine.dispose()
