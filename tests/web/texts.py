"""The page's texts, read from its catalogues: tests name a key, never a sentence."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

LOCALES = Path(__file__).parents[2] / "web" / "src" / "locales"
LANGUAGES = ("en", "fr", "nl", "sv", "de", "it")


@cache
def catalogue(language: str, area: str) -> dict[str, str]:
    """All texts of one area."""
    texts: dict[str, str] = json.loads((LOCALES / language / f"{area}.json").read_text("utf-8"))
    return texts


def t(key: str, **values: object) -> str:
    """The English text under `area.name` with its values filled in, as the page shows it."""
    area, name = key.split(".", 1)
    return fill(catalogue("en", area)[name], values)


def pattern(key: str, **values: object) -> re.Pattern[str]:
    """Matches the English text under a key, with any text for values that are not given."""
    area, name = key.split(".", 1)
    parts = re.split(r"\{\w+\}", fill(catalogue("en", area)[name], values))
    return re.compile(".*".join(re.escape(part) for part in parts))


def fill(message: str, values: dict[str, object]) -> str:
    """A message with its values; a value that is not given stays in braces.

    >>> fill("{name}: {count, plural, =0 {nothing} one {# cell} other {# cells}}", {"count": 2})
    '{name}: 2 cells'
    """
    out, at = "", 0
    while (opening := message.find("{", at)) >= 0:
        closing = end_of(message, opening)
        out += message[at:opening] + placeholder(message[opening + 1 : closing], values)
        at = closing + 1
    return out + message[at:]


def placeholder(inside: str, values: dict[str, object]) -> str:
    name, plural, forms = (*inside.split(",", 2), "", "")[:3]
    if name not in values:
        return f"{{{name}}}"
    if not plural:
        return str(values[name])
    branches: dict[str, str] = {}
    while "{" in forms:
        opening = forms.index("{")
        closing = end_of(forms, opening)
        branches[forms[:opening].strip()] = forms[opening + 1 : closing]
        forms = forms[closing + 1 :]
    usual = "one" if values[name] == 1 else "other"
    chosen = branches.get(f"={values[name]}", branches.get(usual, branches["other"]))
    return fill(chosen.replace("#", str(values[name])), values)


def end_of(message: str, opening: int) -> int:
    """The index of the brace that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(message)):
        depth += {"{": 1, "}": -1}.get(message[at], 0)
        if not depth:
            return at
    raise ValueError(f"{message!r}: a brace is not closed")
