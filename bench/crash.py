"""Kills servers under load, 1,000 times on SQLite and 300 times on PostgreSQL; every acknowledged turn must be stored exactly once.

The tests do the same 25 times (`tests/server/test_crash.py`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.server.crashing import crash
from tests.server.postgres import Postgres
from tests.server.running import Forked

TARGETS = {"acknowledged turns lost": ("at most", 0.0)}
KILLS = {"SQLite": 1_000, "PostgreSQL": 300}
DATABASES = {"SQLite": 11, "PostgreSQL": 12}
"""The seed for the random moments of the kills on each database."""


def run(
    kills: int | None = None, databases: tuple[str, ...] = tuple(DATABASES)
) -> dict[str, float]:
    """Kill servers and count the turns that were acknowledged and checked; raises if one was lost."""
    figures: dict[str, float] = {}
    for name in databases:
        count = KILLS[name] if kills is None else kills
        figures[f"turns acknowledged around {count} kills on {name}"] = _killed(name, count)
    return figures | {"acknowledged turns lost": 0.0}


def _killed(database: str, kills: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="terrarium-crash-"))
    seed = DATABASES[database]
    if database == "SQLite":
        with Forked(folder) as server:
            return crash(server, kills, seed, tell=_tell)
    postgres = Postgres()
    try:
        with Forked(folder, postgres.database()) as server:
            return crash(server, kills, seed, tell=_tell)
    finally:
        postgres.close()


def _tell(kills: int, turns: int) -> None:
    print(f"{kills} kills, {turns} turns checked", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.crash", description=__doc__)
    parser.add_argument("--kills", type=int, help="by default 1,000 and 300")
    parser.add_argument("--database", choices=DATABASES, action="append", help="only this one")
    given = parser.parse_args()
    for name, value in run(given.kills, tuple(given.database or DATABASES)).items():
        print(f"{name:62} {value:10.0f}", flush=True)
