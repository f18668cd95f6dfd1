"""Readers report a study to the operators, who see the report in the page and on the command line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from terrarium.server.api import accounts
from terrarium.server.api.reports import reporter
from tests.server.running import FakeTime, InProcess, Person, comes
from tests.server.test_admin import Club, club, sign_up
from tests.server.test_operators import act
from tests.server.test_studies import NOVA, code, editor, make

__all__ = ["club"]


def _shared(owner: Person, name: str = "Openings") -> str:
    study: str = make(owner, NOVA, name=name)["id"]
    shared = owner.http.patch(f"/api/studies/{study}", json={"visibility": "link"})
    assert shared.status_code == 200, shared.text
    return study


def _report(person: Person, study: str, reason: str = "content", text: str = "rude") -> object:
    answer = person.post(f"/api/studies/{study}/reports", {"reason": reason, "text": text})
    return (answer.status_code, answer.json().get("code"))


def test_a_reader_reports_a_study_and_operators_see_it_and_delete_it(club: Club) -> None:
    with club.person() as ann, club.person() as ben, club.person() as eve:
        sign_up(ann, "Ann")
        sign_up(ben, "Ben")
        club.admin("operator", "Ann")
        study = _shared(ben, "Insults")
        assert _report(eve, study, text="rude\x1b[2J") == (201, None)
        assert _report(eve, study, "name") == (409, "study-already-reported")
        (found,) = ann.get("/api/operator/reports").json()
        assert (found["name"], found["reason"], found["text"]) == ("Ben", "content", "rude\x1b[2J")
        assert (found["study_id"], found["study"]) == (study, "Insults")
        assert (found["game_id"], found["seat"], found["by_seat"]) == (None, None, None)
        assert ann.get("/api/operator/stats").json()["reports open"] == 1
        listed = club.admin("reports")
        assert f"study {study}" in listed
        assert "Ben" in listed
        assert "\x1b" not in listed
        # Whoever reported is not stored as such, not even for operators.
        exported = eve.get("/api/me/export").json()["reports"]
        assert [(one["study"], one["reason"]) for one in exported] == [(study, "content")]
        assert ben.get("/api/me/export").json()["reports"] == []
        assert act(ann, "close-report", found["id"]) == (200, "")
        assert ann.get("/api/operator/reports").json() == []
        (closed,) = ann.get("/api/operator/reports", all="1").json()
        assert closed["is_closed"]
        assert act(ann, "delete-study", study) == (200, "")
        assert act(ann, "delete-study", study) == (404, "no-such-study")
        assert ben.get(f"/api/studies/{study}").status_code == 404
        assert ann.get("/api/operator/reports", all="1").json() == []
        assert "delete-study" in club.admin("log")


def test_only_somebody_who_can_read_a_study_and_does_not_own_it_can_report_it(club: Club) -> None:
    with club.person() as ann, club.person() as ben, club.person() as eve:
        study = make(ann, NOVA)["id"]
        assert _report(ann, study) == (422, "not-reportable")
        assert _report(eve, study) == (404, "no-such-study")
        assert _report(eve, "nothing") == (404, "no-such-study")
        editor(ann, study, ben)
        assert _report(ben, study, "stalling")[0] == 400  # type: ignore[index]
        assert _report(ben, study, text="x" * 501)[0] == 400  # type: ignore[index]
        assert _report(ben, study) == (201, None)
        # A guest who signs up stays the same person.
        sign_up(ben, "Ben")
        assert _report(ben, study) == (409, "study-already-reported")
        token = ben.post("/api/me/tokens", {"name": "b", "scopes": ["read"]}).json()["token"]
        with club.person() as bot:
            bot.http.headers["Authorization"] = f"Bearer {token}"
            refused = bot.post(f"/api/studies/{study}/reports", {"reason": "other"})
            assert refused.status_code == 403, refused.text


def test_players_and_studies_are_in_one_list_the_newest_first(club: Club) -> None:
    with club.person() as ann, club.person() as ben:
        sign_up(ann, "Ann")
        sign_up(ben, "Ben")
        club.admin("operator", "Ann")
        studies = [_shared(ben) for _ in range(2)]
        assert _report(ann, studies[0]) == (201, None)
        game = ben.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
        ann.post(f"/api/games/{game}/seats/1")
        report = {"seat": 0, "reason": "messages", "text": "rude"}
        assert ann.post(f"/api/games/{game}/reports", report).status_code == 201
        assert _report(ann, studies[1]) == (201, None)
        rows = ann.get("/api/operator/reports").json()
        assert [row["study_id"] or row["game_id"] for row in rows] == [studies[1], game, studies[0]]
        lines = club.admin("reports").splitlines()
        assert [studies[1] in lines[0], game in lines[1], studies[0] in lines[2]] == [True] * 3
        assert code(ann.post(f"/api/studies/{studies[0]}/reports", {"reason": "other"}))[0] == 409
        # With the account go its studies and the reports about them.
        assert ben.http.delete("/api/me").status_code == 204
        assert ann.get("/api/operator/reports", all="1").json() == []


def test_many_reports_of_one_study_hide_no_others(club: Club) -> None:
    with club.person() as ann, club.person() as ben, club.person() as eve:
        sign_up(ann, "Ann")
        club.admin("operator", "Ann")
        other, flooded = _shared(ben, "Other"), _shared(ben, "Flooded")
        assert _report(eve, other) == (201, None)
        answers = []
        for _ in range(21):
            eve.http.cookies.clear()  # so that each report is from a new guest
            answers.append(_report(eve, flooded))
        assert answers == [(201, None)] * 20 + [(409, "study-reported-often")]
        listed = ann.get("/api/operator/reports").json()
        assert [row["study"] for row in listed] == ["Flooded"] * 3 + ["Other"]
        assert len(club.admin("reports").splitlines()) == 4
        assert ann.get("/api/operator/stats").json()["reports open"] == 21
        assert len(ann.get("/api/operator/reports", all="1").json()) == 21
        # A report that is closed makes room for another one, here and in the list.
        assert act(ann, "close-report", listed[0]["id"]) == (200, "")
        shown = [row["id"] for row in ann.get("/api/operator/reports").json()]
        assert (len(shown), listed[0]["id"] in shown) == (4, False)
        assert _report(eve, flooded) == (201, None)


def test_an_export_compares_the_reports_of_studies_outside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops: list[object] = []

    def compared(study: str, person: str) -> str:
        loops.append(asyncio._get_running_loop())
        return reporter(study, person)

    monkeypatch.setattr(accounts, "reporter", compared)
    monkeypatch.setattr(accounts, "_COMPARED", 3, raising=False)
    with (
        InProcess(tmp_path, FakeTime()) as server,
        server.person() as ann,
        server.person() as ben,
        server.person() as eve,
    ):
        studies = [_shared(ann, name) for name in ("One", "Two", "Three", "Four")]
        for study in studies:
            assert _report(ben, study) == (201, None)
        for study in studies[1:]:
            assert _report(eve, study) == (201, None)
        exported = ben.get("/api/me/export").json()["reports"]
        assert sorted(one["study"] for one in exported) == sorted(studies)
        assert {one["text"] for one in exported} == {"rude"}
        assert loops == [None] * 7, "each report is compared once, in a thread without a loop"
        exported = eve.get("/api/me/export").json()["reports"]
        assert sorted(one["study"] for one in exported) == sorted(studies[1:])


def test_retention_keeps_a_study_with_an_open_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = FakeTime()
    with (
        InProcess(tmp_path, now, keep_guest_days=30) as server,
        server.person() as ann,
        server.person() as eve,
    ):
        reported, other = _shared(ann), _shared(ann)
        assert _report(eve, reported) == (201, None)
        now.pass_(40 * 86_400)
        assert comes(lambda: ann.get(f"/api/studies/{other}").status_code == 404)
        assert ann.get(f"/api/studies/{reported}").status_code == 200
        club = Club(server, capsys)
        club.admin("close-report", club.admin("reports").split()[0])
        now.pass_(7_200)
        assert comes(lambda: ann.get(f"/api/studies/{reported}").status_code == 404)
