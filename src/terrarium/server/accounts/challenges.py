"""Challenges in the database: each is answered, withdrawn or expires exactly once, even with several workers."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.challenges import (
    Answer,
    ChallengeView,
    NewChallenge,
    Player,
    PlayerView,
    agreed_game,
    chosen_rules,
)
from terrarium.play.clocks import Now, iso
from terrarium.play.errors import Conflict, Forbidden, NotFound, Unprocessable
from terrarium.play.seats import NewGame
from terrarium.server.accounts.accounts import Account
from terrarium.server.database import schema
from terrarium.server.database.store import Store

__all__ = ["Challenge", "Challenges"]

MAX_OPEN = 20
"""The most open challenges of one account."""
_SHOWN_MS = 86_400_000
_MAX_SHOWN = 100
_STATUS = {"accept": "accepted", "decline": "declined", "withdraw": "withdrawn"}


class Challenge(NamedTuple):
    """A challenge and the two accounts."""

    id: str
    challenger: Account
    challenged: Account
    order: NewChallenge
    status: str
    game_id: str | None
    created: int
    expires: int
    updated: int

    @property
    def accounts(self) -> tuple[str, str]:
        """The ids of both accounts."""
        return self.challenger.id, self.challenged.id

    def view(self, account: str | None) -> ChallengeView:
        """The challenge as one of the two accounts sees it."""
        order = self.order
        board = order.board
        return ChallengeView(
            self.id,
            PlayerView(self.challenger.name, self.challenger.is_bot),
            PlayerView(self.challenged.name, self.challenged.is_bot),
            account == self.challenger.id,
            order.game,
            order.rules,
            chosen_rules(order),
            board if board is None or isinstance(board, str) else board.name,
            order.clock,
            order.seat,
            self.status,  # type: ignore[arg-type]  # one of the literals, because only this module writes it
            self.game_id,
            iso(self.created),
            iso(self.expires),
            iso(self.updated),
        )


class Challenges:
    """The challenges in the database."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        self.on_change: Callable[[Challenge], None] = lambda challenge: None
        """Called after every change that this process made."""

    async def create(
        self, challenger: Account, challenged: Account, order: NewChallenge, *, by_bot: bool
    ) -> Challenge:
        """Propose a game, as returned by `checked`, to an account; `by_bot` if a program does it."""
        if challenger.id == challenged.id:
            raise Unprocessable("challenge-self", "you can't challenge yourself")
        now, table = self._now(), schema.challenges
        row = {
            "id": secrets.token_hex(10),
            "challenger": challenger.id,
            "challenged": challenged.id,
            "by_bot": by_bot,
            "data": msgspec.json.encode(order).decode(),
            "status": "open",
            "created": now,
            "expires": now + order.minutes * 60_000,
            "updated": now,
        }

        async def job(connection: AsyncConnection) -> None:
            # Counted inside the transaction, so that no other request can add one meanwhile.
            account = select(schema.accounts.c.id).where(schema.accounts.c.id == challenger.id)
            await connection.execute(account.with_for_update())
            own = select(func.count()).where(
                table.c.challenger == challenger.id, table.c.status == "open"
            )
            if (await connection.execute(own)).scalar_one() >= MAX_OPEN:
                message = f"{MAX_OPEN} of your challenges are open; withdraw one first"
                raise Conflict("too-many-challenges", message)
            await connection.execute(insert(table).values(row))
            await self._store.announce(connection, f"challenge {row['id']}")

        await self._store.write(job)
        return await self._changed(str(row["id"]))

    async def find(self, id: str) -> Challenge:
        """The challenge with this id."""
        found = await self._challenges(schema.challenges.c.id == id[:32])
        if not found:
            raise NotFound("no-such-challenge", f"{id[:40]!r}: there is no such challenge")
        return found[0]

    async def of_account(self, account: str) -> list[Challenge]:
        """The open challenges of an account, and those that ended in the last day."""
        table = schema.challenges
        is_shown = or_(table.c.status == "open", table.c.updated >= self._now() - _SHOWN_MS)
        return await self._challenges(is_shown & self._is_of({account}))

    async def changed_since(self, since: int, accounts: Collection[str]) -> list[Challenge]:
        """The challenges of some accounts that changed since a time."""
        return await self._challenges(
            (schema.challenges.c.updated >= since) & self._is_of(accounts)
        )

    async def answer(
        self, id: str, account: str, answer: Answer, *, is_bot: bool = False
    ) -> tuple[Challenge, NewGame | None, str]:
        """Accept, decline or withdraw; returns the challenge, and the new game with its digest if it was accepted.

        `is_bot` if a program accepts for the account.
        """
        challenge = await self.find(id)
        if account not in challenge.accounts:
            raise NotFound("no-such-challenge", f"{id[:40]!r}: there is no such challenge")
        is_challenger = account == challenge.challenger.id
        if is_challenger != (answer == "withdraw"):
            whose = (
                "withdrawn by its challenger"
                if answer == "withdraw"
                else "answered by the challenged"
            )
            raise Forbidden("not-your-challenge", f"a challenge is {whose}")
        if challenge.status == _STATUS[answer]:
            return challenge, None, ""
        now = self._now()
        game: NewGame | None = None
        if answer == "accept":
            players = _players(challenge, is_bot)
            game = await asyncio.to_thread(
                lambda: agreed_game(challenge.order, players, now).drawn()
            )

        async def job(connection: AsyncConnection) -> str:
            head = ""
            if game is not None:
                head = await self._store.add_game(connection, game.rows(), account)
            await self._close(connection, challenge.id, _STATUS[answer], now, game)
            return head

        head: str = await self._store.write(job)
        return await self._changed(challenge.id), game, head

    async def _close(
        self, connection: AsyncConnection, id: str, status: str, now: int, game: NewGame | None
    ) -> None:
        table = schema.challenges
        values = {"status": status, "updated": now}
        if game is not None:
            values["game_id"] = game.table.id
        is_open = (table.c.id == id) & (table.c.status == "open") & (table.c.expires > now)
        done = await connection.execute(update(table).where(is_open).values(values))
        if done.rowcount != 1:
            raise Conflict("challenge-closed", "this challenge is not open any more")
        await self._store.announce(connection, f"challenge {id}")

    async def end_overdue(self) -> None:
        """Mark the challenges that were not answered in time as expired."""
        table, now = schema.challenges, self._now()
        overdue = (table.c.status == "open") & (table.c.expires <= now)

        async def ids(connection: AsyncConnection) -> Sequence[str]:
            return (await connection.execute(select(table.c.id).where(overdue))).scalars().all()

        async def job(connection: AsyncConnection) -> list[str]:
            values = {"status": "expired", "updated": now}
            done = update(table).where(overdue).values(values).returning(table.c.id)
            ended = list((await connection.execute(done)).scalars())
            for id in ended:
                await self._store.announce(connection, f"challenge {id}")
            return ended

        if await self._store.read(ids):
            for id in await self._store.write(job):
                await self._changed(id)

    async def _changed(self, id: str) -> Challenge:
        challenge = await self.find(id)
        self.on_change(challenge)
        return challenge

    def _is_of(self, accounts: Collection[str]) -> ColumnElement[bool]:
        table = schema.challenges
        return or_(table.c.challenger.in_(accounts), table.c.challenged.in_(accounts))

    async def _challenges(self, condition: ColumnElement[bool]) -> list[Challenge]:
        table = schema.challenges
        first, second = schema.accounts.alias("first"), schema.accounts.alias("second")
        query = (
            select(
                table,
                first.c.name.label("challenger_name"),
                first.c.is_bot.label("challenger_bot"),
                second.c.name.label("challenged_name"),
                second.c.is_bot.label("challenged_bot"),
            )
            .join(first, first.c.id == table.c.challenger)
            .join(second, second.c.id == table.c.challenged)
            .where(condition)
            .order_by(table.c.updated.desc(), table.c.id)
            .limit(_MAX_SHOWN)
        )

        async def job(connection: AsyncConnection) -> Sequence[Any]:
            return (await connection.execute(query)).all()

        return [
            Challenge(
                row.id,
                Account(
                    row.challenger, row.challenger_name, 0, is_bot=row.challenger_bot or row.by_bot
                ),
                Account(row.challenged, row.challenged_name, 0, is_bot=row.challenged_bot),
                msgspec.json.decode(row.data, type=NewChallenge),
                row.status,
                row.game_id,
                row.created,
                row.expires,
                row.updated,
            )
            for row in await self._store.read(job)
        ]


def _players(challenge: Challenge, is_bot: bool) -> tuple[Player, Player]:
    one, other = challenge.challenger, challenge.challenged
    return (
        Player(f"a:{one.id}", one.name, one.is_bot),
        Player(f"a:{other.id}", other.name, other.is_bot or is_bot),
    )
