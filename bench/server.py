"""The server compared with the database and the network alone, in the same run.

Turns are prepared before the measurement starts, and the client only writes and reads, so that only the server is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import psutil
import uvicorn

from terrarium import Action, games

TARGETS = {
    "turns/s over bare commits/s": ("at least", 0.5),
    "99th percentile of a turn over bare commit + echo": ("at most", 4.0),
    "kB per watching socket (2,000 over 200 games)": ("at most", 40.0),
    "start to first answered request, s": ("at most", 2.0),
}
GAMES = 200
SOCKETS = 2_000
PACE = 50.0
"""Turns per second while latency is measured: each of the 200 games plays every four seconds."""
_SECONDS = 8.0
_PROGRAM = "import sys; from terrarium.cli import main; sys.exit(main())"


def run() -> dict[str, float]:
    """Every figure of this topic."""
    return asyncio.run(_run())


async def _run() -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="terrarium-bench-"))
    figures: dict[str, float] = {}
    try:
        bare = await _bare_commits(folder, 3.0)
        figures["bare commits/s, one row, synchronous=FULL"] = len(bare) / sum(bare)
        server = Running(folder)
        try:
            figures["start to first answered request, s"] = await server.start()
            tables = [await server.new_game(number) for number in range(GAMES)]
            figures["turns/s, 64 players at once"] = await _throughput(server, tables[:64])
            after = await _bare_commits(folder, 2.0)
            rate = (len(bare) + len(after)) / (sum(bare) + sum(after))
            figures["turns/s over bare commits/s"] = figures["turns/s, 64 players at once"] / rate
            await _latency(server, tables, figures, folder)
            await _watching(server, tables, figures)
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


@asynccontextmanager
async def _bare_database(folder: Path) -> AsyncIterator[aiosqlite.Connection]:
    async with aiosqlite.connect(folder / "bare.db", isolation_level=None) as database:
        await database.execute("PRAGMA journal_mode = WAL")
        await database.execute("PRAGMA synchronous = FULL")
        await database.execute(
            "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)"
        )
        yield database


async def _bare_commit(database: aiosqlite.Connection) -> None:
    await database.execute("BEGIN IMMEDIATE")
    await database.execute("INSERT INTO rows (text) VALUES (?)", ("x" * 100,))
    await database.execute("COMMIT")


async def _bare_commits(folder: Path, seconds: float) -> list[float]:
    """The times of one-row transactions through the same driver, one after the other."""
    times = []
    async with _bare_database(folder) as database:
        until = time.perf_counter() + seconds
        while (started := time.perf_counter()) < until:
            await _bare_commit(database)
            times.append(time.perf_counter() - started)
    return times


class Running:
    """A server in its own process."""

    def __init__(self, folder: Path, *flags: str, **settings: str) -> None:
        self.folder = folder
        self.flags = flags
        self.settings = {f"TERRARIUM_{name}": value for name, value in settings.items()}
        self.notes_holds = False
        self.process: subprocess.Popen[str] | None = None
        self.port = 0

    async def start(self) -> float:
        """Start the server; returns the seconds until it answered a request."""
        holds = str(self.folder / "holds")
        program = ["-m", "bench.holding", holds] if self.notes_holds else ["-c", _PROGRAM]
        command = [sys.executable, *program, "serve", "--no-open", "--port", "0"]
        command += ["--data", str(self.folder / "data"), *self.flags]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"TERRARIUM_RATE": "0"} | self.settings
        for _ in range(2):  # the first start also compiles and migrates, so the second is measured
            self.stop()
            started = time.perf_counter()
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
            assert self.process.stdout is not None
            self.port = int(self.process.stdout.readline().split()[3].rpartition(":")[2])
            wire = await Wire.open(self.port)
            assert (await wire.ask("GET", "/api/health"))[0] == 200
            seconds = time.perf_counter() - started
            wire.close()
        return seconds

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None

    async def longest_hold(self) -> float:
        """The longest time that one callback held the event loop since the last call, in seconds of processor time."""
        assert self.process is not None
        path = self.folder / "holds"
        path.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        while not path.exists() or not (text := path.read_text()):
            await asyncio.sleep(0.02)
        return float(text)

    def memory(self) -> int:
        assert self.process is not None
        return int(psutil.Process(self.process.pid).memory_info().rss)

    async def new_game(self, number: int) -> Playing:
        wire = await Wire.open(self.port)
        kind = ("turrium", "nova")[number % 2]
        order = {"game": kind, "seats": [{"kind": "link"}, {"kind": "link"}]}
        _, created = await wire.ask("POST", "/api/games", order)
        return Playing(wire, created, number)


class Wire:
    """A minimal HTTP client: one connection, one request at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int
    ) -> None:
        self._reader, self._writer, self._port = reader, writer, port
        self._host = f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"

    @classmethod
    async def open(cls, port: int) -> Wire:
        return cls(*await asyncio.open_connection("127.0.0.1", port), port)

    def close(self) -> None:
        self._writer.close()

    async def ask(
        self, method: str, path: str, body: Any = None, secret: str = ""
    ) -> tuple[int, Any]:
        """Send a request; returns the status, and the answer decoded from JSON."""
        status, content = await self._exchange(method, path, body, secret)
        return status, json.loads(content) if content else None

    async def pass_over(self, path: str, body: Any = None) -> int:
        """Send a request without decoding the answer; returns the answer's size."""
        status, content = await self._exchange("GET" if body is None else "POST", path, body, "")
        assert status < 300, content[:200]
        return len(content)

    async def _exchange(self, method: str, path: str, body: Any, secret: str) -> tuple[int, bytes]:
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._host}"
        if secret:
            head += f"Authorization: Bearer {secret}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        try:
            self._writer.write(head.encode() + data)
            answer = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            # The server closed the idle connection. Turns have keys, so sending one again does not play it twice.
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._writer.write(head.encode() + data)
            answer = await self._reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line[15:])
                for line in answer.split(b"\r\n")
                if line[:15].lower() == b"content-length:"
            ),
            0,
        )
        return int(answer[9:12]), await self._reader.readexactly(length)


class Playing:
    """A game with its turns, which are prepared before the measurement."""

    def __init__(self, wire: Wire, created: dict[str, Any], seed: int) -> None:
        self.wire, self.id, self.secrets = wire, created["id"], created["secrets"]
        self.seq = created["seq"]
        self.lock = asyncio.Lock()
        rng = random.Random(seed)
        position = games[created["game"]["game"]].position(created["game"]["position"])
        self.turns: list[tuple[int, list[str]]] = []
        while position.outcome is None and len(self.turns) < 400:
            seat = position.to_move
            assert seat is not None
            actions: list[Action] = []
            while position.to_move == seat and (not actions or not position.at_turn_start):
                actions.append(rng.choice(position.legal_actions()))
                position = position.play(actions[-1])
            self.turns.append((seat, [str(action) for action in actions]))
        self.turns.reverse()

    async def play(self) -> float | None:
        """Send the next turn; returns the seconds until it was acknowledged, None if there is no turn left."""
        if not self.turns:
            return None
        seat, actions = self.turns.pop()
        body = {"seq": self.seq, "actions": actions, "key": str(self.seq)}
        path = f"/api/games/{self.id}/turns"
        started = time.perf_counter()
        status, answer = await self.wire.ask("POST", path, body, self.secrets[seat])
        while (
            status == 503
        ):  # the database did not answer in time; with the same key it is the same turn
            await asyncio.sleep(answer["retry_after"])
            status, answer = await self.wire.ask("POST", path, body, self.secrets[seat])
        seconds = time.perf_counter() - started
        assert status == 200, answer
        self.seq = answer["seq"]
        return seconds


async def _throughput(server: Running, tables: list[Playing]) -> float:
    """Turns per second when every player sends the next turn as soon as the last is acknowledged."""
    until = time.perf_counter() + _SECONDS
    count = 0

    async def player(table: Playing) -> None:
        nonlocal count
        while time.perf_counter() < until and await table.play() is not None:
            count += 1

    started = time.perf_counter()
    await asyncio.gather(*(player(table) for table in tables))
    return count / (time.perf_counter() - started)


async def _latency(
    server: Running, tables: list[Playing], figures: dict[str, float], folder: Path
) -> None:
    """Play turns at a steady pace in 200 games, and measure commits and echoes without the server at the same time."""
    turns: list[float] = []
    waiting: set[asyncio.Task[None]] = set()

    async def one(table: Playing) -> None:
        seconds = await table.play()
        if seconds is not None:
            turns.append(seconds)

    bare = asyncio.create_task(_bare_at_pace(folder))
    for number in range(int(2 * _SECONDS * PACE)):
        task = asyncio.create_task(one(tables[number % len(tables)]))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
        await asyncio.sleep(1 / PACE)
    if waiting:
        await asyncio.wait(waiting)
    both = await bare
    figures["turn acknowledged at 200 live games, ms, median"] = 1000 * share(turns, 0.5)
    figures["bare commit + echo, ms, median"] = 1000 * share(both, 0.5)
    figures["turn acknowledged at 200 live games, ms, 99th percentile"] = 1000 * share(turns, 0.99)
    figures["bare commit + echo, ms, 99th percentile"] = 1000 * share(both, 0.99)
    figures["99th percentile of a turn over bare commit + echo"] = share(turns, 0.99) / share(
        both, 0.99
    )


async def _bare_at_pace(folder: Path) -> list[float]:
    """The times of a commit through the driver followed by a request that uvicorn answers with the same body."""
    program = "from bench.server import serve_echo; serve_echo()"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    times = []
    try:
        port = int(await asyncio.to_thread(process.stdout.readline))
        await asyncio.sleep(1.0)
        wire = await Wire.open(port)
        async with _bare_database(folder) as database:
            until = time.perf_counter() + 2 * _SECONDS - 2
            while (started := time.perf_counter()) < until:
                await _bare_commit(database)
                assert (await wire.ask("POST", "/", {"actions": ["e7-e12"]}))[0] == 200
                times.append(time.perf_counter() - started)
                await asyncio.sleep(2 / PACE)
        wire.close()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
    return times


def serve_echo() -> None:
    """Run an application that answers each request with the request's body."""
    import socket

    async def echo(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        length = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": body})

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(echo, log_config=None, access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listening])


async def _watching(server: Running, tables: list[Playing], figures: dict[str, float]) -> None:
    """Open 2,000 sockets on 200 games: the memory of each, and the time until all ten of a game have received a turn."""
    before = server.memory()
    sockets = [
        await Watcher.open(server.port, tables[number % GAMES].id) for number in range(SOCKETS)
    ]
    await asyncio.sleep(1.0)
    figures["kB per watching socket (2,000 over 200 games)"] = (
        (server.memory() - before) / SOCKETS / 1000
    )
    times = []
    for number in range(100):
        table = tables[number]
        started = time.perf_counter()
        if await table.play() is None:
            continue
        mine = [sockets[number + GAMES * row] for row in range(SOCKETS // GAMES)]
        await asyncio.gather(*(socket.heard(table.seq) for socket in mine))
        times.append(time.perf_counter() - started)
    figures["turn sent to all watchers of its game, ms, 99th percentile"] = 1000 * share(
        times, 0.99
    )
    for socket in sockets:
        socket.close()


class Watcher:
    """A WebSocket that only reads, without a library, so that one process can have 2,000 of them."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int, game: str, since: int | None = None) -> Watcher:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        query = "" if since is None else f"?since={since}"
        writer.write(
            f"GET /api/games/{game}/live{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        answer = await reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in answer
        watcher = cls(reader, writer)
        while (await watcher.message())["type"] != "ready":
            pass
        return watcher

    async def message(self) -> dict[str, Any]:
        while True:
            kind, size = await self._reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self._reader.readexactly(2), "big")
            elif size == 127:
                size = int.from_bytes(await self._reader.readexactly(8), "big")
            data = await self._reader.readexactly(size)
            if kind & 15 == 1:
                found: dict[str, Any] = json.loads(data)
                return found

    async def heard(self, seq: int) -> None:
        async with asyncio.timeout(30):
            while (await self.message()).get("seq", 0) < seq:
                pass

    def close(self) -> None:
        self._writer.close()


def share(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


if __name__ == "__main__":
    for name, value in run().items():
        sense, limit = TARGETS.get(name, ("", 0.0))
        print(f"{name:62} {value:10.3f}  {f'{sense} {limit:g}' if sense else ''}", flush=True)
