"""The engine is shared fairly: nobody fills the queue, people who wait go first and see how many are ahead."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from websockets.typing import Origin

from terrarium.play.clocks import wall_clock
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.server.jobs import computers, queue
from terrarium.server.jobs.fair import FairQueue, Place, Rank
from terrarium.server.jobs.owners import rank
from terrarium.server.jobs.pool import Pool, Stop
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, InProcess, Person, connect

COMPUTERS = [{"kind": "computer", "level": 1}, {"kind": "computer", "level": 1}]
AGAINST = [{"kind": "device"}, {"kind": "computer", "level": 1}]


def served(queue: FairQueue) -> list[Place]:
    found = []
    while (place := queue.next()) is not None:
        found.append(place)
    return found


def test_a_crowd_at_one_address_alternates_with_everybody_else() -> None:
    queue = FairQueue()
    for number in range(24):
        queue.add(Place(address="crowd", person=f"guest {number}"))
    others = [Place(address=f"home {number}", person="p") for number in range(3)]
    for place in others:
        queue.add(place)
    assert list(queue) == (order := served(queue))
    assert [order.index(place) for place in others] == [1, 2, 3]


def test_at_one_address_people_take_turns() -> None:
    queue = FairQueue()
    greedy = [Place(address="club", person="greedy") for _ in range(20)]
    modest = Place(address="club", person="modest")
    for place in [*greedy, modest]:
        queue.add(place)
    assert served(queue).index(modest) == 1


def test_people_who_wait_go_first_and_games_between_computers_last_but_not_never() -> None:
    queue = FairQueue()
    unwatched = [Place(Rank.UNWATCHED, f"a{number}") for number in range(100)]
    people = [Place(Rank.INTERACTIVE, f"b{number}") for number in range(40)]
    for place in [*unwatched, *people]:
        queue.add(place)
    first = served(queue)[:40]
    assert 34 <= sum(place.rank is Rank.INTERACTIVE for place in first) < 40


@pytest.mark.parametrize(
    ("kind", "is_watched", "expected"),
    [
        ("device", True, Rank.INTERACTIVE),
        ("device", False, Rank.LATER),
        ("computer", True, Rank.LATER),
        ("computer", False, Rank.UNWATCHED),
    ],
)
def test_a_turn_is_as_urgent_as_people_wait_for_it(
    kind: Any, is_watched: bool, expected: Rank
) -> None:
    seats = [SeatChoice(kind), SeatChoice("computer", level=1)]
    table = new_game(CreateGame("nova", seats=seats), "g:1", 0).table
    assert rank(table, is_watched=is_watched) is expected


def test_cancelled_jobs_leave_the_queue() -> None:
    async def run() -> None:
        pool, go = Pool(1), threading.Event()
        first = asyncio.create_task(pool.run(lambda stop: go.wait(PATIENCE)))
        rest = [asyncio.create_task(pool.run(lambda stop: 1)) for _ in range(5)]
        await asyncio.sleep(0)
        assert (pool.waiting, len(pool.order())) == (6, 5)
        for task in rest[:4]:
            task.cancel()
        await asyncio.gather(*rest[:4], return_exceptions=True)
        assert pool.waiting == 2
        go.set()
        assert await rest[4] == 1
        await first
        assert pool.waiting == 0
        pool.close()

    asyncio.run(run())


class Gate:
    """Lets computers think one turn at a time, when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self._go = threading.Semaphore(0)
        self._is_open = False
        choose = computers.choose

        def gated(position: Any, level: int, limit: float, stop: Stop | None = None) -> list[str]:
            self.begun.append(position.to_text())
            while not self._is_open and not self._go.acquire(timeout=0.05):
                if stop is not None and stop.is_set:
                    break
            return choose(position, level, limit, stop)

        monkeypatch.setattr(computers, "choose", gated)
        monkeypatch.setattr(queue, "choose", gated)

    def turns(self, count: int) -> None:
        """Let computers finish this many turns."""
        for _ in range(count):
            self._go.release()

    def open(self) -> None:
        self._is_open = True


@contextmanager
def somebody(server: InProcess, address: str) -> Iterator[Person]:
    with server.person() as person:
        person.http.headers["X-Forwarded-For"] = address
        yield person


def until(condition: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_person_is_answered_although_one_address_lets_computers_play_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    with ExitStack() as stack:
        server = stack.enter_context(
            InProcess(tmp_path, lambda: 1_700_000_000_000, engine_threads=1)
        )
        stack.callback(gate.open)
        crowd = stack.enter_context(somebody(server, "203.0.113.1"))
        person = stack.enter_context(somebody(server, "203.0.113.2"))
        services = server.application.services
        for _ in range(30):
            crowd.create("turrium", seats=COMPUTERS)
        # and 24 games against connected people, with a guest each
        for _ in range(24):
            with somebody(server, "203.0.113.1") as guest:
                made = guest.create("turrium", seats=AGAINST[::-1])
                stack.enter_context(connected(server, made["id"]))
        until(lambda: services.pool.waiting == 54)
        game = person.create("turrium", seats=AGAINST[::-1])["id"]
        live = stack.enter_context(connected(server, game))
        until(lambda: services.pool.waiting == 55)
        ahead = person.snapshot(game)["ahead"]
        assert ahead is not None
        assert ahead <= 2, "one address at most goes first"
        told = next(m["ahead"] for m in messages(live) if m["type"] == "queue")
        assert told <= 2
        # After the current turn and those ahead, it is this game's turn.
        gate.turns(1 + ahead)
        answered = next(m for m in messages(live) if m["type"] == "turn")
        assert answered["turn"]["by"] == "computer"
        assert len(gate.begun) <= ahead + 3
        assert person.snapshot(game)["ahead"] is None


def test_the_queue_is_fair_over_all_workers_and_shows_who_is_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres: Postgres
) -> None:
    """The crowd is at a worker that runs the engine; a person and a family are at another worker, which does not."""
    gate = Gate(monkeypatch)
    database, folders = postgres.database(), [tmp_path / "one", tmp_path / "two"]
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(
                InProcess(
                    folder, wall_clock, database=database, secret="same", engine_threads=threads
                )
            )
            for folder, threads in zip(folders, (1, 0), strict=True)
        )
        stack.callback(gate.open)
        crowd = stack.enter_context(somebody(one, "203.0.113.1"))
        for _ in range(12):
            crowd.create("turrium", seats=COMPUTERS)
            with somebody(one, "203.0.113.1") as guest:
                made = guest.create("turrium", seats=AGAINST[::-1])
                stack.enter_context(connected(one, made["id"]))
        until(lambda: waiting_jobs(database) == 23)
        # One of the family has three games, then another one begins a game: their games alternate.
        with somebody(two, "203.0.113.3") as parent, somebody(two, "203.0.113.3") as child:
            for who in (parent, child):
                who.create("turrium")  # a client without a cookie is identified only by its address
            family = [
                who.create("turrium", seats=AGAINST[::-1])["id"]
                for who in (parent, parent, parent, child)
            ]
        for game in family:
            stack.enter_context(connected(two, game))
        until(lambda: waiting_jobs(database) == 27)
        person = stack.enter_context(somebody(two, "203.0.113.2"))
        game = person.create("turrium", seats=AGAINST[::-1])["id"]
        live = stack.enter_context(connected(two, game))
        # The game counts as unwatched for a moment. Then at most two turns of each other address come first.
        assert next(m for m in messages(live) if m["type"] == "queue" and m["ahead"] <= 4)
        assert person.snapshot(game)["ahead"] <= 4
        until(lambda: None not in [person.snapshot(id)["ahead"] for id in family])
        places = [person.snapshot(id)["ahead"] for id in family]
        assert places[0] < places[3] < places[1] < places[2]
        gate.turns(6)
        answered = next(m for m in messages(live) if m["type"] == "turn")
        assert answered["turn"]["by"] == "computer"
        assert person.snapshot(game)["ahead"] is None


def waiting_jobs(database: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'")
        return int(row.fetchall()[0][0])


@contextmanager
def connected(server: InProcess, game: str) -> Iterator[Any]:
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    with connect(address, origin=Origin(server.url), close_timeout=1) as live:
        yield live


def messages(live: Any) -> Iterator[dict[str, Any]]:
    while True:
        yield json.loads(live.recv(timeout=PATIENCE))


def test_one_address_cannot_fill_the_queue_for_hints_and_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with InProcess(tmp_path, lambda: 1_700_000_000_000) as server:
        analysis = server.application.services.analysis
        busy = {f"guest {number}": "203.0.113.1" for number in range(8)}
        analysis._asking.update(busy)
        with somebody(server, "203.0.113.1") as guest, somebody(server, "203.0.113.2") as person:
            position = person.create()["game"]["position"]
            body = {"position": position, "seconds": 0.1}
            refused = guest.post("/api/analysis", body)
            assert (refused.status_code, refused.json()["code"]) == (429, "too-many-requests")
            assert person.post("/api/analysis", body).status_code == 200
        analysis._asking.clear()
