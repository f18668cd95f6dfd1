"""Vacation: while a person is away, their correspondence clocks are paused, for a limited number of days per year."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from terrarium.play.commands import Decision, Draft
from terrarium.play.log import SeatHolders
from terrarium.play.people import Caller
from terrarium.play.table import Table
from terrarium.server.accounts.accounts import Account, Accounts
from terrarium.server.database.chain import GameDamaged
from terrarium.server.live.tables import Decide, Tables

__all__ = ["Vacations"]


class Vacations:
    """Pauses and resumes the clocks in all games of an account."""

    def __init__(self, accounts: Accounts, tables: Tables) -> None:
        self._accounts = accounts
        self._tables = tables

    async def set(self, account: Account, is_on: bool) -> None:
        """Begin or end a vacation in all games of the account; a repeated call completes a failed one."""
        is_away = account.vacation_since is not None
        if is_on and not is_away:
            await self._accounts.set_vacation(account, True)
        people = await self._accounts.people(account.id)
        for game_id, seat in await self._accounts.games(people):
            with suppress(GameDamaged):
                await self._tables.command(game_id, _marked(seat, is_on))
        # Last, so that a vacation that could not be ended in every game can be ended again later.
        if is_away and not is_on:
            await self._accounts.set_vacation(account, False)

    async def end_overdue(self) -> None:
        """End the vacations of accounts without days left."""
        for account in await self._accounts.overdue():
            await self.set(account, False)

    async def arrive(self, caller: Caller, table: Table, seats: Iterable[int]) -> Table:
        """Pause the clock of a seat taken during a vacation; returns the table after that."""
        is_days = table.clock is not None and table.clock.is_correspondence
        if not is_days or caller.account is None:
            return table
        if (await self._accounts.account(caller.account)).vacation_since is not None:
            for seat in seats:
                table, _ = await self._tables.command(table.id, _marked(seat, True))
        return table

    async def arrive_all(self, accounts: Iterable[str], table: Table) -> None:
        """`arrive` for both players of an accepted challenge."""
        for account in accounts:
            people = await self._accounts.people(account)
            entry = await self._tables.entry(table.id)
            seats = [seat for seat, row in enumerate(entry.holders) if row.people & people]
            await self.arrive(Caller("", account=account), table, seats)


def _marked(seat: int, is_on: bool) -> Decide:
    def decide(table: Table, holders: Sequence[SeatHolders], now: int) -> Decision:
        clock = table.clock
        if clock is None or not clock.is_correspondence or not table.is_live:
            return Decision()
        if (seat in clock.away) == is_on:
            return Decision()
        return Decision((Draft("vacation", seat, {"on": is_on}),))

    return decide
