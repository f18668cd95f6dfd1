"""Programs that start fast: forked from a process that has imported the server once.

Importing the server takes more than a second of processor time, and tests start dozens of servers. Each forked program is
a separate process with its own environment, and can be stopped or killed like any other.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from argon2 import PasswordHasher

from terrarium.server.accounts import passwords

PARENT = "from tests.server.forks import main; main()"
HASHER: PasswordHasher = vars(passwords)["_hasher"]
"""The hasher of the server. A hash takes a fifth of a second of processor time."""


def hash_fast() -> None:
    """Hash passwords with little work in this process, and in those that are forked from it."""
    vars(passwords)["_hasher"] = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


class Fork:
    """`python -c program words`, forked. It has the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self, program: str, words: list[str], environment: dict[str, str], log: IO[str]
    ) -> None:
        self.returncode: int | None = None
        self._parent = _Parent.running()
        its_input, our_input = os.pipe()
        our_output, its_output = os.pipe()
        order = {"program": program, "words": words, "environment": environment}
        self.pid: int = self._parent.ask(order, [its_input, its_output, log.fileno()])
        os.close(its_input)
        os.close(its_output)
        self.stdin: IO[str] = os.fdopen(our_input, "w")
        self.stdout: IO[str] = os.fdopen(our_output)

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self._parent.ask({"poll": self.pid})
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait until the program has ended; return its exit code."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def can_fork(environment: dict[str, str]) -> bool:
    """Whether a program in this environment may be forked: Python reads its own settings only when it starts."""
    return _of_python(environment) == _of_python(_Parent.running().environment)


def _of_python(environment: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key.startswith("PYTHON")}


class _Parent:
    """The process from which this process forks its programs. It ends together with this process."""

    _running: _Parent | None = None

    @classmethod
    def running(cls) -> _Parent:
        if cls._running is None:
            cls._running = cls()
            atexit.register(cls._running.close)
        return cls._running

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.environment = dict(os.environ)
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", PARENT, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=self.environment,
        )
        theirs.close()

    def ask(self, order: dict[str, Any], files: list[int] | None = None) -> Any:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(order).encode()], files or [])
            answer = self._socket.recv(1000)
        assert answer, "the parent of the forked programs has ended"
        return json.loads(answer)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


def main() -> None:
    """Fork the programs that are asked for, and report how they ended."""
    import alembic.command  # noqa: F401
    import uvicorn.lifespan.on
    import uvicorn.loops.auto  # noqa: F401

    import terrarium.cli.serve
    import terrarium.nova
    import terrarium.server.jobs.queue
    import terrarium.server.live.notify
    import terrarium.server.run
    import terrarium.turrium  # noqa: F401
    from terrarium.server.app import Application
    from terrarium.server.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        Application(Settings(data=Path(folder)))  # imports more, and fills caches
    hash_fast()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=int(sys.argv[1]))
    gc.collect()
    gc.freeze()  # otherwise the first garbage collection of each program would copy all of this memory
    while True:
        text, files, _, _ = socket.recv_fds(control, 1_000_000, 3)
        if not text:
            control.close()
            return
        order = json.loads(text)
        if "poll" in order:
            pid, status = os.waitpid(order["poll"], os.WNOHANG)
            answer = None if pid == 0 else os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                control.close()
                _become(order, files)
            for file in files:
                os.close(file)
        control.send(json.dumps(answer).encode())


def _become(order: dict[str, Any], files: list[int]) -> None:
    """Run a program in this forked process, and end with its exit code."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.stdin = os.fdopen(0, closefd=False)
        sys.argv = ["-c", *order["words"]]
        exec(order["program"], {"__name__": "__main__"})
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        # as at the end of any program: the processes it started must end, too
        vars(threading)["_shutdown"]()
        vars(atexit)["_run_exitfuncs"]()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
