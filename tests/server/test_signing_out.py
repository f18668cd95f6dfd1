"""Revoked tokens and ended sign-ins: connections opened with them end at once, on every worker."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from terrarium.play.clocks import wall_clock
from terrarium.server.accounts.sessions import MAX_SESSIONS
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, InProcess, Person, comes, connect

PASSWORD = "correct horse"
SCOPES = ["play", "read", "follow"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[InProcess, InProcess]]:
    with InProcess(tmp_path_factory.mktemp("alone"), wall_clock) as server:
        yield server, server


@pytest.fixture(scope="module")
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


_names = iter(range(1_000))


class Owner:
    """A person with an account, a game, and a copied credential: a cookie or a token."""

    def __init__(self, person: Person, kind: str) -> None:
        self.person = person
        self.name = f"Owner {next(_names)}"
        body = {"name": self.name, "password": PASSWORD}
        self.codes = person.post("/api/accounts", body).json()["recovery_codes"]
        seats = [{"kind": "device"}, {"kind": "device"}]
        self.game = person.create(seats=seats)["id"]
        made = person.post("/api/me/tokens", {"name": "bot", "scopes": SCOPES}).json()
        self.token = made["id"]
        self.headers = {"Authorization": f"Bearer {made['token']}"}
        if kind == "cookie":
            self.headers = {"Cookie": f"terrarium={person.http.cookies['terrarium']}"}


def revoke(owner: Owner) -> None:
    assert owner.person.http.delete(f"/api/me/tokens/{owner.token}").status_code == 204


def sign_out(owner: Owner) -> None:
    assert owner.person.http.delete("/api/sessions").status_code == 204


def recover(owner: Owner) -> None:
    body = {"name": owner.name, "code": owner.codes[0], "password": "another horse"}
    assert owner.person.post("/api/accounts/recover", body).status_code == 200


def sign_in_too_often(owner: Owner) -> None:
    """The oldest sign-in ends when the account has one too many."""
    body = {"name": owner.name, "password": PASSWORD}
    for _ in range(MAX_SESSIONS):
        # Without a cookie, so that no session ends because the same browser signs in again.
        owner.person.http.cookies.clear()
        assert owner.person.post("/api/sessions", body).status_code == 201


def delete(owner: Owner) -> None:
    assert owner.person.http.delete("/api/me").status_code == 204


WAYS = [
    ("token", revoke),
    ("token", delete),
    ("cookie", sign_out),
    ("cookie", recover),
    ("cookie", sign_in_too_often),
    ("cookie", delete),
]


@contextmanager
def _opened(server: InProcess, owner: Owner, what: str) -> Iterator[threading.Event]:
    """A connection opened with the owner's credential; the event is set when it ends."""
    ended, ready = threading.Event(), threading.Event()

    def socket() -> None:
        address = server.url.replace("http", "ws") + f"/api/games/{owner.game}/live"
        with connect(
            address, origin=Origin(server.url), additional_headers=owner.headers
        ) as opened:
            try:
                while True:
                    message = json.loads(opened.recv(timeout=PATIENCE))
                    # a second one, without seats, may come right before the end
                    if message["type"] == "ready" and not ready.is_set():
                        assert message["you"] == [0, 1]
                        ready.set()
            except ConnectionClosed:
                ended.set()

    def stream() -> None:
        path = "/api/stream/events" if what == "events" else f"/api/games/{owner.game}/stream"
        with httpx.stream(
            "GET", server.url + path, headers=owner.headers, timeout=PATIENCE
        ) as opened:
            for line in opened.iter_lines():
                if line and json.loads(line)["type"] == "ready":
                    ready.set()
        ended.set()

    thread = threading.Thread(target=socket if what == "socket" else stream, daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    yield ended
    thread.join(PATIENCE)


@pytest.mark.parametrize("what", ["socket", "stream", "events"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]}-{way[1].__name__}")
@pytest.mark.parametrize("where", ["alone", "workers"])
def test_connections_opened_with_a_revoked_credential_end(
    request: pytest.FixtureRequest, where: str, way: tuple[str, Any], what: str
) -> None:
    here, there = request.getfixturevalue(where)
    kind, act = way
    with here.person() as person, there.person() as other:
        owner = Owner(person, kind)
        with _opened(there, owner, what) as ended:
            act(owner)
            assert ended.wait(PATIENCE)
        assert comes(lambda: _connected(other, owner.game) == [])
        answer = httpx.get(there.url + "/api/me", headers=owner.headers, timeout=PATIENCE)
        assert answer.status_code == 401 or answer.json()["is_guest"]


def _connected(person: Person, game: str) -> list[int]:
    seats = person.snapshot(game)["seats"]
    return [number for number, seat in enumerate(seats) if seat["is_connected"]]


def test_signing_out_ends_one_sign_in_and_no_other(alone: tuple[InProcess, InProcess]) -> None:
    server, _ = alone
    with server.person() as first, server.person() as second, server.person() as thief:
        owner = Owner(first, "cookie")
        body = {"name": owner.name, "password": PASSWORD}
        assert second.post("/api/sessions", body).status_code == 201
        thief.http.cookies.update(dict(first.http.cookies))
        assert thief.get("/api/me").json()["name"] == owner.name
        sign_out(owner)
        assert thief.get("/api/me").json()["is_guest"]
        assert thief.get("/api/games", mine="1").json()["games"] == []
        assert second.get("/api/me").json()["name"] == owner.name


def test_of_many_tokens_made_at_once_no_more_than_allowed_exist(
    request: pytest.FixtureRequest,
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for where in ("alone", "workers"):
        servers = request.getfixturevalue(where)
        with servers[0].person() as person:
            owner = Owner(person, "cookie")
            cookies = dict(person.http.cookies)

            def make(number: int, servers: Any = servers, cookies: Any = cookies) -> int:
                with servers[number % 2].person() as same:
                    same.http.cookies.update(cookies)
                    body = {"name": f"bot {number}", "scopes": ["play"]}
                    return int(same.post("/api/me/tokens", body).status_code)

            with ThreadPoolExecutor(10) as pool:
                answers = list(pool.map(make, range(40)))
            assert answers.count(201) == 19
            assert len(person.get("/api/me/tokens").json()) == 20
            assert set(answers) == {201, 409}
            assert owner.token
