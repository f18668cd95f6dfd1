"""Nothing that Python can pass crashes the kernel: many bad inputs, each answered cleanly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from terrarium import nova
from terrarium.errors import InvalidAction, InvalidPosition, TerrariumError
from tests.nova.hostile import KINDS
from tests.nova.side_by_side import HEXAGON_37
from tests.sizes import size

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
COUNTS = {
    "action_texts": size(3_000, 90_000),
    "action_ids": size(2_000, 60_000),
    "position_texts": size(1_000, 30_000),
    "boards": size(400, 10_000),
    "compositions": size(400, 10_000),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_bad_input_is_a_clean_error_or_a_correct_answer(kind: str) -> None:
    command = [sys.executable, "-m", "tests.nova.hostile", kind, "2026", str(COUNTS[kind])]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"exit code {ran.returncode}\n{ran.stderr[-4000:]}"
    assert ran.stdout.startswith(f"{COUNTS[kind]} inputs answered, accepted ")
    accepted = int(ran.stdout.split()[-1])
    assert COUNTS[kind] // 100 < accepted < COUNTS[kind]  # bad ones and good ones were both tried


@pytest.mark.parametrize("wrong", [None, 2.5, b"@a1", [], {}, object(), True, ("move", "a1", "a2")])
def test_a_value_that_is_neither_text_nor_number_is_refused(wrong: Any) -> None:
    position = nova.start()
    assert not position.is_legal(wrong)
    for ask in (position.play, position.events, position.parse, position.action):
        with pytest.raises(InvalidAction):
            ask(wrong)


@pytest.mark.parametrize("wrong", [None, 0.5, "0", [], True, -1, 2, 2**64])
def test_a_number_that_is_not_a_seat_is_refused(wrong: Any) -> None:
    position = nova.start()
    for ask in (position.resign, position.resignation_events):
        with pytest.raises(TerrariumError) as refused:
            ask(wrong)
        assert refused.value.code == "no-such-seat"


@pytest.mark.parametrize(
    "setup",
    [
        {"pioneers": [("a1", 0)]},
        {"pioneers": {"a1": True}},
        {"pioneers": {"a1": 2}},
        {"pioneers": {"z9": 0}},
        {"pioneers": {"a1": 0, "a2": 0, "a3": 0}},  # more than the player has (TN-3)
        {"stones": "a1"},
        {"stones": ["a1", "a1"]},
        {"stones": ["a1"], "dead": ["a1"]},
        {"pioneers": {"a1": 0}, "dead": ["a1"]},
        {"scores": (1,)},
        {"scores": (1, -1)},
        {"supply": 81},
        {"supply": -1},
        {"to_move": 2},
        {"to_move": "0"},
    ],
)
def test_an_impossible_composition_is_refused(setup: dict[str, Any]) -> None:
    board = nova.Board.parse("A B C D E F G H")
    with pytest.raises(InvalidPosition):
        nova.compose(nova.Rules(pioneers=2), board, **setup)


def test_an_action_of_another_board_is_looked_up_by_its_cells() -> None:
    small = nova.start(nova.Rules(pioneers=2), nova.Board.parse(HEXAGON_37))
    large = nova.start()
    for action in large.legal_actions():
        if action.target in small.board.cells:
            assert small.play(action) == small.play(str(action))
        else:
            with pytest.raises(InvalidAction):
                small.play(action)
    forged = nova.Action("place", None, "d4", id=small.parse("@a1").id)
    assert small.play(forged) == small.play("@d4")


def test_a_position_without_a_game_cannot_be_made() -> None:
    raw = "from terrarium import nova\np = nova.Position.__new__(nova.Position)\nstr(p), p.legal_ids()"
    ran = subprocess.run([sys.executable, "-c", raw], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1, f"exit code {ran.returncode}"
    assert "TypeError" in ran.stderr


@pytest.mark.parametrize("field", ["scores", "hand"])
@pytest.mark.parametrize("wrong", ["()", "(1,)", "(0,) * 9", "(2**40, 0)", "(-1, 0)", "None"])
def test_facts_of_the_wrong_form_are_refused(field: str, wrong: str) -> None:
    raw = (
        "from dataclasses import replace\n"
        "from terrarium import nova\n"
        "from terrarium.errors import InvalidPosition\n"
        "position = nova.start()\n"
        f"facts = replace(position.facts(), {field}={wrong})\n"
        "try:\n"
        "    nova.Position.from_facts(facts)\n"
        "except InvalidPosition:\n"
        "    print('refused')\n"
    )
    ran = subprocess.run([sys.executable, "-c", raw], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, f"exit code {ran.returncode}\n{ran.stderr[-2000:]}"
    assert ran.stdout == "refused\n"


@pytest.mark.parametrize("depth", [-1, 1.5, "1", None, 10**20])
def test_a_depth_that_cannot_be_counted_is_refused(depth: Any) -> None:
    with pytest.raises(TerrariumError):
        nova.start().perft(depth)


@pytest.mark.parametrize(
    "asked",
    [
        {"games": -1},
        {"games": 2.5},
        {"games": "x"},
        {"games": 10**30},
        {"threads": 0},
        {"seed": "a"},
    ],
)
def test_rollouts_that_cannot_be_played_are_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(TerrariumError):
        nova.start().rollouts(**{"games": 1, **asked})
