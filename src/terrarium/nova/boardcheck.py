"""Checks of board maps and labels: all problems with their places, not only the first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from terrarium.errors import Problem

MAX_ROWS = 26
MAX_NUMBER = 64
MAX_CELLS = 1024
MAX_TEXT = 16_384
MIN_LANDSCAPES = 4
MAX_LANDSCAPES = 32

_MAX_PROBLEMS = 50
_SEA = " ."
_KEY = re.compile(r"[a-z][a-z0-9_-]{0,31}")

_Place = tuple[int, int]


def lines_of(text_map: str) -> list[str]:
    """The lines of a map, with either kind of line ending."""
    return text_map.replace("\r\n", "\n").split("\n")


def check(text_map: object) -> list[Problem]:
    """All problems of a map, in reading order; empty if it is valid (TN-1).

    >>> [str(problem) for problem in check("A A B\\n C D\\n\\n E")]
    ['line 4, column 2: a piece of 1 cell apart from the rest of the board; a board is one connected piece']
    """
    if not isinstance(text_map, str):
        kind = type(text_map).__name__
        return [Problem("board-map", f"the map is {kind}; it must be text, a line for each row")]
    if len(text_map) > MAX_TEXT:
        message = f"the map has {len(text_map):,} characters; at most {MAX_TEXT:,} are read"
        return [Problem("board-text-size", message)]
    lines = lines_of(text_map)
    problems = _bad_characters(lines)
    cells = {
        (line, x): letter
        for line, text in enumerate(lines)
        for x, letter in enumerate(text)
        if _is_landscape(letter)
    }
    if not cells:
        if not problems:
            message = "no cells; draw each cell as its landscape's letter"
            problems.append(Problem("board-empty", message, 1, 1))
        return problems
    crooked = _wrong_parity(cells)
    problems += crooked + _too_large(cells)
    if not crooked and not problems:
        problems += _apart(cells)
    problems += _landscape_count(cells)
    problems.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(problems) > _MAX_PROBLEMS:
        rest = len(problems) - _MAX_PROBLEMS
        problems[_MAX_PROBLEMS:] = [Problem("board-problems", f"and {rest} more problems")]
    return problems


def check_labels(
    text_map: object, name: object, landscapes: object, author: object, note: object
) -> list[Problem]:
    """All problems of a board's labels: name, landscape keys, author and note."""
    problems = _bad_text("name", name, 1, 64)
    problems += _bad_text("author", author, 0, 200) + _bad_text("note", note, 0, 2000)
    if not isinstance(landscapes, Mapping):
        kind = type(landscapes).__name__
        message = f"landscapes is {kind}; it must give a key for each landscape letter"
        return [*problems, Problem("landscape-keys", message)]
    letters = set(text_map) if isinstance(text_map, str) else set()
    of_key: dict[str, str] = {}
    for letter, key in landscapes.items():
        if letter not in letters or not _is_landscape(letter):
            message = f"landscape {letter!r} ({key!r}) has no cell on the map"
            problems.append(Problem("landscape-keys", message))
        elif not isinstance(key, str) or not (_KEY.fullmatch(key) or key == letter):
            message = f"landscape {letter!r}: the key {key!r} must be one word such as 'forest'"
            problems.append(Problem("landscape-keys", message))
        elif of_key.setdefault(key, letter) != letter:
            message = f"landscapes {of_key[key]!r} and {letter!r} have the same key {key!r}"
            problems.append(Problem("landscape-keys", message))
    return problems


def place_in_file(problem: Problem, text_map: object, text: str) -> Problem:
    """The problem with its place in the file `text`, if that contains the map unchanged."""
    if problem.line is None or not isinstance(text_map, str):
        return problem
    text = text.replace("\r\n", "\n")
    at = text.find(text_map.replace("\r\n", "\n"))
    if at < 0 or not text_map.strip():
        return problem
    before = text[:at]
    column = problem.column or 1
    if problem.line == 1:
        column += len(before) - (before.rfind("\n") + 1)
    return replace(problem, line=problem.line + before.count("\n"), column=column)


def _is_landscape(letter: object) -> bool:
    return isinstance(letter, str) and len(letter) == 1 and letter.isalnum()


def _bad_characters(lines: list[str]) -> list[Problem]:
    problems = []
    for line, text in enumerate(lines, 1):
        for column, letter in enumerate(text, 1):
            if letter in _SEA or _is_landscape(letter):
                continue
            what = "a tab" if letter == "\t" else ascii(letter)
            message = f"{what} is neither a landscape's letter nor sea (a space or '.')"
            problems.append(Problem("board-character", message, line, column))
    return problems


def _wrong_parity(cells: dict[_Place, str]) -> list[Problem]:
    """A problem for each line with cells that cannot be neighbours of the others."""
    counts = [0, 0]
    for line, x in cells:
        counts[(line + x) % 2] += 1
    # The parity of most cells is the right one; if both are equally common, that of the first cell.
    first = sum(next(iter(cells))) % 2
    right = first if counts[first] >= counts[1 - first] else 1 - first
    problems = []
    for line in sorted({line for line, _ in cells}):
        columns = [x for at, x in cells if at == line]
        wrong = [x for x in columns if (line + x) % 2 != right]
        if not wrong:
            continue
        place = (line + 1, wrong[0] + 1)
        letter = cells[line, wrong[0]]
        if len(wrong) < len(columns):
            message = (
                f"{letter!r} is out of step with its row: neighbours in a row are two columns"
                " apart, with a space between them, as in 'A A B'"
            )
        else:
            message = (
                f"the row that begins with {letter!r} is not shifted: each row begins an odd number of"
                " columns to the left or right of the row above, so that its cells lie between that row's"
            )
        problems.append(Problem("board-parity", message, *place))
    return problems


def _too_large(cells: dict[_Place, str]) -> list[Problem]:
    problems = []
    top = min(line for line, _ in cells)
    rows = max(line for line, _ in cells) - top + 1
    if rows > MAX_ROWS:
        place = min(place for place in cells if place[0] >= top + MAX_ROWS)
        message = f"the board has {rows} rows; at most {MAX_ROWS}, a to z, can be named"
        problems.append(_at("board-rows", message, place))
    numbers = {place: sum(place) // 2 for place in cells}
    smallest = min(numbers.values())
    span = max(numbers.values()) - smallest + 1
    if span > MAX_NUMBER:
        place = min(at for at, number in numbers.items() if number - smallest >= MAX_NUMBER)
        message = f"the cells' numbers would run to {span}; at most {MAX_NUMBER}"
        problems.append(_at("board-numbers", message, place))
    if len(cells) > MAX_CELLS:
        place = sorted(cells)[MAX_CELLS]
        message = f"the board has {len(cells):,} cells; at most {MAX_CELLS:,}"
        problems.append(_at("board-cells", message, place))
    return problems


def _apart(cells: dict[_Place, str]) -> list[Problem]:
    """A problem for each connected piece except the largest."""
    pieces: list[set[_Place]] = []
    left = set(cells)
    for start in cells:
        if start not in left:
            continue
        left.remove(start)
        piece, open_ = {start}, [start]
        while open_:
            line, x = open_.pop()
            for near in (
                (line, x - 2),
                (line, x + 2),
                (line - 1, x - 1),
                (line - 1, x + 1),
                (line + 1, x - 1),
                (line + 1, x + 1),
            ):
                if near in left:
                    left.remove(near)
                    piece.add(near)
                    open_.append(near)
        pieces.append(piece)
    mainland = max(pieces, key=len)
    return [
        _at(
            "board-connected",
            f"a piece of {len(piece)} cell{'s' if len(piece) > 1 else ''} apart from the rest of the"
            " board; a board is one connected piece",
            min(piece),
        )
        for piece in pieces
        if piece is not mainland
    ]


def _landscape_count(cells: dict[_Place, str]) -> list[Problem]:
    letters = sorted(set(cells.values()))
    listed = ", ".join(letters[:MAX_LANDSCAPES])
    if len(letters) < MIN_LANDSCAPES:
        message = (
            f"only {len(letters)} landscape{'s' if len(letters) > 1 else ''} ({listed}); a board has"
            f" at least {MIN_LANDSCAPES}, or it would all be one territory"
        )
    elif len(letters) > MAX_LANDSCAPES:
        message = f"{len(letters)} landscapes; a board has at most {MAX_LANDSCAPES}"
    else:
        return []
    return [_at("board-landscapes", message, min(cells))]


def _at(code: str, message: str, place: _Place) -> Problem:
    return Problem(code, message, place[0] + 1, place[1] + 1)


def _bad_text(what: str, text: object, shortest: int, longest: int) -> list[Problem]:
    if not isinstance(text, str):
        return [Problem("board-field", f"{what} is {type(text).__name__}; it must be text")]
    if not shortest <= len(text) <= longest:
        message = f"{what} has {len(text)} characters; it must have {shortest} to {longest}"
        return [Problem("board-field", message)]
    if not text.isprintable():
        return [Problem("board-field", f"{what} {text!r} must be printable text on one line")]
    return []
