"""Notices to people that it is their turn, in games with days per turn: by Web Push and by email.

The worker that stored a turn sends the notice. It first inserts a row for the turn; if the row exists already, another
worker sends the notice, so that nobody is notified twice. People who are connected to the game get no notice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now
from terrarium.play.table import Table
from terrarium.server.accounts.contacts import Contacts, Subscription
from terrarium.server.database import schema
from terrarium.server.database.store import Store
from terrarium.server.database.writing import UniqueViolation
from terrarium.server.jobs.lanes import Lanes
from terrarium.server.jobs.mail import Mailer
from terrarium.server.jobs.notice_texts import notice_text
from terrarium.server.jobs.push import Pusher
from terrarium.server.live.talk import everybody

__all__ = ["Notices"]

logger = logging.getLogger("terrarium.notices")
_MAX_PENDING = 1_000
_KEEP_MS = 40 * 86_400_000
"""Rows are deleted after this time; a turn has at most 30 days."""


class Recipients(NamedTuple):
    """The subscriptions and addresses for a notice about one turn."""

    person: str
    """One of the person's ids, always the same."""
    pushes: Sequence[Subscription]
    mails: Sequence[tuple[str, str]]
    """Addresses, each with its language."""


class Notices:
    """Checks every turn and notifies the seat to move."""

    def __init__(
        self,
        store: Store,
        contacts: Contacts,
        pusher: Pusher,
        mailer: Mailer,
        now: Now,
        connected: Callable[[str], Awaitable[set[int]]],
        wait: Callable[[str], float],
        url: str,
    ) -> None:
        self._store = store
        self._contacts = contacts
        self._pusher = pusher
        self._mailer = mailer
        self._now = now
        self._connected = connected
        self._wait = wait
        """Counts a notice for a person; returns the seconds until the next one may be sent."""
        self._url = url
        self._lanes = Lanes()
        self._mailing = ThreadPoolExecutor(2, "mails")
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock for each person, so that push services that do not answer block only one thread."""

    def schedule(self, before: Table, after: Table) -> None:
        """Notify the seat to move, if it has days for its turn and the position is new."""
        if (
            after.clock is None
            or not after.clock.is_correspondence
            or after.status != "playing"
            or after.to_move is None
            or after.seats[after.to_move].is_computer
            or (after.position_seq == before.position_seq and before.status == "playing")
        ):
            return
        if len(self._tasks) >= _MAX_PENDING:
            logger.warning("notice about %s left out: too many wait", after.id)
            return
        task = asyncio.create_task(self._try_to_notify(after, after.to_move))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait a moment for notices that are being sent."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=2.0)
        for task in self._tasks:
            task.cancel()
        self._lanes.close()
        self._mailing.shutdown(wait=False, cancel_futures=True)

    async def _try_to_notify(self, table: Table, seat: int) -> None:
        try:
            await self._notify(table, seat)
        except TerrariumError as error:
            logger.warning("notice about %s: %s", table.id, error.code)
        except Exception:
            # The exception's text is not logged, because it may contain addresses or keys.
            logger.warning("notice about %s failed", table.id)

    async def _notify(self, table: Table, seat: int) -> None:
        # Checked first, because a player who sees the turn now may have left when the rest is done.
        if seat in await self._connected(table.id):
            return
        recipients = await self._recipients(table.id, seat)
        if not (recipients.pushes or recipients.mails) or self._wait(recipients.person):
            return
        if not await self._claim(table, seat):
            return
        async with self._sending.setdefault(recipients.person, asyncio.Lock()):
            await self._send(table, seat, recipients)

    async def _send(self, table: Table, seat: int, recipients: Recipients) -> None:
        others = [one.name for number, one in enumerate(table.seats) if number != seat and one.name]
        title = table.start.game.title
        loop = asyncio.get_running_loop()
        for subscription in recipients.pushes:
            said = notice_text(subscription.language, title, others)
            payload = {
                "type": "your-turn",
                "game": table.id,
                "title": said.title,
                "body": said.body,
            }
            host = urlsplit(subscription.endpoint).netloc
            send = partial(self._pusher.send, subscription, payload)
            is_gone = await self._lanes.run(host, send)
            if is_gone is None:
                logger.warning("notice about %s left out: its push service is slow", table.id)
            if is_gone:
                await self._contacts.remove_push(subscription.id)
        for address, language in recipients.mails:
            said = notice_text(language, title, others)
            text = (
                f"{said.body}\n\n{self._url}/g/{table.id}\n\n{said.footer}\n{self._url}/settings\n"
            )
            await loop.run_in_executor(self._mailing, self._mailer.send, address, said.title, text)

    async def _recipients(self, game_id: str, seat: int) -> Recipients:
        holders, pushes, mails = schema.holders, schema.pushes, schema.mails

        async def job(connection: AsyncConnection) -> Recipients:
            held = holders.c.game_id == game_id, holders.c.seat == seat
            own = (await connection.execute(select(holders.c.person).where(*held))).scalars()
            people = await everybody(connection, own)
            rows = await connection.execute(select(pushes).where(pushes.c.person.in_(people)))
            found = [
                Subscription(row.id, row.endpoint, row.p256dh, row.auth, row.language)
                for row in rows.all()
            ]
            accounts = [who[2:] for who in people if who.startswith("a:")]
            query = select(mails).where(
                mails.c.account_id.in_(accounts), mails.c.code_hash.is_(None)
            )
            sent = (await connection.execute(query)).all() if self._mailer.is_possible else []
            return Recipients(
                min(people, default=""), found, [(row.address, row.language) for row in sent]
            )

        found: Recipients = await self._store.read(job)
        return found

    async def _claim(self, table: Table, seat: int) -> bool:
        """Insert the row for this notice; returns False if another worker was first."""
        rows, now = schema.notices, self._now()

        async def job(connection: AsyncConnection) -> None:
            values = {"game_id": table.id, "seq": table.position_seq, "seat": seat, "at": now}
            await connection.execute(insert(rows).values(values))
            old = rows.c.game_id == table.id, rows.c.at < now - _KEEP_MS
            await connection.execute(delete(rows).where(*old))

        try:
            await self._store.write(job)
        except UniqueViolation:
            return False
        return True
