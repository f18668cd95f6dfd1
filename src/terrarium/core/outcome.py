"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won, why the game ended, and the final scores where the game has scores.

    Equal points share the win (TN-25); a drawn Terra Turrium game has no winners (TT-18).

    >>> Outcome(winners=(0,), reason="divided", scores=(24, 10)).shares(2)
    (1.0, 0.0)
    """

    winners: tuple[int, ...]
    reason: str
    scores: tuple[int, ...] | None = None

    def shares(self, seats: int) -> tuple[float, ...]:
        """Each seat's share of the win; equal shares in a draw."""
        if not self.winners:
            return (1 / seats,) * seats
        share = 1 / len(self.winners)
        return tuple(share if seat in self.winners else 0.0 for seat in range(seats))

    def to_dict(self) -> dict[str, Any]:
        """The outcome as interfaces receive it."""
        scores = None if self.scores is None else list(self.scores)
        return {"winners": list(self.winners), "reason": self.reason, "scores": scores}
