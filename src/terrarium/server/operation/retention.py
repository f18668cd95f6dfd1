"""Retention: deletes old games and studies by the rules in the settings."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, not_, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.clocks import Now
from terrarium.play.errors import NotFound
from terrarium.play.log import FORMER
from terrarium.server.database import schema
from terrarium.server.database.chain import GameDamaged
from terrarium.server.database.store import Store
from terrarium.server.database.studies import delete_studies
from terrarium.server.live.tables import Tables

__all__ = ["STUDIES", "Retention", "Rules", "expired_games", "expired_studies"]

STUDIES = "studies, by guests"
"""The name of the rule for studies."""

_DAY = 86_400_000
_BATCH = 200
_FIRST_MS = 60_000
_EVERY_MS = 3_600_000


@dataclass(frozen=True)
class Rules:
    """After how many days without a change games are deleted; 0 keeps them."""

    unbegun_days: int = 0
    guest_days: int = 0

    def conditions(self, now: int) -> dict[str, ColumnElement[bool]]:
        """The active rules, each with the condition for games."""
        games = schema.games
        found: dict[str, ColumnElement[bool]] = {}
        if self.unbegun_days:
            is_unbegun = and_(
                games.c.turns == 0,
                games.c.deadline.is_(None),
                games.c.status.in_(("waiting", "playing", "aborted")),
                not_(_is_player_away()),
            )
            found["never begun"] = _old(is_unbegun, now, self.unbegun_days)
        if self.guest_days:
            is_over = games.c.status.in_(("over", "aborted"))
            by_guests = and_(is_over, not_(_has_account()))
            found["finished, by guests"] = _old(by_guests, now, self.guest_days)
        return found

    def studies(self, now: int) -> ColumnElement[bool] | None:
        """The condition for studies without any account that have not changed for `guest_days`, except reported ones; None if the rule is off."""
        studies, editors, aliases = schema.studies, schema.study_people, schema.aliases
        reports = schema.study_reports
        if not self.guest_days:
            return None

        def is_account(person: ColumnElement[str]) -> ColumnElement[bool]:
            return or_(person.like("a:%"), person.in_(select(aliases.c.person)))

        edited = select(editors.c.study_id).where(
            editors.c.study_id == studies.c.id, is_account(editors.c.person)
        )
        reported = select(reports.c.id).where(
            reports.c.study_id == studies.c.id, reports.c.closed.is_(None)
        )
        is_old = studies.c.updated < now - self.guest_days * _DAY
        by_guests = and_(not_(is_account(studies.c.owner)), not_(edited.exists()))
        return and_(is_old, by_guests, not_(reported.exists()))


def _old(condition: ColumnElement[bool], now: int, days: int) -> ColumnElement[bool]:
    """The condition for games that have not changed for that long; games with an open report or in quarantine are kept."""
    games, reports = schema.games, schema.reports
    is_reported = select(reports.c.id).where(
        reports.c.game_id == games.c.id, reports.c.closed.is_(None)
    )
    return and_(
        condition,
        games.c.updated < now - days * _DAY,
        games.c.quarantine.is_(None),
        not_(is_reported.exists()),
    )


def _is_player_away() -> ColumnElement[bool]:
    """The condition that somebody with a seat is on vacation, which pauses the clock."""
    games, held, aliases, accounts = schema.games, schema.holders, schema.aliases, schema.accounts
    is_away = accounts.c.vacation_since.is_not(None)
    merged = select(aliases.c.person).join(accounts, accounts.c.id == aliases.c.account_id)
    people = select("a:" + accounts.c.id).where(is_away)
    is_held = or_(held.c.person.in_(people), held.c.person.in_(merged.where(is_away)))
    return select(held.c.game_id).where(held.c.game_id == games.c.id, is_held).exists()


def _has_account() -> ColumnElement[bool]:
    """The condition that an account holds or held a seat, itself or through a merged guest."""
    games, held, aliases = schema.games, schema.holders, schema.aliases
    is_account = or_(
        held.c.person.like("a:%"),
        held.c.person.like(f"{FORMER}a:%"),
        held.c.person.in_(select(aliases.c.person)),
        held.c.person.in_(select(FORMER + aliases.c.person)),
    )
    return select(held.c.game_id).where(held.c.game_id == games.c.id, is_account).exists()


def expired_games(
    connection: Connection, rules: Rules, now: int, limit: int
) -> Sequence[tuple[str, str]]:
    """The games that the rules would delete now, each with its rule."""
    found: dict[str, str] = {}
    for name, condition in rules.conditions(now).items():
        games = schema.games
        query = select(games.c.id).where(condition).order_by(games.c.updated).limit(limit)
        for id in connection.execute(query).scalars():
            found.setdefault(id, name)
    return list(found.items())[:limit]


def expired_studies(
    connection: Connection, rules: Rules, now: int, limit: int
) -> Sequence[tuple[str, str]]:
    """The studies that the rules would delete now."""
    studies, condition = schema.studies, rules.studies(now)
    if condition is None:
        return []
    query = select(studies.c.id).where(condition).order_by(studies.c.updated).limit(limit)
    return [(id, STUDIES) for id in connection.execute(query).scalars()]


async def _nobody(studies: Sequence[str]) -> None:
    """The default for a process without studies in memory."""


class Retention:
    """Deletes games and studies by rules, on request and regularly."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        now: Now,
        rules: Rules,
        refresh_studies: Callable[[Sequence[str]], Awaitable[None]] = _nobody,
    ) -> None:
        self._store = store
        self._tables = tables
        self._now = now
        self._rules = rules
        self._refresh_studies = refresh_studies
        """Refreshes studies that are in memory."""
        self._next = now() + _FIRST_MS

    async def look(self) -> None:
        """Delete expired games and studies, at most once an hour."""
        if self._now() < self._next:
            return
        self._next = self._now() + _EVERY_MS
        await self.prune(self._rules, "server")

    async def prune(self, rules: Rules, operator: str) -> dict[str, int]:
        """Delete games and studies by the rules; returns the number for each rule. Each batch is logged in the same transaction."""
        counts = Counter[str]()
        while True:
            gone: dict[str, str] = await self._store.write(
                lambda connection: self._delete(connection, rules, operator)
            )
            counts.update(gone.values())
            for game_id in gone:
                with contextlib.suppress(NotFound, GameDamaged):
                    await self._tables.reload(game_id)
            if len(gone) < _BATCH:
                break
        while True:
            studies: list[str] = await self._store.write(
                lambda connection: self._delete_studies(connection, rules, operator)
            )
            counts.update([STUDIES] * len(studies))
            await self._refresh_studies(studies)
            if len(studies) < _BATCH:
                break
        return dict(counts)

    async def _delete(
        self, connection: AsyncConnection, rules: Rules, operator: str
    ) -> dict[str, str]:
        """Delete and log a batch of games. The rule is checked again with the deletion, because a game may have just changed."""
        now, games = self._now(), schema.games
        found = await connection.run_sync(lambda sync: expired_games(sync, rules, now, _BATCH))
        gone: dict[str, str] = {}
        for id, name in found:
            still = and_(games.c.id == id, rules.conditions(now)[name])
            if (await connection.execute(delete(games).where(still))).rowcount:
                gone[id] = name
                await self._store.notify(connection, id, 0)
        if gone:
            await self._log(connection, operator, "games", Counter(gone.values()))
        return gone

    async def _delete_studies(
        self, connection: AsyncConnection, rules: Rules, operator: str
    ) -> list[str]:
        """Delete and log a batch of studies. The rule is checked again with the deletion."""
        now = self._now()
        condition = rules.studies(now)
        if condition is None:
            return []
        found = await connection.run_sync(lambda sync: expired_studies(sync, rules, now, _BATCH))
        some = schema.studies.c.id.in_([id for id, _ in found])
        gone = await delete_studies(self._store, connection, and_(some, condition))
        if gone:
            await self._log(connection, operator, "studies", Counter({STUDIES: len(gone)}))
        return gone

    async def _log(
        self, connection: AsyncConnection, operator: str, what: str, counts: Counter[str]
    ) -> None:
        row = {
            "id": secrets.token_hex(8),
            "at": self._now(),
            "operator": operator,
            "act": "prune",
            "subject": what,
            "details": ", ".join(f"{count} {name}" for name, count in sorted(counts.items())),
        }
        await connection.execute(insert(schema.acts).values(row))
