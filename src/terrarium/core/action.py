"""One step of a turn, as every game writes it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Action"]

_MARKS = {"place": "@", "stone": "+", "flag": "@", "cube": "+", "take": "-"}
_LINKS = {"move": "-", "step": "-", "capture": "x"}


@dataclass(frozen=True, slots=True)
class Action:
    """What a player does in one step: its kind, the cell it leaves, the cell it acts on.

    Kinds in Terra Nova: `place`, `move`, `stone`. In Terra Turrium: `flag`, `take`, `cube`, `step`, `capture`, `end`.
    `int(action)` is its id on the board it came from, below `num_actions` of that position.

    >>> str(Action("move", "e7", "e12")), str(Action("stone", None, "d8")), str(Action("end"))
    ('e7-e12', '+d8', 'end')
    """

    kind: str
    source: str | None = None
    target: str | None = None
    id: int = field(default=-1, compare=False, repr=False)

    def __str__(self) -> str:
        if not isinstance(
            self.kind, str
        ):  # no action of any game, but errors must be able to quote it
            return repr(self)
        link = _LINKS.get(self.kind)
        if link is not None:
            return f"{self.source}{link}{self.target}"
        mark = _MARKS.get(self.kind)
        return self.kind if mark is None else f"{mark}{self.target}"

    def __int__(self) -> int:
        if self.id < 0:
            raise ValueError(f"{self} belongs to no board yet: ask position.parse for its id")
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
