"""Insights: statistics of a person's finished games, and the data kept for each game."""

from __future__ import annotations

from typing import Any

import pytest

from terrarium import games
from terrarium.play.finished import FinishedGame, SeatFaults, faults_of
from terrarium.play.insights import OwnGame, summed

MARCH, APRIL = 1_709_300_000_000, 1_712_000_000_000


def game(winners: list[int], **more: Any) -> FinishedGame:
    values: dict[str, Any] = {
        "game": "nova",
        "ended": MARCH,
        "opponents": ["person", "4"],
        "starter": 0,
        "edition": "edition.fr",
        "tally": {"points": [12.0, 7.0]},
    }
    return FinishedGame(winners=winners, **values | more)


def shares(games: list[OwnGame], by: str) -> dict[str, tuple[int, float]]:
    found = summed(games).groups
    return {group.key: (group.games, group.wins) for group in found if group.by == by}


def test_results_are_counted_by_common_properties_of_games() -> None:
    own = [
        OwnGame(game([0]), 0),
        OwnGame(game([0, 1], starter=1), 0),
        OwnGame(game([2], opponents=["person", "bot", "person"], ended=APRIL), 1),
        OwnGame(game([], game="turrium", edition="variant.standard"), 1),
    ]
    assert shares(own, "game") == {"nova": (3, 1.5), "turrium": (1, 0.5)}
    assert shares(own[:3], "players") == {"2": (2, 1.5), "3": (1, 0)}
    assert shares(own[:3], "place") == {"0": (1, 1), "1": (2, 0.5)}
    assert shares(own[:3], "opponent") == {"4": (2, 1.5), "person": (1, 0)}
    assert shares(own[:3], "month") == {"2024-03": (2, 1.5), "2024-04": (1, 0)}
    assert shares(own[:1], "edition") == {"edition.fr": (1, 1)}


def test_achievements_are_summed_for_the_persons_seat() -> None:
    own = [OwnGame(game([0]), 0), OwnGame(game([0]), 1)]
    (points,) = summed(own).achieved
    assert (points.count, points.total, points.won_count, points.won_total) == (2, 19, 1, 12)


def test_points_per_territory_is_the_mean_over_all_territories() -> None:
    many = {"territories": [9.0, 1.0], "points": [18.0, 8.0], "per_territory": [2.0, 8.0]}
    few = {"territories": [1.0, 0.0], "points": [12.0, 0.0]}
    own = [OwnGame(game([0], tally=many), 0), OwnGame(game([1], tally=few), 0)]
    found = {one.name: one for one in summed(own).achieved}
    assert list(found) == ["territories", "points", "per_territory"]
    rate = found["per_territory"]
    assert (rate.total, rate.count) == (30, 10)
    assert (rate.won_total, rate.won_count) == (18, 9)
    assert (found["points"].total, found["points"].count) == (30, 2)


def test_faults_are_counted_by_label_and_by_the_main_reason() -> None:
    fault = {"side": "gains", "code": "territory"}
    turns = [
        {"seat": 0, "label": "best", "reasons": []},
        {"seat": 0, "label": "blunder", "reasons": [fault, {"side": "allows", "code": "win"}]},
        {"seat": 0, "label": "mistake", "reasons": []},
        {"seat": 1, "label": "good", "reasons": []},
    ]
    found = faults_of(turns)
    assert found["0"] == SeatFaults(
        3, {"blunder": 1, "mistake": 1}, {"gains-territory": 1, "gains-position": 1}
    )
    assert found["1"] == SeatFaults(1, {}, {})
    numbers = summed([OwnGame(game([0]), 0, found["0"]), OwnGame(game([0]), 0)])
    assert (numbers.games, numbers.reviewed_games, numbers.reviewed_turns) == (2, 1, 3)
    assert {(fault.by, fault.key): fault.count for fault in numbers.faults} == {
        ("label", "blunder"): 1,
        ("label", "mistake"): 1,
        ("reason", "gains-territory"): 1,
        ("reason", "gains-position"): 1,
    }


def test_terra_nova_counts_territories_and_their_points() -> None:
    nova = games["nova"]
    events: list[dict[str, Any]] = [
        {"kind": "territory-scored", "awards": [6, 0]},
        {"kind": "moved"},
        {"kind": "territory-scored", "awards": [5, 5]},
    ]
    assert nova.tally(nova.start(), events) == {
        "territories": [2, 1],
        "points": [11, 5],
    }


@pytest.mark.parametrize("name", sorted(games))
def test_every_number_has_a_value_for_each_seat(name: str) -> None:
    for seats in (2, 4):
        position = games[name].start(players=seats)
        tally = games[name].tally(position, [])
        assert tally
        assert {part for parts in games[name].rates.values() for part in parts} <= tally.keys()
        assert all(len(values) == seats for values in tally.values())
