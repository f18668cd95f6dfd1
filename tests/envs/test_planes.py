"""Planes show a position as the observing seat sees it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium import nova, turrium
from terrarium.envs.planes import Planes
from terrarium.errors import InvalidArgument


def played(game: str, players: int, actions: int, seed: int, **options: Any) -> Any:
    """A position after this many random actions, kinds drawn first."""
    random, position = Random(seed), terrarium.games[game].start(players=players, **options)
    for _ in range(actions):
        kinds: dict[str, list[Any]] = {}
        for action in position.legal_actions():
            kinds.setdefault(action.kind, []).append(action)
        if not kinds:
            break
        position = position.play(random.choice(kinds[random.choice(sorted(kinds))]))
    return position


def by_name(planes: Planes, position: Any, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    return dict(zip(planes.names, planes.observe(position, seat), strict=True))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_planes_of_terra_nova(players: int, seed: int) -> None:
    position = played("nova", players, 60 * (seed + 1), seed)
    board, planes = position.board, Planes(position)
    place = {name: board.axial[index] for index, name in enumerate(board.cells)}
    low = min(number for _, number in place.values())
    for seat in range(players):
        seen = by_name(planes, position, seat)
        assert seen["board"].sum() == len(board)
        shown = {
            name: next(
                (k for k in range(players) if seen[f"pioneer of {k}"][row, number - low]), None
            )
            for name, (row, number) in place.items()
        }
        expected = {
            name: (position.pioneers[name] - seat) % players if name in position.pioneers else None
            for name in place
        }
        assert shown == expected
        for kind, names in (
            ("stone", position.stones),
            ("dead", position.dead),
            ("moved", position.moved),
        ):
            cells = {name for name, (row, number) in place.items() if seen[kind][row, number - low]}
            assert cells == set(names)
        for k in range(players):
            other = (seat + k) % players
            assert np.allclose(seen[f"score of {k} / 100"], position.scores[other] / 100)
            assert np.all(seen[f"to move {k}"] == float(position.to_move == other))
        assert np.allclose(seen["supply / stones"], position.supply / position.rules.stones)
        assert np.allclose(seen["actions left / 3"], position.actions_left / 3)
    landscapes = sum(
        plane
        for name, plane in by_name(planes, position, 0).items()
        if name.startswith("landscape")
    )
    assert np.array_equal(landscapes, by_name(planes, position, 0)["board"])


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_the_planes_of_terra_turrium(players: int, seed: int) -> None:
    position = played("turrium", players, 70 * (seed + 1), seed)
    planes = Planes(position)
    place = {name: (int(name[1:]) - 1, ord(name[0]) - ord("a")) for name in position.cells}
    for seat in range(players):
        seen = by_name(planes, position, seat)
        assert {name for name, at in place.items() if seen["board"][at]} == set(position.cells)
        assert seen["board"].sum() == len(position.cells)
        for name, at in place.items():
            tall = position.heights.get(name, 0)
            shown = [h for h in range(1, 7) if seen[f"height {h}"][at]]
            assert shown == ([tall] if 0 < tall <= 6 else [])
            assert bool(seen["higher"][at]) == (tall > 6)
        assert {n for n, at in place.items() if seen["exterior"][at]} == set(position.exterior)
        for k in range(players):
            other = (seat + k) % players
            flags = {name for name, at in place.items() if seen[f"flag of {k}"][at]}
            assert flags == {name for name, owner in position.flags.items() if owner == other}
            land = {name for name, at in place.items() if seen[f"land of {k}"][at]}
            assert land == {n for n, owner in position.territories.items() if owner == other}
            assert np.allclose(seen[f"flags in hand of {k} / 6"], position.hand[other] / 6)
        assert np.allclose(seen["points left / 5"], position.points_left / 5)
        assert np.allclose(seen["cubes in hand / 3"], position.cubes_in_hand / 3)


def test_planes_refuse_positions_of_other_games_rules_and_boards() -> None:
    nothing: Any = None
    with pytest.raises(InvalidArgument, match="a position"):
        Planes(nothing)
    planes = Planes(nova.start())
    with pytest.raises(InvalidArgument, match="seat=2"):
        planes.observe(nova.start(), 2)
    with pytest.raises(InvalidArgument, match="other rules"):
        planes.observe(nova.start(nova.Rules(players=3)), 0)
    with pytest.raises(InvalidArgument, match="other rules"):
        planes.observe(turrium.start(), 0)
    with pytest.raises(InvalidArgument, match="another board"):
        planes.observe(nova.start(nova.Rules(), nova.BOARDS["crescent"]), 0)
    with pytest.raises(InvalidArgument, match="numbers"):
        planes.observe(nova.start(), 0, np.zeros(3, dtype=np.float32))
