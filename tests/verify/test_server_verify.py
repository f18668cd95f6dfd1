"""Long tests of the server: kills on each database, long fuzzing, hostile requests, chaos, 10,000 sockets.

Each size can be made smaller by a variable: `VERIFY_KILLS_SQLITE`, `VERIFY_KILLS_POSTGRESQL`, `VERIFY_HOSTILE`,
`VERIFY_SOAK` (seconds) and `VERIFY_SOCKETS`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from bench import crash, scale

from tests.nova.hostile import KINDS
from tests.server.fuzzing import fuzz
from tests.server.hostile_requests import attack
from tests.server.postgres import Postgres
from tests.server.running import Server
from tests.server.soaking import soak
from tests.sizes import verified

HOSTILE = verified("hostile", 1_000_000)
"""Half of them for the library, half for the server."""


@pytest.mark.parametrize("database", crash.DATABASES)
def test_every_acknowledged_turn_survives_kills(database: str) -> None:
    kills = verified(f"kills_{database}", crash.KILLS[database])
    figures = crash.run(kills, databases=(database,))
    assert next(iter(figures.values())) > kills


def test_every_acknowledged_turn_survives_chaos(tmp_path: Path) -> None:
    done = soak(tmp_path, verified("soak", 3_600), seed=21)
    assert done["turns"] > 100
    assert done["kills"] * done["restarts"] * done["slow disks"] * done["clock jumps"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_library_answers_hostile_input(kind: str) -> None:
    count = str(HOSTILE // 2 // len(KINDS))
    command = [sys.executable, "-m", "tests.nova.hostile", kind, "21", count]
    assert subprocess.run(command, check=False).returncode == 0


def test_the_server_answers_hostile_requests(tmp_path: Path) -> None:
    with Server(tmp_path) as server, server.person() as person:
        answers = attack(server, person, HOSTILE // 2, seed=21)
        assert len(answers) > 4
        assert "Traceback" not in server.log


def test_ten_thousand_sockets_receive_every_turn() -> None:
    sockets = verified("sockets", 10_000)
    figures = asyncio.run(scale.real(workers=3, sockets=sockets))
    assert figures["sockets open"] == sockets
    assert figures["messages missed"] == 0


def test_no_generated_request_breaks_the_server_in_a_long_run(tmp_path: Path) -> None:
    _fuzzed(Server(tmp_path))


def test_no_generated_request_breaks_a_server_on_postgresql(tmp_path: Path) -> None:
    postgres = Postgres()
    try:
        _fuzzed(Server(tmp_path, "--database", postgres.database()))
    finally:
        postgres.close()


def _fuzzed(running: Server, examples: int = 300) -> None:
    with running as server, server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "computer", "level": 1}])["id"]
        person.post("/api/accounts", {"name": "fuzzer", "password": "long enough"})
        seen = fuzz(server, person, game, examples)
        assert len({operation for operation, _ in seen}) > 35
        assert "Traceback" not in server.log
