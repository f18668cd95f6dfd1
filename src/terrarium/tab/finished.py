"""Statistics over the finished games of this browser; each game is read once."""

from __future__ import annotations

from dataclasses import dataclass

from terrarium.core.opening import OpeningTurn, key_of
from terrarium.core.position import Position
from terrarium.play.finished import FinishedGame, SeatFaults, faults_of, finished_game
from terrarium.play.insights import Insights, OwnGame, summed
from terrarium.play.openings import Explored, explored, opening_of
from terrarium.play.table import Table
from terrarium.tab.tables import Tables

__all__ = ["FinishedGames"]


@dataclass(frozen=True)
class _Finished:
    result: FinishedGame
    held: frozenset[int]
    opening: dict[str, OpeningTurn]


class FinishedGames:
    """The openings and results of the finished games of this browser."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._games: dict[str, _Finished | None] = {}
        """None for a game without a result."""
        self._faults: dict[str, dict[str, SeatFaults]] = {}

    async def openings(self, position: Position) -> Explored:
        """The turns played in a position, in games of this browser."""
        key = key_of(position)
        games = sorted((await self.games()).values(), key=lambda one: -one.result.ended)
        found = [one.opening[key] for one in games if key in one.opening]
        return explored(position, "own", found)

    async def insights(self, game: str | None, begun: int) -> Insights:
        """Statistics of the finished games of this browser: of one game or all (None), ended since the time `begun`."""
        found = []
        for id, one in (await self.games()).items():
            is_wanted = game in (None, one.result.game) and one.result.ended >= begun
            if is_wanted and len(one.held) == 1:
                (seat,) = one.held
                found.append(OwnGame(one.result, seat, await self._faults_of(id, seat)))
        return summed(found)

    async def _faults_of(self, id: str, seat: int) -> SeatFaults | None:
        """The faults of a seat; None if the game's review is not finished."""
        if id not in self._faults:
            review = await self._tables.store.review(id)
            if review is None or review["status"] != "done":
                return None
            self._faults[id] = faults_of(review["turns"])
        return self._faults[id].get(str(seat), SeatFaults(0, {}, {}))

    async def games(self) -> dict[str, _Finished]:
        """Every finished game with a result, by id; games not read before are read now."""
        rows = [row for row in self._tables.rows.values() if row.status == "over"]
        for row in rows:
            if row.id not in self._games:
                held = frozenset(seat for seat, who in enumerate(row.holders) if who.people)
                table = Table.replay(row.id, await self._tables.store.log(row.id))
                result = finished_game(table)
                opening = {turn.key: turn for turn in opening_of(table)}
                self._games[row.id] = None if result is None else _Finished(result, held, opening)
        known = ((row.id, self._games[row.id]) for row in rows)
        return {id: game for id, game in known if game is not None}
