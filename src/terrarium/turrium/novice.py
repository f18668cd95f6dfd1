"""A beginner at Terra Turrium: it brings its flags as near to heights 1 to 6 as it can and sees half of the obvious threats.

It tries a few random turns; if none brings them nearer, it plays any of those.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from terrarium.core.action import Action
from terrarium.core.novice import LOOK_AHEAD, finished
from terrarium.turrium.notation import CAPTURE, CUBE, END, INDEX, STEP

__all__ = ["turn"]

_TRIES = 40
"""Turns that come to a novice's mind."""

_CLOSE = 25
"""A rival to whom no more than this is missing is an obvious threat: two heights and some steps."""

_WAYS = (10, 1, -10, -1)
"""From a cell's number to its neighbours', in the order of the ids of steps."""


def turn(position: Any, random: Random) -> tuple[Action, ...]:
    """The rest of the turn: of a few random turns, the one after which the flags are nearest to 1 to 6."""
    if position.phase == "flags":
        return finished(position, (), random)
    seat, looks = position.to_move, random.random() < LOOK_AHEAD
    before = _Flags(position).worth(seat, looks)
    tried = [found for _ in range(_TRIES) for found in _thought_of(position, seat, looks, random)]
    most = max(worth for worth, _ in tried)
    chosen = random.choice([ids for worth, ids in tried if worth == most or most <= before])
    after = position.play_all(chosen)
    if _goes_on(after, seat, chosen):
        chosen = (*chosen, END)
    return tuple(position.action(id) for id in chosen)


class _Flags:
    """Where flags stand, and how high, while a turn is being tried."""

    def __init__(self, position: Any) -> None:
        self.heights: dict[int, int] = {
            INDEX[cell]: height for cell, height in position.heights.items()
        }
        self.seats: dict[int, int] = {INDEX[cell]: seat for cell, seat in position.flags.items()}
        self.active = [seat for seat in range(position.players) if seat not in position.resigned]

    def move(self, id: int, seat: int) -> None:
        """Follow an action of the move phase."""
        if STEP <= id < END:
            source, way = divmod(id - (STEP if id < CAPTURE else CAPTURE), 4)
            del self.seats[source]
            self.seats[source + _WAYS[way]] = seat
        elif id < END:
            self.seats[id] = seat

    def worth(self, seat: int, looks: bool) -> int:
        """How near the seat's flags are to 1 to 6; if it `looks`, also how safe they are and how far rivals are from winning."""
        worth = -self._away(seat)
        if looks:
            worth -= self._exposed(seat)
            worth -= sum(
                max(0, _CLOSE - self._away(other)) for other in self.active if other != seat
            )
        return worth

    def _away(self, seat: int) -> int:
        """What is missing: heights that no flag has, then steps of a spare flag to the lowest of them, and flags in hand."""
        held = [self.heights[cell] for cell, owner in self.seats.items() if owner == seat]
        missing = [height for height in range(1, 7) if height not in held]
        if not missing:
            return 0
        spare = held + [0] * (6 - len(held))
        for height in set(held).intersection(range(1, 7)):
            spare.remove(height)
        steps = min(abs(height - missing[0]) for height in spare)
        return 10 * len(missing) + steps + 3 * (6 - len(held))

    def _exposed(self, seat: int) -> int:
        """How many flags have a rival's flag beside them that could step onto them."""
        return sum(
            any(
                self.seats.get(cell + way, seat) != seat
                and abs(self.heights[cell + way] - self.heights[cell]) <= 1
                for way in _WAYS
            )
            for cell, owner in self.seats.items()
            if owner == seat
        )


def _thought_of(
    position: Any, seat: int, looks: bool, random: Random
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """A random turn, its cubes placed beside its flags: what it is worth to stop at each point, and its actions."""
    ids: list[int] = []
    while _goes_on(position, seat, ids) and position.phase != "move":
        ids.append(_cube(position, seat, random))
        position = position.play(ids[-1])
    flags = _Flags(position)
    yield flags.worth(seat, looks), tuple(ids)
    while _goes_on(position, seat, ids):
        steps = position.legal_ids()
        ids.append(random.choice(steps[:-1]))  # the last one is the end of the turn
        flags.move(ids[-1], seat)
        position = position.play(ids[-1])
        yield flags.worth(seat, looks), tuple(ids)


def _goes_on(position: Any, seat: int, ids: Any) -> bool:
    """Whether the turn that these actions began continues."""
    return position.to_move == seat and not (ids and position.at_turn_start)


def _cube(position: Any, seat: int, random: Random) -> int:
    """A random take, or a random place, beside an own flag where there is one."""
    ids: list[int] = position.legal_ids()
    places = [id for id in ids if id >= CUBE]
    if not places or (len(places) < len(ids) and random.random() < 0.5):
        return random.choice([id for id in ids if id < CUBE])
    near = {
        INDEX[cell] + way
        for cell, owner in position.flags.items()
        if owner == seat
        for way in _WAYS
    }
    beside = [id for id in places if id - CUBE in near]
    return random.choice(beside or places)
