"""The search itself, where its tree can be looked at."""

from __future__ import annotations

from random import Random

import pytest

import terrarium
from terrarium import nova
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search

# Every turn ends this game: the last stone is placed, or one turn more without a stone is too many (TN-26, TN-27).
# Seat 0 is behind, and a search that keeps one unfinished turn in mind misses the territory that wins.
LAST_TURN = nova.Position.from_text(
    "nova fr/2/stall_rounds=1/pioneers=4/stones=10"
    " =A.A.B.B.C.C.D.D.E.E/.A.A.B.B.C.C.D.D.E.E/F.F.A.B.B.C.C.D.D.E"
    " 1#A1#B2BB/#7##/2#A##A3 0 1 - 0,3 1 0,0 1 -"
)


def search(width: int) -> Search:
    return Search(LAST_TURN, brain_for(LAST_TURN), root_width=width, root_limit=width, alert=False)


def test_a_win_found_by_a_wider_look_ends_the_search() -> None:
    narrow = search(1)
    narrow.run(nodes=1)
    assert narrow.turns()[0][2][0] < 1
    assert not narrow.run(nodes=100_000)
    _, _, shares, _, _, is_proven = narrow.turns()[0]
    assert (shares[0], is_proven) == (1, True)


def test_a_wider_look_gives_back_the_memory_of_the_narrow_one() -> None:
    narrow = search(1)
    narrow.run(nodes=100_000)
    wide = search(len(narrow.turns()))
    wide.run(nodes=1)
    assert len(wide.turns()) == len(narrow.turns())
    assert narrow.memory == wide.memory


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", sorted(terrarium.games))
def test_what_a_search_remembers_is_what_the_evaluation_says(game: str, players: int) -> None:
    """A search keeps values and parts of evaluations for positions that look alike; they must be those of each position."""
    for seed in range(4):
        random, position = Random(seed), terrarium.games[game].start(players=players)
        actions = random.randrange(20, 120)
        while actions > 0 or not position.at_turn_start:
            kinds = sorted({action.kind for action in position.legal_actions()})
            kind = random.choice(kinds)
            options = [action for action in position.legal_actions() if action.kind == kind]
            position = position.play(random.choice(options))
            actions -= 1
        brain = brain_for(position)
        search = Search(position, brain)
        search.run(nodes=4_000)
        turns = search.turns()
        assert len(turns) > 1
        for ids, _, _, _, points, _ in turns:
            after = position.play_all([position.action(id) for id in ids])
            if after.outcome is None:
                assert brain.evaluate(after)[1][:players] == points
