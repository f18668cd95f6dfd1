"""Canonical observations: the observing seat is always seen as seat 0, and actions are numbered accordingly."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

from terrarium import games
from terrarium.envs.batch import Batch
from terrarium.envs.canonical import Canonical
from terrarium.envs.gymnasium import TerraEnv
from terrarium.envs.pettingzoo import raw_env
from terrarium.envs.planes import Planes
from terrarium.envs.vector import TerraVectorEnv

TABLES: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 2, "two_player_sides": "opposite"},
    {"players": 3},
    {"players": 4},
]


@pytest.mark.parametrize("options", TABLES)
def test_the_observers_land_is_always_at_the_same_place(options: dict[str, Any]) -> None:
    start = games["turrium"].start(**options)
    planes, canonical = Planes(start), Canonical(start)
    lands = [index for index, name in enumerate(planes.names) if name.startswith("land of")]
    first = planes.observe(start, 0)[lands]
    for seat in range(start.players):
        seen = canonical.observations(planes.observe(start, seat), seat)[lands]
        assert (seen[0] == first[0]).all()
        if start.players != 3:  # with three players there is no symmetry that keeps all territories
            assert (seen == first).all()
    assert (canonical.observations(planes.observe(start, 0), 0)[lands] == first).all()


@pytest.mark.parametrize("options", TABLES)
def test_a_canonical_action_names_a_cell_of_the_turned_board(options: dict[str, Any]) -> None:
    rng, position = Random(3), games["turrium"].start(**options, max_rounds=5)
    planes, canonical = Planes(position), Canonical(position)
    ids = np.arange(position.num_actions)
    flags = planes.names.index("flag of 0")
    board = planes.names.index("board")
    while position.to_move is not None:
        seat = position.to_move
        assert (canonical.canonical(canonical.real(ids, seat), seat) == ids).all()
        mask = np.zeros(position.num_actions, dtype=np.int8)
        mask[position.legal_ids()] = 1
        turned = canonical.masks(mask, seat)
        chosen = rng.choice(np.flatnonzero(turned).tolist())
        seen = canonical.observations(planes.observe(position, seat), seat)
        text = str(position.action(chosen))
        if text.startswith("@"):  # the cell it names on the turned board
            row, column = int(text[2:]) - 1, ord(text[1]) - ord("a")
            assert seen[board, row, column] == 1
            assert seen[flags, row, column] == 0
        position = position.play(int(canonical.real(chosen, seat)))
        if text.startswith("@"):
            after = canonical.observations(planes.observe(position, seat), seat)
            assert after[flags, row, column] == 1


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_environments_play_the_same_games_in_canonical_numbers(game: str) -> None:
    options: dict[str, Any] = (
        {"max_rounds": 3} if game == "turrium" else {"stones": 5, "pioneers": 2}
    )
    plain, turned = raw_env(game=game, **options), raw_env(game=game, canonical=True, **options)
    plain.reset()
    turned.reset()
    canonical, rng = Canonical(plain.start), Random(1)
    for _ in range(40):
        if plain.position.to_move is None:
            break
        seat = plain.position.to_move
        seen = turned.observe(turned.agent_selection)
        real = plain.observe(plain.agent_selection)
        assert (seen["observation"] == canonical.observations(real["observation"], seat)).all()
        action = rng.choice(np.flatnonzero(seen["action_mask"]).tolist())
        turned.step(action)
        plain.step(int(canonical.real(action, seat)))
        assert turned.position == plain.position


def test_gymnasium_and_vectors_take_canonical_actions() -> None:
    env = TerraEnv("turrium", seat=1, opponent="random", canonical=True, max_rounds=3)
    seen, _ = env.reset(seed=1)
    rng, is_over = Random(1), False
    while not is_over:
        assert (env.action_masks() == seen["action_mask"]).all()
        action = rng.choice(np.flatnonzero(seen["action_mask"]).tolist())
        seen, _, is_over, _, info = env.step(action)
        assert "illegal" not in info
    envs = TerraVectorEnv("turrium", 6, canonical=True, max_rounds=3, players=4)
    batch = Batch(envs.starts[0], 6)
    canonical = Canonical(envs.starts[0])
    many, _ = envs.reset(seed=1)
    for _ in range(120):
        seats = batch.to_move()
        assert (many["observation"] == canonical.observations(batch.observe(), seats)).all()
        assert (many["action_mask"] == canonical.masks(batch.masks(), seats)).all()
        actions = np.array(
            [rng.choice(np.flatnonzero(row).tolist()) for row in many["action_mask"]]
        )
        many, _, _, _, _ = envs.step(actions)
        batch.step(canonical.real(actions, seats))
    again = pickle.loads(pickle.dumps(envs))
    assert (again.action_masks() == envs.action_masks()).all()
