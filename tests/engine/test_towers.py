"""The search for a win within the turn finds exactly the wins that trying every turn finds."""

from __future__ import annotations

from random import Random

import pytest

from terrarium import turrium
from terrarium.engine.towers import winning_turn
from tests.engine.puzzles import turns
from tests.sizes import size
from tests.turrium.drawn import BLUE, RED, at, composed

CELLS = [f"{column}{row}" for column in "cdefgh" for row in range(3, 9)]
BLUES = "c8=1b d8=1b e8=1b f8=1b g8=1b h8=1b"


@pytest.mark.parametrize(
    ("drawing", "what"),
    [
        ("c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1", "a step"),
        ("c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=3 c5=3", "three cubes and a step"),
        ("c3=1r d3=2r e3=3r f3=4r h3=3r h4=4 h5=5 g5=6 c6=1 g3=5r", "three steps"),
        ("c3=1r d3=2r e3=3r f3=4r g3=5r h3=6 c5=1", "an entry"),
        ("c3=1r d3=2r e3=3r f3=4r g3=5r h3=6r c5=1", "a cube put back"),
    ],
    ids=lambda text: text if "=" not in text else "",
)
def test_a_win_within_the_turn_is_found(drawing: str, what: str) -> None:  # TT-14
    position = at(f"{drawing} {BLUES}", players=2)
    found = winning_turn(position)
    assert found is not None, what
    assert position.play_all(found).declared == (RED,)


@pytest.mark.parametrize(
    "drawing",
    [
        "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=2 c5=3",  # a cube is missing
        "c3=1r d3=2r e3=3r f3=4r h3=1r g3=5r h4=2 h5=3 h6=4 h7=5 c5=1",  # too far for five points
    ],
)
def test_where_there_is_no_win_none_is_found(drawing: str) -> None:
    position = at(f"{drawing} {BLUES}", players=2)
    assert winning_turn(position) is None


def test_it_works_in_the_middle_of_a_turn() -> None:
    position = at(f"c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=4 c5=1 d5=1 {BLUES}", players=2)
    for played in ("-c5", "-d5", "+h4"):
        position = position.play(played)
        found = winning_turn(position)
        assert found is not None
        assert position.play_all(found).declared == (RED,)
    wrong = position.play("+h5")
    assert winning_turn(wrong) is None


def test_nothing_is_found_while_flags_are_set_and_when_the_game_is_over() -> None:
    assert winning_turn(turrium.start()) is None
    over = turrium.start(turrium.Rules(players=2)).resign(BLUE)
    assert over.outcome is not None
    assert winning_turn(over) is None


@pytest.mark.long
def test_the_search_agrees_with_trying_every_turn() -> None:
    random, wins, losses = Random(11), 0, 0
    wanted = size(4, 24)
    while wins < wanted or losses < wanted:
        position = _near_a_win(random)
        if position is None:
            continue
        found = winning_turn(position)
        assert (found is not None) == any(RED in end.declared for end in turns(position))
        if found is None:
            losses += 1
        else:
            wins += 1
            assert RED in position.play_all(found).declared


def _near_a_win(random: Random) -> turrium.Position | None:
    """Six towers close together, one or two of them wrong, and so few free cubes that every turn can be tried."""
    heights = [1, 2, 3, 4, 5, 6]
    for _ in range(random.choice((1, 1, 2))):
        wrong = random.randrange(6)
        heights[wrong] = min(7, max(1, heights[wrong] + random.choice((-2, -1, 1, 2))))
    middle = random.choice(CELLS)
    near = sorted(CELLS, key=lambda cell: _apart(cell, middle) + 2 * random.random())
    together = near[:9]
    random.shuffle(together)
    flags = 6 if random.random() < 0.85 else 5
    parts = [f"{cell}={h}r" for cell, h in zip(together[:flags], heights, strict=False)]
    parts += [f"{cell}={random.randint(1, 6)}b" for cell in random.sample(near[9:], 6)]
    if random.random() < 0.8:
        parts.append(f"{together[7]}={random.randint(1, 6)}")
    position = composed(" ".join(parts), RED, players=2)
    return position if position.to_move == RED else None


def _apart(a: str, b: str) -> int:
    return abs(ord(a[0]) - ord(b[0])) + abs(int(a[1]) - int(b[1]))
