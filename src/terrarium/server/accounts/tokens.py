"""Tokens: a bot's credentials, used instead of a password."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Conflict, NotFound, Unprocessable
from terrarium.play.people import checked_name, digest
from terrarium.server.accounts.cookies import TOKEN_PREFIX
from terrarium.server.accounts.sessions import refuse_banned
from terrarium.server.database import schema
from terrarium.server.database.store import Store

__all__ = ["SCOPES", "Token", "Tokens"]

SCOPES = ("play", "read", "follow")
"""The scopes of tokens: play the account's seats, read its data, follow all its games."""
MAX_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Token:
    """A bot's token, without its text."""

    id: str
    account: str
    name: str
    scopes: frozenset[str]
    created: int


class Tokens:
    """The tokens in the database."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now

    async def create(self, id: str, name: str, scopes: Sequence[str]) -> tuple[Token, str]:
        """A token for a bot; its text is shown only now."""
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not scopes:
            message = f"scopes {', '.join(unknown) or '(none)'}: choose from {', '.join(SCOPES)}"
            raise Unprocessable("invalid-scopes", message)
        text = TOKEN_PREFIX + secrets.token_urlsafe(24)
        label = checked_name(name) or "bot"
        token = Token(secrets.token_hex(8), id, label, frozenset(scopes), self._now())

        async def job(connection: AsyncConnection) -> None:
            # Counted inside the transaction, so that no other request can add one meanwhile.
            await refuse_banned(connection, id)
            own = select(func.count()).where(schema.tokens.c.account_id == id)
            if (await connection.execute(own)).scalar_one() >= MAX_TOKENS:
                message = f"you have {MAX_TOKENS} tokens already; revoke one first"
                raise Conflict("too-many-tokens", message)
            row = {
                "id": token.id,
                "account_id": id,
                "name": label,
                "token_hash": digest(text),
                "scopes": " ".join(sorted(token.scopes)),
                "created": token.created,
            }
            await connection.execute(insert(schema.tokens).values(row))

        await self._store.write(job)
        return token, text

    async def of_account(self, id: str) -> list[Token]:
        """The tokens of an account."""
        return await self._tokens(schema.tokens.c.account_id == id)

    async def find(self, text: str) -> Token | None:
        """The token with this text; None if it is unknown."""
        found = await self._tokens(schema.tokens.c.token_hash == digest(text))
        return found[0] if found else None

    async def revoke(self, id: str, token_id: str) -> None:
        """Revoke a token."""
        table = schema.tokens

        async def job(connection: AsyncConnection) -> int:
            result = await connection.execute(
                delete(table).where(table.c.account_id == id, table.c.id == token_id)
            )
            await self._store.announce(connection, f"revoked {id}")
            return result.rowcount

        if not await self._store.write(job):
            raise NotFound("no-such-token", f"{token_id[:40]!r}: you have no such token")

    async def _tokens(self, condition: Any) -> list[Token]:
        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(select(schema.tokens).where(condition))).all()

        return [
            Token(row.id, row.account_id, row.name, frozenset(row.scopes.split()), row.created)
            for row in await self._store.read(job)
        ]
