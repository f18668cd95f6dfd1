"""Puzzles over HTTP: solutions stay secret until a try, wrong requests are refused, and accounts keep progress."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from terrarium.core.puzzle import Puzzle
from tests.play.puzzle_data import PROGRAM, puzzles_of, wrong_turn
from tests.server.postgres import Postgres
from tests.server.running import FakeTime, InProcess, Person, Server
from tests.server.test_accounts import PASSWORD, sign_up

NOVA = puzzles_of("terrarium.nova")
DAY = 86_400_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("puzzles"), program=PROGRAM) as running:
        yield running


def solved(puzzle: str, at: int = 1000, result: str = "solved") -> dict[str, Any]:
    done = None if result == "missed" else at
    return {"game": "nova", "puzzle": puzzle, "result": result, "at": at, "solved": done}


def sent(person: Person, *attempts: dict[str, Any]) -> dict[str, Any]:
    answer = person.post("/api/me/puzzles", {"attempts": list(attempts)})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def hides_solution(text: str, puzzle: Puzzle) -> bool:
    return json.dumps(puzzle.solution) not in text and " ".join(puzzle.solution) not in text


def test_the_daily_puzzle_is_the_same_for_two_people(person: Person, stranger: Person) -> None:
    mine, theirs = person.get("/api/puzzles").json(), stranger.get("/api/puzzles").json()
    assert mine == theirs
    for game in mine["games"]:
        assert stranger.get(f"/api/puzzles/{game['game']}/daily").json() == game["daily"]


def test_the_daily_puzzle_changes_at_midnight_utc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium.core.game.read_puzzles", puzzles_of)
    now = FakeTime()
    now.ms = (now.ms // DAY + 1) * DAY - 1000
    with InProcess(tmp_path, now) as running, running.person() as person:
        before = person.get("/api/puzzles").json()
        now.pass_(2)
        after = person.get("/api/puzzles").json()
        assert [before["date"], after["date"]] == [
            datetime.fromtimestamp((now.ms - ago) / 1000, UTC).date().isoformat()
            for ago in (2000, 0)
        ]
        assert before["games"][0]["daily"]["id"] != after["games"][0]["daily"]["id"]


def test_no_answer_before_a_try_has_the_solution(person: Person) -> None:
    for id, puzzle in NOVA.items():
        shown = person.get(f"/api/puzzles/nova/{id}")
        assert shown.json()["position"] == puzzle.position
        hint = person.post(f"/api/puzzles/nova/{id}/hint")
        assert hint.json()["themes"] == list(puzzle.themes)
        for answer in (shown, hint):
            assert answer.status_code == 200
            assert hides_solution(answer.text, puzzle)
    puzzle = NOVA["n100"]
    wrong = person.post("/api/puzzles/nova/n100/try", {"actions": wrong_turn(puzzle)})
    assert wrong.status_code == 200
    assert (wrong.json()["is_right"], wrong.json()["solution"]) == (False, None)
    assert hides_solution(wrong.text, puzzle)
    right = person.post("/api/puzzles/nova/n100/try", {"actions": list(puzzle.solution)}).json()
    assert (right["is_right"], right["solution"]) == (True, list(puzzle.solution))
    gave_up = person.post("/api/puzzles/nova/n100/give-up").json()
    assert (gave_up["is_right"], gave_up["solution"]) == (False, list(puzzle.solution))


def test_the_next_puzzle_matches_the_request(person: Person) -> None:
    wanted = {"theme": "close", "solved": ["n102", "n103"], "missed": ["n105"], "rating": 1400}
    for _ in range(5):
        assert person.post("/api/puzzles/nova/next", wanted).json()["id"] == "n107"
    nothing = person.post("/api/puzzles/nova/next", {"theme": "capture"})
    assert (nothing.status_code, nothing.json()["code"]) == (404, "no-such-puzzle")


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("nova/n100/try", {}, 400, "invalid-request"),
        ("nova/n100/try", {"actions": []}, 400, "invalid-request"),
        ("nova/n100/try", {"actions": ["g9-e9"] * 41}, 400, "invalid-request"),
        ("nova/n100/try", {"actions": ["g9-e9"]}, 422, "turn-incomplete"),
        ("nova/n100/try", {"actions": ["g9-e9"], "solution": 1}, 400, "invalid-request"),
        ("nova/n100/try", {"actions": ["\x00" * 30]}, 422, None),
        ("nova/nope/try", {"actions": ["g9-e9"]}, 404, "no-such-puzzle"),
        ("nova/../try", {"actions": ["g9-e9"]}, None, None),
        ("chess/n100/try", {"actions": ["g9-e9"]}, 422, "no-such-game"),
        ("nova/t101/give-up", {}, 404, "no-such-puzzle"),
        ("chess/next", {}, 422, "no-such-game"),
        ("nova/next", {"difficulty": "impossible"}, 400, "invalid-request"),
        ("nova/next", {"solved": ["x" * 33]}, 400, "invalid-request"),
        ("nova/next", {"solved": ["x"] * 10_001}, 400, "invalid-request"),
        ("nova/next", {"rating": 1e9}, 400, "invalid-request"),
        ("nova/next", {"theme": "'; DROP TABLE attempts; --"}, 404, "no-such-puzzle"),
    ],
)
def test_wrong_requests_are_refused(
    person: Person, path: str, body: Any, status: int | None, code: str | None
) -> None:
    answer = person.post(f"/api/puzzles/{path}", body)
    assert 400 <= answer.status_code < 500, answer.text
    assert status in (None, answer.status_code), answer.text
    assert code in (None, answer.json()["code"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"result": "won"},
        {"at": -1},
        {"at": "yesterday"},
        {"at": 10**30},
        {"solved": -5},
        {"puzzle": "x" * 100},
        {"game": 7},
        {"rating": 3000},
    ],
)
def test_wrong_attempts_are_refused(person: Person, wrong: dict[str, Any]) -> None:
    sign_up(person)
    answer = person.post("/api/me/puzzles", {"attempts": [solved("n100") | wrong]})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-request")
    assert sent(person)["attempts"] == []


def test_a_guest_gets_figures_and_nothing_is_stored(person: Person) -> None:
    found = sent(person, solved("n100"), solved("unknown"))
    assert found["is_kept"] is False
    assert [one["puzzle"] for one in found["attempts"]] == ["n100"]
    assert found["games"]["nova"]["rating"] > 1500
    assert sent(person)["attempts"] == []


def test_two_accounts_have_their_own_progress_and_two_browsers_of_one_share_it(
    server: Server, person: Person, stranger: Person
) -> None:
    name, _ = sign_up(person)
    sign_up(stranger)
    assert sent(person, solved("n100"))["is_kept"] is True
    sent(stranger, solved("n101", result="missed"))
    with server.person() as second:
        second.post("/api/sessions", {"name": name, "password": PASSWORD})
        merged = sent(second, solved("n102", 2000), solved("n100", 5000, "missed"))
        assert [(one["puzzle"], one["result"]) for one in merged["attempts"]] == [
            ("n100", "solved"),
            ("n102", "solved"),
        ]
        assert sent(person) == merged
    assert [one["puzzle"] for one in sent(stranger)["attempts"]] == ["n101"]


def at_once(people: list[Person]) -> None:
    """All send at the same moment: each a separate attempt, and one that all share."""
    ids = list(NOVA)[: len(people)]
    barrier = threading.Barrier(len(people))
    failed: list[str] = []

    def send(number: int) -> None:
        barrier.wait()
        own = [solved(ids[number], 1000 + number), solved("n107", 500 - number, "missed")]
        answer = people[number].post("/api/me/puzzles", {"attempts": own})
        if answer.status_code != 200:
            failed.append(answer.text)

    threads = [threading.Thread(target=send, args=(n,)) for n in range(len(people))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    found = {one["puzzle"]: one["at"] for one in sent(people[0])["attempts"]}
    assert found == {id: 1000 + n for n, id in enumerate(ids)} | {"n107": 501 - len(people)}


@contextmanager
def same_account(*servers: Server | InProcess) -> Iterator[list[Person]]:
    """Browsers that are signed in to one account, each on one of these servers."""
    with ExitStack() as stack:
        people = [stack.enter_context(server.person()) for server in servers]
        name, _ = sign_up(people[0])
        for other in people[1:]:
            other.post("/api/sessions", {"name": name, "password": PASSWORD})
        yield people


def test_browsers_of_one_account_that_send_at_once_lose_nothing(server: Server) -> None:
    with same_account(server, server, server, server) as people:
        at_once(people)


@pytest.mark.slow
def test_the_same_on_two_servers_with_one_database(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium.core.game.read_puzzles", puzzles_of)
    options: dict[str, Any] = {"database": postgres.database(), "secret": "s" * 32}
    with (
        InProcess(tmp_path, FakeTime(), **options) as one,
        InProcess(tmp_path, FakeTime(), **options) as two,
        same_account(one, two, one, two) as people,
    ):
        at_once(people)


def test_tokens_need_a_scope(server: Server, person: Person) -> None:
    sign_up(person)
    made = {
        scope: person.post("/api/me/tokens", {"name": scope, "scopes": [scope]}).json()["token"]
        for scope in ("read", "play", "follow")
    }
    bodies: list[Any] = [{"attempts": []}, {"attempts": [solved("n100")]}]
    statuses = {}
    for scope, token in made.items():
        with server.person(token) as bot:
            statuses[scope] = [bot.post("/api/me/puzzles", body).status_code for body in bodies]
    assert statuses == {"read": [200, 403], "play": [403, 200], "follow": [403, 403]}


def test_export_has_the_attempts_and_deletion_removes_them(server: Server, person: Person) -> None:
    sign_up(person)
    sent(person, solved("n100"))
    assert person.get("/api/me/export").json()["puzzles"] == [solved("n100")]
    kept = {cookie.name: cookie.value for cookie in person.http.cookies.jar}
    assert person.http.delete("/api/me").status_code == 204
    person.http.cookies.update({name: value or "" for name, value in kept.items()})
    after = sent(person, solved("n101"))
    assert (after["is_kept"], [one["puzzle"] for one in after["attempts"]]) == (False, ["n101"])
    with sqlite3.connect(server.folder / "data" / "terrarium.db") as lite:
        query = "SELECT * FROM attempts WHERE account_id NOT IN (SELECT id FROM accounts)"
        assert lite.execute(query).fetchall() == []
    lite.close()


def test_tries_wait_in_the_queue_of_analyses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrarium.core.game.read_puzzles", puzzles_of)
    turn = {"actions": wrong_turn(NOVA["n100"])}
    with InProcess(tmp_path, FakeTime()) as running, running.person() as person:
        asking = running.application.services.analysis._asking
        asking.update({f"person {i}": f"address {i}" for i in range(64)})
        for path, body in (("try", turn), ("give-up", {})):
            refused = person.post(f"/api/puzzles/nova/n100/{path}", body)
            assert (refused.status_code, refused.json()["code"]) == (429, "too-many-requests")
        asking.clear()
        assert person.post("/api/puzzles/nova/n100/try", turn).status_code == 200
        assert asking == {}
