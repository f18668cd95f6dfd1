"""Hints, analysis and reviews by the engine; each person has one request at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.core.position import Position
from terrarium.core.puzzle import Puzzle
from terrarium.engine import Limit
from terrarium.engine.review import at_once, result, review_turn
from terrarium.play.clocks import Now
from terrarium.play.errors import TooMany
from terrarium.play.finished import faults_of
from terrarium.play.puzzles import Answer, judging
from terrarium.play.table import Table
from terrarium.play.thinking import (
    HINT,
    REVIEW,
    advisor,
    analysis_facts,
    choice_facts,
    reviewer,
    solver,
)
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.database.writing import UniqueViolation
from terrarium.server.jobs.fair import Place, Rank
from terrarium.server.jobs.pool import Pool, Stop

__all__ = ["Analysis"]

logger = logging.getLogger("terrarium.analysis")
_MAX_WAITING = 64
_MAX_WAITING_EACH = 8
"""The most waiting requests, of all addresses and of one; addresses take turns."""
_MAX_REVIEWS = 6
"""The most reviews at once; each reviews one turn at a time, between other requests."""
_SAVE_SECONDS = 2.0


class Analysis:
    """The engine for people; it has its own pool, so that computer seats never wait for it."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        self.pool = Pool(1)
        self._asking: dict[str, str] = {}
        self._reviews: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Cancel everything."""
        tasks = list(self._reviews.values())
        for task in tasks:
            task.cancel()
        self.pool.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def hint(self, position: Position, who: str, address: str) -> dict[str, Any]:
        """The rest of the turn as the engine would play it."""

        def job(stop: Stop) -> dict[str, Any]:
            engine = advisor()
            stop.calls(engine.stop)
            return choice_facts(engine.choose(position, HINT))

        with self._asked(who, address) as place:
            return await self.pool.run(job, place)

    async def verdict(
        self, position: Position, actions: Sequence[str], who: str, address: str
    ) -> dict[str, Any]:
        """The review of one turn, as in the review of a game."""
        with self._asked(who, address) as place:
            return await self.pool.run(_verdict(position, actions), place)

    async def puzzle(
        self, puzzle: Puzzle, start: Position, actions: Sequence[str] | None, who: str, address: str
    ) -> Answer:
        """The answer to a try at a puzzle; without actions, the solution for a solver who gives up."""

        def job(stop: Stop) -> Answer:
            engine = solver()
            stop.calls(engine.stop)
            return result(judging(puzzle, start, actions, at_once(engine)))

        with self._asked(who, address) as place:
            return await self.pool.run(job, place)

    async def analyse(
        self, position: Position, seconds: float, lines: int, who: str, address: str
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield growing results; leaving the iteration stops the engine."""
        loop = asyncio.get_running_loop()
        found: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def job(stop: Stop) -> None:
            engine = advisor()
            stop.calls(engine.stop)
            for analysis in engine.analyse(position, Limit(seconds=seconds), lines):
                loop.call_soon_threadsafe(found.put_nowait, analysis_facts(position, analysis))
                if stop.is_set:
                    return

        with self._asked(who, address) as place:
            task = asyncio.create_task(self.pool.run(job, place))
            task.add_done_callback(lambda _: found.put_nowait(None))
            try:
                while (facts := await found.get()) is not None:
                    yield facts
                await task
            finally:
                task.cancel()

    @contextmanager
    def _asked(self, who: str, address: str) -> Iterator[Place]:
        """Admit one request per person at a time, and a limited number per address."""
        if who in self._asking:
            raise TooMany("concurrent requests to the engine", 1)
        here = sum(1 for other in self._asking.values() if other == address)
        if here >= _MAX_WAITING_EACH:
            raise TooMany("requests to the engine from this address", 5)
        if len(self._asking) >= _MAX_WAITING:
            raise TooMany("requests to the engine", 5)
        self._asking[who] = address
        try:
            yield Place(Rank.INTERACTIVE, address, who)
        finally:
            del self._asking[who]

    async def review(self, table: Table) -> dict[str, Any] | None:
        """The review of a game, as far as it is finished; None if none was started."""
        reviews = schema.reviews

        async def job(connection: AsyncConnection) -> Any:
            query = select(reviews).where(
                reviews.c.game_id == table.id, reviews.c.seq == table.position_seq
            )
            return (await connection.execute(query)).first()

        row = await self._store.read(job)
        if row is None:
            return None
        turns: list[Any] = await asyncio.to_thread(msgspec.json.decode, row.data)
        return {"status": row.status, "total": len(table.turns), "turns": turns}

    async def start_review(self, table: Table) -> dict[str, Any]:
        """Start a review, or resume one that a stop or crash interrupted."""
        there = await self.review(table)
        if table.id not in self._reviews and len(self._reviews) >= _MAX_REVIEWS:
            raise TooMany("concurrent reviews", 20)
        if there is None:
            there = {"status": "running", "total": len(table.turns), "turns": []}
            await self._save(table, "running", [])
        if there["status"] == "running" and table.id not in self._reviews:
            task = asyncio.create_task(self._review(table, list(there["turns"])))
            self._reviews[table.id] = task
            task.add_done_callback(lambda _: self._reviews.pop(table.id, None))
        return there

    async def _review(self, table: Table, turns: list[dict[str, Any]]) -> None:
        try:
            saved = asyncio.get_running_loop().time()
            place = Place(Rank.LATER, table.id)
            done = len(turns)
            for turn, before in zip(table.turns[done:], table.positions(done), strict=False):
                facts: dict[str, Any] = {"number": turn.number, "seat": turn.seat}
                turns.append(facts | await self.pool.run(_verdict(before, turn.actions), place))
                if asyncio.get_running_loop().time() - saved > _SAVE_SECONDS:
                    await self._save(table, "running", turns)
                    saved = asyncio.get_running_loop().time()
            await self._save(table, "done", turns)
        except asyncio.CancelledError:
            raise
        except Exception:
            logger.exception("review of %s", table.id)

    async def _save(self, table: Table, status: str, turns: list[dict[str, Any]]) -> None:
        data = await asyncio.to_thread(lambda: msgspec.json.encode(turns).decode())
        faults = None
        if status == "done":
            faults = msgspec.json.encode(faults_of(turns)).decode()
        row = {
            "game_id": table.id,
            "seq": table.position_seq,
            "status": status,
            "data": data,
            "updated": self._now(),
            "faults": faults,
        }

        async def job(connection: AsyncConnection) -> None:
            reviews = schema.reviews
            await connection.execute(delete(reviews).where(reviews.c.game_id == table.id))
            await connection.execute(insert(reviews).values(row))

        try:
            await self._store.write(job)
        except UniqueViolation:  # another worker reviews the same game, with the same result
            return


def _verdict(before: Position, actions: Sequence[str]) -> Any:
    def job(stop: Stop) -> dict[str, Any]:
        engine = reviewer()
        stop.calls(engine.stop)
        return review_turn(before, actions, REVIEW, engine).to_dict()

    return job
