"""The rule books and guided games of the page, read from its sources."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from terrarium import nova, turrium
from terrarium.core.position import Position

GAMES = Path(__file__).parents[2] / "web" / "src" / "games"

Step = dict[str, Any]
Figure = dict[str, Any]

_WORDS = re.compile(r"'((?:[^'\\]|\\.)*)'|([A-Za-z_]\w*)(?=\s*:)|,(?=\s*[}\]])")


def read(path: str) -> list[dict[str, Any]]:
    """The one list that a data module exports."""
    text = (GAMES / path).read_text("utf-8")
    start = text.index("[", text.index("] = ") + 1)
    literal = text[start : text.rindex("]") + 1]

    def as_json(found: re.Match[str]) -> str:
        if found[1] is not None:
            return json.dumps(found[1].replace("\\'", "'"))
        return f'"{found[2]}"' if found[2] else ""

    data: list[dict[str, Any]] = json.loads(_WORDS.sub(as_json, literal))
    return data


BOOKS = {game: read(f"{game}/book.ts") for game in ("nova", "turrium")}
LESSONS: dict[str, list[Step]] = {game: read(f"{game}/lesson.ts") for game in ("nova", "turrium")}
FIGURES: list[Figure] = [
    figure for book in BOOKS.values() for chapter in book for figure in chapter["figures"]
]


def position(text: str) -> Position:
    game = {"nova": nova, "turrium": turrium}[text.split(" ", 1)[0]]
    found: Position = game.Position.from_text(text)
    return found
