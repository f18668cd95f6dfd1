"""The index of finished games: the worker that ended a game adds it, and the sweep adds missing ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.core.opening import OpeningTurn, key_of
from terrarium.core.position import Position
from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now
from terrarium.play.errors import Unavailable
from terrarium.play.finished import FinishedGame, SeatFaults, faults_of, finished_game
from terrarium.play.insights import MOST_GAMES as MOST_INSIGHTS
from terrarium.play.insights import Insights, OwnGame, summed
from terrarium.play.openings import MOST_GAMES, Explored, explored, opening_of
from terrarium.play.table import Table
from terrarium.server.database import schema
from terrarium.server.database.chain import replayed
from terrarium.server.database.store import Store

__all__ = ["FinishedGames"]

logger = logging.getLogger("terrarium.finished")
_RESCUE_MS = 3_000
_BATCH = 20
_MAX_FAILED = 1_000
_FAILED_MS = 3_600_000
"""A game that can't be read is tried again after this time, because it may have been restored."""


class FinishedGames:
    """Writes the openings and results of finished games, and reads them."""

    def __init__(
        self, store: Store, now: Now, work: Callable[[Callable[[], Any]], Awaitable[Any]]
    ) -> None:
        self._store = store
        self._now = now
        self._work = work
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed: dict[str, int] = {}
        """The times at which games could not be read."""

    async def close(self) -> None:
        """Stop; missing games are found after the next start."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def schedule(self, before: Table, after: Table) -> None:
        """Index a game that this worker has just ended."""
        if after.status == "over" and before.status != "over":
            task = asyncio.create_task(self._index_later(after))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _index_later(self, table: Table) -> None:
        try:
            await self._index(table)
        except TerrariumError as error:  # the sweep tries again
            logger.warning("index of %s: %s", table.id, error.code)

    async def look(self) -> None:
        """Index some missing games: from before the index existed, or because a worker was stopped."""
        now = self._now()
        self._failed = {id: at for id, at in self._failed.items() if now < at + _FAILED_MS}
        await self._index_missing(schema.games.c.updated <= now - _RESCUE_MS)

    async def _catch_up(self, people: frozenset[str]) -> None:
        """Index games of these people that have just ended, so that the result includes them."""
        games, held = schema.games, schema.holders
        own = select(held.c.game_id).where(held.c.person.in_(people or {""}))
        is_recent = games.c.updated > self._now() - _RESCUE_MS
        try:
            await self._index_missing(is_recent, games.c.id.in_(own))
        except Unavailable as error:  # return a result without them
            logger.warning("index of own games: %s", error.code)

    async def _index_missing(self, *conditions: ColumnElement[bool]) -> None:
        games = schema.games
        query = select(games.c.id).where(
            *conditions,
            games.c.is_indexed.is_(False),
            games.c.status == "over",
            games.c.quarantine.is_(None),
            games.c.id.not_in(list(self._failed)),
        )

        async def job(connection: AsyncConnection) -> Sequence[str]:
            return (await connection.execute(query.limit(_BATCH))).scalars().all()

        for game_id in await self._store.read(job):
            try:
                log, _ = await self._store.log(game_id)
                if log:
                    await self._index(await asyncio.to_thread(replayed, game_id, log))
            except Unavailable:
                raise  # the database failed, not the game
            except Exception as error:
                # A failure in one game must not prevent the others from being indexed.
                logger.warning("index of %s: %s", game_id, type(error).__name__)
                if len(self._failed) < _MAX_FAILED:
                    self._failed[game_id] = self._now()

    async def _index(self, table: Table) -> None:
        turns, result = await asyncio.to_thread(lambda: (opening_of(table), finished_game(table)))
        games, owned = schema.games, (schema.opening_turns, schema.results)
        mark = update(games).where(
            games.c.id == table.id, games.c.seq == table.seq, games.c.status == "over"
        )

        async def job(connection: AsyncConnection) -> None:
            # If the game changed meanwhile, the sweep indexes it.
            if not (await connection.execute(mark.values(is_indexed=True))).rowcount:
                return
            for rows in owned:
                await connection.execute(delete(rows).where(rows.c.game_id == table.id))
            if turns:
                await connection.execute(insert(schema.opening_turns), _rows(table, turns))
            if result is not None:
                row = {"game_id": table.id, "game": result.game, "ended": result.ended}
                row["data"] = msgspec.json.encode(result).decode()
                await connection.execute(insert(schema.results).values(row))
            await _count_faults(connection, table.id)

        await self._store.write(job)

    async def openings(
        self, position: Position, source: str, people: frozenset[str] | None
    ) -> Explored:
        """The turns played in a position in public games, or with `people` in games in which these people have a seat."""
        rows, held = schema.opening_turns, schema.holders
        query = select(rows).where(rows.c.position == key_of(position))
        if people is None:
            query = query.where(rows.c.is_listed.is_(True))
        else:
            await self._catch_up(people)
            own = select(held.c.game_id).where(held.c.person.in_(people or {""}))
            query = query.where(rows.c.game_id.in_(own))
        query = query.order_by(rows.c.ended.desc()).limit(MOST_GAMES + 1)

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(query)).all()

        found = await self._store.read(job)
        counted: Explored = await self._work(
            lambda: explored(position, source, list(map(_turn, found)))
        )
        return counted

    async def insights(self, people: frozenset[str], game: str | None, begun: int) -> Insights:
        """Statistics of the finished games of these people that ended since a time: of one game or all."""
        await self._catch_up(people)
        rows, held, reviews = schema.results, schema.holders, schema.reviews
        own = (
            select(held.c.game_id, func.min(held.c.seat).label("seat"))
            .where(held.c.person.in_(people or {""}))
            .group_by(held.c.game_id)
            .having(func.count(held.c.seat.distinct()) == 1)
            .subquery()
        )
        query = (
            select(own.c.seat, rows.c.data, reviews.c.faults)
            .join(rows, rows.c.game_id == own.c.game_id)
            .join(reviews, reviews.c.game_id == own.c.game_id, isouter=True)
            .where(rows.c.ended >= begun)
            .order_by(rows.c.ended.desc())
            .limit(MOST_INSIGHTS + 1)
        )
        if game is not None:
            query = query.where(rows.c.game == game)

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(query)).all()

        found = await self._store.read(job)
        is_capped = len(found) > MOST_INSIGHTS
        counted: Insights = await self._work(
            lambda: summed(map(_own, found[:MOST_INSIGHTS]), is_capped=is_capped)
        )
        return counted


def _own(row: Any) -> OwnGame:
    faults = None
    if row.faults is not None:
        by_seat = msgspec.json.decode(row.faults, type=dict[str, SeatFaults])
        faults = by_seat.get(str(row.seat), SeatFaults(0, {}, {}))
    return OwnGame(msgspec.json.decode(row.data, type=FinishedGame), row.seat, faults)


def _rows(table: Table, turns: Sequence[OpeningTurn]) -> list[dict[str, Any]]:
    return [
        {
            "game_id": table.id,
            "position": turn.key,
            "after": turn.after,
            "actions": " ".join(turn.actions),
            "winners": " ".join(map(str, turn.winners)),
            "is_listed": table.visibility == "listed",
            "ended": table.updated,
        }
        for turn in turns
    ]


def _turn(row: Any) -> OpeningTurn:
    winners = tuple(int(seat) for seat in row.winners.split())
    return OpeningTurn(row.position, row.after, tuple(row.actions.split()), winners)


async def _count_faults(connection: AsyncConnection, game_id: str) -> None:
    """Count the faults of a review from a version that did not count them."""
    reviews = schema.reviews
    query = select(reviews.c.data).where(
        reviews.c.game_id == game_id, reviews.c.status == "done", reviews.c.faults.is_(None)
    )
    data = (await connection.execute(query)).scalar()
    if data is not None:
        faults = msgspec.json.encode(faults_of(msgspec.json.decode(data))).decode()
        changed = update(reviews).where(reviews.c.game_id == game_id).values(faults=faults)
        await connection.execute(changed)
