"""Seats can't be forged, and nothing secret leaves the server."""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from websockets.typing import Origin

from terrarium.play.shapes import MAX_GAME_NAME
from terrarium.server.database.migrations import upgrade
from tests.server.postgres import Postgres
from tests.server.running import Person, Server, connect, whole_turn


@dataclass
class Scene:
    """A running game, and clients with different rights."""

    server: Server
    game: str
    seq: int
    actions: list[str]
    secrets: list[str]
    people: dict[str, Person]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("seats")
    with (
        Server(folder, CLAIM_SECONDS="1", LOG_LEVEL="debug") as server,
        server.person() as owner,
        server.person() as guest,
        server.person() as spectator,
    ):
        created = owner.create(
            rules={"players": 3},
            seats=[{"kind": "device"}, {"kind": "link"}, {"kind": "open"}],
            visibility="listed",
        )
        game, revoked = created["id"], created["secrets"][2]
        sat = guest.post(f"/api/games/{game}/seats/2", {"name": "Second"})
        assert sat.status_code == 200
        spectator.create()  # a person like any other, with a cookie, but without a seat here
        seq, actions = whole_turn(owner, game)
        people = {
            "no secret": server.person(),
            "wrong secret": server.person(secrets.token_urlsafe(16)),
            "another seat's secret": server.person(created["secrets"][1]),
            "a spectator": spectator,
            "a revoked secret": server.person(revoked),
            "another game's secret": server.person(spectator.create()["secrets"][0]),
            "a forged cookie": server.person(),
        }
        genuine = owner.http.cookies["terrarium"]
        forged = genuine[:-4] + ("aaaa" if genuine[-4:] != "aaaa" else "bbbb")
        people["a forged cookie"].http.cookies.set("terrarium", forged)
        given = [*filter(None, created["secrets"]), sat.json()["secret"], genuine]
        yield Scene(server, game, seq, actions, given, people)
        for person in people.values():
            person.http.close()


MESSAGES: dict[str, Any] = {
    "turns": lambda scene: {"seq": scene.seq, "actions": scene.actions, "key": "forged"},
    "resign": lambda scene: {"seat": 0},
    "abort": lambda scene: {},
    "offers": lambda scene: {"kind": "draw", "seat": 0},
    "offers/draw": lambda scene: {"seat": 0, "accept": True},
    "claim": lambda scene: {"seat": 0, "to": "computer"},
    "rematch": lambda scene: {},
    "hint": lambda scene: {"seat": 0},
    "coach": lambda scene: {"seat": 0, "seq": scene.seq, "actions": scene.actions},
    "seats/0": lambda scene: {"name": "thief"},
}
WHO = [
    "no secret",
    "wrong secret",
    "another seat's secret",
    "a spectator",
    "a revoked secret",
    "another game's secret",
    "a forged cookie",
]
ALLOWED = {("abort", "another seat's secret"), ("claim", "another seat's secret")}
"""Any seat may abort before the first turn or claim another one: that is no forgery."""


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("message", MESSAGES)
def test_nobody_acts_for_a_seat_without_its_secret(scene: Scene, message: str, who: str) -> None:
    if (message, who) in ALLOWED:
        message, allowed = "resign", False
    else:
        allowed = message == "rematch" and who == "another seat's secret"
    person = scene.people[who]
    before = scene.people["a spectator"].snapshot(scene.game)
    answer = person.post(f"/api/games/{scene.game}/{message}", MESSAGES[message](scene))
    if allowed:
        assert answer.status_code == 409  # it has a seat, but the game is not over
    else:
        assert answer.status_code in (401, 403), (message, who, answer.text)
        assert answer.json()["code"] in {
            "no-credentials",
            "not-your-seat",
            "not-your-turn",
            "wrong-secret",
        }
    after = scene.people["a spectator"].snapshot(scene.game)
    assert (after["seq"], after["position"]) == (before["seq"], before["position"])


def test_secrets_have_128_bits_and_are_stored_only_as_hashes(scene: Scene) -> None:
    for secret in scene.secrets[:-1]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{22,}", secret)
    path = scene.server.folder / "data" / "terrarium.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    dump = "\n".join(database.iterdump())
    database.close()
    for secret in scene.secrets:
        assert secret not in dump


def test_no_secret_is_in_any_frame_log_error_or_file(scene: Scene) -> None:
    """Search everything that the server sends to others or writes for every secret."""
    said: list[str] = []
    address = scene.server.url.replace("http", "ws") + f"/api/games/{scene.game}/live"
    spectator = scene.people["a spectator"]
    with connect(address, origin=Origin(scene.server.url)) as socket:
        # No error quotes a secret that was sent in a wrong place.
        for secret in scene.secrets:
            socket.send(json.dumps({"type": secret, "secret": secret}))
            for path, body in (
                (f"/api/games/{secret}", None),
                (f"/api/games/{scene.game}/seats/1", {"secret": f"{secret}x", "name": "thief"}),
                (f"/api/games/{scene.game}/turns", {"seq": 1, "actions": [], "key": secret[:20]}),
                (f"/api/games/{scene.game}/turns?token={secret}", {"seq": "x"}),
            ):
                answer = spectator.post(path, body) if body else spectator.get("/api/health")
                said += [answer.text, str(answer.headers)]
        with scene.server.person(scene.secrets[1]) as friend:
            friend.post(f"/api/games/{scene.game}/offers", {"kind": "draw", "seat": 1})
        for _ in range(30):
            try:
                said.append(str(socket.recv(timeout=0.3)))
            except TimeoutError:
                break
    for path in (f"/api/games/{scene.game}", "/api/games", "/metrics", "/api/openapi.json"):
        said.append(spectator.get(path).text)
    for name in ("record.terra", "record.json", "embed"):
        said.append(spectator.get(f"/api/games/{scene.game}/{name}").text)
    said.append(scene.server.log)
    data = scene.server.folder / "data"
    files = [
        path for path in Path(data).iterdir() if path.is_file()
    ]  # not the socket of `terrarium admin`
    said += [path.read_bytes().decode("latin-1") for path in files]
    everything = "\n".join(said)
    assert len(everything) > 10_000
    for secret in scene.secrets:
        assert secret not in everything


def test_the_game_says_how_many_seats_and_levels_it_has(person: Person) -> None:
    seats = [{"kind": "device"}] * 6
    refused = [
        (person.post("/api/games", {"game": "nova", "seats": seats}), "seats-players"),
        (
            person.post(
                "/api/games",
                {"game": "nova", "seats": [{"kind": "computer", "level": 9}, {"kind": "device"}]},
            ),
            "seat-level",
        ),
    ]
    game = person.create(seats=seats[:2])["id"]
    refused += [
        (person.post(f"/api/games/{game}/resign", {"seat": 5}), "no-such-seat"),
        (person.get(f"/api/games/{game}/plans", seat=5), "no-such-seat"),
    ]
    for answer, code in refused:
        assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text


def test_the_database_has_room_for_every_name_of_a_game(postgres: Postgres) -> None:
    engine = create_engine("postgresql+psycopg://" + postgres.database().split("://", 1)[1])
    with engine.begin() as connection:
        upgrade(connection)
        lengths = connection.exec_driver_sql(
            "SELECT character_maximum_length FROM information_schema.columns "
            "WHERE table_name = 'games' AND column_name = 'game'"
        ).scalars()
        assert list(lengths) == [MAX_GAME_NAME]
    engine.dispose()
