"""`terrarium arena` and `terrarium engine` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terrarium.core.record import read_records
from tests.cli.conftest import program as program
from tests.cli.program import Program

QUICK = ("--option", "pioneers=3", "--option", "stones=8", "--option", "stall_rounds=2")


def test_a_match_prints_one_json_object_and_nothing_else(program: Program, tmp_path: Path) -> None:
    records = tmp_path / "games.terra"
    ran = program(
        *("arena", "match", "--game", "nova", "--players", 2, "--first", "level:2"),
        *("--second", "mcts", "--games", 4, "--time", 0.01, "--json", "--jobs", 2),
        *("--records", records, "--seed", 3, "--edition", "en", "--board", "crescent", *QUICK),
    )
    assert ran.code == 0, ran.err
    assert ran.err == ""
    found = json.loads(ran.out)
    assert ran.out.count("\n") == 1
    assert found["games"] == 4
    assert 0 <= found["low"] <= found["score"] <= found["high"] <= 1
    assert found["rules"]["edition"] == "en"
    assert found["board"] == "crescent"
    with records.open() as file:
        assert len(list(read_records(file))) == 4


def test_a_match_in_text_form_shows_how_often_each_player_won(program: Program) -> None:
    words = ("--first", "greedy", "--second", "random", "--games", 2, "--nodes", 20, "--jobs", 1)
    ran = program("arena", "match", "--game", "nova", *words, *QUICK)
    assert ran.code == 0, ran.err
    assert "greedy against random" in ran.out
    assert "95 %" in ran.out


def test_the_ladder_gives_a_result_for_each_rung(program: Program) -> None:
    words = ("--from", 1, "--to", 3, "--games", 2, "--nodes", 30, "--json", "--jobs", 1)
    ran = program("arena", "ladder", "--game", "nova", *words, *QUICK)
    assert ran.code == 0, ran.err
    rungs = json.loads(ran.out)["rungs"]
    assert [(rung["first"], rung["second"]) for rung in rungs] == [
        ("level:2", "level:1"),
        ("level:3", "level:2"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("match", "--game", "chess", "--first", "random", "--second", "random"), "'chess'"),
        (("match", "--game", "nova", "--first", "level:9", "--second", "random"), "1 to 8"),
        (("match", "--game", "nova", "--first", "random", "--second", "cmd:/nix"), "/nix"),
        (("match", "--game", "nova", "--first", "random"), "--second"),
        (("match", "--game", "nova", "--first", "random", "--second", "random", "--time", 0), "0"),
        (
            ("match", "--game", "nova", "--first", "random", "--second", "random", "--nodes", -1),
            "-1",
        ),
        (
            ("match", "--game", "nova", "--first", "random", "--second", "random", "--jobs", 0),
            "jobs=0",
        ),
        (
            ("match", "--game", "nova", "--first", "random", "--second", "random", "--players", 5),
            "5",
        ),
        (
            ("match", "--game", "nova", "--first", "random", "--second", "random", "-o", "x=1"),
            "'x'",
        ),
        (("ladder", "--game", "nova", "--from", 3, "--to", 2), "levels run from 1 to 8"),
        (("train", "chess"), "'chess'"),
        (("train", "nova", "--games", 0), "at least 1"),
        (("fly",), "'fly'"),
    ],
)
def test_an_impossible_request_is_refused_in_one_line(
    program: Program, words: tuple[object, ...], message: str
) -> None:
    ran = program("arena", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert message in ran.err


def test_the_engine_answers_on_standard_output(program: Program) -> None:
    ran = program("engine", "--level", 1, typed="uci\nposition start turrium\nisready\nquit\n")
    assert ran.code == 0
    assert ran.out.splitlines()[-2:] == ["uciok", "readyok"]
    assert program("engine", "--level", 9).code == 2
