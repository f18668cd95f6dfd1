"""The commands `replay`, `show`, `perft`, `bench` and `board`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terrarium import games, nova
from terrarium.core.record import Record
from tests.cli.program import Program
from tests.core.records import random_record


@pytest.fixture(params=sorted(games))
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with a random record, for each game."""
    record = random_record(request.param, 4, length=60, say=0.02)
    path = tmp_path / "game.terra"
    path.write_text(str(record), encoding="utf-8")
    return path


def test_replay_prints_every_turn_and_the_last_position(program: Program, file: Path) -> None:
    ran = program("replay", file)
    assert ran.code == 0
    for turn in Record.read(file).turns():
        for step in turn.steps:
            assert f" {step.entry.text}" in ran.out


def test_replay_prints_comments_without_control_sequences(program: Program, tmp_path: Path) -> None:
    record = Record(nova.start(), seats=("\x1b[2Ja player", ""))
    record = record.play("@e7", comment="\x1b]0;owned\x07 well", glyphs=(5, 99), clock=61_000)
    record = record.vary(0, "@e8 @e9", "or so")
    path = tmp_path / "said.terra"
    path.write_text(str(record), encoding="utf-8")
    ran = program("replay", path)
    assert "@e7!? $99 [0:01:01]" in ran.out
    assert "({or so} @e8 @e9)" in ran.out
    assert " well" in ran.out
    assert "\x1b" not in ran.out


def test_replay_prints_the_position_after_a_turn(program: Program, file: Path) -> None:
    record = Record.read(file)
    turns = list(record.turns())
    for number in (0, 3):
        ran = program("replay", file, "--to", number)
        after = [turn.position for turn in turns if turn.number <= number]
        expected = after[-1] if after else record.start
        assert ran.out.splitlines()[-1] == expected.to_text()
    ran = program("replay", file, "--to", 999)
    assert ran.code == 2
    assert f"the record has {turns[-1].number} turns" in ran.err


def test_replay_prints_the_record_as_json(program: Program, file: Path) -> None:
    ran = program("replay", file, "--json")
    assert Record.from_dict(json.loads(ran.out)) == Record.read(file)


def test_a_record_of_a_file_with_many(program: Program, tmp_path: Path) -> None:
    records = [random_record("nova", seed, length=8) for seed in range(3)]
    path = tmp_path / "many.terra"
    path.write_text("\n".join(map(str, records)), encoding="utf-8")
    ran = program("replay", path, "--record", 2, "--json")
    assert Record.from_dict(json.loads(ran.out)) == records[1]


def test_show_draws_records_positions_and_boards(program: Program, file: Path) -> None:
    position = Record.read(file).position
    by_record = program("show", file)
    by_text = program("show", position.to_text())
    assert by_record.code == by_text.code == 0
    # The picture of a record also marks the last turn, and its status line has the players' names.
    unmarked = by_record.out.replace("›", " ").replace("‹", " ")
    assert by_text.out.splitlines()[:6] == unmarked.splitlines()[:6]
    assert "terra-nova: 168 cells in 8 landscapes" in program("show", "terra-nova").out
    for name, game in games.items():
        assert program("show", name).out == program("show", game.start().to_text()).out != ""
    names = program("show", "terra-nova", "--names").out.split()
    assert set(nova.BOARDS["terra-nova"].cells) <= set(names)


def test_pictures_are_written(program: Program, file: Path, tmp_path: Path) -> None:
    svg, png, gif = (tmp_path / f"x.{kind}" for kind in ("svg", "png", "gif"))
    assert program("show", file, "--svg", svg, "--png", png, "--width", 300).code == 0
    assert svg.read_text().startswith("<svg")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert program("replay", file, "--gif", gif, "--width", 200, "--theme", "dark").code == 0
    assert gif.read_bytes().startswith(b"GIF89a")
    is_turrium = Record.read(file).game.name == "turrium"
    above = program("show", file, "--svg", svg, "--view", "above")
    assert above.code == (0 if is_turrium else 2)
    assert is_turrium or "Terra Nova is drawn in one view" in above.err
    assert program("show", file, "--svg", svg, "--view", "below").code == 2


def test_pictures_of_boards_are_written(program: Program, tmp_path: Path) -> None:
    svg = tmp_path / "x.svg"
    assert program("board", "show", "two-bays", "--svg", svg, "--theme", "dark").code == 0
    assert "<svg" in svg.read_text()


def test_without_colour_landscapes_and_seats_can_be_distinguished(program: Program) -> None:
    board = nova.Board.parse("A A A B\n C C D D")
    position = nova.compose(nova.Rules(), board, pioneers={"a2": 0, "b3": 1}, stones=["a4"])
    ran = program("show", position.to_text())
    assert "a1  a  a●Y  a  ▐██▌ a4" in ran.out
    assert "b2  c  c■R  d   d   b5" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(("game", "counts"), [("nova", [1, 168, 28056]), ("turrium", [1, 18, 306])])
def test_perft_counts(program: Program, game: str, counts: list[int]) -> None:
    ran = program("perft", game, "--depth", 2, "--json")
    assert [row["sequences"] for row in json.loads(ran.out)["perft"]] == counts
    ran = program("perft", game, "--depth", 2)
    assert f"{counts[2]:,}" in ran.out
    divided = json.loads(program("perft", game, "--depth", 2, "--divide", "--json").out)
    assert divided["sequences"] == sum(divided["divide"].values()) == counts[2]
    assert len(divided["divide"]) == counts[1]
    assert f"{counts[1]:,}" in program("perft", game, "--depth", 1, "--divide").out


def test_perft_takes_rules_boards_and_positions(program: Program) -> None:
    ran = program("perft", "nova", "-b", "two-bays", "-n", 3, "--edition", "en", "-d", 1, "--json")
    data = json.loads(ran.out)
    assert data["perft"][1]["sequences"] == 72
    again = program("perft", "nova", "--position", data["position"], "-d", 1, "--json")
    assert json.loads(again.out)["perft"][1]["sequences"] == 72


def test_bench_measures_both_games(program: Program) -> None:
    ran = program("bench", "--quick", "--seconds", 0.05)
    assert ran.code == 0
    assert ran.out.count("nova") == ran.out.count("turrium") == 3
    data = json.loads(program("bench", "turrium", "--seconds", 0.05, "--json").out)
    assert all(row["actions_per_second"] > 0 for row in data["figures"])


def test_boards_are_listed_and_shown(program: Program) -> None:
    ran = program("board", "list")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(nova.BOARDS)
    ran = program("board", "show", "two-bays")
    assert "desert" in ran.out
    text = program("board", "show", "two-bays", "--text").out
    assert nova.Board.from_toml(text) == nova.BOARDS["two-bays"]
    assert program("board").out == program("board", "--help").out


def test_a_new_board_is_made_checked_and_played_on(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    words = ["board", "new", "--seed", 5, "--cells", 40, "--landscapes", 4]
    assert program(*words, "--output", path).code == 0
    assert program(*words).out == path.read_text()
    assert "fine: 40 cells in 4 landscapes" in program("board", "check", path).out
    ran = program("play", "nova", "--board", path, "-o", "pioneers=1", typed="quit\n")
    assert ran.code == 0


def test_a_bad_board_is_reported_with_every_reason_and_place(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("A A A\n B B\n\nC ?")
    ran = program("board", "check", path)
    assert ran.code == 1
    assert f"{path}: line 4, column 3: '?'" in ran.out
    assert "only 3 landscapes" in ran.out
    assert program("board", "show", path).code == 2
    path.write_text("name = 7")
    assert program("board", "check", path.rename(tmp_path / "bad.toml")).code == 1
