"""The network of Terra Nova with three and four seats."""

from __future__ import annotations

from importlib.resources import files
from random import Random
from typing import Any

import pytest

from terrarium import nova
from terrarium.engine import Engine, Limit
from terrarium.engine import nova as evaluation
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search

SEATS = (3, 4)


def tuned(position: nova.Position) -> evaluation.NovaBrain:
    brain = brain_for(position, is_tuned=True, network=True)
    assert isinstance(brain, evaluation.NovaBrain)
    return brain


def positions(players: int, seed: int = 1, **options: Any) -> list[nova.Position]:
    """Turn starts of a random game: two while pioneers are placed, then ten others."""
    chance, position = Random(seed), nova.start(players=players, **options)
    placing: list[nova.Position] = []
    playing: list[nova.Position] = []
    while position.outcome is None:
        if position.at_turn_start:
            (placing if position.phase == "place" else playing).append(position)
        position = position.play(chance.choice(position.legal_ids()))
    return placing[:8:4] + playing[:100:10]


@pytest.mark.parametrize("players", SEATS)
def test_shares_depend_only_on_the_position(players: int) -> None:
    looked_at = positions(players)
    used = tuned(looked_at[0])
    for position in looked_at:
        fresh = evaluation.brain(position, evaluation.tuned_weights(players, True))
        shares = fresh.network_shares(position)
        assert used.network_shares(position) == shares
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        # the lists of pioneers are in another order after a position was read from text
        read = nova.Position.from_text(position.to_text())
        assert used.network_shares(read) == shares


@pytest.mark.parametrize("players", SEATS)
def test_a_search_takes_its_first_shares_from_the_network(players: int) -> None:
    position = positions(players)[2]
    brain = tuned(position)
    search = Search(position, brain, root_width=4, thorough=True)
    search.run(nodes=1_000)
    compared = 0
    for ids, _, _, first, _, _ in search.turns():
        after = position.play_all([position.action(id) for id in ids])
        if after.outcome is None:
            assert brain.network_shares(after)[:players] == first
            compared += 1
    assert compared > 4


@pytest.mark.parametrize("players", SEATS)
def test_the_network_leaves_the_evaluation_of_single_actions_as_it_is(players: int) -> None:
    start = nova.start(players=players)
    assert brain_for(start).evaluate(start) == tuned(start).evaluate(start)


@pytest.mark.parametrize("players", SEATS)
def test_level_8_plays_and_analyses_with_the_network_unless_it_is_switched_off(
    players: int,
) -> None:
    position = positions(players)[4]
    found = []
    for network in (True, False):
        engine = Engine(level=8, network=network)
        analysis = list(engine.analyse(position, Limit(nodes=2_000)))[-1]
        assert engine.choose(position, Limit(nodes=2_000)).actions == analysis.lines[0].turn
        found.append([line.shares for line in analysis.lines])
    assert found[0] != found[1]
    plain = brain_for(position, is_tuned=True)
    assert isinstance(plain, evaluation.NovaBrain)
    with pytest.raises(ValueError, match="no network"):
        plain.network_shares(position)
    assert evaluation.tuned_weights(players, False) is None


def test_a_seat_that_resigned_has_no_share() -> None:
    position = positions(3)[3].resign(1)
    shares = tuned(position).network_shares(position)
    assert shares[1] == 0
    assert sum(shares) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize("board", sorted(nova.BOARDS))
def test_level_8_plays_on_every_board(players: int, board: str) -> None:
    position = positions(players, board=board, edition="en")[1]
    choice = Engine(level=8).choose(position, Limit(seconds=0.05))
    assert position.play_all(choice).to_move != position.to_move


def test_inputs_describe_the_open_cells_from_the_mover() -> None:
    position = positions(3)[4]
    assert position.to_move is not None
    brain = evaluation.brain(position)
    inputs, around, stands, facts = brain.network_inputs(position)
    cells = brain.network_cells(position)
    assert len(inputs) == 24 * len(cells)
    assert len(around) == 6 * len(cells)
    seats = [(position.to_move + seat) % 3 for seat in range(3)]
    pioneers = position.pioneers
    for cell, stand in zip(cells, stands, strict=True):
        assert pioneers.get(cell) == (None if stand < 0 else seats[stand])
    assert facts[4:7] == pytest.approx([position.scores[seat] / 30 for seat in seats])
    for number, cell in enumerate(cells):
        near = {cells[other] for other in around[6 * number : 6 * number + 6] if other < len(cells)}
        assert cell not in near
        assert all(number in around[6 * cells.index(other) :][:6] for other in near)


def test_a_network_of_another_size_is_refused() -> None:
    start = nova.start(players=3)
    weights = evaluation.tuned_weights(3, True)
    assert weights is not None
    short = {"layers": 3, "weights": weights["network"]["weights"][1:]}
    with pytest.raises(ValueError, match="3 layers for 3 seats"):
        evaluation.brain(start, weights | {"network": short})
    with pytest.raises(ValueError, match="three or four seats"):
        evaluation.brain(nova.start(), weights)


def test_the_network_refuses_positions_that_it_does_not_know() -> None:
    middle = positions(3)[2]
    middle = middle.play(middle.legal_ids()[0])
    with pytest.raises(ValueError, match="starts of turns"):
        tuned(middle).network_shares(middle)
    with pytest.raises(ValueError, match="no network"):
        evaluation.brain(middle).network_shares(middle)


def test_weights_are_small_files() -> None:
    for file in files("terrarium.engine").joinpath("weights").iterdir():
        assert len(file.read_bytes()) < 2_000_000
