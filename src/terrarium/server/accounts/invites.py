"""Invites: codes for signing up on servers where sign-up is by invitation."""

from __future__ import annotations

import secrets
from typing import Any

from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Forbidden
from terrarium.play.people import digest
from terrarium.server.accounts.passwords import new_codes
from terrarium.server.database import schema

__all__ = ["add_invite", "use_invite"]

_DAY = 86_400_000


async def add_invite(
    connection: AsyncConnection, now: int, *, uses: int, days: int, note: str
) -> tuple[str, str]:
    """A new invite: its id and its code, which is shown only now."""
    id, code = secrets.token_hex(4), new_codes()[0]
    row: dict[str, Any] = {
        "id": id,
        "code_hash": digest(code),
        "note": note,
        "uses_left": uses,
        "created": now,
        "expires": now + days * _DAY,
    }
    await connection.execute(insert(schema.invites).values(row))
    return id, code


async def use_invite(connection: AsyncConnection, code: str, now: int) -> None:
    """Use an invite once, as part of the transaction that creates the account."""
    table = schema.invites
    is_valid = (
        (table.c.code_hash == digest(code.replace(" ", "").upper()))
        & (table.c.uses_left > 0)
        & (table.c.expires > now)
    )
    used = update(table).where(is_valid).values(uses_left=table.c.uses_left - 1)
    if (await connection.execute(used)).rowcount != 1:
        message = "sign-up here is by invitation, and this code is unknown, used up or expired"
        raise Forbidden("invite-needed", message)
