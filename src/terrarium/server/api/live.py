"""Watching a game by WebSocket, or as a stream of lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import WebSocket, get, websocket
from litestar.params import QueryParameter
from litestar.response import Stream

from terrarium.errors import TerrariumError
from terrarium.play.messages import GameMessage
from terrarium.play.people import Caller
from terrarium.server.api.common import (
    ERRORS,
    CallerArg,
    GameId,
    ServicesArg,
    caller_of,
    services_of,
)
from terrarium.server.api.description import LINES, line_stream
from terrarium.server.api.sockets import listen_until_closed, refuse, since_of, socket_watcher
from terrarium.server.live.tables import Entry
from terrarium.server.live.watchers import StreamWatcher
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

Since = Annotated[int | None, QueryParameter(name="since", ge=0, le=2**31 - 1, required=False)]


@websocket("/api/games/{game_id:str}/live")
async def live(socket: WebSocket[Any, Any, Any], game_id: GameId) -> None:
    """The events of a game, from `since` on."""
    services = services_of(socket)
    try:
        caller = await caller_of(socket, services)
        entry = await services.tables.entry(game_id)
    except TerrariumError as error:
        await refuse(socket, error)
        return
    await socket.accept()
    watcher = socket_watcher(services, socket, caller, entry.holders)
    services.rooms.join(entry.table, watcher, since_of(socket), entry.anchor)
    try:
        await listen_until_closed(
            services, socket, watcher, lambda: services.recheck_one(game_id, watcher)
        )
    finally:
        services.rooms.leave(game_id, watcher)


@get(
    "/api/games/{game_id:str}/stream",
    responses=ERRORS | {200: line_stream(GameMessage)},
    summary="Stream the events of a game, one JSON object per line",
)
async def stream_game(
    game_id: GameId, services: ServicesArg, caller: CallerArg, since: Since = None
) -> Stream:
    """First the full state, or the events since a seq; then events as they happen."""
    entry = await services.tables.entry(game_id)
    return Stream(_lines(services, entry, caller, since), media_type=LINES)


async def _lines(
    services: Services, entry: Entry, caller: Caller, since: int | None
) -> AsyncIterator[str]:
    watcher = StreamWatcher(caller, entry.holders, services.settings.send_queue)
    services.rooms.join(entry.table, watcher, since, entry.anchor)
    try:
        await services.recheck_one(entry.table.id, watcher)
        async for line in watcher.lines():
            yield line
    finally:
        services.rooms.leave(entry.table.id, watcher)


HANDLERS: list[Any] = [live, stream_game]
