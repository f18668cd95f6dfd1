"""Canonical observations: the board is turned so that the observing seat is always in the place of seat 0.

Planes already number the seats from the observing one. In a game whose seats have fixed places, such as the
territories of Terra Turrium, the board and the ids of actions are also rotated or mirrored. Terra Nova has
no such places, so nothing is turned.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.core.position import Position
from terrarium.errors import TerrariumError

__all__ = ["Canonical"]

_CELL = re.compile(r"[a-j]\d+")
_SIDE = 10
_UNUSED, _NOBODY = -1, -2
Places = NDArray[np.intp]


class Canonical:
    """The view of each seat of a game; arrays of many games can be converted at once, each for its seat."""

    def __init__(self, position: Position) -> None:
        players, actions = position.players, position.num_actions
        self._cells: Places | None = None
        self._real = np.tile(np.arange(actions), (players, 1))
        owners: dict[str, int | None] | None = getattr(position, "territories", None)
        if owners:
            lands = np.full((_SIDE, _SIDE), _UNUSED)
            for cell, seat in owners.items():
                lands[_place(cell)] = _NOBODY if seat is None else seat
            turned = [_turned(lands, seat, players) for seat in range(players)]
            self._cells = np.stack([cells.reshape(-1) for cells in turned])
            self._real = np.stack([_ids(position, cells) for cells in turned])
        self._canonical = np.argsort(self._real, axis=1)

    def observations(self, planes: NDArray[np.float32], seats: Any) -> NDArray[np.float32]:
        """Planes (…, planes, rows, columns) as `seats` sees them: one seat, or one for each game."""
        if self._cells is None:
            return planes
        flat = planes.reshape(*planes.shape[:-2], -1)
        cells = np.expand_dims(self._cells[seats], -2)
        return np.take_along_axis(flat, cells, axis=-1).reshape(planes.shape)

    def masks(self, masks: NDArray[Any], seats: Any) -> NDArray[Any]:
        """Masks (…, actions) in the order of canonical ids."""
        return np.take_along_axis(masks, self._real[seats], axis=-1)

    def real(self, actions: Any, seats: Any) -> Any:
        """The position's ids for canonical ids of these seats."""
        return self._real[seats, actions]

    def canonical(self, actions: Any, seats: Any) -> Any:
        """The canonical ids for the position's ids."""
        return self._canonical[seats, actions]


def _place(cell: str) -> tuple[int, int]:
    """Row and column of a cell in the planes."""
    return int(cell[1:]) - 1, ord(cell[0]) - ord("a")


def _name(row: int, column: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"


def _turned(lands: NDArray[Any], seat: int, players: int) -> Places:
    """For each cell of the turned board the cell it shows, for the rotation or mirroring that fits the lands best."""
    numbers = np.arange(_SIDE * _SIDE).reshape(_SIDE, _SIDE)
    ways = [
        np.rot90(np.fliplr(numbers) if is_mirrored else numbers, quarter)
        for is_mirrored in (False, True)
        for quarter in range(4)
    ]
    seen = np.where(lands < 0, lands, (lands - seat) % players)

    def fit(cells: Places) -> tuple[int, int]:
        shown = seen.reshape(-1)[cells]
        return int(((shown == 0) & (lands == 0)).sum()), int((shown == lands).sum())

    return max(ways, key=fit)


def _ids(position: Position, cells: Places) -> Places:
    """The position's id for each canonical id."""
    names = {
        _name(row, column): _name(*divmod(int(cells[row, column]), _SIDE))
        for row in range(_SIDE)
        for column in range(_SIDE)
    }
    real = np.full(position.num_actions, -1)
    for id in range(position.num_actions):
        try:
            text = str(position.action(id))
        except TerrariumError:
            continue  # an id that no action of this board has
        real[id] = int(position.parse(_CELL.sub(lambda cell: names[cell[0]], text)))
    unused = sorted(set(range(position.num_actions)) - set(real[real >= 0].tolist()))
    real[real < 0] = unused
    return real
