"""Many wrong texts and ids: each is refused cleanly or understood correctly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from terrarium import games, turrium
from terrarium.errors import (
    IllegalAction,
    InvalidAction,
    InvalidPosition,
    InvalidRules,
    TerrariumError,
)
from tests.reference import turrium as reference
from tests.sizes import size
from tests.turrium.side_by_side import CHOICES, all_options
from tests.turrium.test_invariants import walk

pytestmark = pytest.mark.long

POSITION_TEXTS = size(2_000, 60_000)
ACTION_TEXTS = size(2_600, 80_000)
IDS = size(1_300, 40_000)
COMPOSITIONS = size(400, 10_000)
OPTIONS = size(400, 10_000)

WORDS = [
    *(
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\x00",
        "é",
        "٣",
        "𝟛",
        "-",
        "--",
        "/",
        ":",
        ";",
        "=",
        ",",
        ".",
        "%s",
        "{}",
        "None",
    ),
    *("0", "1", "7", "9", "-1", "10", "11", "99", "255", "256", "65536", "4294967296", "9" * 40),
    *("A", "B", "C", "D", "E", "a", "take", "place", "move", "flags", "over", "start", "attacking"),
    *("move:5", "move:0", "move:6", "take:0", "take:3", "place:0", "place:3", "take:1:SW", "enemy"),
    *("unlocked", "turrium", "nova", "variant=burgenland", "line=path", "players=9", "(12)", "(0)"),
    *("(99999)", "0A", "1Z", "0/0", "5/5", "6/6", "0/0/0", "255/0", "1/", "towers"),
]
CELLS = [f"{column}{row}" for column in "abcdefghij" for row in range(1, 11)]


def sample() -> list[turrium.Position]:
    """Positions of all kinds: every phase, every combination of options."""
    found = []
    for seed, options in enumerate(all_options()):
        walked = walk({**options, "max_rounds": 3}, seed, 80)
        found += [*walked[:: max(1, len(walked) // 6)], walked[-1]]
    return found


POSITIONS = sample()
TEXTS = [position.to_text() for position in POSITIONS]


def mutated(text: str, rng: random.Random) -> str:
    """A text with one to three changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((0, 1, 1, 1, 2, 5)))
        kind = rng.random()
        if kind < 0.4:
            text = text[:at] + rng.choice(WORDS) + text[to:]
        elif kind < 0.6:
            text = text[:at] + text[to:]
        elif kind < 0.8 and text:
            text = text[:at] + rng.choice(text) + text[to:]
        else:
            fields = text.split(" ")
            fields[rng.randrange(len(fields))] = rng.choice((*WORDS, *rng.choice(TEXTS).split(" ")))
            text = " ".join(fields)
    return text


def accepted(call: Callable[..., Any], *errors: type[TerrariumError]) -> Any:
    """The result of a call, or None if it raised one of the allowed errors."""
    refusal = None
    try:
        return call()
    except errors as error:
        refusal = error
    assert refusal.code
    assert 0 < len(refusal.message) < 1000
    return None


def slow(position: turrium.Position) -> reference.Position:
    """The same position for the reference."""
    outcome = position.outcome
    return reference.Position(
        options=reference.Options(**position.rules.to_dict()),
        heights=position.heights,
        flags=position.flags,
        hand=list(position.hand),
        to_move=0 if position.to_move is None else position.to_move,
        phase=position.phase,
        cubes_in_hand=position.cubes_in_hand,
        enemy_takes=list(position.taken_from),
        points_left=position.points_left,
        attacks=list(position.attacks),
        has_attacked=position.is_attacking,
        captures=list(position.captures),
        is_unlocked=position.unlocked,
        rounds=position.rounds,
        winners=list(position.declared),
        resigned=set(position.resigned),
        outcome=None if outcome is None else (outcome.winners, outcome.reason),
    )


def is_sound(position: turrium.Position) -> bool:
    """Whether an accepted position is consistent: the reference has the same actions, and its text round-trips."""
    legal = [str(action) for action in position.legal_actions()]
    assert set(legal) == slow(position).legal()
    assert (legal == []) == (position.outcome is not None)
    assert all(0 <= count <= 6 for count in position.hand)
    for action in legal[:1] + legal[-1:]:
        position.play(action).to_text()
        assert position.events(action) or action == "end"
    return turrium.Position.from_text(position.to_text()) == position


def test_the_sample_holds_every_phase() -> None:
    phases = {position.phase for position in POSITIONS}
    assert phases == {"flags", "take", "place", "move", "over"}
    assert all(is_sound(position) for position in POSITIONS)


def test_wrong_position_texts() -> None:
    rng = random.Random(1)
    understood = 0
    for number in range(POSITION_TEXTS):
        if number % 10 == 0:
            text = "".join(rng.choice(WORDS) for _ in range(rng.randrange(30)))
        else:
            text = mutated(rng.choice(TEXTS), rng)
        position = accepted(lambda text=text: turrium.Position.from_text(text), InvalidPosition)
        if position is not None:
            understood += 1
            if understood % 4 == 0:
                assert is_sound(position), text
    assert POSITION_TEXTS / 100 < understood < POSITION_TEXTS / 2


def wrong_actions(rng: random.Random) -> Iterator[str]:
    """Texts that look similar to actions."""
    signs = ("@", "-", "+", "x", "end", "", " ", "@@", "--", "=", "@-", "END", "\x00")
    while True:
        one, two = rng.choice(CELLS), rng.choice(CELLS)
        text = rng.choice(
            (
                rng.choice(signs) + one,
                one + rng.choice(signs) + two,
                one.upper() + "-" + two,
                "end",
                "".join(rng.choice(WORDS) for _ in range(rng.randrange(4))),
                one + "-" + one[0] + str(int(one[1:]) + rng.choice((1, -1))),
            )
        )
        yield mutated(text, rng) if rng.random() < 0.4 else text


def test_wrong_action_texts() -> None:
    rng = random.Random(2)
    played = 0
    for _, text in zip(range(ACTION_TEXTS), wrong_actions(rng), strict=False):
        position = rng.choice(POSITIONS)
        action = accepted(lambda t=text, p=position: p.parse(t), InvalidAction)
        after = accepted(lambda t=text, p=position: p.play(t), InvalidAction, IllegalAction)
        if action is None:
            assert after is None
        else:
            assert (after is not None) == (int(action) in position.legal_ids()), text
        played += after is not None
    assert played > ACTION_TEXTS / 200


def test_wrong_ids() -> None:
    rng = random.Random(3)
    edges = (
        -1,
        -2,
        1100,
        1101,
        1102,
        2**15,
        2**31 - 1,
        2**31,
        2**32,
        2**63,
        2**64,
        -(2**63),
        10**30,
    )
    for _ in range(IDS):
        position = rng.choice(POSITIONS)
        id = rng.choice(
            (rng.randrange(1200), rng.randrange(1200), rng.choice(edges), -rng.randrange(2000))
        )
        after = accepted(lambda p=position, i=id: p.play(i), InvalidAction, IllegalAction)
        assert (after is not None) == (id in position.legal_ids()), id
        if not 0 <= id < turrium.NUM_ACTIONS:
            with pytest.raises(InvalidAction):
                position.action(id)


def test_wrong_compositions() -> None:
    rng = random.Random(4)
    understood = 0
    cells = (*CELLS, *CELLS, *CELLS, "k1", "a11", "a0", "A1", "", "aa", "a1 ", "\x00", 5, None)
    numbers = (
        0,
        1,
        1,
        2,
        2,
        3,
        4,
        6,
        6,
        6,
        6,
        9,
        99,
        -1,
        256,
        10_000,
        2**31,
        10**30,
        1.5,
        "2",
        None,
        True,
    )
    for number in range(COMPOSITIONS):
        wild = number % 2 == 0
        size = rng.randrange(20)
        heights = {
            rng.choice(cells if wild else CELLS): rng.choice(numbers if wild else numbers[:12])
            for _ in range(size)
        }
        flags = {
            rng.choice(cells if wild else tuple(heights) or CELLS): rng.choice(
                numbers if wild else (0, 1, 2)
            )
            for _ in range(rng.randrange(6))
        }
        arguments = {
            "to_move": rng.choice((0, 1, 2, 3)) if not wild else rng.choice(numbers),
            "attacks": rng.choice(
                (None, (0,) * 4, (0, 0), (5, 5, 5), (6, 0, 0, 0), (-1, 0), "00", (2**40,) * 4)
            ),
            "rounds": rng.choice((0, 0, 1, 2, 99, 100, -1, 2**40, None))
            if wild
            else rng.choice((0, 2)),
        }
        rules = turrium.Rules(players=rng.choice((2, 3, 4)), max_rounds=rng.choice((3, 100)))
        position = accepted(
            lambda h=heights, f=flags, a=arguments, r=rules: turrium.compose(
                r, heights=h, flags=f, **a
            ),
            InvalidPosition,
        )
        if position is not None:
            understood += 1
            assert is_sound(position)
            assert position.heights == {cell: height for cell, height in heights.items() if height}
    assert understood > COMPOSITIONS / 100


def test_wrong_options() -> None:
    rng = random.Random(5)
    values = [choice for choices in CHOICES.values() for choice in choices]
    values += [
        2,
        3,
        4,
        0,
        1,
        5,
        -1,
        100,
        10**9,
        "",
        "2",
        None,
        2.0,
        (),
        "total ",
        "Path",
        b"path",
        [],
        {},
    ]
    names = [*CHOICES, "players", "max_rounds"]
    for _ in range(OPTIONS):
        options = {rng.choice(names): rng.choice(values) for _ in range(rng.randrange(1, 4))}
        if rng.random() < 0.2:
            options[rng.choice(("bogus", "", "edition", "player", "__class__"))] = 1
        rules = accepted(lambda o=options: turrium.Rules.from_dict(o), InvalidRules)
        if rules is not None:
            assert options.items() <= rules.to_dict().items()
            assert all(
                type(rules.to_dict()[name]) is type(value) for name, value in options.items()
            )
            assert turrium.Rules(**rules.to_dict()) == rules
            assert games["turrium"].start(**rules.to_dict()).rules == rules


@pytest.mark.parametrize("thing", [None, 1.5, b"end", ["end"], object(), ("@c3",), float("nan")])
def test_values_that_are_not_actions_are_refused(thing: Any) -> None:
    position = turrium.start()
    with pytest.raises((InvalidAction, TypeError)):
        position.play(thing)
    with pytest.raises((InvalidPosition, TypeError)):
        turrium.Position.from_text(thing)
