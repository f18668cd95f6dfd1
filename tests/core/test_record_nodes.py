"""The nodes of a record's tree: their positions, and adding comments and variations."""

from __future__ import annotations

import pytest

from terrarium import Record, games, nova
from terrarium.core.record import Evaluation, Line, Node
from terrarium.errors import IllegalAction, InvalidRecord
from tests.core.records import random_record

TREE = (
    Record(nova.start())
    .play("@e7 @f7 @a5")
    .vary(1, "@b4 @b5")
    .vary((1, 0, 1), "@c4")
    .vary(1, "@b6")
)


def test_nodes_are_listed_in_reading_order() -> None:
    assert [(node.path, str(node.action)) for node in TREE.nodes()] == [
        ((0,), "@e7"),
        ((1,), "@f7"),
        ((1, 0, 0), "@b4"),
        ((1, 0, 1), "@b5"),
        ((1, 0, 1, 0, 0), "@c4"),
        ((1, 1, 0), "@b6"),
        ((2,), "@a5"),
    ]


def test_a_node_has_the_position_after_its_own_line() -> None:
    assert TREE.node((1, 0, 1, 0, 0)).position == nova.start().play_all("@e7 @b4 @c4")
    assert TREE.node((1, 0, 1, 0, 0)).before == nova.start().play_all("@e7 @b4")
    assert TREE.node((2,)).position == TREE.position
    assert TREE.root.position == TREE.start


def test_a_node_knows_its_neighbours() -> None:
    root = TREE.root
    assert root.parent is None
    assert root.next == TREE.node((0,))
    assert [node.path for node in TREE.node((0,)).children] == [(1,), (1, 0, 0), (1, 1, 0)]
    for node in TREE.nodes():
        assert node.parent is not None
        assert node in node.parent.children
        assert node.is_main == (len(node.path) == 1)
    assert TREE.node((2,)).next is None
    assert TREE.node((2,)).children == ()


def test_a_comment_can_be_added_at_any_node() -> None:
    for node in TREE.nodes():
        record = node.annotate(comment="here", glyphs=(1,))
        said = [place.path for place in record.nodes() if place.entry and place.entry.comment]
        assert said == [node.path]
        assert Record.parse(str(record)) == record


def test_a_variation_can_be_added_at_any_node() -> None:
    for node in TREE.nodes():
        record = node.vary("@g8", "instead")
        (added,) = {place.path for place in record.nodes()} - {place.path for place in TREE.nodes()}
        assert added[:-2] == node.path
        assert record.node(added).position == node.before.play("@g8")
        assert Record.parse(str(record)) == record


def test_a_variation_that_the_rules_forbid_is_refused() -> None:
    with pytest.raises(IllegalAction):
        TREE.node((1, 0, 1)).vary("@e7")


@pytest.mark.parametrize("path", [(7,), (-1,), (1, 0), (1, 2, 0), (1, 0, 5), (0, 0, 0)])
def test_a_path_that_leads_nowhere_is_refused(path: tuple[int, ...]) -> None:
    with pytest.raises(InvalidRecord) as caught:
        TREE.node(path)
    assert caught.value.code == "no-such-entry"


def test_the_start_cannot_be_annotated() -> None:
    with pytest.raises(InvalidRecord):
        TREE.root.annotate(comment="no entry")


@pytest.mark.parametrize("game", sorted(games))
def test_the_nodes_of_any_record_are_all_its_entries(game: str) -> None:
    for seed in range(5):
        record = random_record(game, seed)
        nodes: list[Node] = list(record.nodes())
        assert len(nodes) == _entries(record.line)
        assert len({node.path for node in nodes}) == len(nodes)
        main = [node for node in nodes if node.is_main]
        assert [node.position for node in main] == [step.position for step in record.positions()]
        assert [node.turn for node in main] == [step.turn for step in record.positions()]
        assert [node.seat for node in main] == [step.seat for step in record.positions()]


def _entries(line: Line) -> int:
    inner = (_entries(variation) for entry in line for variation in entry.variations)
    return len(line) + sum(inner)


def test_evaluations_are_written_with_three_digits() -> None:
    record = Record(nova.start()).play("@e7", evaluation=Evaluation((2 / 3, 1 / 3), nodes=10))
    assert "[%eval 0.667 0.333" in str(record)
    assert Record.parse(str(record)) == record
    assert Record.from_dict(record.to_dict()) == record
