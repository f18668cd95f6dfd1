"""Requests for the studies of this browser. Sharing and edit links need a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from terrarium.play.recording import record_of
from terrarium.play.studies import (
    AddedChapter,
    Change,
    Changes,
    ChangesStored,
    NewChapter,
    NewStudy,
    StudyList,
)
from terrarium.play.study import Study, copied, free_chapter_id, made_chapter, terra_text
from terrarium.play.study_checks import added_chapter, checked, new_study
from terrarium.play.trees import Tree, tree_of
from terrarium.tab.routing import Call, Text, route

__all__: list[str] = []


async def _game(call: Call, chapter: NewChapter) -> Tree | None:
    """The tree of the game that a new chapter is made from; None if it is not made from a game."""
    id = chapter.source.game_id
    return None if id is None else tree_of(record_of((await call.tab.tables.entry(id)).table))


@route("GET", "/studies")
async def _list(call: Call) -> Any:
    rows = call.tab.studies.rows.values()
    last_first = sorted(rows, key=lambda row: (-row.updated, row.id))
    return StudyList([row.summary() for row in last_first])


@route("POST", "/studies", NewStudy)
async def _create(call: Call, data: NewStudy) -> Any:
    games = {
        one.source.game_id: tree
        for one in data.chapters
        if one.source.game_id is not None and (tree := await _game(call, one)) is not None
    }
    study, changes = new_study(data, games)
    return (await call.tab.studies.create(study, changes, data.key)).view()


@route("GET", "/studies/{id}")
async def _study(call: Call, id: str) -> Any:
    return (await call.tab.studies.entry(id)).view()


@route("DELETE", "/studies/{id}")
async def _remove(call: Call, id: str) -> Any:
    await call.tab.studies.remove(id)


@route("POST", "/studies/{id}/chapters", AddedChapter)
async def _add_chapter(call: Call, id: str, data: AddedChapter) -> Any:
    game = await _game(call, data)

    def decide(study: Study) -> tuple[Study, Sequence[Change]]:
        return added_chapter(study, free_chapter_id(study), data, game)

    entry, seq = await call.tab.studies.change(id, decide, data.key)
    return entry.study.chapter_view(made_chapter(entry.log[seq - 1].changes))


@route("GET", "/studies/{id}/chapters/{chapter}")
async def _chapter(call: Call, id: str, chapter: str) -> Any:
    return (await call.tab.studies.entry(id)).study.shown(chapter)


@route("POST", "/studies/{id}/changes", Changes)
async def _change(call: Call, id: str, data: Changes) -> Any:
    def decide(study: Study) -> tuple[Study, Sequence[Change]]:
        return checked(study, data.changes), data.changes

    _, seq = await call.tab.studies.change(id, decide, data.key)
    return ChangesStored(seq)


@route("POST", "/studies/{id}/copy")
async def _copy(call: Call, id: str) -> Any:
    changes = copied((await call.tab.studies.entry(id)).study)
    study = Study().after(1, changes)
    return (await call.tab.studies.create(study, changes, call.query.get("key"))).view()


@route("GET", "/studies/{id}/terra")
async def _terra(call: Call, id: str) -> Any:
    study = (await call.tab.studies.entry(id)).study
    return Text(terra_text(study, [one for one, _ in study.contents()]))


@route("GET", "/studies/{id}/chapters/{chapter}/terra")
async def _chapter_terra(call: Call, id: str, chapter: str) -> Any:
    return Text(terra_text((await call.tab.studies.entry(id)).study, [chapter]))
