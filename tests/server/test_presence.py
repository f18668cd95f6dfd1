"""Presence between workers: who is connected to one of them is connected for all, as long as the connection lasts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from terrarium.play.clocks import wall_clock
from terrarium.server.live import notify, presence
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Person, whole_turn

LEASE = 2.0


@pytest.fixture
def workers(
    tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[InProcess, InProcess]]:
    """Two workers at one PostgreSQL, with short leases."""
    monkeypatch.setattr(notify, "LEASE_SECONDS", LEASE)
    monkeypatch.setattr(presence, "LEASE_SECONDS", LEASE)
    settings: dict[str, Any] = {
        "database": postgres.database(),
        "secret": "shared",
        "claim_seconds": 1,
    }
    with (
        InProcess(tmp_path_factory.mktemp("first"), wall_clock, **settings) as first,
        InProcess(tmp_path_factory.mktemp("second"), wall_clock, **settings) as second,
    ):
        yield first, second


@contextmanager
def _watch(server: InProcess, game: str, secret: str) -> Iterator[None]:
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    headers = {"Authorization": f"Bearer {secret}"}
    with connect(address, origin=Origin(server.url), additional_headers=headers) as opened:
        while json.loads(opened.recv(timeout=10))["type"] != "ready":
            pass
        yield


def _is_connected(person: Person, game: str, seat: int) -> bool:
    return bool(person.snapshot(game)["seats"][seat]["is_connected"])


def _comes(condition: Any) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_player_connected_to_another_worker_is_never_gone_and_keeps_the_seat(
    workers: tuple[InProcess, InProcess],
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
            # Presence that changes all the time must not keep a lease from being renewed.
            while not over.is_set():
                with _watch(first, other["id"], other["secrets"][0]):
                    pass

        busy = threading.Thread(target=come_and_go)
        with _watch(first, game, secret):
            busy.start()
            try:
                assert _comes(lambda: _is_connected(host, game, 1))
                until = time.monotonic() + 3 * LEASE
                while time.monotonic() < until:
                    assert _is_connected(host, game, 1)
                    claim = host.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
                    assert (claim.status_code, claim.json()["code"]) == (409, "not-claimable")
                    time.sleep(0.05)
            finally:
                over.set()
                busy.join()
        assert _comes(lambda: not _is_connected(host, game, 1))

        def claimed() -> bool:
            body = {"seat": 1, "to": "open"}
            return host.post(f"/api/games/{game}/claim", body).status_code == 200

        assert _comes(claimed)


def test_a_worker_that_stops_renewing_loses_its_seats(
    workers: tuple[InProcess, InProcess],
) -> None:
    first, second = workers
    with second.person() as host:
        made = host.create(seats=[{"kind": "device"}, {"kind": "link"}])
        game, secret = made["id"], made["secrets"][1]
        with _watch(first, game, secret):
            assert _comes(lambda: _is_connected(host, game, 1))
            notifications = first.application.services.notifications
            assert notifications is not None
            for task in notifications._tasks:
                task.get_loop().call_soon_threadsafe(task.cancel)
            assert _comes(lambda: not _is_connected(host, game, 1))
