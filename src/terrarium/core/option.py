"""An option of a game's rules, described for interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Option"]


@dataclass(frozen=True, slots=True)
class Option:
    """One named option: what it may be, what it is when nobody chooses, and the rule it belongs to."""

    name: str
    kind: Literal["choice", "flag", "number"]
    default: str | int | bool | None
    rule: str
    choices: tuple[str | int, ...] = ()
    minimum: int | None = None
    maximum: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The option as interfaces receive it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "default": self.default,
            "rule": self.rule,
            "choices": list(self.choices),
            "minimum": self.minimum,
            "maximum": self.maximum,
        }
