"""Drawings in a record: arrows and marked cells; and null turns, which show a threat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium import Record, games, nova, turrium
from terrarium.core.record import Entry, Line, Mark, Node
from terrarium.core.record.line import COLOURS
from terrarium.errors import IllegalAction, InvalidRecord, TerrariumError

ROW = "A A A B C D E F G H"
CELLS = st.text(
    st.characters(exclude_characters=",[]{}\\-", exclude_categories=("Z", "C")),
    min_size=1,
    max_size=16,
)


def row() -> Record[nova.Position]:
    """A row of ten cells with a pioneer near each end; seat 0 is to move."""
    board = nova.Board.parse(ROW)
    pioneers = {"a3": 0, "a9": 1}
    return Record(nova.compose(nova.Rules(), board, pioneers=pioneers, to_move=0))


def both_ways(record: Record) -> None:
    """Check that a record round-trips through text and dictionary."""
    assert Record.parse(str(record)) == record
    assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.builds(Mark, CELLS, st.none() | CELLS, st.sampled_from(COLOURS)), max_size=12),
    st.text(max_size=30),
)
def test_marks_round_trip_through_text_and_json(marks: list[Mark], comment: str) -> None:
    drawn = tuple(mark for mark in marks if mark.source != mark.target)
    line = Line((Entry("@e7", comment, marks=drawn),), comment, drawn)
    both_ways(Record(nova.start(), line=line))


def test_marks_are_kept_once_with_cells_first() -> None:
    record = Record(nova.start()).play("@e7", marks=(Mark("f8", "e7"), Mark("e7"), Mark("e7")))
    assert record.line.entries[0].marks == (Mark("e7"), Mark("f8", "e7"))
    assert "1. @e7 {[%csl Ge7] [%cal Ge7-f8]}" in str(record)
    assert record.to_dict()["actions"][0]["marks"] == [
        {"target": "e7", "source": None, "colour": "green"},
        {"target": "f8", "source": "e7", "colour": "green"},
    ]


@pytest.mark.parametrize(
    "mark",
    [
        Mark(""),
        Mark("e 7"),
        Mark("e7", "e7"),
        Mark("e7", "a-b"),
        Mark("e7", colour="pink"),
        Mark("x" * 17),
    ],
)
def test_marks_that_can_not_be_written_are_refused(mark: Mark) -> None:
    with pytest.raises(InvalidRecord) as caught:
        Record(nova.start()).play("@e7", marks=(mark,))
    assert caught.value.code == "record-marks"


def test_too_many_marks_in_one_place_are_refused() -> None:
    marks = tuple(Mark(f"a{number}") for number in range(65))
    with pytest.raises(InvalidRecord, match="at most 64"):
        Record(nova.start(), line=Line(marks=marks))


def test_a_record_without_marks_is_written_as_before() -> None:
    record = Record(nova.start()).play("@e7").vary(0, "@e8")
    data = record.to_dict()
    assert "marks" not in data
    assert data["actions"] == [
        {"action": "@e7", "variations": [{"comment": "", "actions": [{"action": "@e8"}]}]}
    ]


def test_a_null_turn_shows_what_a_seat_threatens() -> None:
    record = row().play("a3-a4 +a5").vary(0, "null:1 a9-a8 +a7")
    node = record.node((0, 0, 0))
    assert (node.action, node.seat, node.turn) == (None, 0, 1)
    assert node.position.pioneers == record.start.pioneers
    assert node.position.to_move == 1
    following = node.next
    assert following is not None
    assert (following.seat, following.turn) == (1, 2)
    assert "(1. null:1 2. a9-a8 +a7)" in str(record)
    both_ways(record)


def test_a_null_turn_on_the_main_line_is_a_turn_without_actions() -> None:
    record = Record(row().start, line=Line((Entry("null:1"), Entry("a9-a8"))))
    both_ways(record)
    first, second = record.turns()
    assert (first.number, first.seat, first.steps[0].action, first.steps[0].events) == (
        1,
        0,
        None,
        (),
    )
    assert (second.number, second.seat) == (2, 1)
    nodes: list[Node] = list(record.nodes())
    assert [node.position for node in nodes] == [step.position for step in record.positions()]


@pytest.mark.parametrize("game", sorted(games))
@pytest.mark.parametrize("text", ["null:0", "null:2", "null:9"])
def test_a_null_turn_must_give_the_turn_to_another_active_seat(game: str, text: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        Record(games[game].start(players=2)).play(text)
    assert caught.value.code == "no-null-turn"


def test_there_are_no_null_turns_within_a_turn_or_during_the_set_up() -> None:
    for record in (row().play("a3-a4"), Record(nova.start()), Record(turrium.start())):
        with pytest.raises(IllegalAction) as caught:
            record.play("null:1")
        assert caught.value.code == "no-null-turn"


def test_a_wrong_null_turn_in_a_text_names_its_place() -> None:
    text = str(Record(nova.start()).play("@e7")).replace("1. @e7", "1. null:1")
    with pytest.raises(TerrariumError, match=r"line 8, column 4: null:1"):
        Record.parse(text)


def test_the_documentation_shows_marks_and_a_null_turn() -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    for word in ("[%csl Ge7,Rf8]", "[%cal Ge7-e12]", "null:1"):
        assert word in text
