"""Accounts: sign up, in and out, recover, export, delete; tokens and their scopes."""

from __future__ import annotations

import json
import secrets
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import Type

from terrarium.play.clocks import wall_clock
from terrarium.server.http.limits import LIMITS
from tests.server.forks import HASHER
from tests.server.running import PATIENCE, InProcess, Person, Server, comes, whole_turn

PASSWORD = "correct horse"


def sign_up(person: Person, name: str | None = None) -> tuple[str, list[str]]:
    name = name or f"player {secrets.token_hex(4)}"
    answer = person.post("/api/accounts", {"name": name, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return name, answer.json()["recovery_codes"]


def test_a_hash_of_a_password_takes_much_memory_and_several_passes() -> None:
    """The least that OWASP recommends for Argon2id. Tests hash with less."""
    assert HASHER.type is Type.ID
    assert HASHER.memory_cost >= 19 * 1024
    assert HASHER.time_cost >= 2
    assert len(HASHER.hash("long enough")) > 90


def test_an_account_gets_the_games_of_the_guest(person: Person, stranger: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    name, _ = sign_up(person)
    assert person.snapshot(game)["you"] == [0, 1]
    assert person.get("/api/me").json()["name"] == name
    assert stranger.post("/api/sessions", {"name": name, "password": PASSWORD}).status_code == 201
    assert stranger.snapshot(game)["you"] == [0, 1]


def test_signing_in_never_loses_a_seat(server: Server, person: Person, stranger: Person) -> None:
    name, _ = sign_up(person)
    mine = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    as_guest = stranger.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    stranger.post("/api/sessions", {"name": name, "password": PASSWORD})
    for who in (person, stranger):
        assert who.snapshot(mine)["you"] == [0, 1]
        assert who.snapshot(as_guest)["you"] == [0, 1]
    found = stranger.get("/api/games", mine="1").json()["games"]
    assert {game["id"] for game in found} >= {mine, as_guest}


def test_wrong_passwords_and_taken_names_are_refused(person: Person, stranger: Person) -> None:
    name, _ = sign_up(person)
    wrong = stranger.post("/api/sessions", {"name": name, "password": "wrong horse"})
    nobody = stranger.post("/api/sessions", {"name": "nobody at all", "password": PASSWORD})
    assert wrong.status_code == nobody.status_code == 401
    assert wrong.json() == nobody.json()
    taken = stranger.post("/api/accounts", {"name": name.upper(), "password": PASSWORD})
    assert (taken.status_code, taken.json()["code"]) == (409, "name-taken")
    short = stranger.post("/api/accounts", {"name": "somebody", "password": "short"})
    assert short.json()["code"] == "invalid-password"


def test_a_recovery_code_sets_a_new_password_and_ends_other_sign_ins(
    person: Person, stranger: Person
) -> None:
    name, codes = sign_up(person)
    body = {"name": name, "code": codes[3].lower(), "password": "another horse"}
    recovered = stranger.post("/api/accounts/recover", body)
    assert recovered.status_code == 200, recovered.text
    assert person.get("/api/me").json()["is_guest"]
    assert stranger.get("/api/me").json()["name"] == name
    assert stranger.post("/api/accounts/recover", body).status_code == 401
    assert set(recovered.json()["recovery_codes"]).isdisjoint(codes)


def test_export_contains_everything_and_deletion_leaves_no_name(
    server: Server, person: Person
) -> None:
    name, _ = sign_up(person)
    game = person.create(seats=[{"kind": "device", "name": name}, {"kind": "device"}])["id"]
    exported = person.get("/api/me/export").json()
    assert exported["account"]["name"] == name
    assert name in next(item["record"] for item in exported["games"] if item["id"] == game)
    assert person.http.request("DELETE", "/api/me").status_code == 204
    assert person.get("/api/me").json()["is_guest"]
    assert person.snapshot(game)["seats"][0]["name"] is None
    with sqlite3.connect(f"file:{server.folder}/data/terrarium.db?mode=ro", uri=True) as database:
        dump = "\n".join(database.iterdump())
    database.close()
    assert name not in dump
    assert name.casefold() not in dump


def test_deletion_also_forgets_a_seat_that_was_lost(tmp_path: Path) -> None:
    """The seat was claimed by somebody else or taken by a computer: the former name is removed, the new one stays."""
    with (
        Server(tmp_path, CLAIM_SECONDS="1") as server,
        server.person() as owner,
        server.person() as gone,
        server.person() as third,
    ):
        sign_up(gone, "Canary")
        games = []
        for kind in ("open", "computer"):
            game = owner.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
            gone.post(f"/api/games/{game}/seats/1", {"name": "Canary"})
            seq, actions = whole_turn(owner, game)
            owner.turn(game, seq, actions)
            claim = {"seat": 1, "to": kind}

            def claimed(path: str = f"/api/games/{game}/claim", claim: Any = claim) -> bool:
                return owner.post(path, claim).status_code == 200

            assert comes(claimed)
            games.append(game)
        assert third.post(f"/api/games/{games[0]}/seats/1", {"name": "Third"}).status_code == 200
        exported = {item["id"] for item in gone.get("/api/me/export").json()["games"]}
        assert exported == set(games)
        assert gone.http.delete("/api/me").status_code == 204
        assert owner.snapshot(games[0])["seats"][1]["name"] == "Third"
        assert owner.snapshot(games[1])["seats"][1]["name"] is None
        path = f"file:{server.folder}/data/terrarium.db?mode=ro"
        with sqlite3.connect(path, uri=True) as database:
            dump = "\n".join(database.iterdump())
        database.close()
        assert "canary" not in dump.casefold()
        assert "Third" in dump


def test_attempts_to_sign_in_are_limited_for_an_address_whatever_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both the tries for one name and the number of names are limited, because each try costs a hash."""
    monkeypatch.setitem(LIMITS, "account", (0.001, 3, LIMITS["account"][2]))
    monkeypatch.setitem(LIMITS, "sign-in", (0.001, 8, LIMITS["sign-in"][2]))
    with InProcess(tmp_path, wall_clock, rate=1.0) as server, server.person() as person:
        one = _tried_at_once(person, ["nobody"] * 5)
        assert {answer.status_code for answer in one} == {401, 429}
        many = _tried_at_once(person, [f"nobody {number}" for number in range(12)])
        assert {answer.status_code for answer in many} == {401, 429}
        refused = next(answer for answer in many if answer.status_code == 429)
        assert refused.json()["retry_after"] > 0


def _tried_at_once(person: Person, names: list[str]) -> list[httpx.Response]:
    """Sign in once with each name, all at the same time: one after the other, a slow machine would recover the limits in between."""
    with ThreadPoolExecutor(len(names)) as pool:
        return list(pool.map(lambda name: _tried(person, name), names))


def _tried(person: Person, name: str) -> httpx.Response:
    return person.post("/api/sessions", {"name": name, "password": PASSWORD})


def _followed(person: Person) -> tuple[str, dict[str, str]]:
    """A game of somebody with an account, and a token that may follow it."""
    sign_up(person)
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    return game, person.post("/api/me/tokens", {"name": "bot", "scopes": ["follow"]}).json()


def _events(server: Server, token: str) -> AbstractContextManager[httpx.Response]:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.stream("GET", f"{server.url}/api/stream/events", headers=headers, timeout=PATIENCE)


def test_a_stream_ends_when_its_token_is_revoked(server: Server, person: Person) -> None:
    game, made = _followed(person)
    seen = []
    with _events(server, made["token"]) as stream:
        for line in stream.iter_lines():
            seen.append(json.loads(line)["type"])
            if seen[-1] == "ready":
                assert person.http.delete(f"/api/me/tokens/{made['id']}").status_code == 204
                seq, actions = whole_turn(person, game)
                person.turn(game, seq, actions)
    assert seen == ["game-start", "ready"]


def test_a_bot_is_notified_of_its_rematch(server: Server, person: Person) -> None:
    game, made = _followed(person)
    seen = []
    with _events(server, made["token"]) as stream:
        for line in stream.iter_lines():
            seen.append(json.loads(line) if line else {"type": ""})
            if seen[-1]["type"] == "ready":
                person.post(f"/api/games/{game}/resign", {"seat": 0})
                rematch = person.post(f"/api/games/{game}/rematch").json()["id"]
            if seen[-1]["type"] == "game-start" and seen[-1]["id"] != game:
                break
    assert seen[-1]["id"] == rematch


def test_tokens_do_what_their_scopes_say_until_they_are_revoked(
    server: Server, person: Person
) -> None:
    sign_up(person)
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    tokens = {}
    for scope in ("play", "read", "follow"):
        answer = person.post("/api/me/tokens", {"name": scope, "scopes": [scope]})
        assert answer.status_code == 201
        tokens[scope] = answer.json()
    seq, actions = whole_turn(person, game)

    def asked(scope: str, method: str, path: str, body: object = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {tokens[scope]['token']}"}
        return httpx.request(
            method, server.url + path, json=body, headers=headers, timeout=PATIENCE
        )

    turn = {"seq": seq, "actions": actions}
    assert asked("read", "POST", f"/api/games/{game}/turns", turn).json()["code"] == "missing-scope"
    assert asked("play", "POST", f"/api/games/{game}/turns", turn).status_code == 200
    assert asked("play", "GET", "/api/me/export").status_code == 401
    exported = asked("read", "GET", "/api/me/export")
    assert exported.status_code == 200
    assert "browsers" not in exported.json()
    assert "mail" not in exported.json()["account"]
    assert asked("play", "DELETE", "/api/me").status_code == 401
    assert asked("play", "GET", "/api/stream/events").json()["code"] == "missing-scope"
    assert person.http.delete(f"/api/me/tokens/{tokens['play']['id']}").status_code == 204
    assert asked("play", "GET", f"/api/games/{game}").json()["code"] == "wrong-token"


def test_a_bot_follows_all_its_games_in_one_stream(server: Server, person: Person) -> None:
    sign_up(person)
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    token = person.post("/api/me/tokens", {"name": "bot", "scopes": ["follow"]}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    seen: list[tuple[str, str]] = []
    with httpx.stream(
        "GET", f"{server.url}/api/stream/events", headers=headers, timeout=PATIENCE
    ) as stream:
        for line in stream.iter_lines():
            if not line:
                continue
            message = json.loads(line)
            seen.append((message["type"], message.get("id", "")))
            if message["type"] == "ready":
                seq, actions = whole_turn(person, game)
                person.turn(game, seq, actions)
                other = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
                person.post(f"/api/games/{game}/resign", {"seat": 0})
            if message["type"] == "game-over":
                break
    assert seen == [
        ("game-start", game),
        ("ready", ""),
        ("game-update", game),
        ("game-start", other),
        ("game-over", game),
    ]
