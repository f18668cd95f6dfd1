"""Where flags can go within a turn, and how cubes change that, so that interfaces can preview it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from terrarium.core.event import Event
from terrarium.core.game import Way
from terrarium.turrium.notation import MARKS

__all__ = ["ReachChanged", "previews", "reach"]


@dataclass(frozen=True, slots=True)
class ReachChanged(Event):
    """How the reach of a seat's flags, with all its points, changes if a cube is taken or placed (TT-9 to TT-13)."""

    kind: ClassVar[str] = "reach-changed"
    seat: int
    gained: tuple[str, ...]
    """The cells that come into reach."""
    lost: tuple[str, ...]
    """The cells that are no longer in reach."""
    gained_heights: tuple[int, ...]
    """The heights that no construction in reach had before."""
    lost_heights: tuple[int, ...]
    """The heights that no construction in reach has afterwards."""


def reach(position: Any) -> dict[str, list[Way]]:
    """The ways of every flag that can move now, by its cell; empty outside the move phase."""
    flags = position.flags
    return {
        source: [
            Way(
                cells[-1],
                tuple(
                    f"{a}{MARKS['capture' if b in flags else 'step']}{b}"
                    for a, b in pairwise(cells)
                ),
                points,
            )
            for points, cells in paths
        ]
        for source, paths in position.paths().items()
    }


def previews(position: Any) -> dict[str, list[Event]]:
    """How taking or placing cubes would change the reach of the seat's flags, by action."""
    kernel = position.kernel
    return {
        str(kernel.action(id)): [ReachChanged(position.to_move, *changes)]
        for id, changes in position.reach_changes().items()
    }
