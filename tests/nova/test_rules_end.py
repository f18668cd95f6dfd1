"""How a game ends and who has won (TN-22 .. TN-27)."""

from __future__ import annotations

import pytest

from terrarium import nova
from tests.nova.drawn import BLUE, GREEN, RED, legal, play, row

THERE_AND_BACK = {  # turns without a stone that lead back to the same position after two rounds
    RED: ("a2-a3 a3-a2 a2-a1", "a1-a2 a2-a3 a3-a2"),
    BLUE: ("a10-a11 a11-a10 a10-a9", "a9-a10 a10-a11 a11-a10"),
}


def reason(position: nova.Position) -> str | None:
    """Why the game is over, or None while it is not."""
    return position.outcome.reason if position.outcome else None


def test_it_ends_when_all_land_is_divided() -> None:  # TN-22
    position = play(row("AABBCDDEE", "r1 b9", to_move=BLUE), "a9-a6 +a5")
    assert reason(position) == "divided"
    assert position.to_move is None
    assert legal(position) == set()
    assert position.phase == "over"


def test_divided_is_checked_before_blocked_and_stones() -> None:  # TN-22, TN-23, TN-26
    position = play(row("AABBCDDEE", "r1 b9", to_move=BLUE, supply=1, edition="en"), "a9-a6 +a5")
    assert reason(position) == "divided"


def test_land_still_in_play_keeps_the_game_from_being_divided() -> None:  # TN-22
    position = play(row("AABBCDEFG", "r1 b9", to_move=BLUE), "a9-a6 +a5 a6-a7")
    assert reason(position) == "blocked"  # red has left, blue alone can move in four landscapes


def test_it_ends_only_after_a_complete_turn_when_one_player_is_left_able_to_move() -> None:  # TN-23
    position = row("ABCDEFGH", "r1 b4 b8", to_move=BLUE)
    for action in ("a4-a2", "a8-a7"):
        position = position.play(action)
        assert reason(position) is None  # red is stuck already
        assert position.to_move == BLUE
    assert reason(position.play("a7-a6")) == "blocked"


def test_a_player_freed_before_the_turn_is_over_is_not_blocked() -> None:  # TN-23
    position = play(row("ABCDEFGH", "r1 b4 b8", to_move=BLUE), "a4-a2 a8-a7 a2-a3")
    assert reason(position) is None
    assert position.to_move == RED


def test_blocked_for_now_counts() -> None:  # TN-23
    # Blue could move aside and free red, but the rule does not ask for that.
    position = play(row("ABCDEFGHIJ", "r1 b3 b9", to_move=BLUE), "a3-a2 a9-a8 a8-a7")
    assert reason(position) == "blocked"


def test_it_ends_before_the_first_turn_if_the_island_is_full() -> None:  # TN-23
    position = nova.start(nova.Rules(pioneers=4), nova.Board.parse("A B C D A B C D"))
    position = play(position, "@a1 @a2 @a3 @a4 @a5 @a6 @a7")
    assert reason(position) is None
    position = position.play("@a8")
    assert reason(position) == "blocked"
    assert position.outcome == nova.Outcome((0, 1), "blocked", (0, 0))


def test_it_ends_before_the_first_turn_if_only_one_player_is_able_to_move() -> None:  # TN-23
    position = nova.start(nova.Rules(pioneers=2), nova.Board.parse("A B C D E"))
    position = play(position, "@a1 @a3 @a2 @a5")
    assert reason(position) == "blocked"


def test_the_first_turn_is_the_second_seats_if_only_the_first_is_stuck() -> None:  # TN-9, TN-23
    position = nova.start(nova.Rules(players=3, pioneers=1), nova.Board.parse("A B C D E F"))
    position = play(position, "@a1 @a2 @a5")
    assert reason(position) is None
    assert position.to_move == BLUE


def test_two_of_three_blocked_end_the_game() -> None:  # TN-23
    position = row("ABCDEFGHIJ", "r1 b2 g6 g10", to_move=GREEN)
    assert position.to_move == GREEN
    position = play(position, "a6-a5 a5-a4 a4-a3")
    assert reason(position) == "blocked"


def test_open_land_is_not_scored_but_land_closed_by_the_last_turn_is() -> None:  # TN-23
    position = play(row("AAABCDEFGH", "r2 b8", to_move=BLUE), "a8-a5 +a4 a5-a6")
    assert position.outcome == nova.Outcome((RED,), "blocked", (9, 0))
    assert set(position.dead) == {"a1", "a2", "a3"}  # a5 to a10 stay open, unscored


def test_a_composed_position_in_which_one_player_can_move_is_over() -> None:  # TN-23
    position = row("ABCDEFGH", "r1 b2 b8", to_move=BLUE)
    assert reason(position) == "blocked"


def test_a_player_without_pioneers_is_unable_to_move() -> None:  # TN-23
    position = play(row("AAABCDEFGH", "r2 b8", to_move=BLUE, edition="en"), "a8-a5 +a4 a5-a6")
    assert reason(position) == "blocked"  # checked before depleted


def test_depletion_ends_the_game_after_the_turn_and_not_within_it() -> None:  # TN-24
    position = row("AAABCDEFGH", "r2 b8 g10", to_move=BLUE, edition="en")
    position = play(position, "a8-a5 +a4")
    assert reason(position) is None
    assert position.to_move == BLUE
    position = position.play("a5-a6")
    assert position.outcome == nova.Outcome((RED,), "depleted", (9, 0, 0))


def test_territories_of_the_last_turn_are_scored_before_depletion_ends_the_game() -> None:  # TN-24
    position = row("AAABBBBCDEFGHI", "r2 b6 b10 g14", to_move=BLUE, edition="en")
    position = play(position, "a6-a5 +a4 +a6")
    # a1 to a3 pay red 9, then a5 pays blue 3. Red has no pioneers left.
    assert position.outcome == nova.Outcome((RED,), "depleted", (9, 3, 0))


def test_depletion_may_hit_the_mover() -> None:  # TN-24, TN-6
    position = play(row("AAABCDEFGHIJ", "r2 b8 g12", edition="en"), "a2-a3 +a4")
    assert position.outcome == nova.Outcome((RED,), "depleted", (9, 0, 0))


@pytest.mark.parametrize("edition", ["fr", "nl", "sv", "en"])
@pytest.mark.parametrize("depletion", [True, False])
def test_depletion_is_an_option_of_every_edition(edition: str, depletion: bool) -> None:  # TN-24
    position = row("AAABCDEFGHIJ", "r2 b8 g12", edition=edition, depletion=depletion)
    position = play(position, "a2-a3 +a4")
    assert reason(position) == ("depleted" if depletion else None)


def test_depleted_is_checked_before_stones() -> None:  # TN-24, TN-26
    position = row("AAABCDEFGHIJ", "r2 b8 g12", edition="en", supply=1)
    assert reason(play(position, "a2-a3 +a4")) == "depleted"
    position = row("AAABCDEFGHIJ", "r2 b8 g12", edition="fr", supply=1)
    assert reason(play(position, "a2-a3 +a4")) == "stones"


def test_most_points_win() -> None:  # TN-25
    position = row("AABBCDDEE", "r1 b9", to_move=BLUE, scores=(0, 1))
    position = play(position, "a9-a6 +a5")
    assert position.outcome == nova.Outcome((BLUE,), "divided", (8, 9))


def test_equal_points_share_the_win() -> None:  # TN-25
    position = play(row("AABBCDDEE", "r1 b9", to_move=BLUE), "a9-a6 +a5")
    assert position.outcome == nova.Outcome((RED, BLUE), "divided", (8, 8))
    position = row("AABBCDDEE", "r1 b9", to_move=BLUE, players=3, scores=(0, 0, 8))
    position = play(position, "a9-a6 +a5")
    assert position.outcome == nova.Outcome((RED, BLUE, GREEN), "divided", (8, 8, 8))


def test_with_no_stones_left_at_a_turns_end_the_game_ends() -> None:  # TN-26
    position = row("ABCDEFGHIJ", "r5 b10", supply=1)
    position = play(position, "a5-a6 +a5")
    assert reason(position) is None  # the third action is still compulsory
    assert position.supply == 0
    position = position.play("a6-a7")
    assert reason(position) == "stones"


def test_the_last_stone_but_one_does_not_end_the_game() -> None:  # TN-26
    position = play(row("ABCDEFGHIJ", "r5 b10", supply=2), "a5-a6 +a5 a6-a7")
    assert reason(position) is None


def test_blocked_is_checked_before_stones() -> None:  # TN-23, TN-26
    position = play(row("AAABCDEFGH", "r2 b8", to_move=BLUE, supply=1), "a8-a5 +a4 a5-a6")
    assert reason(position) == "blocked"


def test_it_ends_when_the_rounds_of_the_option_passed_without_a_stone() -> None:  # TN-27
    position = row("ABCDEFGHIJKL", "r2 b10", stall_rounds=2)
    for turn in range(4):
        assert reason(position) is None
        position = play(position, THERE_AND_BACK[turn % 2][turn // 2 % 2])
    assert reason(position) == "stalled"
    assert position.outcome is not None
    assert position.outcome.winners == (RED, BLUE)


def test_by_default_twenty_rounds_without_a_stone_end_the_game() -> None:  # TN-27
    position = row("ABCDEFGHIJKL", "r2 b10")
    for turn in range(40):
        assert reason(position) is None
        position = play(position, THERE_AND_BACK[turn % 2][turn // 2 % 2])
    assert reason(position) == "stalled"


def test_no_stall_ends_the_game_when_the_option_is_0() -> None:  # TN-27
    position = row("ABCDEFGHIJKL", "r2 b10", stall_rounds=0)
    for turn in range(100):
        position = play(position, THERE_AND_BACK[turn % 2][turn // 2 % 2])
    assert reason(position) is None


def test_a_stone_resets_the_count() -> None:  # TN-27
    position = row("ABCDEFGHIJKLMNOP", "r2 r14 b10", stall_rounds=1)
    position = play(position, "a2-a3 a3-a2 a2-a1", "a10-a11 +a12 a11-a10")
    assert reason(position) is None
    position = play(position, "a1-a2 a2-a3 a3-a2")
    assert reason(position) is None
    assert reason(play(position, "a10-a11 a11-a10 a10-a9")) == "stalled"
    assert reason(play(position, "a10-a11 a11-a10 +a11")) is None


def test_only_turns_really_played_count_and_passes_do_not() -> None:  # TN-27
    position = row("ABCDEFGHIJKL", "r1 b2 g10", to_move=BLUE, stall_rounds=1)
    position = play(position, "a2-a3 a3-a4 a4-a3", "a10-a9 a9-a8 a8-a9", "a1-a2 a2-a1 a1-a2")
    assert reason(position) == "stalled"
    # The same three seats, but red passes: blue, green, then (red) blue make three turns.
    position = row("ABCDEFGHIJKL", "r1 b2 b5 g10", to_move=BLUE, stall_rounds=1)
    position = play(position, "a5-a6 a6-a7 a7-a6", "a10-a9 a9-a8 a8-a9")
    assert reason(position) is None
    assert position.to_move == BLUE
    position = play(position, "a6-a5 a5-a4 a4-a5")
    assert reason(position) == "stalled"


def test_a_turn_with_a_forfeited_action_is_really_played() -> None:  # TN-6, TN-27
    # Red's second action is a stone, the third is forfeited: the count starts at 0 again.
    position = row("ABCDEFGHI", "r1 b3 g7", stall_rounds=1)
    position = play(position, "a1-a2 +a1")
    position = play(position, "a3-a4 a4-a5 a5-a4", "a7-a8 a8-a9 a9-a8")
    assert reason(position) is None
    assert position.to_move == RED


def test_the_stall_limit_grows_with_the_number_of_players() -> None:  # TN-27
    position = row("ABCDEFGHIJKLMNOP", "r2 b10 g16", stall_rounds=1)
    position = play(position, "a2-a3 a3-a4 a4-a3", "a10-a11 a11-a12 a12-a11")
    assert reason(position) is None
    assert reason(play(position, "a16-a15 a15-a14 a14-a15")) == "stalled"
