"""The long proofs about the server: 300 kills on each database, and long fuzzing of the whole interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import crash

from tests.server.fuzzing import fuzz
from tests.server.postgres import Postgres
from tests.server.running import Server


@pytest.mark.parametrize("database", crash.DATABASES)
def test_every_acknowledged_turn_survives_three_hundred_kills(database: str) -> None:
    figures = crash.run(databases=(database,))
    assert next(iter(figures.values())) > crash.KILLS


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
