"""A region of the island, described for interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Region"]


@dataclass(frozen=True, slots=True)
class Region:
    """A maximal connected set of cells still in play, without stones between them."""

    cells: tuple[str, ...]
    landscapes: tuple[str, ...]
    pioneers: tuple[int, ...]
    """How many pioneers of each seat stand inside."""
    points: int
    """What it would pay if it were closed now; 0 with more than three landscapes (TN-16, TN-17)."""
    awards: tuple[int, ...]
    """What each seat would get of that (TN-18)."""
    is_closable: bool
    """Whether it holds three landscapes or fewer, so that the next stone beside it scores it (TN-16)."""

    def to_dict(self) -> dict[str, Any]:
        """The region as interfaces receive it."""
        return {
            "cells": list(self.cells),
            "landscapes": list(self.landscapes),
            "pioneers": list(self.pioneers),
            "points": self.points,
            "awards": list(self.awards),
            "is_closable": self.is_closable,
        }
