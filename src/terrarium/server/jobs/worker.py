"""A process that only computes turns, from the queue of a server on PostgreSQL."""

from __future__ import annotations

import asyncio
import logging
import signal

from terrarium.play.clocks import wall_clock
from terrarium.server.database.store import Store
from terrarium.server.jobs.pool import Pool
from terrarium.server.jobs.queue import EngineQueue
from terrarium.server.live.tables import Tables
from terrarium.server.settings import InvalidSettings, Settings

__all__ = ["work"]

logger = logging.getLogger("terrarium.worker")


async def work(settings: Settings) -> None:
    """Compute turns until a signal stops the process."""
    if not settings.is_postgres:
        message = "a worker needs the server's PostgreSQL database; with SQLite the server computes turns itself"
        raise InvalidSettings("worker-database", message)
    store = Store(settings)
    tables = Tables(store, wall_clock, settings.cached_games)
    pool = Pool(max(1, settings.engine_threads))
    queue = EngineQueue(settings, tables, pool)
    tables.own_listeners.append(lambda _, __, table: queue.schedule(table))
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await store.open()
    await queue.open()
    logger.info("computing turns with %d threads", pool.threads)
    try:
        await stop.wait()
    finally:
        await queue.close()
        await tables.drain()
        pool.close()
        await store.close()
