"""How much the SQLite database grows with games between beginners, stored as by the server."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from random import Random

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium import games
from terrarium.play.clocks import wall_clock
from terrarium.play.commands import Decision, play_turn
from terrarium.play.log import SeatHolders
from terrarium.play.seats import new_game
from terrarium.play.shapes import CreateGame, SeatChoice
from terrarium.play.table import Table
from terrarium.server.database.store import Store
from terrarium.server.live.tables import Decide, Tables
from terrarium.server.settings import Settings

GAMES = 10


def run() -> dict[str, float]:
    """The size of a thousand games of each kind, and the length of the games."""
    return asyncio.run(_run())


async def _run() -> dict[str, float]:
    figures: dict[str, float] = {}
    for name in ("nova", "turrium"):
        with tempfile.TemporaryDirectory() as folder:
            size, turns = await _stored(name, Path(folder))
        figures[f"{name}: MB for 1,000 games of two players"] = size / GAMES / 1_000
        figures[f"{name}: turns of a game"] = turns / GAMES
        figures[f"{name}: bytes for a turn"] = size / turns
    return figures


async def _stored(name: str, folder: Path) -> tuple[int, int]:
    """By how many bytes some games made the file grow, and how many turns they had."""
    settings = Settings(data=folder)
    store = Store(settings)
    await store.open()
    tables, random = Tables(store, wall_clock, 10), Random(1)
    before = await _size(store)
    turns = 0
    for number in range(GAMES):
        order = CreateGame(name, seats=[SeatChoice("device"), SeatChoice("device")])
        game = new_game(order, f"g:{number:032}", wall_clock())
        head = await store.create(game.rows(), None)
        table = tables.add(game.table, game.holders, head).table
        beginner = import_module(games[name].novice)
        while table.position.outcome is None:
            actions = [str(action) for action in beginner.turn(table.position, random)]
            table, _ = await tables.command(table.id, _playing(actions))
            turns += 1
    after = await _size(store)
    await store.close()
    return after - before, turns


def _playing(actions: Sequence[str]) -> Decide:
    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        key = f"{table.seq:032}"  # as long as the page's keys
        return play_turn(table, (0, 1), table.seq, actions, key, now=now)

    return decide


async def _size(store: Store) -> int:
    """The bytes of all pages, without the write-ahead log."""

    async def job(connection: AsyncConnection) -> int:
        pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
        return int(pages * (await connection.execute(text("PRAGMA page_size"))).scalar_one())

    found: int = await store.write(job)
    return found
