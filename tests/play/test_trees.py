"""Records as trees of turns, as the analysis board edits them. Nothing may be lost in the conversion."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from terrarium import Record, games, nova
from terrarium.core.record import Entry, Evaluation, Line, Mark
from terrarium.errors import InvalidRecord, TerrariumError
from terrarium.play import trees
from terrarium.play.errors import Unprocessable
from terrarium.play.positions import tried
from terrarium.play.records import read_record
from terrarium.play.trees import Tree, TreeNode, TreeSource, read_tree, record_of_tree, tree_of
from tests.core.records import random_record

ROW = "A A A B C D E F G H"


def row(pioneers: dict[str, int] | None = None) -> Record:
    """A row of ten cells with a pioneer near each end; seat 0 is to move."""
    found = pioneers or {"a3": 0, "a9": 1}
    board = nova.Board.parse(ROW)
    return Record(nova.compose(nova.Rules(), board, pioneers=found, to_move=0))


def sent(tree: Tree) -> Tree:
    """The tree as another program sees it."""
    return msgspec.json.decode(msgspec.json.encode(tree), type=Tree)


Shape = list[tuple[list[str], str, "Shape"]]


def shape(tree: Tree, parent: str = "") -> Shape:
    """The turns and annotations as nested lists, siblings in order."""
    return [
        (node.actions, node.comment, shape(tree, node.id))
        for node in tree.nodes
        if node.parent == parent
    ]


def turns(tree: Tree) -> list[tuple[str, str, str]]:
    return [(node.id, node.parent, " ".join(node.actions)) for node in tree.nodes]


@pytest.mark.parametrize("game", sorted(games))
@pytest.mark.parametrize("seed", range(12))
def test_a_record_becomes_a_tree_and_the_same_tree_again(game: str, seed: int) -> None:
    written = str(random_record(game, seed, length=40))
    record = Record.parse(written.replace("\\ud800", ""))  # JSON can't contain a lone surrogate
    tree = sent(tree_of(record))
    again = record_of_tree(tree)
    assert shape(tree_of(again)) == shape(tree)
    assert (again.start, again.seats, again.date, again.tags) == (
        record.start,
        record.seats,
        record.date,
        record.tags,
    )
    assert (again.ending, again.outcome) == (record.ending, record.outcome)
    assert [replace(entry, variations=()) for entry in again.line] == [
        replace(entry, variations=()) for entry in record.line
    ]
    assert record_of_tree(sent(tree_of(again))) == again
    assert Record.parse(str(again)) == again


def test_a_record_whose_variations_are_complete_turns_round_trips_exactly() -> None:
    record = (
        Record(nova.start(), seats=("a", "b"))
        .play("@e7", comment="opens", glyphs=(1,), clock=5_000, marks=(Mark("e8", "e7"),))
        .play("@f7", evaluation=Evaluation((0.4, 0.6), 3))
        .vary(1, "@f8 @g8", "instead")
        .vary((1, 0, 1), "@g9")
        .resign(1)
    )
    record = replace(record, line=replace(record.line, comment="first", marks=(Mark("e7"),)))
    assert record_of_tree(sent(tree_of(record))) == record


def test_a_variation_within_a_turn_becomes_a_turn_beside_it() -> None:
    record = row().play("a3-a4 a4-a5 a5-a6 a9-a8").vary(1, "a4-a6 a6-a5", "or")
    tree = tree_of(record)
    assert turns(tree) == [
        ("1", "", "a3-a4 a4-a5 a5-a6"),
        ("2", "", "a3-a4 a4-a6 a6-a5"),
        ("3", "1", "a9-a8"),
    ]
    assert tree.nodes[1].before == "or"
    assert "({or} 1. a3-a4 a4-a6 a6-a5)" in str(record_of_tree(tree))


def test_annotations_within_a_turn_stay_in_place() -> None:
    record = row().play("a3-a4", comment="begins").play("a4-a6", glyphs=(2,)).play("a6-a5")
    (node,) = tree_of(record).nodes
    assert node.within == {"0": {"comment": "begins"}, "1": {"glyphs": [2]}}
    assert record_of_tree(sent(tree_of(record))) == record


def test_a_comment_before_a_variation_that_was_promoted_is_kept() -> None:
    tree = tree_of(Record(nova.start()).play("@e7").vary(0, "@e8", "better"))
    first, second = tree.nodes
    record = record_of_tree(Tree(tree.head, [second, first]))
    assert [entry.text for entry in record.line] == ["@e8"]
    assert record.line.entries[0].comment == "better"


def test_an_end_outside_the_rules_stays_until_the_rules_end_the_game() -> None:
    record = Record(games["nova"].start(players=2)).play("@e7").end("timeout", [1])
    tree = tree_of(record)
    assert record_of_tree(tree) == record
    more = [*tree.nodes, TreeNode("x", "1", ["@e8"])]
    assert record_of_tree(Tree(tree.head, more)).ending == record.ending
    over = [*tree.nodes, TreeNode("x", "1", ["resign:0"])]
    ended = record_of_tree(Tree(tree.head, over))
    assert (ended.ending, ended.outcome and ended.outcome.reason) == (None, "resigned")


def test_every_node_has_its_position_and_its_turn() -> None:
    record = row().play("a3-a4 a4-a5 +a4").vary(0, "null:1 a9-a8 +a9 a8-a7")
    found = read_tree(TreeSource(text=str(record)))
    assert [(node.id, node.kind, node.number, node.seat) for node in found.nodes] == [
        ("1", "turn", 1, 0),
        ("2", "null", 1, 0),
        ("3", "turn", 2, 1),
    ]
    threat = record.node((0, 0, 0)).position
    assert found.nodes[1].position == threat.to_text()
    assert found.nodes[1].view == json.loads(json.dumps(threat.view()))
    assert found.nodes[1].events == []
    assert found.nodes[0].events
    assert found.start == record.start.to_text()
    assert found.text == str(record)


def test_a_position_lists_its_possible_null_turns() -> None:
    start = row().start
    assert tried(start, []).null_turns == {"1": "null:1"}
    assert tried(start, ["a3-a4"]).null_turns == {}, "within a turn"
    assert tried(nova.start(), []).null_turns == {}, "while pieces are set up"
    over = row().resign(1).position
    assert tried(over, []).null_turns == {}


def test_a_tree_begins_with_a_position_a_text_or_a_tree() -> None:
    start = nova.start().play("@e7")
    fresh = read_tree(TreeSource(start=start.to_text()))
    assert (fresh.tree.nodes, fresh.start, fresh.game) == ([], start.to_text(), "nova")
    grown = Tree(fresh.tree.head, [TreeNode("mine", "", ["@e8"], comment="next")])
    found = read_tree(TreeSource(tree=grown, views=False))
    assert [node.id for node in found.tree.nodes] == ["mine"]
    assert found.nodes == []
    assert "@e8 {next}" in found.text
    for source in (TreeSource(), TreeSource(text=fresh.text, tree=grown)):
        with pytest.raises(Unprocessable):
            read_tree(source)


def test_a_text_with_a_lone_surrogate_is_refused() -> None:
    text = str(Record(nova.start()).play("@e7", comment="\ud800"))
    for read in (read_record, lambda text: read_tree(TreeSource(text=text))):
        with pytest.raises(InvalidRecord) as caught:
            read(text)
        assert caught.value.code == "not-text"


@pytest.mark.parametrize(
    "nodes",
    [
        [TreeNode("a", "", ["@e7"]), TreeNode("a", "", ["@e8"])],
        [TreeNode("a", "b", ["@e7"]), TreeNode("b", "", ["@e8"])],
        [TreeNode("", "", ["@e7"])],
        [TreeNode("a", "", ["@e7"]), TreeNode("b", "a", ["@e7"])],
        [TreeNode("a", "", ["@e7"], glyphs=[999])],
        [TreeNode("a", "", ["@e7"], within={"0": {"comment": "not before the last"}})],
        [TreeNode("a", "", ["@e7"], within={"x": {}})],
    ],
)
def test_an_invalid_tree_is_refused(nodes: list[TreeNode]) -> None:
    head = tree_of(Record(nova.start())).head
    with pytest.raises(TerrariumError):
        record_of_tree(Tree(head, nodes))


@pytest.mark.parametrize("index", ["9" * 5000, "-1", "3", "²", "x"])
def test_a_comment_on_an_action_that_a_turn_does_not_have_is_refused(index: str) -> None:
    record = row()
    node = TreeNode("1", "", ["a3-a4", "+a5", "+a3"], within={index: {"comment": "?"}})
    with pytest.raises(Unprocessable) as refused:
        record_of_tree(Tree(tree_of(record).head, [node]))
    assert refused.value.code == "invalid-tree"


def test_a_tree_whose_positions_would_fill_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = str(Record(nova.start()).play("@e7"))
    assert len(read_tree(TreeSource(text=text)).nodes) == 1
    monkeypatch.setattr(trees, "MAX_VIEWS", 100)
    with pytest.raises(InvalidRecord, match="too large"):
        read_tree(TreeSource(text=text))
    assert read_tree(TreeSource(text=text, views=False)).nodes == []


def test_marks_before_a_variation_that_was_promoted_are_kept() -> None:
    text = "1. @e7 ({[%csl Re8,Ge8] why not} 1. @f7) 2. @g7 *"
    tree = tree_of(Record.parse('[Game "nova"]\n\n' + text))
    first, variation = tree.nodes[0], tree.nodes[1]
    assert variation.before == "why not"
    promoted = Tree(tree.head, [variation, first, *tree.nodes[2:]])
    assert "[%csl Ge8] why not" in str(record_of_tree(promoted))


def test_a_comment_that_names_a_surrogate_is_text() -> None:
    comment = "\\ud83d is half a character"
    text = str(Record(nova.start()).play("@e7", comment=comment))
    assert r"\\ud83d" in text
    assert read_tree(TreeSource(text=text)).tree.nodes[0].comment == comment


def test_a_tree_that_is_nested_too_deep_is_refused_with_a_reason() -> None:
    head = tree_of(row({"a5": 0, "a9": 1})).head
    nodes, parent = [], ""
    for depth in range(40):
        mover = depth % 2
        nodes += [TreeNode(f"m{depth}", parent, [f"null:{1 - mover}"])]
        nodes += [TreeNode(f"v{depth}", parent, [f"null:{1 - mover}"])]
        parent = f"v{depth}"
    with pytest.raises(TerrariumError) as caught:
        record_of_tree(Tree(head, nodes))
    assert caught.value.code == "record-nesting"


@pytest.mark.parametrize(
    "head", [{}, {"game": "chess"}, {"game": "nova", "rules": 3}, {"game": "nova", "seats": 1}]
)
def test_an_invalid_head_is_refused(head: dict[str, Any]) -> None:
    with pytest.raises(TerrariumError):
        record_of_tree(Tree(head, []))


def test_a_long_line_needs_no_deep_recursion() -> None:
    entries = tuple(Entry(f"null:{1 - number % 2}") for number in range(3_000))
    record = Record(row().start, line=Line(entries))
    assert record_of_tree(tree_of(record)) == record


def damaged() -> Tree:
    """A tree of which some turns can't be read: an illegal one, its answer, one after nothing, and a repeated id."""
    nodes = [
        TreeNode("1", "", ["@e7"], "kept"),
        TreeNode("2", "1", ["@e7"], "illegal"),
        TreeNode("3", "2", ["@e8"]),
        TreeNode("4", "1", ["@f7"], "legal"),
        TreeNode("5", "9", ["@f7"]),
        TreeNode("4", "1", ["@f8"]),
        TreeNode("6", "1", ["@f9"], glyphs=[99_999]),
    ]
    return Tree(tree_of(Record(nova.start())).head, nodes)


def test_what_can_be_read_of_a_damaged_tree_is_read() -> None:
    with pytest.raises(TerrariumError):
        read_tree(TreeSource(tree=damaged()))
    found = read_tree(TreeSource(tree=damaged(), is_lenient=True))
    assert shape(found.tree) == [(["@e7"], "kept", [(["@f7"], "legal", [])])]
    assert found.omitted == 5
    assert [node.id for node in found.nodes] == ["1", "4"]


def test_nothing_is_left_out_of_a_tree_that_can_be_read() -> None:
    record = Record(nova.start()).play("@e7 @f7 @f8").vary(1, "@e8 @e9")
    strict = read_tree(TreeSource(tree=tree_of(record)))
    lenient = read_tree(TreeSource(tree=tree_of(record), is_lenient=True))
    assert lenient == strict
    assert lenient.omitted == 0


def test_a_tree_whose_start_cannot_be_read_is_refused_in_any_case() -> None:
    with pytest.raises(TerrariumError):
        read_tree(TreeSource(tree=Tree({"game": "chess"}, []), is_lenient=True))
