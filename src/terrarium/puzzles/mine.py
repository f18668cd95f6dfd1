"""Finds puzzles in games of the engine against itself: strong levels play, with some turns of weaker levels.

Each position is tested by searches with more and more nodes, so that most are rejected after milliseconds:

1. a hundredth and a tenth of the nodes: one turn must already be better than the others;
2. the game recognises a theme, and the beginner or the lowest level does not solve the puzzle;
3. all nodes to find it, and ten times as many to verify it: both searches must choose the same result by the margin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from random import Random
from typing import Any, cast

from terrarium.core.action import Action
from terrarium.core.game import Game
from terrarium.core.position import Position
from terrarium.core.puzzle import Puzzle
from terrarium.core.reason import Course
from terrarium.engine import Engine, Limit
from terrarium.engine.explain import null_turn
from terrarium.puzzles.file import PuzzleFile, id_of
from terrarium.puzzles.judge import MARGIN, Verdict, judge

__all__ = ["DEEPER", "Miner", "themes_of"]

DEEPER = 10
"""The search that verifies a puzzle has this many times the nodes of the one that found it."""

_STRONG, _WEAK = (5, 6, 7, 8), (1, 2, 3, 4)
_WEAK_TURNS = 0.25
"""The fraction of turns that a weaker level plays."""

_LEAST_PART, _PART = 0.5, 0.8
"""The fractions of the margin that the searches with a hundredth and a tenth of the nodes must find; they are less exact."""

_SURPLUS = 1.25
"""The search that finds a puzzle must exceed the margin by this factor, because the deeper search often finds a smaller lead."""

_TRIES = 3
"""How many turns of a beginner, and of each level, are tried to test whether they find the solution."""

_PER_GAME = 4
"""The most puzzles from one game, so that puzzles differ."""

_COMMON, _GOAL = 0.7, 400
"""A puzzle is rejected if each of its themes has at least `_COMMON` of the file's puzzles, or of `_GOAL` if the file has fewer."""

_ANY_NODES = Limit(nodes=10**9)
"""No additional limit: each level has its own."""

_GAME_PART, _GAME_NODES = 50, 500
"""A turn of a game gets 1/50 of the nodes, but at least 500."""

_LINE_NODES = 2_000
"""Nodes for each turn of the line from which the themes are found."""


@dataclass
class Miner:
    """Finds puzzles of a game; with `players=None` in games with all numbers of seats."""

    game: Game
    file: PuzzleFile
    players: int | None = None
    seed: int | None = None
    nodes: int = 0
    """Nodes of the search that finds a puzzle; 0 for `Game.puzzle_nodes`."""
    wanted: frozenset[str] = frozenset()
    """A puzzle must have one of these themes; any theme if this is empty."""
    unwanted: frozenset[str] = frozenset()
    """A puzzle may have none of these themes."""
    counts: Counter[str] = field(default_factory=Counter)
    """Counts so far: games, positions, and how many positions each test rejected."""

    def __post_init__(self) -> None:
        self._random = Random(self.seed)
        self.nodes = self.nodes or self.game.puzzle_nodes
        self._themes = Counter(theme for puzzle in self.file for theme in puzzle.themes)

    def puzzles(self) -> Iterator[Puzzle | None]:
        """Yield new puzzles as they are found and saved, and None after every position without one."""
        while True:
            seats = self.players or self._seats()
            self.counts["games"] += 1
            found = 0
            for position in self._game(seats):
                self.counts["positions"] += 1
                puzzle = self.puzzle_of(position)
                if puzzle is not None:
                    self.file.add(puzzle)
                    self._themes.update(puzzle.themes)
                    self.counts["puzzles"] += 1
                    found += 1
                yield puzzle
                if found == _PER_GAME:
                    break

    def _seats(self) -> int:
        """Two seats in half of the games, more in the other half."""
        more = range(self.game.min_players + 1, self.game.max_players + 1)
        if not more or self._random.random() < 0.5:
            return self.game.min_players
        return self._random.choice(more)

    def _game(self, seats: int) -> Iterator[Position]:
        """The positions of a game in which a turn begins."""
        chance = self._random
        position: Any = self.game.start(players=seats)
        for _ in range(seats * self.game.opening_actions):
            position = position.play(chance.choice(position.legal_actions()))
        strength = [min(chance.choice(_STRONG), len(self.game.levels)) for _ in range(seats)]
        while position.outcome is None:
            # while pieces are set up a turn is one action, and there are no themes for it
            if position.at_turn_start and self.game.actions_to_come(position) > 1:
                yield position
            level = strength[position.to_move]
            if chance.random() < _WEAK_TURNS:
                level = min(chance.choice(_WEAK), level)
            engine = Engine(level=level, seed=chance.getrandbits(30), memory_mb=64)
            choice = engine.choose(
                position, Limit(nodes=max(_GAME_NODES, self.nodes // _GAME_PART))
            )
            position = position.play_all(choice.actions)

    def puzzle_of(self, position: Position) -> Puzzle | None:
        """The puzzle of a position; None if it has none, or if the file or the game's package has it already."""
        found = self._tested(position)
        if isinstance(found, Puzzle):
            return found
        self.counts[found] += 1
        return None

    def _tested(self, position: Position) -> Puzzle | str:
        """The puzzle of a position, or the test that rejected it."""
        text = position.to_text()
        if id_of(text) in self.file or id_of(text) in self.game.puzzles:
            return "known"
        if judge(position, max(1, self.nodes // 100), MARGIN * _LEAST_PART) is None:
            return "1/100"
        verdict = judge(position, max(1, self.nodes // 10), MARGIN * _PART)
        if verdict is None:
            return "1/10"
        puzzle = _puzzle(text, verdict, themes_of(position, verdict.turn))
        if not self._is_wanted(puzzle):
            return "theme"
        if not self.wanted and self._is_common(puzzle):
            return "common"
        if self._is_obvious(position, puzzle):
            return "obvious"
        margin = 1.0
        for times, wanted in ((1, MARGIN * _SURPLUS), (DEEPER, MARGIN)):
            verdict = judge(position, times * self.nodes, wanted)
            if verdict is None or not puzzle.is_solved_by(position, verdict.turn):
                return f"{times}"
            margin = min(margin, verdict.margin)
        return replace(puzzle, margin=round(margin, 3), level=self._level(position, puzzle))

    def _is_wanted(self, puzzle: Puzzle) -> bool:
        themes = set(puzzle.themes)
        return not themes.isdisjoint(self.wanted or themes) and themes.isdisjoint(self.unwanted)

    def _is_common(self, puzzle: Puzzle) -> bool:
        most = _COMMON * max(_GOAL, len(self.file))
        return all(self._themes[theme] >= most for theme in puzzle.themes)

    def _is_obvious(self, position: Position, puzzle: Puzzle) -> bool:
        """Whether both a beginner and the lowest level solve it with most of their turns."""
        beginner = import_module(self.game.novice)
        turns = (beginner.turn(position, Random(seed)) for seed in range(_TRIES))
        return _solves(position, puzzle, 1) and _is_mostly_solved(position, puzzle, turns)

    def _level(self, position: Position, puzzle: Puzzle) -> int:
        """The lowest level that solves it in most of its tries; the highest one did when the puzzle was found."""
        highest = len(self.game.levels)
        return next(
            (level for level in range(1, highest) if _solves(position, puzzle, level)), highest
        )


def themes_of(position: Position, solution: Sequence[str]) -> tuple[str, ...]:
    """The themes of a puzzle with this position and solution."""
    seat = cast(int, position.to_move)
    turns: list[Sequence[str]] = [solution]
    at: Any = position.play_all(solution)
    while at.outcome is None:
        is_own = at.to_move == seat
        choice = Engine(level=8, seed=1, memory_mb=16, network=False).choose(
            at, Limit(nodes=_LINE_NODES)
        )
        turns.append(tuple(map(str, choice.actions)))
        at = at.play_all(choice.actions)
        if is_own:
            break
    line = replace(Course.of(position, turns, seat=-1), seat=seat)
    return position.game.themes(line, null_turn(position))


def _solves(position: Position, puzzle: Puzzle, level: int) -> bool:
    """Whether a level solves a puzzle with most of its turns."""
    turns = (Engine(level=level, seed=seed).choose(position, _ANY_NODES) for seed in range(_TRIES))
    return _is_mostly_solved(position, puzzle, turns)


def _is_mostly_solved(
    position: Position, puzzle: Puzzle, turns: Iterable[Iterable[Action]]
) -> bool:
    """Whether most of these turns solve a puzzle."""
    solved = [puzzle.is_solved_by(position, tuple(map(str, turn))) for turn in turns]
    return 2 * sum(solved) > len(solved)


def _puzzle(text: str, verdict: Verdict, themes: tuple[str, ...]) -> Puzzle:
    return Puzzle(id_of(text), text, themes, 0, verdict.margin, verdict.turn, verdict.goal)
