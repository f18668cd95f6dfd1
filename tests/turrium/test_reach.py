"""The reach of flags, and how cubes change it, agree with the rules (TT-9 to TT-13)."""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush
from random import Random
from typing import Any

import pytest

from terrarium import turrium
from terrarium.errors import InvalidPosition
from terrarium.turrium.reach import ReachChanged, previews, reach


def walked(start: Any, source: str | None) -> dict[str, int]:
    """The lowest cost of each cell that a flag can reach, found by playing: slow, but exact.

    Without a source: a flag in hand, which enters first.
    """
    best: dict[str, int] = {}
    waiting: list[tuple[int, int, str | None, Any]] = [(0, 0, source, start)]
    count = 0
    while waiting:
        spent, _, cell, position = heappop(waiting)
        if position is not start:
            if cell in best or cell == source:
                continue
            best[str(cell)] = spent
        if position.to_move != start.to_move or position.at_turn_start:
            continue
        for action in position.legal_actions():
            is_mine = action.kind == "flag" if cell is None else action.source == cell
            if not is_mine or action.target in best:
                continue
            after, events = position.step(action)
            count += 1
            cost = next(event.cost for event in events if hasattr(event, "cost"))
            heappush(waiting, (spent + cost, count, action.target, after))
    return best


def moving_now(position: Any, seat: int) -> Any:
    """The same board with the seat in its move phase with all its points; None if it has no action."""
    facts = replace(
        position.facts(),
        to_move=seat,
        phase="move",
        points_left=5,
        cubes_in_hand=0,
        taken_from=(),
        is_turn_start=False,
        is_attacking=False,
    )
    try:
        return turrium.Position.from_facts(facts)
    except InvalidPosition:
        return None


def within_reach(position: Any, seat: int) -> set[str]:
    """The cells that have a flag of the seat, or that its flags could reach if it moved now."""
    standing = {cell for cell, owner in position.flags.items() if owner == seat}
    moving = moving_now(position, seat)
    if moving is None:
        return standing
    sources: list[str | None] = [*standing]
    if moving.hand[seat]:
        sources.append(None)
    return standing.union(*(walked(moving, source) for source in sources))


def random_positions(rules: Any, seed: int, actions: int) -> list[Any]:
    random = Random(seed)
    position = turrium.start(rules)
    found = []
    for _ in range(actions):
        if position.outcome is not None:
            break
        found.append(position)
        # Avoid `end`, so that captures and flags in hand occur.
        legal = [a for a in position.legal_actions() if a.kind != "end"] or [position.parse("end")]
        captures = [a for a in legal if a.kind == "capture"]
        position = position.play(random.choice(captures or legal))
    return found


@pytest.mark.parametrize("variant", ["standard", "burgenland"])
@pytest.mark.parametrize("players", [2, 4])
def test_every_cell_in_reach_is_found_at_its_lowest_cost(variant: str, players: int) -> None:
    rules = turrium.Rules(players=players, variant=variant)
    moving = [p for p in random_positions(rules, players, 500) if p.phase == "move"]
    seen = 0
    for position in moving[::7]:
        ways = reach(position)
        for cell, seat in position.flags.items():
            if seat == position.to_move:
                found = {way.target: way.points for way in ways.get(cell, [])}
                assert found == walked(position, cell)
                seen += len(found)
    assert seen > 50


def test_a_step_that_unlocks_captures_opens_the_way_to_one() -> None:  # TT-17
    heights = {"c3": 3, "d3": 4, "e3": 4, "e4": 4, "c5": 5, "d5": 3, "e5": 2, "f5": 1, "h8": 1}
    flags = {"c3": 0, "c5": 0, "d5": 0, "e5": 0, "f5": 0, "e4": 0, "e3": 1}
    rules = turrium.Rules(players=2, variant="burgenland")
    position = turrium.compose(rules, heights=heights, flags=flags, to_move=0)
    position = position.play("-h8").play("+h8")
    assert position.phase == "move"
    assert not position.unlocked
    ways = {way.target: way for way in reach(position)["c3"]}
    assert ways["e3"].actions == ("c3-d3", "d3xe3")
    assert {target: way.points for target, way in ways.items()} == walked(position, "c3")


@pytest.mark.parametrize("variant", ["standard", "burgenland"])
@pytest.mark.parametrize("players", [2, 3])
def test_the_preview_of_a_cubes_effect_on_reach_agrees_with_playing(
    players: int, variant: str
) -> None:
    rules = turrium.Rules(players=players, variant=variant)
    positions = [p for p in random_positions(rules, 5, 400) if p.phase in ("take", "place")]
    random = Random(1)
    seen = 0
    for position in positions[:: max(1, len(positions) // 12)]:
        seat = position.to_move
        told = previews(position)
        before = within_reach(position, seat)
        heights = {position.heights[cell] for cell in before}
        legal = [a for a in position.legal_actions() if a.kind in ("take", "cube")]
        assert set(told) <= {str(action) for action in legal}
        for action in random.sample(legal, min(6, len(legal))):
            after = position.play(action)
            now = within_reach(after, seat)
            tall = {after.heights[cell] for cell in now}
            events = told.get(str(action), [])
            change = next((e for e in events if isinstance(e, ReachChanged)), None)
            assert set(change.gained if change else ()) == now - before
            assert set(change.lost if change else ()) == before - now
            assert set(change.gained_heights if change else ()) == tall - heights
            assert set(change.lost_heights if change else ()) == heights - tall
            seen += change is not None
    assert seen > 5


def test_only_cubes_are_previewed() -> None:
    for position in random_positions(turrium.Rules(players=2), 2, 60):
        if position.phase not in ("take", "place"):
            assert previews(position) == {}


def test_every_path_can_be_played_at_its_stated_cost() -> None:
    random = Random(3)
    position = turrium.start(turrium.Rules(players=2))
    seen = 0
    for _ in range(400):
        if position.outcome is not None:
            break
        for source, ways in reach(position).items():
            for way in ways:
                after, spent = position, 0
                for text in way.actions:
                    action = after.parse(text)
                    spent += next(e.cost for e in after.events(action) if hasattr(e, "cost"))
                    after = after.play(action)
                assert spent == way.points <= position.points_left
                assert after.flags[way.target] == position.flags[source]
                seen += 1
        position = position.play(random.choice(position.legal_actions()))
    assert seen > 100


def test_a_capture_on_the_way_is_paid_for() -> None:  # TT-11
    heights = {"c3": 1, "d3": 1, "e3": 1, "h8": 1}
    flags = {"c3": 0, "d3": 1}
    rules = turrium.Rules(players=2)
    position = turrium.compose(rules, heights=heights, flags=flags, to_move=0)
    while position.phase != "move":
        position = position.play(position.legal_actions()[0])
    ways = {way.target: way for way in reach(position).get("c3", [])}
    assert ways["d3"].actions == ("c3xd3",)
    assert ways["d3"].points == 2


def test_outside_the_move_phase_there_are_no_paths() -> None:
    assert reach(turrium.start()) == {}
