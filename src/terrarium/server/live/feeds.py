"""Feeds: one stream with the events of all games of a person, for bots.

For each follower the last seq sent of every game is stored. Every sign of a change (a command here,
a notification of another worker, the regular poll of the database) leads to the same comparison with the log, so that
every event is sent exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.challenges import FeedChallenge
from terrarium.play.clocks import Now, iso
from terrarium.play.log import LogEvent
from terrarium.play.people import Caller
from terrarium.play.shapes import FeedGame
from terrarium.play.table import Table
from terrarium.play.views import outcome_view
from terrarium.server.accounts.challenges import Challenge, Challenges
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.tables import Entry, Tables
from terrarium.server.live.watchers import StreamWatcher, encoded

__all__ = ["OVERLAP_MS", "Feeds", "Follower"]

Kind = Literal["game-start", "game-update", "game-over"]
OVERLAP_MS = 60_000
"""A change may become visible this long after its timestamp, because clocks differ and commits take time."""
_QUEUE = 1_000


class Follower(StreamWatcher):
    """A connection that follows all games of a person."""

    __slots__ = ("answered", "sent")

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller, (), _QUEUE)
        self.sent: dict[str, int] = {}
        """The last seq sent, by game."""
        self.answered: dict[str, str] = {}
        """The last status sent, by challenge."""

    def waiting(self) -> Iterator[str]:
        """Take the waiting lines from the queue."""
        while self.queue:
            yield self.next() + "\n"


class Feeds:
    """All followers of this process."""

    def __init__(self, tables: Tables, challenges: Challenges, now: Now) -> None:
        self._tables = tables
        self._challenges = challenges
        challenges.on_change = self.challenged
        self._now = now
        self._followers: set[Follower] = set()
        self._are_streams_over = False
        self._caught_up = now()

    @property
    def is_followed(self) -> bool:
        """Whether there are any followers."""
        return bool(self._followers)

    def join(self, follower: Follower) -> None:
        """Add a follower; its stream ends at once if streams have been ended."""
        if not self._followers:
            self._caught_up = self._now()
        self._followers.add(follower)
        if self._are_streams_over:
            follower.end()

    def leave(self, follower: Follower) -> None:
        """Remove a follower."""
        self._followers.discard(follower)

    def signed_in(self) -> list[Follower]:
        """The followers that are signed in to an account."""
        return [one for one in self._followers if one.caller.credential is not None]

    def end_streams(self) -> None:
        """End all streams, including future ones, so that a server that stops does not wait for its readers."""
        self._are_streams_over = True
        for follower in self._followers:
            follower.end()

    def listener(self, before: Table, log: Sequence[LogEvent], after: Table) -> None:
        """Send the new events of a game to its seat holders; registered with `Tables`."""
        entry = self._tables.cached(after.id) if self._followers else None
        if entry is not None:
            for follower in list(self._followers):
                self.send_game(follower, entry, before, after)

    def publish(self, entry: Entry) -> None:
        """Send all followers the events of a game that they have not received yet."""
        self.listener(entry.table, (), entry.table)

    def send_game(
        self,
        follower: Follower,
        entry: Entry,
        before: Table | None = None,
        after: Table | None = None,
    ) -> None:
        """Send one follower the new events of a game: all of them, or those up to `after`.

        `before` is an earlier state of the same game. Without one, the events are replayed from the entry's anchor.
        """
        table = after or entry.table
        people = follower.caller.people
        seats = [seat for seat, row in enumerate(entry.holders) if row.people & people]
        sent = follower.sent.get(table.id)
        if sent is None:
            if seats:
                is_over = table.outcome is not None
                self._send(follower, "game-over" if is_over else "game-start", table, seats)
            return
        if sent > entry.table.seq:
            # The game was restored from a backup and has fewer events now.
            self._send(follower, "game-update", entry.table, seats)
            return
        if before is None or before.seq > sent:
            before = entry.anchor
        for kind, step in _steps(before, table, sent):
            self._send(follower, kind, step, seats)
            if not seats:
                # The line above has reported that; if a seat is taken again, it is a new start.
                del follower.sent[table.id]
                return

    def _send(self, follower: Follower, kind: Kind, table: Table, seats: list[int]) -> None:
        follower.sent[table.id] = table.seq
        follower.push(
            encoded(
                FeedGame(
                    kind,
                    table.id,
                    table.game,
                    table.seq,
                    iso(table.updated),
                    table.status,
                    seats,
                    table.to_move,
                    table.to_move in seats,
                    outcome_view(table),
                    table.rematch,
                )
            )
        )

    def challenged(self, challenge: Challenge) -> None:
        """Send both players the new state of a challenge."""
        for follower in list(self._followers):
            self.send_challenge(follower, challenge)

    def send_challenge(self, follower: Follower, challenge: Challenge) -> None:
        """Send one follower the new state of a challenge."""
        account, status = follower.caller.account, challenge.status
        if account not in challenge.accounts or follower.answered.get(challenge.id) == status:
            return
        # A status other than open is final, so a late notification must not replace it.
        if status == "open" and challenge.id in follower.answered:
            return
        follower.answered[challenge.id] = status
        kind: Any = "challenge" if status == "open" else f"challenge-{status}"
        line = FeedChallenge(kind, iso(challenge.updated), challenge.view(account))
        follower.push(encoded(line))

    async def publish_challenge(self, id: str) -> None:
        """Send the new state of a challenge that another worker changed."""
        if self._followers:
            self.challenged(await self._challenges.find(id))

    async def catch_up(self) -> None:
        """Send all changes that any worker has committed since the last call, even if a notification was lost."""
        if not self._followers:
            return
        now = self._now()
        for game_id, seq in await self._changed(self._caught_up - OVERLAP_MS):
            if any(one.sent.get(game_id, 0) < seq for one in self._followers):
                with suppress(GameDamaged):
                    self.publish(await self._tables.entry(game_id, seq=seq))
        accounts = {one.caller.account for one in self._followers}
        ids = [account for account in accounts if account is not None]
        for challenge in await self._challenges.changed_since(self._caught_up - OVERLAP_MS, ids):
            self.challenged(challenge)
        self._caught_up = now

    async def _changed(self, since: int) -> list[tuple[str, int]]:
        """The games of followers with events since a time, and their seqs."""
        games, held = schema.games, schema.holders
        people = {who for follower in self._followers for who in follower.caller.people}
        query = (
            select(games.c.id, games.c.seq)
            .join(held, held.c.game_id == games.c.id)
            .where(
                # All values are listed, so that the index on these three columns can be used.
                games.c.visibility.in_(("private", "listed")),
                games.c.status.in_(("waiting", "playing", "over", "aborted")),
                games.c.updated >= since,
                held.c.person.in_(people),
            )
            .distinct()
        )

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(query)).all()

        return [(row.id, row.seq) for row in await self._tables.store.read(job)]


def _steps(before: Table | None, after: Table, sent: int) -> Iterator[tuple[Kind, Table]]:
    """The table after each event after seq `sent`, with the kind of its line."""
    if after.seq <= sent:
        return
    if before is None or before.seq > sent:
        before = Table.replay(after.id, after.log[:sent])
    while before.seq < after.seq:
        events = after.log[before.seq : before.seq + 1]
        table = after if before.seq + 1 == after.seq else before.after(events)
        is_end = before.outcome is None and table.outcome is not None
        if table.seq > sent:
            yield "game-over" if is_end else "game-update", table
        before = table
