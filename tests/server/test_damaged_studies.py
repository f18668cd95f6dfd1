"""Damage: one study whose log was changed or lost is unavailable with a reason; everything else continues, and a backup restores it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import create_async_engine

from terrarium.cli import main
from terrarium.play.clocks import wall_clock
from terrarium.server.database import backup as saving
from terrarium.server.database import schema
from terrarium.server.database.studies import chain_some
from tests.server.postgres import Postgres
from tests.server.running import FakeTime, InProcess, Person, comes
from tests.server.test_damage import Database
from tests.server.test_live_studies import Listener
from tests.server.test_studies import NOVA, change, code, comments, editor, make, node
from tests.sizes import mostly_slow

DAMAGE: dict[str, tuple[str, int]] = {
    "a flipped letter": ("UPDATE study_events SET data = replace(data, 'e', 'f') WHERE study_id = ? AND seq = 1", 1),
    "another comment": ("UPDATE study_events SET data = replace(data, 'two', 'six') WHERE study_id = ? AND seq = 2", 2),
    "not JSON": ("UPDATE study_events SET data = '[{' WHERE study_id = ? AND seq = 3", 3),
    "another time": ("UPDATE study_events SET at = at + 1 WHERE study_id = ? AND seq = 2", 2),
    "another key": ("UPDATE study_events SET key = 'other' WHERE study_id = ? AND seq = 3", 3),
    "a lost entry": ("DELETE FROM study_events WHERE study_id = ? AND seq = 2", 2),
    "a lost end": ("DELETE FROM study_events WHERE study_id = ? AND seq = 4", 4),
    "a lost end and its number": ("UPDATE studies SET seq = 3 WHERE id = ?", 5),
    "no entries": ("DELETE FROM study_events WHERE study_id = ?", 1),
}  # fmt: skip
"""What happens to a study of four entries, and the first seq that is bad then."""


def _written(person: Person) -> str:
    study: str = make(person, NOVA)["id"]
    for number, word in ((2, "two"), (3, "three"), (4, "four")):
        assert change(person, study, f"k{number}", node("1", number, comment=word)).is_success
    return study


def _comment(person: Person, study: str) -> str:
    return comments(person, study)["1"]


@pytest.mark.parametrize(
    "damage", mostly_slow(DAMAGE, "another comment", "a lost end and its number", "no entries")
)
def test_only_a_damaged_study_answers_with_an_error(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _is_quarantined(Database(tmp_path), *DAMAGE[damage], capsys)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["another comment", "a lost end"])
def test_only_a_damaged_study_answers_with_an_error_on_postgresql(
    tmp_path: Path, postgres: Postgres, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _is_quarantined(Database(tmp_path, postgres.database()), *DAMAGE[damage], capsys)


def _is_quarantined(
    database: Database, statement: str, bad_seq: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, settings = database.folder, {"database": database.address, "secret": "shared"}
    with InProcess(folder, FakeTime(), **settings) as server, server.person() as ann:
        bad, good = _written(ann), _written(ann)
        cookie = ann.http.cookies["terrarium"]
    assert main(["check", *database.flags]) == 0
    assert "2 studies checked: nothing is wrong" in capsys.readouterr().out
    file = folder / "club.backup"
    assert not saving.backup(database.settings, file).damaged_studies
    database.run(statement, bad)
    assert main(["check", *database.flags]) == 1
    said = capsys.readouterr().out
    assert f"study {bad}: damaged from seq {bad_seq} on" in said
    assert good not in said
    assert main(["backup", str(folder / "later.backup"), *database.flags]) == 1
    assert f"study {bad} is damaged: " in capsys.readouterr().err
    assert main(["restore", str(folder / "later.backup"), "--study", bad, *database.flags]) == 2
    assert "damaged there too" in capsys.readouterr().err
    with (
        InProcess(folder, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as stranger,
    ):
        ann.http.cookies["terrarium"] = cookie
        for path in ("", "/chapters/1", "/terra"):
            answer = ann.get(f"/api/studies/{bad}{path}")
            assert code(answer) == (409, "study-damaged"), path
            assert answer.json()["bad_seq"] == bad_seq
            assert code(stranger.get(f"/api/studies/{bad}{path}")) == (404, "no-such-study")
        late = node("1", 9, comment="late")
        assert code(change(ann, bad, "k9", late)) == (409, "study-damaged")
        assert code(change(stranger, bad, "k9", late)) == (404, "no-such-study")
        joining = stranger.post(f"/api/studies/{bad}/join", {"secret": "x" * 22})
        assert code(joining) == (404, "wrong-edit-link")
        assert change(ann, good, "k9", late).is_success
        assert len(ann.get("/api/studies").json()["studies"]) == 2
        assert "terrarium_studies_damaged 1" in ann.get("/metrics").text
    assert main(["restore", str(file), "--study", bad, *database.flags]) == 0
    assert main(["check", *database.flags]) == 0
    with InProcess(folder, FakeTime(), **settings) as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        assert (_comment(ann, bad), _comment(ann, good)) == ("four", "late")
        assert change(ann, bad, "k5", node("1", 5, comment="five")).json() == {"seq": 5}
        assert "terrarium_studies_damaged 0" in ann.get("/metrics").text


@pytest.mark.parametrize("is_damaged", [False, True])
def test_workers_and_watchers_see_a_restored_study(
    tmp_path: Path, postgres: Postgres, is_damaged: bool
) -> None:
    """Also if the restored log is as long as the former one."""
    database, file = Database(tmp_path, postgres.database()), tmp_path / "before.backup"
    settings: dict[str, Any] = {"database": database.address, "secret": "shared"}
    with (
        InProcess(tmp_path / "one", wall_clock, **settings) as one,
        InProcess(tmp_path / "two", wall_clock, **settings) as two,
        one.person() as ann,
        two.person() as there,
    ):
        study = _written(ann)
        there.http.cookies.update(dict(ann.http.cookies))
        saving.backup(database.settings, file)
        database.run("DELETE FROM study_events WHERE study_id = ? AND seq = 4", study)
        database.run("UPDATE studies SET seq = 3, head = (SELECT digest FROM study_events WHERE study_id = ? AND seq = 3)", study)  # fmt: skip
        assert comes(lambda: there.get(f"/api/studies/{study}").json().get("seq") == 3)
        assert change(there, study, "other", node("1", 5, comment="other")).json() == {"seq": 4}
        assert comes(lambda: _comment(ann, study) == "other")
        with Listener(there, study) as socket:
            socket.until(type="study")
            if is_damaged:
                database.run("UPDATE study_events SET at = at + 1 WHERE study_id = ?", study)
                database.run("UPDATE studies SET seq = 5 WHERE id = ?", study)
                assert comes(lambda: ann.get(f"/api/studies/{study}").status_code == 409)
                assert comes(lambda: there.get(f"/api/studies/{study}").status_code == 409)
                assert socket.closed() == 1013
            assert main(["restore", str(file), "--study", study, *database.flags]) == 0
            if not is_damaged:
                assert socket.until(type="reload")["seq"] == 4
        assert comes(lambda: [_now(person, study) for person in (ann, there)] == ["four"] * 2)
        assert change(ann, study, "k5", node("1", 6, comment="five")).json() == {"seq": 5}
        assert comes(lambda: _comment(there, study) == "five")
    assert main(["check", *database.flags]) == 0


def _now(person: Person, study: str) -> str | None:
    found = person.get(f"/api/studies/{study}").status_code == 200
    return _comment(person, study) if found else None


def test_restoring_a_study_keeps_who_may_see_it_now_and_brings_back_no_deleted_account(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, file = Database(tmp_path), tmp_path / "before.backup"
    with (
        InProcess(tmp_path, FakeTime(), secret="shared") as server,
        server.person() as ann,
        server.person() as bob,
        server.person() as eve,
    ):
        for person, name in ((ann, "ann"), (bob, "bob"), (eve, "eve")):
            body = {"name": name, "password": "long enough"}
            assert person.post("/api/accounts", body).status_code == 201
        kept, gone, lost = _written(ann), _written(bob), _written(ann)
        for study in (kept, lost):
            editor(ann, study, bob)
            assert change(bob, study, "b", node("1", 8, comment="bob")).is_success
        shared = {"visibility": "link"}
        assert ann.http.patch(f"/api/studies/{kept}", json=shared).is_success
        saving.backup(database.settings, file)
        assert ann.http.patch(f"/api/studies/{kept}", json={"visibility": "private"}).is_success
        assert ann.http.delete(f"/api/studies/{kept}/editors").is_success
        assert ann.http.delete(f"/api/studies/{lost}").is_success
        assert bob.http.delete("/api/me").status_code == 204
        cookies = [dict(person.http.cookies) for person in (ann, eve)]
    for study in (kept, lost):
        assert main(["restore", str(file), "--study", study, *database.flags]) == 0
    assert main(["restore", str(file), "--study", gone, *database.flags]) == 2
    assert "the account of its owner was deleted" in capsys.readouterr().err
    assert main(["restore", str(file), "--study", "nothing", *database.flags]) == 2
    assert main(["restore", str(file), "--study", kept, "--game", "x", *database.flags]) == 2
    assert main(["check", *database.flags]) == 0
    with InProcess(tmp_path, FakeTime(), secret="shared") as server:
        for study in (kept, lost):
            with server.person() as ann, server.person() as eve:
                ann.http.cookies.update(cookies[0])
                eve.http.cookies.update(cookies[1])
                shown = ann.get(f"/api/studies/{study}").json()
                assert (shown["seq"], shown["editors"], shown["visibility"]) == (5, 0, "private")
                assert eve.get(f"/api/studies/{study}").status_code == 404


@pytest.mark.parametrize("kind", mostly_slow(["sqlite", "postgresql"], "sqlite"))
def test_logs_of_the_release_before_get_digests_and_are_checked_then(
    tmp_path: Path, postgres: Postgres, kind: str
) -> None:
    database = Database(tmp_path, postgres.database() if kind == "postgresql" else "")
    settings: dict[str, Any] = {"database": database.address, "secret": "shared"}
    with InProcess(tmp_path, FakeTime(), **settings) as server, server.person() as ann:
        studies = [_written(ann) for _ in range(25)]
        cookie = ann.http.cookies["terrarium"]
    database.run("UPDATE studies SET head = ''")
    database.run("UPDATE study_events SET digest = ''")
    with InProcess(tmp_path, FakeTime(), **settings) as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        here = server.application.services.studies
        assert comes(lambda: here._is_chained)
        assert change(ann, studies[0], "k5", node("1", 5, comment="five")).json() == {"seq": 5}
    assert main(["check", *database.flags]) == 0
    # While both releases run, the one before adds an entry without a digest.
    database.run("UPDATE studies SET head = (SELECT digest FROM study_events WHERE study_id = id AND seq = 3)")  # fmt: skip
    database.run("UPDATE study_events SET digest = '' WHERE seq >= 4")
    assert main(["check", *database.flags]) == 0
    with InProcess(tmp_path, FakeTime(), **settings) as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        assert [_comment(ann, study) for study in studies[:2]] == ["five", "four"]
        for study in studies[:2]:
            assert change(ann, study, "k7", node("1", 7, comment="seven")).is_success
    assert main(["check", *database.flags]) == 0
    for study in studies[:3]:
        database.run("UPDATE study_events SET data = replace(data, 'four', 'nine') WHERE study_id = ? AND seq = 4", study)  # fmt: skip
    with InProcess(tmp_path, FakeTime(), **settings) as server, server.person() as ann:
        ann.http.cookies["terrarium"] = cookie
        answers = [ann.get(f"/api/studies/{study}").status_code for study in studies[:4]]
    # Nothing follows the entry of the third study that has no digest, so its change can't be found.
    assert answers == [409, 409, 200, 200]


def test_few_large_logs_get_digests_in_one_transaction() -> None:
    row = {"owner": "g:1", "visibility": "private", "seq": 1, "name": "Openings"}
    row |= {"game": "nova", "chapters": 1, "created": 0, "updated": 0}

    async def chained() -> list[int]:
        engine = create_async_engine("sqlite+aiosqlite://")
        async with engine.begin() as connection:
            await connection.run_sync(schema.metadata.create_all)
            for id, size in (("a", 60), ("b", 40), ("c", 500), ("d", 30), ("e", 30)):
                study = row | {"id": id, "bytes": size}
                await connection.execute(insert(schema.studies).values(study))
                entry = {"study_id": id, "seq": 1, "at": 0, "data": " " * size}
                await connection.execute(insert(schema.study_events).values(entry))
            counts = [await chain_some(connection, 20, 100) for _ in range(4)]
        await engine.dispose()
        return counts

    assert asyncio.run(chained()) == [2, 1, 2, 0]


def test_a_study_without_entries_does_not_keep_others_from_getting_digests() -> None:
    row = {"owner": "g:1", "visibility": "private", "seq": 1, "bytes": 2, "name": "Openings"}
    row |= {"game": "nova", "chapters": 1, "created": 0, "updated": 0}

    async def chained() -> list[int]:
        engine = create_async_engine("sqlite+aiosqlite://")
        async with engine.begin() as connection:
            await connection.run_sync(schema.metadata.create_all)
            for id in ("bare", "old"):
                await connection.execute(insert(schema.studies).values(row | {"id": id}))
            entry = {"study_id": "old", "seq": 1, "at": 0, "data": "[]"}
            await connection.execute(insert(schema.study_events).values(entry))
            counts = [await chain_some(connection, 1, 100) for _ in range(2)]
        await engine.dispose()
        return counts

    assert asyncio.run(chained()) == [1, 0]
