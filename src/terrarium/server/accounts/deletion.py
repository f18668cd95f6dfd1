"""Deletion of an account: first its names are removed from its games one by one, then all its data is deleted in one transaction.

If the account takes a seat meanwhile, that happens either before this transaction, which then finds the seat and starts again, or after
it, and is refused because the account no longer exists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.commands import Decision, Draft
from terrarium.play.errors import Conflict
from terrarium.play.log import SeatHolders, formerly
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Accounts, held_by, people_of
from terrarium.server.database import schema
from terrarium.server.database.chain import (
    SEATING_KINDS,
    SET_HEAD,
    GameDamaged,
    Link,
    has_names,
    without_names,
)
from terrarium.server.database.store import Store
from terrarium.server.database.studies import forget_people
from terrarium.server.live.tables import Decide, Tables

__all__ = ["delete_account"]

_SET_ROW = text(
    "UPDATE events SET data = :data, digest = :digest WHERE game_id = :game_id AND seq = :seq"
)
_DELETE_SAID = text("DELETE FROM said WHERE game_id = :game AND seat = :seat")
_ATTEMPTS = 20
_PIECE = 200
Seats = set[tuple[str, int]]


class _SeatsLeft(Exception):
    """Seats were taken or named again after their names were removed."""


async def delete_account(
    store: Store, accounts: Accounts, tables: Tables, id: str
) -> Sequence[str]:
    """Delete an account and all its data; its seats stay and can be used with their secrets.

    Returns the ids of the studies that were deleted, or that the account edited.
    """
    people = await accounts.people(id)
    held = set(await accounts.games(people))
    lost = set(await accounts.games(formerly(people)))
    await _forget(store, tables, held, lost)
    for _ in range(_ATTEMPTS):
        try:
            touched, studies = await store.write(
                lambda connection: _delete(store, connection, id, tables)
            )
        except _SeatsLeft as left:
            held, lost = left.args
            await _forget(store, tables, held, lost)
            continue
        for game_id in touched:
            await tables.reload(game_id)
        return list(studies)
    raise Conflict("busy", "this account keeps taking seats while it is being deleted; try again")


async def _forget(store: Store, tables: Tables, held: Seats, lost: Seats) -> None:
    """Remove the names of these seats, also on the screens of watchers, then from the logs.

    Each game has a transaction of its own: together they would delay the turns of everybody else.
    """
    for game_id in sorted({game_id for game_id, _ in held | lost}):
        own = {seat for game, seat in held if game == game_id}
        former = {seat for game, seat in lost if game == game_id} - own
        with suppress(GameDamaged):
            for seat in sorted(own | former):
                only_computer = seat in former
                await tables.command(game_id, _nameless(seat, only_computer=only_computer))
        await store.write(partial(_rewrite, store, game_id, own, former))


def _nameless(seat: int, *, only_computer: bool) -> Decide:
    """The command that removes a seat's name; with `only_computer` only if a computer continues under that name."""

    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        if only_computer and not table.seats[seat].is_computer:
            return Decision()
        return Decision((Draft("sat", seat, {"name": None, "forget": True}),))

    return decide


async def _delete(
    store: Store, connection: AsyncConnection, id: str, tables: Tables
) -> tuple[list[str], list[str]]:
    """Delete the account; raises `_SeatsLeft` if a seat still shows its name. Returns the games and studies concerned."""
    account = select(schema.accounts.c.id).where(schema.accounts.c.id == id)
    await connection.execute(account.with_for_update())
    people = await people_of(connection, id)
    held = set(await held_by(connection, people))
    lost = set(await held_by(connection, formerly(people))) - held
    named: Seats = set()
    games = sorted({game_id for game_id, _ in held | lost})
    seating = await _seating_rows(connection, games)
    for game_id in games:
        seats = {seat for game, seat in held if game == game_id}
        others = {seat for game, seat in lost if game == game_id}
        if has_names(seating[game_id], seats, others):
            await _rewrite(store, game_id, seats, others, connection)
        else:
            await store.notify(connection, game_id, 0)
        if game_id not in tables.damaged:
            named |= {(game_id, seat) for seat in _renamed(seating[game_id], seats)}
    if named:
        raise _SeatsLeft(named, set[tuple[str, int]]())
    table = schema.holders
    gone = people | formerly(people)
    await connection.execute(delete(table).where(table.c.person.in_(gone)))
    if held | lost:
        seats_of = [{"game": game_id, "seat": seat} for game_id, seat in sorted(held | lost)]
        await connection.execute(_DELETE_SAID, seats_of)
    await connection.execute(
        delete(schema.preferences).where(schema.preferences.c.person.in_(people))
    )
    await connection.execute(delete(schema.pushes).where(schema.pushes.c.person.in_(people)))
    mutes = schema.mutes
    named_there = mutes.c.person.in_(people) | mutes.c.muted.in_(people)
    await connection.execute(delete(mutes).where(named_there))
    studies = await forget_people(store, connection, people)
    for owned in (
        schema.attempts,
        schema.mails,
        schema.aliases,
        schema.tokens,
        schema.sessions,
        schema.recovery_codes,
    ):
        await connection.execute(delete(owned).where(owned.c.account_id == id))
    sent, received = schema.challenges.c.challenger, schema.challenges.c.challenged
    await connection.execute(delete(schema.challenges).where((sent == id) | (received == id)))
    await connection.execute(delete(schema.accounts).where(schema.accounts.c.id == id))
    await store.announce(connection, f"revoked {id}")
    return games, studies


async def _seating_rows(connection: AsyncConnection, games: Sequence[str]) -> dict[str, list[Any]]:
    """The few rows of games that can contain names, or after which a seat is lost."""
    table = schema.events
    found: dict[str, list[Any]] = {game_id: [] for game_id in games}
    for start in range(0, len(games), _PIECE):
        some = table.c.game_id.in_(games[start : start + _PIECE])
        query = select(table).where(some, table.c.kind.in_(SEATING_KINDS))
        for row in await connection.execute(query.order_by(table.c.game_id, table.c.seq)):
            found[row.game_id].append(row)
    return found


def _renamed(rows: Sequence[Any], held: set[int]) -> set[int]:
    """The held seats that were named after their names were removed."""
    last = {row.seat: '"forget":true' in row.data for row in rows if row.kind == "sat"}
    return {seat for seat in held if not last.get(seat)}


async def _rewrite(
    store: Store, game_id: str, held: set[int], lost: set[int], connection: AsyncConnection
) -> None:
    """Remove names from a game's log and compute its digests again."""
    games, table = schema.games, schema.events
    game = select(games.c.head).where(games.c.id == game_id).with_for_update()
    head = (await connection.execute(game)).scalar()
    query = select(table).where(table.c.game_id == game_id).order_by(table.c.seq)
    rows: list[Any] = []
    # A log is read and written in pieces, and computed in a thread, so that a long one does not block the event loop.
    async for some in (await connection.stream(query)).partitions(_PIECE):
        rows += some
    changed, new_head = await asyncio.to_thread(_nameless_rows, rows, held, lost)
    for start in range(0, len(changed), _PIECE):
        await connection.execute(_SET_ROW, changed[start : start + _PIECE])
    if changed and head == rows[-1].digest:
        await connection.execute(SET_HEAD, {"game": game_id, "head": new_head})
    await store.notify(connection, game_id, 0)


def _nameless_rows(
    rows: Sequence[Any], held: set[int], lost: set[int]
) -> tuple[list[dict[str, Any]], str]:
    """The rows that change when names are removed, and the last digest."""
    before = [Link(*row) for row in rows]
    after = without_names(before, held, lost)
    changed = [row._asdict() for row, old in zip(after, before, strict=True) if row != old]
    return changed, after[-1].digest if after else ""
