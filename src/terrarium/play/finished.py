"""The stored summary of a finished game, so that statistics over many games don't have to read logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from terrarium.engine.review import FAULTS
from terrarium.play.table import Table

__all__ = ["FinishedGame", "SeatFaults", "faults_of", "finished_game"]


class FinishedGame(Struct):
    """A game with a result: its players, rules, winners and statistics."""

    game: str
    ended: int
    opponents: list[str]
    """Each seat's player: `person`, `bot`, or the level of a computer."""
    starter: int
    winners: list[int]
    edition: str
    tally: dict[str, list[float]]
    """The game's statistics (`Game.tally`), with a value for each seat."""

    @property
    def players(self) -> int:
        return len(self.opponents)


class SeatFaults(Struct):
    """The faults that a review found in a seat's turns: counts by label, and by the most important reason (`side-code`)."""

    turns: int
    labels: dict[str, int]
    reasons: dict[str, int]


def finished_game(table: Table) -> FinishedGame | None:
    """The summary of a game; None if it has no result."""
    outcome = table.outcome
    if table.status != "over" or outcome is None:
        return None
    game = table.start.game
    events = [event for turn in table.turns for event in turn.events]
    return FinishedGame(
        table.game,
        table.updated,
        [_player(seat) for seat in table.seats],
        table.start.to_move or 0,
        list(outcome["winners"]),
        game.edition_of(table.rules),
        {name: list(values) for name, values in game.tally(table.position, events).items()},
    )


def _player(seat: Any) -> str:
    if seat.is_computer:
        return str(seat.level or 1)
    return "bot" if seat.is_bot else "person"


def faults_of(turns: Iterable[Mapping[str, Any]]) -> dict[str, SeatFaults]:
    """The faults in the turns of a review, by seat."""
    found: dict[str, SeatFaults] = {}
    for turn in turns:
        faults = found.setdefault(str(turn["seat"]), SeatFaults(0, {}, {}))
        faults.turns += 1
        if turn["label"] not in FAULTS:
            continue
        _count(faults.labels, turn["label"])
        reasons = turn.get("reasons") or [{"side": "gains", "code": "position"}]
        _count(faults.reasons, f"{reasons[0]['side']}-{reasons[0]['code']}")
    return found


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
