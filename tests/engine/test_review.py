"""What is said about a turn that was played."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from terrarium.engine import LABELS, Limit, review_turn
from terrarium.engine.review import label_of
from tests.nova.drawn import BLUE, row
from tests.turrium.drawn import at

LIMIT = Limit(seconds=10, nodes=4000)


def test_the_engines_own_turn_is_best() -> None:
    from terrarium.engine import Engine

    position = row("AAAAAABBBBBBCDEFG", "b2 b5 r8 b17", to_move=BLUE)
    turn = Engine(level=8, seed=0).choose(position, LIMIT).actions
    verdict = review_turn(position, turn, LIMIT)
    assert (verdict.label, verdict.loss, verdict.reason) == ("best", 0.0, None)


def test_giving_the_game_away_is_a_blunder_and_says_to_whom() -> None:  # TN-18
    position = row("AAABCDE", "r1 b7", to_move=BLUE)
    verdict = review_turn(position, ["a7-a5", "+a4"], LIMIT)  # pays red 9, blue 3, and ends
    assert verdict.label == "blunder"
    assert verdict.shares == (1.0, 0.0)
    assert verdict.best_shares[1] >= 0.5
    json.dumps(verdict.to_dict())


def test_passing_a_win_by_is_a_blunder_with_that_reason() -> None:  # TT-14
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1"
    blue = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6"
    verdict = review_turn(at(f"{red} {blue}", players=2), ["-c5", "+c4", "end"], LIMIT)
    assert verdict.label == "blunder"
    assert verdict.reason is not None
    assert verdict.reason.to_dict() == {"code": "misses-win", "seat": 0}
    assert verdict.shares == (0.0, 1.0), "now blue wins first"


def test_labels_rise_with_the_loss() -> None:
    assert [label for label, _ in LABELS] == ["best", "good", "inaccuracy", "mistake", "blunder"]
    most = [loss for _, loss in LABELS]
    assert most == sorted(most)
    assert label_of(2.0) == "blunder"


@pytest.mark.parametrize(("label", "most"), LABELS[:-1])
def test_a_label_holds_up_to_its_threshold(label: str, most: float) -> None:
    assert label_of(most) == label
    assert label_of(most + 1e-9) != label


def test_the_documented_thresholds_are_the_ones_used() -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(best|good|inaccuracy|mistake|blunder)` \| (0\.\d+|more)", text, re.M)
    *most, (last, _) = LABELS
    assert told == [(label, f"{loss:.2f}") for label, loss in most] + [(last, "more")]
