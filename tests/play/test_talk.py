"""Messages at a table: which texts are allowed, and how they become comments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from terrarium.core.record import Record
from terrarium.play.errors import Unprocessable
from terrarium.play.recording import record_of
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame
from terrarium.play.talk import MAX_TEXT, PHRASES, Said, checked_phrase, checked_text, comments

LOCALES = Path(__file__).parents[2] / "web" / "src" / "locales"


def test_texts_are_normalised_and_trimmed() -> None:
    assert checked_text("  cafe\u0301 \t au\nlait ") == "café au lait"
    assert checked_text("👩\u200d🌾 brought 🌾") == "👩\u200d🌾 brought 🌾"


@pytest.mark.parametrize(
    "bad",
    ["", "   ", "a\x00b", "a\x1b[31m", "\u202eevil", "\u2066x", "\u200fx", "\ufeffx", "\ud800"],
)
def test_control_and_direction_characters_are_refused(bad: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        checked_text(bad)
    assert refused.value.code == "invalid-message"


def test_the_length_of_texts_and_of_combining_marks_is_limited() -> None:
    assert checked_text("x" * MAX_TEXT) == "x" * MAX_TEXT
    for bad in ("x" * (MAX_TEXT + 1), "a" + "\u0335" * 4):
        with pytest.raises(Unprocessable):
            checked_text(bad)


def test_an_unknown_phrase_is_refused() -> None:
    assert checked_phrase("hello") == "hello"
    with pytest.raises(Unprocessable) as refused:
        checked_phrase("insult")
    assert refused.value.code == "unknown-phrase"


def test_every_phrase_is_in_every_catalogue() -> None:
    for language in ("en", "fr", "nl", "sv", "de", "it"):
        texts = json.loads((LOCALES / language / "talk.json").read_text())
        for phrase, english in PHRASES.items():
            assert texts[f"phrase.{phrase}"]
            if language == "en":
                assert texts[f"phrase.{phrase}"] == english


def test_messages_become_comments_of_the_turn_they_follow() -> None:
    game = new_game(CreateGame("nova", rules={"players": 2}), "g:1", 1_700_000_000_000, None)
    table = game.table
    turn = [str(table.position.legal_actions()[0])]
    from terrarium.play.commands import play_turn

    for _ in range(2):
        turn = [str(table.position.legal_actions()[0])]
        held = {table.to_move or 0}
        decision = play_turn(table, held, table.seq, turn, None, now=table.updated)
        table = table.after([decision.drafts[0].at(table.seq + 1, table.updated)])
    said = [Said(0, 0, "hello"), Said(1, 2, None, "[%clk 1:00] } nice"), Said(0, 2, "thanks")]
    record = record_of(table, comments(table, said))
    again = Record.parse(str(record))
    assert again == record
    assert [entry.comment for entry in again.line] == [
        "Yellow: Hello!",
        "Red: [ %clk 1:00] } nice\nYellow: Thank you!",
    ]
