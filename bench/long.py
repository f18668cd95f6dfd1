"""How much requests for a game of 10,000 turns slow down other games: `python -m bench long`.

Twenty games are played at a steady pace. At the same time a process sends one kind of request for a long game, each as soon as
the last is answered. Each figure is the 95th percentile of the other games' turns, and its ratio to the time before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from tests.server.endless import endless

from bench.server import Playing, Running, Watcher, Wire, share
from terrarium import games
from terrarium.play.clocks import wall_clock
from terrarium.play.commands import play_turn
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.server.database.store import Store
from terrarium.server.settings import Settings

TARGETS = {"1,000 watchers come back to games of 452 turns, ms, p95": ("at most", 500.0)}
TURNS = 10_000
_OTHERS = 20
_PACE = 25.0
_SECONDS = 6.0
_RETURNING = 1_000
_RETURNED_TO = (10, 452)
"""The number of games that the watchers come back to, and their number of turns."""
_WITH_OFFERS = 4_000
"""Offers are refused in games of more than 5,000 events."""
_CACHED = 40
_FORGETTING = 24
"""The number of games requested in between, so that the long one leaves the cache and is read from the database each time."""


def run(turns: int = TURNS, only: tuple[str, ...] = ()) -> dict[str, float]:
    """Every figure of this topic."""
    return asyncio.run(_run(turns, only))


async def _run(turns: int, only: tuple[str, ...]) -> dict[str, float]:
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="terrarium-bench-") as folder:
        server = Running(Path(folder), CACHED_GAMES=str(_CACHED))
        server.notes_holds = True
        facts = await _written(Path(folder) / "data", turns)
        try:
            await server.start()
            facts["port"] = server.port
            others = [await server.new_game(number) for number in range(_OTHERS)]
            await _others(others, 2.0)
            for name in only or tuple(DOINGS):
                found = await _beside(server, others, name, facts)
                print({name: round(value, 2) for name, value in found.items()}, file=sys.stderr)
                figures |= found
        finally:
            server.stop()
    return figures


async def _written(folder: Path, turns: int) -> dict[str, Any]:
    """Write a long game, one that still allows offers, games to come back to, and games to request in between."""
    settings = Settings(data=folder)
    folder.mkdir(parents=True)
    store = Store(settings)
    await store.open()
    count, length = _RETURNED_TO
    try:
        return {
            "long": await _game(store, turns),
            "offers": await _game(store, min(turns, _WITH_OFFERS)),
            "returned": [(await _game(store, length))["id"] for _ in range(count)],
            "between": [(await _game(store, 0))["id"] for _ in range(_FORGETTING)],
        }
    finally:
        await store.close()


async def _game(store: Store, turns: int) -> dict[str, Any]:
    """Write a game with this many turns into the database."""
    seats = [SeatChoice("link"), SeatChoice("link")]
    rules = {"players": 2, "stall_rounds": 0}
    now = wall_clock()
    made = new_game(CreateGame("nova", rules, seats=seats, visibility="listed"), "g:bench", now)
    head = await store.create(made.rows())
    table, log = made.table, []
    for number, (seat, actions) in enumerate(itertools.islice(endless(table.position), turns)):
        decision = play_turn(table, {seat}, table.seq, actions, f"k{number}", now=now)
        event = decision.drafts[0].at(table.seq + 1, now)
        log.append(event)
        played = decision.drafts[0].played
        table = table.after([event], {} if played is None else {event.seq: played})
    if log:
        await store.append(table.id, log, table.index(), head)
    return {"id": table.id, "secrets": made.secrets}


async def _others(
    others: list[Playing], seconds: float, spent: list[float] | None = None, pid: int = 0
) -> list[float]:
    """The times of the other games' turns, played at a steady pace.

    `spent` receives the processor time that the server used during each turn: about its time on a machine without other work.
    """
    times: list[float] = []
    process = psutil.Process(pid or None)
    waiting: set[asyncio.Task[None]] = set()

    async def one(table: Playing) -> None:
        before = sum(process.cpu_times()[:2])
        started = time.perf_counter()  # includes the wait for the game's last turn
        async with table.lock:
            taken = await table.play()
        if taken is not None:
            times.append(time.perf_counter() - started)
            if spent is not None:
                spent.append(sum(process.cpu_times()[:2]) - before)

    for number in range(int(seconds * _PACE)):
        task = asyncio.create_task(one(others[number % len(others)]))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
        await asyncio.sleep(1 / _PACE)
    if waiting:
        await asyncio.wait(waiting)
    return times


async def _beside(
    server: Running, others: list[Playing], name: str, facts: dict[str, Any]
) -> dict[str, float]:
    for number, table in enumerate(others):
        if len(table.turns) < 4 * _SECONDS * _PACE / _OTHERS:
            table.wire.close()
            others[number] = await server.new_game(number)
    calm = await _others(others, _SECONDS / 2)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.long", "--do", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.nice(5) and None,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(facts) + "\n")
    process.stdin.flush()
    try:
        assert await asyncio.to_thread(process.stdout.readline) == "ready\n"
        await server.longest_hold()
        assert server.process is not None
        spent: list[float] = []
        times = await _others(others, _SECONDS, spent, server.process.pid)
        hold = await server.longest_hold()
        process.stdin.close()
        done = int(await asyncio.to_thread(process.stdout.readline))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    calm += await _others(others, _SECONDS / 2)
    what = DOINGS[name][0]
    return {
        f"{what}, ms, p95": 1000 * share(times, 0.95),
        f"{what}, ms of the server's processor, p95": 1000 * share(spent, 0.95),
        f"{what}, over calm": share(times, 0.95) / share(calm, 0.95),
        f"{what}, longest hold of the event loop, ms": 1000 * hold,
        f"{what}, times a second": done / _SECONDS,
    }


class Long:
    """The long game, in the process that sends requests for it."""

    def __init__(self, wire: Wire, facts: dict[str, Any], which: str = "long") -> None:
        self.wire, self.facts = wire, facts
        self.id, self.secrets = facts[which]["id"], facts[which]["secrets"]

    async def ask(self, method: str, path: str = "", body: Any = None, seat: int = 0) -> Any:
        status, answer = await self.wire.ask(
            method, f"/api/games/{self.id}{path}", body, self.secrets[seat]
        )
        assert status == 200, answer
        return answer

    async def open(self) -> None:
        found = await self.ask("GET")
        self.seq = found["seq"]
        self.turns = endless(games["nova"].position(found["position"]))

    async def turn(self) -> tuple[int, list[str], str]:
        """Play a turn; returns its seat, its actions and its key."""
        seat, actions = next(self.turns)
        key = f"n{time.time_ns()}"
        body = {"seq": self.seq, "actions": actions, "key": key}
        self.seq = (await self.ask("POST", "/turns", body, seat))["seq"]
        return seat, actions, key


async def _look(game: Long) -> AsyncIterator[None]:
    while True:
        await game.turn()
        await game.wire.pass_over(f"/api/games/{game.id}")
        yield


async def _read(game: Long) -> AsyncIterator[None]:
    while True:
        for other in game.facts["between"]:
            await game.wire.pass_over(f"/api/games/{other}")
        await game.wire.pass_over(f"/api/games/{game.id}")
        yield


async def _join(game: Long) -> AsyncIterator[None]:
    while True:
        await game.turn()
        watcher = await Watcher.open(game.facts["port"], game.id, since=game.seq - 5)
        watcher.close()
        yield


async def _take_back(game: Long) -> AsyncIterator[None]:
    while True:
        seat, actions, key = await game.turn()
        before = game.seq - 1
        await game.ask("POST", "/offers", {"kind": "takeback", "seat": seat}, seat)
        body: dict[str, Any] = {"seat": 1 - seat, "accept": True}
        game.seq = (await game.ask("POST", "/offers/takeback", body, 1 - seat))["seq"]
        body = {"seq": before, "actions": actions, "key": key}
        await game.ask("POST", "/turns", body, seat)
        await game.open()
        yield


async def _draw(game: Long) -> AsyncIterator[None]:
    while True:
        await game.ask("POST", "/offers", {"kind": "draw", "seat": 0}, 0)
        await game.ask("POST", "/offers/draw", {"seat": 1, "accept": False}, 1)
        yield


def _get(*paths: str) -> Callable[[Long], AsyncIterator[None]]:
    async def doing(game: Long) -> AsyncIterator[None]:
        while True:
            for path in paths:
                await game.wire.pass_over(path.format(f"/api/games/{game.id}"))
                yield

    return doing


async def _boards(game: Long) -> AsyncIterator[None]:
    rng = random.Random(time.time_ns())
    drawn = games["nova"].new_board(1, 512, 8).map
    letters = sorted({letter for letter in drawn if letter.isalpha()})
    while True:
        swapped = "".join(rng.choice(letters) if mark.isalpha() else mark for mark in drawn)
        order = {"game": "nova", "board": {"map": swapped}}
        await game.wire.pass_over("/api/games", order)
        yield


async def _reach(game: Long) -> AsyncIterator[None]:
    """Ask for the legal actions in a position in which towers can go nearly everywhere."""
    text = _busy_towers()
    while True:
        await game.wire.pass_over("/api/positions/try", {"start": text, "actions": []})
        yield


def _busy_towers() -> str:
    rng, most, found = random.Random(3), -1, ""
    for _ in range(20):
        position = games["turrium"].start(players=4)
        while position.outcome is None:
            size = len(str(position.game.reach(position)))
            if size > most:
                most, found = size, position.to_text()
            position = position.play(rng.choice(position.legal_actions()))
    return found


async def _returning(game: Long) -> AsyncIterator[None]:
    ids = game.facts["returned"]
    while True:
        opened = await asyncio.gather(
            *(
                Watcher.open(game.facts["port"], ids[number % len(ids)])
                for number in range(_RETURNING)
            )
        )
        for watcher in opened:
            watcher.close()
        for _ in opened:
            yield


DOINGS: dict[str, tuple[str, Callable[[Long], AsyncIterator[None]]]] = {
    "look": ("looking at a long game after each turn", _look),
    "read": ("reading a long game from the database", _read),
    "join": ("joining after five missed turns", _join),
    "takeback": ("resending a key that was taken back", _take_back),
    "draw": ("draws offered and declined", _draw),
    "history": ("pages of its history", _get("{}/history?before=5000")),
    "turns": ("all turns with their positions", _get("{}/turns")),
    "records": ("its record", _get("{}/record.terra", "{}/record.json")),
    "pictures": ("pictures of early turns", _get("{}/picture.svg?turn=5001")),
    "lists": ("lists of games", _get("/api/games")),
    "boards": ("games on new boards of 512 cells", _boards),
    "reach": ("where towers can go", _reach),
    "returning": ("1,000 watchers come back to games of 452 turns", _returning),
}


async def _do(name: str) -> int:
    facts = json.loads(sys.stdin.readline())
    which = "offers" if name in ("takeback", "draw") else "long"
    game = Long(await Wire.open(facts["port"]), facts, which)
    if name != "read":
        await game.open()
    doing = DOINGS[name][1](game)
    await anext(doing)
    print("ready", flush=True)
    over = asyncio.ensure_future(asyncio.to_thread(sys.stdin.readline))
    count = 0
    while not over.done():
        step = asyncio.ensure_future(anext(doing))
        await asyncio.wait((step, over), return_when=asyncio.FIRST_COMPLETED)
        if not step.done():
            step.cancel()
            with suppress(asyncio.CancelledError):
                await step
            break
        step.result()
        count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.long", description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--do", choices=DOINGS, help=argparse.SUPPRESS)
    parser.add_argument("only", nargs="*", help=f"only some of: {', '.join(DOINGS)}")
    given = parser.parse_args()
    if given.do:
        print(asyncio.run(_do(given.do)), flush=True)
        return
    for name, value in run(given.turns, tuple(given.only)).items():
        print(f"{name:62} {value:10.2f}", flush=True)


if __name__ == "__main__":
    main()
