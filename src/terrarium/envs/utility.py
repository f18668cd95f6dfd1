"""The utility of an outcome for each seat, zero-sum."""

from __future__ import annotations

from terrarium.core.position import Position

__all__ = ["utilities"]


def utilities(position: Position) -> list[float]:
    """A win is worth 1, shared among the winners, and the others lose as much; 0 each in a draw or before the end.

    >>> from terrarium import nova
    >>> utilities(nova.start(nova.Rules(players=3)).resign(0).resign(1))
    [-0.5, -0.5, 1.0]
    """
    players = position.players
    if position.outcome is None:
        return [0.0] * players
    shares = position.outcome.shares(players)
    return [(players * share - 1) / (players - 1) for share in shares]
