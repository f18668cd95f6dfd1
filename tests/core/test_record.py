"""Records of both games: their contents, and that they round-trip through texts and dictionaries."""

from __future__ import annotations

import datetime
import io
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import terrarium
from terrarium import Record, games, nova, read_records, turrium
from terrarium.core.record import Ending, Entry, Evaluation, Line
from terrarium.core.record.write import WIDTH
from terrarium.errors import IllegalAction, InvalidAction, InvalidRecord, TerrariumError
from tests.core.records import SAYINGS, random_record

GAMES = sorted(games)
ROW = "A A A B C D E F G H"


def opened(game: str, **options: Any) -> Record:
    """A record of a game that has just begun."""
    return Record(games[game].start(**options))


def first(record: Record) -> str:
    return str(record.position.legal_actions()[0])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(25))
def test_records_round_trip_through_text_and_json(game: str, seed: int) -> None:
    record = random_record(game, seed)
    text = str(record)
    assert Record.parse(text) == record
    assert str(Record.parse(text)) == text
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record
    assert Record.parse(text.replace("\n", "\r\n")).line == record.line
    text.encode()


@pytest.mark.parametrize("game", GAMES)
def test_a_record_is_a_value(game: str) -> None:
    record = random_record(game, 5)
    assert pickle.loads(pickle.dumps(record)) == record
    assert hash(Record.parse(str(record))) == hash(record)
    assert record != record.back()
    before = str(record)
    record.back().play(first(record.back()))
    assert str(record) == before
    with pytest.raises(AttributeError):
        record.seats = ("x", "y")  # type: ignore[misc]


@pytest.mark.parametrize("game", GAMES)
def test_positions_replay_the_game_action_by_action(game: str) -> None:
    record = random_record(game, 7, say=0)
    position = record.start
    for step in record.positions():
        if step.action is None:
            assert step.events == position.resignation_events(step.seat)
            position = position.resign(step.seat)
        else:
            assert step.seat == position.to_move
            assert step.events == position.events(step.action)
            position = position.play(step.action)
        assert step.position == position
    assert record.position == position
    assert record.outcome == (position.outcome or record.outcome)


@pytest.mark.parametrize("game", GAMES)
def test_turns_are_numbered_from_1_and_hold_all_steps(game: str) -> None:
    record = random_record(game, 8, say=0)
    turns = list(record.turns())
    assert [step for turn in turns for step in turn.steps] == list(record.positions())
    numbers = [turn.number for turn in turns if turn.number]
    assert numbers == list(range(1, len(numbers) + 1))
    for turn in turns:
        assert len({step.seat for step in turn.steps if step.action is not None}) <= 1


def test_each_round_is_a_line_and_long_lines_are_wrapped() -> None:
    record = Record(nova.start(nova.Rules(players=3)))
    for cell in record.board.cells[:9]:
        record = record.play(f"@{cell}")
    assert str(record).split("\n\n")[1].splitlines() == [*_rounds(record.board.cells[:9], 3), "*"]
    long = str(random_record("turrium", 3))
    words = [line for line in long.split("\n\n", 1)[1].splitlines() if " " in line.strip()]
    assert max(map(len, words)) <= WIDTH + 40


def _rounds(cells: tuple[str, ...], players: int) -> list[str]:
    words = [f"{number}. @{cell}" for number, cell in enumerate(cells, 1)]
    return [" ".join(words[i : i + players]) for i in range(0, len(words), players)]


def test_a_record_says_who_played_what_and_when() -> None:
    record = Record(
        turrium.start(),
        seats=("a player", 'the "other"'),
        date=datetime.date(2026, 11, 15),
        tags={"Event": "club night"},
    )
    text = str(record.play("@c3").end("agreement"))
    assert '[Game "turrium"]\n' in text
    assert "players=2 variant=standard" in text
    assert '[Seat1 "the \\"other\\""]\n[Date "2026-11-15"]\n[Event "club night"]\n' in text
    assert text.endswith('[Result "draw"]\n[Reason "agreement"]\n\n1. @c3\ndraw\n')


def test_a_resignation_is_written_among_the_actions() -> None:
    record = opened("nova", players=3).play("@e7").resign(2).play("@f7")
    assert [entry.text for entry in record.line] == ["@e7", "resign:2", "@f7"]
    assert record.position.resigned == (2,)
    record = record.resign(0)
    assert record.outcome is not None
    assert record.outcome.reason == "resigned"
    assert record.outcome.winners == (1,)
    assert Record.parse(str(record)) == record
    assert '[Result "0-1-0"]' in str(record)
    with pytest.raises(IllegalAction):
        record.resign(1)


@pytest.mark.parametrize("game", GAMES)
def test_an_end_outside_the_rules_ends_the_record(game: str) -> None:
    record = opened(game).end("timeout", [1])
    assert record.outcome is not None
    assert (record.outcome.winners, record.outcome.reason) == ((1,), "timeout")
    with pytest.raises(IllegalAction, match="the game is over"):
        record.play(first(record))
    with pytest.raises(IllegalAction, match="the game is over"):
        record.end("agreement")
    assert record.back(0).outcome is None


@pytest.mark.parametrize(
    ("reason", "winners"),
    [("boredom", ()), ("timeout", (2,)), ("timeout", (-1,)), ("aborted", (0,))],
)
def test_ends_that_do_not_exist_are_refused(reason: str, winners: tuple[int, ...]) -> None:
    with pytest.raises(InvalidRecord):
        opened("nova").end(reason, winners)
    with pytest.raises(InvalidRecord):
        Record(nova.start(), ending=Ending(reason, winners))


def test_a_variation_may_start_within_a_turn_and_nest() -> None:
    position = nova.compose(
        nova.Rules(), nova.Board.parse(ROW), pioneers={"a3": 0, "a10": 1}, to_move=0
    )
    record = Record(position).play("a3-a5 a5-a6 a6-a7")
    record = record.vary(1, "+a4 a5-a6")
    deep = Line((Entry("a5-a7", variations=(Line((Entry("a5-a4"),), "or"),)),))
    record = record.annotate(1, variations=(*record.line.entries[1].variations, deep))
    body = str(record).split("\n\n")[1]
    assert body == (
        "1. a3-a5 a5-a6\n    (1... +a4 a5-a6)\n    (1... a5-a7\n      ({or} 1... a5-a4))\n1... a6-a7\n*\n"
    )
    again = Record.parse(str(record))
    assert again == record
    assert again.line.entries[1].variations[1].entries[0].variations[0].comment == "or"
    with pytest.raises(TerrariumError):
        record.vary(1, "a5-a10")


def test_a_custom_board_is_written_into_the_record() -> None:
    board = nova.Board.parse(
        "A A A A B\n B B C C C\nA A D D D", "mine", {"A": "forest"}, "a player", 'so "far"'
    )
    rules = nova.Rules(pioneers=2)
    record = Record(nova.start(rules, board)).play("@a1")
    text = str(record)
    assert '[Board "mine"]\n[Map "\n' in text
    again = Record.parse(text)
    assert again == record
    assert (again.board.author, again.board.note) == ("a player", 'so "far"')
    assert again.board.landscapes["A"] == "forest"
    assert Record.from_dict(record.to_dict()) == record
    other = nova.Board.parse(board.to_text(), "other")
    assert Record(nova.start(rules, other)).play("@a1") != record


def test_a_built_in_board_is_only_named() -> None:
    record = Record(nova.start(board=nova.BOARDS["two-bays"]))
    assert '[Board "two-bays"]' in str(record)
    assert "[Map" not in str(record)
    copy = nova.Board.parse(nova.BOARDS["two-bays"].to_text(), "called otherwise")
    renamed = Record(nova.start(board=copy))
    assert renamed != record
    assert "[Map" in str(renamed)
    assert Record.parse(str(renamed)) == renamed
    assert Record.from_dict(renamed.to_dict()).board.name == "called otherwise"


@pytest.mark.parametrize("game", GAMES)
def test_a_start_other_than_the_usual_is_written_into_the_record(game: str) -> None:
    position = opened(game).play(first(opened(game))).position
    record = Record(position).play(position.legal_actions()[-1])
    assert not record.is_usual_start
    assert '[Start "' in str(record)
    assert Record.parse(str(record)) == record
    assert Record.from_dict(record.to_dict()) == record


def test_a_start_of_other_rules_than_the_tags_is_refused() -> None:
    record = Record(turrium.start().play("@c3"))
    with pytest.raises(InvalidRecord, match="the rules or the board of the position differ"):
        Record.parse(str(record).replace("max_rounds=100", "max_rounds=99"))


def test_annotations_that_cannot_be_written_are_refused() -> None:
    record = opened("nova")
    for said in (
        {"comment": "x" * 70_000},
        {"glyphs": (256,)},
        {"clock": -1},
        {"evaluation": Evaluation((0.5,))},
        {"evaluation": Evaluation((0.5, float("nan")))},
    ):
        with pytest.raises(InvalidRecord):
            record.play("@e7", **said)
    with pytest.raises(InvalidRecord):
        Record(nova.start(), seats=("one",))
    with pytest.raises(InvalidRecord):
        Record(nova.start(), tags={"Result": "1-0"})
    with pytest.raises(InvalidRecord):
        Record(nova.start(), tags={"No Name": ""})


def test_actions_are_checked_by_the_rules() -> None:
    record = opened("nova").play("@e7")
    with pytest.raises(IllegalAction):
        record.play("@e7")
    with pytest.raises(InvalidAction):
        record.play("hello")
    with pytest.raises(IllegalAction):
        Record(nova.start(), line=Line((Entry("@e7"), Entry("@e7"))))


def test_names_are_exported_on_demand() -> None:
    assert terrarium.Record is Record
    assert terrarium.read_records is read_records
    with pytest.raises(AttributeError):
        _ = terrarium.nothing_such


def test_comments_are_kept_exactly() -> None:
    record = opened("turrium")
    for saying in SAYINGS:
        record = record.play(first(record), comment=saying)
    again = Record.parse(str(record))
    assert [entry.comment for entry in again.line] == list(SAYINGS)


def test_a_file_can_contain_many_records(tmp_path: Path) -> None:
    records = [random_record(game, seed, length=30) for seed in range(3) for game in GAMES]
    path = tmp_path / "games.terra"
    path.write_text("\n".join(map(str, records)), encoding="utf-8")
    assert list(read_records(path)) == records
    assert list(read_records(str(path))) == records
    with path.open("rb") as binary:
        assert list(read_records(binary)) == records
    with path.open(encoding="utf-8") as text:
        assert list(read_records(text)) == records
    assert list(read_records(io.StringIO(path.read_text("utf-8")))) == records
    with pytest.raises(InvalidRecord, match="more than one"):
        Record.read(path)
    path.write_text("\ufeff" + str(records[0]), encoding="utf-8")
    assert Record.read(path) == records[0]


def test_the_example_in_the_documentation_is_a_record_as_we_write_it() -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    example = text[text.index('[Game "') :].partition("```")[0]
    assert str(Record.parse(example)) == example
