"""Regions of the island, as interfaces receive them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Region"]


@dataclass(frozen=True, slots=True)
class Region:
    """A maximal connected set of cells in play."""

    cells: tuple[str, ...]
    landscapes: tuple[str, ...]
    pioneers: tuple[int, ...]
    """How many pioneers of each seat stand inside."""
    points: int
    """The points if it were closed now; 0 with more than three landscapes (TN-16, TN-17)."""
    awards: tuple[int, ...]
    """The share of each seat in these points (TN-18)."""
    is_closable: bool
    """Whether it has three landscapes or fewer, so that the next stone beside it scores it (TN-16)."""

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
