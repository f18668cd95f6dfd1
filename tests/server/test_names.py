"""Names: no two accounts look alike, and a seat shows whether its name belongs to an account."""

from __future__ import annotations

import asyncio
import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine

from terrarium.play.clocks import wall_clock
from terrarium.server.accounts.passwords import MAX_DELAY, Guesses
from terrarium.server.api import accounts
from terrarium.server.database.migrations import upgrade
from tests.server.running import InProcess, Person, Server

_numbers = itertools.count()


def _signed_up(person: Person, name: str) -> int:
    return int(
        person.post("/api/accounts", {"name": name, "password": "correct horse"}).status_code
    )


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Anna Zorn", "Аnna Zorn"),
        ("Otto Paul", "0tto PauI"),
        ("Maria Lob", "Маriа Lоb"),
        ("Emil Bar", "EMIL BAR"),
        ("Vera Kul", "Vera\u00a0Kul"),
        ("Ines Rot", "InesRot"),
        ("Karl Mut", "𝐊𝐚𝐫𝐥 Mut"),
    ],
)
def test_a_name_that_looks_like_another_accounts_is_refused(
    server: Server, person: Person, stranger: Person, name: str, other: str
) -> None:
    assert _signed_up(person, name) == 201
    answer = stranger.post("/api/accounts", {"name": other, "password": "correct horse"})
    assert (answer.status_code, answer.json()["code"]) == (409, "name-taken")


@pytest.mark.parametrize(
    "letter", ["\ufe0f", "\U000e0100", "\u3164", "\u115f", "\uffa0", "\u034f", "\u2800", "\u180b"]
)
def test_invisible_letters_are_refused_in_every_name(person: Person, letter: str) -> None:
    name = f"Nobody{letter}"
    answer = person.post("/api/accounts", {"name": name, "password": "correct horse"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-name")
    game = person.create(seats=[{"kind": "device"}, {"kind": "open"}])["id"]
    seated = person.post(f"/api/games/{game}/seats/1", {"name": name})
    assert (seated.status_code, seated.json()["code"]) == (422, "invalid-name")


def test_names_in_other_scripts_and_with_accents_are_welcome(person: Person) -> None:
    for name in ("Zoë", "Łukasz", "Анна", "山田 花子", "Ζωή", "Ñandú", "עדנה"):
        assert person.create(seats=[{"kind": "device", "name": name}, {"kind": "open"}])


def test_a_seat_shows_whether_its_name_belongs_to_an_account(
    server: Server, person: Person, stranger: Person
) -> None:
    name = f"Vouched {next(_numbers)}"
    assert _signed_up(person, name) == 201
    seats = [{"kind": "device", "name": name}, {"kind": "open"}, {"kind": "open"}]
    game = person.create(rules={"players": 3}, seats=seats)["id"]
    assert stranger.post(f"/api/games/{game}/seats/1", {"name": name}).status_code == 200
    assert person.post(f"/api/games/{game}/seats/2", {"name": name}).status_code == 200
    assert _marks(stranger, game) == [True, False, True]
    assert person.post(f"/api/games/{game}/seats/2", {"name": "Somebody"}).status_code == 200
    assert _marks(stranger, game) == [True, False, False]
    copied = stranger.create(seats=[{"kind": "device", "name": name}, {"kind": "open"}])["id"]
    assert _marks(person, copied) == [False, False]
    assert person.http.delete("/api/me").status_code == 204
    assert _marks(stranger, game) == [False, False, False]


def _marks(person: Person, game: str) -> list[bool]:
    return [seat["is_account"] for seat in person.snapshot(game)["seats"]]


def test_password_guesses_for_a_name_are_delayed_in_any_spelling_but_never_refused() -> None:
    now = 0.0
    guesses = Guesses(lambda: now)
    for spelling in ("Anna", " anna", "ANNA", "Ａnna", "anna  "):
        assert guesses.delay(spelling) == 0
    delays = [guesses.delay("aNNa") for _ in range(100)]
    assert delays == sorted(delays)
    assert 0 < delays[0] < delays[-1] == MAX_DELAY
    assert guesses.delay("Hanna") == 0
    now = 3_600.0
    assert [guesses.delay("Anna") for _ in range(6)] == [0, 0, 0, 0, 0, delays[0]]
    guesses.right("Anna")
    assert guesses.delay("Anna") == 0


def test_passwords_that_are_guessed_at_once_wait_like_those_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the owner, who waits a moment too, is not refused."""
    delays: list[float] = []

    async def sleep(seconds: float) -> None:
        """Wait until all guesses wait, instead of some seconds."""
        delays.append(seconds)
        while len(delays) < 12:
            await asyncio.sleep(0.01)

    # The rate is far from the limits for one address, so that only the delay for the name counts.
    with InProcess(tmp_path, wall_clock, rate=1_000.0) as server, server.person() as person:
        name = f"Guessed {next(_numbers)}"
        assert _signed_up(person, name) == 201
        monkeypatch.setattr(accounts, "asyncio", SimpleNamespace(sleep=sleep))

        def attempt(password: str) -> int:
            with server.person() as somebody:
                body = {"name": name, "password": password}
                return int(somebody.post("/api/sessions", body).status_code)

        with ThreadPoolExecutor(12) as pool:
            assert set(pool.map(attempt, ["wrong horse"] * 12)) == {401}
        assert sorted(delays)[4:8] == [0, 0.25, 0.5, 1]
        assert max(delays) == MAX_DELAY
        assert attempt("correct horse") == 201
        assert attempt("correct horse") == 201
        assert delays[12:] == [MAX_DELAY, 0]


def test_accounts_that_already_look_alike_survive_the_migration() -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        upgrade(connection, "0005")
        for number, name in enumerate(("Anna", "Аnna", "Otto")):
            row = f"('{number}', '{name}', '{name}', 'hash', NULL, 0, {number}, 0)"
            connection.exec_driver_sql(f"INSERT INTO accounts VALUES {row}")
        upgrade(connection)
        found = connection.exec_driver_sql("SELECT id, skeleton FROM accounts ORDER BY id").all()
        assert [row[1] is None for row in found] == [False, True, False]
    engine.dispose()
