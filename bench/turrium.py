"""Terra Turrium: random play against OpenSpiel's amazons, in one thread and in two; the size of a position."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from terrarium import turrium

__all__ = ["run"]

SECONDS = 1.5
REPEATS = 5


def run() -> dict[str, float]:
    """Actions per second of random play, the same of the peer in the same run, and what follows.

    One thread is timed by the processor, which a busy machine changes little; two threads also by the clock, which only
    an idle machine with two cores does justice.
    """
    figures: dict[str, float] = {}
    peer = _amazons()
    rolls = {f"{n} players": _rollouts(turrium.Rules(players=n), 1) for n in (2, 3, 4)}
    pair = _rollouts(turrium.Rules(players=4), 2)
    clocked = {n: _rollouts(turrium.Rules(players=4), n, time.perf_counter) for n in (1, 2)}
    best: dict[str, float] = {}
    # taken in turns, so that whatever else the machine does meets all of them alike
    for _ in range(REPEATS):
        for name, roll in {
            "amazons": peer,
            **rolls,
            "two threads": pair,
            "1": clocked[1],
            "2": clocked[2],
        }.items():
            best[name] = max(best.get(name, 0.0), roll())
    figures["amazons actions/s (OpenSpiel, C++)"] = best["amazons"]
    for name in rolls:
        figures[f"turrium actions/s, {name}"] = best[name]
        figures[f"turrium / amazons, {name}"] = best[name] / best["amazons"]
    figures["two threads / one, by the clock"] = best["2"] / best["1"]
    figures["two threads / one, per processor second"] = best["two threads"] / best["4 players"]
    position = turrium.start(turrium.Rules(players=4))
    figures["bytes of a Position"] = float(position.__sizeof__())
    figures["Position.play/s from Python"] = _plays()
    return figures


def _rollouts(
    rules: turrium.Rules, threads: int, clock: Callable[[], float] = time.process_time
) -> Callable[[], float]:
    position = turrium.start(rules)

    def roll() -> float:
        actions, seed, began = 0, 0, clock()
        while clock() - began < SECONDS / REPEATS:
            seed += 1
            actions += position.rollouts(400 * threads, seed, threads).actions
        return actions / (clock() - began)

    return roll


def _amazons() -> Callable[[], float]:
    """OpenSpiel's own C++ rollouts: one simulation of its search asks its evaluator for all of them."""
    import pyspiel

    game = pyspiel.load_game("amazons")
    state = game.new_initial_state()
    rng = random.Random(1)
    lengths = []
    for _ in range(60):
        played = state.clone()
        while not played.is_terminal():
            played.apply_action(rng.choice(played.legal_actions()))
        lengths.append(played.move_number())
    length = sum(lengths) / len(lengths)

    def roll(games: int = 1500) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, 1, 100, False, 1, False)
        began = time.process_time()
        bot.mcts_search(state)
        return games * length / (time.process_time() - began)

    return roll


def _plays() -> float:
    """Whole games played action by action from Python."""
    rng = random.Random(1)
    played, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        position = turrium.start(turrium.Rules(players=2, max_rounds=20))
        while ids := position.legal_ids():
            position = position.play(rng.choice(ids))
            played += 1
    return played / (time.process_time() - began)


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name:45} {value:15,.2f}")
