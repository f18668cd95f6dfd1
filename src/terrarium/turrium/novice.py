"""A beginner at Terra Turrium: it brings its flags close to heights 1 to 6, and considers obvious threats in half of its turns.

It tries random turns and plays the best; if none is an improvement, it plays any of them.
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
"""How many random turns a novice tries."""

_CLOSE = 25
"""A rival is an obvious threat if its distance (`_away`) is at most this: two heights and some steps."""

_WAYS = (10, 1, -10, -1)
"""The difference between a cell's number and its neighbours', in the order of the ids of steps."""


def turn(position: Any, random: Random) -> tuple[Action, ...]:
    """The rest of the turn: the random turn after which the flags are nearest to 1 to 6."""
    if position.phase == "flags":
        return finished(position, (), random)
    seat, looks = position.to_move, random.random() < LOOK_AHEAD
    before = _Flags(position).worth(seat, looks)
    tried = [found for _ in range(_TRIES) for found in _random_turn(position, seat, looks, random)]
    most = max(worth for worth, _ in tried)
    chosen = random.choice([ids for worth, ids in tried if worth == most or most <= before])
    after = position.play_all(chosen)
    if _continues(after, seat, chosen):
        chosen = (*chosen, END)
    return tuple(position.action(id) for id in chosen)


class _Flags:
    """The cells and heights of the flags while a turn is being tried."""

    def __init__(self, position: Any) -> None:
        self.heights: dict[int, int] = {
            INDEX[cell]: height for cell, height in position.heights.items()
        }
        self.seats: dict[int, int] = {INDEX[cell]: seat for cell, seat in position.flags.items()}
        self.active = [seat for seat in range(position.players) if seat not in position.resigned]

    def move(self, id: int, seat: int) -> None:
        """Apply an action of the move phase."""
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
        """The distance from a win: missing heights, steps of a spare flag to the lowest of them, and flags in hand."""
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
        """How many flags a rival's flag beside them could capture."""
        return sum(
            any(
                self.seats.get(cell + way, seat) != seat
                and abs(self.heights[cell + way] - self.heights[cell]) <= 1
                for way in _WAYS
            )
            for cell, owner in self.seats.items()
            if owner == seat
        )


def _random_turn(
    position: Any, seat: int, looks: bool, random: Random
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """A random turn with its cubes placed beside the seat's flags: for each point at which it can stop, the worth and the actions so far."""
    ids: list[int] = []
    while _continues(position, seat, ids) and position.phase != "move":
        ids.append(_cube(position, seat, random))
        position = position.play(ids[-1])
    flags = _Flags(position)
    yield flags.worth(seat, looks), tuple(ids)
    while _continues(position, seat, ids):
        steps = position.legal_ids()
        ids.append(random.choice(steps[:-1]))  # the last one is the end of the turn
        flags.move(ids[-1], seat)
        position = position.play(ids[-1])
        yield flags.worth(seat, looks), tuple(ids)


def _continues(position: Any, seat: int, ids: Any) -> bool:
    """Whether the turn is not over after these actions."""
    return position.to_move == seat and not (ids and position.at_turn_start)


def _cube(position: Any, seat: int, random: Random) -> int:
    """A random action that takes or places a cube; cubes are placed beside the seat's flags if possible."""
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
