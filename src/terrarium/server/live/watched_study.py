"""A study in memory and everybody who watches it: what each of them is sent."""

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
from terrarium.server.database.studies import Event, Facts, decoded
from terrarium.server.live.watchers import SocketWatcher, encoded

__all__ = ["WEIGHT", "Entry", "dismiss", "missed"]

WEIGHT = 8
"""Bytes of memory for each byte of a study's log."""
_PEOPLE_SECONDS = 0.1
_MAX_PUSHED = 64_000
"""Characters of a study that are sent after its changes; who gets the changes can ask for a longer one."""


@dataclass(eq=False)
class Entry:
    """A study in memory: its state, what is known besides, the lock that orders its changes, and who watches it."""

    id: str
    study: Study
    facts: Facts
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[SocketWatcher] = field(default_factory=set)
    is_stale: bool = False
    _people: asyncio.TimerHandle | None = None

    def access(self, caller: Caller) -> Access | None:
        """What somebody may do; None: not even see it."""
        return self.facts.access(caller.people)

    @property
    def memory(self) -> int:
        """About how many bytes the study takes in memory."""
        return self.facts.bytes * WEIGHT

    def view(self, access: Access) -> StudyView:
        """The study as somebody with this access sees it."""
        facts = self.facts
        return self.study.view(self.id, access, facts.visibility, len(facts.editors))

    def here(self) -> tuple[int, int]:
        """How many connections here can edit, and how many only read."""
        editors = sum(self.access(one.caller) in ("owner", "editor") for one in self.watchers)
        return editors, len(self.watchers) - editors

    def join(self, watcher: SocketWatcher, access: Access) -> None:
        """Let somebody watch who was sent what was missed."""
        watcher.seq = self.study.seq
        watcher.push(self._message(access))
        self.watchers.add(watcher)
        self.tell_people()

    def advance(self, after: Study, changes: Sequence[Change]) -> None:
        """Go on to the study after changes, and send them to everybody."""
        self.study = after
        if not self.watchers:
            return
        text = encoded(ChangesMessage(seq=after.seq, changes=list(changes)))
        for watcher in list(self.watchers):
            if watcher.seq < after.seq:
                watcher.seq = after.seq
                watcher.push(text)
        if not all(isinstance(change, NodeChange) for change in changes):
            self._tell_study(most=_MAX_PUSHED)

    def steps(self, log: Sequence[Event]) -> list[tuple[Study, list[Change]]]:
        """The study after each further entry of its log, and the changes of the entry."""
        study, steps = self.study, []
        for seq, changes in decoded(self.id, log):
            study = study.after(seq, changes)
            steps.append((study, changes))
        return steps

    def restart(self, study: Study) -> None:
        """Go back to a study that was restored from a backup: everybody loads it again."""
        self.study = study
        text = encoded(ReloadMessage(seq=study.seq))
        for watcher in list(self.watchers):
            watcher.seq = study.seq
            watcher.push(text)

    def learn(self, facts: Facts) -> bool:
        """Take in what the database says besides the log; returns whether rights changed."""
        is_other = facts.shared != self.facts.shared
        if is_other or facts.elsewhere != self.facts.elsewhere:
            self.tell_people()
        self.facts = facts
        if is_other:
            self._tell_study()
        return is_other

    def _tell_study(self, most: int | None = None) -> None:
        """Send everybody the study itself, unless it has more characters than `most`; end the connection of those who may not see it any more."""
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

    def tell_people(self) -> None:
        """Send everybody how many are connected, soon: many who come at once cause one message."""
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

    def end(self) -> None:
        """The study does not exist any more."""
        for watcher in self.watchers:
            dismiss(watcher)
        self.watchers.clear()

    def _message(self, access: Access) -> str:
        return encoded(StudyMessage(**structs.asdict(self.view(access))))


def missed(id: str, log: Sequence[Event]) -> str:
    """A message with all changes of a log."""
    changes = [change for _, some in decoded(id, log) for change in some]
    return encoded(ChangesMessage(seq=log[-1].seq, changes=changes))


def dismiss(watcher: SocketWatcher) -> None:
    """Say that the study is gone, and end the connection."""
    watcher.push(encoded(GoneMessage()))
    watcher.end()
