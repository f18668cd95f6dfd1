"""A record as a tree of turns, for analysis boards: one node for each turn, with a stable id.

In a record a variation can begin at any action; in a tree only whole turns vary. A variation that begins within a turn becomes a separate whole
turn, and is written as one. Everything else in a record is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from terrarium.core.event import Event
from terrarium.core.record import Entry, Line, Record
from terrarium.core.record.json import entries_from
from terrarium.core.record.line import MAX_NESTING, Cursor
from terrarium.errors import InvalidRecord, TerrariumError
from terrarium.play.boards import board_view
from terrarium.play.errors import Unprocessable
from terrarium.play.positions import FreshStart, start_position
from terrarium.play.records import parsed
from terrarium.play.shapes import ActionText, AnyDict, BoardView

__all__ = [
    "MAX_NODES",
    "MAX_VIEWS",
    "Comment",
    "NodeId",
    "ReadTree",
    "Tree",
    "TreeMark",
    "TreeNode",
    "TreeSource",
    "read_tree",
    "record_of_tree",
    "source_tree",
    "tree_of",
    "turn_entries",
]

MAX_NODES = 4_000
MAX_VIEWS = 24_000_000
"""The approximate limit of the size of all positions of a tree together, in bytes."""

NodeId = Annotated[str, Meta(max_length=40)]
Comment = Annotated[str, Meta(max_length=65_536)]


class TreeMark(Struct, forbid_unknown_fields=True):
    """A marked cell, or an arrow to it from `source`."""

    target: Annotated[str, Meta(max_length=16)]
    source: Annotated[str, Meta(max_length=16)] | None = None
    colour: str = "green"


class TreeNode(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A turn, a resignation or a null turn that follows its parent, with its annotations."""

    id: NodeId
    parent: Annotated[
        str, Meta(max_length=40, description="Empty for nodes that follow the start.")
    ]
    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=64)]
    comment: Comment = ""
    glyphs: Annotated[list[int], Meta(max_length=16)] = msgspec.field(default_factory=list)
    marks: Annotated[list[TreeMark], Meta(max_length=64)] = msgspec.field(default_factory=list)
    clock: int | None = None
    evaluation: AnyDict | None = None
    before: Comment = ""
    """A comment before its first action, if it begins a variation."""
    before_marks: Annotated[list[TreeMark], Meta(max_length=64)] = msgspec.field(
        default_factory=list
    )
    within: dict[str, AnyDict] = msgspec.field(default_factory=dict)
    """Annotations of actions before the last, by their index, as in the record's JSON."""


class Tree(Struct, forbid_unknown_fields=True):
    """A record: `head` is its JSON without actions; `nodes` are the turns, parents before children and main lines before variations."""

    head: AnyDict
    nodes: Annotated[list[TreeNode], Meta(max_length=MAX_NODES)]


class TreeSource(Struct, forbid_unknown_fields=True):
    """One of: a `.terra` text, a tree, a start position. Without `views` only tree and text are returned.

    With `is_lenient`, unreadable turns of a tree are left out, together with the turns after them.
    """

    text: Annotated[str, Meta(max_length=250_000)] | None = None
    tree: Tree | None = None
    start: Annotated[str, Meta(max_length=20_000)] | FreshStart | None = None
    views: bool = True
    is_lenient: bool = False


class NodeView(Struct):
    """The position after a node, with the number, seat and events of its turn."""

    id: str
    kind: Literal["turn", "resignation", "null"]
    number: int
    seat: int
    events: list[AnyDict]
    view: AnyDict
    position: str


class ReadTree(Struct):
    """A record as a tree and as text, with the position at every node."""

    tree: Tree
    text: str
    game: str
    rules: AnyDict
    board: BoardView | None
    seats: list[str]
    start: str
    start_view: AnyDict
    nodes: list[NodeView]
    outcome: AnyDict | None
    omitted: int = 0
    """How many turns were left out."""


def read_tree(source: TreeSource) -> ReadTree:
    """The source as a tree and as text."""
    omitted = 0
    if source.is_lenient and source.tree is not None:
        legible = _legible(source.tree)
        omitted = len(source.tree.nodes) - len(legible.nodes)
        source = msgspec.structs.replace(source, tree=legible)
    record, tree = source_tree(source)
    return ReadTree(
        tree,
        str(record),
        record.game.name,
        record.rules.to_dict(),
        None if record.board is None else board_view(record.board),
        list(record.seats),
        record.start.to_text(),
        record.start.view(),
        list(_views(record, tree.nodes)) if source.views else [],
        None if record.outcome is None else record.outcome.to_dict(),
        omitted,
    )


def source_tree(source: TreeSource) -> tuple[Record, Tree]:
    """The source as a record and as a tree."""
    given = [one for one in (source.text, source.tree, source.start) if one is not None]
    if len(given) != 1:
        raise Unprocessable("invalid-tree", "give one of text, tree and start")
    if source.tree is not None:
        record = record_of_tree(source.tree)
        return record, Tree(_head(record), source.tree.nodes)
    if source.text is not None:
        record = parsed(source.text)
    else:
        assert source.start is not None
        record = Record(start_position(source.start))
    return record, tree_of(record)


def _legible(tree: Tree) -> Tree:
    """The tree without unreadable turns and the turns after them."""
    start = record_of_tree(Tree(tree.head, [])).start
    places = {"": Cursor.at(start)}
    nodes = []
    for node in tree.nodes:
        cursor = places.get(node.parent)
        if cursor is None or not node.id or node.id in places:
            continue
        try:
            for entry in entries_from(turn_entries(node, has_opening=False)):
                entry.checked(start.players)
            for text in node.actions:
                cursor, _ = cursor.advance(text)
        except TerrariumError:
            continue
        places[node.id] = cursor
        nodes.append(node)
    return Tree(tree.head, nodes)


def _head(record: Record) -> AnyDict:
    """A record's JSON without its actions and its outcome."""
    data = record.to_dict()
    return {name: data[name] for name in data if name not in ("actions", "outcome")}


def record_of_tree(tree: Tree) -> Record:
    """The record that a tree describes, checked by the rules.

    An end outside the rules is left out if the main line now ends by them.
    """
    children: dict[str, list[TreeNode]] = {"": []}
    for node in tree.nodes:
        if not node.id or node.id in children or node.parent not in children:
            message = (
                f"node {node.id!r:.50} after {node.parent!r:.50}: ids differ, parents come first"
            )
            raise Unprocessable("invalid-tree", message)
        children[node.id] = []
        children[node.parent].append(node)
    head = {name: value for name, value in tree.head.items() if name not in ("ending", "outcome")}
    record: Record = Record.from_dict(head | {"actions": _written(children[""], children, 0)})
    ending = tree.head.get("ending")
    if ending is None or record.position.outcome is not None:
        return record
    return Record.from_dict(record.to_dict() | {"ending": ending, "outcome": None})


def _written(
    siblings: list[TreeNode], children: dict[str, list[TreeNode]], nesting: int
) -> list[AnyDict]:
    """The entries of a line and of its variations; the first sibling continues the line."""
    if nesting > MAX_NESTING:
        raise InvalidRecord("record-nesting", f"variations are nested deeper than {MAX_NESTING}")
    entries: list[AnyDict] = []
    while siblings:
        node, *others = siblings
        is_first = nesting > 0 and not entries
        turn = turn_entries(node, has_opening=is_first)
        variations = [
            {
                "comment": other.before,
                "marks": msgspec.to_builtins(other.before_marks),
                "actions": _written([other], children, nesting + 1),
            }
            for other in others
        ]
        if variations:
            turn[0]["variations"] = variations
        entries += turn
        siblings = children[node.id]
    return entries


def turn_entries(node: TreeNode, *, has_opening: bool) -> list[AnyDict]:
    """The entries of one turn. The comment before it is added to its comment unless it begins a variation."""
    turn: list[AnyDict] = [{"action": text} for text in node.actions]
    places = {str(place): place for place in range(len(turn) - 1)}
    for index, said in node.within.items():
        place = places.get(index)
        if place is None:
            raise Unprocessable(
                "invalid-tree", f"node {node.id}: no action {index!r:.20} within it"
            )
        turn[place] |= {name: said[name] for name in _SAID if name in said}
    opening = "" if has_opening else node.before
    marks = node.marks if has_opening else node.before_marks + node.marks
    turn[-1] |= {
        "comment": "\n".join(filter(None, (opening, node.comment))),
        "glyphs": node.glyphs,
        "marks": msgspec.to_builtins(marks),
        "clock": node.clock,
        "evaluation": node.evaluation,
    }
    return turn


_SAID = ("comment", "glyphs", "marks", "clock", "evaluation")


def tree_of(record: Record) -> Tree:
    """A record as a tree; its nodes are numbered in reading order."""
    reader = _Reader()
    opening = {"actions": record.to_dict()["actions"]}
    reader.line(record.line, opening, Cursor.at(record.start), "", [])
    return Tree(_head(record), reader.nodes)


class _Reader:
    """Converts a record in one pass; replays it to know where turns end."""

    def __init__(self) -> None:
        self.nodes: list[TreeNode] = []

    def line(
        self, line: Line, data: AnyDict, cursor: Cursor, parent: str, played: list[str]
    ) -> None:
        """Add the turns of a line after `parent`; `played` are the actions of its first turn before the line begins.

        `data` is the same line in the record's JSON, with the comment before it if it is a variation.
        """
        turn: list[AnyDict] = []
        beside: list[tuple[Line, AnyDict, Cursor, list[str]]] = []
        opening = data
        for index, entry in enumerate(line.entries):
            said = data["actions"][index]
            if entry.resigns is not None and played:
                # A resignation is a separate node, and so is the part of the turn before it.
                begun = self.add(parent, played[:-1], [{"action": played[-1]}], opening)
                parent, played, opening = begun.id, [], {}
            sofar = [*played, *(one["action"] for one in turn)]
            for variation, inner in zip(entry.variations, said.get("variations", ()), strict=True):
                beside.append((variation, inner, cursor, sofar))
            turn.append(said)
            cursor, _ = cursor.advance(entry.text)
            following = line.entries[index + 1] if index + 1 < len(line) else None
            ends = cursor.position.at_turn_start or entry.resigns is not None
            if not ends and following is not None and following.resigns is None:
                continue
            node = self.add(parent, played, turn, opening)
            for variation, inner, place, texts in beside:
                self.line(variation, inner, place, parent, texts)
            parent, played, turn, beside, opening = node.id, [], [], [], {}

    def add(
        self, parent: str, played: list[str], turn: list[AnyDict], opening: AnyDict
    ) -> TreeNode:
        """Add a node for the entries of a turn."""
        if len(self.nodes) >= MAX_NODES:
            raise InvalidRecord("record-size", f"more than {MAX_NODES:,} turns in one tree")
        last = turn[-1]
        said = {name: last[name] for name in _SAID if name in last}
        within = {
            str(len(played) + index): {name: entry[name] for name in _SAID if name in entry}
            for index, entry in enumerate(turn[:-1])
        }
        data = {
            "id": str(len(self.nodes) + 1),
            "parent": parent,
            "actions": played + [entry["action"] for entry in turn],
            "before": opening.get("comment", ""),
            "before_marks": opening.get("marks", []),
            "within": {index: found for index, found in within.items() if found},
        }
        node = msgspec.convert(data | said, TreeNode)
        self.nodes.append(node)
        return node


def _views(record: Record, nodes: list[TreeNode]) -> Iterator[NodeView]:
    """The view of every node."""
    size = len(msgspec.json.encode(record.start.view())) * len(nodes)
    if size > MAX_VIEWS:
        message = f"{len(nodes):,} turns on a board of this size: too large to show at once"
        raise InvalidRecord("record-size", message)
    places = {"": Cursor.at(record.start)}
    for node in nodes:
        cursor = places[node.parent]
        seat = cursor.position.to_move or 0
        events: list[Event] = []
        kind: Literal["turn", "resignation", "null"] = "turn"
        for text in node.actions:
            entry = Entry(text)
            before = cursor.position
            if entry.resigns is not None:
                kind, seat = "resignation", entry.resigns
                events += before.resignation_events(seat)
            elif entry.null_turn is not None:
                kind = "null"
            else:
                events += before.events(before.parse(text))
            cursor, _ = cursor.advance(text)
        places[node.id] = cursor
        position = cursor.position
        shown = [event.to_dict() for event in events]
        yield NodeView(node.id, kind, cursor.turn, seat, shown, position.view(), position.to_text())
