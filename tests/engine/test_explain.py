"""Reasons for lines of an analysis: what they gain and prevent."""

from __future__ import annotations

from terrarium import games, nova, turrium
from terrarium.engine import Engine, Limit, explained
from terrarium.engine.towers import winning_turn
from tests.nova.drawn import BLUE, RED, row

LIMIT = Limit(nodes=3000)


def test_a_line_names_what_it_closes() -> None:  # TN-17
    position = row("AAAAAABBBBBBCDEFG", "b2 b5 r8 b17", to_move=BLUE)
    analysis = list(Engine(level=8, seed=0).analyse(position, LIMIT, 2))[-1]
    line = explained(position, analysis).lines[0]
    gains = {one.code: dict(one.facts) for one in line.reasons if one.side == "gains"}
    scored = position.play_all(line.turn).scores[BLUE]
    assert scored > 0
    assert "win" in gains or gains["territory"]["points"] == scored
    assert line.to_dict()["reasons"] == [one.to_dict() for one in line.reasons]


def test_a_line_names_the_closing_that_it_prevents() -> None:  # TN-16
    position = row("AAAAABCDEFGHABCDEFGH", "r2 b9 r20", to_move=BLUE)
    analysis = list(Engine(level=8, seed=0).analyse(position, LIMIT, 8))[-1]
    found = explained(position, analysis)
    prevented = [
        one
        for line in found.lines
        for one in line.reasons
        if (one.side, one.code) == ("allows", "territory")
    ]
    assert prevented, "red could close five cells after a turn of blue that changes nothing"
    assert all(one.facts["seat"] == RED for one in prevented)


def test_a_line_names_the_win_that_it_prevents() -> None:  # TT-14
    position = turrium.Position.from_text(
        "turrium 3 00000111/05A3B00100/12C3B2B2C2C00/1B0523211C/212A0233C1/01A3B26B4C21/00310211/00000000 0 take:0 1/3/2 1/3/3 3 - - -"
    )
    analysis = list(Engine(level=8, seed=0).analyse(position, LIMIT, 4))[-1]
    line = explained(position, analysis).lines[0]
    assert winning_turn(position.play_all(line.turn)) is None, "the best turn stops it"
    assert ("allows", "win", 1) in {(one.side, one.code, one.facts["seat"]) for one in line.reasons}


def test_lines_within_a_turn_and_during_the_set_up_have_no_wrong_reasons() -> None:
    start = nova.start()
    analysis = list(Engine(level=8, seed=0).analyse(start, Limit(nodes=500), 2))[-1]
    assert len(explained(start, analysis).lines) == 2
    for game in games.values():
        if not game.levels:
            continue
        position, engine = game.start(players=4), Engine(level=1, seed=1)
        while position.phase in ("place", "flags"):
            position = position.play_all(engine.choose(position, Limit(nodes=60)))
        within = position.play(position.legal_actions()[0])
        analysis = list(Engine(level=8, seed=0).analyse(within, Limit(nodes=500), 1))[-1]
        assert explained(within, analysis) == analysis
