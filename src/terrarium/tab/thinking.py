"""The engine on the thread that also answers the page: it thinks in slices and gives way between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from typing import Any, TypeVar

from terrarium.core.position import Position
from terrarium.engine import LEVELS, Engine, Limit
from terrarium.engine.review import reviewing
from terrarium.errors import TerrariumError
from terrarium.play.commands import Decision, play_turn
from terrarium.play.log import SeatHolders
from terrarium.play.table import Table
from terrarium.play.thinking import (
    HINT,
    REVIEW,
    Question,
    advisor,
    analysis_facts,
    choice_facts,
    reviewer,
)
from terrarium.tab.tables import Tables

__all__ = ["Computers", "Reviews", "analyse", "hint", "verdict"]

T = TypeVar("T")
_PAUSE = 0.004
"""Seconds between slices; a browser hears no messages during shorter ones."""
_MEMORY_MB = 64


async def in_slices(steps: Generator[None, None, T]) -> T:
    """The result of the steps; other requests are answered between them, and cancelling the task ends them."""
    try:
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            await asyncio.sleep(_PAUSE)
    finally:
        steps.close()


async def hint(position: Position) -> dict[str, Any]:
    """The rest of the turn as the engine would play it."""
    return choice_facts(await in_slices(advisor().choosing(position, HINT)))


async def verdict(position: Position, actions: Sequence[str]) -> dict[str, Any]:
    """What a turn was worth."""
    found = await in_slices(reviewing(position, actions, REVIEW, reviewer()))
    return found.to_dict()


async def analyse(position: Position, question: Question) -> AsyncIterator[dict[str, Any]]:
    """Growing results; the last one is `done`."""
    limit = Limit(seconds=question.seconds)
    for found in advisor().analysing(position, limit, question.lines):
        if found is not None:
            yield analysis_facts(found)
        await asyncio.sleep(_PAUSE)


class Computers:
    """Lets computer seats move in games that somebody watches."""

    def __init__(self, tables: Tables, is_watched: Callable[[str], bool]) -> None:
        self._tables = tables
        self._is_watched = is_watched
        self._jobs: dict[str, tuple[int, asyncio.Task[None]]] = {}

    def look(self, table: Table) -> None:
        """Start a search if a computer has to move; cancel one for an older position."""
        is_due = table.awaits_computer and self._is_watched(table.id)
        seq, task = self._jobs.get(table.id, (0, None))
        if task is not None:
            if is_due and seq == table.position_seq:
                return
            task.cancel()
            self._jobs.pop(table.id, None)
        if is_due:
            job = asyncio.ensure_future(self._move(table))
            self._jobs[table.id] = (table.position_seq, job)
            job.add_done_callback(lambda done: self._ended(table.id, done))

    def _ended(self, id: str, task: asyncio.Task[None]) -> None:
        if id in self._jobs and self._jobs[id][1] is task:
            del self._jobs[id]
        if not task.cancelled():
            task.exception()

    async def _move(self, table: Table) -> None:
        seat = table.to_move
        assert seat is not None
        level = table.seats[seat].level or 1
        engine = Engine(level=level, memory_mb=_MEMORY_MB)
        limit = Limit(seconds=LEVELS[level - 1].seconds)
        choice = await in_slices(engine.choosing(table.position, limit))
        actions = [str(action) for action in choice.actions]

        def decide(now_table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
            if now_table.position_seq != table.position_seq or not now_table.awaits_computer:
                return Decision()
            return play_turn(
                now_table, {seat}, now_table.seq, actions, None, now=now, by="computer"
            )

        await self._tables.command(table.id, decide)


class Reviews:
    """Reviews of finished games: one turn after the other, kept as far as they are."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._running: dict[str, dict[str, Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def found(self, table: Table) -> dict[str, Any] | None:
        """The review of a game as far as it is finished; None if nobody asked for one."""
        if table.id in self._running:
            return self._running[table.id]
        kept = await self._tables.store.review(table.id)
        if kept is None or kept.pop("seq") != table.position_seq:
            return None
        return kept

    async def start(self, table: Table) -> dict[str, Any]:
        """Start a review, or resume one that a reload left unfinished."""
        there = await self.found(table)
        if table.id not in self._running and (there is None or there["status"] != "done"):
            turns = [] if there is None else there["turns"]
            there = {"status": "running", "total": len(table.turns), "turns": turns}
            self._running[table.id] = there
            task = asyncio.ensure_future(self._review(table, there))
            self._tasks.add(task)
            task.add_done_callback(lambda done: self._ended(table.id, done))
        assert there is not None
        return there

    def _ended(self, id: str, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running.pop(id, None)
        if not task.cancelled():
            task.exception()

    async def _review(self, table: Table, review: dict[str, Any]) -> None:
        before = list(table.positions())
        for turn in table.turns[len(review["turns"]) :]:
            facts: dict[str, Any] = {"number": turn.number, "seat": turn.seat}
            try:
                facts |= await verdict(before[turn.number - 1], turn.actions)
            except TerrariumError:
                break
            review["turns"].append(facts)
            await self._keep(table, review)
        review["status"] = "done"
        await self._keep(table, review)

    async def _keep(self, table: Table, review: dict[str, Any]) -> None:
        await self._tables.store.keep_review(table.id, review | {"seq": table.position_seq})
