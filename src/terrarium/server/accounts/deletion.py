"""Removing somebody's names from the event log when their account is deleted."""

from __future__ import annotations

import msgspec
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.server.database import schema

__all__ = ["forget_names"]


async def forget_names(
    connection: AsyncConnection, game_id: str, seat: int, *, is_lost: bool = False
) -> None:
    """Remove a seat's names from the log; everything else stays.

    `is_lost`: the person lost the seat; only the names before that are removed, a later player keeps theirs.
    """
    table = schema.events
    names = (table.c.kind == "created") | ((table.c.kind == "sat") & (table.c.seat == seat))
    query = select(table.c.seq, table.c.kind, table.c.data).where(table.c.game_id == game_id, names)
    if is_lost:
        loss = select(func.max(table.c.seq)).where(
            table.c.game_id == game_id,
            table.c.seat == seat,
            table.c.kind.in_(("vacated", "taken-over", "timed-out")),
        )
        query = query.where(table.c.seq < loss.scalar_subquery())
    for row in (await connection.execute(query)).all():
        data = msgspec.json.decode(row.data)
        (data["seats"][seat] if row.kind == "created" else data)["name"] = None
        await connection.execute(
            update(table)
            .where(table.c.game_id == game_id, table.c.seq == row.seq)
            .values(data=msgspec.json.encode(data).decode())
        )
