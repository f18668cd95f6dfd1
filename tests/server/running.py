"""A real server in its own process, and a person who talks to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

PROGRAM = "import sys; from terrarium.cli import main; sys.exit(main())"


class Server:
    """`terrarium serve` as people start it, on a free port."""

    def __init__(self, folder: Path, *flags: str, program: str = PROGRAM, **settings: str) -> None:
        self.folder = folder
        self.flags = flags
        self.program = program
        self.settings = {"RATE": "0"} | settings
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.log_path = folder / "server.log"

    def start(self) -> Server:
        command = [sys.executable, "-W", "error", "-c", self.program, "serve", "--no-open"]
        command += ["--data", str(self.folder / "data"), "--port", str(self.port), *self.flags]
        environment = os.environ | {f"TERRARIUM_{key}": value for key, value in self.settings.items()}
        with self.log_path.open("a") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "Terrarium is at" in line, self.log
        self.port = int(line.split()[3].rpartition(":")[2])
        self.wait_until_ready()
        return self

    def wait_until_ready(self, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self.process is not None
            assert self.process.poll() is None, self.log
            try:
                if httpx.get(f"{self.url}/api/health", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"the server did not become ready: {self.log}")

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
        code = self.process.wait(timeout=30)
        if self.process.stdout is not None:
            self.process.stdout.close()
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


class Person:
    """Somebody with a cookie jar, and perhaps a seat's secret."""

    def __init__(self, url: str, secret: str | None = None) -> None:
        headers = {"Origin": url}
        if secret is not None:
            headers["Authorization"] = f"Bearer {secret}"
        self.http = httpx.Client(base_url=url, headers=headers, timeout=30)

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
    """The seq of a game and some legal whole turn, found by trying."""
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
