"""Downloads of games: records, pictures, and a small page to embed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from html import escape
from typing import Annotated, Any, Literal

from litestar import MediaType, Request, Response, get
from litestar.params import QueryParameter

from terrarium import games
from terrarium.play.errors import Unavailable
from terrarium.play.recording import picture_svg, record_of, turn_shown
from terrarium.play.shapes import AnyDict
from terrarium.play.talk import comments
from terrarium.server.api.common import ERRORS, CallerArg, GameId, ServicesArg, json_of
from terrarium.server.api.talk import said_to

__all__ = ["HANDLERS", "SVG_HEADERS", "Theme", "Width", "unless_left"]

TurnNumber = Annotated[int | None, QueryParameter(name="turn", ge=0, le=100_000, required=False)]
Theme = Annotated[Literal["light", "dark"], QueryParameter(name="theme", required=False)]
Width = Annotated[int, QueryParameter(name="width", ge=64, le=2_048, required=False)]
WithTalk = Annotated[bool, QueryParameter(name="talk", required=False)]

# An SVG that is opened directly must not load anything else.
SVG_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}


@get(
    "/api/games/{game_id:str}/record.terra",
    media_type=MediaType.TEXT,
    responses=ERRORS,
    summary="The record as text",
)
async def record_text(
    game_id: GameId, services: ServicesArg, caller: CallerArg, talk: WithTalk = False
) -> Response[str]:
    """The game as a `.terra` text; for its players `talk=true` adds the messages as comments."""
    services.limits.take("tool", caller.key, caller.address)
    table = await services.tables.table(game_id)
    said = comments(table, await said_to(services, game_id, caller)) if talk else None
    text = await services.work(lambda: str(record_of(table, said)))
    name = f'attachment; filename="{table.game}-{table.id}.terra"'
    headers = {"Content-Disposition": name}
    return Response(text, media_type=MediaType.TEXT, headers=headers)


@get("/api/games/{game_id:str}/record.json", responses=ERRORS, summary="The record as JSON")
async def record_json(
    game_id: GameId, services: ServicesArg, caller: CallerArg
) -> Response[AnyDict]:
    """The game as JSON with the same content as the text."""
    services.limits.take("tool", caller.key, caller.address)
    table = await services.tables.table(game_id)
    body = await services.work(lambda: json_of(record_of(table).to_dict()))
    return Response(body, media_type=MediaType.JSON)


@get(
    "/api/games/{game_id:str}/picture.svg",
    media_type="image/svg+xml",
    responses=ERRORS,
    summary="A picture of a turn",
)
async def game_picture(
    game_id: GameId,
    services: ServicesArg,
    caller: CallerArg,
    turn: TurnNumber = None,
    theme: Theme = "light",
) -> Response[bytes]:
    """The position after a turn as SVG."""
    services.limits.take("picture", caller.key, caller.address)
    table = await services.tables.table(game_id)
    number = turn_shown(table, turn)
    text = await services.work(lambda: picture_svg(table, number, theme))
    return Response(text.encode(), media_type="image/svg+xml", headers=SVG_HEADERS)


@get(
    "/api/games/{game_id:str}/picture.png",
    media_type="image/png",
    responses=ERRORS,
    summary="A picture of a turn",
)
async def picture_png(
    request: Request[Any, Any, Any],
    game_id: GameId,
    services: ServicesArg,
    caller: CallerArg,
    turn: TurnNumber = None,
    theme: Theme = "light",
    width: Width = 1024,
) -> Response[bytes]:
    """The position after a turn as PNG."""
    services.limits.take("picture", caller.key, caller.address)
    table = await services.tables.table(game_id)
    number = turn_shown(table, turn)
    data = await unless_left(request, services.pictures.picture(table, number, theme, width))
    return Response(data, media_type="image/png")


@get(
    "/api/games/{game_id:str}/animation.gif",
    media_type="image/gif",
    responses=ERRORS,
    summary="The game as an animation",
)
async def animation_gif(
    request: Request[Any, Any, Any],
    game_id: GameId,
    services: ServicesArg,
    caller: CallerArg,
    theme: Theme = "light",
    width: Width = 640,
) -> Response[bytes]:
    """The whole game as an animated GIF."""
    services.limits.take("picture", caller.key, caller.address)
    table = await services.tables.table(game_id)
    drawing = services.pictures.animation(table, theme, min(width, 1024), caller.key)
    return Response(await unless_left(request, drawing), media_type="image/gif")


async def unless_left(
    request: Request[Any, Any, Any], drawing: Coroutine[Any, Any, bytes]
) -> bytes:
    """The drawing, cancelled if the client disconnects first."""
    task, leaving = asyncio.create_task(drawing), asyncio.create_task(_left(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Unavailable(
                "nobody-waits", "the client that asked for this picture has disconnected"
            )
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()


async def _left(request: Request[Any, Any, Any]) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@get(
    "/api/games/{game_id:str}/embed",
    media_type=MediaType.HTML,
    responses=ERRORS,
    summary="A small page to embed",
)
async def embed(game_id: GameId, services: ServicesArg, theme: Theme = "light") -> Response[str]:
    """A page without scripts that other sites may show in a frame: the picture and a link."""
    table = await services.tables.table(game_id)
    title = escape(f"{games[table.game].title}: {_names(table)}")
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f'<a href="/g/{table.id}" target="_blank" rel="noopener">'
        f'<img src="/api/games/{table.id}/picture.svg?theme={theme}" alt="{title}" width="100%"></a>'
    )
    policy = "default-src 'none'; img-src 'self'; frame-ancestors *"
    return Response(page, media_type=MediaType.HTML, headers={"Content-Security-Policy": policy})


def _names(table: Any) -> str:
    return " – ".join(
        seat.name or ("computer" if seat.is_computer else "guest") for seat in table.seats
    )


HANDLERS = [record_text, record_json, game_picture, picture_png, animation_gif, embed]
