"""Access to a study: the owner's settings, and joining as an editor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import Forbidden, NotFound
from terrarium.play.people import Caller, digest, new_secret
from terrarium.play.studies import Visibility
from terrarium.server.database import schema
from terrarium.server.database import studies as rows
from terrarium.server.database.chain import StudyDamaged
from terrarium.server.database.store import Store
from terrarium.server.live.studies import Studies
from terrarium.server.live.watched_study import Entry

__all__ = ["Sharing"]

Job = Callable[[AsyncConnection], Awaitable[None]]


class Sharing:
    """Changes of studies that are not in their logs."""

    def __init__(self, store: Store, studies: Studies, now: Now) -> None:
        self._store = store
        self._studies = studies
        self._now = now

    async def set_visibility(self, id: str, caller: Caller, visibility: Visibility) -> Entry:
        """Set whether everybody with the address may read the study, or only its owner and editors."""

        async def job(connection: AsyncConnection) -> None:
            await rows.update_study(connection, id, visibility=visibility, updated=self._now())

        return await self._by_owner(id, caller, job)

    async def new_link(self, id: str, caller: Caller) -> str:
        """A new secret for the link for editors; the former one is no longer valid."""
        secret = new_secret()

        async def job(connection: AsyncConnection) -> None:
            await rows.update_study(connection, id, secret_hash=digest(secret))

        await self._by_owner(id, caller, job)
        return secret

    async def end_link(self, id: str, caller: Caller) -> None:
        """Delete the link; nobody else can become an editor through it."""

        async def job(connection: AsyncConnection) -> None:
            await rows.update_study(connection, id, secret_hash=None)

        await self._by_owner(id, caller, job)

    async def remove_editors(self, id: str, caller: Caller) -> Entry:
        """Remove all editors and the link; only the owner can edit afterwards."""
        people = schema.study_people

        async def job(connection: AsyncConnection) -> None:
            await rows.update_study(connection, id, secret_hash=None)
            await connection.execute(delete(people).where(people.c.study_id == id))

        return await self._by_owner(id, caller, job)

    async def join(self, id: str, caller: Caller, person: str, secret: str) -> Entry:
        """Make the caller an editor with the secret of the study's link. With a wrong secret the error does not reveal whether the study exists."""

        async def job(connection: AsyncConnection) -> None:
            await rows.add_editor(connection, id, person, digest(secret))
            await rows.notify(self._store, connection, id)

        try:
            entry = await self._studies.entry(id)
            if entry.access(caller) == "owner":
                return entry
            return await self._studies.written(id, job)
        except NotFound:
            raise rows.wrong_edit_link() from None
        except StudyDamaged:
            if (await self._studies.facts(id)).access(caller.people) is None:
                raise rows.wrong_edit_link() from None
            raise

    async def remove(self, id: str, caller: Caller) -> None:
        """Delete a study, even if its log is damaged."""
        table = schema.studies

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(delete(table).where(table.c.id == id))

        await self._studies.removed(id, await self._owners(id, caller, job))

    async def _by_owner(self, id: str, caller: Caller, job: Job) -> Entry:
        """Run a job that only the owner may do."""
        return await self._studies.written(id, await self._owners(id, caller, job))

    async def _owners(self, id: str, caller: Caller, job: Job) -> Job:
        """The job with a check that the caller is the owner, and a notification of the workers."""
        access = (await self._studies.facts(id)).access(caller.people)
        if access is None:
            raise rows.no_such_study(id)
        if access != "owner":
            raise Forbidden("not-study-owner", "only the owner of this study can do this")

        async def all_of_it(connection: AsyncConnection) -> None:
            await rows.must_exist(connection, id, caller.people)
            await job(connection)
            await rows.notify(self._store, connection, id)

        return all_of_it
