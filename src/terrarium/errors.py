"""All errors, in one hierarchy.

::

    TerrariumError              code, message, rule, facts
    ├── InvalidAction           text or id that isn't an action of this game on this board
    ├── IllegalAction           an action, but not allowed here; names the rule
    │   └── ImpossibleAction    no position of this board allows it (also an InvalidAction: it has no id)
    ├── InvalidRules            an option or a combination of options that does not exist
    ├── InvalidBoard            a board that can't be played on; lists every problem with its place
    ├── InvalidPosition         a text or a setup that isn't a position
    ├── InvalidRecord           a `.terra` text that can't be read; line and column
    ├── InvalidArgument         a number out of range, such as a depth or a seed
    └── EngineError             a computer player that can't be set up or used as requested

Every error has a stable `code` for programs, a `message` for people that quotes the input and says what would be
right, and the number of the `rule` it is based on, if any. `facts` are the values in the message, such as a cell or a
cost, for interfaces that write their own texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "EngineError",
    "IllegalAction",
    "ImpossibleAction",
    "InvalidAction",
    "InvalidArgument",
    "InvalidBoard",
    "InvalidPosition",
    "InvalidRecord",
    "InvalidRules",
    "Problem",
    "TerrariumError",
]


# codes of version 0.1 and their present names, for `has_code`
RENAMED = {"not-an-action": "unreadable-action", "position-text": "unreadable-position"}


class TerrariumError(ValueError):
    """Any error that input can cause.

    >>> error = IllegalAction("stone-not-adjacent", "+a2: no pioneer moved this turn stands next to a2", "TN-13")
    >>> print(error)
    +a2: no pioneer moved this turn stands next to a2 (TN-13)
    >>> error.to_dict()["code"]
    'stone-not-adjacent'
    """

    def __init__(
        self,
        code: str,
        message: str,
        rule: str | None = None,
        *,
        facts: Mapping[str, str | int] | None = None,
    ) -> None:
        super().__init__(code, message, rule)
        self.code = code
        self.message = message
        self.rule = rule
        self.facts = dict(facts or {})

    def __str__(self) -> str:
        return f"{self.message} ({self.rule})" if self.rule else self.message

    def has_code(self, code: str) -> bool:
        """Whether the error has this code; names from version 0.1 are accepted too.

        >>> InvalidPosition("unreadable-position", "'x' is not a position").has_code("position-text")
        True
        """
        return self.code in (code, RENAMED.get(code))

    def to_dict(self) -> dict[str, Any]:
        """The error as every interface reports it; without `facts` if there are none."""
        shape = {"code": self.code, "message": self.message, "rule": self.rule}
        return shape | {"facts": self.facts} if self.facts else shape


class InvalidAction(TerrariumError):
    """A text or an id that isn't an action of this game on this board."""


class IllegalAction(TerrariumError):
    """An action that the rules do not allow in this position."""


class ImpossibleAction(IllegalAction, InvalidAction):
    """A move between cells that no position can allow: not in line (TN-10), not adjacent (TT-10).

    It breaks a rule, so it is illegal; and it has no id, so it isn't an action of this board either.
    """


class InvalidRules(TerrariumError):
    """An option, or a combination of options, that the game does not have."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a board: what, and where (line and column count from 1)."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        place = (
            f"line {self.line}"
            if self.column is None
            else f"line {self.line}, column {self.column}"
        )
        return f"{place}: {self.message}"


class InvalidBoard(TerrariumError):
    """A board that can't be played on, with every problem found."""

    def __init__(
        self, code: str, message: str, rule: str | None = None, problems: tuple[Problem, ...] = ()
    ) -> None:
        super().__init__(code, message, rule)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.rule, self.problems)


class InvalidPosition(TerrariumError):
    """A text or a setup that isn't a position of the game."""


class InvalidRecord(TerrariumError):
    """A `.terra` text that can't be read, with the line and column where reading stopped."""

    def __init__(
        self,
        code: str,
        message: str,
        rule: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(code, message, rule)
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.rule, self.line, self.column)


class InvalidArgument(TerrariumError):
    """A depth, a number of games or threads, or a seed that is out of range."""


class EngineError(TerrariumError):
    """A computer player that can't be set up or used as requested."""
