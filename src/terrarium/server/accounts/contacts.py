"""How people want to be notified of their turn: browsers that receive push messages, and confirmed email addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Conflict, Forbidden
from terrarium.play.people import digest, new_secret
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.database.writing import UniqueViolation

__all__ = ["Contacts", "Subscription", "push_id"]

MAX_PUSHES = 20
"""The most browsers of one person."""
_CODE_MS = 2 * 86_400_000
"""How long the link in an email is valid."""
_PUSH_KEY = "push"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A browser that receives push messages."""

    id: str
    endpoint: str
    p256dh: str
    auth: str
    language: str

    @property
    def info(self) -> dict[str, Any]:
        """The subscription in the form that browsers use."""
        return {"endpoint": self.endpoint, "keys": {"p256dh": self.p256dh, "auth": self.auth}}


class Contacts:
    """Subscriptions, addresses, and the key that signs push messages."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now

    async def key(self, new: Callable[[], str]) -> str:
        """The private key for push messages; `new` creates it at the first start. If several workers create one, all use the first."""
        table = schema.keys

        async def read(connection: AsyncConnection) -> str | None:
            query = select(table.c.value).where(table.c.name == _PUSH_KEY)
            found: str | None = (await connection.execute(query)).scalar()
            return found

        found: str | None = await self._store.read(read)
        if found is None:

            async def job(connection: AsyncConnection) -> None:
                values = {"name": _PUSH_KEY, "value": new()}
                await connection.execute(insert(table).values(values))

            with suppress(UniqueViolation):
                await self._store.write(job)
            found = await self._store.read(read)
        assert found is not None
        return found

    async def add_push(
        self,
        people: frozenset[str],
        person: str,
        endpoint: str,
        p256dh: str,
        auth: str,
        language: str,
    ) -> None:
        """Store a browser's subscription; it belongs to the last person who sent it."""
        table, id = schema.pushes, push_id(endpoint)

        async def job(connection: AsyncConnection) -> None:
            await self._store.lock(connection, f"push {id}")
            await self._store.lock(connection, f"pushes of {person}")
            await connection.execute(delete(table).where(table.c.id == id))
            count = select(func.count()).where(table.c.person.in_(people))
            if ((await connection.execute(count)).scalar() or 0) >= MAX_PUSHES:
                raise Conflict("too-many-browsers", f"at most {MAX_PUSHES} browsers are notified")
            values = {
                "id": id,
                "person": person,
                "endpoint": endpoint,
                "p256dh": p256dh,
                "auth": auth,
                "language": language,
                "created": self._now(),
            }
            await connection.execute(insert(table).values(values))

        await self._store.write(job)

    async def remove_push(self, id: str, people: frozenset[str] | None = None) -> None:
        """Delete a subscription; if people are given, only one of theirs."""
        table = schema.pushes

        async def job(connection: AsyncConnection) -> None:
            gone = delete(table).where(table.c.id == id)
            if people is not None:
                gone = gone.where(table.c.person.in_(people))
            await connection.execute(gone)

        await self._store.write(job)

    async def pushes(self, people: frozenset[str]) -> Sequence[Any]:
        """The subscriptions of these people."""
        table = schema.pushes

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            query = select(table).where(table.c.person.in_(people)).order_by(table.c.created)
            return (await connection.execute(query)).all()

        found: Sequence[Any] = await self._store.read(job)
        return found

    async def address(self, account: str) -> tuple[str, bool] | None:
        """The email address of an account and whether it was confirmed."""
        table = schema.mails

        async def job(connection: AsyncConnection) -> Any:
            return (
                await connection.execute(select(table).where(table.c.account_id == account))
            ).first()

        row = await self._store.read(job)
        return None if row is None else (row.address, row.code_hash is None)

    async def set_address(self, account: str, address: str, language: str) -> str:
        """Store an address that is not confirmed yet; returns the code that confirms it."""
        table, code = schema.mails, new_secret()

        async def job(connection: AsyncConnection) -> None:
            await self._store.lock(connection, f"mail of {account}")
            await connection.execute(delete(table).where(table.c.account_id == account))
            values = {
                "account_id": account,
                "address": address,
                "language": language,
                "code_hash": digest(code),
                "created": self._now(),
            }
            await connection.execute(insert(table).values(values))

        await self._store.write(job)
        return code

    async def confirm(self, account: str, code: str) -> None:
        """Confirm an account's address with the code that was sent to it."""
        table = schema.mails

        async def job(connection: AsyncConnection) -> int:
            is_right = table.c.account_id == account, table.c.code_hash == digest(code)
            is_young = table.c.created >= self._now() - _CODE_MS
            done = update(table).where(*is_right, is_young).values(code_hash=None)
            return int((await connection.execute(done)).rowcount)

        if not await self._store.write(job):
            raise Forbidden("wrong-mail-code", "this code is wrong or too old; ask for a new email")

    async def remove_address(self, account: str) -> None:
        """Delete an account's address."""
        table = schema.mails

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(delete(table).where(table.c.account_id == account))

        await self._store.write(job)


def push_id(endpoint: str) -> str:
    """The id of a subscription: a hash, because its address is too long for a key."""
    return hashlib.sha256(endpoint.encode("utf-8", "surrogatepass")).hexdigest()[:32]
