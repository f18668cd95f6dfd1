"""An option of a game's rules, described for interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from terrarium.errors import InvalidRules

__all__ = ["Option", "check_names"]


@dataclass(frozen=True, slots=True)
class Option:
    """One named option: its possible values, its default, and the rule it belongs to."""

    name: str
    kind: Literal["choice", "flag", "number"]
    default: str | int | bool | None
    rule: str
    choices: tuple[str | int, ...] = ()
    minimum: int | None = None
    maximum: int | None = None

    def check(self, value: object) -> None:
        """Raise InvalidRules if the option can't have this value."""
        if self.kind == "flag":
            is_right = isinstance(value, bool)
            allowed = "True or False"
        elif self.kind == "choice":
            is_right = any(type(value) is type(one) and value == one for one in self.choices)
            *most, last = map(repr, self.choices)
            allowed = f"{', '.join(most)} or {last}"
        else:
            low, high = self.minimum or 0, self.maximum or 0
            is_right = type(value) is int and low <= value <= high
            allowed = f"a whole number from {low} to {high}"
        if not is_right:
            message = f"{self.name}={value!r:.80}: must be {allowed}"
            raise InvalidRules("invalid-option", message, self.rule)

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


def check_names(options: Sequence[Option], given: object) -> None:
    """Raise InvalidRules unless the argument is a mapping with names of options as keys."""
    if not isinstance(given, Mapping):
        raise InvalidRules("not-rules", f"{given!r:.80}: rules are options by name")
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            message = f"{name!r:.80}: the options are {', '.join(names)}"
            raise InvalidRules("unknown-option", message)
