"""Reviews of turns: how much a turn lost compared with the best one, a label for that, and reasons in terms of the game.

| label | loses at most |
|---|---|
| best | 0.02 of the win; also the engine's own choice |
| good | 0.06 |
| inaccuracy | 0.12 |
| mistake | 0.22 |
| blunder | more |
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.core.reason import Reason
from terrarium.engine.engine import Analysis, Choice, Engine, Line
from terrarium.engine.explain import course, differences, explained
from terrarium.engine.limit import Limit

__all__ = [
    "FAULTS",
    "LABELS",
    "Choosing",
    "Verdict",
    "answering",
    "at_once",
    "label_of",
    "purposes",
    "result",
    "review_turn",
    "reviewing",
]

T = TypeVar("T")
Choosing = Callable[[Position, Limit], Generator[None, None, Choice]]

LABELS: tuple[tuple[str, float], ...] = (
    ("best", 0.02),
    ("good", 0.06),
    ("inaccuracy", 0.12),
    ("mistake", 0.22),
    ("blunder", 1.0),
)
"""The limits were measured with `bench/reviews.py`: the engine's own turns, reviewed with ten times their nodes, rarely count as faults."""

FAULTS = frozenset({"inaccuracy", "mistake", "blunder"})
"""The labels of turns for which reasons are given."""

_COMBINED = frozenset({"win", "territory", "capture"})
"""The reasons for which `Verdict.reason` combines side and code."""


def label_of(loss: float) -> str:
    """The label of a turn that loses this much of the win.

    >>> [label_of(loss) for loss in (0.0, 0.03, 0.07, 0.15, 0.5)]
    ['best', 'good', 'inaccuracy', 'mistake', 'blunder']
    """
    return next(label for label, most in LABELS if loss <= most or label == "blunder")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The engine's review of a turn that was played."""

    loss: float
    label: str
    shares: tuple[float, ...]
    best: tuple[Action, ...]
    best_shares: tuple[float, ...]
    reasons: tuple[Reason, ...] = ()
    """What the better turn gains and what this one allows, the most important first; only for faults."""

    @property
    def reason(self) -> Reason | None:
        """The most important reason as a single code: `misses-` or `allows-` with `win`, `territory` or `capture`, otherwise `position`."""
        if self.label not in FAULTS:
            return None
        for reason in self.reasons:
            if reason.code in _COMBINED:
                prefix = "misses" if reason.side == "gains" else reason.side
                return replace(reason, code=f"{prefix}-{reason.code}")
        return Reason("gains", "position")

    def to_dict(self) -> dict[str, Any]:
        """The verdict as interfaces receive it."""
        return {
            "loss": round(self.loss, 4),
            "label": self.label,
            "shares": [round(share, 4) for share in self.shares],
            "best": [str(action) for action in self.best],
            "best_shares": [round(share, 4) for share in self.best_shares],
            "reason": None if self.reason is None else self.reason.to_dict(),
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


def review_turn(
    before: Position,
    played: Sequence[Action | str],
    limit: Limit | None = None,
    engine: Engine | None = None,
) -> Verdict:
    """Compare a whole turn, played from `before`, with the best the engine finds in the same time."""
    engine = engine or Engine(level=8, seed=0)
    return result(_reviewed(before, played, limit or Limit(seconds=0.5), at_once(engine)))


def at_once(engine: Engine) -> Choosing:
    """An engine's `choose` as a generator that never yields, for programs with threads."""

    def choosing(position: Position, limit: Limit) -> Generator[None, None, Choice]:
        yield from ()
        return engine.choose(position, limit)

    return choosing


def result(steps: Generator[None, None, T]) -> T:
    """Run a generator to its end and return its return value."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(T, end.value)


def reviewing(
    before: Position, played: Sequence[Action | str], limit: Limit, engine: Engine
) -> Generator[None, None, Verdict]:
    """`review_turn` for programs without threads: a generator that yields about every 20 ms and returns the verdict."""
    return _reviewed(before, played, limit, engine.choosing)


def _reviewed(
    before: Position, played: Sequence[Action | str], limit: Limit, choosing: Choosing
) -> Generator[None, None, Verdict]:
    seat = cast(int, before.to_move)
    best = yield from choosing(before, limit)
    after = before.play_all(played)
    best_after = before.play_all(best.actions)
    if after == best_after:
        return Verdict(0.0, "best", best.shares, best.actions, best.shares)
    reply = yield from answering(choosing, after, limit)
    loss = max(0.0, best.shares[seat] - reply.shares[seat])
    if label_of(loss) not in FAULTS:
        return Verdict(loss, label_of(loss), reply.shares, best.actions, best.shares)
    # The first search may overrate its choice. So the position after it is searched like the one after the turn that
    # was played, and the smaller of the two differences counts as the loss.
    expected = yield from answering(choosing, best_after, limit)
    loss = max(0.0, min(loss, expected.shares[seat] - reply.shares[seat]))
    label = label_of(loss)
    reasons: tuple[Reason, ...] = ()
    if label in FAULTS:
        better = course(before, (best.actions, expected.actions, *expected.replies))
        other = course(before, (played, reply.actions, *reply.replies))
        reasons = differences(better, other)
    return Verdict(loss, label, reply.shares, best.actions, best.shares, reasons)


def answering(
    choosing: Choosing, position: Position, limit: Limit
) -> Generator[None, None, Choice]:
    """The best reply in a position; if the game is over, an empty one with its result."""
    if position.outcome is not None:
        return Choice((), position.outcome.shares(position.players), 0)
    return (yield from choosing(position, limit))


def purposes(
    position: Position, turn: Sequence[str], replies: Iterable[Sequence[Action | str]]
) -> tuple[Reason, ...]:
    """What a turn gains and prevents, as for a line of an analysis."""
    actions = tuple(position.parse(text) for text in turn)
    texts = tuple(tuple(map(str, reply)) for reply in replies)
    line = Line(actions, (), (), 0, is_proven=False, replies=texts)
    return explained(position, Analysis(0, 0.0, (), (), (line,), is_final=True)).lines[0].reasons
