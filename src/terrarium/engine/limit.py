"""The limit of a search."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from terrarium.errors import EngineError

__all__ = ["Limit"]

_MOST_NODES = 10**15
"""More than any machine can search, and within the range of the search's counters."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on one search: seconds, evaluated positions, or both, whichever comes first.

    >>> Limit(seconds=0.25)
    Limit(seconds=0.25, nodes=None)
    >>> Limit(nodes=-1)
    Traceback (most recent call last):
    terrarium.errors.EngineError: nodes=-1: a limit is a whole number from 1 to 1000000000000000
    """

    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and (
            isinstance(self.seconds, bool)
            or not isinstance(self.seconds, Real)
            or not 0 < self.seconds <= 86_400
        ):
            raise EngineError(
                "bad-limit",
                f"seconds={self.seconds!r:.40}: a limit is a number above 0 and at most a day (86400)",
            )
        if self.nodes is not None and (
            isinstance(self.nodes, bool)
            or not isinstance(self.nodes, int)
            or not 1 <= self.nodes <= _MOST_NODES
        ):
            raise EngineError(
                "bad-limit",
                f"nodes={self.nodes!r:.40}: a limit is a whole number from 1 to {_MOST_NODES}",
            )
