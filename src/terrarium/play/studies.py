"""Studies as interfaces see them: named chapters, each a tree of turns, and the changes by which they are edited.

A change sets fields of the study, of a chapter or of a node, and has a stamp (`time`, `by`). For each field the latest stamp
wins, so that the changes of two editors lead to the same study in whatever order they arrive. Nothing is removed, only hidden.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from terrarium.play.positions import FreshStart
from terrarium.play.shapes import ActionText, AnyDict, Key, Secret
from terrarium.play.trees import Comment, NodeId, ReadTree, Tree, TreeMark

__all__ = [
    "MAX_BATCH",
    "MAX_CHAPTERS",
    "AddedChapter",
    "Change",
    "Changes",
    "ChangesMessage",
    "ChangesStored",
    "ChapterChange",
    "ChapterFields",
    "ChapterSource",
    "ChapterView",
    "EditLink",
    "GoneMessage",
    "MadeChapter",
    "MadeNode",
    "NewChapter",
    "NewStudy",
    "NodeChange",
    "NodeFields",
    "PeopleMessage",
    "ReloadMessage",
    "Rest",
    "ShownChapter",
    "StoredChapter",
    "StoredNode",
    "StudyChange",
    "StudyFields",
    "StudyList",
    "StudyMessage",
    "StudySummary",
    "StudyView",
    "Visibility",
]

MAX_CHAPTERS = 64
MAX_BATCH = 1_000
"""Changes in one request."""
MAX_TITLE = 100
MAX_TASK = 4_000
LAST_TIME = 2**53 - 1

Title = Annotated[str, Meta(max_length=MAX_TITLE)]
Task = Annotated[str, Meta(max_length=MAX_TASK)]
ChapterId = Annotated[str, Meta(min_length=1, max_length=40)]
Rank = Annotated[float, Meta(ge=-1e9, le=1e9, description="The lowest comes first.")]
Time = Annotated[int, Meta(ge=0, le=LAST_TIME)]
Author = Annotated[
    str, Meta(max_length=40, description="The editor: letters, digits and -; chosen by a page.")
]
Access = Literal["owner", "editor", "reader"]
Visibility = Literal["private", "link"]


class Rest(Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """What a record says about a turn besides what people edit; the same fields as in a tree."""

    clock: int | None = None
    evaluation: AnyDict | None = None
    before: Comment = ""
    before_marks: Annotated[list[TreeMark], Meta(max_length=64)] = msgspec.field(
        default_factory=list
    )
    within: dict[str, AnyDict] = msgspec.field(default_factory=dict)


class MadeNode(Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """What a node is from the beginning: a turn after its parent."""

    parent: Annotated[str, Meta(max_length=40, description="Empty for what follows the start.")]
    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=64)]
    rest: Rest | None = None


class MadeChapter(Struct, forbid_unknown_fields=True, frozen=True):
    """What a chapter is from the beginning: `head` as in a tree, without comment and marks, which belong to the node ''."""

    head: AnyDict


class StudyFields(Struct, forbid_unknown_fields=True, frozen=True):
    """What people can change of a study."""

    name: Title | UnsetType = UNSET


class ChapterFields(Struct, forbid_unknown_fields=True, frozen=True):
    """What people can change of a chapter. A chapter with a goal is a lesson, whose solution is the main line."""

    name: Title | UnsetType = UNSET
    rank: Rank | UnsetType = UNSET
    is_hidden: bool | UnsetType = UNSET
    goal: Task | UnsetType = UNSET
    hint: Task | UnsetType = UNSET


class NodeFields(Struct, forbid_unknown_fields=True, frozen=True):
    """What people can change of a node."""

    comment: Comment | UnsetType = UNSET
    glyphs: Annotated[list[int], Meta(max_length=16)] | UnsetType = UNSET
    marks: Annotated[list[TreeMark], Meta(max_length=64)] | UnsetType = UNSET
    rank: Rank | UnsetType = UNSET
    is_hidden: bool | UnsetType = UNSET


class StudyChange(Struct, forbid_unknown_fields=True, frozen=True, tag="study", tag_field="type"):
    """A change of the study itself."""

    set: StudyFields
    time: Time
    by: Author


class ChapterChange(
    Struct,
    forbid_unknown_fields=True,
    frozen=True,
    omit_defaults=True,
    tag="chapter",
    tag_field="type",
):
    """A change of a chapter; with `made` for editors who may not know it yet."""

    id: ChapterId
    set: ChapterFields
    time: Time
    by: Author
    made: MadeChapter | None = None


class NodeChange(
    Struct,
    forbid_unknown_fields=True,
    frozen=True,
    omit_defaults=True,
    tag="node",
    tag_field="type",
):
    """A change of a node; the node '' is the place before the first turn."""

    chapter: ChapterId
    id: NodeId
    set: NodeFields
    time: Time
    by: Author
    made: MadeNode | None = None


Change = StudyChange | ChapterChange | NodeChange


class Changes(Struct, forbid_unknown_fields=True):
    """Changes to make together or not at all; the same `key` again changes nothing more."""

    key: Key
    changes: Annotated[list[Change], Meta(min_length=1, max_length=MAX_BATCH)]


class ChangesStored(Struct):
    """The seq under which changes were stored."""

    seq: int


class ChapterSource(Struct, forbid_unknown_fields=True):
    """One of: a `.terra` text, a tree, a position to start from, a game of this server or browser."""

    text: Annotated[str, Meta(max_length=250_000)] | None = None
    tree: Tree | None = None
    start: Annotated[str, Meta(max_length=20_000)] | FreshStart | None = None
    game_id: Annotated[str, Meta(max_length=40)] | None = None


class NewChapter(Struct, forbid_unknown_fields=True):
    """A chapter to add at the end; with a goal it is a lesson."""

    name: Title
    source: ChapterSource
    goal: Task = ""
    hint: Task = ""


class AddedChapter(NewChapter, forbid_unknown_fields=True):
    """A chapter to add to a study; the same `key` again adds nothing more."""

    key: Key | None = None


class NewStudy(Struct, forbid_unknown_fields=True):
    """A study to make; the same `key` again makes nothing more."""

    name: Title
    chapters: Annotated[list[NewChapter], Meta(max_length=MAX_CHAPTERS)]
    key: Key | None = None


class ChapterView(Struct):
    """A chapter in the list of a study."""

    id: str
    name: str
    game: str
    rank: float
    goal: str
    hint: str


class StudyView(Struct):
    """A study at a seq; `time` is the latest stamp, `editors` counts everybody but the owner."""

    id: str
    name: str
    access: Access
    visibility: Visibility
    seq: int
    time: int
    chapters: list[ChapterView]
    editors: int


class StudySummary(Struct):
    """A study in a list; `game` is that of its first chapter."""

    id: str
    name: str
    game: str | None
    chapters: int
    access: Access
    visibility: Visibility
    updated: str


class StudyList(Struct):
    """The studies that somebody may edit, last changed first."""

    studies: list[StudySummary]


class StoredNode(Struct, omit_defaults=True):
    """A node with everything that people may change."""

    id: str
    parent: str
    actions: list[str]
    comment: str
    glyphs: list[int]
    marks: list[TreeMark]
    rank: float
    is_hidden: bool
    rest: Rest | None = None


class StoredChapter(Struct):
    """A chapter as an editor keeps it: hidden nodes, and the stamp of each field that was changed (`NODE FIELD`, time, by)."""

    head: AnyDict
    time: int
    nodes: list[StoredNode]
    stamps: list[tuple[str, int, str]]


class ShownChapter(Struct):
    """A chapter at a seq, for editing (`stored`) and for showing (`read`)."""

    seq: int
    time: int
    chapter: ChapterView
    stored: StoredChapter
    read: ReadTree


class EditLink(Struct, forbid_unknown_fields=True):
    """What lets somebody edit a study with its owner."""

    secret: Secret


class ChangesMessage(Struct, kw_only=True):
    """Changes up to a seq."""

    type: Literal["changes"] = "changes"
    seq: int
    changes: list[Change]


class StudyMessage(StudyView, kw_only=True):
    """The study itself, after everything that was missed, and whenever it or one's access to it changes."""

    type: Literal["study"] = "study"


class PeopleMessage(Struct, kw_only=True):
    """How many connections can edit, and how many only read."""

    type: Literal["people"] = "people"
    editors: int
    readers: int


class ReloadMessage(Struct, kw_only=True):
    """Too much was missed: load the study again, which is at this seq."""

    type: Literal["reload"] = "reload"
    seq: int


class GoneMessage(Struct, kw_only=True):
    """The study was deleted, or may not be read any more."""

    type: Literal["gone"] = "gone"
