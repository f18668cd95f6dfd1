"""Lists of games: the lobby, games to watch, finished games, the caller's own."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import get
from litestar.params import QueryParameter
from sqlalchemy import and_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.boards import game_named
from terrarium.play.errors import Unprocessable
from terrarium.play.people import seats_held
from terrarium.play.shapes import GameList, Summary
from terrarium.play.views import summary
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged

__all__ = ["HANDLERS"]

_PAGE = 20
Status = Annotated[
    Literal["open", "waiting", "playing", "over", "aborted"] | None,
    QueryParameter(name="status", required=False),
]
GameName = Annotated[str | None, QueryParameter(name="game", max_length=64, required=False)]
Search = Annotated[str | None, QueryParameter(name="q", max_length=64, required=False)]
Cursor = Annotated[str | None, QueryParameter(name="page", max_length=64, required=False)]
Flag = Annotated[Literal["0", "1"], QueryParameter(name="mine", required=False)]


@get("/api/games", responses=ERRORS, summary="List public games, or my own")
async def list_games(
    services: ServicesArg,
    caller: CallerArg,
    status: Status = None,
    game: GameName = None,
    search: Search = None,
    cursor: Cursor = None,
    mine: Flag = "0",
) -> GameList:
    """Public games, or with `mine=1` yours, newest first; `next` is the `page` of the next request."""
    table = schema.games
    wanted: list[Any] = []
    if mine == "1":
        caller.require("read")
        held = schema.holders
        own = select(held.c.game_id).where(held.c.person.in_(caller.people or {""}))
        wanted.append(table.c.id.in_(own))
    else:
        wanted.append(table.c.visibility == "listed")
    if status == "open":
        wanted += [table.c.has_open_seat.is_(True), table.c.status == "waiting"]
    elif status is not None:
        wanted.append(table.c.status == status)
    if game is not None:
        wanted.append(table.c.game == game_named(game).name)
    for word in (search or "").replace("\0", " ").casefold().split()[:4]:
        wanted.append(or_(table.c.names.contains(word, autoescape=True), table.c.board == word))
    if cursor:
        at, id = _read_cursor(cursor)
        wanted.append(or_(table.c.updated < at, and_(table.c.updated == at, table.c.id < id)))
    query = (
        select(table.c.id, table.c.updated, table.c.seq)
        .where(*wanted)
        .order_by(table.c.updated.desc(), table.c.id.desc())
        .limit(_PAGE + 1)
    )

    async def job(connection: AsyncConnection) -> Any:
        return (await connection.execute(query)).all()

    rows = await services.store.read(job)
    found: list[Summary] = []
    for row in rows[:_PAGE]:
        try:
            entry = await services.tables.entry(row.id, seq=row.seq)
        except GameDamaged:
            continue
        you, connected = seats_held(entry.holders, caller), services.rooms.connected(row.id)
        found.append(summary(entry.table, you, connected, services.now()))
    more = f"{rows[_PAGE - 1].updated}-{rows[_PAGE - 1].id}" if len(rows) > _PAGE else None
    return GameList(found, more)


def _read_cursor(text: str) -> tuple[int, str]:
    at, _, id = text.partition("-")
    if not at.isascii() or not at.isdigit() or len(at) > 15:
        raise Unprocessable("invalid-page", f"page {text[:40]!r}: use the value of 'next'")
    return int(at), id


HANDLERS = [list_games]
