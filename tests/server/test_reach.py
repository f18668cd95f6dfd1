"""What interfaces show of a flag's ways is what the rules allow (TT-9 to TT-11)."""

from __future__ import annotations

from random import Random

from terrarium import turrium
from terrarium.turrium.reach import reach


def test_every_way_can_be_played_and_costs_what_it_says() -> None:
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


def test_outside_the_move_phase_there_are_no_ways() -> None:
    assert reach(turrium.start()) == {}
