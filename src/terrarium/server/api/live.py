"""Watching a game: by WebSocket or line by line."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from litestar import WebSocket, get, websocket
from litestar.exceptions import WebSocketDisconnect
from litestar.params import QueryParameter
from litestar.response import Stream

from terrarium.errors import TerrariumError
from terrarium.play.clocks import iso
from terrarium.play.errors import TooMany, error_body, status_of
from terrarium.play.messages import GameMessage, PongMessage
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
from terrarium.server.live.rooms import SocketWatcher, StreamWatcher, encoded
from terrarium.server.live.tables import Entry
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

_MAX_EXCESS = 100
Since = Annotated[int | None, QueryParameter(name="since", ge=0, le=2**31 - 1, required=False)]


class _Ping(msgspec.Struct, tag="ping", tag_field="type"):
    at: float | None = None


_decode = msgspec.json.Decoder(_Ping).decode


@websocket("/api/games/{game_id:str}/live")
async def live(socket: WebSocket[Any, Any, Any], game_id: GameId) -> None:
    """Everything that happens in a game, from `since` on."""
    services = services_of(socket)
    try:
        caller = await caller_of(socket, services)
        entry = await services.tables.entry(game_id)
    except TerrariumError as error:
        await _refuse(socket, error)
        return
    text = socket.query_params.get("since", "")
    since = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    await socket.accept()
    task = asyncio.current_task()
    assert task is not None
    watcher = SocketWatcher(
        caller,
        entry.holders,
        services.settings.send_queue,
        socket.send_text,
        lambda: _end(task),
    )
    services.rooms.join(entry.table, watcher, since, entry.anchor)
    try:
        await services.recheck_one(game_id, watcher)
        await _listen(services, socket)
    except (WebSocketDisconnect, OSError):
        pass
    except asyncio.CancelledError:
        if not watcher.is_dropped:
            raise
        code, reason = (1008, "signed out") if watcher.is_revoked else (1013, "too slow")
        with contextlib.suppress(Exception):
            async with asyncio.timeout(1):
                await socket.close(code, reason)
    finally:
        watcher.close()
        services.rooms.leave(game_id, watcher)


def _end(task: asyncio.Task[Any]) -> None:
    task.cancel()


async def _listen(services: Services, socket: WebSocket[Any, Any, Any]) -> None:
    bucket = services.limits.bucket("message")
    loop = asyncio.get_running_loop()
    excess = 0
    while True:
        message: Any = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        seconds = bucket.take(loop.time())
        if seconds:
            excess += 1
            if excess > _MAX_EXCESS:
                await socket.close(1008, "too many messages")
                return
            if excess % 10 == 1:
                await socket.send_text(_error(TooMany("messages", seconds)))
            continue
        try:
            ping = _decode(message.get("text") or message.get("bytes") or b"")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            problem = TerrariumError("unknown-message", 'only {"type":"ping","at":…} is understood')
            await socket.send_text(_error(problem))
            continue
        # Not through the queue: a client that sends faster than it reads delays only itself.
        await socket.send_text(encoded(PongMessage(now=iso(services.now()), at=ping.at)))


def _error(error: TerrariumError) -> str:
    return encoded({"type": "error"} | error_body(error))


async def _refuse(socket: WebSocket[Any, Any, Any], error: TerrariumError) -> None:
    if "websocket.http.response" not in (socket.scope.get("extensions") or {}):
        await socket.close(1008)
        return
    send: Any = socket.send
    await socket.receive()
    headers = [(b"content-type", b"application/json")]
    body = msgspec.json.encode(error_body(error))
    start = {"type": "websocket.http.response.start", "status": status_of(error)}
    await send(start | {"headers": headers})
    await send({"type": "websocket.http.response.body", "body": body, "more_body": False})


@get(
    "/api/games/{game_id:str}/stream",
    responses=ERRORS | {200: line_stream(GameMessage)},
    summary="Everything that happens in a game, one JSON object per line",
)
async def stream_game(
    game_id: GameId, services: ServicesArg, caller: CallerArg, since: Since = None
) -> Stream:
    """The full state first, or what was missed since a seq, then events as they happen."""
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
