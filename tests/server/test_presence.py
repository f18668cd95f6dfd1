"""Presence between workers: a player connected to one of them counts as connected for all, while the connection lasts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.typing import Origin

from terrarium.server.live import notify, presence
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, FakeTime, InProcess, Person, comes, connect, whole_turn

_LEASE_MS = 1_000 * presence.LEASE_SECONDS


@pytest.fixture
def now() -> FakeTime:
    return FakeTime()


@pytest.fixture
def workers(
    tmp_path_factory: pytest.TempPathFactory,
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    now: FakeTime,
) -> Iterator[tuple[InProcess, InProcess]]:
    """Two workers at one PostgreSQL, which renew leases often; leases end by the test's clock."""
    monkeypatch.setattr(notify, "LEASE_SECONDS", 0.6)
    settings: dict[str, Any] = {
        "database": postgres.database(),
        "secret": "shared",
        "claim_seconds": 1,
    }
    with (
        InProcess(tmp_path_factory.mktemp("first"), now, **settings) as first,
        InProcess(tmp_path_factory.mktemp("second"), now, **settings) as second,
    ):
        yield first, second


@contextmanager
def _watch(server: InProcess, game: str, secret: str) -> Iterator[None]:
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    headers = {"Authorization": f"Bearer {secret}"}
    with connect(address, origin=Origin(server.url), additional_headers=headers) as opened:
        while json.loads(opened.recv(timeout=PATIENCE))["type"] != "ready":
            pass
        yield


def _lease(server: InProcess, game: str) -> int:
    """The end of the lease by which a worker knows that the second seat is connected to another worker."""
    return server.application.services.rooms._elsewhere.get(game, {}).get(1, 0)


def _is_connected(person: Person, game: str, seat: int) -> bool:
    return bool(person.snapshot(game)["seats"][seat]["is_connected"])


def test_a_player_connected_to_another_worker_is_never_gone_and_keeps_the_seat(
    workers: tuple[InProcess, InProcess], now: FakeTime
) -> None:
    first, second = workers
    with second.person() as host, first.person() as guest:
        made = host.create(seats=[{"kind": "device"}, {"kind": "link"}])
        game, secret = made["id"], made["secrets"][1]
        assert guest.post(f"/api/games/{game}/seats/1", {"secret": secret}).status_code == 200
        seq, actions = whole_turn(host, game)
        assert host.turn(game, seq, actions).status_code == 200
        other = guest.create()
        over = threading.Event()

        def come_and_go() -> None:
            # Frequent changes of presence must not prevent the renewal of a lease.
            while not over.is_set():
                with _watch(first, other["id"], other["secrets"][0]):
                    pass

        busy = threading.Thread(target=come_and_go)
        with _watch(first, game, secret):
            busy.start()
            try:
                assert comes(lambda: _is_connected(host, game, 1))
                for _ in range(4):
                    now.pass_(presence.LEASE_SECONDS / 2)
                    assert comes(lambda: _lease(second, game) >= now.ms + _LEASE_MS), "not renewed"
                    assert _is_connected(host, game, 1)
                    claim = host.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
                    assert (claim.status_code, claim.json()["code"]) == (409, "not-claimable")
            finally:
                over.set()
                busy.join()
        assert comes(lambda: not _is_connected(host, game, 1))
        now.pass_(2)
        claim = host.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
        assert claim.status_code == 200, claim.text


def test_a_worker_that_stops_renewing_loses_its_seats(
    workers: tuple[InProcess, InProcess], now: FakeTime
) -> None:
    first, second = workers
    with second.person() as host:
        made = host.create(seats=[{"kind": "device"}, {"kind": "link"}])
        game, secret = made["id"], made["secrets"][1]
        with _watch(first, game, secret):
            assert comes(lambda: _is_connected(host, game, 1))
            notifications = first.application.services.notifications
            assert notifications is not None
            for task in notifications._tasks:
                task.get_loop().call_soon_threadsafe(task.cancel)
            assert comes(lambda: all(task.done() for task in notifications._tasks))
            now.pass_(presence.LEASE_SECONDS + 1)
            assert comes(lambda: not _is_connected(host, game, 1))
