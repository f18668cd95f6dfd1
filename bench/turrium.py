"""Terra Turrium: random games compared with OpenSpiel's amazons, threads, a Python loop and the size of a position."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from statistics import mean, median

from bench.nova import amazons_games, in_turns, ratio, timed
from terrarium import turrium

__all__ = ["TARGETS", "run"]

GAMES = 150
AMAZONS_GAMES = 400

TARGETS = {
    "random actions / amazons, 2 players": ("at least", 1.2),
    "random actions / amazons, 3 players": ("at least", 1.2),
    "random actions / amazons, 4 players": ("at least", 1.2),
    "two threads / one": ("at least", 1.8),
    "bytes of a Position": ("at most", 1024.0),
}


def run() -> dict[str, float]:
    """Medians of our figures and of OpenSpiel's, and medians of the ratios within each round of repetitions.

    One thread is measured in processor time, which depends little on other work on the machine. Two threads are measured in
    elapsed time, which is meaningful only on an idle machine with two cores, and in processor time, which shows whether they slow
    each other down.
    """
    starts = [turrium.start(turrium.Rules(players=players)) for players in (2, 3, 4)]
    length = amazons_length()
    peer, *ours = in_turns(
        timed(amazons_games(AMAZONS_GAMES)),
        *(timed(random_actions(position)) for position in starts),
    )
    amazons = [games * length for games in peer]
    position = starts[-1]
    one, two = in_turns(
        timed(lambda: position.rollouts(24 * GAMES, seed=1).actions, time.perf_counter),
        timed(lambda: position.rollouts(24 * GAMES, seed=1, threads=2).actions, time.perf_counter),
    )
    alone, together = in_turns(
        timed(lambda: position.rollouts(8 * GAMES, seed=1).actions),
        timed(lambda: position.rollouts(8 * GAMES, seed=1, threads=2).actions),
    )
    (loop,) = in_turns(timed(lambda: python_loop(2)))
    figures = {"amazons, actions/s (OpenSpiel, C++)": median(amazons)}
    for players, rates in zip((2, 3, 4), ours, strict=True):
        figures[f"random actions/s, {players} players"] = median(rates)
        figures[f"random actions / amazons, {players} players"] = ratio(rates, amazons)
    return figures | {
        "two threads / one": ratio(two, one),
        "two threads / one, per processor second": ratio(together, alone),
        "Python loop, actions/s": median(loop),
        "bytes of a Position": float(sys.getsizeof(position)),
    }


def random_actions(position: turrium.Position) -> Callable[[], int]:
    """Plays random games from a position and counts their actions."""
    return lambda: position.rollouts(GAMES, seed=1).actions


def amazons_length() -> float:
    """The average number of actions in a random game of amazons."""
    import pyspiel

    rng = random.Random(1)
    lengths: list[int] = []
    for _ in range(100):
        state = pyspiel.load_game("amazons").new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        lengths.append(state.move_number())
    return mean(lengths)


def python_loop(games: int) -> int:
    """Play random games from Python, action by action; returns the number of actions."""
    rng, actions = random.Random(1), 0
    for _ in range(games):
        position = turrium.start(turrium.Rules(players=2, max_rounds=20))
        while ids := position.legal_ids():
            position = position.play(rng.choice(ids))
            actions += 1
    return actions
