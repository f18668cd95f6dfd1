"""The event stream of all games of a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from litestar import get
from litestar.params import QueryParameter
from litestar.response import Stream
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.challenges import FeedChallenge
from terrarium.play.clocks import iso
from terrarium.play.errors import Forbidden, Unprocessable
from terrarium.play.people import Caller
from terrarium.play.shapes import FeedMessage, FeedReady
from terrarium.server.accounts.challenges import Challenge
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg
from terrarium.server.api.description import LINES, line_stream
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.feeds import OVERLAP_MS, Follower
from terrarium.server.live.watchers import encoded
from terrarium.server.services import Services

__all__ = ["HANDLERS"]

Since = Annotated[str | None, QueryParameter(name="since", max_length=40, required=False)]


@get(
    "/api/stream/events",
    responses=ERRORS | {200: line_stream(FeedMessage | FeedChallenge)},
    summary="Stream the events of all my games",
)
async def stream_events(services: ServicesArg, caller: CallerArg, since: Since = None) -> Stream:
    """All games in which the caller has a seat: first those in progress, then events as they happen.

    With `since`, the `at` of the last line that was read, games that ended after it are sent too.
    """
    if not caller.people:
        raise Forbidden("sign-in-needed", "send a token, or a cookie", status=401)
    caller.require("follow")
    ended = None if since is None else _moment(since) - OVERLAP_MS
    return Stream(_followed(services, caller, ended), media_type=LINES)


def _moment(text: str) -> int:
    try:
        # A plus sign that was not escaped arrives as a space.
        return int(datetime.fromisoformat(text.replace(" ", "+")).timestamp() * 1000)
    except (ValueError, OverflowError):
        message = f"since {text[:40]!r}: send the `at` of a line, such as 2026-01-31T12:00:00Z"
        raise Unprocessable("invalid-time", message) from None


async def _followed(services: Services, caller: Caller, ended: int | None) -> AsyncIterator[str]:
    follower = Follower(caller)
    services.feeds.join(follower)
    try:
        await services.recheck_one(None, follower)
        for game_id, seq in await _games(services, caller, ended):
            try:
                entry = await services.tables.entry(game_id, seq=seq)
            except GameDamaged:
                continue
            services.feeds.send_game(follower, entry)
            for line in follower.waiting():
                yield line
        for challenge in await _challenges(services, caller, ended):
            services.feeds.send_challenge(follower, challenge)
        follower.push(encoded(FeedReady(iso(services.now()))))
        async for line in follower.lines():
            yield line
    finally:
        services.feeds.leave(follower)


async def _games(services: Services, caller: Caller, ended: int | None) -> list[tuple[str, int]]:
    """The caller's games in progress, and those that ended since a time."""
    games, held = schema.games, schema.holders
    wanted: ColumnElement[bool] = games.c.status.in_(("waiting", "playing"))
    if ended is not None:
        wanted = or_(wanted, games.c.updated >= ended)
    query = (
        select(games.c.id, games.c.seq)
        .join(held, held.c.game_id == games.c.id)
        .where(held.c.person.in_(caller.people), wanted)
        .distinct()
        .order_by(games.c.id)
    )

    async def job(connection: AsyncConnection) -> Any:
        return (await connection.execute(query)).all()

    return [(row.id, row.seq) for row in await services.store.read(job)]


async def _challenges(services: Services, caller: Caller, ended: int | None) -> list[Challenge]:
    """The caller's open challenges, and those that ended since a time."""
    if caller.account is None:
        return []
    found = await services.challenges.of_account(caller.account)
    return [
        one for one in found if one.status == "open" or (ended is not None and one.updated >= ended)
    ]


HANDLERS: list[Any] = [stream_events]
