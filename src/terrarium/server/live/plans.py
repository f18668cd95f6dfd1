"""Plans on a server: rows that wait until they are due, fail, or their game ends.

The worker that stored a turn checks whether a plan is due, and the sweep checks again if that failed. A planned turn is an
ordinary turn: it is checked on the present table, and committed only if the table has not changed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any

import msgspec
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.errors import TerrariumError
from terrarium.play.clocks import Now
from terrarium.play.commands import Decision
from terrarium.play.errors import Conflict, NotFound
from terrarium.play.log import SeatHolders
from terrarium.play.plans import (
    MAX_PLANS,
    Plan,
    PlannedTurn,
    Progress,
    check_plan,
    due,
    follow,
    planned_turn,
    replaced,
)
from terrarium.play.table import Table
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.database.store import Store
from terrarium.server.live.tables import Tables

__all__ = ["Plans"]

logger = logging.getLogger("terrarium.plans")
_RESCUE_MS = 3_000
_MAX_ENDED = 8
"""How many played or failed plans of a seat are kept, so that its holder can see the results."""


class Plans:
    """The plans of all games; the ids of games with waiting plans are in memory."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        now: Now,
        changed: Callable[[str, str, int | None], None] | None = None,
    ) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._changed = changed
        self._games: set[str] = set()
        self._again: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def open(self) -> None:
        """Read which games have waiting plans."""
        rows = schema.plans

        async def job(connection: AsyncConnection) -> set[str]:
            waiting = select(rows.c.game_id).where(rows.c.state == "waiting").distinct()
            return set((await connection.execute(waiting)).scalars())

        self._games |= await self._store.read(job)

    async def close(self) -> None:
        """Stop; due plans are found after the next start."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def changed_elsewhere(self, game_id: str) -> None:
        """Note that another worker changed the plans of a game."""
        self._games.add(game_id)

    async def add(
        self,
        table: Table,
        held: Collection[int],
        seat: int,
        seq: int,
        turns: Sequence[PlannedTurn],
    ) -> None:
        """Store a plan for a seat; it replaces a plan for the same case."""
        plan = check_plan(table, held, seat, seq, turns, secrets.token_hex(8))
        rows = schema.plans

        async def job(connection: AsyncConnection) -> None:
            # One writer at a time for each game, so that the limit also holds for two browser tabs.
            game = select(schema.games.c.id).where(schema.games.c.id == table.id).with_for_update()
            await connection.execute(game)
            known = await _rows(connection, table.id, seat)
            waiting = {row.id: _plan(row) for row in known if row.state == "waiting"}
            gone = replaced(waiting, plan)
            if len(waiting) - len(gone) >= MAX_PLANS:
                message = f"a seat has at most {MAX_PLANS} plans at once; remove one first"
                raise Conflict("too-many-plans", message, seq=table.seq)
            await connection.execute(delete(rows).where(rows.c.id.in_(gone)))
            values = {
                "id": plan.id,
                "game_id": table.id,
                "seat": seat,
                "base": plan.base,
                "turns": msgspec.json.encode(plan.turns).decode(),
                "created": self._now(),
                "state": "waiting",
                "done": 0,
                "reason": None,
                "seen": table.seq,
            }
            await connection.execute(insert(rows).values(values))
            await self._notify_workers(connection, table.id, seat)

        await self._store.write(job)
        self._notify_seat(table.id, seat)
        # The game may have changed while the plan was stored.
        self.schedule(table.id)

    async def remove(self, table: Table, seat: int, id: str) -> None:
        """Delete a plan in any state."""
        rows = schema.plans

        async def job(connection: AsyncConnection) -> int:
            own = rows.c.id == id, rows.c.game_id == table.id, rows.c.seat == seat
            found = (await connection.execute(delete(rows).where(*own))).rowcount
            await self._notify_workers(connection, table.id, seat)
            return int(found)

        if not await self._store.write(job):
            raise NotFound("no-such-plan", f"{id[:40]!r}: there is no such plan")
        self._notify_seat(table.id, seat)

    async def of_seat(self, table: Table, seat: int) -> list[tuple[Plan, Progress]]:
        """The plans of a seat with their progress, oldest first."""
        rows = await self._store.read(lambda connection: _rows(connection, table.id, seat))
        found = []
        for row in rows:
            plan, progress = _plan(row), Progress(row.state, row.done, row.reason)
            now = follow(table, plan)
            # A new holder of the seat must not see the former holder's plans.
            if "seat-lost" not in (now.reason, progress.reason):
                found.append((plan, now if row.state == "waiting" else progress))
        return found

    def schedule(self, game_id: str) -> None:
        """Check soon whether a plan of this game is due, if it has any."""
        if game_id not in self._games:
            return
        if game_id in self._tasks:
            self._again.add(game_id)
            return
        task = asyncio.create_task(self._check(game_id))
        self._tasks[game_id] = task
        task.add_done_callback(lambda _: self._over(game_id))

    def _over(self, game_id: str) -> None:
        self._tasks.pop(game_id, None)
        if game_id in self._again:
            self._again.discard(game_id)
            self.schedule(game_id)

    async def due(self) -> list[str]:
        """The games that changed since their plans were last checked, for the sweep."""
        if not self._games:
            return []
        rows, games = schema.plans, schema.games
        patience = self._now() - (_RESCUE_MS if self._store.is_postgres else 0)

        async def job(connection: AsyncConnection) -> list[str]:
            query = (
                select(rows.c.game_id)
                .distinct()
                .join(games, games.c.id == rows.c.game_id)
                .where(rows.c.state == "waiting", games.c.seq > rows.c.seen)
                .where(games.c.updated <= patience)
                .limit(500)
            )
            return list((await connection.execute(query)).scalars())

        found: list[str] = await self._store.read(job)
        return found

    async def _check(self, game_id: str) -> None:
        try:
            await self._look(game_id)
        except GameDamaged:
            return
        except TerrariumError as error:
            logger.warning("plans of %s: %s", game_id, error.code)
        except Exception:
            logger.exception("plans of %s", game_id)

    async def _look(self, game_id: str) -> None:
        rows = await self._store.read(lambda connection: _rows(connection, game_id))
        plans = [_plan(row) for row in rows if row.state == "waiting"]
        if not plans:
            self._games.discard(game_id)
            return

        def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
            found = due(table, plans)
            return Decision() if found is None else planned_turn(table, *found)

        table, decision = await self._tables.command(game_id, decide)
        if decision.drafts:
            self._again.add(game_id)  # the turn may have completed a plan, or made another one due
        await self._write(table, rows)

    async def _write(self, table: Table, rows: Sequence[Any]) -> None:
        """Store the results of ended plans, and the seq at which all were checked."""
        waiting = {row.id: row for row in rows if row.state == "waiting"}
        ended: dict[str, Progress] = {}
        for id, row in waiting.items():
            progress = follow(table, _plan(row))
            if progress.state in ("played", "failed"):
                ended[id] = progress
        seats = {waiting[id].seat for id in ended}
        table_of = schema.plans

        async def job(connection: AsyncConnection) -> None:
            own = table_of.c.id.in_(list(waiting))
            await connection.execute(update(table_of).where(own).values(seen=table.seq))
            for id, progress in ended.items():
                values = {
                    "state": progress.state,
                    "done": progress.done,
                    "reason": progress.reason,
                }
                one = table_of.c.id == id, table_of.c.state == "waiting"
                await connection.execute(update(table_of).where(*one).values(values))
            for seat in seats:
                over = [
                    row.id
                    for row in await _rows(connection, table.id, seat)
                    if row.state != "waiting"
                ]
                old = over[: max(0, len(over) - _MAX_ENDED)]
                if old:
                    await connection.execute(delete(table_of).where(table_of.c.id.in_(old)))
                await self._notify_workers(connection, table.id, seat)

        await self._store.write(job)
        for seat in seats:
            self._notify_seat(table.id, seat)
        if len(ended) == len(waiting):
            self._games.discard(table.id)

    async def _notify_workers(self, connection: AsyncConnection, game_id: str, seat: int) -> None:
        await self._store.announce(connection, f"changed {game_id} plans {seat}")

    def _notify_seat(self, game_id: str, seat: int) -> None:
        self._games.add(game_id)
        if not self._store.is_postgres and self._changed is not None:
            self._changed(game_id, "plans", seat)


def _plan(row: Any) -> Plan:
    turns = msgspec.json.decode(row.turns, type=list[tuple[str, ...] | None])
    return Plan(row.id, row.seat, row.base, tuple(turns))


async def _rows(
    connection: AsyncConnection, game_id: str, seat: int | None = None
) -> Sequence[Any]:
    rows = schema.plans
    query = select(rows).where(rows.c.game_id == game_id)
    if seat is not None:
        query = query.where(rows.c.seat == seat)
    return (await connection.execute(query.order_by(rows.c.created, rows.c.id))).all()
