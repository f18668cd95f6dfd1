"""Hints, analysis and reviews: what the engine thinks, for people who ask, one question at a time each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.core.position import Position
from terrarium.engine import Engine, Limit
from terrarium.engine.review import review_turn
from terrarium.play.clocks import Now
from terrarium.play.errors import TooMany
from terrarium.play.table import Table
from terrarium.server.database import schema
from terrarium.server.database.store import Store, UniqueViolation
from terrarium.server.jobs.pool import Pool, Stop

__all__ = ["Analysis"]

logger = logging.getLogger("terrarium.analysis")
HINT_SECONDS = 1.0
REVIEW = Limit(seconds=0.5, nodes=4_000)
_LEVEL = 8
_MEMORY_MB = 64
_MAX_WAITING = 16
_MAX_REVIEWS = 6
"""At once; each asks the engine about one turn at a time, between the questions of others."""
_SAVE_SECONDS = 2.0


class Analysis:
    """The engine for people: a pool of its own, so that computer seats never wait for it."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        self.pool = Pool(1)
        self._asking: set[str] = set()
        self._reviews: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Call everything off."""
        tasks = list(self._reviews.values())
        for task in tasks:
            task.cancel()
        self.pool.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def hint(self, position: Position, who: str) -> dict[str, Any]:
        """The rest of the turn as the engine would play it."""

        def job(stop: Stop) -> dict[str, Any]:
            engine = Engine(level=_LEVEL, memory_mb=_MEMORY_MB)
            stop.calls(engine.stop)
            choice = engine.choose(position, Limit(seconds=HINT_SECONDS))
            return {
                "turn": [str(action) for action in choice.actions],
                "shares": [round(share, 4) for share in choice.shares],
            }

        self._begin(who)
        try:
            return await self.pool.run(job)
        finally:
            self._asking.discard(who)

    async def verdict(self, position: Position, actions: Sequence[str], who: str) -> dict[str, Any]:
        """What a turn was worth, as in the review of a game."""
        self._begin(who)
        try:
            return await self.pool.run(_verdict(position, actions))
        finally:
            self._asking.discard(who)

    async def analyse(
        self, position: Position, seconds: float, lines: int, who: str
    ) -> AsyncIterator[dict[str, Any]]:
        """Growing results; leaving the iteration calls the engine off."""
        loop = asyncio.get_running_loop()
        found: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def job(stop: Stop) -> None:
            engine = Engine(level=_LEVEL, memory_mb=_MEMORY_MB)
            stop.calls(engine.stop)
            for analysis in engine.analyse(position, Limit(seconds=seconds), lines):
                facts = analysis.to_dict()
                facts |= {"done": facts.pop("is_final"), "scores": facts.pop("points")}
                loop.call_soon_threadsafe(found.put_nowait, facts)
                if stop.is_set:
                    return

        self._begin(who)
        task = asyncio.create_task(self.pool.run(job))
        task.add_done_callback(lambda _: found.put_nowait(None))
        try:
            while (facts := await found.get()) is not None:
                yield facts
            await task
        finally:
            task.cancel()
            self._asking.discard(who)

    def _begin(self, who: str) -> None:
        if who in self._asking:
            raise TooMany("questions to the engine at once", 1)
        if self.pool.waiting >= _MAX_WAITING:
            raise TooMany("people asking the engine", 5)
        self._asking.add(who)

    async def review(self, table: Table) -> dict[str, Any] | None:
        """The review of a game as far as it is; None if nobody asked for one."""
        reviews = schema.reviews

        async def job(connection: AsyncConnection) -> Any:
            query = select(reviews).where(
                reviews.c.game_id == table.id, reviews.c.seq == table.position_seq
            )
            return (await connection.execute(query)).first()

        row = await self._store.read(job)
        if row is None:
            return None
        turns: list[Any] = msgspec.json.decode(row.data)
        return {"status": row.status, "total": len(table.turns), "turns": turns}

    async def start_review(self, table: Table) -> dict[str, Any]:
        """Begin a review, or go on with one that a stop or crash left unfinished."""
        there = await self.review(table)
        if table.id not in self._reviews and len(self._reviews) >= _MAX_REVIEWS:
            raise TooMany("reviews at once", 20)
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
            for turn, before in list(zip(table.turns, table.positions(), strict=False))[
                len(turns) :
            ]:
                facts: dict[str, Any] = {"number": turn.number, "seat": turn.seat}
                turns.append(facts | await self.pool.run(_verdict(before, turn.actions)))
                if asyncio.get_running_loop().time() - saved > _SAVE_SECONDS:
                    await self._save(table, "running", turns)
                    saved = asyncio.get_running_loop().time()
            await self._save(table, "done", turns)
        except asyncio.CancelledError:
            raise
        except Exception:
            logger.exception("review of %s", table.id)

    async def _save(self, table: Table, status: str, turns: list[dict[str, Any]]) -> None:
        data = msgspec.json.encode(turns).decode()
        row = {
            "game_id": table.id,
            "seq": table.position_seq,
            "status": status,
            "data": data,
            "updated": self._now(),
        }

        async def job(connection: AsyncConnection) -> None:
            reviews = schema.reviews
            await connection.execute(delete(reviews).where(reviews.c.game_id == table.id))
            await connection.execute(insert(reviews).values(row))

        try:
            await self._store.write(job)
        except UniqueViolation:  # another worker reviews the same game: its result is as good
            return


def _verdict(before: Position, actions: Sequence[str]) -> Any:
    def job(stop: Stop) -> dict[str, Any]:
        engine = Engine(level=_LEVEL, seed=0, memory_mb=_MEMORY_MB)
        stop.calls(engine.stop)
        return review_turn(before, actions, REVIEW, engine).to_dict()

    return job
