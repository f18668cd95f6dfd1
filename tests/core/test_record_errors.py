"""Errors in a `.terra` text are reported with place and reason, and reading can continue after them."""

from __future__ import annotations

import io
import random
import tracemalloc
from collections.abc import Iterator

import pytest

from terrarium import Record, games, read_records
from terrarium.errors import InvalidRecord, TerrariumError
from tests.core.records import random_record
from tests.sizes import size

NOVA = '[Game "nova"]\n\n'


def refused(text: str) -> InvalidRecord:
    with pytest.raises(InvalidRecord) as caught:
        Record.parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "column", "code"),
    [
        (NOVA + "1. @e7\n2. @e7", 4, 4, "cell-occupied"),
        (NOVA + "1. @e7 2. xyzzy", 3, 11, None),
        (NOVA + "1. @e7 3. @e8", 3, 8, "turn-number"),
        (NOVA + "1... @e7", 3, 1, "turn-number"),
        (NOVA + "@e7 (@e8", 3, 5, "record-variation"),
        (NOVA + "@e7 @e8)", 3, 8, "record-variation"),
        (NOVA + "(@e7)", 3, 1, "record-variation"),
        (NOVA + "@e7 ()", 3, 5, "empty-variation"),
        (NOVA + "@e7 $256", 3, 5, "record-glyph"),
        (NOVA + "$1", 3, 1, "record-glyph"),
        (NOVA + "@e7 !!!", 3, 5, "record-glyph"),
        (NOVA + "@e7 {never", 3, 5, "record-comment"),
        (NOVA + "@e7 {[%clk now]}", 3, 5, "record-clock"),
        (NOVA + "@e7 {[%eval 0.5]}", 3, 5, "record-evaluation"),
        (NOVA + "@e7 {[%eval 0.5 2]}", 3, 5, "record-evaluation"),
        (NOVA + "@e7 resign:7", 3, 5, "no-such-seat"),
        (NOVA + "@e7 1-0", 3, 5, "record-result"),
        (NOVA + "@e7 * @e8", 3, 7, "record-result"),
        (NOVA + '@e7 [Event "late"]', 3, 5, "record-tag"),
        ('[Game "chess"]', 1, 1, "no-such-game"),
        ('[Event "x"]\n[Game "nova"]', 1, 1, "record-game"),
        ("1. @e7", 1, 1, "record-game"),
        ('[Game "nova"]\n[Game2 "a"]\n[Game2 "b"]', 3, 1, "record-tag"),
        ('[Game "nova"]\n[Rules "players=5"]', 2, 1, None),
        ('[Game "nova"]\n[Rules "players"]', 2, 1, "record-rules"),
        ('[Game "nova"]\n[RulesVersion "99"]', 2, 1, "rules-version"),
        ('[Game "nova"]\n[Board "atlantis"]', 2, 1, "no-such-board"),
        ('[Game "nova"]\n[Map "A A B"]', 2, 1, None),
        ('[Game "turrium"]\n[Board "terra-nova"]', 2, 1, "record-board"),
        ('[Game "nova"]\n[Start "nonsense"]', 2, 1, None),
        ('[Game "nova"]\n[Seat2 "a player"]', 2, 1, "record-seats"),
        ('[Game "nova"]\n[Date "yesterday"]', 2, 1, "record-date"),
        ('[Game "nova"]\n[Result "1-0"]\n@e7', 3, 4, "record-cut-off"),
        ('[Game "nova"]\n[Result "1-0"]\n[Reason "timeout"]\n@e7 0-1', 4, 5, "record-result"),
        ('[Game "nova"]\n[Reason "divided"]\n1-0', 2, 1, "record-result"),
        ('[Game "nova"]\n[Reason "timeout"]\n1-1', 3, 1, "record-result"),
        ('[Game "nova"]\n[Reason "timeout"]\n1-0-0', 3, 1, "record-result"),
        ('[Game "nova"]\n[Reason "timeout"]\n*', 3, 1, "record-result"),
        ('[Game "nova"]\n[Scores "7 0"]\n*', 2, 1, "record-result"),
    ],
)
def test_each_mistake_is_reported_with_its_place(
    text: str, line: int, column: int, code: str | None
) -> None:
    error = refused(text)
    assert (error.line, error.column) == (line, column), error
    assert str(error).startswith(f"line {line}, column {column}: ")
    assert code in (None, error.code), error


def test_an_illegal_action_is_reported_with_the_reason_of_the_rules() -> None:
    position = games["nova"].start().play("@e7")
    with pytest.raises(TerrariumError) as caught:
        position.play("@e7")
    error = refused(NOVA + "@e7 @e7")
    assert (error.code, error.rule) == (caught.value.code, caught.value.rule)
    assert caught.value.message in error.message


def test_a_wrong_result_is_reported_with_the_right_one() -> None:
    record = Record(games["nova"].start()).resign(0)
    text = str(record)
    assert "0-1 (resigned)" in str(refused(text.replace("0-1", "1-0")))
    assert "it is resigned" in str(refused(text.replace('Reason "resigned"', 'Reason "blocked"')))


def test_an_empty_text_and_a_value_that_is_not_text_are_refused() -> None:
    assert refused("").code == "no-record"
    assert refused(" \n\t\n").code == "no-record"
    with pytest.raises(InvalidRecord):
        Record.parse(None)  # type: ignore[arg-type]


def test_the_depth_of_variations_is_limited() -> None:
    assert refused(NOVA + "@e7 " + "(@e7 " * 100).code == "record-nesting"
    deep = {"action": "@e7"}
    for _ in range(100):
        deep = {"action": "@e7", "variations": [{"actions": [deep]}]}  # type: ignore[dict-item]
    with pytest.raises(InvalidRecord):
        Record.from_dict({"game": "nova", "actions": [deep]})


def test_the_size_of_annotations_is_limited() -> None:
    assert refused(NOVA + "@e7 " + "(@e8) " * 300).code == "record-size"
    assert refused(NOVA + "{" + "x" * 70_000 + "} *").code == "record-comment"
    assert refused(NOVA + "{" + "x" * 40_000 + "}\n" + "{" + "x" * 40_000 + "} *").line == 4
    assert refused(NOVA + "@e7 {" + "x" * 70_000 + "} *").code == "record-comment"
    assert refused(NOVA + "@e7 " + "$1 " * 20).code == "record-glyph"
    assert refused('[Game "nova"]\n' + "".join(f'[T{i} ""]\n' for i in range(300))).line == 201


def test_reading_continues_after_a_wrong_record() -> None:
    good = [random_record("turrium", seed, length=40) for seed in range(3)]
    texts = [
        str(good[0]),
        NOVA + "1. @e7 {the brace is never closed",
        '[Game "nova"]\n[Event "nor is this quote]\n\n*',
        str(good[1]),
        NOVA + "1. @e7 2. @e7 *",
        str(good[2]),
    ]
    file = io.StringIO("\n\n".join(texts))
    errors: list[InvalidRecord] = []
    assert list(read_records(file, on_error=errors.append)) == good
    assert [error.code for error in errors] == ["record-comment", "record-tag", "cell-occupied"]
    lines = "\n\n".join(texts).split("\n")
    assert errors[0].line is not None
    assert lines[errors[0].line - 1].startswith("1. @e7 {the brace")


def test_by_default_the_first_error_is_raised() -> None:
    good = random_record("nova", 1, length=20)
    records = read_records(io.StringIO(f"{good}\n{NOVA}@zz9 *\n{good}"))
    assert next(records) == good
    with pytest.raises(InvalidRecord):
        next(records)


def test_invalid_bytes_affect_only_one_record() -> None:
    good = str(random_record("nova", 2, length=20, say=0)).encode()
    errors: list[InvalidRecord] = []
    file = io.BytesIO(good + b"\n" + NOVA.encode() + b"@e7 {caf\xe9}\n\n" + good)
    assert len(list(read_records(file, on_error=errors.append))) == 2
    assert errors[0].code == "not-text"
    assert (errors[0].line, errors[0].column) == (good.count(b"\n") + 4, 9)


def test_an_endless_line_is_refused() -> None:
    errors: list[InvalidRecord] = []
    file = io.StringIO(NOVA + "{" + "x" * 3_000_000 + "}\n*\n" + NOVA + "*")
    assert len(list(read_records(file, on_error=errors.append))) == 1
    assert errors[0].code == "record-size"


class _Endless:
    """A file with very many records, which are generated while they are read."""

    def __init__(self, text: str, times: int) -> None:
        self.lines = self._lines(text, times)

    @staticmethod
    def _lines(text: str, times: int) -> Iterator[str]:
        for _ in range(times):
            yield from io.StringIO(text)

    def readline(self, size: int) -> str:
        return next(self.lines, "")


def test_many_records_take_the_memory_of_one() -> None:
    text = str(random_record("turrium", 1, length=60, say=0)) + "\n"
    list(read_records(_Endless(text, 5)))  # type: ignore[arg-type]
    tracemalloc.start()
    count = 0
    for _ in read_records(_Endless(text, 300)):  # type: ignore[arg-type]
        count += 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert peak < 20 * len(text) + 500_000


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(games))
def test_damaged_texts_are_refused_cleanly_or_read(game: str) -> None:
    rng = random.Random(9)
    text = str(random_record(game, 11, length=40))
    pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        '"',
        "\\",
        "\n",
        "$",
        "1.",
        "...",
        "resign:0",
        "\x00",
        "🏝",
    ]
    errors: list[InvalidRecord] = []
    tries = size(150, 2_000)
    for _ in range(tries):
        at = rng.randrange(len(text))
        damaged = text[:at] + rng.choice([*pieces, ""]) + text[at + rng.randrange(3) :]
        try:
            record = Record.parse(damaged)
        except InvalidRecord as error:
            errors.append(error)
        else:
            assert Record.parse(str(record)) == record
    assert len(errors) > tries // 4
    assert all(error.line is not None and error.line >= 1 for error in errors)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "chess"),
        ("game", 7),
        ("rules", {"players": 9}),
        ("rules", {"nonsense": 1}),
        ("rules", [1]),
        ("rules_version", 99),
        ("board", "atlantis"),
        ("board", {"map": "A A"}),
        ("start", "nonsense"),
        ("seats", ["one"]),
        ("seats", "ab"),
        ("date", "2026-13-01"),
        ("tags", {"Game": "x"}),
        ("tags", {"Event": 1}),
        ("comment", 5),
        ("actions", {}),
        ("actions", ["@e7"]),
        ("actions", [{"action": "@e7"}, {"action": "@e7"}]),
        ("actions", [{"action": "@e7", "clock": "soon"}]),
        ("actions", [{"action": "@e7", "glyphs": ["x"]}]),
        ("actions", [{"action": "@e7", "evaluation": {"shares": ["a", "b"]}}]),
        ("actions", [{"action": "@e7", "variations": [{"actions": []}]}]),
        ("ending", {"reason": "boredom"}),
        ("ending", {"reason": "timeout", "winners": [9]}),
        ("outcome", {"winners": [0], "reason": "divided", "scores": [1, 0]}),
    ],
)
def test_dictionaries_that_are_not_records_are_refused(field: str, value: object) -> None:
    data = Record(games["nova"].start()).to_dict()
    assert Record.from_dict(data) == Record(games["nova"].start())
    with pytest.raises(InvalidRecord):
        Record.from_dict(data | {field: value})


def test_a_value_that_is_not_a_dictionary_is_refused() -> None:
    with pytest.raises(InvalidRecord):
        Record.from_dict([])  # type: ignore[arg-type]
