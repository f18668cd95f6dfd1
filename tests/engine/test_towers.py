"""The search for a win within the turn finds exactly the wins that trying every turn finds."""

from __future__ import annotations

from random import Random

import pytest

from terrarium import turrium
from terrarium.engine import Engine, Limit
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search
from terrarium.engine.towers import winning_turn
from tests.engine.puzzles import turns
from tests.sizes import size
from tests.turrium.drawn import BLUE, NEARLY, RED, at, composed

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
        (
            "c3=1r d3=2r e3=3r f3=4r g3=5r e5=6 c5=1 h5=2",
            "an entry behind a cube that is taken away",
        ),
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


@pytest.mark.parametrize(
    "text",
    [
        "turrium 3 111B11011/003B01001/004B222C00/013B246A00/03B62C4C3C21C/00223C211/01A4A01111/00000001 0 take:0 0/2/3 1/2/4 3 - - -",
        "turrium 3 10011C000/1B4B211101/000122C01/0022B4C400/005033C5C1/1A3B5C22211/23002110/2A2000001 0 take:0 1/3/2 2/3/4 4 - - -",
        "turrium 4 1113101111/1013B101101/01134C335C11/0005D2B22421C/0005D002C000/111123C2111/1B112A132D3D11/0104A3A5B1111/0000000000/001A00001D00 3 "
        "take:0 2/1/2/2 4/3/2/2 3 - - -",
    ],
)
def test_level_8_plays_a_win_that_needs_thousands_of_plans(text: str) -> None:
    position = turrium.Position.from_text(text)
    seat = position.to_move
    assert winning_turn(position, effort=2_000) is None, "too easy"
    chosen = Engine(level=8).choose(position, Limit(nodes=1_500))
    assert seat in position.play_all(chosen.actions).declared


@pytest.mark.parametrize(
    "text",
    [
        "turrium 3 11101101C/00131000/03B2B4C32C01/1B04A434C00/02343C311/2A05A23A211/00001011/1A0000001 1 take:0 2/1/1 2/2/2 3 - - -",
        "turrium 3 0011B1110/103B11011/03B22B2C2C01/0523A3111C/1A4B224A311/002A3B3A4C11/00012111/00000010 1 take:0 2/0/1 2/0/1 2 - - -",
        "turrium 3 0111B1111/01100001/03B2B5C2C2C10/12B2B53211C/112A233C11/0123A34A11/02020111/1A0000010 1 take:0 2/1/1 2/1/2 2 - - -",
    ],
)
def test_level_8_stops_a_rivals_win_that_is_hard_to_find(text: str) -> None:
    position = turrium.Position.from_text(text)
    fields = text.split()
    fields[3] = str(int(fields[3]) + 1)
    rival = turrium.Position.from_text(" ".join(fields))
    assert winning_turn(rival, effort=60) is None, "too easy"
    assert winning_turn(rival) is not None, "no threat"
    chosen = Engine(level=8).choose(position, Limit(nodes=4_000))
    assert winning_turn(position.play_all(chosen.actions)) is None


def test_level_8_considers_only_turns_that_complete_its_towers_where_there_are_some() -> (
    None
):  # TT-15
    position = at(" ".join(NEARLY.values()), players=4)
    search = Search(position, brain_for(position), thorough=True)
    search.run(nodes=20_000)
    ends = [position.play_all([position.action(id) for id in turn[0]]) for turn in search.turns()]
    assert len(ends) > 1, "others can follow, so it matters how the towers are completed"
    assert all(end.declared == (RED,) for end in ends)
    # three others follow, unless the turn keeps them from it
    assert 0.2 < search.turns()[0][2][RED] <= 1


def test_level_8_shares_a_win_that_it_cannot_have_alone() -> None:  # TT-15
    """Red can complete its towers, and blue can then complete its own, and would do so in any case."""
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1"
    blue = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6 c6=1"
    position = at(f"{red} {blue}", players=2)
    chosen = Engine(level=8).choose(position, Limit(nodes=4_000))
    assert position.play_all(chosen.actions).declared == (RED,)


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
