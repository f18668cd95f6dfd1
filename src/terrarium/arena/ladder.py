"""The ladder: each level against the one below."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace

from terrarium.arena.match import Match, play_games
from terrarium.arena.result import GameResult, MatchResult
from terrarium.engine import LEVELS
from terrarium.errors import EngineError

__all__ = ["climb", "rungs"]


def rungs(match: Match, low: int = 1, high: int = len(LEVELS)) -> list[Match]:
    """A match for each pair of neighbouring levels, played like the given one."""
    if not 1 <= low < high <= len(LEVELS):
        message = f"from {low} to {high}: levels run from 1 to {len(LEVELS)}, the lower first"
        raise EngineError("no-such-level", message)
    return [
        replace(match, first=f"level:{number + 1}", second=f"level:{number}")
        for number in range(low, high)
    ]


def climb(
    matches: list[Match], jobs: int = 1, executor: Executor | None = None
) -> Iterator[tuple[MatchResult, GameResult | None]]:
    """Play the matches. Yields the result with each finished game, and with None when a match is complete."""
    for match in matches:
        result = MatchResult(match)
        for game in play_games(match, jobs, executor):
            result.add(game)
            yield result, game
        result.games.sort(key=lambda game: game.number)
        yield result, None
