"""Three workers on PostgreSQL: one is killed, the database is restarted; games continue and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.server.crashing import Load, check_all, new_games, new_study
from tests.server.postgres import Postgres
from tests.server.running import (
    PATIENCE,
    PROGRAM,
    Server,
    environment_for,
    wait_until_ready,
)


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Postgres]:
    running = Postgres()
    yield running
    running.close()


@pytest.mark.slow
def test_games_continue_when_a_worker_or_the_database_stops(
    tmp_path: Path, own_postgres: Postgres
) -> None:
    flags = ("--database", own_postgres.database(), "--workers", "3")
    with Server(tmp_path, *flags, ENGINE_THREADS="1") as server:
        assert server.process is not None
        workers = worker_processes(server.process.pid)
        assert len(workers) == 3
        games = new_games(server, 9)  # type: ignore[arg-type]
        with server.person() as person:
            computers = person.create(
                "turrium",
                seats=[{"kind": "computer", "level": 1}, {"kind": "computer", "level": 1}],
            )["id"]
        study = new_study(server)  # type: ignore[arg-type]
        watched, received = games[0]["id"], list[int]()
        watching = threading.Thread(target=watch, args=(server, watched, received), daemon=True)
        load = Load(server.url, games, study).start()
        try:
            assert load.wait_for(30)
            watching.start()
            workers[0].send_signal(signal.SIGKILL)
            assert load.wait_for(30)
            own_postgres.stop()
            time.sleep(0.3)
            own_postgres.start()
            assert load.wait_for(30)
        finally:
            load.stop()
        check_all(server, load)  # type: ignore[arg-type]
        with server.person() as person:
            before = person.snapshot(computers)["seq"]
            until = time.monotonic() + PATIENCE
            while person.snapshot(computers)["status"] == "playing":
                if person.snapshot(computers)["seq"] > before + 3:
                    break
                assert time.monotonic() < until, "the computers stopped"
                time.sleep(0.2)
            truth = person.snapshot(watched)
            until = time.monotonic() + PATIENCE
            while not received or received[-1] < truth["seq"]:
                assert time.monotonic() < until, (received[-3:], truth["seq"])
                time.sleep(0.1)
        assert received == sorted(set(received)), "a watcher received a turn twice or out of order"


def worker_processes(parent: int) -> list[psutil.Process]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = [
            child
            for child in psutil.Process(parent).children()
            if "resource_tracker" not in " ".join(child.cmdline())
        ]
        if len(found) == 3:
            return found
        time.sleep(0.1)
    return found


def watch(server: Server, game: str, received: list[int]) -> None:
    """Watch a game across broken connections, and collect the seqs of its turns."""
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    seq = 0
    while True:
        try:
            since = f"?since={seq}" if seq else ""
            with connect(address + since, origin=Origin(server.url)) as socket:
                while True:
                    message = json.loads(socket.recv())
                    if message["type"] == "turn":
                        received.append(message["seq"])
                    seq = max(seq, message.get("seq", 0))
        except Exception:
            time.sleep(0.1)


@pytest.mark.slow
def test_killing_a_separate_engine_worker_costs_only_time(
    tmp_path: Path, own_postgres: Postgres
) -> None:
    """The server has no engine threads. The first worker is killed while its engine runs."""
    database = own_postgres.database()
    command = [sys.executable, "-W", "error", "-c", PROGRAM, "worker", "--threads", "1"]
    command += ["--database", database]
    with (
        Server(tmp_path, "--database", database, ENGINE_THREADS="0") as server,
        server.person() as person,
        (tmp_path / "worker.log").open("w") as log,
    ):
        game = person.create(
            seats=[{"kind": "computer", "level": 8}, {"kind": "computer", "level": 8}]
        )["id"]
        time.sleep(1)
        assert person.snapshot(game)["turn"] == 0
        first = subprocess.Popen(command, env=environment_for({}), stderr=log)
        try:
            reached(person, game, 1)
            time.sleep(0.5)
        finally:
            first.kill()
            first.wait()
        stood = person.snapshot(game)["turn"]
        second = subprocess.Popen(command, env=environment_for({}), stderr=log)
        try:
            reached(person, game, stood + 2)
        finally:
            second.terminate()
            assert second.wait(PATIENCE) == 0


def reached(person: object, game: str, turns: int) -> None:
    until = time.monotonic() + PATIENCE
    while person.snapshot(game)["turn"] < turns:  # type: ignore[attr-defined]
        assert time.monotonic() < until, "no worker runs the engine"
        time.sleep(0.1)


def test_computers_resume_automatically_after_a_crash(tmp_path: Path) -> None:
    with Server(tmp_path) as server, server.person() as person:
        game = person.create(
            seats=[{"kind": "computer", "level": 7}, {"kind": "computer", "level": 7}]
        )["id"]
        reached(person, game, 1)
        server.kill()
        server.start()
        wait_until_ready(server.url, lambda: server.log)
        stood = person.snapshot(game)["turn"]
        reached(person, game, stood + 2)


@pytest.mark.slow
def test_presence_is_known_at_every_worker(tmp_path: Path, own_postgres: Postgres) -> None:
    """Two servers on one database: a player connected to one is present at the other."""
    database = own_postgres.database()
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    with (
        Server(one, "--database", database, SECRET="same") as here,
        Server(two, "--database", database, SECRET="same") as there,
        here.person() as person,
        there.person() as other,
    ):
        game = person.create(seats=[{"kind": "device"}, {"kind": "link"}])["id"]
        headers = {"Cookie": f"terrarium={person.http.cookies['terrarium']}"}
        address = here.url.replace("http", "ws") + f"/api/games/{game}/live"
        with connect(address, origin=Origin(here.url), additional_headers=headers):
            connected(other, game, True)
        connected(other, game, False)
    for server in (here, there):
        assert "Traceback" not in server.log


def connected(person: object, game: str, wanted: bool) -> None:
    until = time.monotonic() + PATIENCE
    while person.snapshot(game)["seats"][0]["is_connected"] != wanted:  # type: ignore[attr-defined]
        assert time.monotonic() < until
        time.sleep(0.1)
