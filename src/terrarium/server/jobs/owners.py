"""The person who last acted in each game, and their address; engine time is shared among them. Kept only in memory, because addresses are private."""

from __future__ import annotations

from collections import OrderedDict

from terrarium.play.people import Caller
from terrarium.play.table import Table
from terrarium.server.jobs.fair import Place, Rank

__all__ = ["Owners", "rank"]

_MAX_KNOWN = 20_000


class Owners:
    """The last actors in the games of this process."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, str]] = OrderedDict()

    def acted(self, game_id: str, caller: Caller) -> None:
        """Store the caller as the last actor of a game."""
        self._known[game_id] = (caller.address, caller.key)
        self._known.move_to_end(game_id)
        while len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)

    def reported(self, game_id: str, address: str, person: str) -> None:
        """Store the last actor that another worker reported, if none is known."""
        self._known.setdefault(game_id, (address, person))

    def place(self, table: Table, *, is_watched: bool) -> Place:
        """The place in the queue for a computer's turn; a game without a known actor counts as its own address."""
        address, person = self._known.get(table.id, (table.id, ""))
        return Place(rank(table, is_watched=is_watched), address, person)


def rank(table: Table, *, is_watched: bool) -> Rank:
    """How urgent a computer's turn is."""
    resigned = table.position.resigned
    has_person = any(
        not seat.is_computer and number not in resigned for number, seat in enumerate(table.seats)
    )
    if has_person and is_watched:
        return Rank.INTERACTIVE
    return Rank.LATER if has_person or is_watched else Rank.UNWATCHED
