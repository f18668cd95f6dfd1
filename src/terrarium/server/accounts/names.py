"""Names of accounts: keys for looking them up, and for finding names that look alike."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["name_key", "skeleton"]

_MAX_SKELETON = 255


def name_key(name: str) -> str:
    """The key for looking up a name: without differences in case, width and spaces."""
    # PostgreSQL refuses NUL even in a query; names never contain it.
    text = " ".join(name.replace("\0", "\ufffd").split())
    return unicodedata.normalize("NFKC", text).casefold()[:64]


def skeleton(name: str) -> str:
    """The skeleton of a name, equal for all names that look alike, from the confusables of Unicode (UTS 39).

    It is mapped before and after folding the case, because a capital I looks like a small L.

    >>> skeleton("Аnnа") == skeleton("anna"), skeleton("PauI") == skeleton("Paul"), skeleton("B0b") == skeleton("bob")
    (True, True, True)
    >>> skeleton("Anna") == skeleton("Hanna")
    False
    """
    return _mapped(_mapped(unicodedata.normalize("NFKC", name)).casefold())[:_MAX_SKELETON]


def _mapped(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize(
        "NFD", "".join(_prototype(letter) for letter in apart if letter != " ")
    )


@lru_cache(maxsize=4096)
def _prototype(letter: str) -> str:
    """The letter that represents all letters that look like this one.

    The package lists similar letters: a prototype has many, every other letter has only its prototype.
    """
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    near = [str(item["c"]) for item in confusables_data.get(letter, ())]
    if len(near) != 1:
        return letter
    if len(confusables_data.get(near[0], ())) > 1:
        return near[0]
    return min(letter, near[0], key=lambda text: (len(text), text))
