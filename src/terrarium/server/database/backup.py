"""Backups: everything that a server stores in one file, taken while it runs, checked before it counts.

The file is gzipped text, one JSON array per line: a header, then every row of every table, then a closing line with
counts and a SHA-256 of all lines before it. It fits any database: a club that grew may restore into PostgreSQL what it saved
from SQLite.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, create_engine, event, func, insert, select, text

import terrarium
from terrarium.errors import TerrariumError
from terrarium.play.log import LogEvent
from terrarium.play.table import Table
from terrarium.server.database import schema
from terrarium.server.database.migrations import head, upgrade
from terrarium.server.database.store import locked
from terrarium.server.settings import KEY_FILE, Settings

__all__ = ["BackupError", "backup", "restore", "verify"]

FORMAT = 1
_BATCH = 500
_encode = msgspec.json.Encoder().encode


class BackupError(TerrariumError):
    """A backup that can't be taken, read or put back."""


def backup(settings: Settings, path: Path) -> Counter[str]:
    """Save everything into a file and check it; how many rows of each table there are."""
    scratch = path.with_name(f".{path.name}.part")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0) as file:
                _write(settings, file)
            raw.flush()
            os.fsync(raw.fileno())
        counts = verify(scratch)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
    return counts


def _write(settings: Settings, file: gzip.GzipFile) -> None:
    digest, counts = hashlib.sha256(), Counter[str]()

    def line(*values: Any) -> None:
        data = _encode(values) + b"\n"
        digest.update(data)
        file.write(data)

    key = settings.data / KEY_FILE
    with _reading(settings) as connection:
        line(
            "terrarium",
            {
                "format": FORMAT,
                "version": terrarium.__version__,
                "schema": head(),
                "secret": key.read_text().strip() if key.exists() else None,
            },
        )
        for table in schema.metadata.sorted_tables:
            line("table", str(table.name), [str(column.name) for column in table.columns])
            rows = connection.execute(select(table).order_by(*table.primary_key))
            for row in rows:
                line("row", *row)
                counts[str(table.name)] += 1
    file.write(_encode(["end", dict(counts), digest.hexdigest()]) + b"\n")


def verify(path: Path) -> Counter[str]:
    """Read a backup to its end, check its sum, and replay every game in it; rows of each table."""
    counts = Counter[str]()
    log: dict[str, list[LogEvent]] = {}
    seqs: dict[str, int] = {}
    for name, row in _rows(path):
        counts[name] += 1
        if name == "games":
            seqs[row["id"]] = row["seq"]
        elif name == "events":
            data = msgspec.json.decode(row["data"])
            found = LogEvent(row["seq"], row["at"], row["kind"], row["seat"], data, row["key"])
            log.setdefault(row["game_id"], []).append(found)
    for game_id, seq in seqs.items():
        events = sorted(log.get(game_id, []), key=lambda item: item.seq)
        if not events or Table.replay(game_id, events).seq != seq:
            raise BackupError("backup-game", f"{path}: game {game_id} can't be replayed to {seq}")
    return counts


def restore(settings: Settings, path: Path) -> Counter[str]:
    """Put a backup into an empty database, in one transaction; rows of each table."""
    counts = verify(path)
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(settings), _writing(settings) as connection:
        upgrade(connection)
        for table in schema.metadata.sorted_tables:
            if connection.execute(select(func.count()).select_from(table)).scalar():
                message = f"the database already has {table.name}; restore into an empty one"
                raise BackupError("database-not-empty", message)
        batch: list[dict[str, Any]] = []
        current = ""
        for name, row in _rows(path):
            if batch and (name != current or len(batch) >= _BATCH):
                connection.execute(insert(schema.metadata.tables[current]), batch)
                batch = []
            current = name
            batch.append(row)
        if batch:
            connection.execute(insert(schema.metadata.tables[current]), batch)
    secret = _header(path)["secret"]
    key = settings.data / KEY_FILE
    if secret and not settings.secret and not key.exists():
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret)
    return counts


def _header(path: Path) -> dict[str, Any]:
    with _opened(path) as file:
        return _checked_header(path, file.readline())


def _checked_header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        word, header = msgspec.json.decode(line, type=tuple[str, dict[str, Any]])
    except msgspec.DecodeError:
        word, header = "", {}
    if word != "terrarium":
        raise BackupError("not-a-backup", f"{path}: this is not a backup of Terrarium")
    if header["format"] != FORMAT or header["schema"] > head():
        message = f"{path}: made by Terrarium {header['version']}, which is newer; use that one"
        raise BackupError("backup-newer", message)
    return header


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    digest, counts = hashlib.sha256(), Counter[str]()
    name, columns = "", []
    with _opened(path) as file:
        line = file.readline()
        _checked_header(path, line)
        while True:
            digest.update(line)
            line = file.readline()
            if not line:
                raise BackupError("backup-cut", f"{path}: the file has no end; it was cut off")
            word, *values = msgspec.json.decode(line, type=list[Any])
            if word == "end":
                break
            if word == "table":
                name, columns = values
            else:
                counts[name] += 1
                yield name, dict(zip(columns, values, strict=True))
    if values != [dict(counts), digest.hexdigest()]:
        raise BackupError("backup-damaged", f"{path}: its sum is wrong; the file was changed")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with gzip.open(path, "rb") as file:
            yield file  # type: ignore[misc]
    except (gzip.BadGzipFile, EOFError, msgspec.DecodeError, ValueError) as error:
        if isinstance(error, TerrariumError):
            raise
        raise BackupError("not-a-backup", f"{path}: it can't be read: {error}") from None


@contextmanager
def _reading(settings: Settings) -> Iterator[Connection]:
    """One consistent look at the database, while a server goes on writing."""
    if settings.is_postgres:
        engine = create_engine(settings.database_url, isolation_level="REPEATABLE READ")
    else:
        if not settings.database_path.exists():
            message = f"{settings.database_path}: there is no database here"
            raise BackupError("no-database", message)
        address = f"sqlite:///file:{settings.database_path}?mode=ro&uri=true"
        engine = create_engine(address)

        @event.listens_for(engine, "connect")
        def connected(connection: Any, _: Any) -> None:
            connection.isolation_level = None
            connection.execute("PRAGMA wal_autocheckpoint = 0")

        @event.listens_for(engine, "begin")
        def begun(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN")

    try:
        with engine.connect() as connection:
            if settings.is_postgres:
                connection.execute(text("SET TRANSACTION READ ONLY"))
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _writing(settings: Settings) -> Iterator[Connection]:
    address = settings.database_url
    if not settings.is_postgres:
        settings.database_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        address = f"sqlite:///{settings.database_path}"
    engine = create_engine(address)
    if not settings.is_postgres:

        @event.listens_for(engine, "connect")
        def connected(connection: Any, _: Any) -> None:
            connection.isolation_level = None
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

        @event.listens_for(engine, "begin")
        def begun(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
