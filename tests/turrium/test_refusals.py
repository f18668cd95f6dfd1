"""A refusal gives a true reason and names its rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from terrarium import turrium
from terrarium.errors import IllegalAction, InvalidAction
from tests.reference import turrium as reference
from tests.turrium.drawn import moving
from tests.turrium.side_by_side import all_options
from tests.turrium.test_invariants import walk

# typed as Any, because a seat is to move and the action has the cells of its kind
Reason = Callable[[Any, Any], bool]

TRUE_IF: dict[str, tuple[str, Reason]] = {
    "cell-unused": ("TT-1", lambda p, a: bool({a.source, a.target} - {None, *p.cells})),
    "not-own-territory": ("TT-3", lambda p, a: p.territories[a.target] != p.to_move),
    "hand-full": ("TT-5", lambda p, a: p.cubes_in_hand == 3),
    "taking-over": ("TT-4", lambda p, a: p.phase == "place"),
    "too-many-enemy-takes": ("TT-5", lambda p, a: is_enemy(p, a) and p.taken_from != ()),
    "tower-not-takable": ("TT-6", lambda p, a: a.target in p.flags),
    "no-cube-in-hand": ("TT-8", lambda p, a: p.cubes_in_hand == 0),
    "tower-not-buildable": ("TT-8", lambda p, a: a.target in p.flags),
    "no-own-flag": ("TT-10", lambda p, a: p.flags.get(a.source) != p.to_move),
    "step-too-high": ("TT-10", lambda p, a: abs(climb(p, a)) > 1),
    "no-enemy-flag": ("TT-11", lambda p, a: p.flags.get(a.target, p.to_move) == p.to_move),
    "not-enough-points": ("TT-11", lambda p, a: climb(p, a) + 2 > p.points_left),
    "attacks-exhausted": ("TT-12", lambda p, a: p.attacks[p.to_move] == 5),
    "captures-locked": ("TT-17", lambda p, a: not p.unlocked),
    "captures-spent": ("TT-17", lambda p, a: p.captures[p.to_move] == 2),
    "cubes-in-hand": ("TT-8", lambda p, a: p.cubes_in_hand > 0),
    "nothing-taken": ("TT-5", lambda p, a: p.phase == "take" and p.cubes_in_hand == 0),
    "wrong-phase": ("TT-3 TT-4", lambda p, a: a.kind not in kinds(p)),
    "no-flag-in-hand": ("TT-3 TT-13", lambda p, a: p.hand[p.to_move] == 0),
    "no-construction": ("TT-3 TT-6 TT-10 TT-13", lambda p, a: a.target not in p.heights),
    "flag-in-the-way": ("TT-3 TT-10 TT-13", lambda p, a: a.target in p.flags),
    "not-exterior": ("TT-7 TT-13", lambda p, a: a.target not in p.exterior),
}


SPENT = "c3=2r c4=1g a1=1 a10=1b a9=2b a8=3b a7=4b b7=4b a6=5b"  # red has made both captures


def is_enemy(position: turrium.Position, action: turrium.Action) -> bool:
    """Whether an action is on land that does not belong to the seat to move."""
    assert action.target is not None
    return position.territories[action.target] != position.to_move


def climb(position: turrium.Position, action: turrium.Action) -> int:
    """How much higher the target of a move is."""
    assert action.source is not None
    assert action.target is not None
    return position.heights[action.target] - position.heights[action.source]


def kinds(position: turrium.Position) -> set[str]:
    """The kinds of action that belong to the phase."""
    return {
        "flags": {"flag"},
        "take": {"take", "cube"},
        "place": {"cube"},
        "move": {"flag", "step", "capture", "end"},
    }[position.phase]


@pytest.fixture(scope="module")
def refusals() -> dict[str, int]:
    """How often each reason was given for wrong actions in games of all options; each reason is checked."""
    rng, given = random.Random(1), dict.fromkeys(TRUE_IF, 0)
    positions = [moving(SPENT, variant="burgenland", captures=(2, 0, 0, 0))]
    for seed, options in enumerate(all_options()):
        positions += walk({**options, "max_rounds": 4}, seed, 100)[::3]
    for position in positions:
        ids = {*rng.choices(range(turrium.NUM_ACTIONS), k=60), *near(position)}
        for id in ids - set(position.legal_ids()):
            code = refusal(position, id)
            if code is not None:
                given[code] += 1
    return given


def near(position: turrium.Position) -> set[int]:
    """The ids of steps and captures of the seat's own flags, whose refusals are the most complex."""
    used, ids = reference.area(reference.Options(**position.rules.to_dict())), set()
    for cell, seat in position.flags.items():
        if seat == position.to_move:
            for after in reference.neighbours(cell, used):
                ids |= {int(position.parse(cell + sign + after)) for sign in "-x"}
    return ids


def refusal(position: turrium.Position, id: int) -> str | None:
    """The code of a refusal whose reason is true; None for an id that isn't an action."""
    try:
        action = position.action(id)
    except InvalidAction:
        return None
    with pytest.raises(IllegalAction) as caught:
        position.play(id)
    error = caught.value
    assert error.message.startswith(f"{action}: ")
    if position.outcome is not None:
        assert (error.code, error.rule) == ("game-over", None)
        return None
    rules, is_true = TRUE_IF[error.code]
    assert error.rule in rules.split(), str(error)
    assert is_true(position, action), f"{error} in {position.to_text()}"
    return error.code


@pytest.mark.parametrize("code", TRUE_IF)
def test_every_reason_is_given_and_true(code: str, refusals: dict[str, int]) -> None:
    assert refusals[code] > 0


def test_a_step_onto_a_flag_that_can_not_be_captured_says_why_not() -> None:  # TT-11
    position = moving("d3=1r e3=1 f3=1 g3=1 g4=2b c8=1b h8=1").play_all("d3-e3 e3-f3 f3-g3")
    assert position.points_left == 2
    for text in ("g3xg4", "g3-g4"):
        with pytest.raises(IllegalAction) as refused:
            position.play(text)
        assert refused.value.code == "not-enough-points"
        assert str(refused.value) == f"{text}: this capture costs 3 points, you have 2 (TT-11)"


def test_a_step_onto_a_flag_that_can_be_captured_says_how() -> None:  # TT-10
    position = moving("d3=1r d4=1b c8=1b h8=1")
    with pytest.raises(IllegalAction, match="a capture is written d3xd4") as refused:
        position.play("d3-d4")
    assert refused.value.code == "flag-in-the-way"


def test_a_refusal_brings_the_values_of_its_message() -> None:  # TT-10, TT-11
    position = turrium.Position.from_text(
        "turrium 2 1111B11B/11111B1/112B110/11B2A3B01A/11111A0/1A1A11A10 0 move:2 0/0 0/0 0 - - -"
    )
    with pytest.raises(IllegalAction) as refused:
        position.play("e5xf5")
    assert refused.value.facts == {"cost": 3, "left": 2}
    assert refused.value.to_dict()["facts"] == {"cost": 3, "left": 2}
    with pytest.raises(IllegalAction) as refused:
        position.play("h5-h4")
    assert refused.value.facts == {"cell": "h4"}


@pytest.mark.parametrize(("rules", "facts"), [("2", {"cell": "d7"}), ("2;line=path", {})])
def test_only_a_refusal_about_four_sides_names_the_cell(rules: str, facts: dict[str, str]) -> None:
    """The page shows the text about four sides if there is a cell, else the text about paths (TT-7)."""
    cells = "11B11B11B/1B11B11B1/111111/111111/1A11A11A1/11A11A11A"
    position = turrium.Position.from_text(f"turrium {rules} {cells} 0 take:0 0/0 0/0 0 - - -")
    with pytest.raises(IllegalAction) as refused:
        position.play("-d7")
    assert refused.value.code == "not-exterior"
    assert refused.value.facts == facts
