"""Deleting an account while its games are played, and while its owner still sits down."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from terrarium.play.clocks import wall_clock
from tests.server.playing import position_of, random_turn
from tests.server.postgres import Postgres
from tests.server.running import InProcess, Person, comes
from tests.sizes import mostly_slow, size

ROUNDS = size(2, 12)
pytestmark = pytest.mark.long


def _slow(server: InProcess, seconds: float) -> None:
    """Let every commit take a moment, as on a slow disk."""
    store = server.application.services.store
    append = store.append

    async def slowly(*args: Any, **more: Any) -> Any:
        await asyncio.sleep(seconds)
        return await append(*args, **more)

    store.append = slowly  # type: ignore[method-assign]


def _sign_up(person: Person, name: str) -> None:
    body = {"name": name, "password": "correct horse"}
    assert person.post("/api/accounts", body).status_code == 201


def _play(url: str, game: dict[str, Any], secrets: list[str], over: threading.Event) -> list[str]:
    """Continue a game; after each answer, check that the game shows what was acknowledged."""
    rng = random.Random(game["id"])
    faults = []
    with Person(url) as player:
        position, seq = position_of(game["game"]), game["seq"]
        while not over.is_set() and position.outcome is None:
            mover = position.to_move
            actions, position = random_turn(position, rng)
            answer = player.turn(game["id"], seq, actions, secret=secrets[mover])
            if answer.status_code == 409 and answer.json()["code"] == "stale-turn":
                shown = player.snapshot(game["id"])
                position, seq = position_of(shown), shown["seq"]
                continue
            assert answer.status_code == 200, answer.text
            seq = answer.json()["seq"]
            shown = player.snapshot(game["id"])["seq"]
            if shown < seq:
                faults.append(f"{game['id']}: acknowledged {seq}, shown {shown}")
    return faults


@pytest.mark.slow
def test_a_game_always_shows_every_acknowledged_turn(tmp_path: Path) -> None:
    with (
        InProcess(tmp_path, wall_clock) as server,
        server.person() as owner,
        ThreadPoolExecutor(8) as pool,
    ):
        _slow(server, 0.05)
        for number in range(ROUNDS):
            _sign_up(owner, f"Owner {number}")
            seats = [{"kind": "device", "name": f"Owner {number}"}, {"kind": "link"}]
            games = [owner.create(seats=seats) for _ in range(8)]
            over = threading.Event()
            playing = [
                pool.submit(_play, server.url, game, game["secrets"], over) for game in games
            ]
            assert owner.http.delete("/api/me").status_code == 204
            for game in games:
                owner.snapshot(game["id"])
            over.set()
            assert [fault for one in playing for fault in one.result()] == []


@pytest.mark.parametrize("database", mostly_slow(["sqlite", "postgresql"], "sqlite"))
def test_sitting_down_during_deletion_leaves_neither_name_nor_ownerless_seat(
    tmp_path: Path, postgres: Postgres, database: str
) -> None:
    address = postgres.database() if database == "postgresql" else ""
    with (
        InProcess(tmp_path, wall_clock, database=address) as server,
        server.person() as host,
        server.person() as owner,
        ThreadPoolExecutor(8) as pool,
    ):
        guests: set[str] = set()
        for number in range(ROUNDS):
            name = f"Canary {number}"
            _sign_up(owner, name)
            games = [host.create(seats=[{"kind": "open"}] * 2)["id"] for _ in range(16)]
            cookies = dict(owner.http.cookies)

            def sit(
                game: str, name: str = name, cookies: dict[str, str] = cookies
            ) -> httpx.Response:
                with server.person() as same:
                    same.http.cookies.update(cookies)
                    return same.post(f"/api/games/{game}/seats/0", {"name": name})

            sitting = [pool.submit(sit, game) for game in games]
            assert owner.http.delete("/api/me").status_code == 204
            for done, game in zip(sitting, games, strict=True):
                answer = done.result()
                assert answer.status_code in (200, 401), answer.text
                if "set-cookie" in answer.headers:
                    guests.add(game)  # sat down after the deletion: a guest with the same name
        query = (
            "SELECT game_id FROM holders WHERE person LIKE 'a:%' "
            "AND substr(person, 3) NOT IN (SELECT id FROM accounts)"
        )
        rows = "SELECT game_id, data FROM events UNION ALL SELECT id, names FROM games"
        if address:
            with psycopg.connect(address) as connection:
                ownerless = connection.execute(query).fetchall()
                texts = connection.execute(rows).fetchall()
        else:
            with sqlite3.connect(tmp_path / "data" / "terrarium.db") as lite:
                ownerless, texts = lite.execute(query).fetchall(), lite.execute(rows).fetchall()
            lite.close()
        named = {row[0] for row in texts if "canary" in row[1].casefold()}
        assert named <= guests
        assert ownerless == []
        for game in set(games) - guests:
            assert host.snapshot(game)["seats"][0]["name"] is None


def test_a_guest_who_became_part_of_the_account_loses_the_seats_at_every_worker(
    tmp_path: Path, postgres: Postgres
) -> None:
    """Although its cookie stays valid, and the names were removed from the games in earlier transactions."""
    settings: dict[str, Any] = {"database": postgres.database(), "secret": "shared"}
    with (
        InProcess(tmp_path / "first", wall_clock, **settings) as first,
        InProcess(tmp_path / "second", wall_clock, **settings) as second,
        first.person() as owner,
        second.person() as guest,
    ):
        game = owner.create(seats=[{"kind": "device", "name": "Canary"}, {"kind": "device"}])["id"]
        guest.http.cookies.update(dict(owner.http.cookies))
        _sign_up(owner, "Canary")
        assert guest.snapshot(game)["you"] == [0, 1]
        assert owner.http.delete("/api/me").status_code == 204
        assert comes(lambda: guest.snapshot(game)["you"] == [])
        assert "Canary" not in guest.get(f"/api/games/{game}/record.terra").text
