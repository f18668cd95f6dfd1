"""Winning, the last round, the round limit, resigning (TT-14, TT-15, TT-18, TT-19)."""

from __future__ import annotations

import pytest

from terrarium import turrium
from terrarium.errors import IllegalAction
from tests.turrium.drawn import (
    BLUE,
    GREEN,
    LAST_STEP,
    NEARLY,
    RED,
    YELLOW,
    at,
    composed,
    ending,
    moving,
    opened,
    play,
    put_back,
    texts,
    won,
)

ALL = " ".join(NEARLY.values())


def take_turn(position: turrium.Position, *, win: bool) -> turrium.Position:
    """A turn in a NEARLY position, with the winning step or without it."""
    seat = position.to_move
    assert seat is not None
    position = put_back(position)
    if win:
        position = position.play(LAST_STEP[seat])
    return position.play("end")


def test_flags_on_one_to_six_win() -> None:  # TT-14
    position = take_turn(at(NEARLY[YELLOW], to_move=YELLOW), win=True)
    assert won(position) == (YELLOW,)
    assert position.to_move is None
    assert position.phase == "over"
    assert position.legal_actions() == []


def test_the_win_is_declared_at_the_end_of_the_turn() -> None:  # TT-14
    position = moving(NEARLY[YELLOW], to_move=YELLOW).play(LAST_STEP[YELLOW])
    assert position.outcome is None
    assert position.points_left == 4
    assert won(position.play("end")) == (YELLOW,)


def test_heights_left_again_before_the_end_do_not_win() -> None:  # TT-14
    position = moving(NEARLY[YELLOW], to_move=YELLOW)
    position = play(position, "i5-h5 h5-i5 end")
    assert position.outcome is None


def test_a_turn_that_ends_automatically_wins_too() -> None:  # TT-14
    position = moving(NEARLY[YELLOW], to_move=YELLOW)
    position = play(position, "i5-h5 h5-i5 i5-h5 h5-i5 i5-h5")
    assert won(position) == (YELLOW,)


@pytest.mark.parametrize("heights", [(5, 7), (5, 5), (4, 6), (6, 6)])
def test_other_heights_do_not_win(heights: tuple[int, int]) -> None:  # TT-14
    flags = "j1=1y j2=2y j3=3y j4=4y"
    drawing = f"{flags} j5={heights[0]}y i5={heights[1]}y f1=1 i1=1"
    position = moving(drawing, to_move=YELLOW).play("end")
    assert position.outcome is None


def test_one_to_five_and_seven_do_not_win() -> None:  # TT-14
    drawing = NEARLY[YELLOW].replace("i5=5y", "i5=6y").replace("h5=6", "h5=7")
    position = moving(drawing, to_move=YELLOW)
    assert position.play("end").outcome is not None
    assert play(position, "i5-h5 end").outcome is None


def test_five_flags_and_one_in_hand_do_not_win() -> None:  # TT-14
    drawing = "j1=1y j2=2y j3=3y j4=4y j5=5y i5=6 f1=1"
    position = moving(drawing, to_move=YELLOW)
    assert position.play("end").outcome is None


def test_a_re_entry_may_win() -> None:  # TT-13, TT-14
    drawing = "j1=1y j2=2y j3=3y j4=4y j5=5y i1=6 i2=2 f1=1"
    assert won(play(moving(drawing, to_move=YELLOW), "@i1 end")) == (YELLOW,)


def test_a_capture_may_win() -> None:  # TT-11, TT-14
    drawing = "j1=1y j2=2y j3=3y j4=4y j5=5y i1=5y h1=6g f1=1"
    assert won(play(moving(drawing, to_move=YELLOW), "i1xh1 end")) == (YELLOW,)


def test_the_towers_may_stand_anywhere() -> None:  # TT-10, TT-14
    drawing = "a1=1y c9=2y e5=3y j10=4y f7=5y h5=6y f1=1 b1=1"
    assert won(moving(drawing, to_move=YELLOW).play("end")) == (YELLOW,)


def test_heights_one_to_six_count_only_at_the_end_of_one_s_own_turn() -> None:  # TT-14
    blues = "a10=1b a9=2b a8=3b a7=4b a6=5b c6=6b e10=1"
    position = moving(f"a1=1r a2=1 {blues}").play("end")
    assert position.outcome is None
    assert position.to_move == BLUE


def test_a_seat_that_can_do_nothing_wins_at_the_end_of_its_empty_turn() -> None:  # TT-14, TT-16
    position = composed("j1=1y g3=2y j7=3y c9=4y c5=5y f1=6y", to_move=YELLOW)
    assert won(position) == (YELLOW,)


def test_players_who_had_fewer_turns_get_one_more() -> None:  # TT-15
    position = take_turn(at(ALL, to_move=BLUE), win=True)
    assert position.outcome is None
    assert position.is_last_round
    assert position.declared == (BLUE,)
    assert position.to_move == GREEN
    position = take_turn(position, win=False)
    assert position.to_move == YELLOW
    position = take_turn(position, win=False)
    assert won(position) == (BLUE,)


def test_the_last_seat_of_a_round_wins_at_once() -> None:  # TT-15
    assert won(take_turn(at(ALL, to_move=YELLOW), win=True)) == (YELLOW,)


@pytest.mark.parametrize("winners", [{RED, GREEN}, {RED, BLUE, GREEN, YELLOW}, {BLUE, YELLOW}])
def test_all_who_qualify_in_the_last_round_win(winners: set[int]) -> None:  # TT-15
    position = at(ALL)
    for seat in (RED, BLUE, GREEN, YELLOW):
        assert position.to_move == seat
        position = take_turn(position, win=seat in winners)
    assert won(position) == tuple(sorted(winners))


def test_both_players_of_a_duel_may_win() -> None:  # TT-15
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r g4=5r f4=6"
    blue = "c8=1b d8=2b e8=3b f8=4b g8=5b g7=5b f7=6"
    position = moving(f"{red} {blue} h3=1 h8=1", players=2)
    position = play(position, "g4-f4 end")
    assert position.to_move == BLUE
    assert won(play(put_back(position), "g7-f7 end")) == (RED, BLUE)
    assert won(play(put_back(position), "end")) == (RED,)


def test_a_win_once_declared_stands() -> None:  # TT-15
    position = take_turn(at(ALL), win=True)
    position = play(put_back(position), "a6xa5 end")
    assert position.hand[RED] == 1
    position = take_turn(position, win=False)
    assert won(take_turn(position, win=False)) == (RED,)


def test_a_win_lost_again_before_the_turn_ends_does_not_count() -> None:  # TT-14, TT-15
    blues = "a10=1b a9=2b a8=3b a7=4b a6=5b c6=6b e10=1"
    position = play(moving(f"a5=5r b5=5 {blues} e1=1"), "a5xa6 end")
    position = put_back(position).play("end")
    assert position.outcome is None
    assert not position.is_last_round


def test_a_resigned_seat_gets_no_last_turn() -> None:  # TT-15, TT-19
    position = take_turn(at(ALL).resign(GREEN), win=True)
    position = take_turn(position, win=False)
    assert position.to_move == YELLOW
    assert won(take_turn(position, win=False)) == (RED,)
    position = take_turn(at(ALL).resign(YELLOW), win=False)
    position = take_turn(position, win=False)
    assert won(take_turn(position, win=True)) == (GREEN,)


def test_the_last_round_ends_when_those_still_to_play_resign() -> None:  # TT-15, TT-19
    position = take_turn(at(ALL), win=True)
    position = take_turn(position, win=False)
    position = position.resign(YELLOW)
    assert position.outcome is None
    assert won(position.resign(GREEN)) == (RED,)


def test_the_last_seat_resigning_in_its_turn_ends_the_round() -> None:  # TT-15, TT-19
    position = at(ALL, to_move=GREEN)
    position = take_turn(position, win=True)
    assert won(put_back(position).resign(YELLOW)) == (GREEN,)


def test_after_the_last_round_allowed_the_game_is_drawn() -> None:  # TT-18
    position = at(ALL, rounds=99)
    for _ in range(4):
        position = take_turn(position, win=False)
    assert ending(position) == ((), "limit")
    assert position.rounds == 100


def test_rounds_count_when_every_seat_has_played() -> None:  # TT-18
    position = at(ALL, max_rounds=2)
    for played in range(4):
        assert position.rounds == 0, played
        position = take_turn(position, win=False)
    assert position.rounds == 1
    for _ in range(3):
        position = take_turn(position, win=False)
    assert position.outcome is None
    assert ending(take_turn(position, win=False)) == ((), "limit")


@pytest.mark.parametrize("winner", [RED, YELLOW])
def test_a_win_in_the_last_round_allowed_is_not_a_draw(winner: int) -> None:  # TT-15, TT-18
    position = at(ALL, max_rounds=1)
    for seat in range(4):
        position = take_turn(position, win=seat == winner)
    assert won(position) == (winner,)


def test_rounds_continue_without_a_resigned_seat() -> None:  # TT-18, TT-19
    position = at(ALL, max_rounds=2).resign(YELLOW).resign(RED)
    assert position.to_move == BLUE
    for rounds, seat in ((0, BLUE), (0, GREEN), (1, BLUE), (1, GREEN)):
        assert (position.rounds, position.to_move) == (rounds, seat)
        position = take_turn(position, win=False)
    assert ending(position) == ((), "limit")


def test_a_last_seat_that_resigns_in_the_last_round_allowed_draws_the_others() -> None:
    # TT-18, TT-19
    position = put_back(at(ALL, to_move=YELLOW, max_rounds=1)).resign(YELLOW)
    assert ending(position) == ((), "limit")


def test_players_who_can_do_nothing_reach_the_limit_automatically() -> None:  # TT-16, TT-18
    position = composed("", max_rounds=7)
    assert ending(position) == ((), "limit")
    assert position.rounds == 7


def test_a_seat_that_resigns_takes_no_more_turns() -> None:  # TT-19
    position = at(ALL).resign(BLUE)
    assert position.resigned == (BLUE,)
    assert position.to_move == RED
    assert take_turn(position, win=False).to_move == GREEN


def test_a_seat_may_resign_in_the_middle_of_its_turn() -> None:  # TT-19
    position = at(ALL).play("-e1").resign(RED)
    assert position.to_move == BLUE
    assert position.phase == "take"
    assert position.cubes_in_hand == 0
    position = moving(ALL).play("b5-c5").resign(RED)
    assert position.to_move == BLUE
    assert position.declared == ()


def test_the_flags_of_a_resigned_seat_stay() -> None:  # TT-19
    position = at(ALL)
    assert position.resign(BLUE).flags == position.flags
    assert position.resign(RED).flags == position.flags


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_seat_left_wins_at_once(players: int) -> None:  # TT-19
    position = opened(players)
    for seat in range(players - 1):
        assert position.outcome is None
        position = position.resign(seat)
    assert ending(position) == ((players - 1,), "resigned")
    assert position.legal_actions() == []
    assert position.phase == "over"


def test_a_seat_may_resign_while_others_play() -> None:  # TT-19
    position = at(ALL).play("-e1")
    after = position.resign(YELLOW)
    assert after.to_move == RED
    assert after.cubes_in_hand == 1
    assert texts(after) == texts(position)


def test_a_seat_may_resign_during_the_set_up() -> None:  # TT-3, TT-19
    position = turrium.start(turrium.Rules(players=3)).play("@c3").resign(RED)
    assert (position.phase, position.to_move) == ("flags", BLUE)
    assert position.flags == {"c3": RED}
    assert position.hand[RED] == 5
    while position.phase == "flags":
        position = position.play(position.legal_actions()[0])
    assert (position.phase, position.to_move) == ("take", BLUE)


def test_a_seat_that_resigns_before_setting_its_flags_is_passed_over() -> None:  # TT-3, TT-19
    position = turrium.start(turrium.Rules(players=3)).resign(GREEN).resign(RED)
    assert ending(position)[0] == (BLUE,)
    position = turrium.start(turrium.Rules(players=4)).resign(YELLOW).resign(BLUE)
    seats = []
    while position.phase == "flags":
        seats.append(position.to_move)
        position = position.play(position.legal_actions()[0])
    assert seats == [RED] * 6 + [GREEN] * 6
    assert (position.phase, position.to_move) == ("take", RED)


def test_the_last_to_set_may_resign_and_play_begins() -> None:  # TT-3, TT-19
    position = turrium.start(turrium.Rules(players=3))
    while position.to_move != GREEN:
        position = position.play(position.legal_actions()[0])
    position = position.resign(GREEN)
    assert (position.phase, position.to_move) == ("take", RED)


def test_nobody_resigns_twice_or_after_the_end_or_without_a_seat() -> None:  # TT-19
    position = at(ALL).resign(BLUE)
    with pytest.raises(IllegalAction) as caught:
        position.resign(BLUE)
    assert caught.value.code == "already-resigned"
    over = at(ALL, to_move=YELLOW)
    over = take_turn(over, win=True)
    with pytest.raises(IllegalAction) as caught:
        over.resign(RED)
    assert caught.value.code == "game-over"
    for seat in (-1, 4, 255, 2**40):
        with pytest.raises(IllegalAction) as caught:
            at(ALL).resign(seat)
        assert caught.value.code == "no-such-seat"


def test_a_declared_win_is_not_lost_when_only_one_seat_is_left() -> None:  # TT-15, TT-19
    position = take_turn(at(ALL, to_move=BLUE).resign(RED), win=True)
    position = position.resign(BLUE).resign(GREEN)
    assert ending(position)[0] == (BLUE,)
