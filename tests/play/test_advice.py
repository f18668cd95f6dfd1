"""Advice for beginners: facts of a position that the game itself supplies."""

from __future__ import annotations

from terrarium import games, nova, turrium


def test_a_good_place_for_a_pioneer_has_the_most_moves() -> None:
    position = nova.start().play("@e7").play("@f9").play("@k9")
    found = games["nova"].advice(position)
    assert found is not None
    assert found.code == "spot"
    (cell,) = found.cells
    placed = nova.compose(
        position.rules, position.board, pioneers={**position.pioneers, cell: 1}, to_move=1
    )
    moves = [action for action in placed.legal_actions() if action.source == cell]
    assert len(moves) == found.facts["count"]


def test_a_flag_is_sent_to_a_height_that_is_missing() -> None:
    position = turrium.start()
    found = games["turrium"].advice(position)
    assert found is not None
    (cell,) = found.cells
    assert position.heights[cell] == found.facts["height"]
    assert f"@{cell}" in map(str, position.legal_actions())


def test_there_is_no_advice_when_the_game_is_over() -> None:
    assert games["nova"].advice(nova.start().resign(0)) is None
    assert games["turrium"].advice(turrium.start().resign(0)) is None
