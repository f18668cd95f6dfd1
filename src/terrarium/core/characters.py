"""The computer players as characters: the name, level and playing style of each.

A level has as many characters as a table has seats, so that computers at one table always have different names.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["CHARACTERS", "Character", "character_for"]


@dataclass(frozen=True, slots=True)
class Character:
    """One computer player; `key` is for programs, `name` is shown as it is in every language.

    `style` is the key of a sentence about how it plays, which interfaces translate. `place` counts the characters of
    a level from 0 on: interfaces draw a face from level and place.
    """

    key: str
    name: str
    level: int
    style: str
    place: int = 0


_NAMES = (
    ("Lumo", "Plip", "Wobba", "Nuni"),
    ("Dotta", "Bipp", "Tikki", "Romba"),
    ("Quax", "Ploff", "Ribbi", "Umbo"),
    ("Zikko", "Tarra", "Fennu", "Lasko"),
    ("Torvo", "Mossa", "Skaldo", "Orrok"),
    ("Iriso", "Vexa", "Pallo", "Kamo"),
    ("Sazz", "Ondula", "Vipro", "Nagu"),
    ("Drakma", "Ignaro", "Vulka", "Fyrra"),
)

CHARACTERS: tuple[Character, ...] = tuple(
    Character(name.lower(), name, level, f"{level}{'ab'[place % 2]}", place)
    for level, names in enumerate(_NAMES, 1)
    for place, name in enumerate(names)
)
"""The characters of a game that doesn't define its own, the lowest level first."""


def character_for(
    characters: Collection[Character], level: int, taken: Collection[str | None]
) -> Character | None:
    """The first character of this level whose key is not taken; None if all are taken.

    >>> character_for(CHARACTERS, 3, {"quax"}).name
    'Ploff'
    """
    return next((one for one in characters if one.level == level and one.key not in taken), None)
