"""Messages at a table: rows that all workers read, and that are deleted some time after the game is over.

The readers of a message are determined when it is sent, seat by seat: seats that muted the sender can't read it, and a text needs
the permission of both. Spectators can't read messages. Players are notified of new messages and load them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.commands import must_hold
from terrarium.play.errors import Conflict, Forbidden
from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller
from terrarium.play.table import Table
from terrarium.play.talk import checked_phrase, checked_text
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.database.writing import UniqueViolation
from terrarium.server.live.tables import Entry, Tables

__all__ = ["Talk", "everybody"]

KEEP_MS = 3_600_000
"""How long messages are kept after the end of their game, so that players can still write and save them."""
MAX_SAID = 500
"""The most messages of one game; the oldest are deleted first."""
_MAX_MUTES = 1_000
_FORGET_SECONDS = 60.0
_ATTEMPTS = 20


class Talk:
    """Messages, permissions for texts, and mutes."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        now: Now,
        changed: Callable[[str, str, int | None], None],
    ) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._changed = changed
        self._forget_at = 0.0

    async def say(
        self, entry: Entry, held: Collection[int], seat: int, phrase: str | None, text: str | None
    ) -> int:
        """Send a phrase or a text for a seat; returns the message's number."""
        table = entry.table
        must_hold(table, held, seat)
        phrase = None if phrase is None else checked_phrase(phrase)
        text = None if text is None else checked_text(text)
        row = {
            "game_id": table.id,
            "seat": seat,
            "turn": len(table.turns),
            "at": self._now(),
            "phrase": phrase,
            "text": text,
        }
        own = schema.said.c.game_id == table.id

        async def job(connection: AsyncConnection) -> int:
            readers = await _readers(connection, entry, seat, is_text=text is not None)
            last = select(func.max(schema.said.c.number)).where(own)
            number: int = ((await connection.execute(last)).scalar() or 0) + 1
            values = row | {"number": number, "readers": sum(1 << one for one in readers)}
            await connection.execute(insert(schema.said).values(values))
            old = schema.said.c.number <= number - MAX_SAID
            await connection.execute(delete(schema.said).where(own, old))
            await self._notify(connection, table.id)
            return number

        for _ in range(_ATTEMPTS):
            try:
                number: int = await self._store.write(job)
            except UniqueViolation:
                continue  # two people wrote at the same time: use the next number
            self._notify_here(table.id)
            return number
        raise Conflict("busy", "too many people write at once; try again", seq=table.seq)

    async def readable(self, entry: Entry, held: Collection[int], after: int) -> Sequence[Any]:
        """The messages that the holder of these seats may read, oldest first: rows of `said` after a number."""
        table, said = entry.table, schema.said

        async def job(connection: AsyncConnection) -> list[Any]:
            query = select(said).where(said.c.game_id == table.id, said.c.number > after)
            rows = (await connection.execute(query.order_by(said.c.number))).all()
            muted = {seat: await _muted(connection, entry, seat) for seat in held}
            return [
                row
                for row in rows
                if any(
                    row.readers >> seat & 1
                    and row.at >= table.seats[seat].lost_at
                    and row.seat not in muted[seat]
                    for seat in held
                )
            ]

        rows: list[Any] = await self._store.read(job)
        return rows

    async def state(
        self, entry: Entry, caller: Caller, held: Collection[int]
    ) -> tuple[bool, list[int], list[int]]:
        """Whether the caller allows texts, the other seats that do, and the seats that the caller muted."""
        people = caller.people if caller.bearer is None else frozenset[str]()

        async def job(connection: AsyncConnection) -> tuple[bool, list[int], list[int]]:
            own = await _allows(connection, people)
            texts = [
                seat
                for seat in _others(entry.table, held)
                if await _allows(connection, await _people(connection, entry, seat))
            ]
            muted: set[int] = set()
            for seat in held:
                muted |= await _muted(connection, entry, seat)
            return own, texts, sorted(muted - set(held))

        found: tuple[bool, list[int], list[int]] = await self._store.read(job)
        return found

    async def allow(self, caller: Caller, is_allowed: bool) -> None:
        """Allow texts, or stop allowing them, in all games of the caller."""
        person = caller.person
        if person is None or caller.bearer is not None:
            raise Forbidden(
                "no-credentials", "only a guest or an account can allow texts", status=401
            )
        games = await self._live_games(caller.people)

        async def job(connection: AsyncConnection) -> None:
            table = schema.preferences
            await self._store.lock(connection, f"texts of {person}")
            await connection.execute(delete(table).where(table.c.person.in_(caller.people)))
            if is_allowed:
                values = {"person": person, "allows_text": True}
                await connection.execute(insert(table).values(values))
            for game_id in games:
                await self._notify(connection, game_id)

        await self._store.write(job)
        for game_id in games:
            self._notify_here(game_id)

    async def allows(self, people: frozenset[str]) -> bool:
        """Whether a person allows texts."""
        found: bool = await self._store.read(lambda connection: _allows(connection, people))
        return found

    async def mute(self, entry: Entry, held: Collection[int], seat: int, is_muted: bool) -> None:
        """Mute the person at a seat in all games, or unmute them."""
        table, now = entry.table, self._now()
        if not 0 <= seat < table.players or seat in held or table.seats[seat].is_computer:
            raise Conflict("cannot-mute", f"seat {seat}: only other people can be muted")

        async def job(connection: AsyncConnection) -> None:
            others = await _names(connection, entry, seat)
            for own in sorted(held):
                people = await _names(connection, entry, own)
                await self._store.lock(connection, f"mutes of {min(people)}")
                mutes = schema.mutes
                pair = mutes.c.person.in_(people), mutes.c.muted.in_(others)
                await connection.execute(delete(mutes).where(*pair))
                if is_muted:
                    person = min(people)  # an account sorts before its guests
                    count = select(func.count()).where(mutes.c.person == person)
                    if ((await connection.execute(count)).scalar() or 0) >= _MAX_MUTES:
                        raise Conflict(
                            "too-many-mutes", f"you can mute at most {_MAX_MUTES} people"
                        )
                    rows = [{"person": person, "muted": who, "at": now} for who in sorted(others)]
                    await connection.execute(insert(mutes), rows)

        await self._store.write(job)

    async def forget(self) -> None:
        """Delete the messages of games that ended some time ago."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._forget_at:
            return
        self._forget_at = loop.time() + _FORGET_SECONDS
        games, said = schema.games, schema.said
        is_over = games.c.status.in_(("over", "aborted")) & (
            games.c.updated < self._now() - KEEP_MS
        )
        over = select(said.c.game_id).distinct().join(games, games.c.id == said.c.game_id)

        async def found(connection: AsyncConnection) -> list[str]:
            return list((await connection.execute(over.where(is_over).limit(500))).scalars())

        ended = await self._store.read(found)
        if not ended:
            return

        async def job(connection: AsyncConnection) -> None:
            await connection.execute(delete(said).where(said.c.game_id.in_(ended)))

        await self._store.write(job)

    async def _live_games(self, people: frozenset[str]) -> list[str]:
        games, holders = schema.games, schema.holders

        async def job(connection: AsyncConnection) -> list[str]:
            own = select(holders.c.game_id).where(holders.c.person.in_(people))
            is_live = games.c.status.in_(("waiting", "playing"))
            query = select(games.c.id).where(games.c.id.in_(own), is_live).limit(200)
            return list((await connection.execute(query)).scalars())

        found: list[str] = await self._store.read(job)
        return found

    async def _notify(self, connection: AsyncConnection, game_id: str) -> None:
        await self._store.announce(connection, f"changed {game_id} talk")

    def _notify_here(self, game_id: str) -> None:
        """Notify the seats connected here; only on SQLite, because on PostgreSQL a worker receives its own notification."""
        if not self._store.is_postgres:
            self._changed(game_id, "talk", None)


def _others(table: Table, held: Collection[int]) -> list[int]:
    return [
        number
        for number, seat in enumerate(table.seats)
        if number not in held and seat.is_taken and not seat.is_computer
    ]


async def everybody(connection: AsyncConnection, people: Iterable[str]) -> frozenset[str]:
    """The same people under all their ids: the account of a guest, and its other guests."""
    known = frozenset(who for who in people if who[:2] in ("a:", "g:"))
    table = schema.aliases
    found = select(table.c.account_id).where(table.c.person.in_(known))
    accounts = {*(await connection.execute(found)).scalars()} | {
        who[2:] for who in known if who.startswith("a:")
    }
    if not accounts:
        return known
    others = select(table.c.person).where(table.c.account_id.in_(accounts))
    return known | {f"a:{id}" for id in accounts} | {*(await connection.execute(others)).scalars()}


async def _people(connection: AsyncConnection, entry: Entry, seat: int) -> frozenset[str]:
    row: SeatHolders = entry.holders[seat]
    return await everybody(connection, row.people - row.former)


async def _names(connection: AsyncConnection, entry: Entry, seat: int) -> frozenset[str]:
    """The ids of the people at a seat; for a seat held only by its secret, an id of the seat itself."""
    return await _people(connection, entry, seat) or frozenset({f"s:{entry.table.id}:{seat}"})


async def _allows(connection: AsyncConnection, people: frozenset[str]) -> bool:
    table = schema.preferences
    query = select(table.c.person).where(table.c.person.in_(people), table.c.allows_text.is_(True))
    return bool(people) and (await connection.execute(query.limit(1))).first() is not None


async def _muted(connection: AsyncConnection, entry: Entry, seat: int) -> set[int]:
    """The seats that a seat has muted."""
    table = schema.mutes
    people = await _names(connection, entry, seat)
    query = select(table.c.muted).where(table.c.person.in_(people))
    muted = frozenset((await connection.execute(query)).scalars())
    if not muted:
        return set()
    return {
        other
        for other in range(entry.table.players)
        if other != seat and muted & await _names(connection, entry, other)
    }


async def _readers(
    connection: AsyncConnection, entry: Entry, seat: int, *, is_text: bool
) -> list[int]:
    """The seats that may read a message of this seat now, including its own."""
    others = _others(entry.table, {seat})
    if is_text:
        if not await _allows(connection, await _people(connection, entry, seat)):
            raise Forbidden("text-not-allowed", "allow texts in your settings before you write one")
        others = [
            one
            for one in others
            if await _allows(connection, await _people(connection, entry, one))
        ]
        if not others:
            raise Forbidden("text-not-wanted", "nobody else at this table allows texts")
    return [seat] + [one for one in others if seat not in await _muted(connection, entry, one)]
