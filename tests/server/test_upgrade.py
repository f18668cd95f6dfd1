"""An upgrade while people play: the next release migrates the database and takes over, and no request is refused."""

from __future__ import annotations

import ast
import asyncio
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from terrarium.server.database import migrations
from tests.server.crashing import Load, check_all, new_games, new_study
from tests.server.postgres import Postgres
from tests.server.proxy import Proxy
from tests.server.running import PATIENCE, PROGRAM, Server, environment_for
from tests.server.test_scale import watch

MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", {head!r}

def upgrade():
    op.add_column("games", sa.Column("next", sa.Text(), nullable=False, server_default="new"))
    op.create_table("next", sa.Column("id", sa.Integer(), primary_key=True))
"""


DROPPED = "0005"
"""The last migration that removed something, before upgrades without a pause."""


def test_migrations_leave_room_for_the_release_before() -> None:
    """The previous release continues to read and write: nothing it uses may be removed, and new columns need defaults."""
    versions = Path(migrations.__file__).parent / "versions"
    later = [path for path in sorted(versions.glob("[0-9]*.py")) if path.name[:4] > DROPPED]
    assert len(later) > 5
    for path in later:
        calls = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        ]
        for call in calls:
            name = ast.unparse(call.func)
            assert not re.search(r"op\.(drop|rename)_", name), path.name
            if name == "op.add_column" and "nullable=False" in ast.unparse(call):
                assert "server_default=" in ast.unparse(call), path.name
            if name == "op.alter_column":
                assert "nullable=False" not in ast.unparse(call), path.name
                assert "new_column_name" not in ast.unparse(call), path.name


class Balancer:
    """A load balancer in a thread: forwards all requests to one server, and later to another one."""

    def __init__(self, port: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._proxy = Proxy(port, seed=1)
        self._proxy.is_bad = False
        self._run(self._proxy.__aenter__())
        self.url = f"http://127.0.0.1:{self._proxy.port}"

    def _run(self, job: Any) -> None:
        asyncio.run_coroutine_threadsafe(job, self._loop).result(PATIENCE)

    def send_to(self, port: int) -> None:
        self._proxy._port = port

    def close(self) -> None:
        self._run(self._proxy.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


def next_release(folder: Path) -> str:
    """A program like this one, with one more migration."""
    copy = folder / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, copy)
    text = MIGRATION.format(head=migrations.head())
    (copy / "versions" / "9999_next.py").write_text(text)
    patch = f"import terrarium.server.database.migrations as m; m.__file__ = {str(copy / 'x')!r}"
    return f"{patch}; {PROGRAM}"


@pytest.fixture
def database(postgres: Postgres) -> str:
    return postgres.database()


@pytest.mark.only_long
def test_the_next_release_takes_over_while_people_play(tmp_path: Path, database: str) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    settings = {"DATABASE": database, "SECRET": "the same for both", "ENGINE_THREADS": "1"}
    old = Server(tmp_path / "old", **settings)
    new = Server(tmp_path / "new", program=next_release(tmp_path), **settings)
    with old:
        balancer = Balancer(old.port)
        try:
            games = new_games(old, 4)  # type: ignore[arg-type]
            watched, received = games[0]["id"], list[int]()
            door: Any = SimpleNamespace(url=balancer.url)
            threading.Thread(target=watch, args=(door, watched, received), daemon=True).start()
            load = Load(balancer.url, games, new_study(old)).start()  # type: ignore[arg-type]
            try:
                assert load.wait_for(20)
                with new:
                    # Both releases serve the same games, on the newer schema.
                    with psycopg.connect(database) as connection:
                        version = connection.execute("SELECT version_num FROM alembic_version")
                        assert version.fetchone() == ("9999",)
                    assert load.wait_for(20)
                    balancer.send_to(new.port)
                    assert load.wait_for(20)
                    assert old.stop() == 0
                    assert load.wait_for(20)
                    load.stop()
                    check_all(new, load)  # type: ignore[arg-type]
                    with new.person() as person:
                        truth = person.snapshot(watched)["seq"]
                    until = time.monotonic() + PATIENCE
                    while not received or received[-1] < truth:
                        assert time.monotonic() < until, (received[-3:], truth)
                        time.sleep(0.05)
                    assert received == sorted(set(received)), "received twice, or out of order"
            finally:
                load.stop()
        finally:
            balancer.close()
    # Only connections that the balancer had closed already: no request was refused, none failed.
    assert set(load.answers) <= {"RemoteProtocolError", "ReadError"}, load.answers
    # The old release can't be started again: it does not know this schema.
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-open", "--port", "0"]
    environment = environment_for(settings)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a newer Terrarium made" in done.stderr
