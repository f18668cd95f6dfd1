"""The tokens of a `.terra` text: tags, comments, escapes, clocks, evaluations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium.core.record.line import Evaluation, Mark
from terrarium.core.record.words import (
    Said,
    Text,
    clock_text,
    comment_words,
    escaped_comment,
    escaped_tag,
    evaluation_text,
    marks_words,
    read_opening,
    read_said,
    result_text,
    tokens,
    unescaped,
)
from terrarium.errors import InvalidRecord


def words(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens(Text(text))]


def test_a_line_of_turns_is_split_into_tokens() -> None:
    assert words("1. @e7 2...e7-e12! $14 (+d8) c4xc5 end resign:1 *") == [
        ("number", "1."),
        ("action", "@e7"),
        ("number", "2..."),
        ("action", "e7-e12"),
        ("mark", "!"),
        ("glyph", "$14"),
        ("open", "("),
        ("action", "+d8"),
        ("close", ")"),
        ("action", "c4xc5"),
        ("action", "end"),
        ("action", "resign:1"),
        ("result", "*"),
    ]


@pytest.mark.parametrize("result", ["1-0", "0-0-1", "1/2-1/2", "1/3-0-1/3-1/3", "draw", "*"])
def test_results_are_distinguished_from_actions(result: str) -> None:
    assert words(f"-a1 {result}") == [("action", "-a1"), ("result", result)]


def test_tags_may_hold_quotes_and_a_map_of_several_lines() -> None:
    text = '[Event "the \\"big\\" one"]\n[Map "\n A A\n  B\n"]'
    assert [(token.name, token.text) for token in tokens(Text(text))] == [
        ("Event", 'the "big" one'),
        ("Map", "\n A A\n  B\n"),
    ]


def test_comments_to_the_end_of_a_line_and_lines_left_out() -> None:
    assert words("@a1 ; so {far\n% not read\n@a2") == [
        ("action", "@a1"),
        ("comment", "so {far"),
        ("action", "@a2"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "code"),
    [
        ("@a1\n  {never closed", 2, 3, "record-comment"),
        ('\n[Game "nova]', 2, 1, "record-tag"),
        ("[Game nova]", 1, 1, "record-tag"),
        ('@a1 "x"', 1, 5, "record-character"),
        ("@a1\n\n " + "a" * 100, 3, 2, "record-word"),
    ],
)
def test_an_invalid_token_is_refused_with_its_place(
    text: str, line: int, column: int, code: str
) -> None:
    with pytest.raises(InvalidRecord) as caught:
        list(tokens(Text(text)))
    assert (caught.value.line, caught.value.column, caught.value.code) == (line, column, code)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


def test_places_count_from_where_the_record_starts_in_its_file() -> None:
    assert Text("a\nb", first_line=41).error(2, "x", "y").line == 42


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet=st.characters(), max_size=60)
    | st.text(' \\{}[]%clkevacsGe7-,"n\n\t', max_size=40)
)
def test_every_text_survives_as_tag_and_as_comment(text: str) -> None:
    assert unescaped(escaped_tag(text)) == text
    assert "\n" not in escaped_tag(text)
    escaped = escaped_comment(text)
    assert read_opening(escaped).text == text
    assert read_opening("\n    ".join(comment_words(escaped))).text == text
    assert words("{" + escaped + "}") == [("comment", escaped)]
    said = read_said("[%clk 0:00:05] " + escaped, Text(""), 0)
    assert (said.text, said.clock) == (text, 5000)
    escaped.encode()


def test_clock_and_evaluation_are_data_and_the_rest_is_text() -> None:
    said = read_said("[%clk 1:02:03.25] [%eval 0.75 0.25 depth=9 nodes=77] good", Text(""), 0)
    assert said == Said("good", 3_723_250, Evaluation((0.75, 0.25), 9, 77))
    assert read_said("keeps [%cal e2e4] others", Text(""), 0).text == "keeps [%cal e2e4] others"


def test_marked_cells_and_arrows_are_data_before_and_after_an_action() -> None:
    drawn = (Mark("e7"), Mark("f8", colour="red"), Mark("e12", "e7", "blue"))
    assert marks_words(drawn) == ["[%csl Ge7,Rf8]", "[%cal Be7-e12]"]
    for said in (
        read_said("[%csl Ge7, Rf8] [%cal Be7-e12] look", Text(""), 0),
        read_opening("[%csl Ge7,Rf8] [%cal Be7-e12] look"),
    ):
        assert (said.text, said.marks) == ("look", drawn)


@pytest.mark.parametrize(
    "text", ["[%csl e7]", "[%csl Pe7]", "[%cal Ge7-e7]", "[%cal Ge7]", "[%csl]"]
)
def test_text_that_only_looks_like_marks_stays_text(text: str) -> None:
    assert read_said(text, Text(""), 0) == Said(text)
    assert read_opening(text) == Said(text)


@pytest.mark.parametrize("wrong", ["[%clk soon]", "[%clk 1:99:00]", "[%eval]", "[%eval 1.2.3 4]"])
def test_an_invalid_clock_or_evaluation_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidRecord, match="as in"):
        read_said(wrong, Text(wrong), 0)


@given(st.integers(0, 10**9))
def test_clocks_round_trip(clock: int) -> None:
    assert read_said(f"[%clk {clock_text(clock)}]", Text(""), 0).clock == clock


@given(st.lists(st.floats(0, 1), min_size=2, max_size=4), st.none() | st.integers(0, 99))
def test_evaluations_round_trip(shares: list[float], depth: int | None) -> None:
    evaluation = Evaluation(tuple(shares), depth)
    said = read_said(f"[%eval {evaluation_text(evaluation)}]", Text(""), 0)
    assert said.evaluation == evaluation


def test_results_name_each_seats_part_of_the_win() -> None:
    assert result_text((1,), 3) == "0-1-0"
    assert result_text((0, 1, 2, 3), 4) == "1/4-1/4-1/4-1/4"
