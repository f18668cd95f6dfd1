"""Deletion of an account: first its names are removed from seats, then all its data is deleted in one transaction.

If the account takes a seat meanwhile, that happens either before this transaction, which then finds the seat and starts again, or after
it, and is refused because the account no longer exists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.commands import Decision, Draft
from terrarium.play.errors import Conflict
from terrarium.play.log import SeatHolders, formerly
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Accounts, held_by, people_of
from terrarium.server.database import schema
from terrarium.server.database.chain import SET_HEAD, GameDamaged, Link, without_names
from terrarium.server.database.store import Store
from terrarium.server.database.studies import forget_people
from terrarium.server.live.tables import Decide, Tables

__all__ = ["delete_account"]

_SET_ROW = text(
    "UPDATE events SET data = :data, digest = :digest WHERE game_id = :game_id AND seq = :seq"
)
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
    await _forget(tables, held, lost)
    for _ in range(_ATTEMPTS):
        try:
            touched, studies = await store.write(
                lambda connection: _delete(store, connection, id, tables)
            )
        except _SeatsLeft as left:
            held, lost = left.args
            await _forget(tables, held, lost)
            continue
        for game_id in touched:
            await tables.reload(game_id)
        return list(studies)
    raise Conflict("busy", "this account keeps taking seats while it is being deleted; try again")


async def _forget(tables: Tables, held: Seats, lost: Seats) -> None:
    """Remove the names of these seats, also on the screens of watchers."""
    for seats, only_computer in ((held, False), (lost - held, True)):
        for game_id, seat in sorted(seats):
            try:
                await tables.command(game_id, _nameless(seat, only_computer=only_computer))
            except GameDamaged:
                continue


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
    for game_id in games:
        seats = {seat for game, seat in held if game == game_id}
        others = {seat for game, seat in lost if game == game_id}
        left = await _rewrite(connection, game_id, seats, others)
        if game_id not in tables.damaged:
            named |= {(game_id, seat) for seat in left}
        await store.notify(connection, game_id, 0)
    if named:
        raise _SeatsLeft(named, set[tuple[str, int]]())
    table = schema.holders
    gone = people | formerly(people)
    await connection.execute(delete(table).where(table.c.person.in_(gone)))
    for game_id, seat in sorted(held | lost):
        said = schema.said
        own = said.c.game_id == game_id, said.c.seat == seat
        await connection.execute(delete(said).where(*own))
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


async def _rewrite(
    connection: AsyncConnection, game_id: str, held: set[int], lost: set[int]
) -> set[int]:
    """Remove names from a game's log and compute its digests again; returns the held seats that still show a name."""
    games, table = schema.games, schema.events
    game = select(games.c.head).where(games.c.id == game_id).with_for_update()
    head = (await connection.execute(game)).scalar()
    query = select(table).where(table.c.game_id == game_id).order_by(table.c.seq)
    rows: list[Any] = []
    # A log is read and written in pieces, and computed in a thread, so that a long one does not block the event loop.
    async for some in (await connection.stream(query)).partitions(_PIECE):
        rows += some
    changed, new_head, left = await asyncio.to_thread(_nameless_rows, rows, held, lost)
    for start in range(0, len(changed), _PIECE):
        await connection.execute(_SET_ROW, changed[start : start + _PIECE])
    if changed and head == rows[-1].digest:
        await connection.execute(SET_HEAD, {"game": game_id, "head": new_head})
    return left


def _nameless_rows(
    rows: Sequence[Any], held: set[int], lost: set[int]
) -> tuple[list[dict[str, Any]], str, set[int]]:
    """The rows that change when names are removed, the last digest, and the held seats that still show a name."""
    before = [Link(*row) for row in rows]
    after = without_names(before, held, lost)
    changed = [row._asdict() for row, old in zip(after, before, strict=True) if row != old]
    last = {row.seat: '"forget":true' in row.data for row in before if row.kind == "sat"}
    new_head = after[-1].digest if after else ""
    return changed, new_head, {seat for seat in held if not last.get(seat)}
