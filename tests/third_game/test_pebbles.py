"""A game that no other file names works everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.server.running import Server

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


def run(*words: object, given: str = "") -> str:
    """The output of a Python program that must succeed, with the folder of the game on its path."""
    found = subprocess.run(
        [sys.executable, *map(str, words)],
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(FOLDER), "NO_COLOR": "1", "COLUMNS": "100"},
    )
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-3000:]
    return found.stdout


def terrarium(*words: object, given: str = "") -> str:
    code = "import sys; from terrarium.cli import main; sys.exit(main())"
    return run("-c", code, *words, given=given)


def test_it_passes_the_conformance_suite() -> None:
    output = run("-m", "pytest", "-q", "-k", "pebbles", "tests/core/test_conformance.py")
    assert " passed" in output
    assert int(output.split(" passed")[0].split()[-1]) > 50


def test_an_unknown_game_is_still_unknown() -> None:
    assert (
        run(
            "-c",
            "import terrarium; print('pebbles' in terrarium.games, 'chess' in terrarium.games)",
        )
        == "True False\n"
    )


def test_it_is_played_shown_replayed_and_counted_in_the_terminal(tmp_path: Path) -> None:
    record = tmp_path / "game.terra"
    seats = ("--seat", "human", "--seat", "mcts", "--seed", 1)
    typed = "list\ndetails\nhelp\nhint\n@c1\n" + "1\nlist\n" * 8
    output = terrarium("play", "pebbles", *seats, "--save", record, given=typed)
    assert "@c1" in output
    terrarium("play", "pebbles", "--seat", "random", "--seat", "mcts", "--save", record)
    assert '[Game "pebbles"]' in record.read_text()
    assert "The game is over (full)" in terrarium("show", record)
    assert "The game is over (full)" in terrarium("replay", record)
    assert '"game": "pebbles"' in terrarium("replay", record, "--json")
    assert "pebbles 3 ......... 0 -" in terrarium("perft", "pebbles", "-n", 3, "--json")
    assert "9" in terrarium("perft", "pebbles", "--depth", 2)
    svg = tmp_path / "position.svg"
    terrarium("show", "pebbles 2 0...1.... 0 -", "--svg", svg)
    assert svg.read_text().count("<circle") == 9


def test_its_records_round_trip() -> None:
    code = (
        "from terrarium import Record, games;"
        "record = Record(games['pebbles'].start(players=3)).play('@a1 @c1 @e1').resign(2).play('@g1 @i1');"
        "assert Record.parse(str(record)) == record == Record.from_dict(record.to_dict());"
        "print(record.outcome)"
    )
    assert run("-c", code) == "Outcome(winners=(0, 1), reason='full', scores=(2, 2, 1))\n"


@pytest.mark.parametrize(("first", "jobs"), [("mcts", 1), ("novice", 2)])
def test_players_meet_in_the_arena_even_in_other_processes(first: str, jobs: int) -> None:
    words = ("--first", first, "--second", "random", "--games", 4, "--nodes", 50, "--jobs", jobs)
    output = terrarium("arena", "match", "--game", "pebbles", *words, "--json")
    assert '"games": 4' in output


def test_the_engine_says_that_it_has_no_level_for_it() -> None:
    code = (
        "from terrarium import games; from terrarium.engine import Engine\n"
        "try: Engine().choose(games['pebbles'].start())\n"
        "except ValueError as error: print(error.code)"
    )
    assert run("-c", code) == "no-such-level\n"


def test_it_is_played_to_its_end_on_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))
    seats = [{"kind": "device", "name": name} for name in ("first", "second", "third")]
    order = {"rules": {"players": 3}, "seats": seats, "visibility": "listed"}
    with Server(tmp_path) as server, server.person() as person:
        facts = person.get("/api/meta").json()["games"]["pebbles"]
        assert (facts["title"], facts["players"], facts["layout"]) == ("Pebbles", [2, 3], "cells")
        computer = [{"kind": "computer"}, {"kind": "device"}]
        refused = person.post("/api/games", {"game": "pebbles", "seats": computer})
        assert (refused.status_code, refused.json()["code"]) == (422, "seat-level")
        game = person.create("pebbles", **order)["game"]["id"]
        snapshot = person.snapshot(game)
        assert [seat["colour"] for seat in snapshot["seats"]] == ["red", "blue", "green"]
        assert len(snapshot["view"]["cells"]) == 9
        tried = person.post(f"/api/games/{game}/try", {"seq": snapshot["seq"], "actions": ["@a1"]})
        assert tried.json()["turn_complete"]
        for address in ("hint", "review"):
            body = {"seat": 0} if address == "hint" else {}
            refused = person.post(f"/api/games/{game}/{address}", body)
            assert refused.json()["code"] in ("no-evaluation", "game-not-over")
        while snapshot["legal"]:
            action = snapshot["legal"][0]["text"]
            assert person.turn(game, snapshot["seq"], [action]).status_code == 200
            snapshot = person.snapshot(game)
        assert snapshot["outcome"]["reason"] == "full"
        assert person.post(f"/api/games/{game}/review").json()["code"] == "no-evaluation"
        record = person.get(f"/api/games/{game}/record.terra").text
        assert '[Game "pebbles"]' in record
        read = person.post("/api/records/read", {"text": record})
        assert read.status_code == 200, read.text
        assert read.json()["outcome"] == snapshot["outcome"]
        assert person.get(f"/api/games/{game}/picture.svg").text.count("<circle") == 9
        assert person.get(f"/api/games/{game}/picture.png").content.startswith(b"\x89PNG")
        listed = person.get("/api/games", game="pebbles").json()["games"]
        assert [found["id"] for found in listed] == [game]
    with Server(tmp_path) as server, server.person() as person:
        assert person.snapshot(game)["position"] == snapshot["position"]
