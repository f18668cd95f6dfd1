"""Nodes: the places in a record's tree of variations, with their positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, cast

from terrarium.core.action import Action
from terrarium.core.record.line import Cursor, Entry, Line, P_co, problem

if TYPE_CHECKING:
    from terrarium.core.record.value import Record

__all__ = ["Node", "node_at", "with_entry"]


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Node(Generic[P_co]):
    """The place after one entry of the main line or of a variation; the root is the place before the first.

    `path` identifies it: `(4,)` is entry 4 of the main line, `(4, 0, 2)` entry 2 of the first variation of that entry.

    >>> from terrarium import Record, nova
    >>> record = Record(nova.start()).play("@e7 @f7").vary(1, "@e8 @e9")
    >>> [(node.path, str(node.action)) for node in record.nodes()]
    [((0,), '@e7'), ((1,), '@f7'), ((1, 0, 0), '@e8'), ((1, 0, 1), '@e9')]
    >>> record.node((1, 0, 1)).position.pioneers
    {'e7': 0, 'e8': 1, 'e9': 0}
    """

    record: Record[P_co]
    path: tuple[int, ...]
    entry: Entry | None
    """The entry that led here, with its annotations; None at the root."""
    _line: Line
    _before: Cursor
    _after: Cursor

    @property
    def position(self) -> P_co:
        """The position here."""
        return cast(P_co, self._after.position)

    @property
    def before(self) -> P_co:
        """The position in which this node's action was played; the start position at the root."""
        return cast(P_co, self._before.position)

    @property
    def turn(self) -> int:
        """The number of the turn that this node's action belongs to; 0 before the first."""
        return self._after.turn

    @property
    def action(self) -> Action | None:
        """The action that led here; None at the root, for a resignation and for a null turn."""
        entry = self.entry
        if entry is None or entry.resigns is not None or entry.null_turn is not None:
            return None
        return self.before.parse(entry.text)

    @property
    def seat(self) -> int | None:
        """The seat that acted, resigned or was skipped here; None at the root."""
        if self.entry is None:
            return None
        return self.before.to_move if self.entry.resigns is None else self.entry.resigns

    @property
    def is_main(self) -> bool:
        """Whether this node is on the main line."""
        return len(self.path) <= 1

    @property
    def next(self) -> Node[P_co] | None:
        """The node that follows in the same line; None at its end."""
        index = self.path[-1] + 1 if self.path else 0
        if index >= len(self._line):
            return None
        return _node(self.record, (*self.path[:-1], index), self._line, index, self._after)

    @property
    def variations(self) -> tuple[Node[P_co], ...]:
        """The first node of each variation that could have been played instead of this entry."""
        lines = self.entry.variations if self.entry else ()
        return tuple(
            _node(self.record, (*self.path, number, 0), line, 0, self._before)
            for number, line in enumerate(lines)
        )

    @property
    def children(self) -> tuple[Node[P_co], ...]:
        """All nodes that follow directly: the next one in the line first, then the variations."""
        following = self.next
        return () if following is None else (following, *following.variations)

    @property
    def parent(self) -> Node[P_co] | None:
        """The node before this one; for the first of a variation, the node before the entry it replaces. None at the root."""
        if not self.path:
            return None
        if self.path[-1] > 0:
            return node_at(self.record, (*self.path[:-1], self.path[-1] - 1))
        above = node_at(self.record, self.path[:-2])
        return above if not above.path else above.parent

    def line(self) -> Iterator[Node[P_co]]:
        """This node and those that follow in the same line."""
        node: Node[P_co] | None = self if self.path else self.next
        while node is not None:
            yield node
            node = node.next

    def annotate(self, **said: Any) -> Record[P_co]:
        """The record with comment, glyphs, marks, clock, evaluation or variations of this entry replaced."""
        return self.record.annotate(self.path, **said)

    def vary(self, actions: str | Iterable[str], comment: str = "") -> Record[P_co]:
        """The record with one more variation that could have been played instead of this entry."""
        return self.record.vary(self.path, actions, comment)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.path == other.path and self.record == other.record

    def __hash__(self) -> int:
        return hash((self.path, self.record))

    def __repr__(self) -> str:
        return f"<Node {self.path} {self.entry.text if self.entry else 'start'}>"

    def _repr_svg_(self) -> str:
        last = () if self.action is None else (self.action,)
        return cast(str, self.position.game.draw.draw(self.position, last=last))


def _node(
    record: Record[P_co], path: tuple[int, ...], line: Line, index: int, before: Cursor
) -> Node[P_co]:
    entry = line.entries[index]
    after, _ = before.advance(entry.text)
    return Node(record, path, entry, line, before, after)


def node_at(record: Record[P_co], path: Iterable[int]) -> Node[P_co]:
    """The node with this path; raises InvalidRecord if there is none."""
    path = tuple(path)
    cursor = Cursor.at(record.start)
    node: Node[P_co] = Node(record, (), None, record.line, cursor, cursor)
    if not path:
        return node
    if len(path) % 2 == 0 or not all(isinstance(number, int) for number in path):
        raise _no_entry(path)
    line = record.line
    for depth in range(0, len(path), 2):
        if depth:
            variations = line.entries[path[depth - 2]].variations
            if not 0 <= path[depth - 1] < len(variations):
                raise _no_entry(path)
            line = variations[path[depth - 1]]
        if not 0 <= path[depth] < len(line):
            raise _no_entry(path)
        for entry in line.entries[: path[depth]]:
            cursor, _ = cursor.advance(entry.text)
    return _node(record, path, line, path[-1], cursor)


def with_entry(line: Line, path: tuple[int, ...], said: dict[str, Any]) -> Line:
    """The line with some fields of the entry at a path replaced."""
    entries = list(line.entries)
    index, rest = path[0], path[1:]
    entry = entries[index]
    if rest:
        variations = list(entry.variations)
        variations[rest[0]] = with_entry(variations[rest[0]], rest[1:], said)
        said = {"variations": tuple(variations)}
    entries[index] = replace(entry, **said)
    return replace(line, entries=tuple(entries))


def _no_entry(path: tuple[int, ...]) -> Exception:
    return problem("no-such-entry", f"{path!r:.80}: the record has no entry there")
