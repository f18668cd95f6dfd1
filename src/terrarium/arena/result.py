"""The result of a match: every game, the score with its interval, and the record of each game."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from terrarium.arena.statistics import Score, elo, score, sprt
from terrarium.core.record import Record

if TYPE_CHECKING:
    from terrarium.arena.match import Match

__all__ = ["GameResult", "MatchResult", "record_of"]


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game: its players, its result, and its actions from the start.

    `faults` are the errors of programs; a seat whose program made one lost the game, as if it had resigned.
    """

    number: int
    opening: int
    seats: tuple[str, ...]
    firsts: tuple[int, ...]
    shares: tuple[float, ...]
    reason: str
    turns: int
    actions: tuple[str, ...]
    scores: tuple[int, ...] | None
    faults: tuple[str, ...] = ()

    @property
    def first_share(self) -> float:
        """The first player's share of the win, on all its seats together."""
        return sum(self.shares[seat] for seat in self.firsts)


@dataclass
class MatchResult:
    """Results so far, grouped by opening."""

    match: Match
    games: list[GameResult] = field(default_factory=list)

    def add(self, game: GameResult) -> None:
        """Add one more game."""
        self.games.append(game)

    def groups(self, *, only_complete: bool = False) -> list[list[float]]:
        """The first player's share of every game, by opening; with `only_complete` only openings whose games have all been played."""
        found: dict[int, list[float]] = {}
        for game in self.games:
            found.setdefault(game.opening, []).append(game.first_share)
        size = len(self.match.mixes)
        return [group for group in found.values() if len(group) == size or not only_complete]

    @property
    def score(self) -> Score:
        """The first player's share of the wins with its interval."""
        return score(self.groups())

    @property
    def verdict(self) -> str | None:
        """The result of the sequential test: "low", "high", or None if it is undecided or was not requested."""
        match = self.match
        if match.low_elo is None or match.high_elo is None:
            return None
        return sprt(self.groups(only_complete=True), match.low_elo, match.high_elo)

    def to_dict(self) -> dict[str, Any]:
        """The result as one JSON object."""
        match, found = self.match, self.score
        is_even = match.fair_share == 0.5
        reasons: dict[str, int] = {}
        for game in self.games:
            reasons[game.reason] = reasons.get(game.reason, 0) + 1
        start = match.start()
        board = getattr(start, "board", None)
        return {
            "game": match.game,
            "players": match.players,
            "rules": start.rules.to_dict(),
            "board": None if board is None else board.name,
            "first": match.first,
            "second": match.second,
            "games": found.games,
            "score": round(found.mean, 4),
            "low": round(found.low, 4),
            "high": round(found.high, 4),
            "fair_share": round(match.fair_share, 4),
            "wins": sum(game.first_share == 1 for game in self.games),
            "shared": sum(0 < game.first_share < 1 for game in self.games),
            "losses": sum(game.first_share == 0 for game in self.games),
            "elo": _finite(elo(round(found.mean, 6))) if is_even else None,
            "elo_low": _finite(elo(round(found.low, 6))) if is_even else None,
            "elo_high": _finite(elo(round(found.high, 6))) if is_even else None,
            "verdict": self.verdict,
            "reasons": dict(sorted(reasons.items())),
            "faults": sum(len(game.faults) for game in self.games),
            "mean_turns": round(sum(g.turns for g in self.games) / max(1, len(self.games)), 1),
            "seconds": match.limit.seconds,
            "nodes": match.limit.nodes,
            "mix": match.mix,
            "seed": match.seed,
        }


def record_of(match: Match, game: GameResult) -> Record:
    """A game of a match as a record; its tags name the match, the round and the opening."""
    tags = {
        "Event": f"{match.first} against {match.second}",
        "Round": str(game.number + 1),
        "Opening": str(game.opening + 1),
        "Limit": " ".join(
            f"{value:g} {unit}"
            for value, unit in ((match.limit.seconds, "seconds"), (match.limit.nodes, "nodes"))
            if value is not None
        ),
    }
    record = Record(match.start(), seats=game.seats, tags=tags)
    for is_resignation, texts in groupby(game.actions, key=lambda text: text.startswith("resign:")):
        if not is_resignation:
            record = record.play(list(texts))
            continue
        for text in texts:
            record = record.resign(int(text.partition(":")[2]), comment="; ".join(game.faults))
    return record


def _finite(value: float) -> float | None:
    return round(value, 1) if abs(value) < 1e9 else None
