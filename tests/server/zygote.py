"""Start servers by forking a process that has imported everything and built the routes, so that they start fast.

Reads lines with port, data folder, database and log, separated by tabs, and answers `PID PORT`. Each server is a separate
process that can be killed like any other.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from pathlib import Path


def main() -> None:
    import terrarium.nova
    import terrarium.server.jobs.queue
    import terrarium.server.live.notify
    import terrarium.turrium  # noqa: F401
    from terrarium.server import app
    from terrarium.server.run import listen, run
    from terrarium.server.settings import Settings

    if path := os.environ.get("CLOCK_FILE"):
        _jumping(Path(path))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    built: dict[Settings, app.Application] = {}
    print("ready", flush=True)
    for line in sys.stdin:
        port, data, database, log = line.rstrip("\n").split("\t")
        settings = Settings.load(port=int(port), data=Path(data), database=database or None)
        listening = listen(settings)
        if settings not in built:
            built[settings] = app.Application(settings)
            gc.freeze()  # otherwise the first garbage collection of each server would copy all of this memory
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(output, 1)
            os.dup2(output, 2)
            sys.stdin.close()
            vars(app)["Application"] = built.get
            os._exit(run(settings, listening))
        print(pid, listening.getsockname()[1], flush=True)
        listening.close()


def _jumping(path: Path) -> None:
    """Shift the clock of the servers by the number of seconds in a file, which may change at any time."""
    true, true_ns = time.time, time.time_ns

    def wrong() -> float:
        return float(path.read_text())

    time.time = lambda: true() + wrong()
    time.time_ns = lambda: true_ns() + int(wrong() * 1e9)


if __name__ == "__main__":
    main()
