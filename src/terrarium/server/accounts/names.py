"""Names of accounts: how they are looked up, and which of them look alike."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["name_key", "skeleton"]

_MAX_SKELETON = 255


def name_key(name: str) -> str:
    """A name as it is looked up: whatever its case, width and spaces."""
    # PostgreSQL refuses a NUL even in a query, and no name contains one.
    text = " ".join(name.replace("\0", "\ufffd").split())
    return unicodedata.normalize("NFKC", text).casefold()[:64]


def skeleton(name: str) -> str:
    """What all names that look alike have in common, after the confusables of Unicode (UTS 39).

    Mapped once with its case and once without, because a capital I looks like a small L.

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
    """The letter that represents all that look like this one.

    The package lists the neighbours of a letter: a prototype has many, every other one has only its prototype.
    """
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    near = [str(item["c"]) for item in confusables_data.get(letter, ())]
    if len(near) != 1:
        return letter
    if len(confusables_data.get(near[0], ())) > 1:
        return near[0]
    return min(letter, near[0], key=lambda text: (len(text), text))
