"""The notation of Terra Nova: place `@e7`, move `e7-e12`, stone `+d8`."""

from __future__ import annotations

import re

from terrarium.core.action import Action
from terrarium.errors import InvalidAction

__all__ = ["MARKS", "parse_action"]

MARKS = {"place": "@", "move": "-", "stone": "+"}
"""The mark of each kind of action."""

_CELL = "[a-z][1-9][0-9]?"
_ONE = re.compile(rf"([@+])({_CELL})", re.ASCII)
_MOVE = re.compile(rf"({_CELL})-({_CELL})", re.ASCII)


def parse_action(text: str) -> Action:
    """The action that a text describes, without an id; `str` of it is the text again.

    >>> parse_action("e7-e12")
    Action(kind='move', source='e7', target='e12')
    >>> parse_action("e7 e12")
    Traceback (most recent call last):
    terrarium.errors.InvalidAction: 'e7 e12': write a placement as @e7, a move as e7-e12, a stone as +d8
    """
    one = _ONE.fullmatch(text)
    if one is not None:
        return Action("place" if one[1] == "@" else "stone", None, one[2], mark=one[1])
    move = _MOVE.fullmatch(text)
    if move is not None:
        return Action("move", move[1], move[2], mark="-")
    shown = repr(text) if len(text) <= 40 else f"{text[:40]!r}…"
    raise InvalidAction(
        "unreadable-action", f"{shown}: write a placement as @e7, a move as e7-e12, a stone as +d8"
    )
