"""Kill a server at random moments under load and compare what it acknowledged with what it kept.

The load is games, and a study whose editor sends each change with the same key until it is acknowledged.
Used by the tests (a few kills on each database) and by `bench/crash.py` (1,000 and 300).
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.server.playing import position_of, random_turn, replayed
from tests.server.running import Forked

DEVICES = [{"kind": "device"}, {"kind": "device"}]
PATIENCE = 120
"""Seconds for an answer. A killed server breaks its connections; a slow disk may need long to store a turn."""
_ROUND = 13
"""Kills in one round of games, after which everything is looked at."""

_EXPECTED = (409, 503)
"""Other answers than 200 that are right while the server is killed and restarted: the position changed, or the database is away."""
_EDIT_SECONDS = 0.03

Acknowledged = list[tuple[int, str, list[str]]]
Stored = list[tuple[int, str]]
"""The seq and the key of each acknowledged change of a study."""


@dataclass
class Load:
    """Players who send turns as fast as they are answered, and an editor of a study, through every crash."""

    url: str
    games: list[dict[str, Any]]
    study: dict[str, Any] | None = None
    stored: Stored = field(default_factory=list)
    acknowledged: dict[str, Acknowledged] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    """What was answered instead of an acknowledgement, and how often."""
    is_over: bool = False

    def __post_init__(self) -> None:
        self.acknowledged |= {game["id"]: [] for game in self.games}

    def start(self) -> Load:
        self._playing = ThreadPoolExecutor(1).submit(asyncio.run, self._run())
        return self

    @property
    def count(self) -> int:
        """How many turns were acknowledged so far."""
        return sum(map(len, self.acknowledged.values()))

    def wait_for(self, turns: int, seconds: float = 300) -> bool:
        """Wait until this many more turns were acknowledged; False if the games ended before that."""
        target, until = self.count + turns, time.monotonic() + seconds
        while self.count < target:
            if self._playing.done():
                self._playing.result()  # raises the error that ended the load, if there was one
                return False
            assert time.monotonic() < until, f"the games do not continue: {dict(self.answers)}"
            time.sleep(0.005)
        return True

    def stop(self) -> None:
        self.is_over = True
        self._playing.result()

    async def _run(self) -> None:
        playing = asyncio.gather(*(self._play(game) for game in self.games))
        if self.study is None:
            await playing
            return
        editing = asyncio.ensure_future(self._edit(self.study))
        try:
            await playing
        finally:
            self.is_over = True
            await editing

    def _client(self, cookies: dict[str, str]) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.url,
            headers={"Origin": self.url},
            cookies=cookies,
            timeout=PATIENCE,
            verify=False,
            trust_env=False,
        )

    def _refused(self, answer: httpx.Response) -> None:
        """Count an answer other than 200; raises if it is not one that a crash explains."""
        assert answer.status_code in _EXPECTED, (answer.status_code, answer.text[:500])
        self.answers[answer.text[:100]] += 1

    async def _edit(self, study: dict[str, Any]) -> None:
        """Change the study; each change is sent until it is acknowledged, always with the same key."""
        number = 0
        async with self._client(study["cookies"]) as client:
            while not self.is_over:
                number += 1
                while not self.is_over:
                    seq = await self._changed(client, study["id"], number)
                    if seq is not None:
                        self.stored.append((seq, f"edit-{number}"))
                        break
                    await asyncio.sleep(0.02)
                await asyncio.sleep(_EDIT_SECONDS)

    async def _changed(self, client: httpx.AsyncClient, id: str, number: int) -> int | None:
        try:
            answer = await client.post(f"/api/studies/{id}/changes", json=_change(number))
        except httpx.TransportError as error:
            self.answers[type(error).__name__] += 1
            return None
        if answer.status_code != 200:
            self._refused(answer)
            return None
        seq: int = answer.json()["seq"]
        return seq

    async def _play(self, game: dict[str, Any]) -> None:
        rng = random.Random(game["id"])
        acks = self.acknowledged[game["id"]]
        async with self._client(game["cookies"]) as client:
            while not self.is_over:
                try:
                    if not await self._turns(client, game["id"], rng, acks):
                        return
                except (httpx.TransportError, ValueError) as error:
                    self.answers[type(error).__name__] += 1
                    await asyncio.sleep(0.02)

    async def _turns(
        self, client: httpx.AsyncClient, id: str, rng: random.Random, acks: Acknowledged
    ) -> bool:
        """Continue from the server's position of the game; False when it is over."""
        answer = await client.get(f"/api/games/{id}")
        snapshot = answer.json()
        if answer.status_code != 200:
            self._refused(answer)
            return True
        if snapshot["status"] != "playing":
            return False
        position, seq = position_of(snapshot), snapshot["seq"]
        while not self.is_over and position.outcome is None:
            actions, position = random_turn(position, rng)
            key = f"k{rng.getrandbits(60):x}"
            body = {"seq": seq, "actions": actions, "key": key}
            answer = await client.post(f"/api/games/{id}/turns", json=body)
            if answer.status_code != 200:
                self._refused(answer)
                return True
            seq = answer.json()["seq"]
            acks.append((seq, key, actions))
        return position.outcome is None


def _change(number: int) -> dict[str, Any]:
    renamed = {"type": "study", "set": {"name": f"name {number}"}, "time": number, "by": "load"}
    return {"key": f"edit-{number}", "changes": [renamed]}


def check_study(server: Forked, study: dict[str, Any], stored: Stored) -> None:
    """Check that every acknowledged change of a study is stored exactly once, and nothing else."""
    with server.person() as person:
        person.http.cookies.update(study["cookies"])
        path = f"/api/studies/{study['id']}"
        for seq, key in stored:
            # A change that was lost would be stored again, under another seq.
            again = person.post(f"{path}/changes", _change(int(key.removeprefix("edit-"))))
            assert (again.status_code, again.json()) == (200, {"seq": seq}), (key, again.text)
        shown = person.get(path).json()
        # The last change may be stored without an acknowledgement.
        assert 0 <= shown["seq"] - 1 - len({seq for seq, _ in stored}) <= 1
        assert shown["name"] == (f"name {shown['seq'] - 1}" if shown["seq"] > 1 else "Crashing")


def check(
    server: Forked,
    game: dict[str, Any],
    acknowledged: list[tuple[int, str, list[str]]],
) -> None:
    """Check that every acknowledged turn is stored exactly once, that no turn is incomplete, and that clocks add up."""
    headers = {"Origin": server.url}
    with httpx.Client(
        base_url=server.url,
        headers=headers,
        cookies=game["cookies"],
        timeout=PATIENCE,
        verify=False,
    ) as client:
        snapshot = client.get(f"/api/games/{game['id']}").json()
        while snapshot["turns"] and (first := snapshot["turns"][0]["number"]) > 1:
            # a snapshot has only the last turns of a long game
            earlier = client.get(f"/api/games/{game['id']}/history", params={"before": first})
            snapshot["turns"] = earlier.json()["turns"] + snapshot["turns"]
        by_seq = {turn["seq"]: turn for turn in snapshot["turns"]}
        assert len(by_seq) == len(snapshot["turns"])
        for seq, _, actions in acknowledged:
            assert by_seq[seq]["actions"] == actions, (game["id"], seq)
        assert [turn["number"] for turn in snapshot["turns"]] == list(
            range(1, len(snapshot["turns"]) + 1)
        )
        # No incomplete turn: the library replays the stored turns to exactly the shown position.
        position = replayed(snapshot)
        assert position == position_of(snapshot)
        assert position.at_turn_start or position.outcome is not None
        if acknowledged:
            seq, key, actions = acknowledged[-1]
            again = client.post(
                f"/api/games/{game['id']}/turns",
                json={"seq": seq - 1, "actions": actions, "key": key},
            )
            assert (again.status_code, again.json()["seq"]) == (200, seq), again.text
        clock = snapshot["clock"]
        budget = 1000 * clock["seconds"]
        for seat in range(2):
            turns = [turn for turn in snapshot["turns"] if turn["seat"] == seat]
            assert (
                0 <= clock["remaining_ms"][seat] <= budget + 1000 * clock["increment"] * len(turns)
            )
            left = [budget, *(turn["clock_ms"] for turn in turns)]
            for before, after in itertools.pairwise(left):
                assert after <= before + 1000 * clock["increment"]


def new_games(server: Forked, count: int) -> list[dict[str, Any]]:
    """Games with a clock in which one browser plays both seats."""
    made = []
    for number in range(count):
        with server.person() as person:
            kind = ("turrium", "nova")[number % 2]
            clock = {"kind": "game", "seconds": 3600, "increment": 5}
            created = person.create(kind, seats=DEVICES, clock=clock)
            made.append({"id": created["id"], "cookies": dict(person.http.cookies)})
    return made


def new_study(server: Forked) -> dict[str, Any]:
    """A study with one chapter, and the cookies of its owner."""
    with server.person() as person:
        source = {"name": "One", "source": {"text": '[Game "nova"]\n\n1. @e7 *\n'}}
        made = person.post("/api/studies", {"name": "Crashing", "chapters": [source]})
        assert made.status_code == 201, made.text
        return {"id": made.json()["id"], "cookies": dict(person.http.cookies)}


def check_all(server: Forked, load: Load) -> None:
    """Check everything that was acknowledged."""
    for game in load.games:
        check(server, game, load.acknowledged[game["id"]])
    if load.study is not None:
        check_study(server, load.study, load.stored)


def check_log(server: Forked) -> None:
    """Check that no error was unexpected. Not where the database stops: the queue of jobs logs that with a traceback."""
    assert "Traceback" not in server.log, server.log[-3_000:]


def crash(
    server: Forked,
    kills: int,
    seed: int,
    games_at_once: int = 8,
    tell: Callable[[int, int], None] = lambda kills, turns: None,
) -> int:
    """Kill the server this many times under load. Return the number of acknowledged turns that were checked.

    `tell` is called from time to time with the number of kills and turns so far.
    """
    rng = random.Random(seed)
    total, done = 0, 0
    while done < kills:
        games = new_games(server, games_at_once)
        load = Load(server.url, games, new_study(server)).start()
        try:
            for _ in range(min(kills - done, _ROUND)):
                if not load.wait_for(1):
                    break  # every game is over: continue with new ones
                time.sleep(rng.uniform(0.0, 0.3))
                server.kill()
                server.start()
                done += 1
        finally:
            load.stop()
        check_all(server, load)
        check_log(server)
        total += load.count
        tell(done, total)
    return total
