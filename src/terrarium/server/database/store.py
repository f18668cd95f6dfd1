"""The event log: an event counts as soon as it is committed here."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Forbidden, Unavailable
from terrarium.play.log import LogEvent, NewGameRows, SeatHolders
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged, GameQuarantined, checked, links
from terrarium.server.database.transactions import Database
from terrarium.server.database.writing import GAME_COLUMNS, Append, Job, UniqueViolation

__all__ = ["Rewritten", "Store", "gone_people", "is_corrupt"]

_PIECE = 200


class Rewritten(Exception):
    """The stored log of a game differs from the one in memory, because names were removed from it."""


class Store(Database):
    """The logs of all games, and the holders of their seats."""

    async def create(
        self, new: NewGameRows, account: str | None = None, check: Job | None = None
    ) -> str:
        """Store a new game; returns its last digest. `account`, if given, must still exist.

        `check` runs in the transaction and may refuse the game.
        """

        async def job(connection: AsyncConnection) -> str:
            if check is not None:
                await check(connection)
            return await self.add_game(connection, new, account)

        head: str = await self.write(job)
        return head

    async def add_game(
        self, connection: AsyncConnection, new: NewGameRows, account: str | None
    ) -> str:
        """Store a new game as part of a transaction; returns its last digest."""
        gone = await gone_people(connection, account, new.holders)
        return await self._insert(connection, new, gone)

    async def _insert(
        self, connection: AsyncConnection, new: NewGameRows, gone: Collection[str]
    ) -> str:
        game_id = new.game["id"]
        rows = links(game_id, new.log)
        head = rows[-1].digest
        await connection.execute(insert(schema.games), [new.game | {"head": head}])
        await connection.execute(_INSERT_EVENT, [row._asdict() for row in rows])
        await _write_holders(connection, game_id, dict(enumerate(new.holders)), gone, is_new=True)
        await self.notify(connection, game_id, new.log[-1].seq)
        return head

    async def notify(self, connection: AsyncConnection, game_id: str, seq: int) -> None:
        """Notify the other workers of a change of a game."""
        await self.announce(connection, f"{game_id} {seq}")

    async def append(
        self,
        game_id: str,
        log: Sequence[LogEvent],
        index: dict[str, Any],
        before: str,
        holders: dict[int, SeatHolders] | None = None,
        new: NewGameRows | None = None,
        account: str | None = None,
    ) -> str:
        """Add events to a game whose last digest is `before`; raises `UniqueViolation` if the stored digest differs.

        A `new` game that these events announce is stored in the same transaction. `account`, if given, must still exist.
        Returns the game's new last digest.
        """
        rows = links(game_id, log, before)
        head = rows[-1].digest
        index = index | {"head": head}
        if not self.is_postgres and not holders and new is None and account is None:
            game = (*(index[name] for name in GAME_COLUMNS), game_id, before)
            await self._group().write(Append(rows, game))
            return head

        async def job(connection: AsyncConnection) -> None:
            changed = [*(holders or {}).values(), *(() if new is None else new.holders)]
            gone = await gone_people(connection, account, changed)
            await connection.execute(_INSERT_EVENT, [row._asdict() for row in rows])
            values = index | {"game": game_id, "before": before}
            if (await connection.execute(_UPDATE_GAME, values)).rowcount != 1:
                raise UniqueViolation
            if holders:
                await _write_holders(connection, game_id, holders, gone, is_new=False)
            if new is not None:
                await self._insert(connection, new, gone)
            await self.notify(connection, game_id, log[-1].seq)

        await self.write(job)
        return head

    async def log(
        self, game_id: str, since: int = 0, before: str = ""
    ) -> tuple[list[LogEvent], str]:
        """The checked events of a game after a seq, and its last digest; no events if there is no such game.

        `before` is the digest at `since`; raises `Rewritten` if the stored digest differs, and `GameDamaged` if the
        chain is broken.
        """

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            values = {"game": game_id, "since": since}
            if since:
                return (await connection.execute(_SELECT_EVENTS, values)).all()
            rows: list[Any] = []
            # A whole log is read in pieces, so that a long one does not block other requests.
            result = await connection.stream(_SELECT_EVENTS, values)
            async for some in result.partitions(_PIECE):
                rows += some
            return rows

        try:
            rows = await self.read(job)
        except Unavailable as error:
            if is_corrupt(error.__cause__):
                raise GameDamaged(game_id, since + 1, "the database file is damaged") from error
            raise
        if rows and rows[0].quarantine is not None:
            raise GameQuarantined(game_id, rows[0].quarantine)
        if since:
            if not rows or rows[0].seq != since or rows[0].digest != before:
                raise Rewritten
            found, rows = rows[0].head, rows[1:]
        else:
            found = rows[-1].head if rows else ""
        events = await _checked(game_id, rows, before, since)
        head = rows[-1].digest if rows else before
        if head != found:
            raise GameDamaged(game_id, since + len(rows) + 1, "the last events are missing")
        return events, head

    async def holders(self, game_id: str) -> list[SeatHolders]:
        """The holders of each seat of a game."""

        async def job(connection: AsyncConnection) -> list[SeatHolders]:
            table, people = schema.seats, schema.holders
            query = select(table).where(table.c.game_id == game_id).order_by(table.c.seat)
            rows = (await connection.execute(query)).all()
            held = await connection.execute(select(people).where(people.c.game_id == game_id))
            pairs = [(row.seat, row.person) for row in held.all()]
            return [
                SeatHolders(
                    row.secret_hash, frozenset(who for seat, who in pairs if seat == row.seat)
                )
                for row in rows
            ]

        result: list[SeatHolders] = await self.read(job)
        return result


_INSERT_EVENT = insert(schema.events)
_UPDATE_GAME = text(
    f"UPDATE games SET {', '.join(f'{name} = :{name}' for name in GAME_COLUMNS)} "
    "WHERE id = :game AND head = :before"
)
# Includes the row at `since`: its digest shows whether the log before it is unchanged.
_SELECT_EVENTS = text(
    "SELECT e.seq, e.at, e.kind, e.seat, e.data, e.key, e.digest, g.head, g.quarantine "
    "FROM events e JOIN games g ON g.id = e.game_id "
    "WHERE e.game_id = :game AND e.seq >= :since ORDER BY e.seq"
)


async def _checked(game_id: str, rows: Sequence[Any], before: str, since: int) -> list[LogEvent]:
    if len(rows) <= _PIECE:
        return checked(game_id, rows, before, since)
    return await asyncio.to_thread(checked, game_id, rows, before, since)


def is_corrupt(error: BaseException | None) -> bool:
    """Whether SQLite reports that a part of its file is damaged; other parts may be intact."""
    return getattr(getattr(error, "orig", None), "sqlite_errorname", "").startswith(
        "SQLITE_CORRUPT"
    )


async def gone_people(
    connection: AsyncConnection, account: str | None, holders: Iterable[SeatHolders]
) -> set[str]:
    """The people among these holders whose account was just deleted; refused if `account`, the caller, is one of them.

    The other accounts can't be deleted before this transaction ends. Accounts are locked before the game, in the same order as in a deletion.
    """
    people = {who for row in holders for who in row.people if who.startswith("a:")}
    if account is not None:
        people.add(f"a:{account}")
    if not people:
        return set()
    table = schema.accounts
    query = select(table.c.id).where(table.c.id.in_({who[2:] for who in people}))
    # The lock is for PostgreSQL; on SQLite only one transaction writes at a time.
    query = query.order_by(table.c.id).with_for_update(read=True, key_share=True)
    gone = people - {f"a:{id}" for id in (await connection.execute(query)).scalars()}
    if f"a:{account}" in gone:
        message = "this account was deleted meanwhile; sign in again"
        raise Forbidden("sign-in-needed", message, status=401)
    return gone


async def _write_holders(
    connection: AsyncConnection,
    game_id: str,
    holders: Mapping[int, SeatHolders],
    gone: Collection[str],
    *,
    is_new: bool,
) -> None:
    seats, people = schema.seats, schema.holders
    for seat, row in holders.items():
        if is_new:
            values = {"game_id": game_id, "seat": seat, "secret_hash": row.secret_hash}
            await connection.execute(insert(seats).values(values))
        else:
            await connection.execute(
                update(seats)
                .where(seats.c.game_id == game_id, seats.c.seat == seat)
                .values(secret_hash=row.secret_hash)
            )
            await connection.execute(
                delete(people).where(people.c.game_id == game_id, people.c.seat == seat)
            )
        held = [
            {"game_id": game_id, "seat": seat, "person": who}
            for who in sorted(row.people)
            if who not in gone
        ]
        if held:
            await connection.execute(insert(people), held)
