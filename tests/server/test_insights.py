"""Insights over HTTP: only one's own games, filters, reviews; deleted games are not counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from terrarium.server.jobs.finished import FinishedGames
from tests.server.running import FakeTime, InProcess, Person, comes
from tests.server.test_admin import DEVICES, sign_up
from tests.server.test_openings import explored, finished

DAY = 86_400
COMPUTER = [{"kind": "device"}, {"kind": "computer", "level": 2}]


def resigned(person: Person, **order: Any) -> str:
    """A game against the computer that the person resigned."""
    id: str = person.create(**{"seats": COMPUTER, "starter": "first"} | order)["id"]
    assert person.post(f"/api/games/{id}/resign", {"seat": 0}).status_code == 200
    return id


def insights(person: Person, **query: Any) -> dict[str, Any]:
    answer = person.get("/api/me/insights", **query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_everybody_sees_their_own_games_in_numbers(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    now = FakeTime()
    with (
        InProcess(tmp_path, now, **settings) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        assert insights(ann)["games"] == 0
        resigned(ann, visibility="listed")
        now.pass_(40 * DAY)
        resigned(ann, game="turrium")
        # A person who plays all seats neither wins nor loses.
        alone = ann.create(seats=DEVICES)["id"]
        assert ann.post(f"/api/games/{alone}/resign", {"seat": 0}).status_code == 200
        resigned(ann, game="turrium")
        assert comes(lambda: insights(ann)["games"] == 3)
        rows = insights(ann)["groups"]
        groups = {(one["by"], one["key"]): one for one in rows}
        assert groups["game", "turrium"]["games"] == 2
        assert groups["game", "nova"]["wins"] == 0
        opponents = [one["games"] for one in rows if (one["by"], one["key"]) == ("opponent", "2")]
        assert sum(opponents) == 3
        assert insights(ann, game="turrium")["games"] == 2
        assert insights(ann, days=30)["games"] == 2
        assert insights(ann, game="nova", days=30)["games"] == 0
        assert insights(bob)["games"] == 0
        assert sign_up(ann, "Ann").status_code == 201
        assert insights(ann)["games"] == 3


def test_a_game_that_just_ended_is_in_the_first_answer(
    tmp_path: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The worker that ended the games does not index them.
    monkeypatch.setattr(FinishedGames, "schedule", lambda *_: None)
    with (
        InProcess(tmp_path, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        resigned(ann)
        assert insights(bob)["games"] == 0
        assert insights(ann)["games"] == 1
        finished(bob)
        assert explored(ann, "own")["games"] == 0
        assert explored(bob, "own")["games"] == 1


def test_deleted_games_are_not_counted(tmp_path: Path) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now, keep_guest_days=10) as server, server.person() as ann:
        resigned(ann)
        assert comes(lambda: insights(ann)["games"] == 1)
        now.pass_(11 * DAY)
        assert comes(lambda: insights(ann)["games"] == 0)


def test_a_review_adds_its_faults(tmp_path: Path) -> None:
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        id = ann.create(seats=COMPUTER, starter="first")["id"]
        assert ann.turn(id, ann.snapshot(id)["seq"], ["@e7"]).status_code == 200
        assert ann.post(f"/api/games/{id}/resign", {"seat": 0}).status_code == 200
        assert comes(lambda: insights(ann)["games"] == 1)
        assert insights(ann)["reviewed_games"] == 0
        assert ann.post(f"/api/games/{id}/review").status_code < 300
        assert comes(lambda: insights(ann)["reviewed_games"] == 1)
        assert insights(ann)["reviewed_turns"] == 1


def test_a_wrong_filter_is_refused(person: Person) -> None:
    assert person.get("/api/me/insights", game="chess").status_code == 422
    assert person.get("/api/me/insights", days=0).status_code == 400
