"""Retention and quotas: old games are deleted by rules, and nobody can fill the disk."""

from __future__ import annotations

import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert, to_builtins

from terrarium import nova
from terrarium.play.clocks import wall_clock
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, CustomBoard, SeatChoice
from terrarium.server.http.limits import LIMITS
from tests.server.postgres import Postgres
from tests.server.running import FakeTime, InProcess, Person, comes
from tests.server.test_admin import DEVICES, Club, sign_up

DAY = 86_400


def resigned(person: Person, **order: Any) -> str:
    """A game that is over."""
    id: str = person.create(seats=DEVICES, **order)["id"]
    seat = person.snapshot(id)["view"]["to_move"]
    assert person.post(f"/api/games/{id}/resign", {"seat": seat}).status_code == 200
    assert person.snapshot(id)["status"] == "over"
    return id


def exists(person: Person, id: str) -> bool:
    return person.get(f"/api/games/{id}").status_code == 200


def test_old_games_are_deleted_by_rules_after_a_dry_run(
    tmp_path: Path, settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    now = FakeTime()
    rules = {"keep_unbegun_days": 30, "keep_guest_days": 100}
    with InProcess(tmp_path, now, **settings, **rules) as server:
        club = Club(server, capsys)
        with club.person() as guest, club.person() as anna, club.person() as late:
            sign_up(anna, "Anna")
            unbegun = guest.create(seats=DEVICES)["id"]
            begun = guest.create(seats=DEVICES)["id"]
            snapshot = guest.snapshot(begun)
            action = snapshot["legal"][0]["text"]
            assert guest.turn(begun, snapshot["seq"], [action]).status_code == 200
            over, reported, aside = resigned(guest), resigned(guest), resigned(guest)
            hers = resigned(anna)
            his = resigned(late)
            sign_up(late, "Late")  # the account gets the guest's games
            club.admin("quarantine", aside, "--reason", "why")
            now.pass_(20 * DAY)
            other = guest.create(seats=DEVICES)["id"]
            # The command line uses the machine's clock, not the test's.
            days = str((wall_clock() - now.ms) // (1_000 * DAY) + 10)
            flags = ("--unbegun-days", days, "--guest-days", days)
            listed = club.admin("prune", "--dry-run", *flags)
            assert {line.split()[0] for line in listed.splitlines()[:-1]} == {
                unbegun,
                over,
                reported,
            }
            assert "3 games would be deleted" in listed.splitlines()[-1]
            assert exists(guest, unbegun)
            _report(server, reported)
            # The server applies its settings once an hour.
            now.pass_(25 * DAY)
            _wait_for_sweep(guest, unbegun)
            assert not exists(guest, unbegun)
            for id in (begun, over, reported, hers, his, other):
                assert exists(guest, id)
            assert "server  prune  games  1 never begun" in club.admin("log")
            now.pass_(60 * DAY)
            _wait_for_sweep(guest, over)
            assert not exists(guest, over)
            for id in (begun, reported, hers, his):
                assert exists(guest, id)
            club.admin("release", aside)
            assert comes(lambda: exists(guest, aside))
        if not server.settings.is_postgres:
            lite = sqlite3.connect(server.settings.database_path)
            count = "SELECT count(*) FROM events WHERE game_id NOT IN (SELECT id FROM games)"
            assert lite.execute(count).fetchone() == (0,)
            lite.close()


def _report(server: InProcess, game: str) -> None:
    """An open report, as a player at the table would make it."""
    import asyncio

    from sqlalchemy import insert

    from terrarium.server.database import schema

    row = {
        "id": "r1",
        "game_id": game,
        "seat": 0,
        "by_seat": 1,
        "reason": "other",
        "text": "",
        "created": 1,
    }
    services = server.application.services

    async def job(connection: Any) -> None:
        await connection.execute(insert(schema.reports).values(row))

    assert services._sweeper is not None
    loop = services._sweeper.get_loop()
    asyncio.run_coroutine_threadsafe(services.store.write(job), loop).result(30)


def _wait_for_sweep(person: Person, id: str) -> None:
    """Wait until a game is gone; the assertion after this says whether it is."""
    comes(lambda: person.get(f"/api/games/{id}").status_code == 404)


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_game_without_a_turn_is_kept_while_a_player_is_on_vacation(
    tmp_path: Path, settings: dict[str, Any], is_merged: bool
) -> None:
    """The vacation pauses the clock, so that it does not run; the game continues afterwards."""
    now = FakeTime()
    with (
        InProcess(tmp_path, now, **settings, keep_unbegun_days=10) as server,
        server.person() as anna,
        server.person() as ben,
    ):
        days: Any = {"clock": {"kind": "correspondence", "days": 3}}
        if not is_merged:
            sign_up(anna, "Anna")
        made = anna.create(seats=[{"kind": "device"}, {"kind": "link"}], **days)
        if is_merged:
            sign_up(anna, "Anna")
        game = made["id"]
        sat = ben.post(f"/api/games/{game}/seats/1", {"secret": made["secrets"][1]})
        assert sat.status_code == 200, sat.text
        unbegun = ben.create(seats=DEVICES)["id"]
        away = anna.http.patch("/api/me", json={"vacation": True})
        assert away.status_code < 300, away.text
        assert anna.snapshot(game)["clock"]["deadline"] is None
        now.pass_(12 * DAY)
        _wait_for_sweep(ben, unbegun)
        assert not exists(ben, unbegun)
        assert exists(anna, game)
        assert anna.http.patch("/api/me", json={"vacation": False}).status_code < 300
        snapshot = anna.snapshot(game)
        assert (snapshot["status"], snapshot["clock"]["deadline"] is None) == ("playing", False)
        action = snapshot["legal"][0]["text"]
        assert anna.turn(game, snapshot["seq"], [action]).status_code == 200


def test_nothing_that_was_finished_is_deleted_by_default(tmp_path: Path) -> None:
    now = FakeTime()
    with InProcess(tmp_path, now) as server, server.person() as guest:
        over = resigned(guest)
        unbegun = guest.create(seats=DEVICES)["id"]
        now.pass_(3_650 * DAY)
        _wait_for_sweep(guest, unbegun)
        assert not exists(guest, unbegun)
        assert exists(guest, over)


def test_a_person_has_a_quota_of_unfinished_games(tmp_path: Path) -> None:
    with (
        InProcess(tmp_path, FakeTime(), max_games_each=2) as server,
        server.person() as anna,
        server.person() as ben,
    ):
        first = anna.create(seats=DEVICES)["id"]
        anna.create(seats=DEVICES)
        refused = anna.post("/api/games", {"game": "nova", "seats": DEVICES})
        assert (refused.status_code, refused.json()["code"]) == (409, "too-many-games")
        assert "2" in refused.json()["message"]
        ben.create(seats=DEVICES)
        seat = anna.snapshot(first)["view"]["to_move"]
        anna.post(f"/api/games/{first}/resign", {"seat": seat})
        anna.create(seats=DEVICES)
        computers = [{"kind": "computer", "level": 1}, {"kind": "open"}]
        assert anna.post("/api/games", {"game": "nova", "seats": computers}).status_code == 409


def test_of_many_games_set_up_at_once_no_more_than_allowed_exist(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with (
        InProcess(tmp_path, wall_clock, **settings, max_games_each=3) as server,
        server.person() as anna,
    ):
        anna.create(seats=DEVICES)

        def tab(_: int) -> int:
            with server.person() as one:
                one.http.cookies.update(dict(anna.http.cookies))
                return one.post("/api/games", {"game": "nova", "seats": DEVICES}).status_code

        with ThreadPoolExecutor(12) as tabs:
            assert Counter(tabs.map(tab, range(24))) == {201: 2, 409: 22}


def test_an_address_has_a_quota_of_games_and_boards_in_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "games-day", (3 / DAY, 3, "new games in a day"))
    monkeypatch.setitem(LIMITS, "boards-day", (1 / DAY, 1, "new games on boards in a day"))
    rows = nova.BOARDS["two-bays"].to_text()
    order: dict[str, Any] = {"game": "nova", "seats": DEVICES}
    own = order | {"board": {"name": "mine", "map": rows}}
    with InProcess(tmp_path, FakeTime(), rate=1.0) as server:

        def status(body: dict[str, Any]) -> int:
            with server.person() as somebody:  # a new guest each time
                answer = somebody.post("/api/games", body)
                if answer.status_code == 429:
                    assert answer.json()["retry_after"] > 60
                return answer.status_code

        assert [status(own), status(own), status(order), status(order)] == [201, 429, 201, 429]


def test_a_game_that_is_continued_counts_like_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "games-day", (3 / DAY, 3, "new games in a day"))
    monkeypatch.setitem(LIMITS, "boards-day", (1 / DAY, 1, "new games on boards in a day"))
    now = FakeTime()

    def log(board: dict[str, Any] | str) -> dict[str, Any]:
        choice = convert(board, CustomBoard) if isinstance(board, dict) else board
        order = CreateGame("nova", board=choice, seats=[SeatChoice("device")] * 2)
        return {"log": to_builtins(list(new_game(order, "g:x", now.ms, is_local=True).table.log))}

    own = log({"name": "mine", "map": nova.BOARDS["two-bays"].to_text()})
    with InProcess(tmp_path, now, rate=1.0) as server:

        def status(body: dict[str, Any]) -> int:
            with server.person() as somebody:
                return somebody.post("/api/games/continue", body).status_code

        usual = log("two-bays")
        refused = {"log": own["log"] * 2}
        assert [status(refused) for _ in range(4)] == [422] * 4, "refused requests do not count"
        assert [status(own), status(own), status(usual), status(usual)] == [201, 429, 201, 429]


def test_a_quota_holds_over_all_workers_and_restarts(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "games-day", (5 / DAY, 5, "new games in a day"))
    now = FakeTime()
    settings: dict[str, Any] = {"database": postgres.database(), "secret": "shared", "rate": 1.0}

    def answers(*servers: InProcess) -> Counter[int]:
        """Create more games at once than are allowed, on all of these servers."""

        def create(number: int) -> int:
            with servers[number % len(servers)].person() as somebody:
                return somebody.post("/api/games", {"game": "nova", "seats": DEVICES}).status_code

        with ThreadPoolExecutor(8) as crowd:
            return Counter(crowd.map(create, range(16)))

    with (
        InProcess(tmp_path / "first", now, **settings) as first,
        InProcess(tmp_path / "second", now, **settings) as second,
    ):
        assert answers(first, second) == {201: 5, 429: 11}
    with InProcess(tmp_path / "third", now, **settings) as third:
        assert answers(third) == {429: 16}
        now.pass_(2 * DAY / 5 + 1)
        assert answers(third) == {201: 2, 429: 14}
        now.pass_(-30 * DAY)
        assert answers(third) == {201: 5, 429: 11}, (
            "a clock that was set back must not lock anybody out"
        )


def test_quotas_store_no_address_and_are_forgotten_when_they_are_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "games-day", (5 / DAY, 5, "new games in a day"))
    now = FakeTime()

    def rows() -> list[tuple[str]]:
        with sqlite3.connect(tmp_path / "data" / "terrarium.db") as lite:
            found = lite.execute("SELECT key FROM quotas").fetchall()
        lite.close()
        return found

    with InProcess(tmp_path, now, rate=1.0) as server, server.person() as somebody:
        somebody.create(seats=DEVICES)
        assert len(rows()) == 1
        assert "127.0.0.1" not in rows()[0][0]
        now.pass_(2 * DAY)
        assert comes(lambda: not rows())
