"""Studies in the database: a row, a log of changes, and the editors besides the owner.

Every function runs as part of a transaction.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, delete, func, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from terrarium.play.errors import Conflict, NotFound
from terrarium.play.shapes import AnyDict
from terrarium.play.studies import Access, Change, Visibility
from terrarium.play.study import Study
from terrarium.server.database import schema
from terrarium.server.database.chain import STUDIES, StudyDamaged, chain_one, follow, link
from terrarium.server.database.store import Store, gone_people
from terrarium.server.database.writing import UniqueViolation

__all__ = [
    "MAX_BYTES",
    "MAX_BYTES_EACH",
    "MAX_EDITORS",
    "MAX_STUDIES",
    "Event",
    "Facts",
    "Stored",
    "add_editor",
    "add_study",
    "append",
    "bytes_since",
    "chain_some",
    "checked",
    "decoded",
    "delete_studies",
    "digest_at",
    "event",
    "events",
    "facts",
    "forget_people",
    "inspect_study",
    "must_exist",
    "no_such_study",
    "notify",
    "replayed",
    "seq_of_key",
    "stored",
    "studies_of",
    "update_study",
    "wrong_edit_link",
]

MAX_BYTES = 8_000_000
"""The most bytes of a study's log; a copy of a study begins with a short log."""
MAX_STUDIES = 200
MAX_BYTES_EACH = 64_000_000
"""The most bytes of all logs of one person's studies."""
MAX_EDITORS = 100


class Facts(NamedTuple):
    """The data of a study besides its log."""

    owner: str
    visibility: Visibility
    seq: int
    bytes: int
    editors: frozenset[str]
    elsewhere: tuple[int, int] = (0, 0)
    """The numbers of connections to other workers that can edit, and that can only read."""
    head: str = ""
    """The digest of the last entry of the log; entries of the release before, which wrote no digests, may follow it."""

    def access(self, people: Collection[str]) -> Access | None:
        """The access of a person with these ids; None if they may not see the study."""
        if self.owner in people:
            return "owner"
        if not self.editors.isdisjoint(people):
            return "editor"
        return "reader" if self.visibility == "link" else None

    @property
    def shared(self) -> tuple[str, str, frozenset[str]]:
        """The fields that determine the access."""
        return self.owner, self.visibility, self.editors


class Event(NamedTuple):
    """One entry of a study's log, as it is stored."""

    seq: int
    at: int
    key: str | None
    data: str
    digest: str


class Stored(NamedTuple):
    """The data of a study, its log after the seq `since`, and the digest that is stored with the entry `since`."""

    facts: Facts
    since: int
    anchor: str | None
    """Empty if that entry has no digest or `since` is 0; None if there is no such entry."""
    log: list[Event]


_decode = msgspec.json.Decoder(list[Change]).decode


def checked(id: str, stored: Stored, before: str = "", head: str = "") -> str:
    """The digest of the last entry of a log; raises `StudyDamaged` if the chain is broken.

    `before` is the digest at `since`, and `head` the last stored digest until then.
    """
    head = stored.anchor or head
    damaged = partial(StudyDamaged, id)
    rows = follow(STUDIES, stored.log, damaged, before, stored.since, may_lack_digests=True)
    digest = before
    for event, digest in rows:  # noqa: B007
        head = event.digest or head
    last = stored.since + len(stored.log)
    if (last, head) != (stored.facts.seq, stored.facts.head):
        raise damaged(last + 1, "the last events are missing")
    return digest


def decoded(id: str, log: Sequence[Event]) -> list[tuple[int, list[Change]]]:
    """The changes of each entry of a study's log."""
    found = []
    for event in log:
        try:
            found.append((event.seq, _decode(event.data)))
        except msgspec.DecodeError:
            raise StudyDamaged(id, event.seq, "an event can't be read") from None
    return found


def replayed(id: str, log: Sequence[Event]) -> Study:
    """The study after a whole log; raises `StudyDamaged` if it can't be replayed for any reason."""
    changes = decoded(id, log)
    try:
        return Study.replay(changes)
    except Exception as error:
        reason = f"it can't be replayed: {type(error).__name__}: {str(error)[:100]}"
        raise StudyDamaged(id, 1, reason) from None


def inspect_study(id: str, seq: int, head: str, log: Sequence[Event]) -> Study | StudyDamaged:
    """The study after a whole log, or its problem; `seq` and `head` are those of its row."""
    facts = Facts("", "private", seq, 0, frozenset(), head=head)
    try:
        checked(id, Stored(facts, 0, "", list(log)))
        return replayed(id, log)
    except StudyDamaged as error:
        return error


def no_such_study(id: str) -> NotFound:
    """The error for a study that does not exist, or that the caller may not see."""
    return NotFound("no-such-study", f"{id[:40]!r}: there is no such study")


def wrong_edit_link() -> NotFound:
    """The error for a secret that is not that of the study's link."""
    return NotFound("wrong-edit-link", "this link is not valid, or no longer valid")


async def facts(
    connection: AsyncConnection, ids: Collection[str], worker: str, now: int
) -> dict[str, Facts]:
    """The data of studies, for a worker; studies that do not exist are left out."""
    table, people, others = schema.studies, schema.study_people, schema.study_connections
    found = (await connection.execute(select(table).where(table.c.id.in_(ids)))).all()
    editors: dict[str, set[str]] = {row.id: set() for row in found}
    for row in await connection.execute(select(people).where(people.c.study_id.in_(ids))):
        editors.setdefault(row.study_id, set()).add(row.person)
    is_counted = others.c.study_id.in_(ids), others.c.worker != worker, others.c.until > now
    sums = func.sum(others.c.editors), func.sum(others.c.readers)
    query = select(others.c.study_id, *sums).where(*is_counted).group_by(others.c.study_id)
    counts = {row[0]: (int(row[1]), int(row[2])) for row in await connection.execute(query)}
    return {
        row.id: Facts(
            row.owner,
            row.visibility,
            row.seq,
            row.bytes,
            frozenset(editors[row.id]),
            counts.get(row.id, (0, 0)),
            row.head,
        )
        for row in found
    }


async def stored(
    store: Store, connection: AsyncConnection, id: str, since: int, worker: str, now: int
) -> Stored | None:
    """The data and the log of a study after a seq, at one moment; None if there is no such study. It is the first query of its transaction."""
    if store.is_postgres:
        await connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    found = (await facts(connection, [id], worker, now)).get(id)
    if found is None:
        return None
    return Stored(
        found, since, await digest_at(connection, id, since), await events(connection, id, since)
    )


async def digest_at(connection: AsyncConnection, id: str, seq: int) -> str | None:
    """The digest that is stored with an entry of a log; None if there is no such entry, "" for seq 0."""
    if seq == 0:
        return ""
    table = schema.study_events
    query = select(table.c.digest).where(table.c.study_id == id, table.c.seq == seq)
    found: str | None = (await connection.execute(query)).scalar()
    return found


async def events(connection: AsyncConnection, id: str, since: int = 0) -> list[Event]:
    """The log after a seq."""
    table = schema.study_events
    query = select(*_EVENT).where(table.c.study_id == id, table.c.seq > since)
    return [Event(*row) for row in await connection.execute(query.order_by(table.c.seq))]


_EVENT = [schema.study_events.c[name] for name in Event._fields]


async def bytes_since(connection: AsyncConnection, id: str, since: int) -> int:
    """The size of the log after a seq."""
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


async def event(connection: AsyncConnection, id: str, seq: int) -> Event:
    """One entry of a log."""
    table = schema.study_events
    query = select(*_EVENT).where(table.c.study_id == id, table.c.seq == seq)
    return Event(*(await connection.execute(query)).one())


async def add_study(
    store: Store,
    connection: AsyncConnection,
    id: str,
    owner: str,
    people: Collection[str],
    key: str | None,
    data: str,
    index: AnyDict,
    now: int,
) -> tuple[str, str]:
    """Store a new study, unless its owner, with the ids `people`, used the key before; returns the study's id and the digest of its log."""
    await gone_people(connection, owner[2:] if owner.startswith("a:") else None, ())
    await store.lock(connection, f"studies of {min({owner, *people})}")
    table, events, added = schema.studies, schema.study_events, len(data.encode())
    if key is not None:
        is_first = (events.c.study_id == table.c.id) & (events.c.seq == 1) & (events.c.key == key)
        known = select(table.c.id).join(events, is_first).where(table.c.owner.in_({owner, *people}))
        found: str | None = (await connection.execute(known.limit(1))).scalar()
        if found is not None:
            return found, ""
    count, size = await _used(connection, {owner, *people})
    if count >= MAX_STUDIES or size + added > MAX_BYTES_EACH:
        message = f"you have {count} studies with {size:,} bytes; delete some first"
        raise Conflict("too-many-studies", message)
    if added > MAX_BYTES:
        raise _full()
    row = {"id": id, "owner": owner, "visibility": "private", "secret_hash": None, "seq": 1}
    head = link("", 1, now, key, data)
    row |= {"bytes": added, "created": now, "updated": now, "head": head}
    await connection.execute(insert(table).values(row | index))
    first = Event(1, now, key, data, head)._asdict()
    await connection.execute(insert(events).values(study_id=id, **first))
    return id, head


async def append(
    connection: AsyncConnection,
    id: str,
    people: Collection[str],
    before: Facts,
    digest: str,
    key: str | None,
    data: str,
    index: AnyDict,
    now: int,
) -> str:
    """Add an entry to a log whose last digest is `digest`; returns its new one. Raises `UniqueViolation` if the stored log differs from `before`.

    `people` are the ids of the caller, who must still be allowed to edit.
    """
    table, editors = schema.studies, schema.study_people
    seq = before.seq + 1
    head = link(digest, seq, now, key, data)
    index = index | {"seq": seq, "head": head, "updated": now}
    changed = (
        update(table)
        .where(table.c.id == id, table.c.seq == before.seq, table.c.head == before.head)
        .values(bytes=table.c.bytes + len(data.encode()), **index)
    )
    if (await connection.execute(changed)).rowcount != 1:
        raise UniqueViolation
    row = (await connection.execute(select(table).where(table.c.id == id))).one()
    if row.owner not in people:
        own = editors.c.study_id == id, editors.c.person.in_(people)
        if (await connection.execute(select(editors).where(*own).limit(1))).first() is None:
            raise UniqueViolation  # just removed as an editor: the caller tries again and is refused
    if row.bytes > MAX_BYTES:
        raise _full()
    _, size = await _used(connection, await _names(connection, row.owner))
    if size > MAX_BYTES_EACH:
        message = f"all studies of the owner would have {size:,} bytes, more than {MAX_BYTES_EACH:,}; delete some first"
        raise Conflict("too-many-studies", message)
    entry = Event(seq, now, key, data, head)._asdict()
    await connection.execute(insert(schema.study_events).values(study_id=id, **entry))
    return head


async def chain_some(connection: AsyncConnection, limit: int, most_bytes: int) -> int:
    """Compute the digests of some logs that the release before wrote; returns how many logs.

    They have at most `most_bytes` bytes together, or it is one log.
    """
    table, entries = schema.studies, schema.study_events
    # A damaged study without a first entry can't get digests, and must not keep the others from getting theirs.
    begun = select(entries.c.study_id).where(
        entries.c.study_id == table.c.id, entries.c.seq == 1, entries.c.digest == ""
    )
    # Locked, so that no entry is added meanwhile; logs that somebody else has locked are left for later.
    query = select(table.c.id, table.c.bytes).where(table.c.head == "", begun.exists())
    query = query.order_by(table.c.id).limit(limit).with_for_update(skip_locked=True)
    count = size = 0
    for id, added in (await connection.execute(query)).all():
        if count and size + added > most_bytes:
            break
        size += added
        count += await connection.run_sync(chain_one, STUDIES, id)
    return count


async def _names(connection: AsyncConnection, owner: str) -> set[str]:
    """All ids of the owner of a study."""
    table = schema.aliases
    account = owner.removeprefix("a:")
    if account == owner:
        query = select(table.c.account_id).where(table.c.person == owner)
        found: str | None = (await connection.execute(query)).scalar()
        if found is None:
            return {owner}
        account = found
    others = select(table.c.person).where(table.c.account_id == account)
    return {f"a:{account}", *(await connection.execute(others)).scalars()}


async def _used(connection: AsyncConnection, people: Collection[str]) -> tuple[int, int]:
    """The number of studies that these people own, and the bytes of their logs."""
    table = schema.studies
    query = select(func.count(), func.coalesce(func.sum(table.c.bytes), 0))
    count, size = (await connection.execute(query.where(table.c.owner.in_(people)))).one()
    return int(count), int(size)


def _full() -> Conflict:
    message = f"the study's history is longer than {MAX_BYTES:,} bytes; continue in a copy of it"
    return Conflict("study-full", message)


async def must_exist(connection: AsyncConnection, id: str, owner: Collection[str]) -> None:
    """Lock a study of this owner until the transaction ends; refuse if there is no such study."""
    table = schema.studies
    query = select(table.c.owner).where(table.c.id == id).with_for_update()
    if (await connection.execute(query)).scalar() not in owner:
        raise no_such_study(id)


async def update_study(connection: AsyncConnection, id: str, **values: Any) -> None:
    """Change a study's row."""
    table = schema.studies
    await connection.execute(update(table).where(table.c.id == id).values(values))


async def add_editor(connection: AsyncConnection, id: str, person: str, secret_hash: str) -> None:
    """Make a person with the study's link an editor."""
    table, people = schema.studies, schema.study_people
    # Before the study is locked, in the same order as in a deletion of the account.
    await gone_people(connection, person[2:] if person.startswith("a:") else None, ())
    query = select(table.c.secret_hash).where(table.c.id == id).with_for_update()
    found = (await connection.execute(query)).scalar()
    if found is None or not hmac.compare_digest(found, secret_hash):
        raise wrong_edit_link()
    own = people.c.study_id == id
    await connection.execute(delete(people).where(own, people.c.person == person))
    count = await connection.execute(select(func.count()).where(own))
    if count.scalar_one() >= MAX_EDITORS:
        raise Conflict("too-many-editors", f"a study has at most {MAX_EDITORS} editors")
    await connection.execute(insert(people).values(study_id=id, person=person))


async def delete_studies(
    store: Store, connection: AsyncConnection, condition: ColumnElement[bool]
) -> list[str]:
    """Delete the studies that meet a condition, and notify the workers; returns their ids."""
    table = schema.studies
    gone = await connection.execute(delete(table).where(condition).returning(table.c.id))
    ids = list(gone.scalars())
    for id in ids:
        await notify(store, connection, id)
    return ids


async def forget_people(
    store: Store, connection: AsyncConnection, people: Collection[str]
) -> list[str]:
    """Delete the studies of these people and their rights as editors; returns the ids of all studies that changed."""
    editors = schema.study_people
    own = editors.c.person.in_(people)
    left = await connection.execute(delete(editors).where(own).returning(editors.c.study_id))
    edited = list(left.scalars())
    for id in edited:
        await notify(store, connection, id)
    owned = schema.studies.c.owner.in_(people)
    return edited + await delete_studies(store, connection, owned)


async def studies_of(connection: AsyncConnection, people: Collection[str]) -> Sequence[Any]:
    """The rows of the studies that these people own or edit, last changed first."""
    table, editors = schema.studies, schema.study_people
    edited = select(editors.c.study_id).where(editors.c.person.in_(people))
    query = select(table).where(or_(table.c.owner.in_(people), table.c.id.in_(edited)))
    query = query.order_by(table.c.updated.desc(), table.c.id).limit(MAX_STUDIES * 2)
    return (await connection.execute(query)).all()


async def notify(store: Store, connection: AsyncConnection, id: str) -> None:
    """Notify the other workers that a study changed or was deleted."""
    await store.announce(connection, f"study {id}")
