"""Studies in the database: a row, a log of changes, and the people who may edit besides the owner.

Every function is a part of a transaction.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Conflict, NotFound
from terrarium.play.shapes import AnyDict
from terrarium.play.studies import Change, Visibility
from terrarium.server.database import schema
from terrarium.server.database.store import Store, gone_people
from terrarium.server.database.writing import UniqueViolation

__all__ = [
    "MAX_BYTES",
    "MAX_BYTES_EACH",
    "MAX_EDITORS",
    "MAX_STUDIES",
    "Event",
    "Facts",
    "add_editor",
    "add_study",
    "append",
    "bytes_since",
    "decoded",
    "delete_studies",
    "events",
    "facts",
    "forget_people",
    "must_exist",
    "no_such_study",
    "notify",
    "owned",
    "seq_of_key",
    "studies_of",
    "update_study",
]

MAX_BYTES = 8_000_000
"""Of a study's log; a copy of the study begins with a short one."""
MAX_STUDIES = 200
MAX_BYTES_EACH = 64_000_000
"""Of all logs of one person's studies."""
MAX_EDITORS = 100


class Facts(NamedTuple):
    """What is known of a study besides its log."""

    owner: str
    visibility: Visibility
    seq: int
    bytes: int
    editors: frozenset[str]
    elsewhere: tuple[int, int] = (0, 0)
    """How many connections to other workers can edit, and how many only read."""

    @property
    def shared(self) -> tuple[str, str, frozenset[str]]:
        """What decides who may do what."""
        return self.owner, self.visibility, self.editors


class Event(NamedTuple):
    """One entry of a study's log, as it is stored."""

    seq: int
    data: str


_decode = msgspec.json.Decoder(list[Change]).decode


def decoded(id: str, log: Sequence[Event]) -> list[tuple[int, list[Change]]]:
    """The changes of each entry of a study's log."""
    try:
        return [(event.seq, _decode(event.data)) for event in log]
    except msgspec.DecodeError:
        raise Conflict("study-damaged", f"the log of study {id} is damaged") from None


def no_such_study(id: str) -> NotFound:
    """The error for a study that does not exist, or that the caller may not see."""
    return NotFound("no-such-study", f"{id[:40]!r}: there is no such study")


async def facts(connection: AsyncConnection, id: str, worker: str, now: int) -> Facts | None:
    """What is known of a study, to a worker; None if it does not exist."""
    table, people = schema.studies, schema.study_people
    row = (await connection.execute(select(table).where(table.c.id == id))).first()
    if row is None:
        return None
    found = await connection.execute(select(people.c.person).where(people.c.study_id == id))
    editors = frozenset(found.scalars())
    table = schema.study_connections
    others = table.c.study_id == id, table.c.worker != worker, table.c.until > now
    count = [func.coalesce(func.sum(one), 0) for one in (table.c.editors, table.c.readers)]
    numbers = (await connection.execute(select(*count).where(*others))).one()
    elsewhere = (int(numbers[0]), int(numbers[1]))
    return Facts(row.owner, row.visibility, row.seq, row.bytes, editors, elsewhere)


async def events(connection: AsyncConnection, id: str, since: int = 0) -> list[Event]:
    """The log after a seq."""
    table = schema.study_events
    query = select(table.c.seq, table.c.data).where(table.c.study_id == id, table.c.seq > since)
    return [Event(*row) for row in await connection.execute(query.order_by(table.c.seq))]


async def bytes_since(connection: AsyncConnection, id: str, since: int) -> int:
    """How long the log after a seq is."""
    table = schema.study_events
    query = select(func.coalesce(func.sum(func.length(table.c.data)), 0))
    own = table.c.study_id == id, table.c.seq > since
    return int((await connection.execute(query.where(*own))).scalar_one())


async def seq_of_key(connection: AsyncConnection, id: str, key: str) -> int | None:
    """The seq of the changes with this key."""
    table = schema.study_events
    query = select(table.c.seq).where(table.c.study_id == id, table.c.key == key)
    found: int | None = (await connection.execute(query)).scalar()
    return found


async def add_study(
    store: Store,
    connection: AsyncConnection,
    id: str,
    owner: str,
    people: Collection[str],
    data: str,
    index: AnyDict,
    now: int,
) -> None:
    """Write a new study; `people` are all names of its owner."""
    await gone_people(connection, owner[2:] if owner.startswith("a:") else None, ())
    await store.lock(connection, f"studies of {min({owner, *people})}")
    table = schema.studies
    query = select(func.count(), func.coalesce(func.sum(table.c.bytes), 0))
    own = await connection.execute(query.where(table.c.owner.in_({owner, *people})))
    count, size = own.one()
    if count >= MAX_STUDIES or size + len(data) > MAX_BYTES_EACH:
        message = f"you have {count} studies with {size:,} bytes; delete some first"
        raise Conflict("too-many-studies", message)
    if len(data) > MAX_BYTES:
        raise _full()
    row = {"id": id, "owner": owner, "visibility": "private", "secret_hash": None, "seq": 1}
    row |= {"bytes": len(data), "created": now, "updated": now}
    await connection.execute(insert(table).values(row | index))
    event = {"study_id": id, "seq": 1, "at": now, "key": None, "data": data}
    await connection.execute(insert(schema.study_events).values(event))


async def append(
    connection: AsyncConnection,
    id: str,
    people: Collection[str],
    before: int,
    key: str | None,
    data: str,
    index: AnyDict,
    now: int,
) -> None:
    """Add an entry to a log whose last seq is `before`; raises `UniqueViolation` if it is another one.

    `people` are the names of whoever asks, and must still be allowed to edit.
    """
    table, editors = schema.studies, schema.study_people
    changed = (
        update(table)
        .where(table.c.id == id, table.c.seq == before)
        .values(seq=before + 1, bytes=table.c.bytes + len(data), updated=now, **index)
    )
    if (await connection.execute(changed)).rowcount != 1:
        raise UniqueViolation
    row = (await connection.execute(select(table).where(table.c.id == id))).one()
    if row.owner not in people:
        own = editors.c.study_id == id, editors.c.person.in_(people)
        if (await connection.execute(select(editors).where(*own).limit(1))).first() is None:
            raise UniqueViolation  # removed a moment ago: whoever asks looks again and is refused
    if row.bytes > MAX_BYTES:
        raise _full()
    event = {"study_id": id, "seq": before + 1, "at": now, "key": key, "data": data}
    await connection.execute(insert(schema.study_events).values(event))


def _full() -> Conflict:
    message = f"the study's history is longer than {MAX_BYTES:,} bytes; continue in a copy of it"
    return Conflict("study-full", message)


async def must_exist(connection: AsyncConnection, id: str, owner: Collection[str]) -> None:
    """Lock a study that somebody owns until the transaction ends; refuse if there is no such study."""
    table = schema.studies
    query = select(table.c.owner).where(table.c.id == id).with_for_update()
    if (await connection.execute(query)).scalar() not in owner:
        raise no_such_study(id)


async def update_study(connection: AsyncConnection, id: str, **values: Any) -> None:
    """Change a study's row."""
    table = schema.studies
    await connection.execute(update(table).where(table.c.id == id).values(values))


async def add_editor(connection: AsyncConnection, id: str, person: str, secret_hash: str) -> None:
    """Let somebody edit who has the study's link."""
    table, people = schema.studies, schema.study_people
    # Before the study is locked, as a deletion of the account does.
    await gone_people(connection, person[2:] if person.startswith("a:") else None, ())
    query = select(table.c.secret_hash).where(table.c.id == id).with_for_update()
    found = (await connection.execute(query)).scalar()
    if found is None or not hmac.compare_digest(found, secret_hash):
        raise NotFound("wrong-edit-link", "this link is not valid, or not any more")
    own = people.c.study_id == id
    await connection.execute(delete(people).where(own, people.c.person == person))
    count = await connection.execute(select(func.count()).where(own))
    if count.scalar_one() >= MAX_EDITORS:
        raise Conflict("too-many-editors", f"a study has at most {MAX_EDITORS} editors")
    await connection.execute(insert(people).values(study_id=id, person=person))


async def delete_studies(
    store: Store, connection: AsyncConnection, condition: ColumnElement[bool]
) -> list[str]:
    """Delete the studies that meet a condition, and tell the workers; returns their ids."""
    table = schema.studies
    gone = await connection.execute(delete(table).where(condition).returning(table.c.id))
    ids = list(gone.scalars())
    for id in ids:
        await notify(store, connection, id)
    return ids


async def forget_people(
    store: Store, connection: AsyncConnection, people: Collection[str]
) -> list[str]:
    """Delete the studies of these people, who edit nothing any more; returns the ids of all studies that changed."""
    editors = schema.study_people
    own = editors.c.person.in_(people)
    left = await connection.execute(delete(editors).where(own).returning(editors.c.study_id))
    edited = list(left.scalars())
    for id in edited:
        await notify(store, connection, id)
    owned = schema.studies.c.owner.in_(people)
    return edited + await delete_studies(store, connection, owned)


async def owned(connection: AsyncConnection, people: Collection[str]) -> list[str]:
    """The studies that these people own."""
    table = schema.studies
    query = select(table.c.id).where(table.c.owner.in_(people)).order_by(table.c.created)
    return list((await connection.execute(query)).scalars())


async def studies_of(connection: AsyncConnection, people: Collection[str]) -> Sequence[Any]:
    """The rows of the studies that these people own or edit, last changed first."""
    table, editors = schema.studies, schema.study_people
    edited = select(editors.c.study_id).where(editors.c.person.in_(people))
    query = select(table).where(or_(table.c.owner.in_(people), table.c.id.in_(edited)))
    query = query.order_by(table.c.updated.desc(), table.c.id).limit(MAX_STUDIES * 2)
    return (await connection.execute(query)).all()


async def notify(store: Store, connection: AsyncConnection, id: str) -> None:
    """Tell the other workers that a study changed, or is gone."""
    await store.tell(connection, f"study {id}")
