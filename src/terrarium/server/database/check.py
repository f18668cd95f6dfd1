"""Checks a whole database while it is in use: the digests of every game and study, and whether each can be replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DatabaseError

from terrarium.server.database import schema
from terrarium.server.database.backup import reading
from terrarium.server.database.chain import GameDamaged, StudyDamaged, inspect_game
from terrarium.server.database.studies import Event, inspect_study
from terrarium.server.settings import Settings

__all__ = ["check"]

Subject = tuple[str, str]
"""`game` or `study`, and its id."""
Tracked = Callable[[list[Subject]], Iterator[Subject]]


def check(settings: Settings, tracked: Tracked = iter) -> Iterator[tuple[str, str]]:
    """Yield problems as (subject, problem); the subject is `game ID`, `study ID` or `database`. `tracked` wraps the iteration over the games and studies, for a progress bar."""
    games, events, studies = schema.games, schema.events, schema.studies
    with reading(settings) as connection:
        if not settings.is_postgres:
            found = connection.execute(text("PRAGMA quick_check(5)")).scalars().all()
            yield from (("database", line) for line in found if line != "ok")
        ids = [
            ("game", id)
            for id in connection.execute(select(games.c.id).order_by(games.c.id)).scalars()
        ]
        ids += [
            ("study", id)
            for id in connection.execute(select(studies.c.id).order_by(studies.c.id)).scalars()
        ]
        for kind, id in tracked(ids):
            try:
                problem = (_game if kind == "game" else _study)(connection, id)
            except DatabaseError as error:
                if settings.is_postgres:
                    raise
                problem = str(error.orig)
            if problem is not None:
                yield f"{kind} {id}", problem
        lost = select(events.c.game_id).where(events.c.game_id.not_in(select(games.c.id)))
        for id in connection.execute(lost.distinct()).scalars():
            yield f"game {id}", "it has events, but no row in games"
        entries = schema.study_events.c.study_id
        orphans = select(entries).where(entries.not_in(select(studies.c.id)))
        for id in connection.execute(orphans.distinct()).scalars():
            yield f"study {id}", "it has events, but no row in studies"


def _game(connection: Connection, id: str) -> str | None:
    games, events = schema.games, schema.events
    row = connection.execute(select(games).where(games.c.id == id)).one()
    query = select(events).where(events.c.game_id == id).order_by(events.c.seq)
    return _problem(row, connection.execute(query).all())


def _study(connection: Connection, id: str) -> str | None:
    """The problem of a study, None if there is none."""
    studies, events = schema.studies, schema.study_events
    row = connection.execute(select(studies).where(studies.c.id == id)).one()
    columns = [events.c[name] for name in Event._fields]
    query = select(*columns).where(events.c.study_id == id).order_by(events.c.seq)
    log = [Event(*found) for found in connection.execute(query)]
    found = inspect_study(id, row.seq, row.head, log)
    if isinstance(found, StudyDamaged):
        return f"damaged from seq {found.bad_seq} on: {found.reason}"
    index = found.index() | {"bytes": sum(len(event.data.encode()) for event in log)}
    wrong = [name for name, value in index.items() if getattr(row, name) != value]
    return f"its row is wrong in {', '.join(wrong)}" if wrong else None


def _problem(game: Any, rows: Sequence[Any]) -> str | None:
    found = inspect_game(game.id, rows) if rows else GameDamaged(game.id, 1, "it has no events")
    if isinstance(found, GameDamaged):
        return f"damaged from seq {found.bad_seq} on: {found.reason}"
    if rows[-1].digest != game.head:
        return f"damaged from seq {found.seq + 1} on: the last events are missing"
    wrong = [name for name, value in found.index().items() if getattr(game, name) != value]
    return f"its row is wrong in {', '.join(wrong)}" if wrong else None
