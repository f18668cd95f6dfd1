"""Invariants of every position of every game, tested on random games."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium import nova
from terrarium.nova import events as nova_events
from tests.nova.side_by_side import DRAWN, blob
from tests.sizes import size

pytestmark = pytest.mark.long

SEED = st.integers(0, 2**32 - 1)
searched = settings(max_examples=size(40, 240), deadline=None, derandomize=True)
OPTIONS = st.fixed_dictionaries(
    {
        "players": st.sampled_from((2, 3, 4)),
        "edition": st.sampled_from(("fr", "nl", "sv", "en")),
        "stall_rounds": st.sampled_from((1, 2, 5, 20)),
        "pioneers": st.integers(1, 3),
        "stones": st.sampled_from((1, 3, 8, 20, 80)),
    }
)
MAPS = st.one_of(st.sampled_from(DRAWN), SEED.map(lambda seed: blob(Random(seed))))


@dataclass(frozen=True)
class Step:
    """One action or resignation of a random game, with the positions around it."""

    before: nova.Position
    after: nova.Position
    events: tuple[Any, ...]


def steps(options: dict[str, Any], text_map: str, seed: int) -> Iterator[Step]:
    """A random game to its end, sometimes with a resignation."""
    random = Random(seed)
    board = nova.Board.parse(text_map)
    room = len(board.cells) // options["players"]
    position = nova.start(
        nova.Rules(**options | {"pioneers": min(options["pioneers"], room)}), board
    )
    resigning = random.choice((0.0, 0.0, 0.02))
    while position.outcome is None:
        if random.random() < resigning:
            seats = set(range(options["players"])) - set(position.resigned)
            seat = random.choice(sorted(seats))
            told, after = position.resignation_events(seat), position.resign(seat)
        else:
            kinds: dict[str, list[Any]] = {}
            for action in position.legal_actions():
                kinds.setdefault(action.kind, []).append(action)
            chosen = random.choice(kinds[random.choice(sorted(kinds))])
            told, after = position.events(chosen), position.play(chosen)
        yield Step(position, after, told)
        position = after


def games(test: Any) -> Any:
    """Runs a test on many random games: any small board, any options."""
    return searched(given(options=OPTIONS, text_map=MAPS, seed=SEED)(test))


@games
def test_every_game_ends_and_says_so(options: dict[str, Any], text_map: str, seed: int) -> None:
    last = None
    for number, step in enumerate(steps(options, text_map, seed)):
        assert number < 50_000
        assert step.before.legal_actions()
        assert step.before.legal_ids()
        assert step.before.to_move is not None
        last = step.after
    assert last is not None
    assert last.outcome is not None
    assert last.legal_actions() == []
    assert last.legal_ids() == []
    assert last.to_move is None
    assert last.outcome.scores == last.scores


@games
def test_pieces_are_conserved(options: dict[str, Any], text_map: str, seed: int) -> None:  # TN-2, 3
    gone: Counter[int] = Counter()
    for step in steps(options, text_map, seed):
        for event in step.events:
            if isinstance(event, nova_events.TerritoryScored):
                gone.update(owner for _, owner in event.removed)
        after = step.after
        standing = Counter(after.pioneers.values())
        for seat in range(after.players):
            assert standing[seat] + gone[seat] + after.hand[seat] == after.rules.pioneers
        assert after.supply + len(after.stones) == after.rules.stones
        assert len(set(after.stones)) == len(after.stones)


@games
def test_scores_never_fall_and_a_cell_dies_at_most_once(
    options: dict[str, Any], text_map: str, seed: int
) -> None:  # TN-18, TN-19
    for step in steps(options, text_map, seed):
        before, after = step.before, step.after
        assert all(new >= old for old, new in zip(before.scores, after.scores, strict=True))
        scored = [
            cell
            for event in step.events
            if isinstance(event, nova_events.TerritoryScored)
            for cell in event.cells
        ]
        assert len(scored) == len(set(scored))
        assert not set(scored) & set(before.dead)
        assert set(after.dead) == set(before.dead) | set(scored)
        assert set(before.stones) <= set(after.stones)
        kept = set(after.dead), set(after.stones), set(after.pioneers)
        assert sum(map(len, kept)) == len(set().union(*kept))


@games
def test_positions_round_trip_through_text_pickle_and_copy(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    for step in steps(options, text_map, seed):
        after = step.after
        text = after.to_text()
        for again in (
            nova.Position.from_text(text),
            pickle.loads(pickle.dumps(after)),
            copy.copy(after),
            copy.deepcopy(after),
        ):
            assert again == after
            assert hash(again) == hash(after)
            assert again.to_text() == text
            assert again.legal_ids() == after.legal_ids()
            assert again.outcome == after.outcome
            assert again.scores == after.scores
            assert again.resigned == after.resigned


@games
def test_a_position_read_from_text_continues_the_same_way(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    for step in steps(options, text_map, seed):
        again = nova.Position.from_text(step.before.to_text())
        if step.after.resigned == step.before.resigned:
            id = next(id for id in step.before.legal_ids() if step.before.play(id) == step.after)
            assert again.play(id) == step.after
            assert again.play(id).to_text() == step.after.to_text()


@games
def test_equality_and_hash_agree_with_the_text(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    seen: dict[str, nova.Position] = {}
    for step in steps(options, text_map, seed):
        text = step.after.to_text()
        same = seen.setdefault(text, step.after)
        assert same == step.after
        assert hash(same) == hash(step.after)
        assert (step.before == step.after) == (step.before.to_text() == text)
    assert len(set(seen.values())) == len(seen)


@games
def test_playing_never_changes_the_old_position(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    kept = []
    for step in steps(options, text_map, seed):
        kept.append((step.before, step.before.to_text(), step.before.legal_ids()))
    for position, text, legal in kept:
        assert position.to_text() == text
        assert position.legal_ids() == legal


@games
def test_events_describe_the_difference_between_two_positions(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    for step in steps(options, text_map, seed):
        before, after = step.before, step.after
        pioneers, stones = dict(before.pioneers), set(before.stones)
        dead, scores = set(before.dead), list(before.scores)
        hand, resigned = list(before.hand), set(before.resigned)
        passed: list[int] = []
        done, outcome, has_turn_ended = 0, None, False
        for event in step.events:
            json.dumps(event.to_dict())
            match event:
                case nova_events.Placed(seat, cell):
                    assert (seat, cell in pioneers) == (before.to_move, False)
                    pioneers[cell] = seat
                    hand[seat] -= 1
                case nova_events.Moved(seat, source, target):
                    assert pioneers[source] == seat == before.to_move
                    assert target not in pioneers
                    pioneers[target] = pioneers.pop(source)
                    done += 1
                case nova_events.StonePlaced(seat, cell):
                    assert seat == before.to_move
                    stones.add(cell)
                    done += 1
                case nova_events.TerritoryScored():
                    assert_territory(event, before.board, pioneers, before.players)
                    for cell, _ in event.removed:
                        del pioneers[cell]
                    dead.update(event.cells)
                    scores = [a + b for a, b in zip(scores, event.awards, strict=True)]
                case nova_events.Forfeited(seat, actions):
                    assert seat == before.to_move
                    assert actions == before.actions_left - done
                    assert actions > 0
                case nova_events.TurnEnded(seat):
                    assert seat == before.to_move
                    has_turn_ended = True
                case nova_events.Passed(seat):
                    passed.append(seat)
                case nova_events.Resigned(seat):
                    resigned.add(seat)
                case nova_events.GameEnded(ended):
                    outcome = ended
                case _:
                    raise AssertionError(event)
        assert pioneers == dict(after.pioneers)
        assert stones == set(after.stones)
        assert dead == set(after.dead)
        assert tuple(scores) == after.scores
        assert tuple(hand) == after.hand
        assert resigned == set(after.resigned)
        assert outcome == after.outcome
        assert len(stones) - len(before.stones) == before.supply - after.supply
        if before.phase == "play" and after.outcome is None:
            assert has_turn_ended == after.at_turn_start or before.resigned != after.resigned
        assert_passed(passed, before, after)


def assert_territory(
    event: nova_events.TerritoryScored, board: nova.Board, pioneers: dict[str, int], players: int
) -> None:
    """The facts of a scored territory are consistent (TN-17, TN-18, TN-19)."""
    kinds = {board.letters[board.landscape_of[board.index(cell)]] for cell in event.cells}
    assert set(event.landscapes) == {board.landscapes[letter] for letter in kinds}
    assert 1 <= len(kinds) <= 3
    assert event.points == len(event.cells) * (4 - len(kinds))
    inside = {cell: pioneers[cell] for cell in event.cells if cell in pioneers}
    assert dict(event.removed) == inside
    count = Counter(inside.values())
    assert event.pioneers == tuple(count[seat] for seat in range(players))
    most = [seat for seat in count if count[seat] == max(count.values())]
    assert event.awards == tuple(
        event.points // len(most) if seat in most else 0 for seat in range(players)
    )


def assert_passed(passed: list[int], before: nova.Position, after: nova.Position) -> None:
    """Exactly the seats between the two movers passed, those that resigned left out (TN-9)."""
    if after.outcome is not None or not after.at_turn_start or after.phase == "place":
        assert passed == []
        return
    assert before.to_move is not None
    if before == after or (before.at_turn_start and before.to_move == after.to_move):
        assert passed == [] or before.phase == "place"
        return
    players = after.players
    seat = 0 if before.phase == "place" else (before.to_move + 1) % players
    expected = []
    while seat != after.to_move:
        if seat not in after.resigned:
            expected.append(seat)
        seat = (seat + 1) % players
    assert passed == expected


@games
def test_regions_partition_the_land_in_play(
    options: dict[str, Any], text_map: str, seed: int
) -> None:  # TN-16
    for step in steps(options, text_map, seed):
        after = step.after
        regions = after.regions()
        cells = [cell for region in regions for cell in region.cells]
        in_play = set(after.board.cells) - set(after.dead) - set(after.stones)
        assert len(cells) == len(set(cells))
        assert set(cells) == in_play
        for region in regions:
            kinds = len(region.landscapes)
            assert region.points == (len(region.cells) * (4 - kinds) if kinds <= 3 else 0)
            inside = Counter(after.pioneers[c] for c in region.cells if c in after.pioneers)
            assert region.pioneers == tuple(inside[seat] for seat in range(after.players))
            assert sum(region.awards) <= region.points


@games
def test_a_view_repeats_the_position_in_plain_json(
    options: dict[str, Any], text_map: str, seed: int
) -> None:
    for step in steps(options, text_map, seed):
        after = step.after
        view = json.loads(json.dumps(after.view()))
        assert view["pioneers"] == dict(after.pioneers)
        assert view["stones"] == list(after.stones)
        assert view["dead"] == list(after.dead)
        assert view["scores"] == list(after.scores)
        assert view["hand"] == list(after.hand)
        assert view["supply"] == after.supply
        assert view["moved"] == list(after.moved)
        assert view["actions_left"] == after.actions_left
        assert len(view["regions"]) == len(after.regions())
