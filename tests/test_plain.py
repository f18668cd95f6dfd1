"""The texts of the page follow the glossary, and the check of wording finds the phrases in its list."""

from __future__ import annotations

import pytest

from tests import plain


def test_no_catalogue_uses_a_word_that_the_glossary_rejects() -> None:
    assert list(plain.wrong_words()) == []


def test_the_glossary_rejects_words_in_every_language() -> None:
    assert {language for language, *_ in plain.rejected()} == {"en", "fr", "nl", "sv", "de", "it"}


@pytest.mark.parametrize(
    "text",
    [
        "A region of four landscapes is no territory.",
        "The third player sets flags in the own territory.",
        "after so many rounds",
        "`lag_ms` tells the delay.",
        "Turns go along with the account.",
        "Games are kept, also after a restart.",
        "What the page says of a turn.",
        "less points",
        "Leaving calls it off.",
        "Training can be taken up again.",
        "Nothing, or InvalidRules.",
        "What became of a plan.",
        "Every search begins anew.",
        "Reading goes on with the next record.",
        "Listens to the tab; gives what ends it.",
        "`onstate` hears whether games are kept.",
    ],
)
def test_a_habit_is_found(text: str) -> None:
    assert list(plain.habits_in("here", text))


@pytest.mark.parametrize(
    "text",
    [
        "There is no supply of cubes.",
        "It is no longer legal.",
        "A stone goes on an empty cell.",
        "So many that they don't fit.",
        "The French book says “is no territory”.",
    ],
)
def test_plain_english_is_left_alone(text: str) -> None:
    assert not list(plain.habits_in("here", text))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It isn't yours."),
        ("en", "the central 6 × 6 spaces"),
        ("en", "Unfairness 3 %"),
        ("fr", "Votre tour : jouez"),
        ("fr", "la phase “move”"),
        ("nl", "de fase “move”"),
        ("sv", "Ojämnhet 3 %"),
        ("de", "die Phase ”move“"),
        ("it", "la fase “move”"),
        ("it", "la fase « move »"),
        ("it", "Squilibrio 3 %"),
    ],
)
def test_quotes_and_spaces_of_another_language_are_found(language: str, text: str) -> None:
    assert list(plain.typography_in(language, text))


def test_every_catalogue_has_the_quotes_and_spaces_of_its_language() -> None:
    assert list(plain.typography()) == []


def test_messages_are_read_completely() -> None:
    texts = [text for _, text in plain.messages()]
    assert "you have … tokens already; revoke one first" in texts
    assert "wrong name or password" in texts


def test_a_line_that_a_document_has_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "- A line of a list that is long enough to be a sentence of its own."
    monkeypatch.setattr(plain, "documents", lambda: [("here", f"{line}\n\nText.\n{line}\n")])
    assert list(plain.repeated()) == ["here:4: the same line as 1"]


def test_comments_of_all_kinds_of_sources_are_read() -> None:
    kinds = {place.rpartition(":")[0].rpartition(".")[2] for place, _ in plain.comments()}
    assert kinds >= {"py", "pyx", "pxd", "pxi", "ts", "svelte"}
