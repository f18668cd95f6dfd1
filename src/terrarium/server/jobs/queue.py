"""Computer seats on PostgreSQL: a queue from which all server processes and `terrarium worker` processes take turns.

A job is leased to one worker at a time. If that worker dies, the job is given to another one. Its
result is used only if the position has not changed.

The queue is fair across all workers. Each job has a number, and jobs of one rank are served in the order of their numbers. A new job of an
address gets the number after its last one, but not below that of the running job, so that addresses take turns (start-time fair queueing).
At one address, people take turns. Addresses and people are stored as keyed digests.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException

from terrarium.play.table import Table
from terrarium.server.database.chain import GameDamaged
from terrarium.server.jobs.computers import choose, played
from terrarium.server.jobs.fair import Place, Rank
from terrarium.server.jobs.owners import Owners, rank
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
_RANK = 500_000_000
"""The number of priorities of each rank; a job's priority is the negative sum of the rank's first number and the job's number."""
_PATIENCE = 60
"""After this many seconds a job of a lower rank gets the first rank, so that it does not wait forever."""
_AHEAD_SECONDS = 1.0
_MAX_INTEREST = 2_000

# The number for a new job of an address in a rank, and whether the same job is already running.
_NUMBER = """
WITH jobs AS (
    SELECT status, -priority - %(base)s AS number, args->>'address' AS address FROM procrastinate_jobs
    WHERE queue_name = %(queue)s AND status IN ('todo', 'doing')
    AND -priority >= %(base)s AND -priority < %(base)s + %(size)s
)
SELECT greatest(
    coalesce(
        (SELECT max(number) FROM jobs WHERE status = 'doing'),
        (SELECT min(number) FROM jobs),
        0
    ),
    coalesce((SELECT max(number) + 1 FROM jobs WHERE address = %(address)s), 0)
) AS number,
(SELECT count(*) FROM procrastinate_jobs WHERE lock = %(name)s AND status = 'doing') AS running
"""
# Distributes the numbers of an address among its people in turn.
_SHARE = """
WITH own AS (
    SELECT id, priority, row_number() OVER (PARTITION BY args->>'person' ORDER BY id) AS nth
    FROM procrastinate_jobs
    WHERE queue_name = %(queue)s AND status = 'todo' AND args->>'address' = %(address)s
    AND -priority >= %(base)s AND -priority < %(base)s + %(size)s
),
jobs AS (SELECT id, row_number() OVER (ORDER BY nth, id) AS place FROM own),
places AS (SELECT priority, row_number() OVER (ORDER BY priority DESC, id) AS place FROM own)
UPDATE procrastinate_jobs SET priority = places.priority FROM jobs JOIN places USING (place)
WHERE procrastinate_jobs.id = jobs.id AND procrastinate_jobs.status = 'todo'
AND procrastinate_jobs.priority <> places.priority
"""
# Jobs below a rank: those of a game, or queued before a time.
_LOWER = """
SELECT id, args->>'address' AS address FROM procrastinate_jobs
WHERE queue_name = %(queue)s AND status = 'todo' AND -priority >= %(base)s + %(size)s
AND (args->>'game_id' = %(game)s OR (args->>'at')::float < %(since)s)
ORDER BY priority DESC, id LIMIT 100
"""
_RAISE = """
UPDATE procrastinate_jobs SET priority = %(priority)s WHERE id = %(id)s AND status = 'todo'
"""
_ORDER = """
SELECT args->>'game_id' AS game, row_number() OVER (ORDER BY priority DESC, id) AS number FROM procrastinate_jobs
WHERE queue_name = %(queue)s AND status = 'todo'
"""


class EngineQueue:
    """Adds turns to the queue, and computes turns from it if this process has engine threads."""

    def __init__(
        self, settings: Settings, tables: Tables, pool: Pool | None, owners: Owners | None = None
    ) -> None:
        self._tables = tables
        self._owners = owners or Owners()
        self._key = settings.secret.encode()[:64]
        self._interest: dict[str, None] = {}
        self._ahead: dict[str, int] = {}
        self._reported: dict[str, int] = {}
        self.on_ahead: Callable[[str, int], None] | None = None
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
        # Two jobs that are numbered concurrently would get the same number.
        self._numbering = asyncio.Lock()
        self._running: dict[str, tuple[int, asyncio.Task[Any]]] = {}

    @property
    def jobs(self) -> int:
        """The number of turns that this process is computing."""
        return len(self._running)

    def ahead(self, game_id: str) -> int | None:
        """The number of turns of other games that are computed before this game's, up to a second ago; None if it does not wait."""
        self._interested(game_id)
        return self._ahead.get(game_id)

    def watched(self, game_id: str) -> None:
        """Raise the rank of a game's turn if it is watched now. The rank is never lowered, because others may watch from other workers."""
        entry = self._tables.cached(game_id)
        if entry is None or not entry.table.awaits_computer or not self._is_open:
            return
        if self._tables.is_watched(game_id):
            self._interested(game_id)
            self._later(self._raised(game_id, rank(entry.table, is_watched=True)))

    def _interested(self, game_id: str) -> None:
        if len(self._interest) < _MAX_INTEREST:
            self._interest[game_id] = None

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._deferring.add(task)
        task.add_done_callback(self._deferring.discard)

    async def open(self) -> None:
        """Connect, and start computing turns from the queue."""
        await self._app.open_async()
        self._is_open = True
        self._tasks = [asyncio.create_task(self._rescue()), asyncio.create_task(self._count())]
        if self._pool is not None:
            self._tasks.append(asyncio.create_task(self._work(self._pool.threads)))

    async def close(self) -> None:
        """Stop; unfinished turns are given to other workers."""
        self._is_open = False
        tasks = [*self._tasks, *self._deferring]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        with suppress(TimeoutError, ProcrastinateException):
            await asyncio.wait_for(self._app.close_async(), _CLOSE_SECONDS)

    def schedule(self, table: Table) -> None:
        """Queue the turn if a computer has to move."""
        running = self._running.get(table.id)
        if running is not None and running[0] != table.position_seq:
            running[1].cancel()
        if table.awaits_computer and self._is_open:
            # A person who has just played waits, perhaps connected to another worker.
            has_played = bool(table.turns) and table.turns[-1].by == "player"
            is_watched = has_played or self._tables.is_watched(table.id)
            place = self._owners.place(table, is_watched=is_watched)
            self._interested(table.id)
            self._later(self._defer(table.id, table.position_seq, place))

    async def _defer(self, game_id: str, position_seq: int, place: Place) -> None:
        name = f"{game_id} {position_seq}"
        address, person = self._digest(place.address), self._digest(place.person)
        values = self._values(place.rank, address=address)
        try:
            async with self._numbering:
                priority, is_running = await self._priority(place.rank, address, name)
                if is_running:
                    return
                job = self._think.configure(lock=name, queueing_lock=name, priority=priority)
                await job.defer_async(
                    game_id=game_id,
                    position_seq=position_seq,
                    address=address,
                    person=person,
                    at=time.time(),
                )
                await self._app.connector.execute_query_async(_SHARE, **values)
        except AlreadyEnqueued:
            pass
        except (ProcrastinateException, OSError) as error:
            # The next sweep finds the game again.
            logger.warning("queue: %s", type(error).__name__)
            return
        # Somebody may have started to watch while it was being queued.
        self.watched(game_id)

    def _values(self, of: Rank, **more: Any) -> dict[str, Any]:
        return {"queue": QUEUE, "base": of * _RANK, "size": _RANK} | more

    def _digest(self, text: str) -> str:
        """The digest of an address or a person for the queue; a digest from the queue is returned as it is."""
        if text.startswith("#"):
            return text
        return "#" + hashlib.blake2b(text.encode(), key=self._key, digest_size=12).hexdigest()

    async def _priority(self, of: Rank, address: str, name: str = "") -> tuple[int, bool]:
        """The priority of a new job of an address, and whether the job with this name is running."""
        values = self._values(of, address=address, name=name)
        found = await self._app.connector.execute_query_one_async(_NUMBER, **values)
        return -values["base"] - min(found["number"], _RANK - 1), bool(found["running"])

    async def _raise(self, to: Rank, game_id: str = "", since: float = 0) -> None:
        """Raise the rank of a game's job, or of jobs queued before a time; each becomes the last of its address."""
        connector = self._app.connector
        values = self._values(to, game=game_id, since=since)
        for row in await connector.execute_query_all_async(_LOWER, **values):
            priority, _ = await self._priority(to, row["address"])
            await connector.execute_query_async(_RAISE, id=row["id"], priority=priority)
            shared = self._values(to, address=row["address"])
            await connector.execute_query_async(_SHARE, **shared)

    async def _raised(self, game_id: str, to: Rank) -> None:
        with suppress(ProcrastinateException, OSError):
            async with self._numbering:
                await self._raise(to, game_id)

    async def _thought(
        self, game_id: str, position_seq: int, address: str = "", person: str = "", at: float = 0.0
    ) -> None:
        if address:
            self._owners.reported(game_id, address, person)
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
        # `_is_open` is checked each time, because procrastinate may return normally after a cancellation.
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
        # Not retried as the same job, because the sweep may have queued the same turn again meanwhile.
        if job.id is not None:
            await self._app.job_manager.finish_job_by_id_async(
                job.id, procrastinate.jobs.Status.FAILED, delete_job=True
            )
        game_id, position_seq = job.task_kwargs["game_id"], job.task_kwargs["position_seq"]
        assert isinstance(game_id, str)
        assert isinstance(position_seq, int)
        place = Place(Rank.LATER, str(job.task_kwargs.get("address") or game_id))
        await self._defer(game_id, position_seq, place)

    async def _rescue(self) -> None:
        """Give the jobs of dead workers to others, and delete those that failed long ago."""
        manager = self._app.job_manager
        while self._is_open:
            await asyncio.sleep(_LOST_AFTER / 2)
            try:
                for job in await manager.get_stalled_jobs(
                    queue=QUEUE, seconds_since_heartbeat=_LOST_AFTER
                ):
                    await self._give_away(job)
                async with self._numbering:
                    await self._raise(Rank.INTERACTIVE, since=time.time() - _PATIENCE)
                await manager.delete_old_jobs(
                    nb_hours=_KEEP_HOURS, queue=QUEUE, include_failed=True
                )
            except (ProcrastinateException, OSError) as error:
                logger.warning("queue: %s", type(error).__name__)

    async def _count(self) -> None:
        """Read the places of the games watched here, and report changes to their watchers."""
        while self._is_open:
            await asyncio.sleep(_AHEAD_SECONDS)
            if not self._interest and not self._ahead:
                continue
            try:
                rows = await self._app.connector.execute_query_all_async(_ORDER, queue=QUEUE)
            except (ProcrastinateException, OSError):
                continue
            order = {row["game"]: row["number"] for row in rows}
            self._ahead = {game: order[game] for game in self._interest if game in order}
            self._interest = dict.fromkeys(self._ahead)
            self._report()

    def _report(self) -> None:
        reported = self._reported
        self._reported = {
            game: n for game, n in self._ahead.items() if self._tables.is_watched(game)
        }
        if self.on_ahead is None:
            return
        for game_id, number in self._reported.items():
            if reported.get(game_id) != number:
                self.on_ahead(game_id, number)
        for game_id in reported.keys() - self._reported.keys():
            self.on_ahead(game_id, 0)
