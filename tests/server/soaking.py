"""A load test with kills, restarts, freezes, a slow disk and a clock that jumps. Nothing acknowledged may be lost.

`python -m tests.server.soaking SECONDS [SEED]` runs it on SQLite and prints what happened.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.server.crashing import Load, check_all, check_log, new_games, new_study
from tests.server.running import Forked

__all__ = ["soak"]

_ROUND = 30.0
"""Seconds of one round of games, after which everything is looked at."""
_JUMPS = (-86_400.0, -3_600.0, -5.0, -0.5, 0.5, 5.0, 600.0)


class Chaos:
    """The failures that are caused."""

    def __init__(self, server: Forked, clock: Path, rng: random.Random) -> None:
        self.server, self.clock, self.rng = server, clock, rng
        self.acts: dict[str, Callable[[], None]] = {
            "kills": self.kill,
            "restarts": self.restart,
            "freezes": self.freeze,
            "slow disks": self.slow_disk,
            "clock jumps": self.jump,
        }

    def kill(self) -> None:
        self.server.kill()
        self.server.start()

    def restart(self) -> None:
        self.server.kill(signal.SIGTERM)
        self.server.start()

    def freeze(self) -> None:
        os.kill(self.server.pid, signal.SIGSTOP)
        time.sleep(self.rng.uniform(0.1, 2.0))
        os.kill(self.server.pid, signal.SIGCONT)

    def slow_disk(self) -> None:
        """Four writers that flush to the same disk for a while."""
        until = time.monotonic() + 2.0

        def write(number: int) -> None:
            path = self.server.folder / f"ballast-{number}"
            with path.open("wb") as file:
                while time.monotonic() < until:
                    file.seek(0)
                    file.write(os.urandom(4_000_000))
                    file.flush()
                    os.fsync(file.fileno())
            path.unlink()

        writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()

    def jump(self) -> None:
        jumped = float(self.clock.read_text()) + self.rng.choice(_JUMPS)
        new = self.clock.with_suffix(".new")
        new.write_text(str(jumped))
        new.replace(self.clock)


def soak(folder: Path, seconds: float, seed: int, database: str = "") -> Counter[str]:
    """Run the test. Return the number of failures of each kind and of acknowledged turns; a lost turn raises."""
    rng = random.Random(seed)
    clock = folder / "clock"
    clock.write_text("0")
    done: Counter[str] = Counter()
    until = time.monotonic() + seconds
    with Forked(folder, database, clock) as server:
        chaos = Chaos(server, clock, rng)
        names = list(chaos.acts)
        while time.monotonic() < until:
            games = new_games(server, 8)
            load = Load(server.url, games, new_study(server)).start()
            end = min(until, time.monotonic() + _ROUND)
            try:
                while time.monotonic() < end and load.wait_for(1):
                    time.sleep(rng.uniform(0.0, 1.0))
                    name = names[sum(done[name] for name in names) % len(names)]
                    chaos.acts[name]()
                    done[name] += 1
            finally:
                load.stop()
            check_all(server, load)
            check_log(server)
            done["turns"] += load.count
            done["changes of studies"] += len(load.stored)
    return done


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="terrarium-soak-") as name:
        print(dict(soak(Path(name), numbers[0], numbers[1] if len(numbers) > 1 else 1)), flush=True)
