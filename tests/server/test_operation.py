"""Operation: settings, migrations, backups, one worker on SQLite, a graceful stop, the OpenAPI description in the repository."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect

import terrarium
from terrarium.cli import main
from terrarium.play.clocks import wall_clock
from terrarium.play.log import LogEvent
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.server.app import Application
from terrarium.server.database import backup as saving
from terrarium.server.database import migrations
from terrarium.server.database.migrations import head, upgrade
from terrarium.server.database.schema import metadata
from terrarium.server.database.store import Store
from terrarium.server.settings import InvalidSettings, Settings
from tests.server.crashing import Load, new_games
from tests.server.postgres import Postgres
from tests.server.running import (
    PATIENCE,
    PROGRAM,
    Forked,
    InProcess,
    NewServer,
    Person,
    Server,
    environment_for,
    wait_until_ready,
    whole_turn,
)

ROOT = Path(__file__).parents[2]


def test_sqlite_refuses_several_workers_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="write-ahead log"):
        Settings(data=tmp_path, workers=2)
    assert main(["serve", "--no-open", "--data", str(tmp_path), "--workers", "3"]) == 2


def test_a_second_server_on_the_same_sqlite_database_is_refused(server: Server) -> None:
    command = [sys.executable, "-c", server.program, "serve", "--no-open", "--port", "0"]
    command += ["--data", str(server.folder / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "another Terrarium uses this database" in done.stderr


def test_the_writer_flushes_every_commit(tmp_path: Path) -> None:
    async def asked() -> dict[str, Any]:
        store = Store(Settings(data=tmp_path))
        await store.open()
        try:
            return await store.pragmas()
        finally:
            await store.close()

    pragmas = asyncio.run(asked())
    assert (pragmas["journal_mode"], pragmas["synchronous"], pragmas["foreign_keys"]) == (
        "wal",
        2,
        1,
    )


def test_settings_come_from_flags_then_environment_and_hide_secrets(server: Server) -> None:
    environment = {
        "TERRARIUM_PORT": "81",
        "TERRARIUM_HOST": "0.0.0.0",
        "TERRARIUM_SECRET": "canary",
    }
    settings = Settings.load(environment, port=82)
    assert (settings.port, settings.host, settings.secret) == (82, "0.0.0.0", "canary")
    assert "canary" not in str(settings.describe())
    assert re.search(r"database +sqlite:///", server.log)
    with pytest.raises(InvalidSettings, match="must be a number"):
        Settings.load({"TERRARIUM_PORT": "many"})


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://club:canary@db/x", "postgresql://club:***@db/x"),
        (
            "postgresql://db/x?user=club&password=canary",
            "postgresql://db/x?user=club&password=***",
        ),
        ("postgresql:///x?host=/run/postgresql", "postgresql:///x?host=/run/postgresql"),
    ],
)
def test_a_password_is_hidden_wherever_it_is_in_an_address(address: str, shown: str) -> None:
    assert Settings(database=address).describe()["database"] == shown


@pytest.mark.parametrize("name", ["rate", "claim_seconds", "cached_games", "engine_seconds"])
@pytest.mark.parametrize("value", ["-1", "nan"])
def test_a_number_that_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match="must be"):
        Settings.load({f"TERRARIUM_{name.upper()}": value})


def test_migrations_lead_from_the_first_schema_to_the_current_one(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/old.db")
    with engine.begin() as connection:
        upgrade(connection, "0001")
        connection.exec_driver_sql(
            "INSERT INTO games VALUES ('g', 'nova', 2, NULL, 'private', 'playing', 0, 1, 0, '', 0, NULL, 1, 1)"
        )
        connection.exec_driver_sql(
            "INSERT INTO accounts VALUES ('a', 'First', 'first', 'hash', 0, NULL, 7, 1)"
        )
        upgrade(connection)
        upgrade(connection)
        assert connection.exec_driver_sql("SELECT id FROM games").scalar() == "g"
        account = "SELECT name, vacation_used, vacation_year FROM accounts"
        assert tuple(connection.exec_driver_sql(account).one()) == ("First", 7, 0)
        assert (
            connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == head()
        )
    with engine.connect() as connection:
        found = inspect(connection)
        for table in metadata.sorted_tables:
            columns = {column["name"] for column in found.get_columns(table.name)}
            assert columns == {column.name for column in table.columns}, table.name
    engine.dispose()


def test_a_backup_of_a_database_that_was_not_migrated_yet_says_so(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    engine = create_engine(f"sqlite:///{settings.database_path}")
    with engine.begin() as connection:
        upgrade(connection, "0003")
    engine.dispose()
    with pytest.raises(saving.BackupError, match="start the server once to migrate it"):
        saving.backup(settings, tmp_path / "old.backup")


def test_turns_of_older_databases_are_counted_without_resignations(tmp_path: Path) -> None:
    """Older versions counted a resignation as a turn, in the lists' table and in reviews."""
    engine = create_engine(f"sqlite:///{tmp_path}/old.db")
    seats = [SeatChoice("device") for _ in range(3)]
    table = new_game(CreateGame("nova", {"players": 3}, seats=seats), "g:1", 0).table
    log = [
        *table.log,
        LogEvent(2, 1, "turn", 0, {"actions": ["@e7"], "by": "player"}),
        LogEvent(3, 2, "resigned", 1, {"by": "player"}),
    ]
    with engine.begin() as connection:
        upgrade(connection, "0003")
        connection.exec_driver_sql(
            "INSERT INTO games VALUES ('g', 'nova', 3, NULL, 'private', 'playing', 0, 3, 2, '', 0, NULL, 1, 1)"
        )
        for event in log:
            connection.exec_driver_sql(
                "INSERT INTO events (game_id, seq, at, kind, seat, key, data) VALUES ('g', ?, ?, ?, ?, NULL, ?)",
                (event.seq, event.at, event.kind, event.seat, json.dumps(event.data)),
            )
        connection.exec_driver_sql("INSERT INTO reviews VALUES ('g', 3, 'done', '[]', 1)")
        upgrade(connection)
        assert connection.exec_driver_sql("SELECT turns FROM games").scalar() == 1
        assert connection.exec_driver_sql("SELECT count(*) FROM reviews").scalar() == 0
    engine.dispose()


def test_migrations_reach_the_same_schema_on_postgresql(postgres: Postgres) -> None:
    address = "postgresql+psycopg://" + postgres.database().split("://", 1)[1]
    engine = create_engine(address)
    with engine.begin() as connection:
        upgrade(connection, "0001")
        upgrade(connection)
        found = inspect(connection)
        assert set(metadata.tables) <= set(found.get_table_names())
        assert "procrastinate_jobs" in found.get_table_names()
    engine.dispose()


def test_a_database_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/new.db")
    with engine.begin() as connection:
        upgrade(connection)
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(terrarium.TerrariumError, match="newer Terrarium"):
            upgrade(connection)
    engine.dispose()


@pytest.mark.parametrize("kind", ["garbage", "newer"])
def test_a_file_that_is_not_our_database_is_refused_in_one_line(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "terrarium.db"
    if kind == "garbage":
        path.write_text("this is no database, but long enough to be taken for one " * 10)
    else:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE alembic_version (version_num)")
            connection.execute("INSERT INTO alembic_version VALUES ('9999')")
        connection.close()
    before = path.read_bytes()
    assert main(["serve", "--no-open", "--port", "0", "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert ("not a database" if kind == "garbage" else "newer Terrarium") in said[0]
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_backup_taken_under_load_restores_into_either_database(
    tmp_path: Path, postgres: Postgres
) -> None:
    (tmp_path / "live").mkdir()
    with Forked(tmp_path / "live") as server:
        games = new_games(server, 6)
        with server.person() as person:
            person.post("/api/accounts", {"name": "First", "password": "long enough"})
        load = Load(server.url, games).start()
        assert load.wait_for(10)
        file = tmp_path / "club.backup"
        counts = saving.backup(Settings(data=server.folder / "data"), file)
        load.stop()
        assert counts["games"] == 6
        assert counts["events"] > 6
        assert (file.stat().st_mode & 0o777) == 0o600
        with server.person() as person:
            before = {game["id"]: person.snapshot(game["id"]) for game in games}
    for name, database in (("lite", ""), ("post", postgres.database())):
        target = Settings(data=tmp_path / name, database=database)
        assert saving.restore(target, file) == counts
        (tmp_path / name / "home").mkdir()
        shutil.move(tmp_path / name / "secret.key", tmp_path / name / "home")
        for old in (tmp_path / name).glob("terrarium.db*"):
            shutil.move(old, tmp_path / name / "home")
        (tmp_path / name / "home").rename(tmp_path / name / "data")
        with Forked(tmp_path / name, database) as again, again.person() as person:
            for game in games:
                restored = person.snapshot(game["id"])
                turns = before[game["id"]]["turns"][: restored["turn"]]
                assert restored["turns"] == turns
            person.http.cookies.update(games[0]["cookies"])
            assert person.snapshot(games[0]["id"])["you"] == [0, 1]
            signed = person.post("/api/sessions", {"name": "first", "password": "long enough"})
            assert signed.status_code == 201
        with pytest.raises(saving.BackupError, match="empty"):
            saving.restore(target if database else Settings(data=tmp_path / name / "data"), file)


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    import gzip

    database = Settings(data=tmp_path / "a")
    asyncio.run(_made(database))
    file = tmp_path / "x.backup"
    saving.backup(database, file)
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    for bad in (lines[:-1], [lines[0].replace(b"0.", b"1."), *lines[1:]], [b"x"], []):
        broken = tmp_path / "broken.backup"
        broken.write_bytes(gzip.compress(b"".join(bad)))
        with pytest.raises(saving.BackupError):
            saving.verify(broken)
    (tmp_path / "text.backup").write_text("hello")
    with pytest.raises(saving.BackupError):
        saving.verify(tmp_path / "text.backup")


async def _made(settings: Settings) -> None:
    store = Store(settings)
    await store.open()
    await store.close()


def test_backup_and_restore_are_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(_made(Settings(data=tmp_path / "a")))
    file = str(tmp_path / "x.backup")
    assert main(["backup", file, "--data", str(tmp_path / "a")]) == 0
    assert main(["restore", file, "--data", str(tmp_path / "b")]) == 0
    assert "0 games" in capsys.readouterr().out
    assert main(["backup", file, "--data", str(tmp_path / "nothing")]) == 2


def test_a_graceful_stop_answers_pending_requests(tmp_path: Path) -> None:
    with NewServer(tmp_path) as server:
        games = new_games(server, 4)  # type: ignore[arg-type]
        load = Load(server.url, games).start()
        assert load.wait_for(10)
        server.stop()
        load.stop()
        assert server.process is not None
        assert server.process.returncode == 0
    path = tmp_path / "data" / "terrarium.db"
    assert not path.with_name("terrarium.db-wal").exists(), (
        "the write-ahead log was not merged into the database"
    )
    database = sqlite3.connect(path)
    for game, turns in load.acknowledged.items():
        for seq, _, actions in turns:
            query = "SELECT data FROM events WHERE game_id = ? AND seq = ?"
            row = database.execute(query, (game, seq)).fetchone()
            assert json.loads(row[0])["actions"] == actions
    database.close()
    assert load.count >= 10


def test_a_stop_does_not_wait_for_streams(tmp_path: Path) -> None:
    """Without an explicit end they would be cut off after `stop_seconds`, with an error in the log."""
    with Server(tmp_path, STOP_SECONDS="600") as server, server.person() as person:
        person.post("/api/accounts", {"name": "First", "password": "long enough"})
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        begun = threading.Barrier(3, timeout=PATIENCE)
        ended: list[int] = []

        def follow(path: str) -> None:
            with person.http.stream("GET", path) as stream:
                lines = stream.iter_lines()
                next(lines)
                begun.wait()
                ended.append(1 + sum(1 for _ in lines))

        paths = (f"/api/games/{game}/stream", "/api/stream/events")
        followers = [threading.Thread(target=follow, args=(path,)) for path in paths]
        for follower in followers:
            follower.start()
        begun.wait()
        server.stop()
        for follower in followers:
            follower.join(PATIENCE)
        assert len(ended) == 2
        assert min(ended) >= 1
    assert "Traceback" not in server.log


def test_a_stream_that_begins_during_a_stop_ends_automatically(tmp_path: Path) -> None:
    with InProcess(tmp_path, wall_clock) as server, server.person() as person:
        game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
        server.application.services.end_streams()
        for path in (f"/api/games/{game}/stream", "/api/stream/events"):
            lines = person.get(path).text.splitlines()
            assert json.loads(lines[-1])["type"] == "ready"


def test_metrics_are_available_for_prometheus(person: Person) -> None:
    game = person.create(seats=[{"kind": "device"}, {"kind": "device"}])["id"]
    seq, actions = whole_turn(person, game)
    person.turn(game, seq, actions)
    text = person.get("/metrics").text
    for line in text.splitlines():
        assert line.startswith("#") or re.fullmatch(r"terrarium_\w+(\{[^}]*\})? [0-9.e+-]+", line)
    assert re.search(r"^terrarium_turns_total [1-9]", text, re.M)
    assert "terrarium_request_seconds_bucket" in text


def test_logs_may_be_json(tmp_path: Path) -> None:
    with NewServer(tmp_path, LOG_FORMAT="json") as server:
        server.stop()
    entries = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    assert {entry["message"] for entry in entries} >= {
        "ready",
        "stopped; everything acknowledged is stored",
    }


def test_the_description_in_the_repository_is_current(tmp_path: Path) -> None:
    """`python -m terrarium.server.operation.openapi > docs/openapi.json` writes it again."""
    from terrarium.server.operation.openapi import description

    assert json.loads((ROOT / "docs" / "openapi.json").read_text()) == json.loads(description())


def test_the_description_names_every_promised_address() -> None:
    from terrarium.server.operation.openapi import description

    paths = json.loads(description())["paths"]
    for method, path in (
        ("post", "/api/games"),
        ("get", "/api/games/{game_id}"),
        ("post", "/api/games/{game_id}/seats/{seat}"),
        ("post", "/api/games/{game_id}/try"),
        ("post", "/api/games/{game_id}/turns"),
        ("get", "/api/games/{game_id}/stream"),
        ("get", "/api/health"),
    ):
        assert method in paths[path]


def test_an_application_is_built_without_a_database(tmp_path: Path) -> None:
    """Files and sockets are opened only when the application starts."""
    Application(Settings(data=tmp_path, secret="x"))
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_can_read_a_new_data_folder(tmp_path: Path) -> None:
    """It contains the signing key and the hashes of passwords."""
    asyncio.run(_made(Settings(data=tmp_path / "store")))
    Settings(data=tmp_path / "key").with_secret()
    for name in ("store", "key"):
        assert ((tmp_path / name).stat().st_mode & 0o777) == 0o700


def test_migrations_form_one_chain_in_the_order_of_their_numbers() -> None:
    from alembic.script import ScriptDirectory

    folder = Path(migrations.__file__).parent
    script = ScriptDirectory(str(folder))
    assert script.get_heads() == [head()]
    line = [(found.revision, found.down_revision) for found in script.walk_revisions()][::-1]
    numbers = [number for number, _ in line]
    assert numbers == [f"{number:04}" for number in range(1, len(line) + 1)]
    assert [before for _, before in line] == [None, *numbers[:-1]]


def test_a_variable_that_is_not_a_setting_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidSettings, match=r"TERRARIUM_MAX_SOKETS.*mean TERRARIUM_MAX_SOCKETS"):
        Settings.load({"TERRARIUM_MAX_SOKETS": "5"})
    Settings.load({"TERRARIUM_LONG": "1", "TERRARIUM_NATIVE": "1", "TERRARIUMS": "1", "PORT": "x"})
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-open", "--port", "0"]
    environment = environment_for({"SIGNUP": "closed"})
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "TERRARIUM_SIGNUP: there is no such setting" in line


def test_our_variables_that_are_not_settings_are_accepted() -> None:
    """Variables of the build, the tests and other commands may be set while a server starts."""
    files = [ROOT / "Makefile", ROOT / "setup.py"]
    for folder in ("src", "tests", "bench", "examples"):
        files += (ROOT / folder).rglob("*.py")
    read = {
        name
        for path in files
        for line in path.read_text().splitlines()
        if "environ" in line or "envvar" in line or path.name == "Makefile"
        for name in re.findall(r"TERRARIUM_[A-Z_]+[A-Z]", line)
    }
    assert {"TERRARIUM_LONG", "TERRARIUM_NATIVE"} <= read
    Settings.load(dict.fromkeys(read - {"TERRARIUM_PORT"}, "1"))


def test_programs_read_the_address_and_settings_from_one_line_of_json(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-open", "--port", "0"]
    command += ["--banner", "json", "--data", str(tmp_path)]
    environment = environment_for({"SECRET": "canary"})
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        facts = json.loads(process.stdout.readline())
        try:
            wait_until_ready(facts["url"], lambda: "")
        finally:
            process.terminate()
    assert facts["pid"] == process.pid
    assert facts["settings"]["data"] == str(tmp_path)
    assert "canary" not in json.dumps(facts)
    assert facts["version"]
