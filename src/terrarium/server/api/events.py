"""The stream of everything that happens in all games of a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from litestar import get
from litestar.response import Stream

from terrarium.play.errors import Forbidden
from terrarium.play.people import Caller, seats_held
from terrarium.server.accounts.tokens import SCOPES
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.feeds import told
from terrarium.server.live.rooms import StreamWatcher, encoded
from terrarium.server.services import Services

__all__ = ["HANDLERS"]


@get("/api/stream/events", responses=ERRORS, summary="Everything in my games, line by line")
async def events(services: ServicesArg, caller: CallerArg) -> Stream:
    """All games in which the caller has a seat: first those in progress, then events as they happen."""
    if not caller.people:
        raise Forbidden("sign-in-needed", "send a token, or a cookie", status=401)
    if not caller.may("follow"):
        raise Forbidden("missing-scope", f"this token does not allow 'follow'; scopes: {SCOPES}")
    return Stream(_followed(services, caller), media_type="application/x-ndjson")


async def _followed(services: Services, caller: Caller) -> AsyncIterator[str]:
    watcher = StreamWatcher(caller, (), 1_000)
    services.feeds.join(watcher, caller.people)
    try:
        await services.recheck_one(watcher)
        for game_id in sorted({game for game, _ in await services.accounts.games(caller.people)}):
            try:
                entry = await services.tables.entry(game_id)
            except GameDamaged:
                continue
            if entry.table.is_live:
                seats = sorted(seats_held(entry.holders, caller))
                yield encoded(told("game-start", entry.table, seats)) + "\n"
        yield encoded({"type": "ready"}) + "\n"
        async for line in watcher.lines():
            yield line
    finally:
        services.feeds.leave(watcher)


HANDLERS: list[Any] = [events]
