"""Computer seats: their turns are computed in a limited pool, never on the event loop.

A job belongs to one seat of one game at one seq. When the position changes, the job is cancelled; its result
is used only if the position has not changed.
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
from terrarium.server.jobs.fair import Place
from terrarium.server.jobs.owners import Owners, rank
from terrarium.server.jobs.pool import Pool, Stop
from terrarium.server.live.tables import Tables

__all__ = ["Computers", "choose", "played"]

logger = logging.getLogger("terrarium.computers")
_MEMORY_MB = 64
_REPORT_SECONDS = 0.5


def choose(position: Position, level: int, limit: float, stop: Stop | None = None) -> list[str]:
    """The rest of the turn that a computer of this level plays, thinking at most `limit` seconds."""
    engine = Engine(level=level, memory_mb=_MEMORY_MB)
    if stop is not None:
        stop.calls(engine.stop)
    seconds = min(limit, LEVELS[level - 1].seconds)
    return [str(action) for action in engine.choose(position, Limit(seconds=seconds)).actions]


class Computers:
    """Computes the turns of computer seats, one job per game."""

    def __init__(
        self, tables: Tables, pool: Pool, limit: float, owners: Owners | None = None
    ) -> None:
        self._tables = tables
        self._pool = pool
        self._limit = limit
        self._owners = owners or Owners()
        self._jobs: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self._places: dict[str, Place] = {}
        self._reported: dict[str, int] = {}
        self._reporting: asyncio.TimerHandle | None = None
        self.on_ahead: Callable[[str, int], None] | None = None
        """Called with a watched game and the number of turns that are computed before its own."""
        pool.on_change = self._changed

    @property
    def jobs(self) -> int:
        """The number of turns that are being computed or wait for a thread."""
        return len(self._jobs)

    def ahead(self, game_id: str) -> int | None:
        """The number of turns of other games that are computed before this game's; None if it does not wait."""
        place = self._places.get(game_id)
        return None if place is None else self._order().get(place)

    def watched(self, game_id: str) -> None:
        """Update the rank of a game's turn after its first watcher came or its last one left."""
        place, entry = self._places.get(game_id), self._tables.cached(game_id)
        if place is not None and entry is not None:
            self._pool.move(place, rank(entry.table, is_watched=self._tables.is_watched(game_id)))

    def _order(self) -> dict[Place, int]:
        return {place: number for number, place in enumerate(self._pool.order(), 1)}

    def _changed(self) -> None:
        if (
            self._reporting is None
            and self.on_ahead is not None
            and (self._places or self._reported)
        ):
            self._reporting = asyncio.get_running_loop().call_later(_REPORT_SECONDS, self._report)

    def _report(self) -> None:
        """Report to the watchers of waiting games how many turns are ahead, if it changed; 0 when the computer thinks."""
        self._reporting = None
        order = self._order()
        waiting = {
            game_id: order[place]
            for game_id, place in self._places.items()
            if place in order and self._tables.is_watched(game_id)
        }
        reported, self._reported = self._reported, waiting
        if self.on_ahead is None:
            return
        for game_id, number in waiting.items():
            if reported.get(game_id) != number:
                self.on_ahead(game_id, number)
        for game_id in reported.keys() - waiting.keys():
            self.on_ahead(game_id, 0)

    async def open(self) -> None:
        """Do nothing: the first sweep finds computers that have to move."""

    def schedule(self, table: Table) -> None:
        """Start a job if a computer has to move; cancel jobs for an older position."""
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
        """Cancel all jobs; they start again after the next start of the server."""
        if self._reporting is not None:
            self._reporting.cancel()
        self.on_ahead = None
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
                actions = await self._thought(table, seat)
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

    async def _thought(self, table: Table, seat: int) -> list[str]:
        level, position = table.seats[seat].level or 1, table.position
        place = self._owners.place(table, is_watched=self._tables.is_watched(table.id))
        self._places[table.id] = place
        try:
            return await self._pool.run(
                lambda stop: choose(position, level, self._limit, stop), place
            )
        finally:
            if self._places.get(table.id) is place:
                del self._places[table.id]


def played(
    position_seq: int, seat: int, actions: list[str]
) -> Callable[[Table, Sequence[SeatHolders], int], Decision]:
    """The command that plays a computer's turn, if the position has not changed."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        if table.position_seq != position_seq or table.to_move != seat or not table.awaits_computer:
            return Decision()
        return play_turn(table, {seat}, table.seq, actions, None, now=now, by="computer")

    return decide
