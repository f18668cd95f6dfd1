"""Verdicts on turns that were played."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest

from terrarium import games
from terrarium.core.position import Position
from terrarium.engine import LABELS, Choice, Engine, Limit, Verdict, review_turn
from terrarium.engine.review import FAULTS, label_of, reviewing
from tests.nova.drawn import BLUE, row
from tests.sizes import size
from tests.turrium.drawn import at

LIMIT = Limit(seconds=10, nodes=4000)


def test_the_engines_own_turn_is_best() -> None:
    position = row("AAAAAABBBBBBCDEFG", "b2 b5 r8 b17", to_move=BLUE)
    turn = Engine(level=8, seed=0).choose(position, LIMIT).actions
    verdict = review_turn(position, turn, LIMIT)
    assert (verdict.label, verdict.loss, verdict.reasons) == ("best", 0.0, ())
    assert verdict.reason is None


def test_giving_the_game_away_is_a_blunder_and_names_the_winner() -> None:  # TN-18
    position = row("AAABCDE", "r1 b7", to_move=BLUE)
    verdict = review_turn(position, ["a7-a5", "+a4"], LIMIT)  # pays red 9, blue 3, and ends
    assert verdict.label == "blunder"
    assert verdict.shares == (1.0, 0.0)
    assert verdict.best_shares[1] >= 0.5
    json.dumps(verdict.to_dict())


def test_missing_a_win_is_a_blunder_with_that_reason() -> None:  # TT-14
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1"
    blue = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6"
    verdict = review_turn(at(f"{red} {blue}", players=2), ["-c5", "+c4", "end"], LIMIT)
    assert verdict.label == "blunder"
    assert verdict.reasons[0].to_dict() == {"side": "gains", "code": "win", "seat": 0}
    assert verdict.to_dict()["reason"] == {"side": "gains", "code": "misses-win", "seat": 0}
    assert verdict.shares == (0.0, 1.0), "now blue must win first"


class Staged(Engine):
    """An engine with results set by the test."""

    def __init__(self, before: Position, best: list[str], after_best: float) -> None:
        super().__init__(level=8, seed=0)
        self.before, self.best, self.after_best = before, best, after_best

    def choosing(
        self, position: Position, limit: Limit | float | None = None
    ) -> Generator[None, None, Choice]:
        yield
        if position == self.before:
            actions = tuple(position.parse(text) for text in self.best)
            return Choice(actions, (0.1, 0.9), 1)
        value = self.after_best if position == self.before.play_all(self.best) else 0.5
        return Choice((), (1 - value, value), 1)


def test_a_loss_that_only_the_first_search_sees_does_not_count() -> None:
    position = row("AAAAABCDEFGH", "r2 b7 r12", to_move=BLUE)

    def verdict(after_best: float) -> Verdict:
        """The first search expects 0.9; the position after the played turn is worth 0.5."""
        engine = Staged(position, ["a7-a6", "a6-a7", "a7-a6"], after_best)
        steps = reviewing(position, ["a7-a8", "a8-a9", "a9-a10"], LIMIT, engine)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                found: Verdict = end.value
                return found

    assert verdict(0.9).label == "blunder"
    assert verdict(0.9).loss == pytest.approx(0.4)
    assert verdict(0.9).reasons[0].code != "position"
    assert (verdict(0.51).label, verdict(0.51).reasons) == ("best", ())
    assert verdict(0.3).loss == 0


def test_every_fault_of_a_weak_player_has_a_reason_with_real_seats_and_cells() -> None:
    engine = Engine(level=1, seed=3)
    for game in games.values():
        if not game.levels:
            continue
        position = game.start(players=3)
        cells = {cell.name for cell in game.layout(position)}
        faults = 0
        for _ in range(size(36, 90)):
            if position.outcome is not None:
                break
            turn = engine.choose(position, Limit(nodes=60)).actions
            verdict = review_turn(position, turn, Limit(nodes=1500))
            assert (verdict.label in FAULTS) == bool(verdict.reasons)
            for reason in verdict.reasons:
                facts = reason.to_dict()
                assert facts["side"] in ("gains", "allows")
                assert facts["seat"] in range(3)
                assert set(facts.get("cells", [])) <= cells
                assert facts.get("cell", next(iter(cells))) in cells
            faults += verdict.label in FAULTS
            position = position.play_all(turn)
        assert faults, game.name


def test_labels_rise_with_the_loss() -> None:
    assert [label for label, _ in LABELS] == ["best", "good", "inaccuracy", "mistake", "blunder"]
    most = [loss for _, loss in LABELS]
    assert most == sorted(most)
    assert label_of(2.0) == "blunder"


@pytest.mark.parametrize(("label", "most"), LABELS[:-1])
def test_a_label_applies_up_to_its_threshold(label: str, most: float) -> None:
    assert label_of(most) == label
    assert label_of(most + 1e-9) != label


def test_the_documented_thresholds_are_the_ones_used() -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(best|good|inaccuracy|mistake|blunder)` \| (0\.\d+|more)", text, re.M)
    *most, (last, _) = LABELS
    assert told == [(label, f"{loss:.2f}") for label, loss in most] + [(last, "more")]
