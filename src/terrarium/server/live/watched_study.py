"""A study in memory with its watchers, and the messages to them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import structs

from terrarium.play.people import Caller
from terrarium.play.studies import (
    Access,
    Change,
    ChangesMessage,
    GoneMessage,
    NodeChange,
    PeopleMessage,
    ReloadMessage,
    StudyMessage,
    StudyView,
)
from terrarium.play.study import Study
from terrarium.server.database.chain import StudyDamaged
from terrarium.server.database.studies import Facts, Stored, checked, decoded
from terrarium.server.live.watchers import SocketWatcher, encoded

__all__ = ["WEIGHT", "Entry", "dismiss", "missed"]

WEIGHT = 8
"""The estimated bytes of memory for each byte of a study's log."""
_PEOPLE_SECONDS = 0.1
_MAX_PUSHED = 64_000
"""A study message up to this many characters is sent after changes; clients load a longer one themselves."""


@dataclass(eq=False)
class Entry:
    """A study in memory: its state, its other data, the lock that orders its changes, and its watchers."""

    id: str
    study: Study
    facts: Facts
    digest: str
    """The digest of the last entry of the log, even if it is not stored."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[SocketWatcher] = field(default_factory=set)
    is_stale: bool = False
    _people: asyncio.TimerHandle | None = None

    def access(self, caller: Caller) -> Access | None:
        """The caller's access; None if the caller may not see the study."""
        return self.facts.access(caller.people)

    @property
    def memory(self) -> int:
        """The estimated size of the study in memory, in bytes."""
        return self.facts.bytes * WEIGHT

    def view(self, access: Access) -> StudyView:
        """The study as somebody with this access sees it."""
        facts = self.facts
        return self.study.view(self.id, access, facts.visibility, len(facts.editors))

    def here(self) -> tuple[int, int]:
        """The numbers of connections here that can edit, and that can only read."""
        editors = sum(self.access(one.caller) in ("owner", "editor") for one in self.watchers)
        return editors, len(self.watchers) - editors

    def join(self, watcher: SocketWatcher, access: Access) -> None:
        """Add a watcher that has received the missed changes."""
        watcher.seq = self.study.seq
        watcher.push(self._message(access))
        self.watchers.add(watcher)
        self.announce_people()

    def advance(self, after: Study, changes: Sequence[Change]) -> None:
        """Replace the study by the one after changes, and send the changes to all watchers."""
        self.study = after
        if not self.watchers:
            return
        text = encoded(ChangesMessage(seq=after.seq, changes=list(changes)))
        for watcher in list(self.watchers):
            if watcher.seq < after.seq:
                watcher.seq = after.seq
                watcher.push(text)
        if not all(isinstance(change, NodeChange) for change in changes):
            self._send_study(most=_MAX_PUSHED)

    def steps(self, stored: Stored) -> tuple[list[tuple[Study, list[Change]]], str]:
        """The study after each further entry of its log with the changes of the entry, and the last digest.

        Raises `StudyDamaged` if the stored log does not continue this one.
        """
        if stored.anchor is None or stored.anchor not in ("", self.digest):
            raise StudyDamaged(self.id, stored.since, "an event was changed")
        digest = checked(self.id, stored, self.digest, self.facts.head)
        study, steps = self.study, []
        for seq, changes in decoded(self.id, stored.log):
            study = study.after(seq, changes)
            steps.append((study, changes))
        return steps, digest

    def restart(self, study: Study) -> None:
        """Replace the study by one restored from a backup; all watchers are asked to load it again."""
        self.study = study
        text = encoded(ReloadMessage(seq=study.seq))
        for watcher in list(self.watchers):
            watcher.seq = study.seq
            watcher.push(text)

    def learn(self, facts: Facts) -> bool:
        """Update the data besides the log; returns whether access rights changed."""
        is_other = facts.shared != self.facts.shared
        if is_other or facts.elsewhere != self.facts.elsewhere:
            self.announce_people()
        self.facts = facts
        if is_other:
            self._send_study()
        return is_other

    def _send_study(self, most: int | None = None) -> None:
        """Send all watchers the study itself, unless it has more characters than `most`; end the connections of those who may no longer see it."""
        texts: dict[Access, str] = {}
        for watcher in list(self.watchers):
            access = self.access(watcher.caller)
            if access is None:
                self.watchers.discard(watcher)
                dismiss(watcher)
                continue
            if access not in texts:
                texts[access] = self._message(access)
            if most is None or len(texts[access]) <= most:
                watcher.push(texts[access])

    def announce_people(self) -> None:
        """Send all watchers the numbers of connections soon; many changes at once cause one message."""
        if self._people is None:
            loop = asyncio.get_running_loop()
            self._people = loop.call_later(_PEOPLE_SECONDS, self._send_people)

    def _send_people(self) -> None:
        self._people = None
        (editors, readers), elsewhere = self.here(), self.facts.elsewhere
        message = PeopleMessage(editors=editors + elsewhere[0], readers=readers + elsewhere[1])
        text = encoded(message)
        for watcher in list(self.watchers):
            watcher.push(text)

    def drop(self) -> None:
        """Close the connections of all watchers; when they connect again, they get the reason."""
        for watcher in self.watchers:
            watcher.is_dropped = True
            watcher.drop()
        self.watchers.clear()

    def end(self) -> None:
        """End the connections of all watchers, because the study no longer exists."""
        for watcher in self.watchers:
            dismiss(watcher)
        self.watchers.clear()

    def _message(self, access: Access) -> str:
        return encoded(StudyMessage(**structs.asdict(self.view(access))))


def missed(id: str, stored: Stored) -> str:
    """A message with all changes of a log after a seq; raises `StudyDamaged` if its chain is broken."""
    before = stored.anchor or ""
    checked(id, stored, before, before)
    changes = [change for _, some in decoded(id, stored.log) for change in some]
    return encoded(ChangesMessage(seq=stored.log[-1].seq, changes=changes))


def dismiss(watcher: SocketWatcher) -> None:
    """Report that the study is gone, and end the connection."""
    watcher.push(encoded(GoneMessage()))
    watcher.end()
