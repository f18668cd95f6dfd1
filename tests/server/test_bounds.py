"""Limits on bodies, frames, messages and queues: hostile clients do not slow down others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from terrarium.play.seats import MAX_HOLDERS
from tests.server.playing import position_of, random_turn
from tests.server.running import PATIENCE, Person, Server

LIVE = "/api/games/{}/live"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with its limits on."""
    folder = tmp_path_factory.mktemp("strict")
    with Server(folder, RATE="1", SEND_QUEUE="16") as running:
        yield running


def address(server: Server, game: str) -> str:
    return server.url.replace("http", "ws") + LIVE.format(game)


def test_a_large_body_is_refused_unread(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
        raw.sendall(
            f"POST /api/boards/check HTTP/1.1\r\nHost: x\r\nOrigin: {server.url}\r\n".replace(
                "Host: x", f"Host: 127.0.0.1:{server.port}"
            ).encode()
            + b"Content-Type: application/json\r\nContent-Length: 300000000\r\n\r\n"
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 413")
    with server.person() as person:
        chunks = (b" " * 60_000 for _ in range(20))
        headers = {"Content-Type": "application/json"}
        answer = person.http.post("/api/boards/check", content=chunks, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_a_large_frame_closes_the_socket(server: Server) -> None:
    async def send() -> int:
        with server.person() as person:
            game = person.create()["id"]
        async with connect(address(server, game), origin=server.url, open_timeout=PATIENCE) as ws:  # type: ignore[arg-type]
            await ws.send("x" * 5_000)
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await ws.recv()
            return ws.close_code or 0

    assert asyncio.run(send()) == 1009


def test_too_many_messages_are_refused_with_a_time_to_retry_then_closed(strict: Server) -> None:
    async def flood() -> tuple[list[float], int]:
        with strict.person() as person:
            game = person.create()["id"]
        waits: list[float] = []
        async with connect(address(strict, game), origin=strict.url, open_timeout=PATIENCE) as ws:  # type: ignore[arg-type]
            try:
                for _ in range(500):
                    await ws.send('{"type":"ping"}')
                while True:
                    message = json.loads(await ws.recv())
                    if message["type"] == "error":
                        waits.append(message["retry_after"])
            except ConnectionClosed as closed:
                while True:
                    try:
                        message = json.loads(await ws.recv())
                    except ConnectionClosed:
                        return waits, closed.rcvd.code if closed.rcvd else 1006
                    if message["type"] == "error":
                        waits.append(message["retry_after"])

    waits, code = asyncio.run(flood())
    assert waits
    assert all(0 < seconds < 10 for seconds in waits)
    assert code in (1006, 1008)


def test_too_many_requests_are_refused_with_a_time_to_retry(strict: Server) -> None:
    with strict.person() as person:
        person.create()
        position = person.create("nova", seats=[{"kind": "device"}, {"kind": "device"}])
        body = {"position": position["game"]["position"], "seconds": 0.1}
        # Send all at the same time: one after the other, a slow machine would recover the limit in between.
        with ThreadPoolExecutor(14) as pool:
            answers = list(pool.map(lambda _: person.post("/api/analysis", body), range(14)))
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert refused[0].json()["code"] == "too-many-requests"
    assert refused[0].json()["retry_after"] > 0
    assert int(refused[0].headers["retry-after"]) >= 1


def test_a_slow_watcher_is_dropped_and_nobody_waits(strict: Server) -> None:
    """One socket reads nothing while 400 large messages are sent. The others get all of them without delay."""

    async def watch() -> tuple[list[float], int]:
        with strict.person() as person:
            created = person.create("turrium", rules={"players": 4}, seats=[{"kind": "device"}] * 4)
            game, seq = created["id"], created["seq"]
            position = position_of(created["game"])
            slow = socket.socket()
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", strict.port))
            cookie = person.http.cookies["terrarium"]
            key = "dGhlIHNhbXBsZSBub25jZQ=="
            slow.sendall(
                f"GET {LIVE.format(game)} HTTP/1.1\r\nHost: 127.0.0.1:{strict.port}\r\n"
                f"Origin: {strict.url}\r\nCookie: terrarium={cookie}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
            )
            import random

            rng, times = random.Random(1), []
            async with connect(
                address(strict, game),
                origin=Origin(strict.url),
                open_timeout=PATIENCE,
                max_queue=2000,
            ) as quick:
                await _until(quick, "ready")
                async with asyncio.timeout(5 * PATIENCE):
                    for _ in range(400):
                        actions, position = random_turn(position, rng)
                        started = time.perf_counter()
                        answer = person.turn(game, seq, actions)
                        assert answer.status_code == 200, answer.text
                        seq = answer.json()["seq"]
                        while (await _until(quick, "turn"))["seq"] < seq:
                            pass
                        times.append(time.perf_counter() - started)
                        if position.outcome is not None:
                            break
                        if "watchers_dropped_total 0" not in person.get("/metrics").text:
                            break
            metrics = person.get("/metrics").text
            slow.close()
        line = next(
            x for x in metrics.splitlines() if x.startswith("terrarium_watchers_dropped_total")
        )
        return times, int(float(line.split()[1]))

    times, dropped = asyncio.run(watch())
    assert dropped >= 1
    # The fast watcher got every turn before the next was played, although the slow one read nothing.
    assert times


async def _until(ws: ClientConnection, kind: str) -> dict[str, object]:
    while True:
        message: dict[str, object] = json.loads(await ws.recv())
        if message["type"] == kind:
            return message


def _turn_times(server: Server, turns: int, seed: int) -> list[float]:
    import random

    rng, times = random.Random(seed), []
    with server.person() as person:
        created = person.create("turrium", seats=[{"kind": "device"}, {"kind": "device"}])
        seq, position = created["seq"], position_of(created["game"])
        for _ in range(turns):
            actions, position = random_turn(position, rng)
            started = time.perf_counter()
            answer = person.turn(created["id"], seq, actions)
            times.append(time.perf_counter() - started)
            assert answer.status_code == 200, answer.text
            seq = answer.json()["seq"]
    return times


@pytest.mark.only_long
def test_turns_are_quick_while_the_engine_is_saturated_and_hostile_sockets_send_junk(
    tmp_path: Path,
) -> None:
    """Alternate rounds with and without junk, with the same 200 sockets and the same busy computers, and compare the times."""
    with Server(tmp_path, RATE="1", ENGINE_THREADS="1") as server:
        with server.person() as person:
            levels = [{"kind": "computer", "level": 8}, {"kind": "computer", "level": 8}]
            games = [person.create(seats=levels)["id"] for _ in range(6)]
        command = [sys.executable, "-m", "tests.server.hostile"]
        crowd = subprocess.Popen(
            [*command, address(server, games[0]), server.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        calm, attacked, sent = list[float](), list[float](), 0
        try:
            assert crowd.stdin is not None
            assert crowd.stdout is not None
            crowd.stdout.readline()  # all are connected
            for number in range(8):
                is_attack = number % 2 == 1
                print("attack" if is_attack else "rest", file=crowd.stdin, flush=True)
                before = int(crowd.stdout.readline())
                times = _turn_times(server, 30, number)
                (attacked if is_attack else calm).extend(times)
                print("rest", file=crowd.stdin, flush=True)
                sent += int(crowd.stdout.readline()) - before
            with server.person() as person:
                metrics = person.get("/metrics").text
        finally:
            crowd.stdin.close()  # type: ignore[union-attr]
            crowd.wait(PATIENCE)
            crowd.stdout.close()  # type: ignore[union-attr]
        assert sent > 1_000
        assert re.search("terrarium_engine_jobs [56]", metrics), "the pool was not saturated"
        assert "Traceback" not in server.log
    for percent, bound in ((50, 10), (90, 20)):
        ratio = _percentile(attacked, percent) / _percentile(calm, percent)
        assert ratio < bound, f"the {percent}th percentile of a turn grew {ratio:.1f} times"


def _percentile(times: list[float], percent: int) -> float:
    return statistics.quantiles(times, n=100)[percent - 1]


def test_the_number_of_people_who_hold_a_seat_is_limited_even_if_many_come_at_once(
    server: Server, person: Person
) -> None:
    created = person.create()
    secret = created["secrets"][0]

    def sit(_: int) -> int:
        with server.person() as guest:
            path = f"/api/games/{created['id']}/seats/0"
            answer = guest.post(path, {"secret": secret})
            if answer.status_code == 409:
                assert answer.json()["code"] == "seat-crowded"
            return answer.status_code

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(sit, range(40)))
    assert answers.count(200) == MAX_HOLDERS
