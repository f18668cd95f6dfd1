"""Talk at a table: who receives which message, on one worker and on two; nothing is kept after the game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from terrarium.play.clocks import wall_clock
from terrarium.server.live import talk
from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, FakeTime, InProcess, Person, Server, connect, whole_turn

PAIR = [{"kind": "device"}, {"kind": "open"}]


def sat_down(host: Person, guest: Person, **order: Any) -> str:
    game: str = host.create(seats=PAIR, **order)["id"]
    assert guest.post(f"/api/games/{game}/seats/1").status_code == 200
    return game


def say(person: Person, game: str, seat: int, **what: str) -> Any:
    return person.post(f"/api/games/{game}/talk", {"seat": seat, **what})


def messages_of(person: Person, game: str) -> list[tuple[int, str]]:
    answer = person.get(f"/api/games/{game}/talk")
    assert answer.status_code == 200, answer.text
    return [(one["seat"], one["phrase"] or one["text"]) for one in answer.json()["said"]]


def allow(person: Person, is_allowed: bool = True) -> None:
    answer = person.http.put("/api/me/talk", json={"allows_text": is_allowed})
    assert answer.status_code == 200, answer.text


def mute(person: Person, game: str, seat: int, is_muted: bool = True) -> Any:
    return person.http.put(f"/api/games/{game}/mutes/{seat}", json={"muted": is_muted})


def socket_of(person: Person, game: str) -> ClientConnection:
    cookies = "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())
    url = str(person.http.base_url).rstrip("/")
    headers = {"Origin": url, "Cookie": cookies}
    return connect(
        url.replace("http", "ws") + f"/api/games/{game}/live", additional_headers=headers
    )


def until(socket: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
        if message["type"] == kind:
            return message


def test_the_other_seat_gets_a_phrase_and_spectators_do_not(
    server: Server, person: Person, stranger: Person
) -> None:
    game = sat_down(person, stranger)
    with server.person() as spectator:
        spectator.create()  # a guest, but not of this table
        with socket_of(stranger, game) as seated, socket_of(spectator, game) as watching:
            until(seated, "ready")
            until(watching, "ready")
            assert say(person, game, 0, phrase="good-luck").status_code == 201
            assert until(seated, "changed")["what"] == "talk"
            seq, actions = whole_turn(person, game)
            assert person.turn(game, seq, actions).status_code == 200
            while (message := json.loads(watching.recv(timeout=PATIENCE)))["type"] != "turn":
                assert message["type"] != "changed"
        assert messages_of(stranger, game) == messages_of(person, game) == [(0, "good-luck")]
        for answer in (
            spectator.get(f"/api/games/{game}/talk"),
            say(spectator, game, 0, phrase="hello"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "not-your-seat")
    assert say(person, game, 1, phrase="hello").json()["code"] == "not-your-seat"
    assert say(person, game, 0, phrase="insult").json()["code"] == "unknown-phrase"
    assert say(person, game, 0).json()["code"] == "invalid-message"


def test_texts_need_the_consent_of_both(person: Person, stranger: Person) -> None:
    game = sat_down(person, stranger)
    assert say(person, game, 0, text="psst").json()["code"] == "text-not-allowed"
    allow(person)
    assert say(person, game, 0, text="psst").json()["code"] == "text-not-wanted"
    allow(stranger)
    state = stranger.get(f"/api/games/{game}/talk").json()
    assert (state["allows_text"], state["texts_with"]) == (True, [0])
    assert say(person, game, 0, text="psst\u202e").json()["code"] == "invalid-message"
    assert say(person, game, 0, text=" well  met ").status_code == 201
    assert messages_of(stranger, game) == [(0, "well met")]
    allow(person, False)
    assert say(stranger, game, 1, text="hm").json()["code"] == "text-not-wanted"


def test_signing_in_keeps_the_choice_about_texts(person: Person, stranger: Person) -> None:
    game = sat_down(person, stranger)
    allow(person)
    allow(stranger)
    body = {"name": "Talkative", "password": "correct horse battery"}
    assert person.post("/api/accounts", body).status_code == 201
    assert say(stranger, game, 1, text="still there?").status_code == 201
    allow(person, False)
    assert say(stranger, game, 1, text="and now?").json()["code"] == "text-not-wanted"
    allow(person)
    assert say(stranger, game, 1, text="again").status_code == 201
    assert person.http.delete("/api/me").status_code == 204
    assert say(stranger, game, 1, text="gone?").json()["code"] == "text-not-wanted"


def test_a_muted_person_is_muted_in_every_game(person: Person, stranger: Person) -> None:
    game = sat_down(person, stranger)
    assert say(stranger, game, 1, phrase="hello").status_code == 201
    assert mute(person, game, 1).json()["muted"] == [1]
    assert messages_of(person, game) == []
    assert say(stranger, game, 1, phrase="sorry").status_code == 201
    assert messages_of(stranger, game) == [(1, "hello"), (1, "sorry")], (
        "the speaker must not notice the mute"
    )
    other = sat_down(stranger, person)
    say(stranger, other, 0, phrase="hello")
    assert messages_of(person, other) == []
    assert mute(person, game, 1, False).json()["muted"] == []
    say(stranger, game, 1, phrase="thanks")
    assert messages_of(person, game) == [(1, "hello"), (1, "thanks")]
    assert mute(person, game, 0).json()["code"] == "cannot-mute"


def test_a_record_contains_the_messages_on_request(
    server: Server, person: Person, stranger: Person
) -> None:
    game = sat_down(person, stranger)
    say(stranger, game, 1, phrase="good-luck")
    seq, actions = whole_turn(person, game)
    person.turn(game, seq, actions)
    path = f"/api/games/{game}/record.terra"
    assert "Good luck!" not in person.get(path).text
    assert "Red: Good luck!" in person.get(path, talk="true").text
    with server.person() as spectator:
        assert spectator.get(path, talk="true").status_code == 401


def test_nothing_is_kept_after_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "_FORGET_SECONDS", 0.0)
    now = FakeTime()
    with (
        InProcess(tmp_path, now) as server,
        server.person() as host,
        server.person() as guest,
    ):
        game, other = sat_down(host, guest), sat_down(host, guest)
        for one in (game, other):
            say(host, one, 0, phrase="good-game")
        assert host.post(f"/api/games/{game}/resign", {"seat": 0}).status_code == 200
        assert messages_of(guest, game) == [(0, "good-game")], (
            "messages stay for a while after the game"
        )
        now.pass_(talk.KEEP_MS / 1000 + 1)
        while messages_of(guest, game):
            pass
        assert messages_of(guest, other) == [(0, "good-game")], "a running game keeps its messages"


def test_messages_are_limited(tmp_path: Path) -> None:
    with (
        InProcess(tmp_path, wall_clock, rate=1.0) as server,
        server.person() as host,
        server.person() as guest,
    ):
        game = sat_down(host, guest)
        # Send all at the same time: one after the other, a slow machine would recover the limit in between.
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: say(host, game, 0, phrase="hello"), range(12)))
        assert {answer.status_code for answer in answers} == {201, 429}
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert refused.json()["retry_after"] > 0


def test_a_new_player_on_a_seat_does_not_read_earlier_messages(
    tmp_path: Path,
) -> None:
    now = FakeTime()
    with (
        InProcess(tmp_path, now) as server,
        server.person() as host,
        server.person() as guest,
        server.person() as third,
    ):
        game = sat_down(host, guest)
        seq, actions = whole_turn(host, game)
        host.turn(game, seq, actions)
        say(host, game, 0, phrase="hello")
        now.pass_(3_600)
        claimed = host.post(f"/api/games/{game}/claim", {"seat": 1, "to": "open"})
        assert claimed.status_code == 200, claimed.text
        assert third.post(f"/api/games/{game}/seats/1").status_code == 200
        assert messages_of(third, game) == []
        assert messages_of(host, game) == [(0, "hello")]


@pytest.fixture
def workers(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[InProcess, InProcess]]:
    shared = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", wall_clock, **shared) as first,
        InProcess(tmp_path / "second", wall_clock, **shared) as second,
    ):
        yield first, second


def test_people_at_two_workers_get_each_others_messages(
    workers: tuple[InProcess, InProcess],
) -> None:
    first, second = workers
    with first.person() as host, second.person() as guest:
        game = sat_down(host, guest)
        with socket_of(guest, game) as seated:
            until(seated, "ready")
            assert say(host, game, 0, phrase="hello").status_code == 201
            assert until(seated, "changed")["what"] == "talk"
            assert messages_of(guest, game) == [(0, "hello")]
            allow(host)
            assert until(seated, "changed")["what"] == "talk"
            allow(guest)
            assert say(host, game, 0, text="from afar").status_code == 201
        assert messages_of(guest, game) == [(0, "hello"), (0, "from afar")]
