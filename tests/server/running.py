"""A real server in its own process, and a person who talks to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
import uvicorn
from sqlalchemy import create_engine
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as sync_connect

from terrarium.server.app import Application
from terrarium.server.database.migrations import upgrade
from terrarium.server.run import listen, uvicorn_config
from terrarium.server.settings import Settings
from tests.server.forks import Fork, can_fork, hash_fast
from tests.server.ports import reserve_port

hash_fast()
PATIENCE = 180.0
"""Seconds after which something counts as never coming, on however busy a machine; nobody waits for so long if all is well."""
PROGRAM = "import sys; from terrarium.cli import main; sys.exit(main())"
ZYGOTE = "from tests.server.zygote import main; main()"


@cache
def _empty_database() -> bytes:
    """A SQLite file with the newest schema and no rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "terrarium.db"
        engine = create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            upgrade(connection)
        engine.dispose()
        return path.read_bytes()


def prepare(data: Path) -> None:
    """Put an empty database into a new data folder. Migrating one takes a quarter of the processor time of a start."""
    path = data / "terrarium.db"
    if not path.exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(_empty_database())


class Server:
    """`terrarium serve` in its own process. It keeps its port when it is started again.

    The process is forked, unless it has several workers: each of them is a new process anyway. Tests about the start and
    the end of the program use `NewServer`.
    """

    is_forked = True

    def __init__(self, folder: Path, *flags: str, program: str = PROGRAM, **settings: str) -> None:
        self.folder = folder
        self.flags = flags
        self.program = program
        self.settings = {"RATE": "0"} | settings
        self.port = reserve_port()
        self.process: subprocess.Popen[str] | Fork | None = None
        self.log_path = folder / "server.log"

    def start(self) -> Server:
        words = ["serve", "--no-open", "--data", str(self.folder / "data")]
        words += ["--port", str(self.port), *self.flags]
        environment = environment_for(self.settings)
        with self.log_path.open("a") as log:
            if self.is_forked and not self._has_workers and can_fork(environment):
                if "DATABASE" not in self.settings and "--database" not in self.flags:
                    prepare(self.folder / "data")
                self.process = Fork(self.program, words, environment, log)
            else:
                command = [sys.executable, "-W", "error", "-c", self.program, *words]
                self.process = subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
                )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "Terrarium is at" in line, self.log
        self.port = int(line.split()[3].rpartition(":")[2])
        wait_until_ready(self.url, lambda: self.log)
        return self

    @property
    def _has_workers(self) -> bool:
        return "WORKERS" in self.settings or "--workers" in self.flags

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.log_path.read_text()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None
        code = self.process.wait(timeout=PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        return code

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def person(self, secret: str | None = None) -> Person:
        return Person(self.url, secret)


class NewServer(Server):
    """`terrarium serve` in a new process, as a person starts it."""

    is_forked = False


class Forked:
    """A server that starts fast, for tests that kill it: it is forked from a process that has imported everything."""

    def __init__(
        self, folder: Path, database: str = "", clock: Path | None = None, **settings: str
    ) -> None:
        self.folder = folder
        self.database = database
        wrong = {} if clock is None else {"CLOCK_FILE": str(clock)}
        self.port = reserve_port()
        self.pid = 0
        self.log_path = folder / "server.log"
        folder.mkdir(parents=True, exist_ok=True)
        environment = environment_for({"RATE": "0"} | settings) | wrong
        with self.log_path.open("a") as log:
            self._parent = Fork(ZYGOTE, [], environment, log)
        assert self._parent.stdout.readline() == "ready\n", self.log

    def start(self) -> Forked:
        words = [str(self.port), str(self.folder / "data"), self.database, str(self.log_path)]
        self._parent.stdin.write("\t".join(words) + "\n")
        self._parent.stdin.flush()
        self.pid, self.port = map(int, self._parent.stdout.readline().split())
        wait_until_ready(self.url, lambda: self.log)
        return self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.log_path.read_text() if self.log_path.exists() else ""

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End the server with a signal, and wait until the process has ended."""
        os.kill(self.pid, number)
        while True:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.002)

    def person(self, secret: str | None = None) -> Person:
        return Person(self.url, secret)

    def __enter__(self) -> Forked:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._parent.stdin.close()
        self._parent.wait(PATIENCE)
        self._parent.stdout.close()


def environment_for(settings: dict[str, str]) -> dict[str, str]:
    """The environment of a server: that of the tests, with settings, and with byte code on disk so that it starts fast."""
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    return environment | {f"TERRARIUM_{key}": value for key, value in settings.items()}


def wait_until_ready(url: str, log: Callable[[], str], seconds: float = PATIENCE) -> None:
    """Wait until a server answers."""
    until = time.monotonic() + seconds
    with httpx.Client(base_url=url, timeout=30, verify=False, trust_env=False) as client:
        while time.monotonic() < until:
            try:
                if client.get("/api/health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
    raise AssertionError(f"the server did not become ready: {log()}")


def comes(condition: Callable[[], Any]) -> bool:
    """Wait until a condition is true; False if that takes too long."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def connect(address: str, **options: Any) -> ClientConnection:
    """A WebSocket with long timeouts, for busy machines."""
    found: ClientConnection = sync_connect(
        address, open_timeout=PATIENCE, ping_timeout=PATIENCE, **options
    )
    return found


class Person:
    """A client with cookies and, optionally, a seat's secret."""

    def __init__(self, url: str, secret: str | None = None) -> None:
        headers = {"Origin": url}
        if secret is not None:
            headers["Authorization"] = f"Bearer {secret}"
        self.http = httpx.Client(
            base_url=url, headers=headers, timeout=PATIENCE, verify=False, trust_env=False
        )

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.http.get(path, params=query)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.http.post(path, json={} if body is None else body, headers=headers)

    def create(self, game: str = "nova", **order: Any) -> dict[str, Any]:
        answer = self.post("/api/games", {"game": game, **order})
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()
        return created

    def snapshot(self, game_id: str) -> dict[str, Any]:
        answer = self.get(f"/api/games/{game_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def turn(
        self, game_id: str, seq: int, actions: list[str], key: str | None = None, secret: str = ""
    ) -> httpx.Response:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        body: dict[str, Any] = {"seq": seq, "actions": actions}
        if key is not None:
            body["key"] = key
        return self.http.post(f"/api/games/{game_id}/turns", json=body, headers=headers)


def whole_turn(person: Person, game_id: str, pick: int = 0) -> tuple[int, list[str]]:
    """The seq of a game and a legal complete turn, found by trying actions on the server."""
    seq = person.snapshot(game_id)["seq"]
    actions: list[str] = []
    while True:
        answer = person.post(f"/api/games/{game_id}/try", {"seq": seq, "actions": actions})
        assert answer.status_code == 200, answer.text
        tried = answer.json()
        if tried["turn_complete"]:
            return seq, actions
        legal = tried["legal"]
        actions.append(legal[pick % len(legal)]["text"])


def new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="terrarium-test-"))


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


class FakeTime:
    """A clock that moves only when the test moves it, in milliseconds since 1970."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.ms

    def pass_(self, seconds: float) -> None:
        self.ms += int(seconds * 1000)


class InProcess:
    """A server in a thread of the test, for tests about time: a real socket, but the test's clock."""

    def __init__(self, folder: Path, now: Callable[[], int], **settings: Any) -> None:
        self.settings = Settings(data=folder / "data", port=0, **{"rate": 0.0} | settings)
        self.now = now

    def __enter__(self) -> InProcess:
        if not self.settings.database:
            prepare(self.settings.data)
        self.listening = listen(self.settings)
        self.port = self.listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.application = Application(self.settings, self.now)
        self._server = uvicorn.Server(uvicorn_config(self.application, self.settings))
        self._thread = threading.Thread(target=self._server.run, args=([self.listening],))
        self._thread.start()
        wait_until_ready(self.url, lambda: "")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self.listening.close()

    @property
    def connections(self) -> int:
        """How many connections the server has open."""
        return len(self._server.server_state.connections)

    def run(self, call: Callable[[], Any]) -> None:
        """Call something on the server's event loop."""
        sweeper = self.application.services._sweeper
        assert sweeper is not None
        sweeper.get_loop().call_soon_threadsafe(call)

    def person(self, secret: str | None = None) -> Person:
        return Person(self.url, secret)
