"""How many people one machine, three machines and a region can serve: `python -m bench scale`, with options `python -m bench.scale`.

The costs of a turn, a try, a message to a watcher, a connecting watcher and a computer's turn are measured in this run, in
processor time, on PostgreSQL with three workers. The model multiplies them by how often people do each (`Habits`, assumed). Its
result is how many people may be online before each part is busy for `_FULL` of the time, and what to do then. Then the model is
checked: many sockets watch games that are played at a steady pace, and the measured processor time is compared with the model's.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
from tests.server.playing import random_turn
from tests.server.postgres import Postgres

from bench.server import Playing, Running, Wire, share
from terrarium import games
from terrarium.engine import LEVELS, Engine, Limit

WORKERS = 3
SOCKETS = 10_000
_GAMES = 200
_PACE = 20.0
_SECONDS = 8.0
_FULL = 0.6
_LEVEL = 4
_CONNECTING = 50
_PATIENCE = 60.0
"""Seconds after which a message that has not arrived counts as missed; on a busy machine many arrive late."""
_MEASURED = 400, 2_400
"""The two numbers of sockets that watch while the costs are measured."""


@dataclass(frozen=True)
class Costs:
    """The measured costs: seconds of processor time, bytes, and flushes per second."""

    turn: float
    database_turn: float
    attempt: float
    follow: float
    """The cost of a turn for the workers whose clients only watch its game: they read it from the database."""
    message: float
    join: float
    engine_turn: float
    socket_bytes: float
    turn_bytes: float
    flushes: float


@dataclass(frozen=True)
class Habits:
    """Assumptions about the people online."""

    seconds_per_turn: float = 30.0
    """The time between two turns of one person."""
    attempts: float = 3.0
    """Actions tried on the board for each turn."""
    spectators: float = 0.25
    """Watchers without a seat for each person who plays."""
    against_computer: float = 0.5
    """The share of people who play against the computer."""
    joins_per_minute: float = 0.5
    """How often a person's page connects again: a new game, a phone that wakes up."""


@dataclass(frozen=True)
class Size:
    """The machines: event loops (one core each), cores for the engine, cores of the database, memory for sockets."""

    name: str
    loops: int
    engine_cores: float
    database_cores: float
    memory_gb: float


SIZES = (
    Size("one machine, 4 cores", 1, 2, 1, 8),
    Size("three machines, 8 cores each", 8, 8, 8, 32),
    Size("a region, 20 machines of 16 cores", 160, 144, 16, 640),
)
ADVICE = {
    "event loops": "more workers on more machines; any worker serves any game",
    "engine": "more `terrarium worker` machines, lower levels, or the page without a server, which runs the engine on visitors' machines",
    "database processor": "read replicas for lists, records and reviews; then partition the games by id over several databases",
    "database flushes": "a disk that flushes faster or has a battery-backed cache; then partition the games by id",
    "memory": "more memory or workers: sockets are spread over them",
}


def capacity(costs: Costs, habits: Habits, size: Size) -> dict[str, float]:
    """How many people may be online before each part is full."""
    turns = 1 / habits.seconds_per_turn
    computer = turns * habits.against_computer
    sockets = 1 + habits.spectators
    # Everybody at a game receives each person's turn and the reply to it.
    messages = 2 * turns * sockets
    written = turns + computer
    loop = (
        written * (costs.turn + (costs.follow if size.loops > 1 else 0))
        + turns * habits.attempts * costs.attempt
        + messages * costs.message
        + habits.joins_per_minute / 60 * sockets * costs.join
    )
    return {
        "event loops": _FULL * size.loops / loop,
        "engine": _FULL * size.engine_cores / (computer * costs.engine_turn),
        "database processor": _FULL * size.database_cores / (written * costs.database_turn),
        "database flushes": _FULL * costs.flushes / written,
        "memory": _FULL * size.memory_gb * 1e9 / (sockets * costs.socket_bytes),
    }


class Counting(asyncio.Protocol):
    """A WebSocket that only counts the turns that it receives, so that one process can have 10,000 of them."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._buffer = bytearray()
        self._is_open = False
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.turns = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._is_open:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self._buffer[:16] and not self.ready.done():
                self.ready.set_exception(ConnectionError(bytes(self._buffer[:200])))
            self._is_open = True
            del self._buffer[: end + 4]
        while (frame := self._frame()) is not None:
            if b'"type":"turn"' in frame:
                self.turns += 1
            elif b'"type":"ready"' in frame and not self.ready.done():
                self.ready.set_result(None)

    def _frame(self) -> bytes | None:
        if len(self._buffer) < 2:
            return None
        kind, size, start = self._buffer[0] & 15, self._buffer[1], 2
        if size > 125:
            start += 2 if size == 126 else 8
            size = int.from_bytes(self._buffer[2:start], "big")
        if len(self._buffer) < start + size:
            return None
        found = bytes(self._buffer[start : start + size])
        del self._buffer[: start + size]
        if (
            kind == 9
        ):  # a ping: without an answer the server disconnects; the mask of the answer is zero
            self.transport.write(bytes((0x8A, 0x80 | size, 0, 0, 0, 0)) + found)
        return found

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ready.done():
            self.ready.set_exception(error or ConnectionError("closed"))


async def connected(port: int, ids: Sequence[str], count: int) -> list[Counting]:
    """`count` open sockets, distributed over the games."""
    loop = asyncio.get_running_loop()
    limit = asyncio.Semaphore(_CONNECTING)

    async def one(number: int) -> Counting:
        request = (
            f"GET /api/games/{ids[number % len(ids)]}/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ).encode()
        async with limit, asyncio.timeout(300):
            while True:
                _, found = await loop.create_connection(
                    lambda: Counting(request), "127.0.0.1", port
                )
                try:
                    await found.ready
                except ConnectionError:
                    # On a very busy machine this client sends too late and is disconnected; it connects again, as a page does.
                    await asyncio.sleep(1.0)
                else:
                    return found

    return list(await asyncio.gather(*map(one, range(count))))


class Club:
    """A server with several workers on PostgreSQL, its games, and the costs of its processes."""

    def __init__(self, folder: Path, postgres: Postgres, workers: int) -> None:
        self.rest = 0.0, 0.0
        """Processor time per second that the workers and the database use without any requests."""
        self.database = postgres.database()
        self.postgres = psutil.Process(
            int((postgres._server.pgdata / "postmaster.pid").read_text().split()[0])
        )
        self.server = Running(
            folder,
            *("--database", self.database, "--workers", str(workers)),
            ENGINE_THREADS="1",
            MAX_SOCKETS_EACH="100000",
            MAX_SOCKETS="100000",
        )

    async def start(self, count: int = _GAMES) -> None:
        await self.server.start()
        self.games = [await self.server.new_game(number) for number in range(count)]

    async def stop(self) -> None:
        for game in self.games:
            game.wire.close()
        await asyncio.sleep(0.2)  # the connections close in the loop's next iterations
        self.server.stop()

    @property
    def port(self) -> int:
        return self.server.port

    def _family(self) -> list[psutil.Process]:
        assert self.server.process is not None
        parent = psutil.Process(self.server.process.pid)
        return [parent, *parent.children(recursive=True)]

    def memory(self) -> int:
        return sum(process.memory_info().rss for process in self._family())

    def spent(self) -> float:
        """Seconds of processor time of the workers so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self._family())

    def spent_by_database(self) -> float:
        total = 0.0
        for process in [self.postgres, *self.postgres.children(recursive=True)]:
            try:
                total += sum(process.cpu_times()[:4])
            except psutil.NoSuchProcess:
                continue
        return total

    def size(self) -> int:
        with psycopg.connect(self.database) as connection:
            found = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        return int(found[0][0])

    async def played(self, seconds: float, pace: float) -> tuple[list[float], dict[str, int]]:
        """Play turns at a steady pace; returns the time of each, and the number of turns in each game."""
        times: list[float] = []
        counts: dict[str, int] = {}
        waiting: set[asyncio.Task[None]] = set()

        async def one(table: Playing) -> None:
            started = time.perf_counter()
            async with table.lock:
                taken = await table.play()
            if taken is not None:
                times.append(time.perf_counter() - started)
                counts[table.id] = counts.get(table.id, 0) + 1

        started = time.perf_counter()
        for number in range(int(seconds * pace)):
            task = asyncio.create_task(one(self.games[number % len(self.games)]))
            waiting.add(task)
            task.add_done_callback(waiting.discard)
            await asyncio.sleep(max(0.0, started + (number + 1) / pace - time.perf_counter()))
        if waiting:
            await asyncio.wait(waiting)
        return times, counts


async def measured(club: Club) -> Costs:
    """Measure every cost in processor time, which depends little on other programs on the machine."""
    club.rest = 0.0, 0.0
    idle, idle_database = await _spent(club, asyncio.sleep(3.0))
    club.rest = idle / 3.5, idle_database / 3.5
    before = club.size()
    played: list[tuple[list[float], dict[str, int]]] = []

    async def turns() -> None:
        played.append(await club.played(_SECONDS, _PACE))

    spent, spent_database = await _spent(club, turns())
    count = len(played[0][0])
    turn, database_turn = spent / count, spent_database / count
    turn_bytes = max(0.0, club.size() - before) / count
    attempt = await _attempts(club)
    memory = club.memory()
    sockets: list[Counting] = []
    joined = 0.0
    watched: list[tuple[float, int, int]] = []
    # First with few sockets, then with many: the difference is the cost of a message, the rest that of following a game.
    for number in _MEASURED:
        ids = [game.id for game in club.games]

        async def joining(more: int = number - len(sockets), ids: list[str] = ids) -> None:
            sockets.extend(await connected(club.port, ids, more))

        joined += (await _spent(club, joining()))[0]
        heard = sum(socket.turns for socket in sockets)
        spent, _ = await _spent(club, turns())
        heard = sum(socket.turns for socket in sockets) - heard
        watched.append((spent, len(played[-1][0]), heard))
    (few, few_turns, few_heard), (many, many_turns, many_heard) = watched
    difference = many / many_turns - few / few_turns
    message = difference / max(1.0, many_heard / many_turns - few_heard / few_turns)
    follow = few / few_turns - turn - message * few_heard / few_turns
    socket_bytes = max(10_000.0, (club.memory() - memory) / len(sockets))
    for socket in sockets:
        socket.transport.close()
    return Costs(
        turn,
        max(database_turn, 1e-5),
        attempt,
        max(follow, 0.0),
        max(message, 1e-5),
        joined / len(sockets),
        _engine_turn(),
        socket_bytes,
        turn_bytes,
        await asyncio.to_thread(_flushes, club.database),
    )


async def _spent(club: Club, work: Any) -> tuple[float, float]:
    """The processor time of some work in the workers and in the database, without their idle use."""
    before, database, started = club.spent(), club.spent_by_database(), time.perf_counter()
    await work
    await asyncio.sleep(0.5)
    seconds = time.perf_counter() - started
    rest, rest_database = club.rest
    return (
        max(0.0, club.spent() - before - rest * seconds),
        max(0.0, club.spent_by_database() - database - rest_database * seconds),
    )


async def _attempts(club: Club, count: int = 300) -> float:
    wire = await Wire.open(club.port)
    table = club.games[1]
    seat, actions = table.turns[-1]
    body = {"seq": table.seq, "actions": actions[:1]}

    async def ask() -> None:
        for _ in range(count):
            status, _ = await wire.ask(
                "POST", f"/api/games/{table.id}/try", body, table.secrets[seat]
            )
            assert status == 200

    spent, _ = await _spent(club, ask())
    wire.close()
    return spent / count


def _engine_turn(level: int = _LEVEL, turns: int = 6) -> float:
    """Seconds of processor time for a turn of the engine, averaged over both games."""
    rng, spent = random.Random(5), 0.0
    engine = Engine(level=level)
    limit = Limit(seconds=LEVELS[level - 1].seconds)
    for number in range(turns):
        position = games[("nova", "turrium")[number % 2]].start()
        for _ in range(12):
            if position.outcome is None:
                _, position = random_turn(position, rng)
        if position.outcome is None:
            started = time.process_time()
            engine.choose(position, limit)
            spent += time.process_time() - started
    return spent / turns


def _flushes(database: str, seconds: float = 2.0, connections: int = 8) -> float:
    """Commits per second of one-row transactions from a few connections: the database flushes several at once."""

    def commits(_: int) -> int:
        count = 0
        with psycopg.connect(database, autocommit=True) as connection:
            until = time.perf_counter() + seconds
            while time.perf_counter() < until:
                connection.execute(
                    "SELECT pg_logical_emit_message(true, 'bench', repeat('x', 300))"
                )
                count += 1
        return count

    with ThreadPoolExecutor(connections) as pool:
        return sum(pool.map(commits, range(connections))) / seconds


async def real(
    workers: int = WORKERS, sockets: int = SOCKETS, costs: Costs | None = None
) -> dict[str, float]:
    """Play games that many sockets watch: what the sockets receive, the times of the turns, and the costs compared with the model's."""
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory(prefix="terrarium-bench-") as folder:
            club = Club(Path(folder), postgres, workers)
            await club.start()
            try:
                return await _real(club, sockets, costs)
            finally:
                await club.stop()
    finally:
        postgres.close()


async def _real(club: Club, count: int, costs: Costs | None) -> dict[str, float]:
    idle, _ = await _spent(club, asyncio.sleep(3.0))
    club.rest = idle / 3.5, 0.0
    memory = club.memory()
    started = time.perf_counter()
    ids = [game.id for game in club.games]
    sockets = await connected(club.port, ids, count)
    joined = time.perf_counter() - started
    seconds = 2 * _SECONDS
    found: list[tuple[list[float], dict[str, int]]] = []

    async def turns() -> None:
        found.append(await club.played(seconds, _PACE))

    spent, _ = await _spent(club, turns())
    times, counts = found[0]
    expected = sum(counts.get(ids[number % len(ids)], 0) for number in range(count))
    until = time.perf_counter() + _PATIENCE
    while (heard := sum(one.turns for one in sockets)) < expected and time.perf_counter() < until:
        await asyncio.sleep(1.0)
    figures = {
        "sockets open": float(sum(not socket.transport.is_closing() for socket in sockets)),
        "seconds to connect all": joined,
        "messages that sockets should hear": float(expected),
        "messages missed": float(expected - heard),
        "turn acknowledged, ms, median": 1000 * share(times, 0.5),
        "turn acknowledged, ms, 95th percentile": 1000 * share(times, 0.95),
        "kB per socket, all workers": (club.memory() - memory) / count / 1000,
        "processor seconds of the workers": spent,
    }
    if costs is not None:
        predicted = len(times) * (costs.turn + costs.follow) + heard * costs.message
        figures["processor seconds by the model"] = predicted
        figures["measured over model"] = spent / predicted
    for socket in sockets:
        socket.transport.close()
    return figures


async def _costs() -> Costs:
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory(prefix="terrarium-bench-") as folder:
            club = Club(Path(folder), postgres, WORKERS)
            await club.start()
            try:
                return await measured(club)
            finally:
                await club.stop()
    finally:
        postgres.close()


def run(sockets: int = SOCKETS) -> dict[str, float]:
    """Every figure of this topic; prints the result of the model."""
    costs = asyncio.run(_costs())
    figures = {
        "turn, ms of a worker": 1000 * costs.turn,
        "turn, ms of the database": 1000 * costs.database_turn,
        "try, ms of a worker": 1000 * costs.attempt,
        "turn at the workers that watch, ms of a worker": 1000 * costs.follow,
        "message to a watcher, ms of a worker": 1000 * costs.message,
        "a watcher connects, ms of a worker": 1000 * costs.join,
        f"turn of a computer of level {_LEVEL}, ms": 1000 * costs.engine_turn,
        "kB of memory per socket": costs.socket_bytes / 1000,
        "bytes of the database per turn": costs.turn_bytes,
        "commits/s of the database, 8 connections": costs.flushes,
    }
    print(explained(costs, Habits()), flush=True)
    for name, value in asyncio.run(real(WORKERS, sockets, costs)).items():
        figures[f"{sockets:,} sockets, {WORKERS} workers: {name}"] = value
    return figures


def explained(costs: Costs, habits: Habits) -> str:
    """For each size: how many people it can serve, which part is full first, and what to do then."""
    lines = []
    for size in SIZES:
        found = capacity(costs, habits, size)
        first = min(found, key=lambda part: found[part])
        lines.append(
            f"  {size.name}: {found[first]:,.0f} people online; {first} is full first: {ADVICE[first]}"
        )
        rest = sorted(found.items(), key=lambda item: item[1])
        lines.append("      " + ", ".join(f"{part} {people:,.0f}" for part, people in rest))
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--sockets", type=int, default=SOCKETS)
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    for figure, value in run(parser.parse_args().sockets).items():
        print(f"{figure:70} {value:12.3f}", flush=True)
