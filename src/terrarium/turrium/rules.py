"""The options of Terra Turrium (TT-1, TT-2, TT-5, TT-7, TT-12, TT-17, TT-18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from terrarium.core.option import Option, check_names

__all__ = ["RULES_VERSION", "Rules"]

RULES_VERSION = 1
"""Rises when the behaviour of the rules changes, never for speed."""

_OPTIONS = (
    Option("players", "choice", 2, "TT-1", choices=(2, 3, 4)),
    Option("variant", "choice", "standard", "TT-17", choices=("standard", "burgenland")),
    Option("enemy_takes", "choice", "total", "TT-5", choices=("total", "per_territory")),
    Option("two_player_sides", "choice", "adjacent", "TT-2", choices=("adjacent", "opposite")),
    Option("line", "choice", "orthogonal", "TT-7", choices=("orthogonal", "path")),
    Option("two_player_area", "choice", 6, "TT-1", choices=(6, 8)),
    Option("vacant_attack", "flag", True, "TT-12"),
    Option("max_rounds", "number", 100, "TT-18", minimum=1, maximum=10_000),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a game of Terra Turrium.

    Options that do not apply to the number of players are accepted and have no effect. They are kept as given, so rules
    are equal only if all options are equal.

    >>> Rules(players=3, line="path").to_dict()["line"]
    'path'
    >>> Rules(line="diagonal")
    Traceback (most recent call last):
    terrarium.errors.InvalidRules: line='diagonal': must be 'orthogonal' or 'path' (TT-7)
    """

    players: int = 2
    variant: str = "standard"
    enemy_takes: str = "total"
    two_player_sides: str = "adjacent"
    line: str = "orthogonal"
    two_player_area: int = 6
    vacant_attack: bool = True
    max_rounds: int = 100

    def __post_init__(self) -> None:
        for option in _OPTIONS:
            option.check(getattr(self, option.name))

    @staticmethod
    def options() -> tuple[Option, ...]:
        """Every option, described for interfaces."""
        return _OPTIONS

    def to_dict(self) -> dict[str, Any]:
        """Every option by name; `Rules(**rules.to_dict()) == rules`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Rules:
        """The rules with these options; raises InvalidRules that names the wrong one."""
        check_names(_OPTIONS, options)
        return cls(**options)

    @property
    def side(self) -> int:
        """The number of cells along a side of the used area (TT-1)."""
        return {2: self.two_player_area, 3: 8, 4: 10}[self.players]
