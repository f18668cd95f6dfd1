"""Watching: sockets and streams send every event in order, and reconnecting converges."""

from __future__ import annotations

import json
import secrets
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.typing import Origin

from tests.server.running import PATIENCE, Person, Server, connect, whole_turn

DEVICES = [{"kind": "device"}, {"kind": "device"}]


def watch(
    server: Server, game: str, since: int | None = None, cookie: str = "", token: str = ""
) -> ClientConnection:
    address = server.url.replace("http", "ws") + f"/api/games/{game}/live"
    address += "" if since is None else f"?since={since}"
    headers = {"Cookie": f"terrarium={cookie}"} if cookie else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    return connect(address, origin=Origin(server.url), additional_headers=headers)


def received(socket: ClientConnection, last: str) -> list[dict[str, Any]]:
    """Every message up to one of a type."""
    found: list[dict[str, Any]] = []
    while not found or found[-1]["type"] != last:
        found.append(json.loads(socket.recv(timeout=PATIENCE)))
    return found


def play(person: Person, game: str, pick: int = 0) -> int:
    seq, actions = whole_turn(person, game, pick)
    answer = person.turn(game, seq, actions)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["seq"])


def test_a_watcher_sees_a_snapshot_and_then_every_turn(server: Server, person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    with watch(server, game) as socket:
        first = received(socket, "ready")
        assert [message["type"] for message in first] == ["snapshot", "ready"]
        assert first[0]["you"] == []
        for number in range(3):
            seq = play(person, game, number)
            turn = received(socket, "turn")[-1]
            assert (turn["seq"], turn["turn_number"]) == (seq, number + 1)
            assert turn["position"] == person.snapshot(game)["position"]
            assert turn["legal"] == []
        person.post(f"/api/games/{game}/resign", {"seat": 1})
        assert received(socket, "over")[-1]["outcome"]["winners"] == [0]


def test_a_players_socket_knows_its_seats_and_what_is_legal(server: Server, person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    with watch(server, game, cookie=person.http.cookies["terrarium"]) as socket:
        assert received(socket, "ready")[0]["you"] == [0, 1]
        play(person, game)
        assert received(socket, "turn")[-1]["legal"]


def test_a_watcher_who_reconnects_gets_the_missed_events(server: Server, person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    seqs = [play(person, game, number) for number in range(4)]
    with watch(server, game, since=seqs[1]) as socket:
        missed = received(socket, "ready")
    assert [(m["type"], m["seq"]) for m in missed] == [
        ("turn", seqs[2]),
        ("turn", seqs[3]),
        ("ready", seqs[3]),
    ]
    with watch(server, game, since=seqs[3]) as socket:
        assert [m["type"] for m in received(socket, "ready")] == ["ready"]
    with watch(server, game, since=99_999) as socket:
        assert received(socket, "ready")[0]["type"] == "snapshot"


def test_seats_offers_takebacks_and_rematches_are_sent(
    server: Server, person: Person, stranger: Person
) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    with watch(server, game) as socket:
        received(socket, "ready")
        stranger.post(f"/api/games/{game}/seats/1", {"name": "Second"})
        assert received(socket, "seats")[-1]["seats"][1]["name"] == "Second"
        play(person, game)
        person.post(f"/api/games/{game}/offers", {"kind": "takeback", "seat": 0})
        assert received(socket, "offers")[-1]["offers"][0]["kind"] == "takeback"
        stranger.post(f"/api/games/{game}/offers/takeback", {"seat": 1, "accept": True})
        back = received(socket, "takeback")[-1]
        assert (back["turns"], "you" in back) == ([], False)
        person.post(f"/api/games/{game}/resign", {"seat": 0})
        rematch = person.post(f"/api/games/{game}/rematch").json()["id"]
        assert received(socket, "rematch")[-1]["id"] == rematch


@pytest.mark.parametrize("by", ["cookie", "token"])
def test_watching_never_changes_a_game(
    server: Server, person: Person, stranger: Person, by: str
) -> None:
    """Not even if the watcher's seat is still empty, as after a rematch: sitting down needs a request."""
    if by == "token":
        body = {"name": f"w{secrets.token_hex(4)}", "password": "long enough"}
        assert stranger.post("/api/accounts", body).status_code == 201
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    stranger.post(f"/api/games/{game}/seats/1")
    person.post(f"/api/games/{game}/resign", {"seat": 0})
    rematch = person.post(f"/api/games/{game}/rematch").json()
    assert rematch["game"]["status"] == "waiting"
    cookie, token = stranger.http.cookies["terrarium"], ""
    if by == "token":
        made = stranger.post("/api/me/tokens", {"name": "reader", "scopes": ["read", "follow"]})
        cookie, token = "", made.json()["token"]
    with watch(server, rematch["id"], cookie=cookie, token=token) as socket:
        assert received(socket, "ready")[-1]["you"] == [0]
        after = person.snapshot(rematch["id"])
        assert (after["status"], after["seq"]) == ("waiting", rematch["seq"])
    if by == "token":
        bearer = {"Authorization": f"Bearer {token}"}
        refused = stranger.post(f"/api/games/{rematch['id']}/seats/0", **bearer)
        assert (refused.status_code, refused.json()["code"]) == (403, "missing-scope")
    assert stranger.post(f"/api/games/{rematch['id']}/seats/0").status_code == 200
    assert person.snapshot(rematch["id"])["status"] == "playing"


def test_a_spectator_who_sits_down_plays_on_the_same_connection(
    server: Server, person: Person, stranger: Person
) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    stranger.create(seats=DEVICES)  # a guest with a cookie, before watching
    cookie = stranger.http.cookies["terrarium"]
    with (
        watch(server, game, cookie=cookie) as socket,
        watch(server, game, cookie=cookie) as second_tab,
    ):
        assert received(socket, "ready")[-1]["you"] == []
        received(second_tab, "ready")
        play(person, game)
        assert received(socket, "turn")[-1]["legal"] == []
        assert stranger.post(f"/api/games/{game}/seats/1").status_code == 200
        for connection in (socket, second_tab):
            messages = received(connection, "ready")
            assert messages[-1]["you"] == [1]
            assert messages[-2]["type"] == "snapshot"
            assert messages[-2]["legal"]
        seats = person.snapshot(game)["seats"]
        assert seats[1]["is_connected"]
        play(stranger, game)
        assert received(socket, "turn")[-1]["turn_number"] == 2


def test_presence_is_sent(server: Server, person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "link"}])["id"]
    with watch(server, game) as watcher:
        assert received(watcher, "ready")[-1]["connected"] == []
        with watch(server, game, cookie=person.http.cookies["terrarium"]):
            assert received(watcher, "presence")[-1]["connected"] == [0]
            assert person.snapshot(game)["seats"][0]["is_connected"]
        assert received(watcher, "presence")[-1]["connected"] == []


def test_a_ping_is_answered_and_anything_else_is_not_understood(
    server: Server, person: Person
) -> None:
    game = person.create()["id"]
    with watch(server, game) as socket:
        received(socket, "ready")
        socket.send('{"type":"ping","at":12.5}')
        assert received(socket, "pong")[-1]["at"] == 12.5
        deep = '{"type":"ping","x":' + "[" * 4_000
        for junk in ("", "{", "[]", '{"type":"turn"}', "\ud7ff", b"\xff\xfe", "[" * 4_000, deep):
            socket.send(junk)
            assert received(socket, "error")[-1]["code"] == "unknown-message"


def test_an_unknown_game_answers_404(server: Server) -> None:
    with pytest.raises(InvalidStatus) as caught, watch(server, "nothing"):
        pass
    assert caught.value.response.status_code == 404


def test_the_stream_gives_the_state_first_and_then_events(server: Server, person: Person) -> None:
    game = person.create(seats=DEVICES)["id"]
    found: list[dict[str, Any]] = []
    with httpx.stream("GET", f"{server.url}/api/games/{game}/stream", timeout=PATIENCE) as stream:
        assert stream.headers["content-type"] == "application/x-ndjson"
        for line in stream.iter_lines():
            if not line:
                continue
            found.append(json.loads(line))
            if found[-1]["type"] == "ready":
                play(person, game)
                person.post(f"/api/games/{game}/resign", {"seat": 0})
            if found[-1]["type"] == "over":
                break
    assert [message["type"] for message in found] == [
        "snapshot",
        "ready",
        "turn",
        "resigned",
        "over",
    ]
    url = f"{server.url}/api/games/{game}/stream?since=2"
    with httpx.stream("GET", url, timeout=PATIENCE) as stream:
        first = json.loads(next(stream.iter_lines()))
    assert (first["type"], first["seq"]) == ("resigned", 3)
    assert first["resignation"]["after"] == first["turn_number"] == 1
