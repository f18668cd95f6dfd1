"""Terra Nova: random games and Python loops compared with OpenSpiel, threads, the size of a position, the import time."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from terrarium import nova

__all__ = ["TARGETS", "run"]

REPETITIONS = 21
GAMES = 400

TARGETS = {
    "random games / amazons": ("at least", 1.2),
    "two threads / one": ("at least", 1.8),
    "Python loop actions / havannah": ("at least", 1.0),
    "bytes of a Position": ("at most", 1024.0),
    "seconds to import terrarium.nova": ("at most", 0.1),
}


def run() -> dict[str, float]:
    """Medians of our figures and of OpenSpiel's, and medians of the ratios within each round of repetitions.

    One thread is measured in processor time, which depends little on other work on the machine. Two threads are measured in
    elapsed time, which is meaningful only on an idle machine with two cores, and in processor time, which shows whether they slow
    each other down.
    """
    position = nova.start()
    games, amazons = in_turns(
        timed(lambda: position.rollouts(2 * GAMES, seed=1).games),
        timed(amazons_games(GAMES)),
    )
    one, two = in_turns(
        timed(lambda: position.rollouts(30 * GAMES, seed=1).games, time.perf_counter),
        timed(lambda: position.rollouts(30 * GAMES, seed=1, threads=2).games, time.perf_counter),
    )
    both = timed(lambda: position.rollouts(30 * GAMES, seed=1, threads=2).games)
    alone = timed(lambda: position.rollouts(30 * GAMES, seed=1).games)
    ours, havannah = in_turns(timed(lambda: python_loop(4)), timed(lambda: havannah_loop(4)))
    totals = position.rollouts(GAMES, seed=1)
    return {
        "random games/s, one thread": median(games),
        "their actions/s": median(games) * totals.actions / totals.games,
        "amazons games/s (OpenSpiel, C++)": median(amazons),
        "random games / amazons": ratio(games, amazons),
        "two threads / one": ratio(two, one),
        "two threads / one, per processor second": ratio(*in_turns(both, alone)),
        "Python loop, actions/s": median(ours),
        "havannah in Python, actions/s (OpenSpiel)": median(havannah),
        "Python loop actions / havannah": ratio(ours, havannah),
        "bytes of a Position": float(sys.getsizeof(position)),
        "seconds to import terrarium.nova": import_time(),
    }


def timed(
    job: Callable[[], int], clock: Callable[[], float] = time.process_time
) -> Callable[[], float]:
    """Wrap a job that returns a count as one that returns the count per second."""

    def rate() -> float:
        began = clock()
        return job() / (clock() - began)

    return rate


def in_turns(*jobs: Callable[[], float]) -> list[list[float]]:
    """The rates of several jobs, measured alternately; the first round only warms up."""
    rounds = [[job() for job in jobs] for _ in range(REPETITIONS + 1)][1:]
    return [list(rates) for rates in zip(*rounds, strict=True)]


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios, each taken within one round."""
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def amazons_games(games: int) -> Callable[[], int]:
    """Random games in C++: one simulation of OpenSpiel's search asks its evaluator for all of them."""
    import pyspiel

    game = pyspiel.load_game("amazons")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, 1, False)

    def play() -> int:
        bot.mcts_search(state)
        return games

    return play


def python_loop(games: int) -> int:
    """Play random games from Python, action by action; returns the number of actions."""
    rng, actions = random.Random(1), 0
    for _ in range(games):
        position = nova.start()
        while ids := position.legal_ids():
            position = position.play(rng.choice(ids))
            actions += 1
    return actions


def havannah_loop(games: int) -> int:
    """The same with OpenSpiel's havannah, which changes its state in place."""
    import pyspiel

    game = pyspiel.load_game("havannah")
    rng, actions = random.Random(1), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            actions += 1
    return actions


def import_time() -> float:
    """Seconds of processor time for a new interpreter to import the game."""
    code = "import time; t = time.process_time(); import terrarium.nova; print(time.process_time() - t)"
    command = [sys.executable, "-c", code]
    return median(float(subprocess.check_output(command, text=True)) for _ in range(9))
