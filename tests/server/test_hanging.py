"""A database that hangs, is locked or too new, and a parent process that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import httpx
import pytest
from sqlalchemy import create_engine

from terrarium.cli import main
from terrarium.play.clocks import wall_clock
from terrarium.server.database import writing
from terrarium.server.database.migrations import upgrade
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, InProcess, Server, comes, whole_turn


def _children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


@contextmanager
def _frozen(postgres: Postgres) -> Iterator[None]:
    """PostgreSQL with all its processes stopped."""
    pid = int((postgres._server.pgdata / "postmaster.pid").read_text().split()[0])
    processes = [pid, *_children(pid)]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(processes):
            os.kill(process, signal.SIGCONT)


@pytest.mark.slow
def test_a_frozen_database_is_503_for_everybody_and_nothing_is_lost_or_doubled(
    tmp_path: Path, postgres: Postgres
) -> None:
    with (
        InProcess(tmp_path, wall_clock, database=postgres.database()) as server,
        server.person() as person,
        ThreadPoolExecutor(6) as pool,
    ):
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        seq, actions = whole_turn(person, game)
        cookies = dict(person.http.cookies)

        def turn(_: int) -> httpx.Response:
            with server.person() as same:
                same.http.cookies.update(cookies)
                same.http.timeout = httpx.Timeout(PATIENCE)  # a longer wait fails the test
                return same.turn(game, seq, actions, key="one")

        with _frozen(postgres):
            answers = list(pool.map(turn, range(6)))
        assert {answer.status_code for answer in answers} == {503}
        assert comes(lambda: person.turn(game, seq, actions, key="one").status_code == 200)
        again = person.turn(game, seq, actions, key="one")
        assert (again.status_code, again.json()["seq"]) == (200, seq + 1)
        assert person.snapshot(game)["seq"] == seq + 1


def test_a_frozen_disk_is_503_and_what_it_stores_later_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite, where all requests wait for one writer."""
    frozen = threading.Event()
    execute = aiosqlite.Connection.execute

    async def slowly(self: Any, sql: str, *values: Any) -> Any:
        while sql == "COMMIT" and frozen.is_set():
            await asyncio.sleep(0.01)
        return await execute(self, sql, *values)

    monkeypatch.setattr(aiosqlite.Connection, "execute", slowly)
    monkeypatch.setattr(writing, "PATIENCE_SECONDS", 1.0)
    monkeypatch.setattr(writing, "HANGING_SECONDS", 0.1)
    with (
        InProcess(tmp_path, wall_clock) as server,
        server.person() as person,
        ThreadPoolExecutor(6) as pool,
        ExitStack() as stack,
    ):
        stack.callback(frozen.clear)  # a failed test must not leave the server waiting
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        seq, actions = whole_turn(person, game)
        frozen.set()
        answer = person.turn(game, seq, actions, key="one")
        assert (answer.status_code, answer.json()["code"]) == (503, "outcome-unknown")
        others = list(pool.map(lambda _: person.post("/api/games", {"game": "nova"}), range(6)))
        codes = {(one.status_code, one.json()["code"]) for one in others}
        assert codes == {(503, "database-unavailable")}
        assert person.snapshot(game)["seq"] == seq
        assert person.get("/health/ready").status_code == 503
        assert person.get("/health/live").status_code == 200
        frozen.clear()
        assert comes(lambda: person.get("/health/ready").status_code == 200)
        assert comes(lambda: person.snapshot(game)["seq"] == seq + 1)
        again = person.turn(game, seq, actions, key="one")
        assert (again.status_code, again.json()["seq"]) == (200, seq + 1)
        assert len(person.get("/api/games", mine="1").json()["games"]) == 1


def test_a_locked_database_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "terrarium.db"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert main(["serve", "--no-open", "--port", "0", "--data", str(tmp_path)]) == 2
    holder.close()
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "locked" in said[0]


def test_a_postgresql_database_of_a_newer_program_is_refused_in_one_line(
    tmp_path: Path, postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    address = postgres.database()
    engine = create_engine("postgresql+psycopg://" + address.split("://", 1)[1])
    with engine.begin() as connection:
        upgrade(connection)
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    flags = ["--port", "0", "--data", str(tmp_path), "--database", address]
    assert main(["serve", "--no-open", *flags]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "newer Terrarium" in said[0]


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, postgres: Postgres) -> None:
    flags = ("--database", postgres.database(), "--workers", "2")
    with Server(tmp_path, *flags, STOP_SECONDS="1") as server:
        assert server.process is not None
        workers = _children(server.process.pid)
        assert len(workers) >= 2
        server.kill()
        comes(lambda: not any(map(_is_running, workers)))
        left = [pid for pid in workers if _is_running(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == []


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
