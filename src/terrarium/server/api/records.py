"""Records: reading a `.terra` text, editing it as a tree, and making an animation of it."""

from __future__ import annotations

from typing import Any

from litestar import MediaType, Request, Response, post
from litestar.params import JSONBody

from terrarium.core.record import Record
from terrarium.play import records, trees
from terrarium.play.records import ReadRecord, RecordText
from terrarium.play.trees import ReadTree, TreeSource
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg, json_of
from terrarium.server.api.downloads import Theme, Width, unless_left

__all__ = ["HANDLERS"]


@post("/api/records/read", status_code=200, responses=ERRORS, summary="Read a record")
async def read_record(
    data: JSONBody[RecordText], services: ServicesArg, caller: CallerArg
) -> Response[ReadRecord]:
    """A `.terra` text, turn by turn with the position after each."""
    services.limits.take("tool", caller.key, caller.address)
    body = await services.work(lambda: json_of(records.read_record(data.text)))
    return Response(body, media_type=MediaType.JSON)


@post("/api/records/tree", status_code=200, responses=ERRORS, summary="A record as a tree of turns")
async def record_tree(
    data: JSONBody[TreeSource], services: ServicesArg, caller: CallerArg
) -> Response[ReadTree]:
    """Convert a text, a tree or a start position to a tree and a text, with the position at every node; nothing is stored."""
    services.limits.take("tool", caller.key, caller.address)
    body = await services.work(lambda: json_of(trees.read_tree(data)))
    return Response(body, media_type=MediaType.JSON)


@post(
    "/api/records/animation.gif",
    status_code=200,
    media_type="image/gif",
    responses=ERRORS,
    summary="A record as an animation",
)
async def record_animation(
    request: Request[Any, Any, Any],
    data: JSONBody[RecordText],
    services: ServicesArg,
    caller: CallerArg,
    theme: Theme = "light",
    width: Width = 640,
) -> Response[bytes]:
    """A `.terra` text as an animated GIF."""
    services.limits.take("picture", caller.key, caller.address)
    await services.work(
        lambda: Record.parse(data.text)
    )  # raises an error with the reason if it can't be read
    drawing = services.pictures.record_animation(data.text, theme, min(width, 1024), caller.key)
    return Response(await unless_left(request, drawing), media_type="image/gif")


HANDLERS: list[Any] = [read_record, record_tree, record_animation]
