"""The island, the pieces and how they are set up (TN-1 .. TN-5)."""

from __future__ import annotations

from collections import Counter

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction, InvalidAction, TerrariumError
from tests.nova.drawn import BLUE, GREEN, RED, drawn, legal, play, row

SQUARE = """
A A A B
 B B C C
C D D D
"""


def test_a_landscape_is_a_kind_of_ground_and_not_a_patch() -> None:  # TN-1
    position = row("ABABCDEF", "r1 b8", to_move=BLUE)
    assert play(position, "a8-a6 +a5").scores == (8, 3)  # 4 cells of 2 landscapes, not of 4


def test_the_island_has_168_cells_in_8_landscapes_of_21() -> None:  # TN-1
    board = nova.BOARDS["terra-nova"]
    drawing = [letter for letter in board.to_text() if letter not in " .\n"]
    assert len(drawing) == len(board.cells) == 168
    assert sorted(Counter(drawing).values()) == [21] * 8


def test_a_lake_is_ground_to_stand_on_like_any_other() -> None:  # TN-1
    board = nova.BOARDS["terra-nova"]
    lake = next(letter for letter, key in board.landscapes.items() if key in ("lake", "sea"))
    number = board.letters.index(lake)
    cells = [
        cell for cell, kind in zip(board.cells, board.landscape_of, strict=True) if kind == number
    ]
    assert len(cells) == 21
    opening = legal(nova.start(nova.Rules(), board))
    assert {f"@{cell}" for cell in cells} <= opening


def test_a_lake_scores_like_any_other_landscape() -> None:  # TN-1, TN-17
    landscapes = {"L": "lake", "A": "plain", "B": "forest", "C": "desert", "D": "swamp"}
    board = nova.Board.parse("L L L A B C D", landscapes=landscapes)
    pioneers = {"a1": RED, "a7": BLUE}
    position = nova.compose(nova.Rules(), board, pioneers=pioneers, to_move=BLUE)
    assert play(position, "a7-a5 +a4").scores == (9, 3)


def test_cells_are_named_by_row_letter_and_a_number_that_runs_along_the_slant() -> None:
    position = nova.start(nova.Rules(pioneers=2), nova.Board.parse(SQUARE))
    named = "a1 a2 a3 a4 b2 b3 b4 b5 c2 c3 c4 c5"
    assert legal(position) == {f"@{cell}" for cell in named.split()}


def test_empty_lines_at_the_top_and_margins_do_not_count() -> None:
    shifted = "\n . \n" + "\n".join("   " + line for line in SQUARE.strip("\n").split("\n"))
    assert nova.Board.parse(shifted) == nova.Board.parse(SQUARE)


def test_there_are_80_stones_shared_by_all() -> None:  # TN-2
    position = nova.start()
    assert position.supply == 80
    position = row("ABCDEFGHIJKL", "r3 b9")
    assert position.supply == 80
    position = play(position, "a3-a4 +a5 a4-a3")
    assert position.supply == 79
    assert play(position, "a9-a8 a8-a10 +a9").supply == 78


def test_the_colours_of_the_seats_are_those_with_enough_pioneers_in_the_box() -> None:  # TN-2, TN-3
    assert nova.Rules(players=2, edition="fr").colours == ("yellow", "red")
    assert nova.Rules(players=3, edition="nl").colours == ("yellow", "red", "blue")
    assert nova.Rules(players=4, edition="sv").colours == ("yellow", "red", "blue", "green")
    assert len(set(nova.Rules(players=4, edition="en").colours)) == 4


@pytest.mark.parametrize(("players", "each"), [(2, 13), (3, 10), (4, 8)])
@pytest.mark.parametrize("edition", ["fr", "nl", "sv", "en"])
def test_each_of_2_3_4_players_has_13_10_8_pioneers(
    players: int, each: int, edition: str
) -> None:  # TN-3
    rules = nova.Rules(players=players, edition=edition)
    assert rules.pioneers == each
    position = nova.start(rules)
    placed = 0
    while "-" not in str(position.legal_actions()[0]):
        position = position.play(position.legal_actions()[0])
        placed += 1
    assert placed == players * each
    assert Counter(dict(position.pioneers).values()) == dict.fromkeys(range(players), each)


def test_scores_start_at_0_and_the_first_seat_starts() -> None:  # TN-4
    for players in (2, 3, 4):
        position = nova.start(nova.Rules(players=players))
        assert position.scores == (0,) * players
        assert position.to_move == 0


def test_in_turn_each_places_one_pioneer_on_any_empty_cell_until_all_are_placed() -> None:  # TN-5
    position = nova.start(nova.Rules(players=3, pioneers=2), nova.Board.parse(SQUARE))
    empty = legal(position)
    assert len(empty) == 12
    order = []
    for placement in ("@a1", "@b5", "@c2", "@a3", "@c5", "@a4"):
        assert legal(position) == empty
        order.append(position.to_move)
        position = position.play(placement)
        empty.discard(placement)
    assert order == [0, 1, 2, 0, 1, 2]
    assert not any(action.startswith("@") for action in legal(position))


def test_the_same_starter_opens_play() -> None:  # TN-5
    position = nova.start(nova.Rules(players=3, pioneers=1), nova.Board.parse(SQUARE))
    position = play(position, "@a1 @b5 @c2")
    assert position.to_move == RED
    assert legal(position) == {"a1-a2", "a1-a3", "a1-a4", "a1-b2", "a1-c3"}


def test_nobody_places_on_a_pioneer() -> None:  # TN-5
    position = nova.start(nova.Rules(pioneers=2), nova.Board.parse(SQUARE)).play("@b3")
    with pytest.raises(IllegalAction) as refused:
        position.play("@b3")
    assert refused.value.rule == "TN-5"
    assert "b3" in str(refused.value)


def test_nobody_moves_or_builds_before_all_are_placed() -> None:  # TN-5
    position = play(nova.start(nova.Rules(pioneers=2), nova.Board.parse(SQUARE)), "@b3 @c3")
    for action in ("b3-b4", "+b4"):
        with pytest.raises(IllegalAction):
            position.play(action)


def test_nobody_places_a_pioneer_once_play_has_begun() -> None:  # TN-5
    with pytest.raises(IllegalAction):
        row("ABCDEFGH", "r3 b7").play("@a5")


def test_a_board_without_room_for_all_pioneers_is_refused() -> None:  # TN-5
    with pytest.raises(TerrariumError):
        nova.start(nova.Rules(players=2), nova.Board.parse(SQUARE))
    position = nova.start(nova.Rules(players=2, pioneers=6), nova.Board.parse(SQUARE))
    assert len(legal(position)) == 12


def test_an_action_names_cells_of_the_board() -> None:
    position = drawn(SQUARE, "ra1 bc5")
    for text in ("a1-a9", "a1-e1", "z1-a1", "+b1", "@b1", "a1", "pass", "end", "", "a1-", "-a2"):
        with pytest.raises(InvalidAction):
            position.play(text)


def test_seats_are_numbered_from_0_in_turn_order() -> None:  # TN-4
    position = row("ABCDEFGHIJKL", "r2 b6 g11", to_move=GREEN)
    assert position.to_move == GREEN
    assert play(position, "a11-a10 a10-a9 a9-a8").to_move == RED
