"""Studies as interfaces receive them: named chapters, each a tree of turns, and the changes that edit them.

A change sets fields of the study, of a chapter or of a node, and has a stamp (`time`, `by`). For each field the value with the latest stamp
is kept, so that the changes of two editors give the same study in any order. Nothing is removed, only hidden.
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
"""The most changes in one request."""
MAX_TITLE = 100
MAX_TASK = 4_000
LAST_TIME = 2**53 - 1

Title = Annotated[str, Meta(max_length=MAX_TITLE)]
Task = Annotated[str, Meta(max_length=MAX_TASK)]
ChapterId = Annotated[str, Meta(min_length=1, max_length=40)]
Rank = Annotated[float, Meta(ge=-1e9, le=1e9, description="The lowest comes first.")]
Time = Annotated[int, Meta(ge=0, le=LAST_TIME)]
Author = Annotated[
    str,
    Meta(
        max_length=40,
        description="The id of the editor: letters, digits and -; chosen by the client.",
    ),
]
Access = Literal["owner", "editor", "reader"]
Visibility = Literal["private", "link"]


class Rest(Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """The fields of a turn that people can't edit; the same as in a tree."""

    clock: int | None = None
    evaluation: AnyDict | None = None
    before: Comment = ""
    before_marks: Annotated[list[TreeMark], Meta(max_length=64)] = msgspec.field(
        default_factory=list
    )
    within: dict[str, AnyDict] = msgspec.field(default_factory=dict)


class MadeNode(Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """The fixed part of a node: a turn after its parent."""

    parent: Annotated[
        str, Meta(max_length=40, description="Empty for nodes that follow the start.")
    ]
    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=64)]
    rest: Rest | None = None


class MadeChapter(Struct, forbid_unknown_fields=True, frozen=True):
    """The fixed part of a chapter: `head` as in a tree, without comment and marks, which belong to the node ''."""

    head: AnyDict


class StudyFields(Struct, forbid_unknown_fields=True, frozen=True):
    """The fields of a study that people can edit."""

    name: Title | UnsetType = UNSET


class ChapterFields(Struct, forbid_unknown_fields=True, frozen=True):
    """The fields of a chapter that people can edit. A chapter with a goal is a lesson; its main line is the solution."""

    name: Title | UnsetType = UNSET
    rank: Rank | UnsetType = UNSET
    is_hidden: bool | UnsetType = UNSET
    goal: Task | UnsetType = UNSET
    hint: Task | UnsetType = UNSET


class NodeFields(Struct, forbid_unknown_fields=True, frozen=True):
    """The fields of a node that people can edit."""

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
    """A change of a chapter; `made` creates it if it does not exist yet."""

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
    """A change of a node; the node '' is the start, before the first turn."""

    chapter: ChapterId
    id: NodeId
    set: NodeFields
    time: Time
    by: Author
    made: MadeNode | None = None


Change = StudyChange | ChapterChange | NodeChange


class Changes(Struct, forbid_unknown_fields=True):
    """Changes that are applied together or not at all; a repeated request with the same `key` has no effect."""

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
    """A chapter to add to a study; a repeated request with the same `key` has no effect."""

    key: Key | None = None


class NewStudy(Struct, forbid_unknown_fields=True):
    """A study to create; a repeated request with the same `key` has no effect."""

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
    """A study at a seq; `time` is the latest stamp, `editors` the number of editors without the owner."""

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
    """The studies that the caller may edit, last changed first."""

    studies: list[StudySummary]


class StoredNode(Struct, omit_defaults=True):
    """A node with all its fields."""

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
    """A chapter as an editor needs it: with hidden nodes, and the stamp of each changed field (`NODE FIELD`, time, by)."""

    head: AnyDict
    time: int
    nodes: list[StoredNode]
    stamps: list[tuple[str, int, str]]


class ShownChapter(Struct):
    """A chapter at a seq, for editing (`stored`) and for display (`read`)."""

    seq: int
    time: int
    chapter: ChapterView
    stored: StoredChapter
    read: ReadTree


class EditLink(Struct, forbid_unknown_fields=True):
    """The secret of a link that allows its holder to edit a study."""

    secret: Secret


class ChangesMessage(Struct, kw_only=True):
    """Changes up to a seq."""

    type: Literal["changes"] = "changes"
    seq: int
    changes: list[Change]


class StudyMessage(StudyView, kw_only=True):
    """The study itself; sent after all missed changes, and whenever the study or the receiver's access to it changes."""

    type: Literal["study"] = "study"


class PeopleMessage(Struct, kw_only=True):
    """The numbers of connections that can edit, and that can only read."""

    type: Literal["people"] = "people"
    editors: int
    readers: int


class ReloadMessage(Struct, kw_only=True):
    """Too many changes were missed: load the study again, which is at this seq."""

    type: Literal["reload"] = "reload"
    seq: int


class GoneMessage(Struct, kw_only=True):
    """The study was deleted, or the receiver may no longer read it."""

    type: Literal["gone"] = "gone"
