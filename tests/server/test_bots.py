"""Bots as people run them: the example, and `terrarium bot` with our own engine as a program."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.postgres import Postgres
from tests.server.running import PATIENCE, PROGRAM, Person, Server
from tests.server.test_accounts import PASSWORD, sign_up
from tests.server.test_feeds import BOTH

ROOT = Path(__file__).parents[2]
TERRARIUM = [sys.executable, "-c", PROGRAM]
ENGINE = shlex.join([*TERRARIUM, "engine", "--level", "1"])


def waits_for(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False


def token_of(person: Person) -> str:
    order = {"name": "bot", "scopes": ["play", "follow"]}
    token: str = person.post("/api/me/tokens", order).json()["token"]
    return token


def turns_of(person: Person, game: str) -> int:
    answer = person.get(f"/api/games/{game}")
    return int(answer.json()["turn"]) if answer.status_code == 200 else 0


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


@pytest.mark.slow
def test_the_example_bot_plays_on_two_workers_while_the_database_and_the_server_restart(
    tmp_path: Path, postgres: Postgres
) -> None:
    flags = ("--workers", "2", "--database", postgres.database())
    with Server(tmp_path, *flags, RATE="1") as server, server.person() as person:
        sign_up(person)
        game = person.create("nova", seats=BOTH)["id"]
        command = [sys.executable, str(ROOT / "examples" / "random_bot.py")]
        command += ["--server", server.url, "--token", token_of(person)]
        with running(command) as bot:
            assert waits_for(lambda: turns_of(person, game) >= 4)
            postgres.restart()
            before = turns_of(person, game)
            assert waits_for(lambda: turns_of(person, game) >= before + 4)
            with server.person() as other:
                sign_up(other)
                name = person.get("/api/me").json()["name"]
                order = {"to": name, "game": "turrium", "seat": 1}
                made = other.post("/api/challenges", order).json()["id"]

                def accepted() -> str | None:
                    found = other.get("/api/challenges").json()["challenges"]
                    game_id: str | None = next(o["game_id"] for o in found if o["id"] == made)
                    return game_id

                assert waits_for(lambda: accepted() is not None)
                assert waits_for(lambda: turns_of(other, accepted() or "") == 1)
            server.stop()
            server.start()
            before = turns_of(person, game)
            assert waits_for(lambda: turns_of(person, game) >= before + 4)
            assert bot.poll() is None


def test_terrarium_bot_plays_accepts_and_declines_with_any_engine_program(
    server: Server, person: Person
) -> None:
    name = f"engine {os.getpid()}"
    made = subprocess.run(
        [*TERRARIUM, "token", name, "--server", server.url, "--create"],
        env=os.environ | {"TERRARIUM_PASSWORD": PASSWORD},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    assert "recovery codes" in made.stderr
    token = made.stdout.strip()
    again = subprocess.run(
        [*TERRARIUM, "token", name, "--server", server.url],
        env=os.environ | {"TERRARIUM_PASSWORD": "wrong"},
        capture_output=True,
        text=True,
    )
    assert (again.returncode, again.stdout) == (2, "")
    assert "wrong name or password" in again.stderr
    sign_up(person)
    command = [*TERRARIUM, "bot", "--engine", ENGINE, "--server", server.url, "--token", token]
    command += ["--game", "turrium", "--seconds", "0.1", "--stop-after", "1"]

    def challenged(**order: Any) -> str:
        answer = person.post("/api/challenges", {"to": name, "seat": 1} | order)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def found(id: str) -> dict[str, Any]:
        every = person.get("/api/challenges").json()["challenges"]
        return next(one for one in every if one["id"] == id)

    with running(command) as bot:
        unwanted, wanted = challenged(game="nova"), challenged(game="turrium")
        assert waits_for(lambda: found(unwanted)["status"] == "declined")
        assert waits_for(lambda: found(wanted)["status"] == "accepted")
        game = found(wanted)["game_id"]
        assert waits_for(lambda: turns_of(person, game) == 1)
        seats = person.snapshot(game)["seats"]
        assert (seats[0]["name"], seats[0]["is_bot"]) == (name, True)
        assert person.post(f"/api/games/{game}/resign", {"seat": 1}).status_code == 200
        assert bot.wait(PATIENCE) == 0
    refused = subprocess.run(
        [*command, "--token", "terrarium_wrong"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert refused.returncode == 2
    assert "this token is unknown or was revoked" in refused.stderr
