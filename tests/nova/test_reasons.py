"""Why one turn of Terra Nova is better than another."""

from __future__ import annotations

from typing import Any

from terrarium import nova
from terrarium.core.reason import Course, Reason
from terrarium.nova.reasons import closing, reasons
from tests.nova.drawn import BLUE, RED, drawn, row


def compared(position: nova.Position, better: str, other: str) -> dict[tuple[str, str], Reason]:
    """The reasons by side and code; each line may contain several turns, separated by `/`."""
    courses = [
        Course.of(position, [turn.split() for turn in line.split("/")]) for line in (better, other)
    ]
    return {(one.side, one.code): one for one in reasons(*courses)}


def facts(found: dict[tuple[str, str], Reason], side: str, code: str) -> dict[str, Any]:
    return dict(found[side, code].facts)


def test_a_territory_that_the_better_turn_closes_is_named_with_its_points() -> None:  # TN-17
    position = row("AAAAAABBBBBBCDEFG", "b2 b5 r8 b17", to_move=BLUE)
    found = compared(position, "a17-a14 +a13 a14-a15", "a17-a16 a16-a15 a15-a14")
    told = facts(found, "gains", "territory")
    assert (told["seat"], told["points"], told["landscapes"]) == (BLUE, 24, ["A", "B"])
    assert set(told["cells"]) == {f"a{n}" for n in range(1, 13)}


def test_a_territory_that_a_rival_closes_in_reply_is_named_with_the_rival() -> None:  # TN-16
    position = row("AAAAABCDEFGH", "r2 b7 r12", to_move=BLUE)
    found = compared(
        position,
        "a7-a6 a6-a7 a7-a6 / a12-a11 a11-a10 a10-a9",
        "a7-a8 a8-a9 a9-a10 / a2-a5 +a6 a12-a11",
    )
    told = facts(found, "allows", "territory")
    assert (told["seat"], told["points"]) == (RED, 15)


def test_a_closing_that_a_rival_could_play_is_found_without_a_reply() -> None:
    position = row("AAAAABCDEFGH", "r2 b7 r12", to_move=BLUE)
    found = compared(position, "a7-a6 a6-a7 a7-a6", "a7-a8 a8-a9 a9-a10")
    told = facts(found, "allows", "territory")
    assert (told["seat"], told["points"]) == (RED, 15)
    # red can really do it: it moves next to the cell and closes it
    after = position.play_all("a7-a8 a8-a9 a9-a10")
    best = closing(after, RED)
    assert best.points == max(
        after.play(move).play(stone).scores[RED]
        for move in after.legal_actions()
        for stone in after.play(move).legal_actions()
        if stone.kind == "stone"
    )


def test_land_that_the_seat_threatens_to_close_is_a_gain() -> None:
    position = row("AAAAABCDEFGH", "b2 b12 r10", to_move=BLUE)
    found = compared(position, "a2-a5 a12-a11 a5-a4", "a2-a5 +a4 a12-a11")
    assert facts(found, "gains", "threat")["points"] == 15


def test_who_has_most_pioneers_in_a_region_is_compared() -> None:  # TN-18
    turn = ["a16-a15", "a15-a14", "a14-a13"]
    land = "ABCDEFGHABCDEFGH"
    strong, even, weak = (
        Course.of(row(land, pieces, to_move=BLUE), [turn])
        for pieces in ("r1 b9 r10 b16 s8", "r1 r9 r10 b11 b16 s8", "r1 r9 r10 b16 s8")
    )
    assert len(strong.after.regions()) == 2
    found = {(one.side, one.code): dict(one.facts) for one in reasons(even, weak)}
    assert found["gains", "tie"]["pioneers"] == [2, 2]
    found = {(one.side, one.code): dict(one.facts) for one in reasons(strong, even)}
    assert found["allows", "tie"]["seat"] == RED
    found = {(one.side, one.code): dict(one.facts) for one in reasons(strong, weak)}
    assert found["gains", "majority"]["seat"] == BLUE
    assert found["allows", "majority"]["seat"] == RED


def test_pioneers_that_cannot_move_are_named() -> None:  # TN-10
    position = row("ABCDEFGHIJ", "r1 b4 r10", to_move=BLUE)
    found = compared(position, "a4-a2 a2-a3 a3-a2", "a4-a5 a5-a6 a6-a5")
    told = facts(found, "gains", "locked")
    assert told == {"seat": RED, "cells": ["a1"]}


def test_a_turn_that_divides_the_land_differs_from_one_that_does_not() -> None:  # TN-20
    position = row("ABCDEFGHABCD", "r1 b7 r12", to_move=BLUE)
    found = compared(position, "a7-a8 +a7 a8-a9", "a7-a8 a8-a9 a9-a8")
    assert facts(found, "gains", "split")["regions"] == 2


def test_the_estimate_names_the_land_on_which_it_differs() -> None:
    position = drawn("A A A B\n C C D D", "ra1 bb5")
    turn = [str(position.legal_actions()[0])]
    while not position.play_all(turn).at_turn_start:
        turn.append(str(position.play_all(turn).legal_actions()[0]))
    rich = {cell: {"pay": 2.0, "shares": [1.0, 0.0]} for cell in ("a1", "a2", "a3")}
    poor = {cell: {"pay": 2.0, "shares": [0.25, 0.75]} for cell in ("a1", "a2", "a3")}
    better = Course.of(position, [turn], lambda _: {"ownership": rich})
    other = Course.of(position, [turn], lambda _: {"ownership": poor})
    found = {(one.side, one.code): dict(one.facts) for one in reasons(better, other)}
    assert found["gains", "claim"]["landscape"] == "A"
    assert found["gains", "claim"]["points"] == round(3 * 2 * 0.75)
    assert found["allows", "claim"]["seat"] == BLUE


def test_equal_lines_have_no_reasons() -> None:
    position = row("AAAAABCDEFGH", "r2 b7 r12", to_move=BLUE)
    assert compared(position, "a7-a6 a6-a5 a5-a4", "a7-a6 a6-a5 a5-a4") == {}
