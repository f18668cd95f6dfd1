"""The engine on the thread that also answers the page: it thinks in slices, and requests are answered between them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from msgspec import structs

from terrarium.core.position import Position
from terrarium.core.puzzle import Puzzle
from terrarium.engine import LEVELS, Engine, Limit
from terrarium.engine.review import reviewing
from terrarium.errors import TerrariumError
from terrarium.play.commands import Decision, play_turn
from terrarium.play.log import SeatHolders
from terrarium.play.puzzles import Answer, judging
from terrarium.play.table import Table
from terrarium.play.thinking import (
    HINT,
    REVIEW,
    Question,
    advisor,
    analysis_facts,
    choice_facts,
    reviewer,
    solver,
)
from terrarium.tab.tables import Tables

__all__ = [
    "Computers",
    "Helpers",
    "Reviews",
    "analyse",
    "analyse_with",
    "hint",
    "merged",
    "puzzle_answer",
    "verdict",
]

T = TypeVar("T")
_PAUSE = 0.004
"""Seconds between slices; during a shorter pause a browser handles no messages."""
_MEMORY_MB = 64
_FIRST = 0.2
"""The part of an analysis's time after which helpers start to analyse its best lines."""
_GRACE = 0.1
"""Seconds that a finished analysis waits for its helpers."""


async def in_slices(steps: Generator[None, None, T]) -> T:
    """The result of a generator of steps; other requests are answered between the steps, and cancelling the task ends them."""
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
    """The actions that the engine would play for the rest of the turn."""
    return choice_facts(await in_slices(advisor().choosing(position, HINT)))


async def verdict(position: Position, actions: Sequence[str]) -> dict[str, Any]:
    """The verdict on a turn."""
    found = await in_slices(reviewing(position, actions, REVIEW, reviewer()))
    return found.to_dict()


async def puzzle_answer(puzzle: Puzzle, start: Position, actions: Sequence[str] | None) -> Answer:
    """The answer to an attempt at a puzzle, or with `actions` None to giving up."""
    return await in_slices(judging(puzzle, start, actions, solver().choosing))


async def analyse(position: Position, question: Question) -> AsyncIterator[dict[str, Any]]:
    """Reports of an analysis, each better than the one before; the last one is `done`."""
    limit = Limit(seconds=question.seconds)
    for found in advisor().analysing(position, limit, question.lines):
        if found is not None:
            yield analysis_facts(position, found)
        await asyncio.sleep(_PAUSE)


class Helpers(Protocol):
    """Other workers that think at the same time."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    async def verdict(self, position: Position, actions: Sequence[str]) -> dict[str, Any]:
        """The verdict on a turn."""
        ...

    async def deeper(self, position: Position, seconds: float) -> dict[str, Any] | None:
        """The last report of an analysis; None if no worker can do it."""
        ...


async def analyse_with(
    helpers: Helpers, position: Position, question: Question
) -> AsyncIterator[dict[str, Any]]:
    """`analyse`, with helpers that each analyse the position after one of the best lines."""
    if not helpers.size:
        async for facts in analyse(position, question):
            yield facts
        return
    lines = max(question.lines, helpers.size)
    tasks: dict[tuple[str, ...], asyncio.Task[dict[str, Any] | None]] = {}
    try:
        async for facts in analyse(position, structs.replace(question, lines=lines)):
            left = question.seconds - facts["seconds"]
            if not tasks and facts["seconds"] >= _FIRST * question.seconds and not facts["done"]:
                for line in facts["lines"][: helpers.size]:
                    after = position.play_all(line["turn"])
                    if after.outcome is None and not line["is_proven"]:
                        job = helpers.deeper(after, left)
                        tasks[tuple(line["turn"])] = asyncio.ensure_future(job)
            if facts["done"] and tasks:
                # Each helper's time ends now; the results of those that are later than the grace are dropped.
                await asyncio.wait(tasks.values(), timeout=_GRACE)
                found = {turn: task.result() for turn, task in tasks.items() if task.done()}
                facts = merged(facts, found, cast(int, position.to_move))
            yield facts | {"lines": facts["lines"][: question.lines]}
    finally:
        for task in tasks.values():
            task.cancel()


def merged(
    facts: dict[str, Any], deeper: Mapping[tuple[str, ...], dict[str, Any] | None], seat: int
) -> dict[str, Any]:
    """The last report, with the helpers' deeper results in place of the estimates; the best line for the seat comes first."""
    known: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    nodes = facts["nodes"]
    for line in facts["lines"]:
        found = deeper.get(tuple(line["turn"]))
        if found is None:
            (known if line["is_proven"] else others).append(line)
            continue
        reply = found["lines"][0]
        nodes += found["nodes"]
        known.append(
            line
            | {
                "shares": reply["shares"],
                "points": reply["points"],
                "visits": line["visits"] + reply["visits"],
                "is_proven": reply["is_proven"] and max(reply["shares"]) >= 1,
                "replies": [reply["turn"], *reply["replies"]],
            }
        )
    known.sort(key=lambda line: line["shares"][seat], reverse=True)
    lines = [*known, *others]
    best = lines[0]
    return facts | {
        "nodes": nodes,
        "lines": lines,
        "shares": best["shares"],
        "scores": best["points"],
    }


class Computers:
    """Plays the turns of computer seats in games that somebody watches."""

    def __init__(self, tables: Tables, is_watched: Callable[[str], bool]) -> None:
        self._tables = tables
        self._is_watched = is_watched
        self._jobs: dict[str, tuple[int, asyncio.Task[None]]] = {}

    def look(self, table: Table) -> None:
        """Start a search if a computer has to move; cancel the search for an older position."""
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
    """Reviews of finished games, stored after every turn; helpers review several turns at the same time."""

    def __init__(self, tables: Tables, helpers: Helpers) -> None:
        self._tables = tables
        self._helpers = helpers
        self._running: dict[str, dict[str, Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def found(self, table: Table) -> dict[str, Any] | None:
        """The review of a game, which may be unfinished; None if none was started."""
        if table.id in self._running:
            return self._running[table.id]
        kept = await self._tables.store.review(table.id)
        if kept is None or kept.pop("seq") != table.position_seq:
            return None
        return kept

    async def start(self, table: Table) -> dict[str, Any]:
        """Start a review, or resume one that was interrupted when the page was reloaded."""
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
        rest = deque(table.turns[len(review["turns"]) :])
        begun: deque[tuple[dict[str, Any], asyncio.Task[dict[str, Any]]]] = deque()
        try:
            while rest or begun:
                while rest and len(begun) < max(1, self._helpers.size):
                    turn = rest.popleft()
                    job = self._helpers.verdict(before[turn.number - 1], turn.actions)
                    facts = {"number": turn.number, "seat": turn.seat}
                    begun.append((facts, asyncio.ensure_future(job)))
                facts, task = begun.popleft()
                try:
                    facts |= await task
                except TerrariumError:
                    break
                review["turns"].append(facts)
                await self._keep(table, review)
        finally:
            for _, task in begun:
                task.cancel()
        review["status"] = "done"
        await self._keep(table, review)

    async def _keep(self, table: Table, review: dict[str, Any]) -> None:
        await self._tables.store.keep_review(table.id, review | {"seq": table.position_seq})
