"""Why one turn of Terra Turrium is better than another."""

from __future__ import annotations

from typing import Any

from terrarium import turrium
from terrarium.core.reason import Course, Reason
from terrarium.turrium.reasons import reasons, steps
from tests.turrium.drawn import BLUE, RED, at

NEAR_RED = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1"
NEAR_BLUE = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6"


def compared(position: turrium.Position, better: str, other: str) -> dict[tuple[str, str], Reason]:
    """The reasons by side and code; each line may contain several turns, separated by `/`."""
    courses = [
        Course.of(position, [turn.split() for turn in line.split("/")]) for line in (better, other)
    ]
    for course, line in zip(courses, (better, other), strict=True):
        assert len(course.movers) == line.count("/") + 1, "the line was not played completely"
    return {(one.side, one.code): one for one in reasons(*courses)}


def facts(found: dict[tuple[str, str], Reason], side: str, code: str) -> dict[str, Any]:
    return dict(found[side, code].facts)


def test_a_win_by_towers_is_the_main_reason() -> None:  # TT-14
    position = at(f"{NEAR_RED} {NEAR_BLUE}", players=2)
    found = compared(position, "-c5 +c5 h3-h4 end", "-c5 +c4 end")
    assert max(found.values(), key=lambda one: one.weight) == found["gains", "win"]


def test_a_rivals_win_in_the_next_turn_is_allowed() -> None:  # TT-14
    position = at(f"{NEAR_RED} {NEAR_BLUE}", players=2)
    found = compared(position, "-c5 +h7 end", "-c5 +c4 end")
    assert facts(found, "allows", "near") == {"seat": BLUE}
    assert steps(position, BLUE).is_near, "blue must be one step from its win"


def test_a_flag_that_the_better_turn_captures_is_named() -> None:  # TT-11
    position = at("c3=1r d3=1b e3=1 f8=1b c8=1r h3=1", players=2)
    found = compared(position, "-h3 +h3 c3xd3 end", "-h3 +h3 end")
    assert facts(found, "gains", "capture") == {"seat": RED, "owner": BLUE, "cell": "d3"}


def test_own_flags_within_a_rivals_reach_are_exposed() -> None:  # TT-11
    position = at("c3=1r d3=1 e3=1 f3=1b c4=1 h8=1b h3=1", players=2)
    found = compared(position, "-d3 +h4 end", "-h3 +h3 end")
    told = facts(found, "allows", "exposed")
    assert told == {"seat": BLUE, "owner": RED, "cells": ["c3"]}
    lost = compared(position, "-d3 +h4 end", "-h3 +h3 end / -h3 +h3 f3-e3 e3-d3 d3xc3 end")
    assert facts(lost, "allows", "capture") == {"seat": BLUE, "owner": RED, "cell": "c3"}


def test_a_new_height_is_a_gain_for_the_seat_and_a_concession_to_rivals() -> None:  # TT-14
    position = at("c3=1r d3=1r d4=2 c8=1b d8=1b d7=2 h3=1 h8=1", players=2)
    found = compared(position, "-h3 +h3 d3-d4 end", "-h3 +h3 end / -h8 +h8 d8-d7 end")
    assert facts(found, "gains", "height") == {"seat": RED, "height": 2}
    assert facts(found, "allows", "height") == {"seat": BLUE, "height": 2}


def test_a_height_within_reach_is_a_gain() -> None:  # TT-10
    position = at("c3=1r c4=1 c8=1b h3=1 h8=1", players=2)
    found = compared(position, "-h3 +c4 end", "-h3 +h3 end")
    assert facts(found, "gains", "reach") == {"seat": RED, "height": 2}


def test_flags_that_cannot_make_a_step_are_named() -> None:  # TT-10
    position = at("c3=1r c4=1 f8=1b f7=1 h3=1 h8=1", players=2)
    found = compared(position, "-f7 +h3 end", "-h3 +h3 end")
    assert facts(found, "gains", "blocked") == {"seat": BLUE, "cells": ["f8"]}


def test_cubes_that_rivals_take_from_ones_land_are_named() -> None:  # TT-5
    position = at("c3=1r c4=1 f8=1b f7=1 h3=1 h8=1", players=2)
    found = compared(position, "-h3 +h3 end / -h8 +h8 end", "-h3 +h3 end / -h3 +h8 end")
    assert facts(found, "allows", "cube") == {"seat": BLUE, "cell": "h3"}


def test_the_estimate_says_how_many_turns_are_saved() -> None:
    position = at("c3=1r c4=1 f8=1b f7=1 h3=1 h8=1", players=2)
    turn = ["-h3", "+h3", "end"]
    better = Course.of(position, [turn], lambda _: {"turns_to_win": [3.0, 6.0]})
    other = Course.of(position, [turn], lambda _: {"turns_to_win": [4.5, 5.0]})
    found = {(one.side, one.code): dict(one.facts) for one in reasons(better, other)}
    assert found["gains", "pace"] == {"seat": RED, "turns": 1.5}
    assert found["allows", "pace"] == {"seat": BLUE, "turns": 1.0}
