"""Studies when accounts change, when they get old, and when operators act; and which sites may embed them."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from terrarium.play import study_checks
from terrarium.play.clocks import wall_clock
from terrarium.server.database import backup as saving
from terrarium.server.database import studies as rows
from terrarium.server.live import studies
from terrarium.server.operation import retention
from terrarium.server.settings import Settings
from tests.server.running import FakeTime, InProcess, Person, Server, comes
from tests.server.test_admin import Club, sign_up
from tests.server.test_live_studies import Listener
from tests.server.test_studies import NOVA, change, code, comments, editor, make, node

DAY = 86_400


def exists(person: Person, study: str) -> bool:
    return person.get(f"/api/studies/{study}").status_code == 200


def test_signing_up_keeps_the_studies_of_the_guest(tmp_path: Path) -> None:
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        study = make(ann, NOVA)["id"]
        sign_up(ann, "Ann")
        assert ann.get(f"/api/studies/{study}").json()["access"] == "owner"
        assert change(ann, study, "k", node("1", 1, comment="still mine")).status_code == 200


def test_a_deleted_account_loses_its_studies(tmp_path: Path, settings: dict[str, Any]) -> None:
    with (
        InProcess(tmp_path, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        guests = make(ann, NOVA)["id"]
        sign_up(ann, "Ann")
        hers, his = make(ann, NOVA)["id"], make(bob, NOVA)["id"]
        editor(ann, hers, bob)
        editor(bob, his, ann)
        change(ann, his, "k", node("1", 1, comment="by Ann"))
        with Listener(bob, hers) as socket, Listener(bob, his) as other:
            socket.until(type="study")
            other.until(type="study", editors=1)
            assert ann.http.delete("/api/me").status_code == 204
            socket.until(type="gone")
            other.until(type="study", editors=0)
        assert not exists(bob, hers)
        assert comments(bob, his) == {"1": "by Ann"}
        assert not exists(ann, guests)
        left = [one["id"] for one in bob.get("/api/studies").json()["studies"]]
        assert left == [his]


def test_the_export_contains_ones_studies(server: Server, person: Person, stranger: Person) -> None:
    study = make(person, NOVA, name="For me")["id"]
    change(person, study, "k", node("1", 1, comment="my thoughts"))
    editor(person, study, stranger)
    exported = person.get("/api/me/export").json()["studies"]
    assert [(one["id"], one["name"], one["access"]) for one in exported] == [
        (study, "For me", "owner")
    ]
    assert "{my thoughts}" in exported[0]["records"]
    assert stranger.get("/api/me/export").json()["studies"] == [
        {"id": study, "name": "For me", "access": "editor"}
    ]


def test_old_studies_of_guests_are_deleted_with_their_games(
    tmp_path: Path, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now, keep_guest_days=100, **settings) as server:
        club = Club(server, capsys)
        with club.person() as guest, club.person() as ann, club.person() as late:
            sign_up(ann, "Ann")
            old, hers, his = (make(who, NOVA)["id"] for who in (guest, ann, late))
            sign_up(late, "Late")  # the account gets the guest's study
            shared = make(guest, NOVA)["id"]
            editor(guest, shared, ann)
            now.pass_(60 * DAY)
            newer = make(guest, NOVA)["id"]
            days = str((wall_clock() - now.ms) // (1_000 * DAY) + 10)
            listed = club.admin("prune", "--dry-run", "--unbegun-days", "0", "--guest-days", days)
            assert listed.splitlines()[0].split()[0] == old
            assert "1 studies would be deleted" in listed
            with Listener(guest, old) as socket:
                socket.until(type="study")
                now.pass_(50 * DAY)
                socket.until(type="gone")
            assert not exists(guest, old)
            assert [exists(who, id) for who, id in ((ann, hers), (late, his))] == [True, True]
            assert exists(guest, shared)
            assert exists(guest, newer)
            assert "1 studies, by guests" in club.admin("log")


def test_many_old_studies_are_deleted_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(retention, "_BATCH", 2)
    now = FakeTime()
    with InProcess(tmp_path, now, keep_guest_days=100) as server:
        club = Club(server, capsys)
        with club.person() as guest:
            for _ in range(3):
                make(guest, NOVA)
            now.pass_(110 * DAY)
            assert comes(lambda: guest.get("/api/studies").json()["studies"] == [])
            log = club.admin("log")
            assert "2 studies, by guests" in log
            assert "1 studies, by guests" in log


def test_an_account_is_deleted_even_if_its_studies_can_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        sign_up(ann, "Ann")
        study = make(ann, NOVA)["id"]

        async def failing(_: str) -> None:
            raise OSError("the connection broke")

        monkeypatch.setattr(server.application.services.studies, "refresh", failing)
        with Listener(ann, study) as socket:
            socket.until(type="study")
            assert ann.http.delete("/api/me").status_code == 204
            assert socket.closed() == 1008
        assert ann.get("/api/me").json()["is_guest"]


def test_an_operator_can_delete_a_study(
    tmp_path: Path, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with InProcess(tmp_path, FakeTime(), **settings) as server, server.person() as ann:
        club = Club(server, capsys)
        study = make(ann, NOVA)["id"]
        with Listener(ann, study) as socket:
            socket.until(type="study")
            assert "is deleted" in club.admin("delete-study", study, "--yes")
            socket.until(type="gone")
        assert not exists(ann, study)
        assert "delete-study" in club.admin("log")


def test_nobody_can_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    monkeypatch.setattr(rows, "MAX_STUDIES", 2)
    monkeypatch.setattr(rows, "MAX_BYTES", 3_000)
    monkeypatch.setattr(rows, "MAX_EDITORS", 1)
    with (
        InProcess(tmp_path, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as bob,
        server.person() as third,
    ):
        study = make(ann, NOVA)["id"]
        long = node("1", 1, comment="x" * 2_900)
        assert code(change(ann, study, "k", long)) == (409, "study-full")
        assert change(ann, study, "k", node("1", 1, comment="short")).json() == {"seq": 2}
        editor(ann, study, bob)
        secret = ann.post(f"/api/studies/{study}/edit-link").json()["secret"]
        join = third.post(f"/api/studies/{study}/join", {"secret": secret})
        assert code(join) == (409, "too-many-editors")
        make(ann, NOVA)
        body = {"name": "Third", "chapters": []}
        assert code(ann.post("/api/studies", body)) == (409, "too-many-studies")
        monkeypatch.setattr(rows, "MAX_STUDIES", 9)
        monkeypatch.setattr(rows, "MAX_BYTES_EACH", 1_000)
        assert code(ann.post("/api/studies", body)) == (409, "too-many-studies")


def test_changes_count_towards_what_a_person_may_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    """Bytes are counted for the owner, whoever writes them, and for all guests of the owner together."""
    with (
        InProcess(tmp_path, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        first = make(ann, NOVA)["id"]
        sign_up(ann, "Ann")
        second = make(ann, NOVA)["id"]
        editor(ann, first, bob)
        monkeypatch.setattr(rows, "MAX_BYTES_EACH", 3_000)
        assert change(ann, second, "k", node("1", 1, comment="x" * 1_000)).status_code == 200
        more = node("1", 1, "bob", comment="é" * 600)
        assert code(change(bob, first, "k", more)) == (409, "too-many-studies")
        assert ann.http.delete(f"/api/studies/{second}").status_code == 204
        assert change(bob, first, "k", more).status_code == 200


def test_one_study_that_can_not_be_written_does_not_break_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chapters from older versions may have more tags than a study's record can contain."""
    monkeypatch.setattr(study_checks, "_MAX_TAGS", 999)
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        make(ann, NOVA)
        tags = "".join(f'[T{number} "x"]\n' for number in range(199))
        full = make(ann, '[Game "nova"]\n' + tags + "\n1. @e7 *\n")["id"]
        exported = ann.get("/api/me/export").json()["studies"]
        assert {one["id"] for one in exported if "error" in one} == {full}
        assert len([one for one in exported if "records" in one]) == 1


def test_large_studies_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        held = server.application.services.studies
        small, large = make(ann, NOVA)["id"], make(ann, NOVA)["id"]
        assert change(ann, large, "k", node("1", 1, comment="x" * 5_000)).status_code == 200
        monkeypatch.setattr(studies, "_CACHED_BYTES", 20_000)
        assert change(ann, small, "k", node("1", 1, comment="hi")).status_code == 200
        assert list(held._entries) == [small]
        with Listener(ann, large) as socket:
            socket.until(type="study")
            monkeypatch.setattr(studies, "_MAX_MEMORY", 45_000)
            assert comes(lambda: list(held._entries) == [large])
            assert code(ann.get(f"/api/studies/{small}")) == (429, "too-many-requests")
            assert ann.get(f"/api/studies/{large}").status_code == 200
        assert comes(lambda: not held._entries)
        assert comments(ann, small) == {"1": "hi"}


def test_only_an_embedded_study_may_be_shown_inside_other_sites(person: Person) -> None:
    def policy(path: str) -> str:
        return person.get(path).headers["content-security-policy"]

    assert "frame-ancestors *" in policy("/embed/study/someid/1")
    for path in ("/", "/study/someid/1", "/embed", "/embedded/study", "/api/studies/x"):
        assert "frame-ancestors 'none'" in policy(path)
    embedded = policy("/embed/study/someid/1").replace("frame-ancestors *", "")
    assert embedded == policy("/").replace("frame-ancestors 'none'", "")


def test_a_damaged_study_harms_no_other(tmp_path: Path) -> None:
    with InProcess(tmp_path, FakeTime(), secret="shared") as server, server.person() as ann:
        broken, other = make(ann, NOVA)["id"], make(ann, NOVA)["id"]
        cookie, path = ann.http.cookies["terrarium"], server.settings.database_path
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        where = "WHERE study_id = ? AND seq = 1"
        database.execute(f"UPDATE study_events SET data = '[{{' {where}", (broken,))
    with InProcess(tmp_path, FakeTime(), secret="shared") as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        assert code(ann.get(f"/api/studies/{broken}")) == (409, "study-damaged")
        assert change(ann, other, "k", node("1", 1, comment="fine")).status_code == 200
        assert len(ann.get("/api/studies").json()["studies"]) == 2
        exported = {one["id"]: one for one in ann.get("/api/me/export").json()["studies"]}
        assert exported[broken]["error"] == "study-damaged"
        assert "{fine}" in exported[other]["records"]
        with server.person() as other_person:
            refused = other_person.http.delete(f"/api/studies/{broken}")
            assert code(refused) == (404, "no-such-study")
        assert ann.http.delete(f"/api/studies/{broken}").status_code == 204
        assert [one["id"] for one in ann.get("/api/studies").json()["studies"]] == [other]


def test_a_backup_contains_studies(tmp_path: Path) -> None:
    with InProcess(tmp_path, FakeTime(), secret="shared") as server, server.person() as ann:
        study = make(ann, NOVA)["id"]
        change(ann, study, "k", node("1", 1, comment="saved"))
        cookie = ann.http.cookies["terrarium"]
        saving.backup(server.settings, tmp_path / "backup")
    other = tmp_path / "other"
    counts = saving.restore(Settings(data=other / "data"), tmp_path / "backup")
    assert (counts["studies"], counts["study_events"]) == (1, 2)
    with InProcess(other, FakeTime(), secret="shared") as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        assert comments(ann, study) == {"1": "saved"}
