"""Actions: the steps of a turn, in any game."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Action"]


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a turn: its kind, the cell it leaves and the cell it acts on.

    `int(action)` is its id on the board it came from, below `num_actions` of that position. Its text is written with the
    game's mark for its kind (`game.marks`). An action created without a mark uses the one of the first game that has its kind.

    >>> str(Action("move", "e7", "e12")), str(Action("stone", None, "d8")), str(Action("end"))
    ('e7-e12', '+d8', 'end')
    """

    kind: str
    source: str | None = None
    target: str | None = None
    id: int = field(default=-1, compare=False, repr=False)
    mark: str | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        mark = self.mark
        if mark is None:
            # not a valid kind, but an error message must be able to quote the action
            if not isinstance(self.kind, str):
                return repr(self)
            from terrarium.core.game import (
                GAMES,
            )  # imported here to avoid a cycle: the games import actions

            mark = GAMES.mark(self.kind)
        if not mark:
            return self.kind
        return (
            f"{mark}{self.target}" if self.source is None else f"{self.source}{mark}{self.target}"
        )

    def __int__(self) -> int:
        if self.id < 0:
            raise ValueError(f"{self} has no id: position.parse returns the action with its id")
        return self.id

    __index__ = __int__

    def to_dict(self) -> dict[str, str | int | None]:
        """The action as interfaces receive it."""
        return {
            "text": str(self),
            "kind": self.kind,
            "source": self.source,
            "target": self.target,
            "id": self.id,
        }
