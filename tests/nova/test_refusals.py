"""An illegal action is refused with the rule it breaks, in words that quote it."""

from __future__ import annotations

import pytest

from terrarium import nova
from terrarium.errors import IllegalAction, InvalidAction
from tests.nova.drawn import BLUE, drawn, row
from tests.nova.side_by_side import HEXAGON_37

# d4 and d6 red, c4 and a1 blue, stones on d2 and e4, g7 dead
OPEN = ("rd4 rd6 bc4 ba1 sd2 se4", "g7")


@pytest.mark.parametrize(
    ("action", "code", "rule"),
    [
        ("c4-c5", "not-your-pioneer", "TN-10"),
        ("d5-d6", "no-pioneer", "TN-10"),
        ("d4-d6", "cell-occupied", "TN-10"),
        ("d4-d7", "path-blocked", "TN-10"),
        ("d4-d1", "path-blocked", "TN-10"),
        ("d4-d2", "cell-covered", "TN-14"),
        ("d4-g7", "cell-dead", "TN-19"),
        ("+d5", "first-action-must-move", "TN-7"),
        ("@d5", "wrong-phase", "TN-5"),
    ],
)
def test_a_first_action_is_refused_by_its_rule(action: str, code: str, rule: str) -> None:
    pieces, dead = OPEN
    position = drawn(HEXAGON_37, pieces, dead=dead)
    with pytest.raises(IllegalAction) as refused:
        position.play(action)
    assert (refused.value.code, refused.value.rule) == (code, rule)
    assert str(refused.value).startswith(f"{action}: ")
    assert str(refused.value).endswith(f"({rule})")


@pytest.mark.parametrize(
    ("action", "code", "rule"),
    [
        ("+d6", "cell-occupied", "TN-13"),
        ("+e4", "cell-covered", "TN-14"),
        ("+a2", "stone-not-adjacent", "TN-13"),
        ("+g7", "cell-dead", "TN-19"),
    ],
)
def test_a_stone_is_refused_by_its_rule(action: str, code: str, rule: str) -> None:
    pieces, dead = OPEN
    position = drawn(HEXAGON_37, pieces, dead=dead).play("d4-e5")
    with pytest.raises(IllegalAction) as refused:
        position.play(action)
    assert (refused.value.code, refused.value.rule) == (code, rule)


def test_a_stone_without_supply_is_refused() -> None:  # TN-21
    position = row("ABCDEFGHIJKL", "r3 b10", supply=1).play_all("a3-a5 +a6")
    with pytest.raises(IllegalAction) as refused:
        position.play("+a4")
    assert (refused.value.code, refused.value.rule) == ("no-stones-left", "TN-21")


@pytest.mark.parametrize(
    ("edition", "turn", "action", "code"),
    [
        ("fr", "a3-a5 a5-a4", "a4-a3", "returns-to-start"),
        ("en", "a3-a5", "a5-a3", "returns-to-start"),
        ("sv", "a3-a5 a5-a4", "a4-a3", "returns-to-start"),
        ("sv", "a3-a5 a5-a3", "+a2", "must-leave-start"),
        ("sv", "a3-a5 a5-a3", "a7-a8", "must-leave-start"),
    ],
)
def test_a_return_is_refused_by_its_rule(
    edition: str, turn: str, action: str, code: str
) -> None:  # TN-12
    position = row("ABCDEFGHIJKL", "r3 r7 b10", edition=edition).play_all(turn)
    with pytest.raises(IllegalAction) as refused:
        position.play(action)
    assert (refused.value.code, refused.value.rule) == (code, "TN-12")


@pytest.mark.parametrize("action", ["d4-c6", "d4-d4", "a1-g6"])
def test_a_move_that_is_not_a_straight_line_is_refused(action: str) -> None:  # TN-10
    pieces, dead = OPEN
    with pytest.raises(InvalidAction) as refused:
        drawn(HEXAGON_37, pieces, dead=dead).play(action)
    assert refused.value.rule == "TN-10"


def test_after_the_end_every_action_is_refused() -> None:
    position = row("AAABCDE", "r1 b7", to_move=BLUE).play_all("a7-a5 +a4")
    for action in ("a5-a6", "+a6", "@a6"):
        with pytest.raises(IllegalAction) as refused:
            position.play(action)
        assert refused.value.code == "game-over"


def test_a_refused_action_can_be_asked_about_without_playing() -> None:
    position = nova.start().play("@k8")
    assert position.refusal(int(position.parse("@k8"))).code == "cell-occupied"


def test_a_refusal_brings_the_cell_that_is_in_the_way() -> None:  # TN-10
    pieces, dead = OPEN
    with pytest.raises(IllegalAction) as refused:
        drawn(HEXAGON_37, pieces, dead=dead).play("d4-d7")
    assert refused.value.facts == {"cell": "d6"}
