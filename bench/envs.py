"""Steps a second through each adapter, against OpenSpiel's own games in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

SECONDS = 1.5


def _rate(steps: Iterator[int]) -> float:
    """Steps per second of processor time; every item is a number of steps that were made."""
    done, started = 0, time.process_time()
    for made in steps:
        done += made
        spent = time.process_time() - started
        if spent >= SECONDS:
            return done / spent
    raise AssertionError("the games never end")


def _positions(game: str) -> Iterator[int]:
    from terrarium import games

    start, rng = games[game].start(), Random(1)
    while True:
        position = start
        while position.to_move is not None:
            ids = position.legal_ids()
            position = position.play(ids[int(rng.random() * len(ids))])
            yield 1


def _openspiel(name: str) -> Iterator[int]:
    import open_spiel.python.games  # noqa: F401 - registers python_tic_tac_toe
    import pyspiel

    import terrarium.envs.openspiel  # noqa: F401 - registers the games

    game, rng = pyspiel.load_game(name), Random(1)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            yield 1


def _pettingzoo(game: str) -> Iterator[int]:
    from terrarium.envs.pettingzoo import raw_env

    env, rng = raw_env(game=game), Random(1)
    while True:
        env.reset()
        while env.position.to_move is not None:
            mask = env.observe(env.agent_selection)["action_mask"]
            legal = mask.nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            yield 1


def _gymnasium(game: str) -> Iterator[int]:
    from terrarium.envs.gymnasium import TerraEnv

    env, rng = TerraEnv(game, opponent="random"), Random(1)
    while True:
        seen, _ = env.reset(seed=1)
        is_over = False
        while not is_over:
            legal = seen["action_mask"].nonzero()[0]
            seen, _, is_over, _, _ = env.step(int(legal[int(rng.random() * len(legal))]))
            yield 1


def _vector(game: str) -> Iterator[int]:
    from terrarium.envs.vector import TerraVectorEnv

    envs = TerraVectorEnv(game, 256)
    envs.reset(seed=1)
    while True:
        envs.step(envs.batch.sample())
        yield 256


def _batch(game: str) -> Iterator[int]:
    from terrarium import games
    from terrarium.envs.batch import Batch

    batch = Batch(games[game].start(), 256, seed=1)
    while True:
        batch.step(batch.sample())
        yield 256


def run() -> dict[str, float]:
    """Steps per second, all with random actions; those of adapters with observations include them."""
    ways: tuple[tuple[str, Callable[[Any], Iterator[int]]], ...] = (
        ("library: legal_ids and play", _positions),
        ("Batch of 256: sample and step", _batch),
        ("TerraVectorEnv of 256, with observations and masks", _vector),
        ("PettingZoo raw_env, with observations and masks", _pettingzoo),
        ("Gymnasium against random, your actions only", _gymnasium),
    )
    found = {
        f"{game}: {title}": _rate(way(game)) for title, way in ways for game in ("nova", "turrium")
    }
    for name in (
        "terra_nova",
        "terra_turrium",
        "python_tic_tac_toe",
        "tic_tac_toe",
        "amazons",
        "havannah",
    ):
        found[f"OpenSpiel {name}"] = _rate(_openspiel(name))
    return found
