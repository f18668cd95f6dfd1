"""Steps per second through each adapter, and of games of OpenSpiel and Pgx in the same run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from random import Random
from typing import Any

SECONDS = 1.5


def _rate(steps: Iterator[int]) -> float:
    """Steps per second of processor time; each item is a number of steps that were made.

    The time before the first item is preparation and does not count.
    """
    next(steps)
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


def _pgx(name: str) -> Iterator[int]:
    """Pgx games in parallel, as many as in our batches: random legal actions, and a new game after each one that ends."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env: Any = pgx.make(name)
    key = jax.random.PRNGKey(1)
    key, first = jax.random.split(key)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(first, 256))

    def stepped(state: Any, key: Any) -> Any:
        keys = jax.random.split(key, 256)
        actions = jax.vmap(jax.random.categorical)(keys, jnp.log(state.legal_action_mask))
        return jax.vmap(auto_reset(env.step, env.init))(state, actions, keys)

    step = jax.jit(stepped)
    # The first call compiles, before the measurement starts.
    jax.block_until_ready(step(state, key))
    yield 0
    while True:
        key, now = jax.random.split(key)
        state = jax.block_until_ready(step(state, now))
        yield 256


def run() -> dict[str, float]:
    """Steps per second with random actions; the titles say which steps include observations."""
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
    if find_spec("pgx") is None:
        print(
            "  Pgx is not installed, so its games are left out: pip install pgx jax",
            file=sys.stderr,
        )
        return found
    for name in ("tic_tac_toe", "hex", "go_9x9"):
        found[f"Pgx {name}, batch of 256"] = _rate(_pgx(name))
    return found
