"""Lists and statistics for operators: people, games, invites, reports, acts. Read-only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select

from terrarium.play.clocks import iso
from terrarium.play.errors import NotFound
from terrarium.server.database import schema

__all__ = ["game", "games", "invites", "log", "people", "reports", "stats"]

_DAY = 86_400_000
_OF_EACH = 3
"""The most open reports of one study in a list, as many as three others at a table can make of one player."""


def people(connection: Connection, text: str = "", limit: int = 100) -> Sequence[Any]:
    """Accounts whose name contains a text, the newest first, with the number of their games."""
    table, held = schema.accounts, schema.holders
    games = (
        select(func.count(held.c.game_id.distinct()))
        .where(held.c.person == "a:" + table.c.id)
        .scalar_subquery()
    )
    query = select(
        table.c.name,
        table.c.created,
        table.c.is_bot,
        table.c.banned,
        table.c.is_operator,
        games.label("games"),
    )
    if text:
        query = query.where(table.c.name_key.contains(text.casefold(), autoescape=True))
    return connection.execute(query.order_by(table.c.created.desc(), table.c.id).limit(limit)).all()


def game(connection: Connection, id: str) -> dict[str, Any]:
    """The stored data of a game, without its turns."""
    games, held, accounts = schema.games, schema.holders, schema.accounts
    row = connection.execute(select(games).where(games.c.id == id)).first()
    if row is None:
        raise NotFound("no-such-game", f"{id[:40]!r}: there is no such game")
    query = (
        select(held.c.seat, accounts.c.name)
        .outerjoin(accounts, held.c.person == "a:" + accounts.c.id)
        .where(held.c.game_id == id)
        .order_by(held.c.seat)
    )
    seats = [f"{row.seat} {row.name or 'a guest'}" for row in connection.execute(query)]
    names = ("id", "game", "players", "board", "visibility", "status", "seq", "turns", "quarantine")
    facts = {name: getattr(row, name) for name in names if getattr(row, name) is not None}
    return facts | {
        "created": iso(row.created),
        "updated": iso(row.updated),
        "held": ", ".join(seats),
    }


def games(connection: Connection, text: str = "", limit: int = 100) -> Sequence[Any]:
    """Games, the last changed first; with a text, those with this id or with the text in a name."""
    table = schema.games
    query = select(
        table.c.id,
        table.c.game,
        table.c.status,
        table.c.visibility,
        table.c.turns,
        table.c.names,
        table.c.updated,
        table.c.quarantine,
    )
    if text:
        is_named = table.c.names.contains(text.casefold(), autoescape=True)
        query = query.where(or_(table.c.id == text, is_named))
    return connection.execute(query.order_by(table.c.updated.desc(), table.c.id).limit(limit)).all()


def invites(connection: Connection) -> Sequence[Any]:
    """All invites, the newest first."""
    return connection.execute(
        select(schema.invites).order_by(schema.invites.c.created.desc())
    ).all()


def reports(connection: Connection, every: bool = False, limit: int = 100) -> Sequence[Any]:
    """Reports of players and studies, the newest first, with the name of the reported account, and the name of the study.

    Of the open reports of a study only the newest `_OF_EACH` are listed, unless closed reports are listed too: closing one shows the next.
    """
    accounts, studies = schema.accounts, schema.studies
    found: list[Any] = []
    for table in (schema.reports, schema.study_reports):
        query = select(table, accounts.c.name, accounts.c.banned).outerjoin(
            accounts, table.c.account_id == accounts.c.id
        )
        if table is schema.study_reports:
            query = query.join(studies, table.c.study_id == studies.c.id)
            query = query.add_columns(studies.c.name.label("study"))
        if not every:
            query = query.where(table.c.closed.is_(None))
        if not every and table is schema.study_reports:
            query = query.where(table.c.id.in_(_newest_of_each()))
        found += connection.execute(query.order_by(table.c.created.desc()).limit(limit)).all()
    return sorted(found, key=lambda row: (-row.created, row.id))[:limit]


def _newest_of_each() -> Select[tuple[str]]:
    """The ids of the newest open reports of each study."""
    table = schema.study_reports
    order = table.c.created.desc(), table.c.id
    place = func.row_number().over(partition_by=table.c.study_id, order_by=order).label("place")
    ranked = select(table.c.id, place).where(table.c.closed.is_(None)).subquery()
    return select(ranked.c.id).where(ranked.c.place <= _OF_EACH)


def log(connection: Connection, limit: int = 100) -> Sequence[Any]:
    """Operators' acts, the newest first, with the present names of accounts.

    An operator is an account (`a:` and its id), or the user of the command line.
    """
    table, accounts, actors = schema.acts, schema.accounts, schema.accounts.alias()
    query = (
        select(table, accounts.c.name, actors.c.name.label("operator_name"))
        .outerjoin(accounts, table.c.subject == accounts.c.id)
        .outerjoin(actors, table.c.operator == "a:" + actors.c.id)
    )
    return connection.execute(query.order_by(table.c.at.desc(), table.c.id).limit(limit)).all()


def stats(connection: Connection) -> dict[str, int]:
    """Numbers of people, games and turns; "week" counts back from the newest event, so that a restored copy gives the same numbers."""
    games, accounts = schema.games, schema.accounts
    reported = schema.reports, schema.study_reports

    def count(table: Any, *conditions: Any) -> int:
        query = select(func.count()).select_from(table).where(*conditions)
        return int(connection.execute(query).scalar_one())

    newest = connection.execute(select(func.max(games.c.updated))).scalar() or 0
    states = select(games.c.status, func.count()).group_by(games.c.status)
    by_status = {f"games {status}": n for status, n in connection.execute(states).all()}
    turns = connection.execute(select(func.sum(games.c.turns))).scalar() or 0
    return {
        "people": count(accounts),
        "people banned": count(accounts, accounts.c.banned.is_not(None)),
        "bots": count(accounts, accounts.c.is_bot.is_(True)),
        "sign-ins": count(schema.sessions),
        "tokens": count(schema.tokens),
        "games": count(games),
        **dict(sorted(by_status.items())),
        "games set aside": count(games, games.c.quarantine.is_not(None)),
        "games of the last week": count(games, games.c.updated > newest - 7 * _DAY),
        "turns": int(turns),
        "events": count(schema.events),
        "studies": count(schema.studies),
        "reports open": sum(count(table, table.c.closed.is_(None)) for table in reported),
    }
