"""Checks of changes: sizes, stamps, and the rules of the game for every new turn.

Only what a batch changes is checked. The turns before new ones are replayed once per batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import msgspec

from terrarium.core.record.json import entries_from
from terrarium.core.record.line import MAX_NESTING, MAX_VARIATIONS, Cursor, Entry
from terrarium.errors import TerrariumError
from terrarium.play.errors import Conflict, Unprocessable, status_of
from terrarium.play.people import checked_name
from terrarium.play.records import parsed_all
from terrarium.play.studies import (
    MAX_CHAPTERS,
    MAX_TASK,
    MAX_TITLE,
    Change,
    ChapterChange,
    ChapterSource,
    NewChapter,
    NewStudy,
    NodeChange,
    Rest,
    StudyChange,
)
from terrarium.play.study import ROOT, Chapter, Stamp, Study, chapter_changes, named
from terrarium.play.trees import (
    MAX_NODES,
    MAX_VIEWS,
    Tree,
    TreeSource,
    record_of_tree,
    source_tree,
    tree_of,
    turn_entries,
)

__all__ = ["added_chapter", "checked", "new_study"]

_STUDY_TAG = re.compile(r"^\[(Game|Study|Chapter|Goal|Hint) ", re.MULTILINE)
MAX_AHEAD = 100_000
"""How far a stamp may be ahead of the latest known one, because an editor without a connection continues to count."""
_MAX_MADE = 256
"""The most chapters, including removed ones."""
_MAX_TAGS = 100
"""The most tags of a chapter; a record allows more, which leaves room for the tags that a study adds."""
_NAME = re.compile(r"[A-Za-z0-9-]{1,40}")


def checked(study: Study, changes: Sequence[Change]) -> Study:
    """The study after changes of an editor; a refusal names the wrong change."""
    draft = study.draft()
    replays: dict[str, _Replay] = {}
    for index, change in enumerate(changes):
        try:
            _check_stamp(draft, change, study.time)
            if isinstance(change, StudyChange):
                _check_title(change.set.name)
            elif isinstance(change, ChapterChange):
                _check_chapter(draft, change)
            else:
                _check_node(draft, change, replays)
            draft.apply(change)
            if isinstance(change, NodeChange):
                _check_said(draft.chapters[change.chapter], change.id)
        except TerrariumError as error:
            message = f"change {index}: {error.message}"
            status = status_of(error)
            raise Unprocessable(
                error.code, message, error.rule, status=status, index=index
            ) from None
    for id in draft.touched:
        _check_shape(draft.chapters[id])
    _check_count(draft)
    draft.seq = study.seq + 1
    return draft


def _wrong(message: str) -> Unprocessable:
    return Unprocessable("invalid-change", message)


def _check_stamp(draft: Study, change: Change, known: int) -> None:
    if not _NAME.fullmatch(change.by):
        raise _wrong(f"by {change.by!r:.50}: use 1 to 40 letters, digits and -")
    if not 1 <= change.time <= known + MAX_AHEAD:
        raise _wrong(f"time {change.time}: between 1 and {known + MAX_AHEAD}")
    stamps, owner, place = _place(draft, change)
    for name in change.set.__struct_fields__:
        value = getattr(change.set, name)
        is_same_stamp = stamps.get(f"{place} {name}") == (change.time, change.by)
        if value is not msgspec.UNSET and is_same_stamp and value != getattr(owner, name):
            raise _wrong(f"{name}: another change has the same stamp, {change.time} {change.by}")


def _place(draft: Study, change: Change) -> tuple[dict[str, Stamp], object, str]:
    """The target of a change: the stamps, the object with the present values, and its id in the stamps."""
    if isinstance(change, StudyChange):
        return draft.stamps, draft, ROOT
    if isinstance(change, ChapterChange):
        return draft.stamps, draft.chapters.get(change.id), change.id
    chapter = draft.chapters.get(change.chapter)
    if chapter is None:
        raise _wrong(f"chapter {change.chapter!r:.50}: there is no such chapter")
    return chapter.stamps, chapter.nodes.get(change.id), change.id


def _check_title(title: str | msgspec.UnsetType) -> None:
    if title is not msgspec.UNSET and _clean_title(title) != title:
        message = f"name {title!r}: use composed letters, and single spaces only between words"
        raise Unprocessable("invalid-name", message)


def _clean_title(title: str) -> str:
    clean = checked_name(title, most=MAX_TITLE)
    if clean is None:
        raise Unprocessable("invalid-name", "name: must not be empty")
    return clean


def _check_chapter(draft: Study, change: ChapterChange) -> None:
    _check_title(change.set.name)
    known = draft.chapters.get(change.id)
    if known is not None:
        if change.made is not None and change.made.head != known.head:
            raise _wrong(f"chapter {change.id}: it is there already, with another start")
        return
    if not _NAME.fullmatch(change.id):
        raise _wrong(f"chapter {change.id!r:.50}: use 1 to 40 letters, digits and -")
    if change.made is None:
        raise _wrong(f"chapter {change.id}: there is no such chapter")
    _check_tags(record_of_tree(Tree(change.made.head, [])).tags)


def _check_tags(tags: Mapping[str, str]) -> None:
    if len(tags) > _MAX_TAGS:
        message = f"{len(tags)} tags: at most {_MAX_TAGS} in a chapter of a study"
        raise Unprocessable("record-tags", message)


def _check_node(draft: Study, change: NodeChange, replays: dict[str, _Replay]) -> None:
    chapter = draft.chapters[change.chapter]
    known, made = chapter.nodes.get(change.id), change.made
    if known is not None:
        is_other = made is not None and (
            (made.parent, made.actions) != (known.parent, known.actions)
            or (made.rest or Rest()) != (known.rest or Rest())
        )
        if is_other:
            raise _wrong(f"node {change.id!r}: it is there already, with another turn")
        if change.id == ROOT and (change.set.is_hidden is True or change.set.glyphs):
            raise _wrong("the start has no glyphs and can't be hidden")
        return
    if not _NAME.fullmatch(change.id):
        raise _wrong(f"node {change.id!r:.50}: use 1 to 40 letters, digits and -")
    if made is None:
        raise _wrong(f"node {change.id}: there is no such node")
    if made.parent not in chapter.nodes:
        raise _wrong(f"node {change.id}: there is no node {made.parent!r:.50} before it")
    replay = replays.get(change.chapter)
    if replay is None:
        replay = replays[change.chapter] = _Replay(chapter)
    if len(chapter.nodes) > replay.most_nodes:
        raise _full(f"more than {replay.most_nodes:,} turns in one chapter")
    replay.add(change.id, made.parent, made.actions)


class _Replay:
    """The positions in a chapter that a batch needs, each computed once."""

    def __init__(self, chapter: Chapter) -> None:
        self._chapter = chapter
        self._places = {ROOT: Cursor.at(chapter.starts())}
        self.most_nodes = _most_nodes(chapter)

    def add(self, id: str, parent: str, actions: Sequence[str]) -> None:
        """Check that a node is one legal turn, or a part of one, after its parent."""
        cursor = self._at(parent)
        for index, text in enumerate(actions):
            entry = Entry(text)
            is_alone = entry.resigns is not None or entry.null_turn is not None
            if (index and cursor.position.at_turn_start) or (is_alone and len(actions) > 1):
                raise _wrong(f"node {id}: {text!r:.40} must be a separate node")
            cursor = cursor.advance(text)[0]
        self._places[id] = cursor

    def _at(self, id: str) -> Cursor:
        path = []
        while id not in self._places:
            path.append(id)
            id = self._chapter.nodes[id].parent
        cursor = self._places[id]
        for one in reversed(path):
            for text in self._chapter.nodes[one].actions:
                cursor = cursor.advance(text)[0]
            self._places[one] = cursor
        return cursor


def _check_said(chapter: Chapter, id: str) -> None:
    """Check that a record can contain the annotations of a node."""
    node = chapter.nodes[id]
    players = chapter.starts().players
    if id == ROOT:
        said = {"action": "", "comment": node.comment, "marks": msgspec.to_builtins(node.marks)}
        entries_from([said])[0].checked(players)
        return
    for entry in entries_from(turn_entries(node.to_tree(id), has_opening=False)):
        entry.checked(players)


def _most_nodes(chapter: Chapter) -> int:
    """The most turns of a chapter; limited so that all its positions can be shown."""
    size = len(msgspec.json.encode(chapter.starts().view()))
    return min(MAX_NODES, MAX_VIEWS // size)


def _full(message: str) -> Conflict:
    return Conflict("study-full", message)


def _check_shape(chapter: Chapter) -> None:
    """Check that a record can contain the variations of a chapter."""
    children = chapter.children()
    waiting = [(ROOT, 0)]
    while waiting:
        id, nesting = waiting.pop()
        kids = children.get(id, [])
        if len(kids) > MAX_VARIATIONS + 1:
            raise _full(f"more than {MAX_VARIATIONS} variations of one turn")
        if nesting > MAX_NESTING:
            raise Unprocessable(
                "record-nesting", f"variations are nested deeper than {MAX_NESTING}"
            )
        waiting += [(kid, nesting + (place > 0)) for place, kid in enumerate(kids)]


def _check_count(study: Study) -> None:
    if len(study.contents()) > MAX_CHAPTERS:
        raise _full(f"a study has at most {MAX_CHAPTERS} chapters")
    if len(study.chapters) > _MAX_MADE:
        message = f"a study has at most {_MAX_MADE} chapters, removed ones included; continue in a copy of it"
        raise _full(message)


def _source(source: ChapterSource, game: Tree | None) -> Tree:
    """The first tree of a chapter; `game` is the tree of the game that the source names."""
    given = [one for one in (source.text, source.tree, source.start) if one is not None]
    if len(given) + (source.game_id is not None) != 1:
        raise Unprocessable("invalid-tree", "give one of text, tree, start and game_id")
    if game is not None:
        return game
    return source_tree(TreeSource(source.text, source.tree, source.start))[1]


def _chapters_in(new: NewChapter) -> Iterator[NewChapter]:
    """A chapter for each record of a text; name, goal and hint are read from the tags that a study writes."""
    text = new.source.text
    written = [] if text is None else _STUDY_TAG.findall(text)
    if text is None or len(written) <= 1:
        yield new
        return
    is_only = written.count("Game") == 1
    for number, record in enumerate(parsed_all(text), 1):
        tags = dict(record.tags)
        tag_texts = {name: tags.pop(name, "") for name in ("Study", "Chapter", "Goal", "Hint")}
        name = new.name if is_only else tag_texts["Chapter"] or f"{new.name} ({number})"
        source = ChapterSource(tree=tree_of(replace(record, tags=tags)))
        goal, hint = new.goal or tag_texts["Goal"], new.hint or tag_texts["Hint"]
        yield NewChapter(name[:MAX_TITLE], source, goal[:MAX_TASK], hint[:MAX_TASK])


def added_chapter(
    study: Study, id: str, new: NewChapter, game: Tree | None = None
) -> tuple[Study, list[Change]]:
    """The study with one more chapter at its end, and the changes that create it: takes a while."""
    found = list(islice(_chapters_in(new), 2))
    new = found[0] if len(found) == 1 else new
    name = _clean_title(new.name)
    last = max((chapter.rank for _, chapter in study.contents()), default=-1.0)
    tree = _source(new.source, game)
    changes = chapter_changes(id, tree, name, last + 1, new.goal, new.hint)
    after = study.after(study.seq + 1, changes)
    chapter = after.chapters[id]
    _check_tags(record_of_tree(Tree(chapter.head, [])).tags)
    if len(chapter.nodes) - 1 > _most_nodes(chapter):
        raise _full(f"more than {_most_nodes(chapter):,} turns in one chapter")
    _check_count(after)
    return after, changes


def new_study(new: NewStudy, games: dict[str, Tree]) -> tuple[Study, list[Change]]:
    """A new study and its first changes; a text with several records gives a chapter for each. Takes a while.

    `games` has the trees of the games that its chapters name.
    """
    changes = [named(_clean_title(new.name))]
    study = Study().after(1, changes)
    # Read one by one: a text may have thousands of records, and a study that is full refuses the rest.
    chapters = (found for chapter in new.chapters for found in _chapters_in(chapter))
    for number, chapter in enumerate(chapters, 1):
        game = games.get(chapter.source.game_id or "")
        study, more = added_chapter(study, str(number), chapter, game)
        changes += more
    study.seq = 1
    return study, changes
