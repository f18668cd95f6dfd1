"""The long proofs about the server: 300 kills on each database, and long fuzzing of the whole interface."""

from __future__ import annotations

from pathlib import Path

from bench import crash

from tests.server.fuzzing import fuzz
from tests.server.running import Server


def test_every_acknowledged_turn_survives_three_hundred_kills() -> None:
    figures = crash.run()
    assert min(list(figures.values())[:2]) > crash.KILLS


def test_no_generated_request_breaks_the_server_in_a_long_run(tmp_path: Path) -> None:
    with Server(tmp_path) as server, server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "computer", "level": 1}])["id"]
        person.post("/api/accounts", {"name": "fuzzer", "password": "long enough"})
        seen = fuzz(server, person, game, examples=300)
        assert len({operation for operation, _ in seen}) > 35
        assert "Traceback" not in server.log
