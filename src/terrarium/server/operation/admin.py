"""Operators' acts on people, games, studies, invites and reports; each is logged with the operator and the time.

The log has the ids of accounts, so that it does not contain names of deleted accounts.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.commands import Decision, Draft
from terrarium.play.errors import Conflict, NotFound, Unprocessable
from terrarium.play.log import SeatHolders
from terrarium.play.shapes import AnyDict
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Accounts, write_codes
from terrarium.server.accounts.deletion import delete_account
from terrarium.server.accounts.invites import add_invite
from terrarium.server.accounts.passwords import new_codes
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.database.store import Store
from terrarium.server.database.studies import delete_studies, no_such_study
from terrarium.server.live.tables import Decide, Tables
from terrarium.server.operation.retention import Retention, Rules

__all__ = ["Admin"]

_MAX_TEXT = 200
Job = Callable[[AsyncConnection], Awaitable[Any]]


async def _nobody(_: object) -> None:
    """The default for a process without connections."""


class Admin:
    """Performs operators' acts."""

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        tables: Tables,
        now: Now,
        retention: Retention,
        recheck: Callable[[str], Awaitable[None]] = _nobody,
        refresh_studies: Callable[[Sequence[str]], Awaitable[None]] = _nobody,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._tables = tables
        self._now = now
        self._retention = retention
        self._recheck = recheck
        """Ends connections of an account to this process; other workers are notified through the database."""
        self._refresh_studies = refresh_studies
        """Refreshes studies that are in memory."""
        self.acts: dict[str, Callable[..., Awaitable[AnyDict]]] = {
            "reset-password": self.reset_password,
            "ban": self.ban,
            "unban": self.unban,
            "delete-person": self.delete_person,
            "delete-game": self.delete_game,
            "delete-study": self.delete_study,
            "quarantine": self.quarantine,
            "release": self.release,
            "invite": self.invite,
            "revoke-invite": self.revoke_invite,
            "close-report": self.close_report,
            "prune": self.prune,
            "make-operator": self.make_operator,
            "remove-operator": self.remove_operator,
        }

    async def run(self, act: str, operator: str, **arguments: Any) -> AnyDict:
        """Perform an act by its name; returns the result for the operator."""
        for value in arguments.values():
            if isinstance(value, str) and len(value) > _MAX_TEXT:
                raise Unprocessable("invalid-text", f"at most {_MAX_TEXT} characters")
        return await self.acts[act](operator[:64], **arguments)

    async def reset_password(self, operator: str, name: str) -> AnyDict:
        """Invalidate the password and all recovery codes of a person; they can only sign in with the new code."""
        account = await self._accounts.named(name)
        password, code = await self._accounts.hash(secrets.token_hex(32)), new_codes()[0]

        async def job(connection: AsyncConnection) -> None:
            table, codes = schema.accounts, schema.recovery_codes
            await connection.execute(
                update(table).where(table.c.id == account.id).values(password=password)
            )
            await connection.execute(delete(codes).where(codes.c.account_id == account.id))
            await write_codes(connection, account.id, [code])
            await self._end_sign_ins(connection, account.id)

        await self._act(job, operator, "reset-password", account.id)
        await self._recheck(account.id)
        return {"name": account.name, "code": code}

    async def ban(self, operator: str, name: str, reason: str = "") -> AnyDict:
        """Ban a person: their sessions, tokens and seat links end now, and they can't get new ones."""
        account = await self._accounts.named(name)

        async def job(connection: AsyncConnection) -> None:
            table = schema.accounts
            await connection.execute(
                update(table).where(table.c.id == account.id).values(banned=self._now())
            )
            tokens = schema.tokens
            await connection.execute(delete(tokens).where(tokens.c.account_id == account.id))
            await self._end_sign_ins(connection, account.id)

        await self._act(job, operator, "ban", account.id, reason)
        await self._recheck(account.id)
        await self._void_links(account.id)
        return {"name": account.name}

    async def unban(self, operator: str, name: str) -> AnyDict:
        """Lift the ban of a person."""
        account = await self._accounts.named(name)
        if account.banned is None:
            raise Conflict("not-banned", f"{account.name!r} is not banned")

        async def job(connection: AsyncConnection) -> None:
            table = schema.accounts
            await connection.execute(
                update(table).where(table.c.id == account.id).values(banned=None)
            )

        await self._act(job, operator, "unban", account.id)
        return {"name": account.name}

    async def prune(self, operator: str, unbegun_days: int, guest_days: int) -> AnyDict:
        """Delete games that have not changed for that many days; returns the number for each rule."""
        return await self._retention.prune(Rules(unbegun_days, guest_days), operator)

    async def make_operator(self, operator: str, name: str) -> AnyDict:
        """Give an account the rights of an operator in the page."""
        return await self._set_operator(operator, name, is_operator=True)

    async def remove_operator(self, operator: str, name: str) -> AnyDict:
        """Remove an account's rights as an operator."""
        return await self._set_operator(operator, name, is_operator=False)

    async def _set_operator(self, operator: str, name: str, *, is_operator: bool) -> AnyDict:
        account = await self._accounts.named(name)
        if account.is_operator == is_operator:
            code = "already-operator" if is_operator else "not-operator"
            raise Conflict(
                code, f"{account.name!r} is {'an' if is_operator else 'not an'} operator"
            )

        async def job(connection: AsyncConnection) -> None:
            table = schema.accounts
            changed = update(table).where(table.c.id == account.id).values(is_operator=is_operator)
            await connection.execute(changed)

        act = "make-operator" if is_operator else "remove-operator"
        await self._act(job, operator, act, account.id)
        return {"name": account.name}

    async def delete_person(self, operator: str, name: str) -> AnyDict:
        """Delete an account as its owner could, with the studies it owns; its games stay, with its seats unnamed."""
        account = await self._accounts.named(name)
        # Logged first, because the deletion is several transactions.
        await self._act(_nothing, operator, "delete-person", account.id)
        changed = await delete_account(self._store, self._accounts, self._tables, account.id)
        await self._recheck(account.id)
        await self._refresh_studies(changed)
        return {"id": account.id}

    async def delete_game(self, operator: str, game: str) -> AnyDict:
        """Delete a game with its log."""

        async def job(connection: AsyncConnection) -> None:
            table = schema.games
            found = await connection.execute(delete(table).where(table.c.id == game))
            if found.rowcount != 1:
                raise _no_game(game)
            await self._store.notify(connection, game, 0)

        await self._act(job, operator, "delete-game", game)
        await self._look_again(game)
        return {"game": game}

    async def delete_study(self, operator: str, study: str) -> AnyDict:
        """Delete a study with its log."""

        async def job(connection: AsyncConnection) -> None:
            if not await delete_studies(self._store, connection, schema.studies.c.id == study):
                raise no_such_study(study)

        await self._act(job, operator, "delete-study", study)
        await self._refresh_studies([study])
        return {"study": study}

    async def quarantine(self, operator: str, game: str, reason: str) -> AnyDict:
        """Quarantine a game: until it is released, it is unavailable, with an error that shows the reason."""
        await self._act(self._setting(game, reason), operator, "quarantine", game, reason)
        await self._look_again(game)
        return {"game": game}

    async def release(self, operator: str, game: str) -> AnyDict:
        """Release a game from quarantine."""
        await self._act(self._setting(game, None), operator, "release", game)
        self._tables.damaged.pop(game, None)
        return {"game": game}

    def _setting(self, game: str, reason: str | None) -> Job:
        async def job(connection: AsyncConnection) -> None:
            table = schema.games
            changed = update(table).where(table.c.id == game).values(quarantine=reason)
            if (await connection.execute(changed)).rowcount != 1:
                raise _no_game(game)
            await self._store.notify(connection, game, 0)

        return job

    async def invite(self, operator: str, uses: int, days: int, note: str = "") -> AnyDict:
        """Create a code for signing up."""
        made: list[str] = []

        async def job(connection: AsyncConnection) -> None:
            now = self._now()
            made[:] = await add_invite(connection, now, uses=uses, days=days, note=note)

        details = f"{uses} uses, {days} days"
        await self._act(job, operator, "invite", note[:64], details)
        return {"id": made[0], "code": made[1]}

    async def revoke_invite(self, operator: str, id: str) -> AnyDict:
        """Revoke an invite."""

        async def job(connection: AsyncConnection) -> None:
            table = schema.invites
            found = await connection.execute(delete(table).where(table.c.id == id))
            if found.rowcount != 1:
                raise NotFound("no-such-invite", f"{id[:40]!r}: there is no such invite")

        await self._act(job, operator, "revoke-invite", id)
        return {"id": id}

    async def close_report(self, operator: str, id: str) -> AnyDict:
        """Mark a report as closed."""

        async def job(connection: AsyncConnection) -> None:
            count = 0
            for table in (schema.reports, schema.study_reports):
                closed = update(table).where(table.c.id == id).values(closed=self._now())
                count += (await connection.execute(closed)).rowcount
            if count != 1:
                raise NotFound("no-such-report", f"{id[:40]!r}: there is no such report")

        await self._act(job, operator, "close-report", id)
        return {"id": id}

    async def _act(
        self, job: Job, operator: str, act: str, subject: str, details: str = ""
    ) -> None:
        """Run a job and log the act, in one transaction."""

        async def both(connection: AsyncConnection) -> None:
            await job(connection)
            row = {
                "id": secrets.token_hex(8),
                "at": self._now(),
                "operator": operator,
                "act": act,
                "subject": subject,
                "details": details,
            }
            await connection.execute(insert(schema.acts).values(row))

        await self._store.write(both)

    async def _end_sign_ins(self, connection: AsyncConnection, account: str) -> None:
        table = schema.sessions
        await connection.execute(delete(table).where(table.c.account_id == account))
        await self._store.announce(connection, f"revoked {account}")

    async def _void_links(self, id: str) -> None:
        """Make the account the only holder of its seats in unfinished games, without their links and its former guests."""
        people = await self._accounts.people(id)
        games, held = schema.games, schema.holders
        query = (
            select(held.c.game_id, held.c.seat)
            .join(games, games.c.id == held.c.game_id)
            .where(held.c.person.in_(people), games.c.status.in_(("waiting", "playing")))
            .distinct()
        )

        async def job(connection: AsyncConnection) -> list[tuple[str, int]]:
            return [(row.game_id, row.seat) for row in await connection.execute(query)]

        for game_id, seat in await self._store.read(job):
            with contextlib.suppress(NotFound, GameDamaged):
                await self._tables.command(game_id, _held_by_account(seat, f"a:{id}", people))

    async def _look_again(self, game: str) -> None:
        """Read a game again if it is in memory, after it was deleted or quarantined."""
        self._tables.damaged.pop(game, None)
        with contextlib.suppress(NotFound, GameDamaged):
            await self._tables.reload(game)


def _held_by_account(seat: int, account: str, people: frozenset[str]) -> Decide:
    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        row = holders[seat]
        if not row.people & people:
            return Decision()
        alone = SeatHolders(None, row.former | {account})
        return Decision((Draft("sat", seat, {"name": None}),), {seat: alone})

    return decide


async def _nothing(connection: AsyncConnection) -> None:
    """A job that does nothing, for an act that is performed separately."""


def _no_game(game: str) -> NotFound:
    return NotFound("no-such-game", f"{game[:40]!r}: there is no such game")
