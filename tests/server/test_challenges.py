"""Challenges between accounts, people and bots alike, and the marks of accounts and bots on seats."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.server.running import FakeTime, InProcess, Person, Server, whole_turn
from tests.server.test_accounts import sign_up
from tests.server.test_feeds import BOTH, Workers, bot, feed, workers

__all__ = ["workers"]


def _challenge(person: Person, to: str, **order: Any) -> dict[str, Any]:
    answer = person.post("/api/challenges", {"to": to, "game": "turrium", **order})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def _answer(person: Person, id: str, how: str) -> tuple[int, dict[str, Any]]:
    answer = person.post(f"/api/challenges/{id}/{how}")
    return answer.status_code, answer.json()


def _listed(person: Person) -> list[tuple[str, str]]:
    found = person.get("/api/challenges").json()["challenges"]
    return [(one["id"], one["status"]) for one in found]


def test_an_accepted_challenge_is_a_game_of_both_with_their_names_and_marks(
    server: Server, person: Person, stranger: Person
) -> None:
    name, _ = sign_up(person)
    other, _ = sign_up(stranger)
    assert stranger.http.patch("/api/me", json={"is_bot": True}).json()["is_bot"]
    clock = {"kind": "game", "seconds": 300, "increment": 5}
    made = _challenge(person, other.upper(), seat=1, clock=clock, rules={"variant": "burgenland"})
    assert made["is_yours"]
    assert made["chosen"] == {"variant": "burgenland"}
    assert made["rules"]["max_rounds"] == 100
    assert made["challenged"] == {"name": other, "is_bot": True}
    assert _listed(stranger) == _listed(person) == [(made["id"], "open")]
    assert _answer(person, made["id"], "accept")[1]["code"] == "not-your-challenge"
    assert _answer(stranger, made["id"], "withdraw")[1]["code"] == "not-your-challenge"
    status, accepted = _answer(stranger, made["id"], "accept")
    assert (status, accepted["status"]) == (200, "accepted")
    assert _answer(stranger, made["id"], "accept")[1]["game_id"] == accepted["game_id"]
    assert _answer(stranger, made["id"], "decline")[1]["code"] == "challenge-closed"
    game = person.snapshot(accepted["game_id"])
    assert (game["you"], game["status"], game["clock"]["seconds"]) == ([1], "playing", 300)
    assert game["rules"]["variant"] == "burgenland"
    assert [(seat["name"], seat["is_account"], seat["is_bot"]) for seat in game["seats"]] == [
        (other, True, True),
        (name, True, False),
    ]
    seq, actions = whole_turn(stranger, game["id"])
    assert stranger.turn(game["id"], seq, actions).status_code == 200


def test_a_challenge_is_declined_or_withdrawn_once(
    server: Server, person: Person, stranger: Person
) -> None:
    sign_up(person)
    other, _ = sign_up(stranger)
    first, second = _challenge(person, other), _challenge(person, other)
    assert _answer(stranger, first["id"], "decline")[1]["status"] == "declined"
    assert _answer(person, second["id"], "withdraw")[1]["status"] == "withdrawn"
    assert _answer(stranger, second["id"], "accept") == (
        409,
        {
            "code": "challenge-closed",
            "message": "this challenge is not open any more",
            "rule": None,
        },
    )
    assert dict(_listed(stranger)) == {first["id"]: "declined", second["id"]: "withdrawn"}


def test_an_impossible_challenge_is_refused(server: Server, person: Person) -> None:
    def refused(**order: Any) -> tuple[int, str]:
        answer = person.post("/api/challenges", {"to": "x", "game": "nova"} | order)
        return answer.status_code, answer.json()["code"]

    assert refused() == (401, "sign-in-needed")
    name, _ = sign_up(person)
    assert refused(to="nobody of this name") == (404, "no-such-player")
    assert refused(to=name) == (422, "challenge-self")
    with server.person() as other:
        to, _ = sign_up(other)
        assert refused(to=to, rules={"players": 3}) == (422, "challenge-players")
        assert refused(to=to, rules={"edition": "xx"})[0] == 422
        assert refused(to=to, board="atlantis")[1] == "no-such-board"
        for _ in range(20):
            _challenge(person, to)
        assert refused(to=to) == (409, "too-many-challenges")
        made = _listed(other)[0][0]
        with server.person() as third:
            sign_up(third)
            assert _answer(third, made, "accept")[1]["code"] == "no-such-challenge"
        assert other.http.delete("/api/me").status_code == 204
    assert _listed(person) == []


def test_of_many_answers_at_once_one_counts(workers: Workers) -> None:
    first, second = workers
    with first.person() as person, second.person() as other, ExitStack() as stack:
        sign_up(person)
        name, _ = sign_up(other)
        feeds = [stack.enter_context(feed(w, bot_token(person))) for w in workers]
        for _ in range(4):
            made = _challenge(person, name)["id"]
            with ThreadPoolExecutor(3) as pool:
                answers = list(
                    pool.map(
                        lambda how, made=made: _answer(
                            person if how == "withdraw" else other, made, how
                        ),
                        ("accept", "decline", "withdraw"),
                    )
                )
            done = [body["status"] for status, body in answers if status == 200]
            assert len(done) == 1, answers
            assert dict(_listed(person))[made] == done[0]
            for stream in feeds:

                def kinds(stream: Any = stream, made: str = made) -> list[str]:
                    return [
                        line["type"]
                        for line in stream.lines
                        if line.get("challenge", {}).get("id") == made
                    ]

                assert stream.waits_for(lambda kinds=kinds: len(kinds()) >= 2)  # type: ignore[misc]
                assert kinds() == ["challenge", f"challenge-{done[0]}"]


def bot_token(person: Person) -> str:
    order = {"name": "bot", "scopes": ["play", "follow"]}
    token: str = person.post("/api/me/tokens", order).json()["token"]
    return token


def test_a_challenge_expires_and_both_are_notified(tmp_path: Path) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now) as server, server.person() as one, server.person() as other:
        token, name = bot(one), sign_up(other)[0]
        made = _challenge(one, name, minutes=1)["id"]
        with feed(server, token) as mine, feed(server, bot_token(other)) as theirs:
            now.pass_(61)
            for stream in (mine, theirs):
                assert stream.waits_for(lambda stream=stream: len(stream.lines) == 3)  # type: ignore[misc]
                kinds = [line["type"] for line in stream.lines]
                assert kinds == ["challenge", "ready", "challenge-expired"]
        assert _answer(other, made, "accept")[1]["code"] == "challenge-closed"


def test_seats_show_the_account_that_took_them_and_whether_a_program_did(
    server: Server, person: Person, stranger: Person
) -> None:
    name, _ = sign_up(person)
    made = person.create(seats=[{"kind": "device"}, {"kind": "open"}])
    seat = made["game"]["seats"][0]
    assert (seat["name"], seat["is_account"], seat["is_bot"]) == (name, True, False)
    other, _ = sign_up(stranger)
    with server.person(bot_token(stranger)) as program:
        sat = program.post(f"/api/games/{made['id']}/seats/1").json()["game"]["seats"][1]
        assert (sat["name"], sat["is_account"], sat["is_bot"]) == (other, True, True)
        seats = program.create(seats=BOTH)["game"]["seats"]
        assert [(seat["name"], seat["is_bot"]) for seat in seats] == [(other, True), (None, False)]
        challenged = _challenge(program, name)
        assert challenged["challenger"]["is_bot"]
    kept = person.create(seats=[{"kind": "device", "name": "Somebody else"}, {"kind": "device"}])
    assert [seat["name"] for seat in kept["game"]["seats"]] == ["Somebody else", name]
    with server.person() as new:
        order = {"name": f"{name} bot", "password": "correct horse battery", "is_bot": True}
        assert new.post("/api/accounts", order).status_code == 201
        assert new.get("/api/me").json()["is_bot"]
