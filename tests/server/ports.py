"""Ports for servers that tests stop and start again."""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

_FREE_FOR_SERVERS = range(15_000, 30_000)
"""Below the ports that the system gives to outgoing connections: a client can't take one while its server is down."""


def reserve_port() -> int:
    """A free port that no other test process on this machine gets while this one runs.

    The lock is held until the process ends.
    """
    folder = Path(tempfile.gettempdir()) / f"terrarium-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    for port in random.SystemRandom().sample(_FREE_FOR_SERVERS, 1000):
        lock = os.open(folder / str(port), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            os.close(lock)
            continue
        return port
    raise AssertionError("no free port")
