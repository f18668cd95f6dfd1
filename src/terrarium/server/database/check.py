"""Checks a whole database while it is in use: the digests of every game, and whether it can be replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.exc import DatabaseError

from terrarium.server.database import schema
from terrarium.server.database.backup import reading
from terrarium.server.database.chain import GameDamaged, inspect_game
from terrarium.server.settings import Settings

__all__ = ["check"]

Tracked = Callable[[list[str]], Iterator[str]]


def check(settings: Settings, tracked: Tracked = iter) -> Iterator[tuple[str | None, str]]:
    """Yield problems as (game, problem); the game is None for the database as a whole. `tracked` wraps the iteration over the games, for a progress bar."""
    games, events = schema.games, schema.events
    with reading(settings) as connection:
        if not settings.is_postgres:
            found = connection.execute(text("PRAGMA quick_check(5)")).scalars().all()
            yield from ((None, line) for line in found if line != "ok")
        ids = list(connection.execute(select(games.c.id).order_by(games.c.id)).scalars())
        for game_id in tracked(ids):
            try:
                row = connection.execute(select(games).where(games.c.id == game_id)).one()
                query = select(events).where(events.c.game_id == game_id).order_by(events.c.seq)
                problem = _problem(row, connection.execute(query).all())
            except DatabaseError as error:
                if settings.is_postgres:
                    raise
                problem = str(error.orig)
            if problem is not None:
                yield game_id, problem
        lost = select(events.c.game_id).where(events.c.game_id.not_in(select(games.c.id)))
        for game_id in connection.execute(lost.distinct()).scalars():
            yield game_id, "it has events, but no row in games"


def _problem(game: Any, rows: Sequence[Any]) -> str | None:
    found = inspect_game(game.id, rows) if rows else GameDamaged(game.id, 1, "it has no events")
    if isinstance(found, GameDamaged):
        return f"damaged from seq {found.bad_seq} on: {found.reason}"
    if rows[-1].digest != game.head:
        return f"damaged from seq {found.seq + 1} on: the last events are missing"
    wrong = [name for name, value in found.index().items() if getattr(game, name) != value]
    return f"its row is wrong in {', '.join(wrong)}" if wrong else None
