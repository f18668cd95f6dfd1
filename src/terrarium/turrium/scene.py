"""The content of a Terra Turrium picture, seen from one of the four corners: cells, owners, heights, flags, marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from terrarium.core.action import Action
from terrarium.turrium.notation import INDEX
from terrarium.turrium.palette import SEATS, Theme, mixed

if TYPE_CHECKING:
    from terrarium.turrium.position import Position

__all__ = ["Actions", "Scene", "Spot"]

Actions = Action | str | Iterable[Action | str]


@dataclass(frozen=True)
class Spot:
    """One cell in use: its place seen from the chosen corner, its height, its flag and the owner of the land."""

    cell: str
    u: int
    v: int
    height: int
    flag: int | None
    owner: int | None


class Scene:
    """A position seen with one corner of the board in front: SW, NW, NE, SE for turn 0, 1, 2, 3."""

    def __init__(self, position: Position, turn: int, theme: Theme, last: Actions) -> None:
        self.position = position
        self.theme = theme
        self.turn = turn
        self.side = position.rules.side
        self.margin = (10 - self.side) // 2
        heights, flags = position.heights, position.flags
        self.spots = {
            cell: Spot(cell, *self.place(cell), heights.get(cell, 0), flags.get(cell), owner)
            for cell, owner in position.territories.items()
        }
        if isinstance(last, Action | str):
            last = (last,)
        self.last = [
            position.parse(action) if isinstance(action, str) else action for action in last
        ]

    def place(self, cell: str) -> tuple[int, int]:
        """Steps to the right and upwards from the corner that is in front."""
        row, column = divmod(INDEX[cell], 10)
        across, up = (
            (column, row),
            (9 - row, column),
            (9 - column, 9 - row),
            (row, 9 - column),
        )[self.turn]
        return across - self.margin, up - self.margin

    def acted(self) -> tuple[set[str], set[str]]:
        """The cells that the last actions removed a piece from, and those they brought a piece to."""
        left: set[str] = set()
        reached: set[str] = set()
        for action in self.last:
            if action.source is not None:
                left.add(action.source)
            if action.target is not None:
                (left if action.kind == "take" else reached).add(action.target)
        return left - reached, reached

    def backwards(self) -> list[Spot]:
        """The spots from the farthest to the nearest, so that near spots are drawn over far ones."""
        return sorted(self.spots.values(), key=lambda spot: (-(spot.u + spot.v), spot.u))

    def labels(self) -> tuple[list[str], list[str]]:
        """The labels along the lower and the left edge: letters or numbers, depending on the side of the viewer."""
        at = {(spot.u, spot.v): spot.cell for spot in self.spots.values()}
        along = [at[u, 0] for u in range(self.side)]
        up = [at[0, v] for v in range(self.side)]
        if self.turn % 2 == 0:
            return [cell[0] for cell in along], [cell[1:] for cell in up]
        return [cell[1:] for cell in along], [cell[0] for cell in up]

    def owner_colour(self, owner: int | None) -> str:
        """The colour of a territory's owner; grey for vacant land (TT-2)."""
        return self.theme.vacant if owner is None else SEATS[owner]

    def ground(self, spot: Spot) -> str:
        """The colour of a cell's bare ground."""
        return mixed(self.theme.ground, self.owner_colour(spot.owner), self.theme.ground_mix)

    def tint(self, spot: Spot) -> str:
        """The colour of a construction's top: that of its height, mixed with a little of the owner's colour."""
        stone = self.theme.heights[min(spot.height, 7) - 1]
        return mixed(stone, self.owner_colour(spot.owner), self.theme.stone_mix)

    def quarter_owners(self) -> dict[tuple[int, int], int | None]:
        """The owner of each quarter by its corner: (0, 0) in front, (1, 0) to the right, and so on."""
        end = self.side - 1
        return {
            (spot.u // end, spot.v // end): spot.owner
            for spot in self.spots.values()
            if spot.u in (0, end) and spot.v in (0, end)
        }
