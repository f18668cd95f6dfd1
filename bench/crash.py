"""300 kills under load on each database; every acknowledged turn must be there, exactly once and whole.

The tests do the same 25 times (`tests/server/test_crash.py`); this is the long proof.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.server.crashing import crash
from tests.server.postgres import Postgres
from tests.server.running import Forked

TARGETS = {"acknowledged turns lost": ("at most", 0.0)}
KILLS = 300


def run(kills: int = KILLS) -> dict[str, float]:
    """Kill servers; the turns that were acknowledged and checked. A lost one raises."""
    figures: dict[str, float] = {}
    with Forked(Path(tempfile.mkdtemp(prefix="terrarium-crash-"))) as server:
        figures[f"turns acknowledged around {kills} kills on SQLite"] = crash(
            server, kills, seed=11
        )
    postgres = Postgres()
    try:
        folder = Path(tempfile.mkdtemp(prefix="terrarium-crash-"))
        with Forked(folder, postgres.database()) as server:
            turns = crash(server, kills, seed=12)
            figures[f"turns acknowledged around {kills} kills on PostgreSQL"] = turns
    finally:
        postgres.close()
    return figures | {"acknowledged turns lost": 0.0}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    for name, value in run(parser.parse_args().kills).items():
        print(f"{name:62} {value:10.0f}", flush=True)
