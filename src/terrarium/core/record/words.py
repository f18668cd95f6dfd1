"""The tokens of a `.terra` text, and reading and writing of its parts: escapes, clocks, evaluations, marks, results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from terrarium.core.record.line import CELL, COLOURS, MAX_CLOCK, MAX_COMMENT, Evaluation, Mark
from terrarium.errors import InvalidRecord, TerrariumError

__all__ = ["Text", "Token", "tokens"]

MAX_TAG_TEXT = 32_768
MAX_WORD = 80


class Token(NamedTuple):
    """A token of the text: its kind, its content and its place."""

    kind: str
    text: str
    place: int
    name: str = ""
    """The name of a tag; empty for other tokens."""


class Text:
    """The text of one record, and the line of the file where it starts."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.text = text
        self.first_line = first_line

    def error(self, place: int, code: str, message: str, rule: str | None = None) -> InvalidRecord:
        """The error that says what is wrong at a place, counted in characters from 0."""
        line = self.first_line + self.text.count("\n", 0, place)
        column = place - (self.text.rfind("\n", 0, place) + 1) + 1
        return InvalidRecord(
            code, f"line {line}, column {column}: {message}", rule, line=line, column=column
        )

    def caused(self, place: int, cause: TerrariumError) -> InvalidRecord:
        """The error with the code, message and rule of another one, and a place."""
        return self.error(place, cause.code, cause.message, cause.rule)


_WORDS = re.compile(
    r"""
    (?P<space>[ \t\r\n\f\v]+)
  | (?P<skip>(?<![^\n])%[^\n]*)
  | (?P<tag>\[)
  | (?P<comment>\{)
  | (?P<rest>;[^\n]*)
  | (?P<open>\()
  | (?P<close>\))
  | (?P<glyph>\$[0-9]+)
  | (?P<mark>[!?]+)
  | (?P<number>[0-9]+\.(?:\.\.)?)
  | (?P<result>\*|draw(?![\w:])|[01](?:/[0-9])?(?:-[01](?:/[0-9])?)+(?![\w/-]))
  | (?P<action>[^\s\[\]{}();$!?*"]+)
  | (?P<strange>.)
    """,
    re.VERBOSE,
)
_TAG = re.compile(r'\[[ \t]*([^\s"\[\]{}]{1,80})[ \t]*"')
_TAG_TEXT = re.compile(r'([^"\\]*(?:\\.[^"\\]*)*)"\s*\]', re.DOTALL)
_COMMENT = re.compile(r"([^}\\]*(?:\\.[^}\\]*)*)\}", re.DOTALL)


def tokens(text: Text) -> Iterator[Token]:
    """The tokens of a record's text in order, without spaces; raises InvalidRecord where no token can be read."""
    source, place = text.text, 0
    while place < len(source):
        found = _WORDS.match(source, place)
        assert found is not None
        assert found.lastgroup is not None
        kind, word = found.lastgroup, found[0]
        after = found.end()
        if kind in ("space", "skip"):
            pass
        elif kind == "tag":
            token, after = _tag(text, place)
            yield token
        elif kind == "comment":
            token, after = _comment(text, place)
            yield token
        elif kind == "rest":
            yield Token("comment", escaped_comment(word[1:].strip()), place)
        elif kind == "strange":
            message = (
                f"{word!r}: expected an action, a comment in {{}}, a variation in () or a result"
            )
            raise text.error(place, "record-character", message)
        elif len(word) > MAX_WORD:
            raise text.error(
                place, "record-word", f"{word[:40]}…: no word is longer than {MAX_WORD}"
            )
        else:
            yield Token(kind, word, place)
        place = after


def _tag(text: Text, place: int) -> tuple[Token, int]:
    name = _TAG.match(text.text, place)
    if name is None:
        found = text.text[place : place + 40].split("\n")[0]
        raise text.error(place, "record-tag", f'{found}: a tag is written [Name "text"]')
    value = _TAG_TEXT.match(text.text, name.end())
    if value is None:
        raise text.error(
            place, "record-tag", f'[{name[1]} …: a tag ends with "] and this one does not'
        )
    if len(value[1]) > MAX_TAG_TEXT:
        raise text.error(
            place, "record-tag", f"[{name[1]} …: longer than {MAX_TAG_TEXT:,} characters"
        )
    return Token("tag", unescaped(value[1]), place, name[1]), value.end()


def _comment(text: Text, place: int) -> tuple[Token, int]:
    found = _COMMENT.match(text.text, place + 1)
    if found is None:
        raise text.error(
            place, "record-comment", "a comment opens with { here and never closes with }"
        )
    # An escaped character has up to six characters, so the escaped text may be six times as long.
    if len(found[1]) > 6 * MAX_COMMENT:
        raise text.error(
            place, "record-comment", f"a comment longer than {MAX_COMMENT:,} characters"
        )
    return Token("comment", found[1], place), found.end()


_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[nt\\\"}{\[ ])")
_ESCAPED = {"n": "\n", "t": "\t"}
_FOLD = re.compile(r"[ \t]*(?:\r?\n[ \t\r]*)+")
_DATA = re.compile(r"\[%(clk|eval|csl|cal)\b([^\]]*)\] ?")


def unescaped(text: str) -> str:
    """The text with its escapes resolved."""
    return _ESCAPE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    escape = found[1]
    return chr(int(escape[1:], 16)) if escape[0] == "u" else _ESCAPED.get(escape, escape)


def _must_escape(letter: str) -> bool:
    # Control characters and line separators can be lost in emails; lone surrogates are not valid UTF-8.
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    special = {"\n": "\\n", "\t": "\\t"}
    return "".join(
        special.get(letter) or (f"\\u{ord(letter):04x}" if _must_escape(letter) else letter)
        for letter in text
    )


def escaped_tag(text: str) -> str:
    """A tag's value as written between quotes, on one line."""
    return _visible(text.replace("\\", "\\\\").replace('"', '\\"'))


def escaped_comment(text: str) -> str:
    """A comment as written between braces; spaces at its ends are escaped, so that they are kept."""
    first = "\\ " if text[:1] == " " else ""
    last = "\\ " if text[1:][-1:] == " " else ""
    text = text[len(first[1:]) : len(text) - len(last[1:])]
    text = text.replace("\\", "\\\\").replace("}", "\\}")
    text = re.sub(r"\[(?=%(?:clk|eval|csl|cal)\b)", r"\\[", text)
    return first + _visible(text) + last


def comment_words(text: str) -> list[str]:
    """An escaped comment, split where a line may break: at single spaces between other characters."""
    return re.split(r"(?<=[^ \\]) (?=[^ ])", text)


class Said(NamedTuple):
    """The content of a comment after an action: text, clock, evaluation and marks."""

    text: str
    clock: int | None = None
    evaluation: Evaluation | None = None
    marks: tuple[Mark, ...] = ()


def read_said(escaped: str, text: Text, place: int) -> Said:
    """The text of a comment without its `[%clk]`, `[%eval]`, `[%csl]` and `[%cal]`, which are data."""
    clock: int | None = None
    evaluation: Evaluation | None = None
    marks: list[Mark] = []
    folded = _FOLD.sub(" ", escaped)

    def take(found: re.Match[str]) -> str:
        nonlocal clock, evaluation
        if _is_escaped(folded, found.start()):
            return found[0]
        if found[1] == "clk":
            clock = _clock(found[2].strip(), text, place)
        elif found[1] != "eval":
            # Records of earlier versions may contain these words with any content.
            drawn = _marks(found[1], found[2].strip())
            if drawn is None:
                return found[0]
            marks.extend(drawn)
        else:
            evaluation = _evaluation(found[2].strip(), text, place)
        return ""

    rest = _DATA.sub(take, folded)
    return Said(unescaped(_trimmed(rest)), clock, evaluation, tuple(marks))


def read_opening(escaped: str) -> Said:
    """The text of a comment before the first action without its `[%csl]` and `[%cal]`; it has no other data."""
    marks: list[Mark] = []
    folded = _FOLD.sub(" ", escaped)

    def take(found: re.Match[str]) -> str:
        drawn = _marks(found[1], found[2].strip())
        if drawn is None or _is_escaped(folded, found.start()):
            return found[0]
        marks.extend(drawn)
        return ""

    rest = _DATA.sub(take, folded)
    return Said(unescaped(_trimmed(rest)), marks=tuple(marks))


_LETTERS = {colour[0].upper(): colour for colour in COLOURS}
_DRAWN = {
    "csl": re.compile(rf"([A-Z])()({CELL})"),
    "cal": re.compile(rf"([A-Z])({CELL})-({CELL})"),
}


def _marks(kind: str, value: str) -> list[Mark] | None:
    """The marks in `[%csl]` or `[%cal]`; None if they can't be read."""
    if kind not in _DRAWN:
        return None
    marks = []
    for word in value.split(","):
        found = _DRAWN[kind].fullmatch(word.strip())
        if found is None or found[1] not in _LETTERS or found[2] == found[3]:
            return None
        marks.append(Mark(found[3], found[2] or None, _LETTERS[found[1]]))
    return marks


def marks_words(marks: tuple[Mark, ...]) -> list[str]:
    """Marks as written in a comment.

    >>> marks_words((Mark("e7"), Mark("f8", colour="red"), Mark("e12", "e7")))
    ['[%csl Ge7,Rf8]', '[%cal Ge7-e12]']
    """
    drawn: dict[str, list[str]] = {"csl": [], "cal": []}
    for mark in marks:
        kind, cells = (
            ("csl", mark.target) if mark.source is None else ("cal", f"{mark.source}-{mark.target}")
        )
        drawn[kind].append(mark.colour[0].upper() + cells)
    return [f"[%{kind} {','.join(words)}]" for kind, words in drawn.items() if words]


def _trimmed(escaped: str) -> str:
    """The text without unescaped spaces at its ends."""
    left = escaped.lstrip(" \t")
    kept = left.rstrip(" \t")
    return kept + " " if len(kept) < len(left) and _is_escaped(left, len(kept)) else kept


def _is_escaped(text: str, place: int) -> bool:
    slashes = 0
    while place > slashes and text[place - 1 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1


_CLOCK = re.compile(r"([0-9]{1,5}):([0-5]?[0-9]):([0-5]?[0-9])(?:\.([0-9]{1,3}))?")
_EVALUATION = re.compile(
    r"([0-9.eE+-]{1,40}(?:[ ]+[0-9.eE+-]{1,40}){1,7})(?:[ ]+depth=([0-9]{1,18}))?(?:[ ]+nodes=([0-9]{1,18}))?"
)


def _clock(value: str, text: Text, place: int) -> int:
    found = _CLOCK.fullmatch(value)
    if found is None:
        message = (
            f"[%clk {value[:40]}]: a clock is written hours:minutes:seconds, as in [%clk 0:09:58.5]"
        )
        raise text.error(place, "record-clock", message)
    hours, minutes, seconds = int(found[1]), int(found[2]), int(found[3])
    thousandths = int((found[4] or "0").ljust(3, "0"))
    clock = ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths
    if clock > MAX_CLOCK:
        raise text.error(place, "record-clock", f"[%clk {value}]: more than a year")
    return clock


def clock_text(clock: int) -> str:
    """A clock as written in `[%clk]`.

    >>> clock_text(598_500)
    '0:09:58.5'
    """
    seconds, thousandths = divmod(clock, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}"
    return text if not thousandths else f"{text}.{thousandths:03}".rstrip("0")


def _evaluation(value: str, text: Text, place: int) -> Evaluation:
    found = _EVALUATION.fullmatch(value)
    try:
        if found is None:
            raise ValueError
        shares = tuple(float(share) for share in found[1].split())
    except ValueError:
        message = (
            f"[%eval {value[:40]}]: an evaluation gives each seat's part of the win, as in"
            " [%eval 0.62 0.38 depth=12]"
        )
        raise text.error(place, "record-evaluation", message) from None
    depth, nodes = (None if count is None else int(count) for count in found.group(2, 3))
    return Evaluation(shares, depth, nodes)


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation as written in `[%eval]`.

    >>> evaluation_text(Evaluation((0.62, 0.38), depth=12))
    '0.62 0.38 depth=12'
    """
    words = [repr(share) for share in evaluation.shares]
    words += [f"depth={evaluation.depth}"] if evaluation.depth is not None else []
    words += [f"nodes={evaluation.nodes}"] if evaluation.nodes is not None else []
    return " ".join(words)


def result_text(winners: tuple[int, ...] | None, players: int) -> str:
    """A result as written in the tag and at the end: each seat's share of the win, `draw`, or `*` for a game without a result.

    >>> result_text((0,), 2), result_text((0, 2), 3), result_text((), 2), result_text(None, 2)
    ('1-0', '1/2-0-1/2', 'draw', '*')
    """
    if winners is None:
        return "*"
    if not winners:
        return "draw"
    share = "1" if len(winners) == 1 else f"1/{len(winners)}"
    return "-".join(share if seat in winners else "0" for seat in range(players))
