"""Computer seats on PostgreSQL: a queue that every server process and every `terrarium worker` takes from.

A job is leased to one worker at a time. If that worker dies the job is given to another one, and what a job
found is applied only if the game still stands where it stood.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException

from terrarium.play.table import Table
from terrarium.server.database.chain import GameDamaged
from terrarium.server.jobs.computers import choose, played
from terrarium.server.jobs.pool import Pool
from terrarium.server.live.tables import Tables
from terrarium.server.settings import Settings

__all__ = ["EngineQueue"]

logger = logging.getLogger("terrarium.queue")
QUEUE = "turns"
_HEARTBEAT = 2.0
_LOST_AFTER = 6.0
_KEEP_HOURS = 1
_CLOSE_SECONDS = 5.0


class EngineQueue:
    """Puts turns into the queue, and takes them out if this process has threads for it."""

    def __init__(self, settings: Settings, tables: Tables, pool: Pool | None) -> None:
        self._tables = tables
        self._pool = pool
        self._limit = settings.engine_seconds
        self._tasks: list[asyncio.Task[None]] = []
        self._deferring: set[asyncio.Task[None]] = set()
        self._app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=settings.postgres_dsn, min_size=1, max_size=4, timeout=5
            )
        )
        self._think = self._app.task(queue=QUEUE, name="think")(self._thought)
        self._is_open = False
        self._running: dict[str, tuple[int, asyncio.Task[Any]]] = {}

    @property
    def jobs(self) -> int:
        """How many turns this process thinks about."""
        return len(self._running)

    async def open(self) -> None:
        """Connect, and start taking turns from the queue."""
        await self._app.open_async()
        self._is_open = True
        self._tasks = [asyncio.create_task(self._rescue())]
        if self._pool is not None:
            self._tasks.append(asyncio.create_task(self._work(self._pool.threads)))

    async def close(self) -> None:
        """Stop; what was being thought about is given to somebody else."""
        self._is_open = False
        tasks = [*self._tasks, *self._deferring]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        with suppress(TimeoutError, ProcrastinateException):
            await asyncio.wait_for(self._app.close_async(), _CLOSE_SECONDS)

    def look(self, table: Table) -> None:
        """Queue the turn if a computer has to move."""
        running = self._running.get(table.id)
        if running is not None and running[0] != table.position_seq:
            running[1].cancel()
        if table.awaits_computer and self._is_open:
            task = asyncio.create_task(self._defer(table.id, table.position_seq))
            self._deferring.add(task)
            task.add_done_callback(self._deferring.discard)

    async def _defer(self, game_id: str, position_seq: int) -> None:
        name = f"{game_id} {position_seq}"
        try:
            job = self._think.configure(lock=name, queueing_lock=name)
            await job.defer_async(game_id=game_id, position_seq=position_seq)
        except AlreadyEnqueued:
            return
        except (ProcrastinateException, OSError) as error:
            # The sweep of the next moment finds the game again.
            logger.warning("queue: %s", type(error).__name__)

    async def _thought(self, game_id: str, position_seq: int) -> None:
        with suppress(GameDamaged):
            await self._play(game_id, position_seq)

    async def _play(self, game_id: str, position_seq: int) -> None:
        table = await self._tables.table(game_id)
        seat = table.to_move
        if seat is None or table.position_seq != position_seq or not table.awaits_computer:
            return
        assert self._pool is not None
        level, position = table.seats[seat].level or 1, table.position
        thinking = asyncio.ensure_future(
            self._pool.run(lambda stop: choose(position, level, self._limit, stop))
        )
        self._running[game_id] = (position_seq, thinking)
        try:
            actions = await thinking
        except asyncio.CancelledError:
            if thinking.cancelled() and self._is_open:
                return
            raise
        finally:
            self._running.pop(game_id, None)
        await self._tables.command(game_id, played(position_seq, seat, actions))

    async def _work(self, threads: int) -> None:
        # Asked about being open each time: a worker that is cancelled may end without saying so.
        while self._is_open:
            try:
                await self._app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=threads,
                    install_signal_handlers=False,
                    fetch_job_polling_interval=1.0,
                    update_heartbeat_interval=_HEARTBEAT,
                    stalled_worker_timeout=_LOST_AFTER,
                    shutdown_graceful_timeout=1.0,
                    delete_jobs="successful",
                )
            except asyncio.CancelledError:
                raise
            except Exception as error:
                logger.warning("queue: %s", type(error).__name__)
            await asyncio.sleep(1.0)

    async def _give_away(self, job: procrastinate.jobs.Job) -> None:
        # Not retried under its own number: meanwhile the sweep may have queued the same turn again.
        if job.id is not None:
            await self._app.job_manager.finish_job_by_id_async(
                job.id, procrastinate.jobs.Status.FAILED, delete_job=True
            )
        game_id, position_seq = job.task_kwargs["game_id"], job.task_kwargs["position_seq"]
        assert isinstance(game_id, str)
        assert isinstance(position_seq, int)
        await self._defer(game_id, position_seq)

    async def _rescue(self) -> None:
        """Give jobs of workers that died to others, and forget those that failed long ago."""
        manager = self._app.job_manager
        while self._is_open:
            await asyncio.sleep(_LOST_AFTER / 2)
            try:
                for job in await manager.get_stalled_jobs(
                    queue=QUEUE, seconds_since_heartbeat=_LOST_AFTER
                ):
                    await self._give_away(job)
                await manager.delete_old_jobs(
                    nb_hours=_KEEP_HOURS, queue=QUEUE, include_failed=True
                )
            except (ProcrastinateException, OSError) as error:
                logger.warning("queue: %s", type(error).__name__)
