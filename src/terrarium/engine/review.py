"""What a turn was worth: how much it lost against the best, a label for that, and a reason in terms of the game.

| label | loses at most |
|---|---|
| best | 0.01 of the win, or it is the engine's own choice |
| good | 0.04 |
| inaccuracy | 0.10 |
| mistake | 0.20 |
| blunder | more |
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from terrarium.core.action import Action
from terrarium.core.event import Event
from terrarium.core.position import Position
from terrarium.engine.engine import Choice, Engine
from terrarium.engine.limit import Limit

__all__ = ["LABELS", "Reason", "Verdict", "label_of", "review_turn", "reviewing"]

Choosing = Callable[[Position, Limit], Generator[None, None, Choice]]

LABELS: tuple[tuple[str, float], ...] = (
    ("best", 0.01),
    ("good", 0.04),
    ("inaccuracy", 0.10),
    ("mistake", 0.20),
    ("blunder", 1.0),
)


def label_of(loss: float) -> str:
    """The label of a turn that loses this much of the win.

    >>> [label_of(loss) for loss in (0.0, 0.03, 0.07, 0.15, 0.5)]
    ['best', 'good', 'inaccuracy', 'mistake', 'blunder']
    """
    return next(label for label, most in LABELS if loss <= most or label == "blunder")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a turn was worse than another, as data that any language can phrase.

    Codes: `misses-win`, `allows-win`, `misses-territory`, `allows-territory` (seat, cells, points), `misses-capture`,
    `allows-capture` (seat, cell), and `position` if none of these applies.
    """

    code: str
    facts: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The reason as interfaces receive it."""
        return {"code": self.code} | self.facts


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine thinks of a turn that was played."""

    loss: float
    label: str
    shares: tuple[float, ...]
    best: tuple[Action, ...]
    best_shares: tuple[float, ...]
    reason: Reason | None

    def to_dict(self) -> dict[str, Any]:
        """The verdict as interfaces receive it."""
        return {
            "loss": round(self.loss, 4),
            "label": self.label,
            "shares": [round(share, 4) for share in self.shares],
            "best": [str(action) for action in self.best],
            "best_shares": [round(share, 4) for share in self.best_shares],
            "reason": None if self.reason is None else self.reason.to_dict(),
        }


def review_turn(
    before: Position,
    played: Sequence[Action | str],
    limit: Limit | None = None,
    engine: Engine | None = None,
) -> Verdict:
    """Compare a whole turn, played from `before`, with the best the engine finds in the same time."""
    engine = engine or Engine(level=8, seed=0)

    def at_once(position: Position, limit: Limit) -> Generator[None, None, Choice]:
        yield from ()
        return engine.choose(position, limit)

    steps = _reviewed(before, played, limit or Limit(seconds=0.5), at_once)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Verdict, end.value)


def reviewing(
    before: Position, played: Sequence[Action | str], limit: Limit, engine: Engine
) -> Generator[None, None, Verdict]:
    """`review_turn` for programs without threads: gives way every 20 ms or so, and returns the verdict."""
    return _reviewed(before, played, limit, engine.choosing)


def _reviewed(
    before: Position, played: Sequence[Action | str], limit: Limit, choosing: Choosing
) -> Generator[None, None, Verdict]:
    seat = cast(int, before.to_move)
    best = yield from choosing(before, limit)
    after = before.play_all(played)
    best_after = before.play_all(best.actions)
    if after == best_after:
        return Verdict(0.0, "best", best.shares, best.actions, best.shares, None)
    reply, shares = yield from _answer(choosing, after, limit)
    loss = max(0.0, best.shares[seat] - shares[seat])
    label = label_of(loss)
    reason = None
    if label not in ("best", "good"):
        expected, _ = yield from _answer(choosing, best_after, limit)
        reason = _reason(
            seat,
            _events(before, played),
            _events(before, best.actions),
            _events(after, reply),
            _events(best_after, expected),
        )
    return Verdict(loss, label, shares, best.actions, best.shares, reason)


def _answer(
    choosing: Choosing, position: Position, limit: Limit
) -> Generator[None, None, tuple[tuple[Action, ...], tuple[float, ...]]]:
    """The best reply in a position and what it leaves to each seat; nothing but the result when it is over."""
    if position.outcome is not None:
        return (), position.outcome.shares(position.players)
    choice = yield from choosing(position, limit)
    return choice.actions, choice.shares


def _events(position: Position, actions: Iterable[Action | str]) -> list[Event]:
    return [event for events in position.step_all(actions)[1] for event in events]


def _reason(
    seat: int,
    played: list[Event],
    best: list[Event],
    reply: list[Event],
    expected: list[Event],
) -> Reason:
    """The most tangible difference between what happened and what would have happened."""
    if _wins(best, seat) and not _wins(played, seat):
        return Reason("misses-win", {"seat": seat})
    rival = _winner(reply)
    if rival not in (None, seat) and _winner(expected) != rival:
        return Reason("allows-win", {"seat": rival})
    missed = _best_territory(best, (seat,))
    if missed and missed["points"] > _points(played, seat):
        return Reason("misses-territory", missed)
    others = tuple(
        {s for event in reply for s in range(len(getattr(event, "awards", ())))} - {seat}
    )
    allowed = _best_territory(reply, others)
    if allowed and allowed["points"] > _points(expected, allowed["seat"]):
        return Reason("allows-territory", allowed)
    captured = _capture(reply, seat)
    if captured and not _capture(expected, seat):
        return Reason("allows-capture", captured)
    taken = _capture_by(best, seat)
    if taken and not _capture_by(played, seat):
        return Reason("misses-capture", taken)
    return Reason("position")


def _winner(events: list[Event]) -> int | None:
    for event in events:
        if event.kind == "towers-completed":
            return cast(int, getattr(event, "seat", None))
        if event.kind == "game-ended":
            winners = cast(Any, event).outcome.winners
            return winners[0] if len(winners) == 1 else None
    return None


def _wins(events: list[Event], seat: int) -> bool:
    return _winner(events) == seat


def _points(events: list[Event], seat: int) -> int:
    return sum(
        cast(Any, event).awards[seat] for event in events if event.kind == "territory-scored"
    )


def _best_territory(events: list[Event], seats: tuple[int, ...]) -> dict[str, Any] | None:
    """The territory that paid one of the seats most."""
    best: dict[str, Any] | None = None
    for event in events:
        if event.kind != "territory-scored":
            continue
        facts = cast(Any, event)
        for seat in seats:
            if facts.awards[seat] > (best["points"] if best else 0):
                best = {"seat": seat, "cells": len(facts.cells), "points": facts.awards[seat]}
    return best


def _capture(events: list[Event], seat: int) -> dict[str, Any] | None:
    for event in events:
        if event.kind == "flag-captured" and cast(Any, event).captured == seat:
            return {"seat": cast(Any, event).seat, "cell": cast(Any, event).target}
    return None


def _capture_by(events: list[Event], seat: int) -> dict[str, Any] | None:
    for event in events:
        if event.kind == "flag-captured" and cast(Any, event).seat == seat:
            return {"seat": cast(Any, event).captured, "cell": cast(Any, event).target}
    return None
