"""Messages at a table: phrases, which every reader sees in their own language, and short texts.

A phrase is only an id; interfaces translate it. Texts are only possible between people who both allow them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from terrarium.core.record.line import MAX_COMMENT
from terrarium.play.errors import Unprocessable
from terrarium.play.table import Table

__all__ = ["MAX_TEXT", "PHRASES", "Said", "checked_phrase", "checked_text", "comments"]

MAX_TEXT = 300
_MAX_MARKS = 3
"""The most combining marks on one letter; more would overlap other lines."""
_JOINER = "\u200d"

PHRASES = {
    "hello": "Hello!",
    "good-luck": "Good luck!",
    "well-played": "Well played!",
    "nice-turn": "Nice turn!",
    "thanks": "Thank you!",
    "you-are-welcome": "You’re welcome!",
    "sorry": "Sorry!",
    "oops": "Oops!",
    "thinking": "I’m thinking.",
    "your-turn": "It’s your turn.",
    "back-soon": "I’ll be right back.",
    "back": "I’m back.",
    "good-game": "Good game!",
    "again": "Another game?",
    "goodbye": "Goodbye!",
}
"""All phrases: id and English text."""


class Said(NamedTuple):
    """One message: the seat that sent it, the number of turns before it, and either a phrase's id or a text."""

    seat: int
    turn: int
    phrase: str | None = None
    text: str | None = None

    @property
    def words(self) -> str:
        """The text of the message; phrases in English."""
        return PHRASES.get(self.phrase or "", "") or self.text or ""


def checked_phrase(phrase: str) -> str:
    """The id of a phrase; refused if there is no such phrase."""
    if phrase not in PHRASES:
        message = f"phrase {phrase[:40]!r}: must be one of {', '.join(PHRASES)}"
        raise Unprocessable("unknown-phrase", message)
    return phrase


def checked_text(text: str) -> str:
    r"""A text for display on one line: normalised (NFC) and trimmed; refused if it has control or direction characters.

    >>> checked_text("  well\n played ")
    'well played'
    """
    clean = " ".join(unicodedata.normalize("NFC", text).split())
    bad = next((letter for letter in clean if _is_refused(letter)), None)
    if bad is not None:
        message = f"text: the character U+{ord(bad):04X} can't be shown; leave it out"
        raise Unprocessable("invalid-message", message)
    if not clean or len(clean) > MAX_TEXT:
        raise Unprocessable("invalid-message", f"text: {len(clean)} characters; 1 to {MAX_TEXT}")
    marks = 0
    for letter in clean:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > _MAX_MARKS:
            message = f"text: more than {_MAX_MARKS} marks over one letter"
            raise Unprocessable("invalid-message", message)
    return clean


def _is_refused(letter: str) -> bool:
    """Whether a character is a control or format character or unassigned; the joiner is allowed because emoji need it."""
    return letter != _JOINER and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn")


def comments(table: Table, said: Sequence[Said]) -> dict[int, str]:
    """Messages as comments of a record, by the turn that they follow; phrases in English.

    Messages from before the first turn are attached to it.
    """
    colours = table.start.game.colours(table.rules)
    names = [seat.name or colours[number].capitalize() for number, seat in enumerate(table.seats)]
    lines: dict[int, list[str]] = {}
    for one in said:
        turn = max(1, min(one.turn, len(table.turns)))
        # "[%" would begin a clock or an evaluation in a record.
        lines.setdefault(turn, []).append(f"{names[one.seat]}: {one.words.replace('[%', '[ %')}")
    return {turn: "\n".join(words)[:MAX_COMMENT] for turn, words in lines.items()}
