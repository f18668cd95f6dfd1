"""Computer seats: their turns are computed in a bounded pool, never on the event loop.

A job belongs to one seat of one game at one seq. When the game moves on, the job is cancelled; its result
counts only if the position has not changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from terrarium.core.position import Position
from terrarium.engine import LEVELS, Engine, Limit
from terrarium.errors import TerrariumError
from terrarium.play.commands import Decision, play_turn
from terrarium.play.log import SeatHolders
from terrarium.play.table import Table
from terrarium.server.database.chain import GameDamaged
from terrarium.server.jobs.pool import Pool, Stop
from terrarium.server.live.tables import Tables

__all__ = ["Computers", "choose", "played"]

logger = logging.getLogger("terrarium.computers")
_MEMORY_MB = 64


def choose(position: Position, level: int, limit: float, stop: Stop | None = None) -> list[str]:
    """The rest of the turn that a computer of this level plays, thinking at most `limit` seconds."""
    engine = Engine(level=level, memory_mb=_MEMORY_MB)
    if stop is not None:
        stop.calls(engine.stop)
    seconds = min(limit, LEVELS[level - 1].seconds)
    return [str(action) for action in engine.choose(position, Limit(seconds=seconds)).actions]


class Computers:
    """Lets computer seats move whenever it is their turn, one job per game."""

    def __init__(self, tables: Tables, pool: Pool, limit: float) -> None:
        self._tables = tables
        self._pool = pool
        self._limit = limit
        self._jobs: dict[str, tuple[int, asyncio.Task[None]]] = {}

    @property
    def jobs(self) -> int:
        """How many turns are being thought about or waiting for a thread."""
        return len(self._jobs)

    async def open(self) -> None:
        """Nothing to do: the first sweep finds computers whose turn it is."""

    def look(self, table: Table) -> None:
        """Start thinking if a computer has to move; call off what was thought about something else."""
        job = self._jobs.get(table.id)
        if job is not None:
            if table.awaits_computer and job[0] == table.position_seq:
                return
            job[1].cancel()
            self._jobs.pop(table.id, None)
        if table.awaits_computer:
            task = asyncio.create_task(self._move(table.id, table.position_seq))
            self._jobs[table.id] = (table.position_seq, task)

    async def close(self) -> None:
        """Call everything off; it is begun again after the next start."""
        tasks = [task for _, task in self._jobs.values()]
        self._jobs.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _move(self, game_id: str, position_seq: int) -> None:
        pause = 0.5
        while True:
            try:
                table = await self._tables.table(game_id)
                seat = table.to_move
                if seat is None or table.position_seq != position_seq:
                    break
                level, position = table.seats[seat].level or 1, table.position
                actions = await self._pool.run(
                    lambda stop: choose(position, level, self._limit, stop)  # noqa: B023
                )
                await self._tables.command(game_id, played(position_seq, seat, actions))
                break
            except asyncio.CancelledError:
                return
            except GameDamaged:
                break
            except TerrariumError as error:
                logger.warning("computer seat in %s: %s", game_id, error.code)
            except Exception:
                logger.exception("computer seat in %s", game_id)
            await asyncio.sleep(pause)
            pause = min(30.0, pause * 2)
        job = self._jobs.get(game_id)
        if job is not None and job[1] is asyncio.current_task():
            del self._jobs[game_id]


def played(
    position_seq: int, seat: int, actions: list[str]
) -> Callable[[Table, Sequence[SeatHolders], int], Decision]:
    """What a computer found, if the game still stands where it stood."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        if table.position_seq != position_seq or table.to_move != seat or not table.awaits_computer:
            return Decision()
        return play_turn(table, {seat}, table.seq, actions, None, now=now, by="computer")

    return decide
