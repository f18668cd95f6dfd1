"""Resignation (TN-28)."""

from __future__ import annotations

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction, TerrariumError
from tests.nova.drawn import BLUE, GREEN, RED, YELLOW, legal, play, row

LONG = "ABCDEFGHIJKLMNOP"


def reason(position: nova.Position) -> str | None:
    """Why the game is over, or None while it is not."""
    return position.outcome.reason if position.outcome else None


def test_of_two_the_other_wins_at_once_whatever_the_points() -> None:  # TN-28
    position = row(LONG, "r2 b10", scores=(20, 3)).resign(RED)
    assert position.outcome == nova.Outcome((BLUE,), "resigned", (20, 3))
    assert position.resigned == (RED,)
    assert legal(position) == set()
    assert position.to_move is None


def test_a_seat_may_resign_when_another_is_to_move() -> None:  # TN-28
    position = row(LONG, "r2 b10", to_move=RED).resign(BLUE)
    assert position.outcome == nova.Outcome((RED,), "resigned", (0, 0))


def test_the_mover_may_resign_in_mid_turn_and_what_was_done_stays() -> None:  # TN-28
    position = play(row(LONG, "r2 b8 g14"), "a2-a3 +a2")
    assert position.to_move == RED
    position = position.resign(RED)
    assert reason(position) is None
    assert position.to_move == BLUE
    assert position.at_turn_start
    assert position.stones == ("a2",)
    assert dict(position.pioneers)["a3"] == RED
    assert not any(action.startswith("+") for action in legal(position))


def test_another_seat_resigning_does_not_interrupt_the_turn() -> None:  # TN-28
    position = row(LONG, "r2 b8 g14").play("a2-a3")
    after = position.resign(BLUE)
    assert after.to_move == RED
    assert legal(after) == legal(position)
    assert play(after, "a3-a4 a4-a5").to_move == GREEN


def test_a_resigned_seat_takes_no_more_turns() -> None:  # TN-28
    position = row(LONG, "r2 b8 g14").resign(BLUE)
    position = play(position, "a2-a3 a3-a4 a4-a3", "a14-a13 a13-a12 a12-a13")
    assert position.to_move == RED
    position = play(position, "a3-a4 a4-a5 a5-a4")
    assert position.to_move == GREEN


def test_a_resigned_mover_gives_the_turn_to_the_next_who_is_able() -> None:  # TN-28, TN-9
    position = row("ABCDEFGHIJKLMNOP", "r8 b1 g2 y16").resign(RED)
    assert position.to_move == GREEN  # blue is stuck
    assert position.resign(GREEN).outcome is not None  # blue stuck, yellow alone able


def test_a_resigned_seat_counts_as_unable_to_move() -> None:  # TN-28, TN-23
    position = row("ABCDEFGHIJKLMNOP", "r1 b4 b16 g10").resign(GREEN)
    assert reason(position) is None
    position = play(position, "a1-a2 a2-a3 a3-a2")
    assert reason(position) is None
    position = play(position, "a4-a3 a16-a15 a15-a14")
    assert reason(position) is None  # red on a2 can go to a1
    position = play(position, "a2-a1 +a2")
    assert reason(position) == "blocked"


def test_a_mover_who_resigns_may_leave_only_one_able_to_move() -> None:  # TN-28, TN-23
    position = row("ABCDEFGHIJKL", "r8 b1 g2").resign(RED)
    assert reason(position) == "blocked"
    assert position.outcome is not None
    assert position.outcome.winners == (BLUE, GREEN)


def test_pioneers_of_a_resigned_seat_stay_and_block_and_count_for_majorities() -> None:  # TN-28
    position = row("AAAAAABCDEFGHIJKL", "r2 r4 b1 b10 g17", to_move=RED).resign(RED)
    assert dict(position.pioneers)["a4"] == RED
    position = play(position, "a10-a8 +a7")
    assert position.scores == (18, 0, 0)  # red has most inside, and takes all


def test_a_resigned_seat_takes_its_share_of_a_tie() -> None:  # TN-28, TN-18
    position = row("AAAAABCDEFGHIJKL", "r2 b1 b10 g16", to_move=RED).resign(RED)
    assert play(position, "a10-a7 +a6").scores == (7, 7, 0)


def test_a_resigned_seat_ranks_below_every_seat_that_did_not_resign() -> None:  # TN-28, TN-25
    position = row("AABBCDDEE", "r1 b9", players=3, to_move=BLUE, scores=(50, 0, 3)).resign(RED)
    position = play(position, "a9-a6 +a5")
    assert position.outcome == nova.Outcome((BLUE,), "divided", (58, 8, 3))


def test_the_game_continues_until_only_one_seat_is_left() -> None:  # TN-28
    position = row(LONG, "r2 b6 g10 y14")
    position = position.resign(BLUE)
    assert reason(position) is None
    position = position.resign(YELLOW)
    assert reason(position) is None
    assert position.resigned == (BLUE, YELLOW)
    position = play(position, "a2-a3 a3-a4 a4-a3")
    assert position.to_move == GREEN
    position = position.resign(GREEN)
    assert position.outcome == nova.Outcome((RED,), "resigned", (0, 0, 0, 0))


def test_a_seat_may_resign_while_pioneers_are_placed_and_the_others_continue() -> (
    None
):  # TN-28, TN-5
    position = nova.start(nova.Rules(players=3, pioneers=2), nova.Board.parse(" ".join(LONG)))
    position = play(position, "@a1 @a5").resign(GREEN)
    assert position.to_move == RED
    position = play(position, "@a2 @a6")
    assert dict(position.pioneers) == {"a1": 0, "a2": 0, "a5": 1, "a6": 1}
    assert position.to_move == RED
    assert legal(position) == {"a2-a3", "a2-a4"}


def test_the_last_to_place_may_resign_and_play_begins() -> None:  # TN-28, TN-5
    position = nova.start(nova.Rules(players=3, pioneers=1), nova.Board.parse(" ".join(LONG)))
    position = play(position, "@a3 @a8").resign(GREEN)
    assert position.to_move == RED
    assert "a3-a4" in legal(position)


def test_the_second_seat_opens_play_if_the_first_resigned() -> None:  # TN-28, TN-5
    position = nova.start(nova.Rules(players=3, pioneers=2), nova.Board.parse(" ".join(LONG)))
    position = position.play("@a1").resign(RED)
    assert position.to_move == BLUE
    position = play(position, "@a5 @a9 @a6 @a10")
    assert position.to_move == BLUE
    assert position.phase == "play"


def test_a_seat_that_resigned_without_pioneers_does_not_deplete_the_game() -> None:  # TN-28, TN-24
    position = nova.start(
        nova.Rules(players=3, pioneers=1, edition="en"), nova.Board.parse(" ".join(LONG))
    )
    position = position.resign(RED)
    position = play(position, "@a5 @a12")
    assert reason(position) is None
    position = play(position, "a5-a6 a6-a7 a7-a8")
    assert reason(position) is None
    assert position.to_move == GREEN


def test_a_turn_cut_short_by_resignation_is_not_counted_as_played() -> None:  # TN-28, TN-27
    position = row(LONG, "r2 b8 g14", stall_rounds=1)
    position = position.play("a2-a3").resign(RED)
    position = play(position, "a8-a7 a7-a6 a6-a7", "a14-a13 a13-a12 a12-a13")
    assert reason(position) is None  # two turns played; three would be one round of three seats
    assert reason(play(position, "a7-a6 a6-a5 a5-a6")) == "stalled"


def test_nobody_resigns_twice() -> None:  # TN-28
    position = row(LONG, "r2 b8 g14").resign(BLUE)
    with pytest.raises(IllegalAction) as refused:
        position.resign(BLUE)
    assert refused.value.code == "already-resigned"


def test_nobody_resigns_after_the_end() -> None:  # TN-28
    position = row(LONG, "r2 b10").resign(RED)
    for seat in (RED, BLUE):
        with pytest.raises(IllegalAction) as refused:
            position.resign(seat)
        assert refused.value.code == "game-over"


@pytest.mark.parametrize("seat", [2, 3, 4, -1, 255, 2**31, -(2**63), 2**70])
def test_only_seats_of_the_game_resign(seat: int) -> None:  # TN-28
    with pytest.raises(TerrariumError) as refused:
        row(LONG, "r2 b10").resign(seat)
    assert refused.value.code == "no-such-seat"


def test_resignations_are_kept_in_the_text_of_the_position() -> None:  # TN-28
    position = row(LONG, "r2 b8 g14").resign(BLUE)
    again = nova.Position.from_text(position.to_text())
    assert again == position
    assert again.resigned == (BLUE,)
