"""The heights of a seat's towers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ladder"]


@dataclass(frozen=True, slots=True)
class Ladder:
    """The heights of a seat's flags in ascending order, and the heights of 1 to 6 that it misses (TT-14)."""

    held: tuple[int, ...]
    missing: tuple[int, ...]

    def to_dict(self) -> dict[str, list[int]]:
        """The ladder as interfaces receive it."""
        return {"held": list(self.held), "missing": list(self.missing)}
