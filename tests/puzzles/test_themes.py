"""The themes of puzzles, tested with turns on small boards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from terrarium.core.reason import Course
from tests.nova.drawn import BLUE, RED, YELLOW, row
from tests.turrium.drawn import LAST_STEP, NEARLY, SPARE, at


def themes(position: Any, *turns: str, nothing: str = "") -> tuple[str, ...]:
    """The themes of the first turn. The others follow it; `nothing` is the next seat's turn if the first turn is not played."""
    seat = position.to_move
    line = replace(played(position, *turns), seat=seat)
    without = None
    if nothing:
        rival = (seat + 1) % position.players
        without = replace(played(position.game.imagine(position, rival), nothing), seat=seat)
    return tuple(position.game.themes(line, without))


def played(position: Any, *turns: str) -> Course:
    line = Course.of(position, [turn.split() for turn in turns], seat=-1)
    assert len(line.movers) == len(turns), "a turn is not possible"
    return line


def test_close_is_a_territory_that_pays_the_seat_most() -> None:  # TN-16, TN-18
    closing, waiting = "a17-a14 +a13 a14-a15", "a17-a14 a14-a15 a15-a16"
    position = row("AAAAAABBBBBBCDEFGHA", "b2 b5 r8 b17 r19", to_move=BLUE)
    assert themes(position, closing) == ("close",)
    assert themes(position, waiting) == ()
    rivals = row("AAAAAABBBBBBCDEFGHA", "r2 r5 b8 b17 r19", to_move=BLUE)
    assert "close" not in themes(rivals, closing)


def test_majority_is_won_where_a_rival_had_as_many_pioneers() -> None:  # TN-18
    tied = row("AAAAAABCDEFGH", "b1 r2 b9 b12 r13", to_move=BLUE)
    assert "majority" in themes(tied, "a9-a5 +a6 a12-a11")
    ahead = row("AAAAAABCDEFGH", "b1 b2 r3 b9 b12 r13", to_move=BLUE)
    assert "majority" not in themes(ahead, "a9-a5 +a6 a12-a11")


def test_split_leaves_two_regions_in_play() -> None:  # TN-20
    position = row("ABCDAFABCDE", "r1 b9 b11", to_move=BLUE)
    assert "split" in themes(position, "a9-a7 +a6 a7-a8")
    assert "split" not in themes(position, "a9-a7 a7-a8 a11-a10")


def test_split_closes_both_sides_of_a_stone_and_both_pay() -> None:  # TN-16
    position = row("AAABCDDD", "b1 b6 r8", to_move=BLUE)
    assert "split" in themes(position, "a6-a5 +a4")
    nobody_left = row("AAABCDDDD", "b6 b9 r8", to_move=BLUE)
    assert "close" in themes(nobody_left, "a6-a5 +a4")
    assert "split" not in themes(nobody_left, "a6-a5 +a4")


def test_split_cuts_off_a_rival_that_could_have_shared_the_land() -> None:  # TN-18
    closing = "a4-a7 +a6 a7-a8"
    alone = row("AAAAABCDEFGH", "b2 b4 r10 r12", to_move=BLUE)
    assert "split" in themes(alone, closing)
    ahead = row("AAAAABCDEFGH", "b1 b2 b4 r10 r12", to_move=BLUE)
    assert "close" in themes(ahead, closing)
    assert "split" not in themes(ahead, closing)


def test_race_closes_land_that_a_rival_would_close_next_and_block_only_prevents_that() -> None:
    position = row("AAAAAABBCDEFGHA", "b2 b4 r3 r8 r9 r13 b15", to_move=BLUE)
    threat = "a13-a11 +a10 a11-a12"
    assert "race" in themes(position, "a4-a6 +a7 a15-a14", nothing=threat)
    away = "a15-a14 a4-a5 a5-a6"
    assert themes(position, away, "a13-a12 a12-a11 a11-a12", nothing=threat) == ("block",)
    assert themes(position, away, threat, nothing=threat) == ()


def test_race_prepares_a_closing_of_the_next_turn() -> None:
    position = row("AAAAAABCDEFGHAB", "b2 b4 b12 r14 r15", to_move=BLUE)
    prepare, answer = "a12-a11 a11-a10 a10-a9", "a14-a13 a13-a12 a12-a11"
    assert themes(position, prepare, answer, "a9-a8 +a7 a8-a9") == ("race",)
    assert themes(position, prepare, answer, "a9-a8 a8-a9 a9-a10") == ()


def test_block_ends_the_game_when_rivals_cannot_move() -> None:  # TN-23
    position = row("ABCDEFGH", "r1 b4 b8", to_move=BLUE, scores=(0, 5))
    assert themes(position, "a4-a2 a8-a7 a7-a6") == ("block",)


@pytest.mark.parametrize("seat", list(NEARLY))
def test_win_completes_the_towers_in_this_turn(seat: int) -> None:  # TT-14
    position = at(" ".join(NEARLY.values()), to_move=seat)
    assert "win" in themes(position, turn_of(seat, wins=True))
    assert "win" not in themes(position, turn_of(seat, wins=False))


def turn_of(seat: int, *, wins: bool) -> str:
    """A turn that completes the towers of NEARLY, or one that changes nothing."""
    return f"-{SPARE[seat]} +{SPARE[seat]} {LAST_STEP[seat] + ' ' if wins else ''}end"


def test_win_next_completes_them_in_the_next_turn() -> None:
    position = at(" ".join(NEARLY.values()), to_move=RED)
    quiet = [turn_of(seat, wins=False) for seat in NEARLY]
    assert themes(position, *quiet, turn_of(RED, wins=True)) == ("win-next",)
    assert themes(position, *quiet, turn_of(RED, wins=False)) == ()


def test_stop_prevents_a_rivals_win() -> None:
    position = at(" ".join(NEARLY.values()), to_move=RED)
    threat = turn_of(BLUE, wins=True)
    quiet = [turn_of(seat, wins=False) for seat in (RED, BLUE)]
    assert themes(position, *quiet, nothing=threat) == ("stop",)
    assert themes(position, quiet[0], threat, nothing=threat) == ()
    assert themes(position, *quiet) == ()


def test_a_win_that_ends_the_game_is_no_stop() -> None:  # TT-15
    position = at(" ".join(NEARLY.values()), to_move=YELLOW)
    assert position.play_all(turn_of(YELLOW, wins=True).split()).outcome is not None
    assert themes(position, turn_of(YELLOW, wins=True), nothing=turn_of(RED, wins=True)) == ("win",)


def test_capture_takes_two_flags() -> None:  # TT-11
    position = at("c3=2r c4=1b c5=1b a1=1 h8=1g h2=1y")
    assert "capture" in themes(position, "-a1 +a1 c3xc4 c4xc5 end")
    assert "capture" not in themes(position, "-a1 +a1 c3xc4 end")


def test_reentry_brings_a_flag_back_high_or_into_a_capture() -> None:  # TT-13
    position = at("c1=4 d1=1 e1=1b a1=1 b8=1b h8=1g h2=1y")
    assert "reentry" in themes(position, "-a1 +a1 @c1 end")
    assert "reentry" in themes(position, "-a1 +a1 @d1 d1xe1 end")
    assert "reentry" not in themes(position, "-a1 +a1 @d1 end")


def test_last_round_is_played_after_somebody_has_won() -> None:  # TT-15
    position = at(" ".join(NEARLY.values()), to_move=RED)
    last = position.play_all(turn_of(RED, wins=True).split())
    assert "last-round" in themes(last, turn_of(BLUE, wins=False))
    assert "last-round" not in themes(position, turn_of(RED, wins=False))
