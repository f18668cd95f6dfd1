"""All parts of one server process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now, wall_clock
from terrarium.play.commands import Decision
from terrarium.play.errors import TooMany, Unavailable
from terrarium.play.log import SeatHolders
from terrarium.play.messages import QueueMessage
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Accounts
from terrarium.server.accounts.attempts import StoredAttempts
from terrarium.server.accounts.challenges import Challenges
from terrarium.server.accounts.contacts import Contacts
from terrarium.server.accounts.cookies import Signer
from terrarium.server.accounts.passwords import Guesses
from terrarium.server.accounts.quotas import Quotas
from terrarium.server.accounts.sessions import Sessions
from terrarium.server.accounts.tokens import Tokens
from terrarium.server.accounts.vacation import Vacations
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.database.store import Store
from terrarium.server.http.connections import Connections
from terrarium.server.http.limits import Limits
from terrarium.server.jobs.analysis import Analysis
from terrarium.server.jobs.computers import Computers
from terrarium.server.jobs.finished import FinishedGames
from terrarium.server.jobs.mail import Mailer
from terrarium.server.jobs.notices import Notices
from terrarium.server.jobs.owners import Owners
from terrarium.server.jobs.pictures import Pictures
from terrarium.server.jobs.pool import Pool
from terrarium.server.jobs.push import Pusher, new_key
from terrarium.server.live.audience import Audience
from terrarium.server.live.feeds import Feeds
from terrarium.server.live.plans import Plans
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.sharing import Sharing
from terrarium.server.live.studies import Studies
from terrarium.server.live.tables import Tables
from terrarium.server.live.talk import Talk
from terrarium.server.live.watchers import Watcher
from terrarium.server.operation.admin import Admin
from terrarium.server.operation.control import Control
from terrarium.server.operation.metrics import Metrics
from terrarium.server.operation.retention import Retention, Rules
from terrarium.server.operation.siblings import Siblings
from terrarium.server.operation.tracing import Tracing
from terrarium.server.settings import Settings

if TYPE_CHECKING:
    from terrarium.server.jobs.queue import EngineQueue
    from terrarium.server.live.notify import Notifications

__all__ = ["Services"]

logger = logging.getLogger("terrarium.services")
T = TypeVar("T")
_SWEEP_SECONDS = 0.5
_MAX_WORK = 50
_RESCUE_MS = 3_000
_MAX_DAMAGED = 1_000


class Services:
    """The parts of a running server."""

    def __init__(
        self,
        settings: Settings,
        now: Now = wall_clock,
        tracing: Tracing | None = None,
        siblings: Path | None = None,
    ) -> None:
        self.settings = settings.with_secret()
        self.now = now
        self.store = Store(settings)
        self.tracing = tracing
        if tracing is not None:
            self.store.span = tracing.span
        self.is_open = False
        self.tables = Tables(self.store, now, settings.cached_games)
        self.rooms = Rooms(now, settings.send_queue)
        self.tables.is_watched = self.rooms.is_watched
        self.tables.on_read = self.rooms.start_over
        self.rooms.holders = self.tables.holders
        self.limits = Limits(settings.rate)
        self.quotas = Quotas(self.store, now, settings.rate, self.settings.secret)
        self.connections = Connections(
            settings.client_seconds,
            settings.max_waiting_each if settings.rate else settings.max_waiting,
            settings.max_waiting,
            os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1").replace(",", " ").split(),
        )
        self.accounts = Accounts(self.store, now)
        self.attempts = StoredAttempts(self.store)
        self.tokens = Tokens(self.store, now)
        self.sessions = Sessions(self.store, now)
        self.challenges = Challenges(self.store, now)
        self.guesses = Guesses()
        self.vacations = Vacations(self.accounts, self.tables)
        self.signer = Signer(self.settings.secret)
        self.owners = Owners()
        self.pool = Pool(max(1, settings.engine_threads))
        self.computers: Computers | EngineQueue = Computers(
            self.tables, self.pool, settings.engine_seconds, self.owners
        )
        self.notifications: Notifications | None = None
        self.analysis = Analysis(self.store, now)
        self.finished = FinishedGames(self.store, now, self.work)
        self.pictures = Pictures()
        self.feeds = Feeds(self.tables, self.challenges, now)
        self.talk = Talk(self.store, self.tables, now, self._changed)
        self.plans = Plans(self.store, self.tables, now, self._changed)
        self.studies = Studies(self.store, now, self.work)
        self.sharing = Sharing(self.store, self.studies, now)
        self.audience = Audience(self.store, self.studies, now) if settings.is_postgres else None
        self.contacts = Contacts(self.store, now)
        self.mailer = Mailer(settings.smtp_url, settings.mail_from)
        self.pusher = Pusher(settings.push_contact, settings.push_hosts)
        self.notices = Notices(
            self.store,
            self.contacts,
            self.pusher,
            self.mailer,
            now,
            self._here,
            lambda person: self.limits.wait("notice", person),
            settings.page,
        )
        self.retention = Retention(
            self.store,
            self.tables,
            now,
            Rules(settings.keep_unbegun_days, settings.keep_guest_days),
            self.studies.refresh_all,
        )
        self.admin = Admin(
            self.store,
            self.accounts,
            self.tables,
            now,
            self.retention,
            self.recheck,
            self.studies.refresh_all,
        )
        self.metrics = Metrics()
        self.siblings = Siblings(self.metrics, siblings)
        self._workshop = ThreadPoolExecutor(2, "workshop")
        self._slow = asyncio.Lock()
        self._working = 0
        self._sweeper: asyncio.Task[None] | None = None
        self._control = None if settings.is_postgres else Control(settings, self.admin)
        self.tables.listeners += [self.rooms.listener, self.feeds.listener]
        if settings.is_postgres:
            # Imported here, because on SQLite they would only slow down the start.
            from terrarium.server.jobs.queue import EngineQueue
            from terrarium.server.live.notify import Notifications

            self.computers = EngineQueue(
                self.settings,
                self.tables,
                self.pool if settings.engine_threads else None,
                self.owners,
            )
            dsn = settings.postgres_dsn
            self.notifications = Notifications(
                dsn,
                self.tables,
                self.rooms,
                self.feeds,
                self.studies,
                now,
                self.recheck,
                self._changed,
            )
        self.computers.on_ahead = lambda game_id, ahead: self.rooms.send(
            game_id, QueueMessage(ahead=ahead)
        )
        self.rooms.on_watched = lambda game_id: self.computers.watched(game_id)
        # With several workers, the one that stored the previous turn starts the computer.
        self.tables.own_listeners.append(lambda _, __, table: self.computers.schedule(table))
        self.tables.own_listeners.append(lambda _, __, table: self.plans.schedule(table.id))
        self.tables.own_listeners.append(
            lambda before, _, after: self.notices.schedule(before, after)
        )
        self.tables.own_listeners.append(
            lambda before, _, after: self.finished.schedule(before, after)
        )
        self._measure()

    async def open(self) -> None:
        """Migrate the database, start all services, and resume computers' turns after a stop or crash."""
        await self.store.open()
        self.pusher.private = await self.contacts.key(new_key)
        await self.plans.open()
        await self.computers.open()
        if self.notifications is not None:
            self.notifications.open()
        if self.audience is not None:
            self.audience.open()
        if self._control is not None:
            await self._control.open()
        await self.siblings.open()
        # Exclude the objects created so far from garbage collection, which pauses the whole process.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        logger.info("ready")
        self.is_open = True
        self._sweeper = asyncio.create_task(self._sweep(), name="sweeper")

    async def close(self) -> None:
        """Stop all services; acknowledged turns are on disk, and running commands are completed."""
        self.end_streams()
        await self.siblings.close()
        if self._control is not None:
            await self._control.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
        if self.notifications is not None:
            await self.notifications.close()
        if self.audience is not None:
            await self.audience.close()
        await self.plans.close()
        await self.notices.close()
        await self.computers.close()
        await self.analysis.close()
        await self.finished.close()
        await self.pictures.close()
        await self.tables.drain()
        await self.studies.drain()
        self.pool.close()
        self.accounts.close()
        self._workshop.shutdown(wait=False, cancel_futures=True)
        await self.store.close()
        if self.tracing is not None:
            await asyncio.to_thread(self.tracing.close)
        logger.info("stopped; everything acknowledged is stored")

    def end_streams(self) -> None:
        """End all streams and refuse new work, because the process is stopping."""
        self.is_open = False
        self.rooms.end_streams()
        self.feeds.end_streams()

    async def _sweep(self) -> None:
        """Regularly start computers that have to move, end turns whose time is up, and run the other periodic tasks."""
        while True:
            try:
                for game_id in await self._due():
                    await self._look_at(game_id)
                await self.vacations.end_overdue()
                await self.challenges.end_overdue()
                for game_id in await self.plans.due():
                    self.plans.schedule(game_id)
                await self.talk.forget()
                await self.retention.look()
                await self.quotas.forget()
                await self.finished.look()
                await self.studies.chain()
            except TerrariumError as error:
                logger.warning("sweep: %s", error.code)
            except Exception:
                logger.exception("sweep")
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _look_at(self, game_id: str) -> None:
        """Check one game; an error in it must not stop the sweep."""
        try:
            table = await self.tables.table(game_id)
            self.computers.schedule(table)
            if table.clock is not None:
                await self.tables.command(game_id, _nothing)
        except GameDamaged:
            return
        except Unavailable:
            raise
        except TerrariumError as error:
            logger.warning("sweep of %s: %s", game_id, error.code)

    async def _due(self) -> list[str]:
        games, now = schema.games, self.now()
        # Damaged games are excluded, because many of them would fill the result.
        is_well = games.c.id.not_in(list(self.tables.damaged)[:_MAX_DAMAGED])

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            overdue = select(games.c.id).where(games.c.deadline < now, is_well).limit(500)
            # The worker that stored the previous turn starts the computer; this is the fallback.
            patience = now - (_RESCUE_MS if self.store.is_postgres else 0)
            computers = (
                select(games.c.id)
                .where(games.c.awaits_computer.is_(True), games.c.updated <= patience, is_well)
                .limit(500)
            )
            return [
                *(await connection.execute(overdue)).scalars(),
                *(await connection.execute(computers)).scalars(),
            ]

        return list(dict.fromkeys(await self.store.read(job)))

    async def work(self, job: Callable[[], T], *, is_slow: bool = False) -> T:
        """Run a job that takes a moment, such as writing a record, in another thread.

        Slow jobs run one at a time, so that shorter ones don't wait for them.
        """
        if self._working >= _MAX_WORK:
            raise TooMany("concurrent records and boards", 2)
        self._working += 1
        try:
            async with self._slow if is_slow else contextlib.nullcontext():
                return await asyncio.get_running_loop().run_in_executor(self._workshop, job)
        finally:
            self._working -= 1

    async def _here(self, game_id: str) -> set[int]:
        """The seats of a game that are connected to any worker, as far as this worker can know."""
        now = self.now()
        elsewhere = {seat for seat, until in (await self.seen(game_id)).items() if until > now}
        return self.rooms.connected(game_id) | elsewhere

    def _changed(self, game_id: str, what: str, seat: int | None) -> None:
        """Notify seats connected here that something private to them changed."""
        if what == "plans":
            self.plans.changed_elsewhere(game_id)
        self.rooms.announce_change(game_id, "plans" if what == "plans" else "talk", seat)

    async def recheck(self, account: str | None = None) -> None:
        """End connections to this process whose token was revoked or whose session ended: of one account, or all."""
        rooms = [
            item for item in self.rooms.signed_in() if account in (None, item[1].caller.account)
        ]
        others: list[Watcher] = [
            item
            for item in (*self.feeds.signed_in(), *self.studies.signed_in())
            if account in (None, item.caller.account)
        ]
        watchers = [*(watcher for _, watcher in rooms), *others]
        accounts = {watcher.caller.account for watcher in watchers}
        valid = await self.sessions.credentials(id for id in accounts if id is not None)
        for game_id, watcher in rooms:
            if watcher.caller.credential not in valid:
                self.rooms.revoke(game_id, watcher)
        for other in others:
            if other.caller.credential not in valid:
                other.revoke()

    async def recheck_one(self, game_id: str | None, watcher: Watcher) -> None:
        """Check the credentials of a connection that was just opened, because they may have been revoked meanwhile."""
        caller = watcher.caller
        if caller.account is None or caller.credential is None:
            return
        if caller.credential in await self.sessions.credentials({caller.account}):
            return
        if game_id is None:
            watcher.revoke()
        else:
            self.rooms.revoke(game_id, watcher)

    async def seen(self, game_id: str) -> dict[int, int]:
        """The ends of seats' leases in the database; empty on SQLite, which has one worker."""
        if self.notifications is None:
            return {}
        return await self.notifications.presence.seen(game_id)

    def away_for(self, table: Table, seat: int, now: int, seen: Mapping[int, int]) -> float:
        """For how many seconds a seat has neither played nor been connected; `seen` is the result of `seen`."""
        if seat in self.rooms.connected(table.id):
            return 0.0
        since = max(table.updated, self.rooms.seen(table.id, seat), seen.get(seat, 0))
        return max(0, now - since) / 1000

    def _measure(self) -> None:
        gauge = self.metrics.gauge
        gauge("watchers", "Sockets and streams that watch games.", lambda: self.rooms.watchers)
        gauge(
            "connections_waiting",
            "Connections that wait for their client to send or read.",
            lambda: len(self.connections),
        )
        gauge(
            "connections_closed_total",
            "Connections closed because their client sent too slowly, too much, or did not read.",
            lambda: self.connections.closed.total(),
            "counter",
        )
        gauge("engine_jobs", "Turns that are being computed.", lambda: self.computers.jobs)
        gauge(
            "games_damaged",
            "Games quarantined because their log is damaged or can't be replayed.",
            lambda: len(self.tables.damaged),
        )
        gauge(
            "studies_damaged",
            "Studies quarantined because their log is damaged or can't be replayed.",
            lambda: len(self.studies.damaged),
        )
        gauge(
            "watchers_dropped_total",
            "Watchers dropped because they were too slow.",
            lambda: self.rooms.dropped,
            "counter",
        )
        gauge("messages_total", "Messages sent to watchers.", lambda: self.rooms.sent, "counter")
        gauge(
            "turns_total",
            "Turns played, as received by this process.",
            lambda: self.tables.turns,
            "counter",
        )
        gauge("commits_total", "Transactions committed.", lambda: self.store.commits, "counter")
        gauge("writes_total", "Writes in those transactions.", lambda: self.store.writes, "counter")


def _nothing(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
    """A command that changes nothing, so that only the clock is checked."""
    return Decision()
