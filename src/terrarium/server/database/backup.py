"""Backups: all data of a server in one file, made while it runs, and verified.

The file is gzipped text, one JSON array per line: a header, then every row of every table, then a closing line with
counts and a SHA-256 of all lines before it. It does not depend on the database: a backup from SQLite can be restored into
PostgreSQL.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec
from sqlalchemy import Connection, create_engine, delete, event, func, insert, select, text, update

import terrarium
from terrarium.errors import TerrariumError
from terrarium.play.log import FORMER
from terrarium.server.database import schema
from terrarium.server.database.chain import (
    STUDIES,
    GameDamaged,
    Link,
    StudyDamaged,
    chain_all,
    chain_one,
    chained,
    inspect_game,
    without_names,
)
from terrarium.server.database.migrations import head, refuse_newer, upgrade
from terrarium.server.database.studies import Event, inspect_study
from terrarium.server.database.upgrades import fill_skeletons, renumber_turns
from terrarium.server.database.writing import lenient, locked
from terrarium.server.settings import KEY_FILE, Settings

__all__ = [
    "BackupError",
    "Contents",
    "backup",
    "reading",
    "restore",
    "restore_game",
    "restore_study",
    "verify",
]

FORMAT = 1
_BATCH = 500
_encode = msgspec.json.Encoder().encode


class BackupError(TerrariumError):
    """A backup that can't be made, read or restored."""


def backup(settings: Settings, path: Path) -> Contents:
    """Save all data to a file and verify it; returns the number of rows of each table, and the damaged games."""
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
    with reading(settings) as connection:
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


class Contents(Counter[str]):
    """The number of rows of each table in a backup, and its damaged games and studies."""

    def __init__(self) -> None:
        super().__init__()
        self.damaged: dict[str, str] = {}
        self.damaged_studies: dict[str, str] = {}


def verify(path: Path) -> Contents:
    """Read a whole backup, verify its checksum, and replay every game and study in it; those that can't be replayed are in `damaged` and `damaged_studies`."""
    contents = Contents()
    # Only what is checked, because a backup can have very many games.
    games: dict[str, int] = {}
    studies: dict[str, tuple[int, str]] = {}
    log: list[dict[str, Any]] = []

    def finish() -> None:
        if log and "study_id" in log[0]:
            id = log[0]["study_id"]
            problem = _study_problem(id, *studies.pop(id, (0, "")), log)
            found = contents.damaged_studies
        elif log:
            id = log[0]["game_id"]
            events = [Link(*(row.get(field, "") for field in Link._fields)) for row in log]
            problem = _problem(id, events, games.pop(id, 0))
            found = contents.damaged
        if log and problem:
            found[id] = problem
        log.clear()

    for name, row in _rows(path):
        contents[name] += 1
        owner = {"events": "game_id", "study_events": "study_id"}.get(name)
        if name == "games":
            games[row["id"]] = row["seq"]
        elif name == "studies":
            studies[row["id"]] = row["seq"], row.get("head", "")
        elif owner is not None:
            if log and log[0].get(owner) != row[owner]:
                finish()
            log.append(row)
    finish()
    contents.damaged |= dict.fromkeys(games, "it has no events")
    contents.damaged_studies |= dict.fromkeys(studies, "it has no events")
    return contents


def _study_problem(id: str, seq: int, head: str, log: Sequence[Mapping[str, Any]]) -> str | None:
    """The problem of a study's rows, None if there is none; old backups have no digests to check."""
    events = [_study_event(row) for row in log]
    found = inspect_study(id, seq, head, events)
    if isinstance(found, StudyDamaged):
        return f"from seq {found.bad_seq} on: {found.reason}"
    return None


def _study_event(row: Mapping[str, Any]) -> Event:
    return Event(*(row.get(field, "") for field in Event._fields))


def _problem(game_id: str, rows: Sequence[Link], seq: int) -> str | None:
    """The problem of a game's rows, None if there is none; old backups have no digests to check."""
    if not rows[0].digest:
        rows = chained(rows)
    found = inspect_game(game_id, rows)
    if isinstance(found, GameDamaged):
        return f"from seq {found.bad_seq} on: {found.reason}"
    return None if found.seq == seq else f"it ends at seq {found.seq} instead of {seq}"


def restore(settings: Settings, path: Path) -> Contents:
    """Restore a backup into an empty database, in one transaction; returns the number of rows of each table."""
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
                _insert(connection, current, batch)
                batch = []
            current = name
            batch.append(row)
        if batch:
            _insert(connection, current, batch)
        chain_all(connection)
        chain_all(connection, STUDIES)
        fill_skeletons(connection)
        renumber_turns(connection)
    secret = _header(path)["secret"]
    key = settings.data / KEY_FILE
    if secret and not settings.secret and not key.exists():
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secret)
    return counts


def restore_game(settings: Settings, path: Path, game_id: str) -> int:
    """Replace one game by its state in a backup; returns its seq.

    Seats of accounts that were deleted since the backup lose their names again. Messages and reports stay.
    """
    problem = verify(path).damaged.get(game_id)
    if problem is not None:
        raise BackupError("backup-game", f"{path}: game {game_id} is damaged there too, {problem}")
    rows: dict[str, list[dict[str, Any]]] = {}
    aliases: dict[str, str] = {}
    for name, row in _rows(path):
        if name == "aliases":
            aliases[row["person"]] = row["account_id"]
        if row.get("id" if name == "games" else "game_id") == game_id:
            rows.setdefault(name, []).append(row)
    if "games" not in rows:
        raise BackupError("no-such-game", f"{path}: there is no game {game_id!r} in it")
    with locked(settings), _writing(settings) as connection:
        upgrade(connection)
        events = [Link(*(row.get(field, "") for field in Link._fields)) for row in rows["events"]]
        if not events[0].digest:
            events = chained(events)
        is_gone = _gone(connection, aliases)
        has_left = _left(connection, game_id)
        gone = [
            row
            for row in rows.get("holders", [])
            if is_gone(row["person"]) or has_left(row["seat"], row["person"])
        ]
        rows["holders"] = [row for row in rows.get("holders", []) if row not in gone]
        held = {row["seat"] for row in gone if not row["person"].startswith(FORMER)}
        events = without_names(events, held, {row["seat"] for row in gone} - held)
        table = inspect_game(game_id, events)
        if isinstance(table, GameDamaged):
            raise table
        rows["events"] = [row._asdict() for row in events]
        # A restored game that is over is indexed again.
        rows["games"][0] |= table.index() | {"head": events[-1].digest, "is_indexed": False}
        for owned in (*_PARTS, *_OF_LATER_TURNS):
            connection.execute(delete(owned).where(owned.c.game_id == game_id))
        # Updated in place, because deleting its row would also delete reports, messages and connections.
        known = {column.name for column in schema.games.columns}
        game = {key: value for key, value in rows["games"][0].items() if key in known}
        changed = update(schema.games).where(schema.games.c.id == game_id).values(game)
        if not connection.execute(changed).rowcount:
            connection.execute(insert(schema.games).values(game))
        for owned in _PARTS:
            if rows.get(owned.name):
                _insert(connection, owned.name, rows[owned.name])
        if settings.is_postgres:
            connection.execute(select(func.pg_notify("terrarium", f"{game_id} {table.seq}")))
    return table.seq


def restore_study(settings: Settings, path: Path, id: str) -> int:
    """Replace the log of one study by that in a backup; returns its seq.

    Owner, editors and visibility stay as they are now. A study that no longer exists gets those of the backup, without deleted accounts;
    if the account of its owner was deleted, it is refused.
    """
    problem = verify(path).damaged_studies.get(id)
    if problem is not None:
        raise BackupError("backup-study", f"{path}: study {id} is damaged there too, {problem}")
    rows: dict[str, list[dict[str, Any]]] = {}
    aliases: dict[str, str] = {}
    for name, row in _rows(path):
        if name == "aliases":
            aliases[row["person"]] = row["account_id"]
        if row.get("id" if name == "studies" else "study_id") == id:
            rows.setdefault(name, []).append(row)
    if "studies" not in rows:
        raise BackupError("no-such-study", f"{path}: there is no study {id!r} in it")
    table, events = schema.studies, schema.study_events
    study = rows["studies"][0]
    with locked(settings), _writing(settings) as connection:
        upgrade(connection)
        logged = {key: study.get(key, "") for key in _OF_STUDY_LOG}
        if not connection.execute(update(table).where(table.c.id == id).values(logged)).rowcount:
            is_gone = _gone(connection, aliases)
            if is_gone(study["owner"]):
                message = f"study {id}: the account of its owner was deleted"
                raise BackupError("owner-deleted", message)
            _insert(connection, "studies", [study])
            editors = [row for row in rows.get("study_people", []) if not is_gone(row["person"])]
            if editors:
                _insert(connection, "study_people", editors)
        connection.execute(delete(events).where(events.c.study_id == id))
        _insert(connection, "study_events", rows["study_events"])
        chain_one(connection, STUDIES, id)
        if settings.is_postgres:
            connection.execute(select(func.pg_notify("terrarium", f"study {id}")))
    return int(study["seq"])


_OF_STUDY_LOG = ("name", "game", "chapters", "seq", "bytes", "updated", "head")
"""The columns of a study's row that follow from its log."""
_PARTS = (schema.events, schema.seats, schema.holders, schema.reviews)
"""The tables that `restore_game` restores, besides the game's row."""
_OF_LATER_TURNS = (schema.plans, schema.notices, schema.opening_turns, schema.results)
"""Tables with data about turns that the restored game may not have."""


def _gone(connection: Connection, aliases: Mapping[str, str]) -> Callable[[str], bool]:
    """A function that returns whether a person's account no longer exists; `aliases` are the accounts into which guests were merged."""
    ids = set(connection.execute(select(schema.accounts.c.id)).scalars())

    def is_gone(person: str) -> bool:
        who = person.removeprefix(FORMER)
        account = who[2:] if who.startswith("a:") else aliases.get(who)
        return account is not None and account not in ids

    return is_gone


def _left(connection: Connection, game_id: str) -> Callable[[int, str], bool]:
    """A function that returns whether a person lost a seat because the account into which the guest was merged was deleted."""
    events, holders = schema.events, schema.holders
    forgotten = set(
        connection.execute(
            select(events.c.seat).where(
                events.c.game_id == game_id,
                events.c.kind == "sat",
                events.c.data.contains('"forget":true'),
            )
        ).scalars()
    )
    query = select(holders.c.seat, holders.c.person).where(holders.c.game_id == game_id)
    held = {tuple(row) for row in connection.execute(query)}
    return lambda seat, person: seat in forgotten and (seat, person) not in held


def _insert(connection: Connection, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows of a backup; columns that no longer exist are left out."""
    table = schema.metadata.tables[name]
    known = {column.name for column in table.columns}
    connection.execute(
        insert(table), [{key: row[key] for key in row if key in known} for row in rows]
    )


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
                raise BackupError("backup-cut", f"{path}: the file is incomplete; it was cut off")
            word, *values = msgspec.json.decode(line, type=list[Any])
            if word == "end":
                break
            if word == "table":
                name, columns = values
            else:
                counts[name] += 1
                yield name, dict(zip(columns, values, strict=True))
    if values != [dict(counts), digest.hexdigest()]:
        raise BackupError("backup-damaged", f"{path}: its checksum is wrong; the file was changed")


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
def reading(settings: Settings) -> Iterator[Connection]:
    """A connection with a consistent snapshot of the database, while a server continues to write."""
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
            connection.text_factory = lenient
            connection.execute("PRAGMA wal_autocheckpoint = 0")

        @event.listens_for(engine, "begin")
        def begun(connection: Any) -> None:
            connection.exec_driver_sql("BEGIN")

    try:
        with engine.connect() as connection:
            if settings.is_postgres:
                connection.execute(text("SET TRANSACTION READ ONLY"))
            found = refuse_newer(connection)
            if found != head():
                message = f"the database has schema {found!r}, this program needs {head()!r}; start the server once to migrate it"
                raise BackupError("database-older", message)
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
