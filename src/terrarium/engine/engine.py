"""The engine: runs the search at a level and reports its results."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Event as Flag
from time import monotonic
from typing import Any, cast

from terrarium.core.action import Action
from terrarium.core.game import Look
from terrarium.core.kernel import KernelPosition
from terrarium.core.position import Position
from terrarium.core.reason import Reason
from terrarium.engine.brain import Brain
from terrarium.engine.levels import DEFAULT_LEVEL, Level, look
from terrarium.engine.levels import level as level_of
from terrarium.engine.limit import Limit
from terrarium.engine.search import Search
from terrarium.errors import EngineError

__all__ = ["Analysis", "Choice", "Engine", "Line", "brain_for", "expected_shares"]

MOST_THREADS = 64

_SLICE = 0.02
"""Seconds of a search slice, after which it checks whether a report is due."""

_SLICE_NODES = 500
"""The same in positions, for searches without a time limit."""

_FOLLOWED = 8
"""For this many lines the expected replies are reported."""

_DEPTH = 3
"""Number of turns in such a line, including the first."""

_NODES_PER_WIDTH = 200
"""Roughly how many positions the first expansion evaluates per unit of `width`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate turn: its actions, its value for each seat and the expected replies."""

    turn: tuple[Action, ...]
    shares: tuple[float, ...]
    points: tuple[float, ...]
    visits: int
    is_proven: bool
    replies: tuple[tuple[str, ...], ...] = ()
    reasons: tuple[Reason, ...] = ()
    """What the turn gains and prevents; filled in only by `explained`."""

    def to_dict(self) -> dict[str, Any]:
        """The line as interfaces receive it."""
        return {
            "turn": [str(action) for action in self.turn],
            "shares": [round(share, 4) for share in self.shares],
            "points": [round(value, 2) for value in self.points],
            "visits": self.visits,
            "is_proven": self.is_proven,
            "replies": [list(turn) for turn in self.replies],
            "reasons": [reason.to_dict() for reason in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """The rest of the present turn as the engine would play it: its actions in order, and the expected win shares.

    >>> from terrarium import nova
    >>> position = nova.start()
    >>> choice = Engine(level=1, seed=1).choose(position, Limit(nodes=100))
    >>> position.play_all(choice) == position.play_all(str(choice))
    True
    """

    actions: tuple[Action, ...]
    shares: tuple[float, ...]
    nodes: int
    replies: tuple[tuple[str, ...], ...] = ()
    """The turns that the engine expects after it."""

    def __str__(self) -> str:
        return " ".join(map(str, self.actions))

    def __iter__(self) -> Iterator[Action]:
        return iter(self.actions)

    def __len__(self) -> int:
        return len(self.actions)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of a search so far: the best turns, and the expected win shares and points of each seat."""

    nodes: int
    seconds: float
    shares: tuple[float, ...]
    points: tuple[float, ...]
    lines: tuple[Line, ...]
    is_final: bool
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Further results of the game's evaluation, ready for JSON: in Terra Nova `ownership` of each open cell (its expected
    points, and the share of each seat), in Terra Turrium `turns_to_win` (roughly how many turns each seat still needs)."""

    def to_dict(self) -> dict[str, Any]:
        """The analysis as interfaces receive it."""
        return dict(self.extras) | {
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "shares": [round(share, 4) for share in self.shares],
            "points": [round(value, 2) for value in self.points],
            "lines": [line.to_dict() for line in self.lines],
            "is_final": self.is_final,
        }


def brain_for(position: Position, *, is_tuned: bool = False, network: bool = False) -> Brain:
    """The evaluation for this position's game, rules and map; created once for each kernel.

    The tuned one wins more games. The other one predicts points better. With `network` the tuned one has the game's neural network, if there is one
    for this number of players.
    """
    if not isinstance(position, KernelPosition) or not position.game.brain:
        raise EngineError("no-evaluation", f"{position!r:.60}: the engine can't evaluate this game")
    kernel = position.kernel
    if kernel.brains is None:
        kernel.brains = {}
    kind = (is_tuned, network)
    if kind not in kernel.brains:
        module = import_module(position.game.brain)
        weights = module.tuned_weights(position.players, network) if is_tuned else None
        kernel.brains[kind] = module.brain(position, weights)
    return cast(Brain, kernel.brains[kind])


def expected_shares(position: Position) -> tuple[float, ...]:
    """The win share that the evaluation expects for each seat, without a search; the shares add up to 1.

    >>> from terrarium import nova
    >>> sum(expected_shares(nova.start()))
    1.0
    """
    return _whole(brain_for(position).evaluate(position)[0])


class Engine:
    """A computer player of one of eight levels.

    At the strongest level `threads` threads search one tree. With more than one, the same seed and nodes may give different turns. That level also
    uses the neural network of a game and number of players that has one, unless `network` is false.

    >>> from terrarium import nova
    >>> from terrarium.engine import Engine, Limit
    >>> choice = Engine(level=1, seed=1).choose(nova.start(), Limit(nodes=100))
    >>> len(choice.actions)
    1
    """

    def __init__(
        self,
        level: int = DEFAULT_LEVEL,
        *,
        seed: int | None = None,
        memory_mb: int = 256,
        threads: int = 1,
        network: bool = True,
    ) -> None:
        if not _is_whole(memory_mb) or not 1 <= memory_mb <= 65_536:
            raise EngineError("bad-memory", f"memory_mb={memory_mb!r}: from 1 to 65536 megabytes")
        if not _is_whole(threads) or not 1 <= threads <= MOST_THREADS:
            raise EngineError("bad-threads", f"threads={threads!r:.40}: from 1 to {MOST_THREADS}")
        if seed is not None and not _is_whole(seed):
            raise EngineError(
                "bad-seed", f"seed={seed!r:.40}: a whole number, or None for a random seed"
            )
        self.level: Level = level_of(level)
        self.memory = memory_mb << 20
        self.threads = threads
        self.network = network
        self._random = random.Random(seed)
        self._stop = Flag()
        self._search: Search | None = None
        self._kept: Search | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The state for copies and pickles: the settings and the random numbers, without a running search."""
        return {
            "level": self.level,
            "memory": self.memory,
            "threads": self.threads,
            "network": self.network,
            "random": self._random.getstate(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.level, self.memory, self.threads = state["level"], state["memory"], state["threads"]
        self.network = state["network"]
        self._random = random.Random()
        self._random.setstate(state["random"])
        self._stop, self._search, self._kept = Flag(), None, None

    def stop(self) -> None:
        """End the running `choose` or `analyse` from another thread; it returns its best result so far.

        If none is running, the next one returns at once.
        """
        self._stop.set()
        search = self._search
        if search is not None:
            search.stop()

    def forget_stop(self) -> None:
        """Clear a `stop` that was called when no search was running."""
        self._stop.clear()

    def choose(
        self,
        position: Position,
        limit: Limit | float | None = None,
        on_report: Callable[[Analysis], None] | None = None,
        lines: int = 1,
    ) -> Choice:
        """The rest of the present turn, as this level plays it; `on_report` gets the best `lines` so far."""
        _check(position)
        last: Analysis | None = None
        for last in _reports(self._think(position, limit, 64, reports=on_report is not None)):
            if on_report is not None:
                on_report(_shown(replace(last, lines=last.lines[:lines])))
        return self._chosen(position, last)

    def choosing(
        self, position: Position, limit: Limit | float | None = None
    ) -> Generator[None, None, Choice]:
        """`choose` for programs without threads: a generator that yields about every 20 ms and returns the choice."""
        _check(position)
        last: Analysis | None = None
        for found in self._think(position, limit, 64, reports=False, pauses=True):
            if found is None:
                yield
            last = found or last
        return self._chosen(position, last)

    def _chosen(self, position: Position, last: Analysis | None) -> Choice:
        assert last is not None
        assert last.lines
        line = self._pick(last.lines, cast(int, position.to_move), self._look(position).blur)
        return Choice(line.turn, _whole(line.shares), last.nodes, line.replies)

    def analyse(
        self, position: Position, limit: Limit | float | None = None, lines: int = 1
    ) -> Iterator[Analysis]:
        """Growing results until the limit is reached; the last one is final."""
        if not _is_whole(lines) or not 1 <= lines <= 64:
            raise EngineError("bad-lines", f"lines={lines!r:.40}: from 1 to 64")
        _check(position)
        return map(
            _shown, _reports(self._think(position, limit, lines, reports=True, is_choice=False))
        )

    def analysing(
        self, position: Position, limit: Limit | float | None = None, lines: int = 1
    ) -> Iterator[Analysis | None]:
        """`analyse` for programs without threads: also yields None about every 20 ms."""
        _check(position)
        for found in self._think(
            position, limit, lines, reports=True, pauses=True, is_choice=False
        ):
            yield None if found is None else _shown(found)

    def _look(self, position: Position) -> Look:
        return look(position.game, self.level)

    def _bounded(self, limit: Limit | float | None, nodes: int | None) -> Limit:
        """The caller's limit, reduced to the level's number of positions."""
        if limit is None:
            limit = Limit(seconds=self.level.seconds)
        elif isinstance(limit, int | float):
            limit = Limit(seconds=limit)
        elif not isinstance(limit, Limit):
            raise EngineError("bad-limit", f"{limit!r:.40}: a limit is a Limit, or seconds")
        if nodes is not None and (limit.nodes is None or limit.nodes > nodes):
            limit = Limit(limit.seconds, nodes)
        return limit

    def _think(
        self,
        position: Position,
        limit: Limit | float | None,
        lines: int,
        reports: bool,
        pauses: bool = False,
        is_choice: bool = True,
    ) -> Iterator[Analysis | None]:
        """Yield reports, the last one final; with `pauses` also None after each slice.

        A choice with a time limit continues the search of the turn before. Everything else starts a new search.
        """
        started = monotonic()
        look = self._look(position)
        limit = self._bounded(limit, None)
        most = (1 << 60) if limit.nodes is None else limit.nodes
        limit = self._bounded(limit, look.nodes)
        # The level's limit may be exceeded a little, the caller's never; with few positions the beam must be narrow.
        width = max(1, min(look.width, most // _NODES_PER_WIDTH))
        alert = self._random.random() < look.attention
        # with a limit on nodes the result depends only on the position and the seed
        continues = is_choice and limit.nodes is None
        search = self._continued(position) if continues else None
        if search is None:
            search = Search(
                position,
                brain_for(
                    position, is_tuned=look.is_tuned, network=self.network and look.nodes is None
                ),
                root_width=width,
                width=max(1, width // 2),
                most=most,
                alert=alert,
                regard=look.regard,
                exact=look.exact,
                thorough=look.nodes is None,
                memory=self.memory,
                threads=self.threads if look.nodes is None else 1,
            )
        self._search = search
        report_at, idle = 0.1, 0
        try:
            goes_on = search.run(limit.seconds or 1e9, nodes=1)
            while goes_on and not self._stop.is_set():
                spent = monotonic() - started
                if limit.seconds is not None and spent >= limit.seconds:
                    break
                if limit.nodes is not None and search.nodes >= limit.nodes:
                    break
                left = 1e9 if limit.seconds is None else max(limit.seconds - spent, 0.001)
                nodes = (1 << 60) if limit.nodes is None else limit.nodes - search.nodes
                if (reports or pauses) and limit.seconds is None:
                    # slices by nodes, because a time limit could interrupt an expansion: reports must not change the result
                    nodes = min(nodes, _SLICE_NODES)
                elif pauses:
                    left = min(left, _SLICE)
                elif reports:
                    left = min(left, max(report_at - spent, _SLICE))
                before = search.nodes
                has_more = search.run(left, nodes)
                idle = idle + 1 if search.nodes == before else 0
                if idle > 3:  # nothing is left to search
                    break
                if reports and has_more and monotonic() - started >= report_at:
                    report_at *= 2
                    yield self._report(position, search, started, lines, is_final=False)
                if pauses:
                    yield None
        finally:
            self._search = None
            self._stop.clear()
        if continues:
            self._kept = search
        yield self._report(position, search, started, lines, is_final=True, is_asked=reports)

    def _continued(self, position: Position) -> Search | None:
        """The search of the turn before, if it knows this position."""
        kept, self._kept = self._kept, None
        return kept if kept is not None and kept.follow(position) else None

    @staticmethod
    def _report(
        position: Position,
        search: Search,
        started: float,
        lines: int,
        is_final: bool,
        is_asked: bool = True,
    ) -> Analysis:
        found = [
            Line(
                turn=tuple(position.action(id) for id in ids),
                shares=shares,
                points=points,
                visits=visits,
                is_proven=is_proven,
                replies=_replies(position, search.line(ids, _DEPTH)) if rank < _FOLLOWED else (),
            )
            for rank, (ids, visits, shares, _, points, is_proven) in enumerate(
                search.turns()[:lines]
            )
        ]
        best = found[0] if found else None
        return Analysis(
            nodes=search.nodes,
            seconds=monotonic() - started,
            shares=best.shares if best else (),
            points=best.points if best else (),
            lines=tuple(found),
            is_final=is_final,
            # not computed for a caller who only wants a turn
            extras=brain_for(position).extras(position) if is_asked else {},
        )

    def _pick(self, lines: tuple[Line, ...], seat: int, blur: float) -> Line:
        """The best line, or at lower levels a random one whose value is within `blur` of it."""
        if blur <= 0 or lines[0].is_proven:
            return lines[0]
        best = max(line.shares[seat] for line in lines)
        near = [line for line in lines if line.shares[seat] >= best - blur]
        weights = [1 - (best - line.shares[seat]) / blur + 0.05 for line in near]
        return self._random.choices(near, weights)[0]


def _reports(found: Iterator[Analysis | None]) -> Iterator[Analysis]:
    return (report for report in found if report is not None)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check(position: Position) -> None:
    """Raise EngineError unless this is a position in which a turn can be played."""
    if not hasattr(position, "game"):
        raise EngineError("not-a-position", f"{position!r:.60}: a position of one of the games")
    if position.outcome is not None:
        raise EngineError("game-over", "the game is over: there is no turn to play")


def _whole(shares: tuple[float, ...]) -> tuple[float, ...]:
    """Shares scaled to add up to 1; in the search they may not, because draws count for less."""
    total = sum(shares)
    return tuple(share / total for share in shares) if total > 0 else shares


def _shown(analysis: Analysis) -> Analysis:
    """The analysis with shares that add up to 1."""
    lines = tuple(replace(line, shares=_whole(line.shares)) for line in analysis.lines)
    return replace(analysis, shares=_whole(analysis.shares), lines=lines)


def _replies(position: Position, turns: list[tuple[int, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(position.action(id)) for id in turn) for turn in turns[1:])
