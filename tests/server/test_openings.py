"""The openings of finished games: who sees which; deleted games are not counted, and no game is missed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import delete, update

from terrarium import nova
from terrarium.server.database import schema
from terrarium.server.database.backup import backup, restore_game
from tests.server.postgres import Postgres
from tests.server.running import FakeTime, InProcess, Person, comes
from tests.server.test_admin import DEVICES, sign_up

START = nova.start().to_text()
DAY = 86_400


def finished(person: Person, first: str = "@e7", **order: Any) -> str:
    """A game in which the first seat placed a pioneer and the second seat resigned."""
    id: str = person.create(seats=DEVICES, **order)["id"]
    assert person.turn(id, person.snapshot(id)["seq"], [first]).status_code == 200
    assert person.post(f"/api/games/{id}/resign", {"seat": 1}).status_code == 200
    return id


def explored(person: Person, source: str, position: str = START) -> dict[str, Any]:
    answer = person.post("/api/openings", {"position": position, "source": source})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def turns(person: Person, source: str) -> list[tuple[list[str], int, list[float]]]:
    found = explored(person, source)
    return [(turn["actions"], turn["games"], turn["wins"]) for turn in found["turns"]]


def write(server: InProcess, job: Callable[[Any], Any]) -> None:
    services = server.application.services
    assert services._sweeper is not None
    loop = services._sweeper.get_loop()
    asyncio.run_coroutine_threadsafe(services.store.write(job), loop).result(20)


def test_listed_games_are_for_everybody_and_private_ones_for_their_players(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with (
        InProcess(tmp_path, FakeTime(), **settings) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        finished(ann, "@e7", visibility="listed")
        finished(ann, "@e7", visibility="listed")
        finished(ann, "@f8")
        seen = [(["@e7"], 2, [2.0, 0.0])]
        assert comes(lambda: explored(ann, "own")["games"] == 3)
        assert turns(ann, "own") == [*seen, (["@f8"], 1, [1.0, 0.0])]
        assert turns(ann, "server") == turns(bob, "server") == seen
        assert turns(bob, "own") == []
        # A guest who signs up keeps the games, and has them on other devices too.
        assert sign_up(ann, "Ann").status_code == 201
        assert explored(ann, "own")["games"] == 3


def test_a_running_or_aborted_game_is_not_counted(tmp_path: Path) -> None:
    with InProcess(tmp_path, FakeTime()) as server, server.person() as ann:
        running = ann.create(seats=DEVICES, visibility="listed")["id"]
        assert ann.turn(running, 1, ["@e7"]).status_code == 200
        aborted = ann.create(seats=DEVICES, visibility="listed")["id"]
        assert ann.post(f"/api/games/{aborted}/abort").status_code == 200
        finished(ann, "@f8", visibility="listed")
        assert comes(lambda: explored(ann, "server")["games"] > 0)
        assert turns(ann, "server") == turns(ann, "own") == [(["@f8"], 1, [1.0, 0.0])]


def test_deleted_games_vanish_from_the_openings(tmp_path: Path, settings: dict[str, Any]) -> None:
    now = FakeTime()
    with (
        InProcess(tmp_path, now, **settings, keep_guest_days=10) as server,
        server.person() as ann,
        server.person() as bob,
    ):
        assert sign_up(bob, "Bob").status_code == 201
        finished(ann, "@e7", visibility="listed")
        finished(bob, "@f8", visibility="listed")
        assert comes(lambda: explored(ann, "server")["games"] == 2)
        now.pass_(11 * DAY)
        assert comes(lambda: explored(ann, "server")["games"] == 1)
        assert turns(bob, "server") == [(["@f8"], 1, [1.0, 0.0])]
        assert turns(ann, "own") == []


def test_games_that_were_not_indexed_are_found_by_the_sweep(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now, **settings) as server, server.person() as ann:
        ids = [finished(ann, "@e7", visibility="listed") for _ in range(3)]
        assert comes(lambda: explored(ann, "server")["games"] == 3)

        async def forget(connection: Any) -> None:
            await connection.execute(delete(schema.opening_turns))
            await connection.execute(delete(schema.results))
            games = schema.games
            lost = update(games).where(games.c.id.in_(ids[:2])).values(is_indexed=False)
            await connection.execute(lost)

        write(server, forget)
        now.pass_(10)
        assert comes(lambda: explored(ann, "server")["games"] == 2)


def test_a_game_that_cannot_be_read_does_not_block_the_index(tmp_path: Path) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now) as server, server.person() as ann:
        ids = [finished(ann, "@e7", visibility="listed") for _ in range(3)]
        assert comes(lambda: explored(ann, "server")["games"] == 3)

        async def damage(connection: Any) -> None:
            await connection.execute(delete(schema.opening_turns))
            games, events = schema.games, schema.events
            await connection.execute(update(games).values(is_indexed=False))
            first = events.c.game_id == ids[0], events.c.seq == 2
            await connection.execute(update(events).where(*first).values(data="{}"))

        write(server, damage)
        now.pass_(10)
        assert comes(lambda: explored(ann, "server")["games"] == 2)


def test_a_restored_game_is_counted_again_and_once(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    now = FakeTime()
    server = InProcess(tmp_path, now, **settings)
    saved = tmp_path / "saved.gz"
    with server, server.person() as ann:
        id = finished(ann, "@e7", visibility="listed")
        assert comes(lambda: explored(ann, "server")["games"] == 1)
        backup(server.settings, saved)
    restore_game(server.settings, saved, id)
    with server, server.person() as bob:
        assert turns(bob, "server") == []
        now.pass_(10)
        assert comes(lambda: turns(bob, "server") == [(["@e7"], 1, [1.0, 0.0])])


def test_two_workers_count_a_game_once(tmp_path: Path, postgres: Postgres) -> None:
    database = postgres.database()
    now = FakeTime()
    with (
        InProcess(tmp_path / "one", now, database=database) as first,
        InProcess(tmp_path / "two", now, database=database) as second,
        first.person() as ann,
        second.person() as bob,
    ):
        finished(ann, "@e7", visibility="listed")
        now.pass_(10)
        assert comes(lambda: explored(bob, "server")["games"] == 1)
        now.pass_(10)
        finished(bob, "@e7", visibility="listed")
        assert comes(lambda: explored(ann, "server")["games"] == 2)
        assert explored(bob, "server")["games"] == 2


def test_an_invalid_position_is_refused(person: Person) -> None:
    answer = person.post("/api/openings", {"position": "chess", "source": "own"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-position")
    answer = person.post("/api/openings", {"position": START, "source": "elsewhere"})
    assert answer.status_code == 400
