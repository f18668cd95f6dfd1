"""The search and its tree."""

from __future__ import annotations

from random import Random

import pytest

import terrarium
from terrarium import nova
from terrarium.core.position import Position
from terrarium.engine import nova as evaluation
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search

# Every turn ends this game: it places the last stone, or reaches the limit of turns without a stone (TN-26, TN-27).
# Seat 0 is behind, and a search with width 1 misses the territory that wins.
LAST_TURN = nova.Position.from_text(
    "nova fr/2/stall_rounds=1/pioneers=4/stones=10"
    " =A.A.B.B.C.C.D.D.E.E/.A.A.B.B.C.C.D.D.E.E/F.F.A.B.B.C.C.D.D.E"
    " 1#A1#B2BB/#7##/2#A##A3 0 1 - 0,3 1 0,0 1 -"
)


def search(width: int) -> Search:
    return Search(LAST_TURN, brain_for(LAST_TURN), root_width=width, root_limit=width, alert=False)


def test_a_win_found_by_a_wider_search_ends_it() -> None:
    narrow = search(1)
    narrow.run(nodes=1)
    assert narrow.turns()[0][2][0] < 1
    assert not narrow.run(nodes=100_000)
    _, _, shares, _, _, is_proven = narrow.turns()[0]
    assert (shares[0], is_proven) == (1, True)


def test_a_wider_search_frees_the_memory_of_the_narrow_one() -> None:
    narrow = search(1)
    narrow.run(nodes=100_000)
    wide = search(len(narrow.turns()))
    wide.run(nodes=1)
    assert len(wide.turns()) == len(narrow.turns())
    assert narrow.memory == wide.memory


def middle(game: str, players: int, seed: int = 0) -> Position:
    """A position at the start of a turn, some way into a random game."""
    random, position = Random(seed), terrarium.games[game].start(players=players)
    actions = random.randrange(20, 120)
    while actions > 0 or not position.at_turn_start:
        kind = random.choice(sorted({action.kind for action in position.legal_actions()}))
        options = [action for action in position.legal_actions() if action.kind == kind]
        position = position.play(random.choice(options))
        actions -= 1
    return position


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("game", sorted(terrarium.games))
def test_a_search_continues_in_a_position_it_expected(game: str, players: int) -> None:
    position = middle(game, players)
    search = Search(position, brain_for(position), root_width=2, width=1, root_limit=4)
    search.run(nodes=20_000)
    memory, best = search.memory, search.turns()[0][0]
    line = search.line(best, players)
    assert len(line) == players
    for turn in line:
        position = position.play_all([position.action(id) for id in turn])
    for stones in range(40, 80):  # more games than the cache of prepared games holds
        nova.start(stones=stones)
    assert search.follow(type(position).from_text(position.to_text()))
    assert 0 < search.memory < memory
    assert search.nodes == 0
    search.run(nodes=1)
    turns = search.turns()
    assert sum(visits for _, visits, *_ in turns) > 0, "earlier visits must count"
    fresh = Search(position, brain_for(position), root_width=2, width=1, root_limit=4)
    fresh.run(nodes=1)
    assert {ids for ids, *_ in fresh.turns()} <= {ids for ids, *_ in turns}
    for ids, *_ in turns:
        position.play_all([position.action(id) for id in ids])


@pytest.mark.parametrize("game", sorted(terrarium.games))
def test_a_search_does_not_continue_in_other_positions(game: str) -> None:
    position = middle(game, 2)
    search = Search(position, brain_for(position))
    search.run(nodes=5_000)
    best = search.turns()[0][0]
    before = search.turns(), search.nodes, search.memory
    assert not search.follow(position), "the root itself is searched from scratch"
    assert not search.follow(position.play_all([position.action(id) for id in best])), (
        "a rival's turn"
    )
    assert not search.follow(middle(game, 2, seed=1))
    assert not search.follow(middle(game, 3))
    assert (search.turns(), search.nodes, search.memory) == before


@pytest.mark.parametrize("game", sorted(terrarium.games))
def test_several_threads_share_a_tree(game: str) -> None:
    position = middle(game, 2)
    brain = brain_for(position)
    for most in (3, 500, 20_000):
        search = Search(position, brain, root_width=2, width=1, threads=3, most=most)
        for _ in range(20):
            search.run(nodes=1_000)
        turns = search.turns()
        assert 1 <= search.nodes <= most
        for ids, *_ in turns:
            position.play_all([position.action(id) for id in ids])
    assert sum(visits for _, visits, *_ in turns) > 20
    assert all(0 <= share <= 1 for _, _, shares, *_ in turns for share in shares)


def test_a_win_found_by_several_threads_ends_the_search() -> None:
    narrow = Search(
        LAST_TURN, brain_for(LAST_TURN), root_width=1, root_limit=1, alert=False, threads=2
    )
    assert not narrow.run(nodes=100_000)
    _, _, shares, _, _, is_proven = narrow.turns()[0]
    assert (shares[0], is_proven) == (1, True)


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", sorted(terrarium.games))
def test_cached_values_of_a_search_equal_the_evaluation(
    game: str, players: int, thorough: bool
) -> None:
    """A search caches values and parts of evaluations under keys; a cached value must be right for every position with its key.

    A thorough search only estimates the value of turns that it does not keep; those that it keeps must have been evaluated.
    """
    for seed in range(4):
        position = middle(game, players, seed)
        brain = brain_for(position)
        search = Search(position, brain, thorough=thorough)
        search.run(nodes=4_000)
        turns = search.turns()
        assert len(turns) > 1
        for ids, _, _, _, points, _ in turns:
            after = position.play_all([position.action(id) for id in ids])
            if after.outcome is None:
                assert brain.evaluate(after)[1][:players] == points


@pytest.mark.parametrize("players", [2, 3, 4])
def test_terra_nova_is_judged_alike_whatever_was_judged_before(players: int) -> None:
    chance, position = Random(players), terrarium.games["nova"].start(players=players)
    used, compared = evaluation.brain(position), 0
    for number in range(400):
        ids = position.legal_ids()
        if not ids:
            break
        before, position = position, position.play(chance.choice(ids))
        if number % 5 == 0:
            # from one to the next, the open land differs, or the pioneers of some seats
            for one in (position, before, position):
                fresh = evaluation.brain(one)
                assert used.ownership(one) == fresh.ownership(one)
                compared += 1
    assert compared > 60


# Seat 1 is to move. After n7-m7 m7-m6 +l6 most turns of seat 0 end the game and lose it, but k5-k10 k10-d3 +c3 does not.
NEARLY_BLOCKED = nova.Position.from_text(
    "nova fr/2 terra-nova BBA/AABA##/1ABBAAA#/1###B###xx/5#3##/13/14/14/14/1##11/#A11/##1#7##/3#5##xx/BB####1#xxx/xxx#xxx/xxx/x"
    " 1 1 - 24,27 51 0,0 0 -"
)


def test_a_reply_that_a_narrow_search_misses_is_found_where_all_others_lose() -> None:
    values = []
    for thorough in (False, True):
        found = Search(NEARLY_BLOCKED, brain_for(NEARLY_BLOCKED), thorough=thorough)
        found.run(nodes=75_000)
        after = NEARLY_BLOCKED.play_all("n7-m7 m7-m6 +l6")
        values += [
            turn[2][1]
            for turn in found.turns()
            if NEARLY_BLOCKED.play_all([NEARLY_BLOCKED.action(id) for id in turn[0]]) == after
        ]
    narrow, wide = values
    assert narrow > 0.99
    assert wide < 0.97
