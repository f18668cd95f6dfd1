"""The options of Terra Nova, and the editions as presets of them (TN-2, TN-3, TN-12, TN-24, TN-27)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from types import MappingProxyType
from typing import Any, Literal, cast

from terrarium.core.option import Option, check_names

__all__ = [
    "COLOURS",
    "EDITIONS",
    "MAX_PIONEERS",
    "MAX_STALL_ROUNDS",
    "MAX_STONES",
    "PIONEERS",
    "RULES_VERSION",
    "Edition",
    "Rules",
]

RULES_VERSION = 1
"""Rises when the behaviour of the rules changes, never for speed."""

COLOURS = ("yellow", "red", "blue", "green")
"""The colours by seat: the smaller box has enough pioneers for them in this order (TN-3)."""

PIONEERS: Mapping[int, int] = MappingProxyType({2: 13, 3: 10, 4: 8})
"""How many pioneers a player has, by the number of players (TN-3)."""

MAX_PIONEERS = 255
MAX_STONES = 1024
MAX_STALL_ROUNDS = 1000

_SMALL_BOX = MappingProxyType(dict(zip(COLOURS, (13, 13, 10, 8), strict=True)))
_LARGE_BOX = MappingProxyType(dict.fromkeys(COLOURS, 13))


@dataclass(frozen=True, slots=True)
class Edition:
    """The points in which the rule books differ, for one book."""

    name: str
    returning: str
    depletion: bool
    starter: Literal["chosen", "lot"]
    box: Mapping[str, int]


EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        "fr": Edition("fr", "three_moves", False, "chosen", _SMALL_BOX),
        "nl": Edition("nl", "three_moves", False, "lot", _SMALL_BOX),
        "sv": Edition("sv", "turn_end", False, "chosen", _SMALL_BOX),
        "en": Edition("en", "never", True, "chosen", _LARGE_BOX),
    }
)
"""The rule books by language: French, Dutch, Swedish, English."""

_OPTIONS = (
    Option("players", "choice", 2, "TN-3", choices=(2, 3, 4)),
    Option("edition", "choice", "fr", "TN-2", choices=tuple(EDITIONS)),
    Option("returning", "choice", None, "TN-12", choices=("three_moves", "turn_end", "never")),
    Option("depletion", "flag", None, "TN-24"),
    Option("stall_rounds", "number", 20, "TN-27", minimum=0, maximum=MAX_STALL_ROUNDS),
    Option("pioneers", "number", None, "TN-3", minimum=1, maximum=MAX_PIONEERS),
    Option("stones", "number", 80, "TN-2", minimum=0, maximum=MAX_STONES),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a game of Terra Nova; an option left out has the edition's value.

    >>> rules = Rules(players=3, edition="en")
    >>> rules.returning, rules.depletion, rules.pioneers
    ('never', True, 10)
    >>> Rules(returning="always")
    Traceback (most recent call last):
    terrarium.errors.InvalidRules: returning='always': must be 'three_moves', 'turn_end' or 'never' (TN-12)
    """

    players: int = 2
    edition: str = "fr"
    _: KW_ONLY
    returning: str = cast(str, None)
    depletion: bool = cast(bool, None)
    stall_rounds: int = 20
    pioneers: int = cast(int, None)
    stones: int = 80

    def __post_init__(self) -> None:
        by_name = {option.name: option for option in _OPTIONS}
        for name in ("players", "edition"):
            by_name.pop(name).check(getattr(self, name))
        for option in by_name.values():
            if getattr(self, option.name) is None:
                object.__setattr__(self, option.name, self.preset(option.name))
            option.check(getattr(self, option.name))

    def preset(self, name: str) -> Any:
        """The default of an option for this edition and number of players."""
        if name == "pioneers":
            return PIONEERS[self.players]
        if name in ("returning", "depletion"):
            return getattr(EDITIONS[self.edition], name)
        return next(option.default for option in _OPTIONS if option.name == name)

    @staticmethod
    def options() -> tuple[Option, ...]:
        """Every option, described for interfaces; a default of None comes from the edition."""
        return _OPTIONS

    def to_dict(self) -> dict[str, Any]:
        """Every option by name, resolved; `Rules(**rules.to_dict()) == rules`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Rules:
        """The rules with these options; raises InvalidRules that names the wrong one."""
        check_names(_OPTIONS, options)
        return cls(**options)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colour of each seat (TN-2, TN-3)."""
        return COLOURS[: self.players]

    @property
    def box(self) -> Mapping[str, int]:
        """How many pioneers of each colour the edition's box holds (TN-2)."""
        return EDITIONS[self.edition].box

    @property
    def starter(self) -> Literal["chosen", "lot"]:
        """How the starting player is chosen (TN-4); in the library seat 0 always starts."""
        return EDITIONS[self.edition].starter

    @property
    def stall_limit(self) -> int:
        """How many turns in a row without a stone end the game; 0 if they never do (TN-27)."""
        return self.stall_rounds * self.players
