"""The chain of a log, of a game or a study: each row has a digest of itself and of the digest before it.

A row that was changed, lost or swapped outside this program breaks the chain at its seq. The row of the game or study stores the last
digest, so that missing rows at the end are found too. This finds damage and careless edits; it does not protect against somebody who can
write to the database and compute the digests again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from terrarium.play.errors import Conflict
from terrarium.play.log import LogEvent
from terrarium.play.table import Table

__all__ = [
    "GAMES",
    "SEATING_KINDS",
    "SET_HEAD",
    "STUDIES",
    "Chain",
    "Damaged",
    "GameDamaged",
    "GameQuarantined",
    "Link",
    "StudyDamaged",
    "chain_all",
    "chain_one",
    "chained",
    "checked",
    "follow",
    "has_names",
    "inspect_game",
    "link",
    "links",
    "replayed",
    "without_names",
]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


_LOSSES = {"vacated", "taken-over", "timed-out"}
_NAMING = {"created", "sat"}
SEATING_KINDS = _LOSSES | _NAMING
"""The kinds of events that name players, or after which a seat is lost."""


class Damaged(Conflict):
    """A log that is damaged or can't be replayed: only its game or study is unavailable."""

    id: str
    bad_seq: int
    reason: str


class GameDamaged(Damaged):
    """A damaged game."""

    def __init__(self, id: str, bad_seq: int, reason: str) -> None:
        message = f"game {id} is damaged {_restorable(bad_seq, reason)}"
        super().__init__("game-damaged", message, bad_seq=bad_seq)
        self.id, self.bad_seq, self.reason = id, bad_seq, reason

    def again(self) -> GameDamaged:
        """A new error with the same content, to be raised again."""
        return GameDamaged(self.id, self.bad_seq, self.reason)


class GameQuarantined(GameDamaged):
    """A game that an operator quarantined."""

    def __init__(self, id: str, reason: str) -> None:
        message = f"game {id} was quarantined by the operator of this server ({reason})"
        super(GameDamaged, self).__init__("game-quarantined", message)
        self.id, self.bad_seq, self.reason = id, 1, reason

    def again(self) -> GameQuarantined:
        """A new error with the same content, to be raised again."""
        return GameQuarantined(self.id, self.reason)


class StudyDamaged(Damaged):
    """A damaged study."""

    def __init__(self, id: str, bad_seq: int, reason: str) -> None:
        message = f"study {id} is damaged {_restorable(bad_seq, reason)}"
        super().__init__("study-damaged", message, bad_seq=bad_seq)
        self.id, self.bad_seq, self.reason = id, bad_seq, reason

    def again(self) -> StudyDamaged:
        """A new error with the same content, to be raised again."""
        return StudyDamaged(self.id, self.bad_seq, self.reason)


def _restorable(bad_seq: int, reason: str) -> str:
    return f"from seq {bad_seq} on ({reason}); its operator can restore it from a backup"


class Chain(NamedTuple):
    """The tables of a kind of log, and the columns that its digests include."""

    owners: str
    """The table with a row for each log; its `head` is the last digest."""
    rows: str
    owner: str
    """The column of `rows` with the id of the owner."""
    columns: tuple[str, ...]

    def facts(self) -> Callable[[Any], tuple[Any, ...]]:
        """A function that returns the values of a row that its digest includes."""
        return attrgetter(*self.columns)


GAMES = Chain("games", "events", "game_id", ("seq", "at", "kind", "seat", "key", "data"))
STUDIES = Chain("studies", "study_events", "study_id", ("seq", "at", "key", "data"))


class Link(NamedTuple):
    """One row of the log as it is stored."""

    game_id: str
    seq: int
    at: int
    kind: str
    seat: int | None
    key: str | None
    data: str
    digest: str


def link(before: str, *facts: Any) -> str:
    """The digest of a row with these facts that follows the row with the digest `before`; "" for the first."""
    return blake2b(_encode((before, *facts)), digest_size=16).hexdigest()


def follow(
    chain: Chain,
    rows: Iterable[Any],
    damaged: Callable[[int, str], Damaged],
    before: str = "",
    last: int = 0,
    *,
    may_lack_digests: bool = False,
) -> Iterator[tuple[Any, str]]:
    """Yield rows with their digests; raises `damaged` at the first row that does not follow from the one before it.

    `last` is the seq before the first row, and `before` its digest. A row may lack its digest if the release before wrote it; the
    digests of later rows include it.
    """
    facts = chain.facts()
    for row in rows:
        last += 1
        if row.seq != last:
            raise damaged(last, "an event is missing")
        try:
            before = link(before, *facts(row))
        except (TypeError, ValueError):
            raise damaged(last, "an event can't be read") from None
        if row.digest != before and (row.digest or not may_lack_digests):
            raise damaged(last, "an event was changed")
        yield row, before


def links(game_id: str, log: Iterable[LogEvent], before: str = "") -> list[Link]:
    """Events as rows with digests; the first follows the row with the digest `before`."""
    rows = (
        Link(game_id, e.seq, e.at, e.kind, e.seat, e.key, _encode(e.data).decode(), "") for e in log
    )
    return chained(rows, before)


def chained(rows: Iterable[Link], before: str = "") -> list[Link]:
    """Rows with their digests; the first follows the row with the digest `before`."""
    after = []
    for row in rows:
        before = link(before, row.seq, row.at, row.kind, row.seat, row.key, row.data)
        after.append(row._replace(digest=before))
    return after


def checked(game_id: str, rows: Sequence[Any], before: str = "", last: int = 0) -> list[LogEvent]:
    """Rows as events; raises `GameDamaged` at the first row that does not follow from the one before it.

    `last` is the seq before the first row, and `before` its digest.
    """
    log = []
    for row, _ in follow(GAMES, rows, partial(GameDamaged, game_id), before, last):
        try:
            data = _decode(row.data)
        except ValueError:
            raise GameDamaged(game_id, row.seq, "an event can't be read") from None
        log.append(LogEvent(row.seq, row.at, row.kind, row.seat, data, row.key))
    return log


def inspect_game(game_id: str, rows: Sequence[Any]) -> Table | GameDamaged:
    """The table after a game's rows, or their problem."""
    try:
        return replayed(game_id, checked(game_id, rows))
    except GameDamaged as error:
        return error


def replayed(game_id: str, log: Sequence[LogEvent], table: Table | None = None) -> Table:
    """The table after these events; raises `GameDamaged` if they can't be replayed for any reason."""
    seq = 0

    def events() -> Iterator[LogEvent]:
        nonlocal seq
        for event in log:
            seq = event.seq
            yield event

    try:
        return Table.replay(game_id, events()) if table is None else table.after(events())
    except Exception as error:
        reason = f"it can't be replayed: {type(error).__name__}: {str(error)[:100]}"
        raise GameDamaged(game_id, seq, reason) from None


def without_names(rows: Sequence[Link], held: set[int], lost: set[int]) -> list[Link]:
    """A game's rows without the names of some seats, with new digests.

    For a lost seat only names before its loss are removed; a later player keeps theirs. A chain that was broken stays
    broken at the same place.
    """
    ends = _ends(rows, held, lost)
    after: list[Link] = []
    old = new = ""
    for row in rows:
        data = row.data
        if row.kind in _NAMING:
            data = _nameless(row, {seat for seat, end in ends.items() if row.seq < end})
        facts = (row.seq, row.at, row.kind, row.seat, row.key)
        is_whole = row.digest == link(old, *facts, row.data)
        old, new = row.digest, link(new, *facts, data) if is_whole else row.digest
        after.append(row._replace(data=data, digest=new))
    return after


def has_names(rows: Sequence[Any], held: set[int], lost: set[int]) -> bool:
    """Whether `without_names` would change a game; `rows` are at least its rows of `SEATING_KINDS`."""
    ends = _ends(rows, held, lost)
    return any(
        row.data != _nameless(row, {seat for seat, end in ends.items() if row.seq < end})
        for row in rows
        if row.kind in _NAMING
    )


def _ends(rows: Sequence[Any], held: set[int], lost: set[int]) -> dict[int, int]:
    """For each seat the seq before which its names are removed."""
    ends = dict.fromkeys(held, rows[-1].seq + 1) if rows else {}
    return ends | {row.seat: row.seq for row in rows if row.kind in _LOSSES and row.seat in lost}


def _forget(data: dict[str, Any]) -> None:
    """Remove the name from the data of a seat, and the marks of the account it belonged to."""
    data["name"] = None
    data.pop("account", None)
    data.pop("bot", None)


def _nameless(row: Any, seats: set[int]) -> str:
    before: str = row.data
    try:
        data = _decode(before)
        if row.kind == "sat" and row.seat in seats:
            _forget(data)
        for seat in seats if row.kind == "created" else ():
            _forget(data["seats"][seat])
    except (ValueError, LookupError, TypeError):
        return before  # damaged
    return _encode(data).decode()


def chain_all(connection: Connection, chain: Chain = GAMES) -> None:
    """Compute the digests of all logs without them, one by one to limit the memory."""
    for id in connection.execute(text(_UNCHAINED.format(chain))).scalars().all():
        chain_one(connection, chain, id)


def chain_one(connection: Connection, chain: Chain, id: str) -> bool:
    """Compute the digests of a log, unless it is empty or has some; returns whether it did."""
    columns = ", ".join((*chain.columns, "digest"))
    query = f"SELECT {columns} FROM {chain.rows} WHERE {chain.owner} = :id ORDER BY seq"
    rows = connection.execute(text(query), {"id": id}).all()
    if not rows or any(row.digest for row in rows):
        return False
    facts, before, found = chain.facts(), "", []
    for row in rows:
        before = link(before, *facts(row))
        found.append({"id": id, "seq": row.seq, "digest": before})
    changed = f"UPDATE {chain.rows} SET digest = :digest WHERE {chain.owner} = :id AND seq = :seq"
    connection.execute(text(changed), found)
    ended = f"UPDATE {chain.owners} SET head = :head WHERE id = :id"
    connection.execute(text(ended), {"id": id, "head": before})
    return True


_UNCHAINED = "SELECT id FROM {0.owners} WHERE head = ''"
SET_HEAD = text("UPDATE games SET head = :head WHERE id = :game")
