"""An acknowledged turn is on disk: SIGKILL at random moments under load, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.crashing import crash
from tests.server.postgres import Postgres
from tests.server.running import Forked
from tests.sizes import size

pytestmark = pytest.mark.long

KILLS = size(4, 25)


def test_every_acknowledged_turn_survives_sigkill_on_sqlite(tmp_path: Path) -> None:
    with Forked(tmp_path) as server:
        turns = crash(server, KILLS, seed=1)
        assert turns > KILLS, "there was too little load to prove anything"
        assert "Traceback" not in server.log


def test_every_acknowledged_turn_survives_sigkill_on_postgresql(
    tmp_path: Path, postgres: Postgres
) -> None:
    with Forked(tmp_path, postgres.database()) as server:
        turns = crash(server, KILLS, seed=2)
        assert turns > KILLS, "there was too little load to prove anything"
