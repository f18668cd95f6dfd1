"""The labels of a record: names at the seats, the date, tags."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from types import MappingProxyType

from terrarium.core.record.line import problem

__all__ = ["MAX_TAGS", "RESERVED", "check_date", "checked_seats", "checked_tags", "is_tag_name"]

MAX_TAGS = 200
MAX_TAG = 4_096
MAX_SEAT_NAME = 200


def checked_seats(seats: object, players: int) -> tuple[str, ...]:
    """The names, one for each seat; raises InvalidRecord if they are invalid."""
    if not isinstance(seats, (tuple, list)):
        raise problem("record-seats", f"{seats!r:.80}: seats are names, one for each seat")
    names = tuple(seats) or ("",) * players
    if len(names) != players:
        raise problem("record-seats", f"{len(names)} names for {players} seats: give one for each")
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_SEAT_NAME:
            message = f"{name!r:.80}: a seat's name is a text of at most {MAX_SEAT_NAME} characters"
            raise problem("record-seats", message)
    return names


def check_date(date: object) -> None:
    """Raise InvalidRecord unless the date is a `datetime.date` or None."""
    if date is not None and type(date) is not datetime.date:
        raise problem("record-date", f"{date!r:.80}: a record's date is a datetime.date")


RESERVED = frozenset(
    (
        *(
            "Game",
            "Rules",
            "RulesVersion",
            "Board",
            "Map",
            "Landscapes",
            "BoardAuthor",
            "BoardNote",
        ),
        *("Start", "Date", "Result", "Reason", "Scores", *(f"Seat{seat}" for seat in range(8))),
    )
)
"""Tags that the format defines; `Record.tags` can't contain them."""


def checked_tags(tags: object) -> Mapping[str, str]:
    """The tags, read-only; raises InvalidRecord if they can't be written and read back."""
    if not isinstance(tags, Mapping) or len(tags) > MAX_TAGS:
        raise problem("record-tags", f"{tags!r:.80}: tags are at most {MAX_TAGS} names with texts")
    for name, value in tags.items():
        if not is_tag_name(name):
            message = (
                f"{name!r:.80}: a tag's name is a letter, then at most 63 letters, digits or _"
            )
            raise problem("record-tags", message)
        if name in RESERVED:
            raise problem("record-tags", f"{name}: this tag is written by the record itself")
        if not isinstance(value, str) or len(value) > MAX_TAG:
            message = (
                f"{name} {value!r:.80}: a tag's value is a text of at most {MAX_TAG:,} characters"
            )
            raise problem("record-tags", message)
    return MappingProxyType(dict(tags))


def is_tag_name(name: object) -> bool:
    """Whether this is a valid name for a tag."""
    return (
        isinstance(name, str)
        and 1 <= len(name) <= 64
        and name.isascii()
        and name[0].isalpha()
        and name.replace("_", "a").isalnum()
    )
