"""Cross-site requests are refused, before the body is read."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from terrarium.server.http.guard import Origins
from tests.server.running import PATIENCE, Server, connect

ORDER = json.dumps({"game": "nova"})


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("club")
    with Server(folder, "--origin", "https://club.example") as running:
        yield running


def foreign(server: Server) -> list[str]:
    port = server.port
    return [
        "https://evil.example",
        "null",
        "",
        f"http://127.0.0.1:{port}.evil.example",
        f"http://127.0.0.1.evil.example:{port}",
        f"http://127.0.0.1:{port + 1}",
        f"https://127.0.0.1:{port}",
        f"http://localhost.evil.example:{port}",
        f"http://evil.example#http://127.0.0.1:{port}",
        f"http://127.0.0.1:{port}@evil.example",
        f"http://evil.example:{port}",
        "http://127.0.0.1",
        "file://",
        "chrome-extension://abcdef",
        "http://[::1",
    ]


def asked(
    server: Server, method: str, path: str, headers: dict[str, str], body: str = ORDER
) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request(method, path, body, {"Content-Type": "application/json", **headers})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT"])
def test_a_foreign_origin_changes_nothing(server: Server, method: str) -> None:
    path = {"POST": "/api/games", "PATCH": "/api/me", "DELETE": "/api/me", "PUT": "/api/games"}[
        method
    ]
    for origin in foreign(server):
        assert asked(server, method, path, {"Origin": origin}) == 403, origin
        with_secret = {"Origin": origin, "Authorization": "Bearer x"}
        assert asked(server, method, path, with_secret) == 403, origin


def test_a_missing_origin_is_allowed_only_with_a_secret_or_token(server: Server) -> None:
    assert asked(server, "POST", "/api/games", {}) == 403
    assert asked(server, "POST", "/api/games", {"Authorization": "Bearer abc"}) == 201
    assert asked(server, "POST", "/api/games", {"Origin": server.url}) == 201


def test_an_empty_bearer_is_not_a_bearer(server: Server) -> None:
    """With a missing Origin it must not fall back to the cookie."""
    with server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        cookie = f"terrarium={person.http.cookies['terrarium']}"
        for bearer in ("Bearer", "Bearer ", "Bearer  ", "bearer \t", "Basic x"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
                raw.sendall(
                    f"POST /api/games/{game}/abort HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                    f"Cookie: {cookie}\r\nAuthorization: {bearer}\r\n"
                    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".encode()
                )
                assert raw.recv(100).startswith(b"HTTP/1.1 403"), bearer
        assert person.snapshot(game)["status"] == "playing"


def test_a_host_name_that_merely_resolves_to_this_server_is_foreign(server: Server) -> None:
    """DNS rebinding: the page and the Host agree, but the name is a stranger's."""
    headers = {
        "Origin": f"http://evil.example:{server.port}",
        "Host": f"evil.example:{server.port}",
    }
    assert asked(server, "POST", "/api/games", headers) == 403


def test_a_server_with_set_origins_accepts_only_these(club: Server) -> None:
    assert asked(club, "POST", "/api/games", {"Origin": "https://club.example"}) == 201
    for origin in (
        club.url,
        "http://club.example",
        "https://club.example.evil.example",
    ):
        assert asked(club, "POST", "/api/games", {"Origin": origin}) == 403


def test_the_refusal_comes_before_the_body(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
        raw.sendall(
            b"POST /api/games HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 403")


def test_sockets_are_only_for_our_own_page(server: Server) -> None:
    with server.person() as person:
        game = person.create()["id"]
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    for origin in [*foreign(server), None]:
        if origin == "":
            continue
        with pytest.raises(InvalidStatus) as caught, connect(address, origin=origin):
            pass
        assert caught.value.response.status_code == 403, origin
    with connect(address, origin=Origin(server.url)) as watching:
        assert json.loads(watching.recv())["type"] == "snapshot"
    bearer = {"Authorization": "Bearer x"}
    with connect(address, additional_headers=bearer) as watching:
        assert json.loads(watching.recv())["type"] == "snapshot"


def test_reading_needs_no_origin(server: Server) -> None:
    assert asked(server, "GET", "/api/meta", {}, "") == 200


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        ("http://localhost:8000", "localhost:8000", True),
        ("http://192.0.2.7:8000", "192.0.2.7:8000", True),
        ("http://table.local", "table.local", True),
        ("http://LOCALHOST:8000", "localhost:8000", True),
        ("http://localhost:80", "localhost", True),
        ("http://localhost", "localhost:8000", False),
        ("http://example.com", "example.com", False),
    ],
)
def test_without_set_origins_only_own_addresses_are_accepted(
    origin: str, host: str, allowed: bool
) -> None:
    assert Origins(()).allows(origin, host, "http") is allowed


def test_settings_of_a_club_are_printed_without_secrets(club: Server) -> None:
    assert "https://club.example" in club.log
    key = (Path(club.folder) / "data" / "secret.key").read_text()
    assert key not in club.log
