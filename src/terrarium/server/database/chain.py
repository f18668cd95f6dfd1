"""The chain of a game's log: each row has a digest of itself and of the digest before it.

A row that was changed, lost or swapped outside this program breaks the chain at its seq. The game's row stores the last digest,
so that missing rows at the end are found too. This finds damage and careless edits; it does not protect against somebody who can
write to the database and compute the digests again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from terrarium.play.errors import Conflict
from terrarium.play.log import LogEvent
from terrarium.play.table import Table

__all__ = [
    "SET_HEAD",
    "GameDamaged",
    "GameQuarantined",
    "Link",
    "chain_all",
    "chained",
    "checked",
    "inspect_game",
    "link",
    "links",
    "replayed",
    "without_names",
]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


_LOSSES = {"vacated", "taken-over", "timed-out"}


class GameDamaged(Conflict):
    """A game whose log is damaged or can't be replayed: only this game is unavailable."""

    def __init__(self, game_id: str, bad_seq: int, reason: str) -> None:
        message = f"game {game_id} is damaged from seq {bad_seq} on ({reason}); its operator can restore it from a backup"
        super().__init__("game-damaged", message, bad_seq=bad_seq)
        self.game_id, self.bad_seq, self.reason = game_id, bad_seq, reason

    def again(self) -> GameDamaged:
        """A new error with the same content, to be raised again."""
        return GameDamaged(self.game_id, self.bad_seq, self.reason)


class GameQuarantined(GameDamaged):
    """A game that an operator quarantined."""

    def __init__(self, game_id: str, reason: str) -> None:
        message = f"game {game_id} was quarantined by the operator of this server ({reason})"
        super(GameDamaged, self).__init__("game-quarantined", message)
        self.game_id, self.bad_seq, self.reason = game_id, 1, reason

    def again(self) -> GameQuarantined:
        """A new error with the same content, to be raised again."""
        return GameQuarantined(self.game_id, self.reason)


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


def link(
    before: str, seq: int, at: int, kind: str, seat: int | None, key: str | None, data: str
) -> str:
    """The digest of a row that follows the row with the digest `before`; "" for the first."""
    return blake2b(_encode((before, seq, at, kind, seat, key, data)), digest_size=16).hexdigest()


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
    for row in rows:
        last += 1
        if row.seq != last:
            raise GameDamaged(game_id, last, "an event is missing")
        try:
            digest = link(before, row.seq, row.at, row.kind, row.seat, row.key, row.data)
            data = _decode(row.data)
        except (TypeError, ValueError):  # not text, or not JSON
            raise GameDamaged(game_id, last, "an event can't be read") from None
        if digest != row.digest:
            raise GameDamaged(game_id, last, "an event was changed")
        before = digest
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
    ends = {seat: len(rows) + 1 for seat in held}
    ends |= {row.seat: row.seq for row in rows if row.kind in _LOSSES and row.seat in lost}
    after: list[Link] = []
    old = new = ""
    for row in rows:
        data = row.data
        if row.kind in ("created", "sat"):
            data = _nameless(row, {seat for seat, end in ends.items() if row.seq < end})
        facts = (row.seq, row.at, row.kind, row.seat, row.key)
        is_whole = row.digest == link(old, *facts, row.data)
        old, new = row.digest, link(new, *facts, data) if is_whole else row.digest
        after.append(row._replace(data=data, digest=new))
    return after


def _forget(data: dict[str, Any]) -> None:
    """Remove the name from the data of a seat, and the marks of the account it belonged to."""
    data["name"] = None
    data.pop("account", None)
    data.pop("bot", None)


def _nameless(row: Link, seats: set[int]) -> str:
    try:
        data = _decode(row.data)
        if row.kind == "sat" and row.seat in seats:
            _forget(data)
        for seat in seats if row.kind == "created" else ():
            _forget(data["seats"][seat])
    except (ValueError, LookupError, TypeError):
        return row.data  # damaged
    return _encode(data).decode()


def chain_all(connection: Connection) -> None:
    """Compute the digests of all games without them, game by game to limit the memory."""
    games = connection.execute(text("SELECT id FROM games WHERE head = ''")).scalars().all()
    for game_id in games:
        found = connection.execute(_ROWS, {"game": game_id})
        rows = chained(
            Link(game_id, row.seq, row.at, row.kind, row.seat, row.key, row.data, "")
            for row in found
        )
        if rows:
            connection.execute(
                _SET_DIGEST,
                [{"game": game_id, "seq": row.seq, "digest": row.digest} for row in rows],
            )
            connection.execute(SET_HEAD, {"game": game_id, "head": rows[-1].digest})


_ROWS = text("SELECT seq, at, kind, seat, key, data FROM events WHERE game_id = :game ORDER BY seq")
_SET_DIGEST = text("UPDATE events SET digest = :digest WHERE game_id = :game AND seq = :seq")
SET_HEAD = text("UPDATE games SET head = :head WHERE id = :game")
