"""Matches: two kinds of players play the same openings on different seats."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from itertools import product, takewhile
from typing import Any, cast

from terrarium.arena.players import Player, player
from terrarium.arena.pool import workers
from terrarium.arena.result import GameResult, MatchResult
from terrarium.core.game import GAMES
from terrarium.core.position import Position
from terrarium.engine import Limit
from terrarium.errors import EngineError

__all__ = ["MIXES", "Match", "MatchResult", "opening", "play_game", "play_games", "run"]

_FAULTS = ("illegal-turn", "program-died", "program-silent")
"""Errors of a program during a game: it loses that game, and the match continues."""

MIXES = ("one", "all")


@dataclass(frozen=True)
class Match:
    """The settings of a match: `first` plays `second` on every seat mix of each opening.

    With `mix="one"` a single `first` plays on each seat in turn and `second` on the others. With `mix="all"` every mix
    that has both of them is played. With two players both are the same: each opening is played from both sides.
    """

    game: str
    first: str
    second: str
    players: int = 2
    games: int = 40
    limit: Limit = field(default_factory=lambda: Limit(seconds=0.25))
    seed: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    board: Any = None
    low_elo: float | None = None
    high_elo: float | None = None
    mix: str = "one"

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise EngineError("no-such-game", f"{self.game!r:.60}: games are {', '.join(GAMES)}")
        if self.games < 1:
            raise EngineError("bad-match", f"games={self.games}: at least 1")
        if self.mix not in MIXES:
            raise EngineError("bad-match", f"mix={self.mix!r:.40}: must be one or all")
        self.start()
        if self.low_elo is None or self.high_elo is None:
            return
        if not -2000 <= self.low_elo < self.high_elo <= 2000:
            message = f"sprt {self.low_elo:g} {self.high_elo:g}: two Elo differences, the lower first, within ±2000"
            raise EngineError("bad-match", message)
        if self.fair_share != 0.5:
            message = "a sequential test needs even chances: two players, or every seat mix"
            raise EngineError("bad-match", message)

    def start(self) -> Position:
        """The position before the opening; `board` is a board or the name of a built-in one."""
        return GAMES[self.game].start(board=self.board, **{"players": self.players} | self.options)

    @property
    def mixes(self) -> tuple[tuple[int, ...], ...]:
        """The seats of the first player in each game of an opening."""
        if self.mix == "one":
            return tuple((seat,) for seat in range(self.players))
        found = [
            tuple(seat for seat, is_first in enumerate(taken) if is_first)
            for taken in product((True, False), repeat=self.players)
        ]
        return tuple(seats for seats in found if 0 < len(seats) < self.players)

    @property
    def is_sequential(self) -> bool:
        """Whether a sequential test may end the match early."""
        return self.low_elo is not None and self.high_elo is not None

    @property
    def fair_share(self) -> float:
        """The first player's expected share of the wins if all players were equal."""
        seats = [len(mix) for mix in self.mixes]
        return sum(seats) / len(seats) / self.players

    def seating(self, number: int) -> tuple[int, tuple[int, ...]]:
        """The opening of a game and the seats of the first player in it."""
        mixes = self.mixes
        return number // len(mixes), mixes[number % len(mixes)]


def opening(match: Match, number: int) -> tuple[Position, list[str]]:
    """The position after random opening `number`, and the actions that led there."""
    chance = random.Random(f"{match.seed}/{number}")
    position, played = match.start(), []
    for _ in range(position.game.opening_actions * match.players):
        actions = position.legal_actions()
        if not actions:
            break
        action = chance.choice(actions)
        played.append(str(action))
        position = position.play(action)
    return position, played


def play_game(match: Match, number: int) -> GameResult:
    """Play game `number` of a match to its end."""
    beginning, firsts = match.seating(number)
    position, played = opening(match, beginning)
    names = tuple(match.first if seat in firsts else match.second for seat in range(match.players))
    chance = random.Random(f"{match.seed}/{number}/players")
    turns = 0
    faults: list[str] = []
    players: dict[int, Player] = {}

    def fault(seat: int, error: EngineError) -> Position:
        """The position after a program lost because it broke the rules or the protocol."""
        if error.code not in _FAULTS:
            raise error
        faults.append(str(error))
        played.append(f"resign:{seat}")
        return position.resign(seat)

    try:
        for seat, name in enumerate(names):
            seed = chance.getrandbits(31)
            try:
                players[seat] = player(name, seed=seed)
            except EngineError as error:
                position = fault(seat, error)
            if position.outcome is not None:
                break
        while position.outcome is None:
            seat = cast(int, position.to_move)
            try:
                actions = players[seat].turn(position, match.limit)
            except EngineError as error:
                position = fault(seat, error)
                continue
            for action in actions:
                position = position.play(action)
                played.append(str(action))
            turns += position.at_turn_start or position.outcome is not None
    finally:
        for one in players.values():
            one.close()
    outcome = position.outcome
    return GameResult(
        number=number,
        opening=beginning,
        seats=names,
        firsts=firsts,
        shares=outcome.shares(match.players),
        reason=outcome.reason,
        turns=turns,
        actions=tuple(played),
        scores=outcome.scores,
        faults=tuple(faults),
    )


def play_games(
    match: Match, jobs: int = 1, executor: Executor | None = None
) -> Iterator[GameResult]:
    """Yield the games as they end, played by `jobs` processes or by the given executor; stops early when the sequential test decides."""
    result = MatchResult(match)
    if jobs == 1 and executor is None:
        for number in range(match.games):
            result.add(play_game(match, number))
            yield result.games[-1]
            if result.verdict is not None:
                break
        return
    if executor is None:
        with workers(jobs) as (pool, _):
            yield from play_games(match, jobs, pool)
        return
    pending: set[Future[GameResult]] = set()
    ended: dict[int, GameResult] = {}
    numbers = iter(range(match.games))
    try:
        while True:
            while result.verdict is None and len(pending) < jobs * 2:
                following = next(numbers, None)
                if following is None:
                    break
                pending.add(executor.submit(play_game, match, following))
            if not pending:
                break
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                ended[future.result().number] = future.result()
            for number in _reportable(match, ended, len(result.games)):
                result.add(ended.pop(number))
                yield result.games[-1]
                if result.verdict is not None:
                    return
    except BrokenExecutor as error:
        message = "a process that played games was killed, or ran out of memory"
        raise EngineError("worker-died", message) from error
    finally:
        for future in pending:
            future.cancel()


def _reportable(match: Match, ended: dict[int, GameResult], reported: int) -> list[int]:
    """The finished games that can be reported; in a sequential test only in their order.

    Otherwise short games would count before long ones, and the result would depend on the number of processes.
    """
    if not match.is_sequential:
        return sorted(ended)
    following = range(reported, match.games)
    return list(takewhile(ended.__contains__, following))


def run(
    match: Match,
    jobs: int = 1,
    on_game: Callable[[MatchResult, GameResult], None] | None = None,
    executor: Executor | None = None,
) -> MatchResult:
    """Play the match and return its result; `on_game` is called with each game as it ends."""
    result = MatchResult(match)
    for game in play_games(match, jobs, executor):
        result.add(game)
        if on_game is not None:
            on_game(result, game)
    result.games.sort(key=lambda game: game.number)
    return result
