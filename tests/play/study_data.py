"""Studies for tests, and short functions for changes of editors."""

from __future__ import annotations

from typing import Any

import msgspec

from terrarium.play.studies import Change, ChapterSource, NewChapter, NewStudy
from terrarium.play.study import Study
from terrarium.play.study_checks import new_study

CHAPTER = "1"


def study_of(*texts: str, game: str = "nova") -> Study:
    """A study with a chapter for each text of actions, from the usual start."""
    chapters = [
        NewChapter(f"Chapter {number}", ChapterSource(text=f'[Game "{game}"]\n\n{text} *\n'))
        for number, text in enumerate(texts, 1)
    ]
    return new_study(NewStudy("Openings", chapters), {})[0]


def change(**fields: Any) -> Change:
    """A change as a page sends it."""
    found: Change = msgspec.json.decode(msgspec.json.encode(fields), type=Change)
    return found


def node(
    id: str, time: int, by: str = "ann", *, made: tuple[str, str] | None = None, **set: Any
) -> Change:
    """A change of a node in the first chapter; `made` is its parent and its actions."""
    fields: dict[str, Any] = {
        "type": "node",
        "chapter": CHAPTER,
        "id": id,
        "set": set,
        "time": time,
        "by": by,
    }
    if made is not None:
        fields["made"] = {"parent": made[0], "actions": made[1].split()}
        fields["set"] = {"is_hidden": False} | set
    return change(**fields)
