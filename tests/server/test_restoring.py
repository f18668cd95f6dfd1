"""One game is restored from a backup while a server runs: everybody sees the restored game, and nothing else is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from terrarium.cli import main
from terrarium.play.clocks import wall_clock
from terrarium.server.database import backup as saving
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, FakeTime, InProcess, Person, whole_turn
from tests.server.test_damage import Database
from tests.sizes import mostly_slow

DEVICES = [{"kind": "device", "name": "Anna"}, {"kind": "device"}]


def _play(person: Person, game: str, turns: int) -> None:
    for _ in range(turns):
        seq, actions = whole_turn(person, game)
        assert person.turn(game, seq, actions).status_code == 200


@contextmanager
def _watching(server: InProcess, game: str) -> Iterator[ClientConnection]:
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    with connect(address, origin=Origin(server.url)) as opened:
        _until(opened, "ready")
        yield opened


def _until(opened: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    while True:
        message: dict[str, Any] = json.loads(opened.recv(timeout=PATIENCE))
        if message["type"] == kind:
            return message


@pytest.fixture
def database(tmp_path: Path, postgres: Postgres) -> Database:
    return Database(tmp_path, postgres.database())


@pytest.mark.parametrize("is_damaged", mostly_slow([False, True], True))
def test_watchers_and_followers_see_a_restored_game_and_what_happens_then(
    tmp_path: Path, database: Database, is_damaged: bool
) -> None:
    file = tmp_path / "before.backup"
    settings: dict[str, Any] = {"database": database.address, "secret": "shared"}
    with (
        InProcess(tmp_path / "one", wall_clock, **settings) as one,
        InProcess(tmp_path / "two", wall_clock, **settings) as two,
        one.person() as person,
    ):
        person.post("/api/accounts", {"name": "anna", "password": "long enough"})
        token = person.post("/api/me/tokens", {"name": "feed", "scopes": ["follow"]}).json()
        game = person.create(seats=DEVICES)["id"]
        _play(person, game, 2)
        saving.backup(database.settings, file)
        _play(person, game, 3)
        with (
            _watching(one, game) as here,
            _watching(two, game) as there,
            two.person(token["token"]) as follower,
            follower.http.stream("GET", "/api/stream/events", timeout=PATIENCE) as stream,
        ):
            lines = (json.loads(line) for line in stream.iter_lines() if line.strip())
            assert next(line for line in lines if line.get("id") == game)["seq"] == 6
            if is_damaged:
                database.run("UPDATE events SET at = at + 1 WHERE game_id = ? AND seq = 6", game)
                database.run("UPDATE games SET seq = 7 WHERE id = ?", game)
                for server in (one, two):
                    server.run(partial(_forget, server, game))
                    with server.person() as stranger:
                        assert stranger.get(f"/api/games/{game}").status_code == 409
            assert main(["restore", str(file), "--game", game, *database.flags]) == 0
            for watcher in (here, there):
                assert _until(watcher, "snapshot")["seq"] == 3
            _play(person, game, 1)
            for watcher in (here, there):
                assert _until(watcher, "turn")["seq"] == 4
            seqs = []
            while 4 not in seqs:
                seqs.append(next(line for line in lines if line.get("id") == game)["seq"])


def _forget(server: InProcess, game: str) -> None:
    """Drop a game from memory, as after a restart, so that the next request reads it and finds the damage."""
    server.application.services.tables._entries.pop(game, None)


def test_restoring_a_game_keeps_reports_messages_and_who_is_connected(
    tmp_path: Path, database: Database
) -> None:
    file = tmp_path / "before.backup"
    with (
        InProcess(tmp_path, wall_clock, database=database.address) as server,
        server.person() as anna,
        server.person() as ben,
    ):
        made = anna.create(seats=[{"kind": "device"}, {"kind": "link"}])
        game, path = made["id"], f"/api/games/{made['id']}"
        ben.post(f"{path}/seats/1", {"secret": made["secrets"][1], "name": "Ben"})
        saving.backup(database.settings, file)
        reported = anna.post(f"{path}/reports", {"seat": 1, "reason": "other", "text": "rude"})
        assert reported.status_code == 201, reported.text
        assert anna.post(f"{path}/talk", {"seat": 0, "phrase": "hello"}).status_code < 300
        assert main(["restore", str(file), "--game", game, *database.flags]) == 0
        with psycopg.connect(database.address) as connection:
            counts = [
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                for table in ("reports", "said", "games")
            ]
        assert counts == [(1,), (1,), (1,)]


def test_a_guest_who_became_part_of_a_deleted_account_after_the_backup_is_not_named_again(
    tmp_path: Path,
) -> None:
    database, file = Database(tmp_path), tmp_path / "before.backup"
    with (
        InProcess(tmp_path, FakeTime()) as server,
        server.person() as person,
        server.person() as other,
    ):
        game = person.create(seats=[{"kind": "device", "name": "Canary"}, {"kind": "open"}])["id"]
        sat = other.post(f"/api/games/{game}/seats/1", {"name": "Other"})
        assert sat.status_code == 200, sat.text
        saving.backup(database.settings, file)
        body = {"name": "Canary", "password": "correct horse"}
        assert person.post("/api/accounts", body).status_code == 201
        assert person.http.delete("/api/me").status_code == 204
    assert main(["restore", str(file), "--game", game, *database.flags]) == 0
    assert main(["check", *database.flags]) == 0
    with InProcess(tmp_path, FakeTime()) as server, server.person() as stranger:
        assert [seat["name"] for seat in stranger.snapshot(game)["seats"]] == [None, "Other"]
