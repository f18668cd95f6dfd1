"""A match: two kinds of players, paired openings, every seat mix, results as they come."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from terrarium.arena.players import player
from terrarium.arena.statistics import Score, elo, score, sprt
from terrarium.core.game import GAMES
from terrarium.core.position import Position
from terrarium.engine import Limit
from terrarium.errors import EngineError

__all__ = ["GameResult", "Match", "MatchResult", "opening", "play_game"]

_OPENING_ACTIONS = {"nova": 4, "turrium": 2}
"""How many random actions per seat begin a game, so that games differ."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game: who sat where, what came of it, and its actions from the start."""

    opening: int
    seats: tuple[str, ...]
    shares: tuple[float, ...]
    reason: str
    turns: int
    actions: tuple[str, ...]
    scores: tuple[int, ...] | None


@dataclass(frozen=True)
class Match:
    """What is played: `first` against `second` on every seat mix of each opening."""

    game: str
    first: str
    second: str
    players: int = 2
    games: int = 40
    limit: Limit = field(default_factory=lambda: Limit(seconds=0.25))
    seed: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    board: str | None = None
    low_elo: float | None = None
    high_elo: float | None = None

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise EngineError("no-such-game", f"{self.game!r}: games are {', '.join(GAMES)}")
        if self.games < 1:
            raise EngineError("bad-match", f"games={self.games}: at least 1")
        self.start()

    def start(self) -> Position:
        """The position before the opening."""
        game = GAMES[self.game]
        options = {"players": self.players} | self.options
        if self.board is None:
            return game.start(**options)
        return game.start(board=game.module.BOARDS[self.board], **options)

    def schedule(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Opening number and who sits where, for every game: one `first` among `second`, on each seat in turn."""
        for number in range(self.games):
            seat = number % self.players
            names = tuple(self.first if s == seat else self.second for s in range(self.players))
            yield number // self.players, names


@dataclass
class MatchResult:
    """Results so far, grouped by opening."""

    match: Match
    games: list[GameResult] = field(default_factory=list)

    def groups(self) -> list[list[float]]:
        """The first player's share of every game, by opening."""
        found: dict[int, list[float]] = {}
        for game in self.games:
            seat = game.seats.index(self.match.first)
            if self.match.first == self.match.second:
                seat = len(found.get(game.opening, ())) % len(game.seats)
            found.setdefault(game.opening, []).append(game.shares[seat])
        return list(found.values())

    @property
    def score(self) -> Score:
        """The first player's share of the wins with its interval."""
        return score(self.groups())

    @property
    def verdict(self) -> str | None:
        """What the sequential test says, if one was asked for."""
        match = self.match
        if match.low_elo is None or match.high_elo is None:
            return None
        return sprt(self.groups(), match.low_elo, match.high_elo)

    def to_dict(self) -> dict[str, Any]:
        """The result as one JSON object."""
        match, found = self.match, self.score
        reasons: dict[str, int] = {}
        for game in self.games:
            reasons[game.reason] = reasons.get(game.reason, 0) + 1
        return {
            "game": match.game,
            "players": match.players,
            "first": match.first,
            "second": match.second,
            "games": found.games,
            "score": round(found.mean, 4),
            "low": round(found.low, 4),
            "high": round(found.high, 4),
            "fair_share": round(1 / match.players, 4),
            "elo": _finite(elo(found.mean)) if match.players == 2 else None,
            "elo_low": _finite(elo(found.low)) if match.players == 2 else None,
            "elo_high": _finite(elo(found.high)) if match.players == 2 else None,
            "verdict": self.verdict,
            "reasons": dict(sorted(reasons.items())),
            "mean_turns": round(sum(g.turns for g in self.games) / max(1, len(self.games)), 1),
            "seconds": match.limit.seconds,
            "nodes": match.limit.nodes,
            "seed": match.seed,
        }

    def add(self, game: GameResult) -> None:
        """Take in one more game."""
        self.games.append(game)


def _finite(value: float) -> float | None:
    return round(value, 1) if abs(value) < 1e9 else None


def opening(match: Match, number: int) -> tuple[Position, list[str]]:
    """The position after the random beginning number `number`, and the actions that led there."""
    chance = random.Random(f"{match.seed}/{number}")
    position, played = match.start(), []
    for _ in range(_OPENING_ACTIONS[match.game] * match.players):
        actions = position.legal_actions()
        if not actions:
            break
        action = chance.choice(actions)
        played.append(str(action))
        position = position.play(action)
    return position, played


def play_game(match: Match, number: int, names: tuple[str, ...]) -> GameResult:
    """Play one game to its end."""
    position, played = opening(match, number)
    turns = 0
    players = [
        player(name, seed=hash((match.seed, number, seat)) & 0x7FFFFFFF)
        for seat, name in enumerate(names)
    ]
    try:
        while position.outcome is None:
            seat = position.to_move
            assert seat is not None
            actions = players[seat].turn(position, match.limit)
            for action in actions:
                position = position.play(action)
                played.append(str(action))
            turns += position.at_turn_start or position.outcome is not None
    finally:
        for one in players:
            one.close()
    outcome = position.outcome
    return GameResult(
        opening=number,
        seats=names,
        shares=outcome.shares(match.players),
        reason=outcome.reason,
        turns=turns,
        actions=tuple(played),
        scores=outcome.scores,
    )


def run(
    match: Match,
    jobs: int = 1,
    on_game: Callable[[MatchResult, GameResult], None] | None = None,
    executor: Executor | None = None,
) -> MatchResult:
    """Play the match on `jobs` processes, or on the given executor; ends early when the sequential test decides."""
    result = MatchResult(match)

    def take(game: GameResult) -> bool:
        result.add(game)
        if on_game is not None:
            on_game(result, game)
        return len(result.games) % match.players == 0 and result.verdict is not None

    if jobs == 1 and executor is None:
        for number, names in match.schedule():
            if take(play_game(match, number, names)):
                break
        return result
    own = executor is None
    pool = executor or ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    pending: set[Future[GameResult]] = set()
    try:
        schedule = match.schedule()
        is_decided = False
        while True:
            while not is_decided and len(pending) < jobs * 2:
                entry = next(schedule, None)
                if entry is None:
                    break
                pending.add(pool.submit(play_game, match, *entry))
            if not pending:
                break
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                is_decided = take(future.result()) or is_decided
            if is_decided:
                for future in pending:
                    future.cancel()
                pending = {future for future in pending if not future.cancelled()}
    finally:
        if own:
            pool.shutdown(cancel_futures=True)
    return result
