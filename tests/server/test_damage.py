"""Damage: one game that can't be read or replayed is set aside with a reason; everything else continues."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiosqlite
import psycopg
import pytest

from terrarium.cli import main
from terrarium.server.database import backup as saving
from terrarium.server.settings import Settings
from tests.server.postgres import Postgres
from tests.server.running import FakeTime, InProcess, Person, comes, whole_turn
from tests.sizes import mostly_slow

LISTED = {"visibility": "listed"}


class Database:
    """The database of a test, SQLite or PostgreSQL, with statements that damage it."""

    def __init__(self, folder: Path, address: str = "") -> None:
        self.folder, self.address = folder, address

    def run(self, statement: str, *values: Any) -> None:
        if self.address:
            with psycopg.connect(self.address) as connection:
                connection.execute(statement.replace("?", "%s"), values)
        else:
            with sqlite3.connect(self.folder / "data" / "terrarium.db") as lite:
                lite.execute(statement, values)
            lite.close()

    @property
    def settings(self) -> Settings:
        return Settings(data=self.folder / "data", database=self.address)

    @property
    def flags(self) -> list[str]:
        return ["--data", str(self.folder / "data")] + (
            ["--database", self.address] if self.address else []
        )


DAMAGE: dict[str, tuple[str, int]] = {
    "a flipped letter": ("UPDATE events SET data = replace(data, '2', '3') WHERE game_id = ? AND seq = 1", 1),
    "a turn that is not JSON": ("UPDATE events SET data = '{' WHERE game_id = ? AND seq = 3", 3),
    "another time": ("UPDATE events SET at = at + 1 WHERE game_id = ? AND seq = 2", 2),
    "a lost event": ("DELETE FROM events WHERE game_id = ? AND seq = 2", 2),
    "a lost end": ("DELETE FROM events WHERE game_id = ? AND seq = 5", 5),
    "another seat": ("UPDATE events SET seat = 1 - seat WHERE game_id = ? AND seq = 4", 4),
}  # fmt: skip
"""What happens to a game of five events, and the first seq that is bad then."""


def _played(person: Person, turns: int = 4, **order: Any) -> str:
    seats = [{"kind": "device", "name": "Anna"}, {"kind": "device"}]
    game: str = person.create(seats=seats, **LISTED, **order)["id"]
    for _ in range(turns):
        seq, actions = whole_turn(person, game)
        assert person.turn(game, seq, actions).status_code == 200
    return game


def _restarted(
    folder: Path, address: str, prepare: Callable[[Person], Any]
) -> tuple[Any, Database, dict[str, str]]:
    """The result of `prepare` on a server that was then stopped, its database, and the cookies of the client."""
    with InProcess(folder, FakeTime(), database=address) as server, server.person() as person:
        made = prepare(person)
        cookies = dict(person.http.cookies)
    return made, Database(folder, address), cookies


@pytest.mark.parametrize(
    "damage", mostly_slow(DAMAGE, "a turn that is not JSON", "another time", "a lost end")
)
def test_only_a_damaged_game_answers_with_an_error(
    tmp_path: Path,
    damage: str,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    statement, bad_seq = DAMAGE[damage]
    bad = _is_quarantined(tmp_path, "", statement, bad_seq, capsys)
    logged = [one.getMessage() for one in caplog.records if one.name == "terrarium.tables"]
    assert len(logged) == 1, "the log names a damaged game once"
    assert logged[0].startswith(f"game {bad} is damaged from seq {bad_seq} on")


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["a flipped letter", "a lost end"])
def test_only_a_damaged_game_answers_with_an_error_on_postgresql(
    tmp_path: Path, postgres: Postgres, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    statement, bad_seq = DAMAGE[damage]
    _is_quarantined(tmp_path, postgres.database(), statement, bad_seq, capsys)


def _is_quarantined(
    folder: Path,
    address: str,
    statement: str,
    bad_seq: int,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """Damage a game, check that it alone is unavailable, and restore it; returns its id."""
    made, database, cookies = _restarted(folder, address, lambda p: (_played(p), _played(p)))
    bad, good = made
    assert main(["check", *database.flags]) == 0
    file = folder / "club.backup"
    assert not saving.backup(database.settings, file).damaged
    database.run(statement, bad)
    assert main(["check", *database.flags]) == 1
    said = capsys.readouterr().out
    assert f"game {bad}: damaged from seq {bad_seq} on" in said
    assert good not in said
    assert list(saving.backup(database.settings, folder / "later.backup").damaged) == [bad]
    with InProcess(folder, FakeTime(), database=address) as server, server.person() as person:
        person.http.cookies.update(cookies)
        for path in ("", "/turns", "/record.terra"):
            answer = person.get(f"/api/games/{bad}{path}")
            assert (answer.status_code, answer.json()["code"]) == (409, "game-damaged"), path
            assert answer.json()["bad_seq"] == bad_seq
        turn = person.turn(bad, 5, ["@a1"])
        assert (turn.status_code, turn.json()["code"]) == (409, "game-damaged")
        for query in ({}, {"mine": "1"}):
            listed = person.get("/api/games", **query)
            assert [game["id"] for game in listed.json()["games"]] == [good]
        seq, actions = whole_turn(person, good)
        assert person.turn(good, seq, actions).status_code == 200
        assert "terrarium_games_damaged 1" in person.get("/metrics").text
        exported = person.get("/api/me/export").json()["games"]
        assert {game["id"] for game in exported} == {good, bad}
    assert main(["restore", str(file), "--game", bad, *database.flags]) == 0
    assert main(["check", *database.flags]) == 0
    with InProcess(folder, FakeTime(), database=address) as server, server.person() as person:
        person.http.cookies.update(cookies)
        restored = person.snapshot(bad)
        assert (restored["seq"], restored["you"]) == (5, [0, 1])
        assert person.snapshot(good)["seq"] == 6
        seq, actions = whole_turn(person, bad)
        assert person.turn(bad, seq, actions).status_code == 200
    found: str = bad
    return found


def test_a_damaged_game_stops_neither_clocks_nor_computers_of_others(tmp_path: Path) -> None:
    clock = {"clock": {"kind": "game", "seconds": 60, "increment": 0}}

    def prepare(person: Person) -> tuple[list[str], str]:
        computers = [{"kind": "device"}, {"kind": "computer", "level": 1}]
        damaged = [_played(person, 2, **clock), _played(person, 0, **clock)]
        damaged.append(person.create(seats=computers)["id"])
        return damaged, _played(person, 2, **clock)

    (damaged, good), database, cookies = _restarted(tmp_path, "", prepare)
    for game in damaged:
        database.run("UPDATE events SET kind = 'nonsense' WHERE game_id = ? AND seq = 1", game)
    database.run("UPDATE games SET awaits_computer = 1, deadline = 1 WHERE id <> ?", good)
    now = FakeTime()
    now.pass_(3_600)
    with InProcess(tmp_path, now, engine_seconds=0.05) as server, server.person() as person:
        person.http.cookies.update(cookies)
        assert comes(lambda: person.snapshot(good)["status"] == "over")
        assert person.snapshot(good)["outcome"]["reason"] == "timeout"
        seats = [{"kind": "computer", "level": 1}, {"kind": "device"}]
        other = person.create("turrium", seats=seats)["id"]
        assert comes(lambda: person.snapshot(other)["turn"])
        assert person.snapshot(other)["turn"] == 1


def test_flipped_bytes_in_the_file_are_always_noticed(tmp_path: Path) -> None:
    """Whatever bytes flip, a game is shown as it was or not at all."""
    import random
    import shutil

    def prepare(person: Person) -> dict[str, Any]:
        games = [_played(person, 4) for _ in range(3)]
        return {game: person.snapshot(game)["turns"] for game in games}

    before, _, _ = _restarted(tmp_path, "", prepare)
    path = tmp_path / "data" / "terrarium.db"
    shutil.copy(path, tmp_path / "good.db")
    rng = random.Random(5)
    seen = set()
    for number in range(8):
        data = bytearray((tmp_path / "good.db").read_bytes())
        places = [i for i in range(len(data)) if data[i : i + 9] == b'"actions"']
        at = rng.choice(places) + rng.randrange(10, 20)
        data[at] ^= 1 << rng.randrange(8)
        folder = tmp_path / str(number)
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "terrarium.db").write_bytes(data)
        with InProcess(folder, FakeTime()) as server, server.person() as person:
            for game, turns in before.items():
                answer = person.get(f"/api/games/{game}")
                seen.add(answer.status_code)
                if answer.status_code == 200:
                    assert answer.json()["turns"] == turns
                else:
                    assert answer.json()["code"] == "game-damaged", answer.text
        assert main(["check", "--data", str(folder / "data")]) == 1
    assert seen == {200, 409}


def test_deleting_an_account_keeps_the_chain_whole_and_restoring_brings_no_name_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(tmp_path)
    file = tmp_path / "before.backup"
    with InProcess(tmp_path, FakeTime()) as server, server.person() as person:
        body = {"name": "Canary", "password": "correct horse"}
        assert person.post("/api/accounts", body).status_code == 201
        seats = [{"kind": "device", "name": "Canary"}, {"kind": "device", "name": "Other"}]
        games = [person.create(seats=seats)["id"] for _ in range(3)]
        for game in games:
            seq, actions = whole_turn(person, game)
            assert person.turn(game, seq, actions).status_code == 200
        saving.backup(database.settings, file)
        assert person.http.delete("/api/me").status_code == 204
        assert main(["check", *database.flags]) == 0, capsys.readouterr().out
    assert main(["restore", str(file), "--game", games[0], *database.flags]) == 0
    assert main(["check", *database.flags]) == 0, capsys.readouterr().out
    with sqlite3.connect(tmp_path / "data" / "terrarium.db") as lite:
        dump = "\n".join(lite.iterdump()).casefold()
    lite.close()
    assert "canary" not in dump


def test_restoring_a_game_forgets_merged_guests_and_former_players_but_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database, clock = Database(tmp_path), FakeTime()
    file = tmp_path / "before.backup"
    with (
        InProcess(tmp_path, clock) as server,
        server.person() as person,
        server.person() as host,
        server.person() as later,
    ):
        # A guest at first: signing up merges the guest into the account.
        seats = [{"kind": "device", "name": "Canary"}, {"kind": "device", "name": "Canary too"}]
        merged = person.create(seats=seats)["id"]
        body = {"name": "Canary", "password": "correct horse"}
        assert person.post("/api/accounts", body).status_code == 201
        made = host.create(seats=[{"kind": "device", "name": "Host"}, {"kind": "link"}])
        game, path = made["id"], f"/api/games/{made['id']}"
        sat = person.post(f"{path}/seats/1", {"secret": made["secrets"][1], "name": "Canary"})
        assert sat.status_code == 200, sat.text
        seq, actions = whole_turn(host, game)
        assert host.turn(game, seq, actions).status_code == 200
        clock.pass_(7_200)
        claimed = host.post(f"{path}/claim", {"seat": 1, "to": "open"})
        assert claimed.status_code == 200, claimed.text
        assert later.post(f"{path}/seats/1", {"name": "Later"}).status_code == 200
        saving.backup(database.settings, file)
        assert person.http.delete("/api/me").status_code == 204
    for id in (merged, game):
        assert main(["restore", str(file), "--game", id, *database.flags]) == 0
    assert main(["check", *database.flags]) == 0, capsys.readouterr().out
    with sqlite3.connect(tmp_path / "data" / "terrarium.db") as lite:
        dump = "\n".join(lite.iterdump())
    lite.close()
    assert "canary" not in dump.casefold()
    assert "Host" in dump
    assert "Later" in dump


def test_a_backup_from_before_the_digests_is_restored_and_chained(tmp_path: Path) -> None:
    import gzip

    import msgspec

    _, database, _ = _restarted(tmp_path, "", _played)
    file = tmp_path / "new.backup"
    saving.backup(database.settings, file)
    lines = [msgspec.json.decode(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    lines[0][1]["schema"] = "0003"
    columns: list[str] = []
    for line in lines[1:-1]:
        if line[0] == "table":
            columns = line[2]
            kept = [i for i, name in enumerate(columns) if name not in ("digest", "head")]
            line[2] = [columns[i] for i in kept]
        else:
            line[1:] = [line[1 + i] for i in kept]
    import hashlib

    body = b"".join(msgspec.json.encode(line) + b"\n" for line in lines[:-1])
    end = ["end", lines[-1][1], hashlib.sha256(body).hexdigest()]
    old = tmp_path / "old.backup"
    old.write_bytes(gzip.compress(body + msgspec.json.encode(end) + b"\n"))
    target = Settings(data=tmp_path / "restored")
    assert saving.restore(target, old)["games"] == 1
    assert main(["check", "--data", str(tmp_path / "restored")]) == 0


@pytest.mark.parametrize("database", mostly_slow(["sqlite", "postgresql"], "sqlite"))
@pytest.mark.parametrize("is_stored", [True, False])
def test_a_commit_that_fails_says_that_its_outcome_is_unknown(
    tmp_path: Path,
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
    is_stored: bool,
) -> None:
    """The commit fails before or after it took effect: the answer never says that nothing happened."""
    address = postgres.database() if database == "postgresql" else ""
    with InProcess(tmp_path, FakeTime(), database=address) as server, server.person() as person:
        game = _played(person, 2)
        seq, actions = whole_turn(person, game)
        source = {"text": '[Game "nova"]\n\n1. @e7 *\n'}
        chapters = [{"name": "1", "source": source}]
        study = person.post("/api/studies", {"name": "S", "chapters": chapters}).json()["id"]
        broken = _break_commits(server, monkeypatch, is_stored=is_stored)
        answer = person.turn(game, seq, actions, key="k1")
        assert (answer.status_code, answer.json()["code"]) == (503, "outcome-unknown")
        assert "nothing was changed" not in answer.text
        created = person.post("/api/games", {"game": "nova"})
        assert (created.status_code, created.json()["code"]) == (503, "outcome-unknown")
        renamed = {"type": "study", "set": {"name": "New"}, "time": 1, "by": "me"}
        changes = f"/api/studies/{study}/changes", {"key": "k1", "changes": [renamed]}
        chapter = f"/api/studies/{study}/chapters", {"name": "2", "source": source, "key": "k2"}
        copy: tuple[str, Any] = f"/api/studies/{study}/copy?key=k3", {}
        new = "/api/studies", {"name": "N", "chapters": [], "key": "k4"}
        for path, body in (changes, chapter, copy, new):
            answer = person.post(path, body)
            assert (answer.status_code, answer.json()["code"]) == (503, "outcome-unknown"), path
        broken.clear()
        # Sent again with the same key, each was done once.
        assert person.post(*changes).json() == {"seq": 2}
        assert person.post(*chapter).json()["id"] == "2"
        assert person.get(f"/api/studies/{study}").json()["seq"] == 3
        for path, body in (copy, new):
            assert person.post(path, body).json()["id"] == person.post(path, body).json()["id"]
        assert len(person.get("/api/studies").json()["studies"]) == 3
        assert person.snapshot(game)["seq"] == (seq + 1 if is_stored else seq)
        again = person.turn(game, seq, actions, key="k1")
        assert (again.status_code, again.json()["seq"]) == (200, seq + 1)
        assert person.snapshot(game)["seq"] == seq + 1


def _break_commits(
    server: InProcess, monkeypatch: pytest.MonkeyPatch, *, is_stored: bool
) -> set[str]:
    """Let every commit fail, before or after it takes effect, until the returned set is empty."""
    dialect = server.application.services.store._engine.sync_engine.dialect
    lost: Exception = psycopg.OperationalError("the connection was lost")
    if dialect.name == "sqlite":
        lost = sqlite3.OperationalError("disk I/O error")
    active = {"broken"}
    commit, execute = dialect.do_commit, aiosqlite.Connection.execute

    def failing(connection: Any) -> None:
        if not active or is_stored:
            commit(connection)
        else:
            dialect.do_rollback(connection)
        if active:
            raise lost

    async def running(self: Any, sql: str, *values: Any) -> Any:
        if not active or sql != "COMMIT":
            return await execute(self, sql, *values)
        await execute(self, sql if is_stored else "ROLLBACK")
        raise lost

    monkeypatch.setattr(dialect, "do_commit", failing)
    monkeypatch.setattr(aiosqlite.Connection, "execute", running)
    return active
