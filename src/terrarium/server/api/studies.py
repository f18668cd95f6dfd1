"""Studies: creating, reading, changing, copying and sharing them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from litestar import MediaType, Request, Response, WebSocket, delete, get, patch, post, websocket
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Struct

from terrarium.errors import TerrariumError
from terrarium.play.clocks import iso
from terrarium.play.errors import TooMany, Unavailable
from terrarium.play.people import Caller
from terrarium.play.recording import record_of
from terrarium.play.studies import (
    Access,
    AddedChapter,
    Change,
    Changes,
    ChangesStored,
    ChapterView,
    EditLink,
    NewChapter,
    NewStudy,
    ShownChapter,
    StudyList,
    StudySummary,
    StudyView,
    Visibility,
)
from terrarium.play.study import Study, copied, free_chapter_id, made_chapter, terra_text
from terrarium.play.study_checks import added_chapter, checked, new_study
from terrarium.play.trees import Tree, tree_of
from terrarium.server.api.common import (
    ERRORS,
    CallerArg,
    ServicesArg,
    caller_of,
    guest,
    json_of,
    services_of,
)
from terrarium.server.api.sockets import listen_until_closed, refuse, since_of, socket_watcher
from terrarium.server.live.watched_study import Entry
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

StudyId = FromPath[str]
CopyKey = Annotated[
    str | None,
    QueryParameter(name="key", min_length=1, max_length=64, pattern="^[ -~]+$", required=False),
]
_MANY = 500
"""With more turns than this, showing a chapter counts as slow work."""


class StudyWishes(Struct, forbid_unknown_fields=True):
    """Settings that the owner of a study can change."""

    visibility: Visibility


@get("/api/studies", responses=ERRORS, summary="My studies")
async def list_studies(services: ServicesArg, caller: CallerArg) -> StudyList:
    """The studies that you own or edit, last changed first."""
    caller.require("read")
    rows = await services.studies.listed(caller)
    return StudyList([_summary(row, caller) for row in rows])


def _summary(row: Any, caller: Caller) -> StudySummary:
    access: Literal["owner", "editor"] = "owner" if row.owner in caller.people else "editor"
    updated = iso(row.updated)
    return StudySummary(row.id, row.name, row.game, row.chapters, access, row.visibility, updated)


@post("/api/studies", responses=ERRORS, summary="Create a study")
async def create_study(
    request: Request[Any, Any, Any],
    data: JSONBody[NewStudy],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[StudyView]:
    """Create a study from records, trees, positions or games; at first only you can see it."""
    services.limits.take("study", caller.key, caller.address)
    caller.require("play")
    games = {}
    for chapter in data.chapters:
        tree = await _game(services, chapter)
        if tree is not None:
            games[chapter.source.game_id or ""] = tree
    study, changes = await services.work(lambda: new_study(data, games))
    return await _created(request, services, caller, study, changes, data.key)


async def _game(services: Services, chapter: NewChapter) -> Tree | None:
    """The tree of the game that a new chapter names."""
    if chapter.source.game_id is None:
        return None
    table = await services.tables.table(chapter.source.game_id)
    return await services.work(lambda: tree_of(record_of(table)))


async def _created(
    request: Request[Any, Any, Any],
    services: Services,
    caller: Caller,
    study: Study,
    changes: Sequence[Change],
    key: str | None,
) -> Response[StudyView]:
    person, cookies = guest(request, caller)
    await services.quotas.take("studies-day", caller.address)
    entry = await services.studies.create(person, caller.people, study, changes, key)
    return Response(entry.view("owner"), cookies=cookies)


@get("/api/studies/{study_id:str}", responses=ERRORS, summary="A study")
async def get_study(study_id: StudyId, services: ServicesArg, caller: CallerArg) -> StudyView:
    """The study and its chapters, without their contents."""
    entry, access = await _seen(services, study_id, caller)
    return entry.view(access)


async def _seen(services: Services, id: str, caller: Caller) -> tuple[Entry, Access]:
    """A study as the caller may see it."""
    return await services.studies.seen(id, _reader(caller))


def _reader(caller: Caller) -> Caller:
    """The caller for reading; a token without the scope counts as anonymous."""
    return caller if caller.may("read") else Caller(caller.address)


@post("/api/studies/{study_id:str}/chapters", responses=ERRORS, summary="Add a chapter to a study")
async def add_chapter(
    study_id: StudyId, data: JSONBody[AddedChapter], services: ServicesArg, caller: CallerArg
) -> ChapterView:
    """Add a chapter at the end. To rename, move or remove chapters, send changes."""
    services.limits.take("study", caller.key, caller.address)
    caller.require("play")
    await services.studies.seen(study_id, caller)
    game = await _game(services, data)

    def decide(study: Study) -> tuple[Study, Sequence[Change]]:
        return added_chapter(study, free_chapter_id(study), data, game)

    entry, seq = await services.studies.change(study_id, caller, decide, data.key)
    return entry.study.chapter_view(made_chapter(await services.studies.changes_at(study_id, seq)))


@get(
    "/api/studies/{study_id:str}/chapters/{chapter_id:str}",
    responses=ERRORS,
    summary="A chapter of a study",
)
async def get_chapter(
    study_id: StudyId, chapter_id: FromPath[str], services: ServicesArg, caller: CallerArg
) -> Response[ShownChapter]:
    """A chapter with the position at every node, and everything that an editor needs."""
    services.limits.take("tool", caller.key, caller.address)
    entry, _ = await _seen(services, study_id, caller)
    study = entry.study
    is_slow = len(study.chapter(chapter_id).nodes) > _MANY
    body = await services.work(lambda: json_of(study.shown(chapter_id)), is_slow=is_slow)
    return Response(body, media_type=MediaType.JSON)


@post(
    "/api/studies/{study_id:str}/changes",
    status_code=200,
    responses=ERRORS,
    summary="Change a study",
)
async def change_study(
    study_id: StudyId, data: JSONBody[Changes], services: ServicesArg, caller: CallerArg
) -> ChangesStored:
    """Apply changes together or not at all; an error has the `index` of the wrong one. A repeated request with the same key has no effect."""
    services.limits.take("edit", caller.key, caller.address)
    caller.require("play")

    def decide(study: Study) -> tuple[Study, Sequence[Change]]:
        return checked(study, data.changes), data.changes

    _, seq = await services.studies.change(study_id, caller, decide, data.key)
    return ChangesStored(seq)


@patch("/api/studies/{study_id:str}", responses=ERRORS, summary="Set who may read a study")
async def share_study(
    study_id: StudyId, data: JSONBody[StudyWishes], services: ServicesArg, caller: CallerArg
) -> StudyView:
    """Allow everybody with the address to read the study (`link`), or only its owner and editors (`private`)."""
    _owner_acts(services, caller)
    entry = await services.sharing.set_visibility(study_id, caller, data.visibility)
    return entry.view("owner")


def _owner_acts(services: Services, caller: Caller) -> None:
    services.limits.take("edit", caller.key, caller.address)
    _require_both(caller)


def _require_both(caller: Caller) -> None:
    """Refuse a token without the scope to read: it could publish, copy or delete what it can't see."""
    caller.require("play")
    caller.require("read")


@delete("/api/studies/{study_id:str}", status_code=204, responses=ERRORS, summary="Delete a study")
async def delete_study(study_id: StudyId, services: ServicesArg, caller: CallerArg) -> None:
    """Delete a study for everybody."""
    _owner_acts(services, caller)
    await services.sharing.remove(study_id, caller)


@post(
    "/api/studies/{study_id:str}/edit-link",
    responses=ERRORS,
    summary="Create a link for editors",
)
async def create_edit_link(study_id: StudyId, services: ServicesArg, caller: CallerArg) -> EditLink:
    """A secret for a link through which others become editors. It is shown only now; the former one is no longer valid."""
    _owner_acts(services, caller)
    return EditLink(await services.sharing.new_link(study_id, caller))


@delete(
    "/api/studies/{study_id:str}/edit-link",
    status_code=204,
    responses=ERRORS,
    summary="Delete the link for editors",
)
async def delete_edit_link(study_id: StudyId, services: ServicesArg, caller: CallerArg) -> None:
    """No further people can become editors; present editors stay."""
    _owner_acts(services, caller)
    await services.sharing.end_link(study_id, caller)


@post(
    "/api/studies/{study_id:str}/join",
    status_code=200,
    responses=ERRORS,
    summary="Become an editor",
)
async def join_study(
    request: Request[Any, Any, Any],
    study_id: StudyId,
    data: JSONBody[EditLink],
    services: ServicesArg,
    caller: CallerArg,
) -> Response[StudyView]:
    """Become an editor of a study with the secret of its link."""
    services.limits.take("offer", caller.key, caller.address)
    caller.require("play")
    person, cookies = guest(request, caller)
    entry = await services.sharing.join(study_id, caller, person, data.secret)
    access = entry.access(caller) if caller.people else "editor"
    return Response(entry.view(access or "editor"), cookies=cookies)


@delete(
    "/api/studies/{study_id:str}/editors",
    status_code=200,
    responses=ERRORS,
    summary="Remove all editors",
)
async def delete_editors(study_id: StudyId, services: ServicesArg, caller: CallerArg) -> StudyView:
    """Only the owner can edit afterwards; the link is deleted too."""
    _owner_acts(services, caller)
    entry = await services.sharing.remove_editors(study_id, caller)
    return entry.view("owner")


@post("/api/studies/{study_id:str}/copy", responses=ERRORS, summary="Copy a study")
async def copy_study(
    request: Request[Any, Any, Any],
    study_id: StudyId,
    services: ServicesArg,
    caller: CallerArg,
    key: CopyKey = None,
) -> Response[StudyView]:
    """A copy that you own with the same chapters, without removed parts. A repeated request with the same key makes no other copy."""
    services.limits.take("study", caller.key, caller.address)
    _require_both(caller)
    entry, _ = await services.studies.seen(study_id, caller)
    original = entry.study
    changes = await services.work(lambda: copied(original))
    study = await services.work(lambda: Study().after(1, changes))
    return await _created(request, services, caller, study, changes, key)


@get(
    "/api/studies/{study_id:str}/terra",
    media_type=MediaType.TEXT,
    responses=ERRORS,
    summary="A study as .terra text",
)
async def get_study_terra(
    study_id: StudyId, services: ServicesArg, caller: CallerArg
) -> Response[str]:
    """All chapters as records, one after the other."""
    services.limits.take("tool", caller.key, caller.address)
    entry, _ = await _seen(services, study_id, caller)
    study = entry.study
    return await _terra(services, study, [id for id, _ in study.contents()])


@get(
    "/api/studies/{study_id:str}/chapters/{chapter_id:str}/terra",
    media_type=MediaType.TEXT,
    responses=ERRORS,
    summary="A chapter as .terra text",
)
async def get_chapter_terra(
    study_id: StudyId, chapter_id: FromPath[str], services: ServicesArg, caller: CallerArg
) -> Response[str]:
    """A chapter as a record."""
    services.limits.take("tool", caller.key, caller.address)
    entry, _ = await _seen(services, study_id, caller)
    return await _terra(services, entry.study, [chapter_id])


async def _terra(services: Services, study: Study, chapters: list[str]) -> Response[str]:
    is_slow = sum(len(study.chapter(id).nodes) for id in chapters) > _MANY
    text = await services.work(partial(terra_text, study, chapters), is_slow=is_slow)
    return Response(text, media_type=MediaType.TEXT)


@websocket("/api/studies/{study_id:str}/live")
async def live_study(socket: WebSocket[Any, Any, Any], study_id: StudyId) -> None:
    """Every change of a study, from `since` on."""
    services = services_of(socket)
    try:
        caller = _reader(await caller_of(socket, services))
        await services.studies.seen(study_id, caller)
    except TerrariumError as error:
        await refuse(socket, error)
        return
    await socket.accept()
    watcher = socket_watcher(services, socket, caller, [])

    async def begin() -> None:
        await services.studies.watch(study_id, watcher, since_of(socket))
        await services.recheck_one(None, watcher)

    try:
        await listen_until_closed(services, socket, watcher, begin)
    except TerrariumError as error:
        is_brief = isinstance(error, TooMany | Unavailable)
        await socket.close(1013 if is_brief else 1011, error.code)
    finally:
        services.studies.leave(study_id, watcher)


HANDLERS: list[Any] = [
    list_studies,
    create_study,
    get_study,
    add_chapter,
    get_chapter,
    change_study,
    share_study,
    delete_study,
    create_edit_link,
    delete_edit_link,
    join_study,
    delete_editors,
    copy_study,
    get_study_terra,
    get_chapter_terra,
    live_study,
]
