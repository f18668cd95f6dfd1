"""Statistics of a person's finished games: results by category, the games' own statistics, and faults that reviews found.

All numbers are sums, so that those of a server and of a browser can be added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct

from terrarium import games
from terrarium.core.outcome import Outcome
from terrarium.play.finished import FinishedGame, SeatFaults

__all__ = ["MOST_GAMES", "Insights", "OwnGame", "since", "summed"]

MOST_GAMES = 2_000
"""At most this many of a person's latest games are counted."""
_DAY_MS = 86_400_000


class OwnGame(NamedTuple):
    """A finished game, the seat the person held, and the faults of that seat if the game was reviewed."""

    game: FinishedGame
    seat: int
    faults: SeatFaults | None = None


class Group(Struct):
    """Games of one category: `by` is its kind (`game`, `players`, `place` in the order of play, `edition`, `opponent`, `month`) and `key` its value."""

    game: str
    by: str
    key: str
    games: int
    wins: float


class Achieved(Struct):
    """One of a game's own statistics: the sum over all games, and over the games won.

    The mean is `total / count`: `count` is the number of games, or for a rate such as points per territory the number of
    territories.
    """

    game: str
    name: str
    count: float
    total: float
    won_count: float
    won_total: float


class Fault(Struct):
    """How many turns have a fault with this label, or for this reason (`side-code`)."""

    game: str
    by: str
    key: str
    count: int


class Insights(Struct):
    """Sums over a person's latest finished games, at most `MOST_GAMES`; games in which they held several seats are left out."""

    games: int
    groups: list[Group]
    achieved: list[Achieved]
    reviewed_games: int
    reviewed_turns: int
    faults: list[Fault]
    is_capped: bool = False


def since(days: int | None, now: int) -> int:
    """The time from which games count; 0 for all."""
    return 0 if days is None else now - days * _DAY_MS


def summed(played: Iterable[OwnGame], *, is_capped: bool = False) -> Insights:
    """The numbers of these games."""
    groups: dict[tuple[str, str, str], Group] = {}
    achieved: dict[tuple[str, str], Achieved] = {}
    faults: dict[tuple[str, str, str], Fault] = {}
    count = reviewed = turns = 0
    for own in played:
        count += 1
        name = own.game.game
        share = Outcome(tuple(own.game.winners), "").shares(own.game.players)[own.seat]
        for by, key in _keys(own):
            group = groups.setdefault((name, by, key), Group(name, by, key, 0, 0.0))
            group.games += 1
            group.wins += share
        for what, total, many in _achieved(own):
            sums = achieved.setdefault((name, what), Achieved(name, what, 0.0, 0.0, 0.0, 0.0))
            sums.count += many
            sums.total += total
            if own.game.winners == [own.seat]:
                sums.won_count += many
                sums.won_total += total
        if own.faults is not None:
            reviewed += 1
            turns += own.faults.turns
            for by, counts in (("label", own.faults.labels), ("reason", own.faults.reasons)):
                for key, many in counts.items():
                    faults.setdefault((name, by, key), Fault(name, by, key, 0)).count += many
    for group in groups.values():
        group.wins = round(group.wins, 2)
    return Insights(
        count,
        list(groups.values()),
        list(achieved.values()),
        reviewed,
        turns,
        list(faults.values()),
        is_capped,
    )


def _achieved(own: OwnGame) -> Iterator[tuple[str, float, float]]:
    """The statistics of the seat in a game: the name of each, its sum, and the count to divide the sum by."""
    tally = {name: values[own.seat] for name, values in own.game.tally.items()}
    rates = games[own.game.game].rates if own.game.game in games else {}
    for name, value in tally.items():
        # Games that ended before `rates` was introduced store a mean under the name of the rate; it is skipped.
        if name not in rates:
            yield name, value, 1
    for name, (part, whole) in rates.items():
        if part in tally and whole in tally:
            yield name, tally[part], tally[whole]


def _keys(own: OwnGame) -> Iterator[tuple[str, str]]:
    """The categories of a game."""
    game = own.game
    yield "game", game.game
    yield "players", str(game.players)
    yield "place", str((own.seat - game.starter) % game.players)
    if game.edition:
        yield "edition", game.edition
    others = {who for seat, who in enumerate(game.opponents) if seat != own.seat}
    for other in sorted(others):
        yield "opponent", other
    yield "month", datetime.fromtimestamp(game.ended / 1000, UTC).strftime("%Y-%m")
