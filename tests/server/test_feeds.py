"""Feeds of bots: every event of their games arrives exactly once, whichever worker it happened at."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import httpx
import pytest

from terrarium.play.clocks import wall_clock
from terrarium.play.table import Table
from terrarium.server.live.notify import Notifications
from terrarium.server.live.tables import MAX_MISSED
from tests.server.endless import endless
from tests.server.playing import position_of, random_turn
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, InProcess, Person, Server, whole_turn
from tests.server.test_accounts import sign_up

Workers = tuple[InProcess, InProcess]
BOTH = [{"kind": "device"}, {"kind": "device"}]


@pytest.fixture
def workers(
    tmp_path_factory: pytest.TempPathFactory, postgres: Postgres
) -> Iterator[tuple[InProcess, InProcess]]:
    """Two workers at one PostgreSQL."""
    settings: dict[str, Any] = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path_factory.mktemp("first"), wall_clock, **settings) as first,
        InProcess(tmp_path_factory.mktemp("second"), wall_clock, **settings) as second,
    ):
        yield first, second


class Feed:
    """A connection to the stream of events; a thread reads it."""

    def __init__(self, url: str, token: str, **query: str) -> None:
        self.lines: list[dict[str, Any]] = []
        self._over = threading.Event()
        self._http = httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False)
        self._request = self._http.build_request(
            "GET",
            "/api/stream/events",
            headers={"Authorization": f"Bearer {token}"},
            params=query,
        )
        self._response = self._http.send(self._request, stream=True)
        assert self._response.status_code == 200
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for line in self._response.iter_lines():
                if line:
                    self.lines.append(json.loads(line))
        except (httpx.HTTPError, httpx.StreamError, OSError):
            pass
        self._over.set()

    def of(self, game_id: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line.get("id") == game_id]

    def seqs(self, game_id: str) -> list[int]:
        return [line["seq"] for line in self.of(game_id)]

    def waits_for(self, condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        # Another thread reads the stream: only shutting the socket down can end that.
        import socket

        stream = self._response.extensions["network_stream"]
        raw = stream.get_extra_info("socket")
        raw.shutdown(socket.SHUT_RDWR)
        self._over.wait(PATIENCE)
        self._http.close()


@contextmanager
def feed(server: InProcess | Server, token: str, **query: str) -> Iterator[Feed]:
    """A feed that has sent `ready`."""
    opened = Feed(server.url, token, **query)
    try:
        assert opened.waits_for(lambda: any(line["type"] == "ready" for line in opened.lines))
        yield opened
    finally:
        opened.close()


def bot(person: Person, name: str | None = None) -> str:
    """A new account and its token."""
    sign_up(person, name)
    answer = person.post("/api/me/tokens", {"name": "bot", "scopes": ["play", "follow", "read"]})
    token: str = answer.json()["token"]
    return token


def played(person: Person, game_id: str, turns: int, patience: float = PATIENCE) -> int:
    """Play turns in a game, with retries. Return the seq after them."""
    rng, until = random.Random(game_id), time.monotonic() + patience
    seq = 0
    for _ in range(turns):
        while True:
            answer = person.get(f"/api/games/{game_id}")
            if answer.status_code == 200:
                snapshot = answer.json()
                actions, _ = random_turn(position_of(snapshot), rng)
                done = person.turn(game_id, snapshot["seq"], actions, key=f"{snapshot['seq']}")
                if done.status_code == 200:
                    seq = done.json()["seq"]
                    break
            assert time.monotonic() < until, answer.text
            time.sleep(0.05)
    return seq


def test_a_game_is_announced_once_and_every_seq_follows_once_at_every_worker(
    workers: Workers,
) -> None:
    first, second = workers
    with first.person() as owner, second.person() as other:
        token = bot(owner)
        other.http.cookies = owner.http.cookies
        with feed(first, token) as here, feed(second, token) as there:
            made = []
            for number in range(8):
                person = (owner, other)[number % 2]
                game = person.create("turrium", seats=BOTH)["id"]
                made.append(game)
                # A request loads the game here before the notification about it arrives.
                (other, owner)[number % 2].snapshot(game)
            last = {
                game: played((owner, other)[n % 3 == 0], game, 2) for n, game in enumerate(made)
            }
            for stream in (here, there):
                assert stream.waits_for(
                    lambda: all(stream.seqs(g)[-1:] == [last[g]] for g in made)  # noqa: B023 - called at once
                ), Counter(line["type"] for line in stream.lines)
                for game in made:
                    assert stream.seqs(game) == list(range(1, last[game] + 1))
                    kinds = [line["type"] for line in stream.of(game)]
                    assert kinds == ["game-start"] + ["game-update"] * (last[game] - 1)


@pytest.mark.slow
def test_nothing_is_lost_when_the_database_restarts(workers: Workers, postgres: Postgres) -> None:
    first, second = workers
    with first.person() as owner, second.person() as other:
        token = bot(owner)
        other.http.cookies = owner.http.cookies
        games = [owner.create("turrium", seats=BOTH)["id"] for _ in range(3)]
        with feed(first, token) as here, feed(second, token) as there:
            postgres.restart()
            # The listeners are not connected yet, so these notifications are lost.
            for number, game in enumerate(games):
                played((owner, other)[number % 2], game, 2)
            last = {game: owner.snapshot(game)["seq"] for game in games}
            for stream in (here, there):
                assert stream.waits_for(
                    lambda: all(stream.seqs(g)[-1:] == [last[g]] for g in games)  # noqa: B023 - called at once
                )
                for game in games:
                    assert stream.seqs(game) == list(range(1, last[game] + 1))


def test_a_missed_notification_delays_events_but_loses_none(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = workers
    with first.person() as owner, second.person() as stranger:
        token = bot(owner)
        game = owner.create(seats=BOTH)["id"]
        with feed(second, token) as there:
            monkeypatch.setattr(Notifications, "_handle", lambda self, payload: None)
            last = played(owner, game, 3)
            new = owner.create(seats=BOTH)["id"]
            # Somebody else loads the game, so that its memory is up to date.
            stranger.snapshot(game)
            stranger.snapshot(new)
            assert there.waits_for(lambda: there.seqs(game)[-1:] == [last] and bool(there.of(new)))
            assert there.seqs(game) == list(range(1, last + 1))
            assert there.seqs(new) == [1]


def test_a_turn_at_another_worker_costs_the_same_however_long_the_game_is(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The events that a feed has already sent are not replayed for the next one."""
    here, there = workers
    turns = 100
    applied: list[int] = []
    apply = Table._apply

    def counted(self: Table, *values: Any) -> None:
        applied.append(threading.get_ident())
        apply(self, *values)

    with here.person() as person:
        token = bot(person)
        made = person.create(seats=BOTH, rules={"players": 2, "stall_rounds": 0})
        game_id, seq = made["id"], made["seq"]
        with feed(there, token) as followed:
            loops: list[int] = []
            there.run(lambda: loops.append(threading.get_ident()))
            monkeypatch.setattr(Table, "_apply", counted)
            for _, actions in islice(endless(position_of(made["game"])), turns):
                seq = person.turn(game_id, seq, actions).json()["seq"]
            assert followed.waits_for(lambda: followed.seqs(game_id)[-1] == seq)
            assert followed.seqs(game_id) == list(range(seq - turns, seq + 1))
    assert len(loops) == 1
    # Each event once for the table, and again from a recent table for the feed, if that was faster than the table's listener.
    assert applied.count(loops[0]) <= turns * (2 + 2 * MAX_MISSED)


def test_a_feed_says_when_a_seat_was_taken_and_when_it_was_lost(
    server: Server, person: Person
) -> None:
    token = bot(person)
    with server.person() as host, feed(server, token) as stream:
        game = host.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
        assert person.post(f"/api/games/{game}/seats/1").status_code == 200
        assert stream.waits_for(lambda: stream.seqs(game) == [2])
        assert stream.of(game)[0]["type"] == "game-start"
        seq, actions = whole_turn(host, game)
        assert host.turn(game, seq, actions).status_code == 200
        assert stream.waits_for(lambda: stream.seqs(game) == [2, 3])
        assert stream.of(game)[-1]["is_your_turn"]
        assert host.post(f"/api/games/{game}/resign", {"seat": 0}).status_code == 200
        rematch = host.post(f"/api/games/{game}/rematch").json()["id"]
        assert stream.waits_for(lambda: bool(stream.of(rematch)))
        assert [line["rematch"] for line in stream.of(game)][-1] == rematch
        claim = {"seat": 0, "to": "computer"}
        assert host.post(f"/api/games/{rematch}/claim", claim).status_code == 200
        assert stream.waits_for(lambda: len(stream.of(rematch)) == 2)
        assert [line["seats"] for line in stream.of(rematch)] == [[0], []]
        assert host.post(f"/api/games/{rematch}/resign", {"seat": 1}).status_code == 200
        assert host.post(f"/api/games/{game}/rematch").status_code == 200
    assert len(stream.of(rematch)) == 2


def test_a_feed_that_reconnects_gets_the_games_that_ended_meanwhile(
    server: Server, person: Person
) -> None:
    token = bot(person)
    ended, going = (person.create(seats=BOTH)["id"] for _ in range(2))
    with feed(server, token) as stream:
        since = stream.lines[-1]["at"]
    assert person.post(f"/api/games/{ended}/resign", {"seat": 0}).status_code == 200
    with feed(server, token, since=since) as stream:
        assert [line["type"] for line in stream.of(ended)] == ["game-over"]
        assert [line["type"] for line in stream.of(going)] == ["game-start"]
    with feed(server, token) as stream:
        assert not stream.of(ended)
    with server.person() as stranger:
        headers = {"Authorization": f"Bearer {token}"}
        answer = stranger.http.get("/api/stream/events?since=yesterday", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-time")
