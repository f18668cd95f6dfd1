"""The kernel finds as many sequences of actions as the reference counted."""

from __future__ import annotations

import pytest

from terrarium import turrium
from tests.turrium.perft import TABLES, Entry, count, read, reference_position

ENTRIES = [entry for table in sorted(TABLES.glob("*.perft")) for entry in read(table)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_perft(entry: Entry) -> None:
    rules = turrium.Rules(**entry.options)
    position = turrium.start(rules)
    if entry.drawing:
        position = turrium.compose(rules, **entry.composition)
    position = position.play_all(entry.actions)
    assert {depth: position.perft(depth) for depth in entry.counts} == entry.counts


def test_the_tables_reach_depth_three_for_every_number_of_players() -> None:
    for players in (2, 3, 4):
        depths = [max(entry.counts) for entry in ENTRIES if entry.options["players"] == players]
        assert len(depths) >= 5
        assert min(depths) >= 3


def test_the_tables_are_the_reference_s_numbers() -> None:
    for entry in ENTRIES[::5]:
        shallow = {
            depth: count(reference_position(entry), depth) for depth in entry.counts if depth < 3
        }
        assert shallow == {depth: entry.counts[depth] for depth in shallow}
