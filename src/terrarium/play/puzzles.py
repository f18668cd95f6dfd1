"""Puzzles for people: the choice of the next one, the answer to a try, and the solver's progress.

Nothing is stored here. Progress is a list of attempts, from which ratings and streaks are computed. Lists can be merged in any
order with the same result, so that attempts from several browsers are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from datetime import UTC, date, datetime
from random import Random
from typing import Annotated, Literal, cast

import msgspec
from msgspec import Meta, Struct

from terrarium import games
from terrarium.core.action import Action
from terrarium.core.game import Game
from terrarium.core.position import Position
from terrarium.core.puzzle import Puzzle
from terrarium.core.reason import Course, Reason
from terrarium.engine.engine import Choice
from terrarium.engine.explain import course, differences
from terrarium.engine.limit import Limit
from terrarium.engine.review import Choosing, answering, purposes
from terrarium.play.boards import game_named
from terrarium.play.commands import try_actions
from terrarium.play.errors import NotFound, Unprocessable
from terrarium.play.positions import PlayedTurn
from terrarium.play.rating import Rating, rated
from terrarium.play.shapes import MAX_GAME_NAME, ActionText, AnyDict

__all__ = [
    "Answer",
    "AskPuzzle",
    "Attempt",
    "Attempts",
    "GamePuzzles",
    "Progress",
    "PuzzleHint",
    "PuzzleList",
    "PuzzleView",
    "TryPuzzle",
    "check_try",
    "daily",
    "difficulty",
    "hint_for",
    "judging",
    "known",
    "listed",
    "merged",
    "next_puzzle",
    "progress",
    "puzzle_named",
    "puzzle_rating",
    "shown",
    "today",
]

LIMIT = Limit(seconds=0.6, nodes=12_000)
"""The limit for each search; a wrong try needs two searches."""
DIFFICULTIES = (("easy", 2), ("medium", 4), ("hard", 6), ("expert", 8))
"""Names for levels, each with the highest level it covers."""
MAX_ATTEMPTS = 10_000
_NEAREST = 12
"""The next puzzle is drawn from the puzzles nearest to the solver's rating, this many."""
_LEVEL_STEP = 160
_LEVEL_DEVIATION = 60
_DAY_MS = 86_400_000
_LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""

Turn = Sequence[Action | str]
PuzzleId = Annotated[str, Meta(max_length=32)]
Difficulty = Literal["easy", "medium", "hard", "expert"]
Result = Literal["missed", "helped", "solved"]
_SCORES: dict[str, float] = {"missed": 0.0, "helped": 0.5, "solved": 1.0}


class PuzzleView(Struct):
    """A puzzle without its solution."""

    game: str
    id: str
    position: str
    players: int
    seat: int
    """The seat of the solver."""
    difficulty: Difficulty
    rating: int


class GamePuzzles(Struct):
    """The numbers of a game's puzzles, by theme and difficulty, and the puzzle of the day."""

    game: str
    count: int
    themes: dict[str, int]
    difficulties: dict[str, int]
    daily: PuzzleView


class PuzzleList(Struct):
    """The games that have puzzles."""

    date: str
    """The day of the daily puzzles, in UTC."""
    games: list[GamePuzzles]


class AskPuzzle(Struct, forbid_unknown_fields=True):
    """A request for the next puzzle: theme and difficulty, the puzzles that the solver has seen, and the solver's rating."""

    theme: Annotated[str, Meta(max_length=32)] | None = None
    difficulty: Difficulty | None = None
    rating: Annotated[int, Meta(ge=-10_000, le=10_000)] | None = None
    solved: Annotated[list[PuzzleId], Meta(max_length=MAX_ATTEMPTS)] = msgspec.field(
        default_factory=list
    )
    missed: Annotated[list[PuzzleId], Meta(max_length=MAX_ATTEMPTS)] = msgspec.field(
        default_factory=list
    )
    last: PuzzleId | None = None
    """The puzzle that the solver has just seen."""


class PuzzleHint(Struct):
    """The themes of a puzzle, and the cell where its solution begins."""

    themes: list[str]
    cell: str | None


class TryPuzzle(Struct, forbid_unknown_fields=True):
    """A whole turn that may be the solution."""

    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=40)]


class Answer(Struct):
    """Whether a try is right, the line that follows it, and the reasons."""

    is_right: bool
    turns: list[PlayedTurn]
    share: float
    """The win share that the solver can expect after it."""
    best_share: float
    """The same after the solution."""
    reasons: list[AnyDict]
    """For a solution: what it gains and prevents. For a wrong try: what it allows and misses, without the cells of the solution."""
    themes: list[str] = msgspec.field(default_factory=list)
    solution: list[str] | None = None
    """Only if the try is right, or the solver gave up."""


class Attempt(Struct, forbid_unknown_fields=True):
    """The result and time of a person's first try at a puzzle, and the time when they solved it, if they did."""

    game: Annotated[str, Meta(max_length=MAX_GAME_NAME)]
    puzzle: PuzzleId
    result: Result
    at: Annotated[int, Meta(ge=0, le=_LAST_MS)]
    solved: Annotated[int, Meta(ge=0, le=_LAST_MS)] | None = None


class Attempts(Struct, forbid_unknown_fields=True):
    """The attempts that a browser has stored."""

    attempts: Annotated[list[Attempt], Meta(max_length=MAX_ATTEMPTS)] = msgspec.field(
        default_factory=list
    )


class GameProgress(Struct):
    """A person's progress in the puzzles of a game."""

    rating: int
    deviation: int
    tried: int
    solved: int
    in_a_row: int
    """The number of latest puzzles solved in a row, at the first try without help."""
    longest: int
    """The longest such row."""


class Progress(Struct):
    """A person's progress in puzzles."""

    games: dict[str, GameProgress]
    """The progress by game, for every game that has puzzles."""
    days: int
    """Days in a row with a solved puzzle, up to today or yesterday."""
    attempts: list[Attempt]
    is_kept: bool
    """Whether the attempts are stored with an account."""


def puzzle_named(game: str, id: str) -> Puzzle:
    """The puzzle of a game with this id."""
    found = game_named(game).puzzles.get(id)
    if found is None:
        raise NotFound("no-such-puzzle", f"{game} {id[:40]!r}: there is no such puzzle")
    return found


def difficulty(level: int) -> Difficulty:
    """The difficulty of a puzzle of this level.

    >>> [difficulty(level) for level in (1, 3, 6, 8)]
    ['easy', 'medium', 'hard', 'expert']
    """
    name = next((name for name, most in DIFFICULTIES if level <= most), DIFFICULTIES[-1][0])
    return cast(Difficulty, name)


def puzzle_rating(level: int) -> Rating:
    """The rating of a puzzle for which this is the lowest level of the engine that solves it.

    >>> [puzzle_rating(level).shown for level in (1, 8)]
    [940, 2060]
    """
    return Rating.at(1500 + _LEVEL_STEP * (level - 4.5), _LEVEL_DEVIATION)


def shown(game: Game, puzzle: Puzzle) -> PuzzleView:
    """A puzzle as interfaces receive it."""
    position = game.position(puzzle.position)
    return PuzzleView(
        game.name,
        puzzle.id,
        puzzle.position,
        position.players,
        position.to_move or 0,
        difficulty(puzzle.level),
        puzzle_rating(puzzle.level).shown,
    )


def today(now: int) -> date:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(now / 1000, UTC).date()


def daily(game: Game, day: date) -> Puzzle:
    """The puzzle of a day; none is repeated before all others have been used."""
    ids = sorted(game.puzzles)
    if not ids:
        raise NotFound("no-such-puzzle", f"{game.title} has no puzzles")
    Random(game.name).shuffle(ids)
    return game.puzzles[ids[day.toordinal() % len(ids)]]


def listed(day: date) -> PuzzleList:
    """The games that have puzzles, with the numbers by theme and difficulty."""
    found = []
    for game in games.values():
        puzzles = game.puzzles.values()
        if not puzzles:
            continue
        themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes)
        levels = Counter(difficulty(puzzle.level) for puzzle in puzzles)
        found.append(
            GamePuzzles(
                game.name,
                len(puzzles),
                dict(sorted(themes.items())),
                {name: levels[cast(Difficulty, name)] for name, _ in DIFFICULTIES},
                shown(game, daily(game, day)),
            )
        )
    return PuzzleList(day.isoformat(), found)


def next_puzzle(game: Game, wanted: AskPuzzle, random: Random) -> Puzzle:
    """A puzzle near the solver's rating: a new one, else one that was missed, else any."""
    fitting = [
        puzzle
        for puzzle in game.puzzles.values()
        if (wanted.theme is None or wanted.theme in puzzle.themes)
        and wanted.difficulty in (None, difficulty(puzzle.level))
    ]
    if not fitting:
        raise NotFound("no-such-puzzle", f"{game.title} has no puzzle like that")
    missed = set(wanted.missed) - set(wanted.solved)
    seen = missed | set(wanted.solved)
    others = [puzzle for puzzle in fitting if puzzle.id != wanted.last]
    choices = (
        [puzzle for puzzle in others if puzzle.id not in seen]
        or [puzzle for puzzle in others if puzzle.id in missed]
        or others
        or fitting
    )
    rating = Rating().shown if wanted.rating is None else wanted.rating
    random.shuffle(choices)
    choices.sort(key=lambda puzzle: abs(puzzle_rating(puzzle.level).shown - rating))
    return random.choice(choices[:_NEAREST])


def hint_for(game: Game, puzzle: Puzzle) -> PuzzleHint:
    """The hint for a solver."""
    position = game.position(puzzle.position)
    action = position.parse(puzzle.solution[0])
    return PuzzleHint(list(puzzle.themes), action.source or action.target)


def check_try(game: Game, puzzle: Puzzle, actions: Sequence[str]) -> Position:
    """The position of a puzzle; refused unless the actions are a whole turn."""
    position = game.position(puzzle.position)
    if not try_actions(position, actions).is_complete:
        message = f"{' '.join(actions)!r:.80}: only a whole turn can be judged"
        raise Unprocessable("turn-incomplete", message)
    return position


def judging(
    puzzle: Puzzle, start: Position, actions: Sequence[str] | None, choosing: Choosing
) -> Generator[None, None, Answer]:
    """The answer to a whole turn, or without actions the solution for a solver who gives up; yields as `choosing` does."""
    seat = cast(int, start.to_move)
    is_solved = actions is not None and puzzle.is_solved_by(start, actions)
    # A turn that solves the puzzle may lead to another position than the stored solution.
    right = actions if actions is not None and is_solved else puzzle.solution
    best = yield from answering(choosing, start.play_all(right), LIMIT)
    solution: tuple[Turn, ...] = (right, best.actions, *best.replies)
    share = round(best.shares[seat], 4)
    if actions is None or is_solved:
        reasons = purposes(start, right, solution[1:])
        # After a turn that ends the game there is nothing to compare.
        if not reasons and course(start, solution).winners == (seat,):
            reasons = (Reason("gains", "win", {"seat": seat}),)
        return Answer(
            is_solved,
            _played_out(start, solution),
            share,
            share,
            [reason.to_dict() for reason in reasons],
            list(puzzle.themes),
            list(puzzle.solution),
        )
    reply: Choice = yield from answering(choosing, start.play_all(actions), LIMIT)
    line: tuple[Turn, ...] = (actions, reply.actions, *reply.replies)
    reasons = differences(course(start, solution), course(start, line))
    return Answer(
        False,
        _played_out(start, line),
        round(reply.shares[seat], 4),
        share,
        [reason.to_dict() for reason in reasons if not _reveals(reason)],
    )


def _reveals(reason: Reason) -> bool:
    """Whether a reason reveals the cells of the solution."""
    return reason.side == "gains" and not reason.facts.keys().isdisjoint({"cell", "cells"})


def _played_out(start: Position, turns: Iterable[Turn]) -> list[PlayedTurn]:
    """The turns until it is the solver's turn again."""
    texts = [[str(action) for action in turn] for turn in turns]
    line = Course.of(start, texts)
    steps = zip(line.movers, texts, line.events, line.stops[1:], strict=False)
    return [
        PlayedTurn(
            number,
            mover,
            actions,
            [event.to_dict() for event in events],
            after.view(),
            after.to_text(),
        )
        for number, (mover, actions, events, after) in enumerate(steps, 1)
    ]


def known(attempts: Iterable[Attempt], now: int) -> list[Attempt]:
    """The attempts at existing puzzles. If a browser's clock is fast, all times are shifted equally, so that none is in the future."""
    found = [one for one in attempts if one.game in games and one.puzzle in games[one.game].puzzles]
    ahead = max([0, *(max(one.at, one.solved or 0) - now for one in found)])
    if not ahead:
        return found
    return [
        msgspec.structs.replace(
            one,
            at=max(0, one.at - ahead),
            solved=None if one.solved is None else max(0, one.solved - ahead),
        )
        for one in found
    ]


def merged(*lists: Iterable[Attempt]) -> list[Attempt]:
    """One attempt for each puzzle, by time: its first try and the first time when it was solved."""
    found: dict[tuple[str, str], Attempt] = {}
    for attempt in (one for attempts in lists for one in attempts):
        key = attempt.game, attempt.puzzle
        other = found.get(key, attempt)
        first = min(attempt, other, key=lambda one: (one.at, _SCORES[one.result]))
        times = [one.solved for one in (attempt, other) if one.solved is not None]
        found[key] = msgspec.structs.replace(first, solved=min(times, default=None))
    return sorted(found.values(), key=lambda one: (one.at, one.game, one.puzzle))


def progress(attempts: Collection[Attempt], now: int, *, is_kept: bool) -> Progress:
    """The progress from attempts at existing puzzles, given in order of time."""
    return Progress(
        {
            name: _game_progress(game, [one for one in attempts if one.game == name])
            for name, game in games.items()
            if game.puzzles
        },
        _days(attempts, now),
        list(attempts),
        is_kept,
    )


def _game_progress(game: Game, attempts: Sequence[Attempt]) -> GameProgress:
    rating, row, longest = Rating(), 0, 0
    for attempt in attempts:
        opponent = puzzle_rating(game.puzzles[attempt.puzzle].level)
        rating = rated(rating, opponent, _SCORES[attempt.result])
        # A puzzle solved with a hint neither extends nor ends a row.
        if attempt.result != "helped":
            row = row + 1 if attempt.result == "solved" else 0
        longest = max(longest, row)
    solved = sum(attempt.solved is not None for attempt in attempts)
    return GameProgress(rating.shown, rating.deviation, len(attempts), solved, row, longest)


def _days(attempts: Iterable[Attempt], now: int) -> int:
    days = {attempt.solved // _DAY_MS for attempt in attempts if attempt.solved is not None}
    last = now // _DAY_MS
    day = last if last in days else last - 1
    count = 0
    while day - count in days:
        count += 1
    return count
