"""A study as the result of its log of changes, and its form for interfaces.

The rule is the same as in the page's tree (`web/src/lib/game/tree.ts`): a field keeps the value with the latest stamp; a change of
a node that does not exist is ignored unless it creates the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from terrarium.core.position import Position
from terrarium.play.errors import NotFound, Unprocessable
from terrarium.play.shapes import AnyDict
from terrarium.play.studies import (
    Access,
    Change,
    ChapterChange,
    ChapterFields,
    ChapterView,
    MadeChapter,
    MadeNode,
    NodeChange,
    NodeFields,
    Rest,
    ShownChapter,
    StoredChapter,
    StoredNode,
    StudyChange,
    StudyFields,
    StudyView,
    Visibility,
)
from terrarium.play.trees import Tree, TreeMark, TreeNode, TreeSource, read_tree, record_of_tree

__all__ = [
    "ROOT",
    "Chapter",
    "Node",
    "Stamp",
    "Study",
    "chapter_changes",
    "copied",
    "free_chapter_id",
    "made_chapter",
    "named",
    "terra_text",
]

ROOT = ""
"""The id of the node before the first turn of a chapter."""
Stamp = tuple[int, str]
_FIRST: Stamp = (0, "")
"""The stamp of a study's or a chapter's first values; every change of an editor is later."""


class Node(Struct, frozen=True):
    """A turn with its annotations; hidden until a change shows it."""

    parent: str = ROOT
    actions: list[str] = msgspec.field(default_factory=list)
    rest: Rest | None = None
    comment: str = ""
    glyphs: list[int] = msgspec.field(default_factory=list)
    marks: list[TreeMark] = msgspec.field(default_factory=list)
    rank: float = 0.0
    is_hidden: bool = True

    def to_tree(self, id: str) -> TreeNode:
        """The node in the form of a tree's node."""
        rest = {} if self.rest is None else structs.asdict(self.rest)
        return TreeNode(
            id, self.parent, self.actions, self.comment, self.glyphs, self.marks, **rest
        )


@dataclass(slots=True)
class Chapter:
    """A tree of turns with a name and, if it is a lesson, a goal."""

    head: AnyDict
    name: str = ""
    rank: float = 0.0
    is_hidden: bool = True
    goal: str = ""
    hint: str = ""
    nodes: dict[str, Node] = field(default_factory=lambda: {ROOT: Node(is_hidden=False)})
    stamps: dict[str, Stamp] = field(default_factory=dict)
    """The stamp of each field of a node that an editor changed, by `NODE FIELD`."""
    start: Position | None = field(default=None, compare=False)
    """The start position, computed on first use."""

    def copy(self) -> Chapter:
        """A copy of the chapter that can be changed."""
        return replace(self, nodes=dict(self.nodes), stamps=dict(self.stamps))

    @property
    def game(self) -> str:
        """The name of the game."""
        return str(self.head["game"])

    def starts(self) -> Position:
        """The position before the first turn."""
        if self.start is None:
            self.start = record_of_tree(Tree(self.head, [])).start
        return self.start

    def children(self) -> dict[str, list[str]]:
        """The visible children of each node, the continuation of the line first."""
        found: dict[str, list[str]] = {}
        for id, node in self.nodes.items():
            if id != ROOT and not node.is_hidden:
                found.setdefault(node.parent, []).append(id)
        for ids in found.values():
            ids.sort(key=lambda id: (self.nodes[id].rank, id))
        return found

    def visible(self) -> Iterator[str]:
        """The visible nodes, in the order of the tree: parents before children, and main lines before variations."""
        children = self.children()
        waiting = children.get(ROOT, [])[::-1]
        while waiting:
            id = waiting.pop()
            yield id
            waiting += children.get(id, [])[::-1]

    def tree(self) -> Tree:
        """The visible part of the chapter as a tree."""
        root = self.nodes[ROOT]
        said = {"comment": root.comment, "marks": msgspec.to_builtins(root.marks)}
        nodes = [self.nodes[id].to_tree(id) for id in self.visible()]
        return Tree(self.head | said, nodes)

    def stored(self, time: int) -> StoredChapter:
        """The whole chapter, for an editor."""
        nodes = [
            StoredNode(
                id,
                node.parent,
                node.actions,
                node.comment,
                node.glyphs,
                node.marks,
                node.rank,
                node.is_hidden,
                node.rest,
            )
            for id, node in self.nodes.items()
        ]
        stamps = [(key, *stamp) for key, stamp in self.stamps.items()]
        return StoredChapter(self.head, time, nodes, stamps)


@dataclass(slots=True)
class Study:
    """A study after the first `seq` events of its log; `after` returns a new one."""

    seq: int = 0
    time: int = 0
    """The latest stamp."""
    name: str = ""
    chapters: dict[str, Chapter] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)
    """The stamps of the fields of the study and its chapters, by `CHAPTER FIELD`."""
    _touched: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def replay(cls, log: Iterable[tuple[int, Iterable[Change]]]) -> Study:
        """The study after a log of seqs and changes."""
        study = cls().draft()
        for seq, changes in log:
            study.seq = seq
            for change in changes:
                study.apply(change)
        return study

    def after(self, seq: int, changes: Iterable[Change]) -> Study:
        """The study after one more event."""
        study = self.draft()
        study.seq = seq
        for change in changes:
            study.apply(change)
        return study

    def draft(self) -> Study:
        """A copy of the study that `apply` can change; chapters are copied when they change."""
        return replace(self, chapters=dict(self.chapters), stamps=dict(self.stamps), _touched=set())

    @property
    def touched(self) -> frozenset[str]:
        """The chapters that changed since the draft began."""
        return frozenset(self._touched)

    def apply(self, change: Change) -> None:
        """Apply one change."""
        self.time = max(self.time, change.time)
        stamp = (change.time, change.by)
        if isinstance(change, StudyChange):
            for name, value in _given(change.set):
                if _wins(self.stamps, f"{ROOT} {name}", stamp):
                    setattr(self, name, value)
        elif isinstance(change, ChapterChange):
            self._apply_chapter(change, stamp)
        else:
            self._apply_node(change, stamp)

    def _apply_chapter(self, change: ChapterChange, stamp: Stamp) -> None:
        if change.id not in self.chapters:
            if change.made is None:
                return
            self.chapters[change.id] = Chapter(change.made.head)
        chapter = self._changed(change.id)
        for name, value in _given(change.set):
            if _wins(self.stamps, f"{change.id} {name}", stamp):
                setattr(chapter, name, value)

    def _apply_node(self, change: NodeChange, stamp: Stamp) -> None:
        if change.chapter not in self.chapters:
            return
        chapter = self._changed(change.chapter)
        node = chapter.nodes.get(change.id)
        if node is None:
            if change.made is None:
                return
            node = Node(change.made.parent, change.made.actions, change.made.rest)
        set = {
            name: value
            for name, value in _given(change.set)
            if _wins(chapter.stamps, f"{change.id} {name}", stamp)
        }
        chapter.nodes[change.id] = structs.replace(node, **set)

    def _changed(self, id: str) -> Chapter:
        if id not in self._touched:
            self._touched.add(id)
            self.chapters[id] = self.chapters[id].copy()
        return self.chapters[id]

    def chapter(self, id: str) -> Chapter:
        """A chapter that was not removed."""
        chapter = self.chapters.get(id)
        if chapter is None or chapter.is_hidden:
            raise NotFound("no-such-chapter", f"{id[:40]!r}: this study has no such chapter")
        return chapter

    def contents(self) -> list[tuple[str, Chapter]]:
        """The chapters that were not removed, in order."""
        found = [(id, one) for id, one in self.chapters.items() if not one.is_hidden]
        return sorted(found, key=lambda item: (item[1].rank, item[0]))

    def view(self, id: str, access: Access, visibility: Visibility, editors: int) -> StudyView:
        """The study as interfaces receive it."""
        chapters = [_chapter_view(*item) for item in self.contents()]
        return StudyView(id, self.name, access, visibility, self.seq, self.time, chapters, editors)

    def chapter_view(self, id: str) -> ChapterView:
        """A chapter as lists show it."""
        return _chapter_view(id, self.chapter(id))

    def shown(self, id: str) -> ShownChapter:
        """A chapter with all its positions: takes a while."""
        chapter = self.chapter(id)
        return ShownChapter(
            self.seq,
            self.time,
            _chapter_view(id, chapter),
            chapter.stored(self.time),
            read_tree(TreeSource(tree=chapter.tree())),
        )

    def index(self) -> AnyDict:
        """The facts for lists of studies."""
        contents = self.contents()
        game = contents[0][1].game if contents else None
        return {"name": self.name, "game": game, "chapters": len(contents)}


def _chapter_view(id: str, chapter: Chapter) -> ChapterView:
    return ChapterView(id, chapter.name, chapter.game, chapter.rank, chapter.goal, chapter.hint)


def _given(fields: Struct) -> Iterator[tuple[str, Any]]:
    """The fields that a change sets."""
    for name in fields.__struct_fields__:
        value = getattr(fields, name)
        if value is not UNSET:
            yield name, value


def _wins(stamps: dict[str, Stamp], key: str, stamp: Stamp) -> bool:
    """Whether a stamp is the latest of a field; then it is stored. First stamps are not stored, because all others are later."""
    if stamp < stamps.get(key, _FIRST):
        return False
    if stamp != _FIRST:
        stamps[key] = stamp
    return True


def chapter_changes(
    id: str, tree: Tree, name: str, rank: float, goal: str = "", hint: str = ""
) -> list[Change]:
    """The changes that create a chapter; its nodes get new numbers."""
    head = {key: value for key, value in tree.head.items() if key not in _NOT_HEAD}
    fields = ChapterFields(name, rank, False, goal or UNSET, hint or UNSET)
    changes: list[Change] = [ChapterChange(id, fields, *_FIRST, MadeChapter(head))]
    said = NodeFields(
        comment=tree.head.get("comment") or UNSET,
        marks=msgspec.convert(tree.head.get("marks") or [], list[TreeMark]) or UNSET,
    )
    if any(True for _ in _given(said)):
        changes.append(NodeChange(id, ROOT, said, *_FIRST))
    numbers = {ROOT: ROOT} | {node.id: str(n) for n, node in enumerate(tree.nodes, 1)}
    ranks: dict[str, int] = {}
    for node in tree.nodes:
        place = ranks.get(node.parent, 0)
        ranks[node.parent] = place + 1
        set = NodeFields(
            node.comment or UNSET, node.glyphs or UNSET, node.marks or UNSET, place, False
        )
        rest = Rest(node.clock, node.evaluation, node.before, node.before_marks, node.within)
        made = MadeNode(numbers[node.parent], node.actions, None if rest == Rest() else rest)
        changes.append(NodeChange(id, numbers[node.id], set, *_FIRST, made))
    return changes


_NOT_HEAD = frozenset({"comment", "marks", "actions", "outcome"})
"""Fields of a tree's head that belong to the first node or follow from the nodes."""


def free_chapter_id(study: Study) -> str:
    """An id for a new chapter."""
    number = len(study.chapters) + 1
    while str(number) in study.chapters:
        number += 1
    return str(number)


def made_chapter(changes: Iterable[Change]) -> str:
    """The id of the chapter that these changes added."""
    for change in changes:
        if isinstance(change, ChapterChange) and change.made is not None:
            return change.id
    raise Unprocessable("invalid-change", "key: it was used for another change")


def named(name: str) -> Change:
    """The change that gives a new study its name."""
    return StudyChange(StudyFields(name), *_FIRST)


def copied(study: Study) -> list[Change]:
    """The changes that create a copy; only the visible parts are copied."""
    changes = [named(study.name)]
    for id, chapter in study.contents():
        changes += chapter_changes(
            id, chapter.tree(), chapter.name, chapter.rank, chapter.goal, chapter.hint
        )
    return changes


def terra_text(study: Study, chapters: Iterable[str]) -> str:
    """Chapters as `.terra` texts, one after the other: takes a while."""
    return "\n".join(str(_tagged(study, study.chapter(id))) for id in chapters)


def _tagged(study: Study, chapter: Chapter) -> Any:
    record = record_of_tree(chapter.tree())
    tags: Mapping[str, str] = record.tags
    said = {
        "Study": study.name,
        "Chapter": chapter.name,
        "Goal": chapter.goal,
        "Hint": chapter.hint,
    }
    return replace(record, tags={**tags, **{name: text for name, text in said.items() if text}})
