"""A fair queue: addresses take turns, people at one address take turns, and jobs that people wait for come first."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["FairQueue", "Place", "Rank"]

_LOWER_EVERY = 8
"""One in this many jobs is taken from the lower ranks, so that they do not wait forever."""


class Rank(IntEnum):
    """How urgent a job is; the lowest number comes first."""

    INTERACTIVE = 0
    """A person watches and waits for it."""
    LATER = 1
    """A person's game that nobody watches now, or a watched game of computers."""
    UNWATCHED = 2
    """A game of computers that nobody watches."""


@dataclass(eq=False, slots=True)
class Place:
    """A job's place in the queue: its rank, address and person."""

    rank: Rank = Rank.INTERACTIVE
    address: str = ""
    person: str = ""


People = OrderedDict[str, deque[Place]]


class FairQueue:
    """Places in the order in which they are served.

    >>> queue = FairQueue()
    >>> crowd = [Place(address="a", person=str(i)) for i in range(3)]
    >>> for place in [*crowd, Place(address="b")]:
    ...     queue.add(place)
    >>> [place.address for place in queue]
    ['a', 'b', 'a', 'a']
    """

    def __init__(self) -> None:
        self._ranks: dict[Rank, OrderedDict[str, People]] = {rank: OrderedDict() for rank in Rank}
        self._count = 0
        self._served = 0

    def __len__(self) -> int:
        return self._count

    def add(self, place: Place) -> None:
        """Add a job, behind those of the same person."""
        people = self._ranks[place.rank].setdefault(place.address, OrderedDict())
        people.setdefault(place.person, deque()).append(place)
        self._count += 1

    def remove(self, place: Place) -> bool:
        """Remove a job; returns whether it was in the queue."""
        addresses = self._ranks[place.rank]
        people = addresses.get(place.address, OrderedDict())
        jobs = people.get(place.person, deque())
        if place not in jobs:
            return False
        jobs.remove(place)
        if not jobs:
            del people[place.person]
        if not people:
            del addresses[place.address]
        self._count -= 1
        return True

    def next(self) -> Place | None:
        """Take the next job from the queue."""
        waiting = [rank for rank in Rank if self._ranks[rank]]
        if not waiting:
            return None
        self._served += 1
        is_lower = len(waiting) > 1 and self._served % _LOWER_EVERY == 0
        addresses = self._ranks[waiting[1 if is_lower else 0]]
        address, people = addresses.popitem(last=False)
        person, jobs = people.popitem(last=False)
        place = jobs.popleft()
        # After it was served, an address or person is last in the queue.
        if jobs:
            people[person] = jobs
        if people:
            addresses[address] = people
        self._count -= 1
        return place

    def __iter__(self) -> Iterator[Place]:
        """All places in the order in which they will be served, if nothing else is added."""
        for rank in Rank:
            line = deque(
                deque(deque(jobs) for jobs in people.values())
                for people in self._ranks[rank].values()
            )
            while line:
                people = line.popleft()
                jobs = people.popleft()
                yield jobs.popleft()
                if jobs:
                    people.append(jobs)
                if people:
                    line.append(people)
