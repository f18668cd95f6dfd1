"""Puzzles: lists, tries and their answers, and the caller's progress."""

from __future__ import annotations

from random import Random
from typing import Any

from litestar import get, post
from litestar.params import FromPath, JSONBody

from terrarium.play.boards import game_named
from terrarium.play.puzzles import (
    Answer,
    AskPuzzle,
    Attempts,
    Progress,
    PuzzleHint,
    PuzzleList,
    PuzzleView,
    TryPuzzle,
    check_try,
    daily,
    hint_for,
    known,
    listed,
    merged,
    next_puzzle,
    progress,
    puzzle_named,
    shown,
    today,
)
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]

GameName = FromPath[str]
PuzzleId = FromPath[str]


@get("/api/puzzles", responses=ERRORS, summary="The numbers of puzzles")
async def puzzles(services: ServicesArg, caller: CallerArg) -> PuzzleList:
    """How many puzzles each game has, by theme and difficulty, and the puzzles of the day (UTC)."""
    services.limits.take("tool", caller.key, caller.address)
    return await services.work(lambda: listed(today(services.now())))


@get("/api/puzzles/{game:str}/daily", responses=ERRORS, summary="The puzzle of the day")
async def daily_puzzle(game: GameName, services: ServicesArg, caller: CallerArg) -> PuzzleView:
    """The same puzzle for everybody until midnight UTC."""
    services.limits.take("tool", caller.key, caller.address)

    def job() -> PuzzleView:
        played = game_named(game)
        return shown(played, daily(played, today(services.now())))

    return await services.work(job)


@get("/api/puzzles/{game:str}/{puzzle:str}", responses=ERRORS, summary="A puzzle")
async def puzzle_by_id(
    game: GameName, puzzle: PuzzleId, services: ServicesArg, caller: CallerArg
) -> PuzzleView:
    """A puzzle without its solution."""
    services.limits.take("tool", caller.key, caller.address)
    return await services.work(lambda: shown(game_named(game), puzzle_named(game, puzzle)))


@post("/api/puzzles/{game:str}/next", status_code=200, responses=ERRORS, summary="Another puzzle")
async def another_puzzle(
    game: GameName, data: JSONBody[AskPuzzle], services: ServicesArg, caller: CallerArg
) -> PuzzleView:
    """A puzzle near the solver's rating, new ones first."""
    services.limits.take("tool", caller.key, caller.address)

    def job() -> PuzzleView:
        played = game_named(game)
        return shown(played, next_puzzle(played, data, Random()))

    return await services.work(job)


@post(
    "/api/puzzles/{game:str}/{puzzle:str}/hint",
    status_code=200,
    responses=ERRORS,
    summary="Help with a puzzle",
)
async def puzzle_hint(
    game: GameName, puzzle: PuzzleId, services: ServicesArg, caller: CallerArg
) -> PuzzleHint:
    """The themes of a puzzle, and the cell where its solution begins."""
    services.limits.take("tool", caller.key, caller.address)
    return await services.work(lambda: hint_for(game_named(game), puzzle_named(game, puzzle)))


@post(
    "/api/puzzles/{game:str}/{puzzle:str}/try",
    status_code=200,
    responses=ERRORS,
    summary="Try to solve a puzzle",
)
async def try_puzzle(
    game: GameName,
    puzzle: PuzzleId,
    data: JSONBody[TryPuzzle],
    services: ServicesArg,
    caller: CallerArg,
) -> Answer:
    """Whether a turn solves a puzzle; after a wrong one the line shows the engine's answer."""
    services.limits.take("engine", caller.key, caller.address)
    found = puzzle_named(game, puzzle)
    start = await services.work(lambda: check_try(game_named(game), found, data.actions))
    return await services.analysis.puzzle(found, start, data.actions, caller.key, caller.address)


@post(
    "/api/puzzles/{game:str}/{puzzle:str}/give-up",
    status_code=200,
    responses=ERRORS,
    summary="The solution of a puzzle",
)
async def give_up_puzzle(
    game: GameName, puzzle: PuzzleId, services: ServicesArg, caller: CallerArg
) -> Answer:
    """The solution with the line that follows it, and its reasons."""
    services.limits.take("engine", caller.key, caller.address)
    found = puzzle_named(game, puzzle)
    start = await services.work(lambda: game_named(game).position(found.position))
    return await services.analysis.puzzle(found, start, None, caller.key, caller.address)


@post("/api/me/puzzles", status_code=200, responses=ERRORS, summary="My progress in puzzles")
async def my_puzzles(
    data: JSONBody[Attempts], services: ServicesArg, caller: CallerArg
) -> Progress:
    """Ratings and streaks from these attempts; with an account, attempts are stored and merged with those of other browsers."""
    services.limits.take("tool", caller.key, caller.address)
    sent = await services.work(lambda: merged(known(data.attempts, services.now())))
    account = caller.account
    if account is None:
        found = sent
    else:
        caller.require("play" if sent else "read")
        if sent:
            services.limits.take("attempt", caller.key, caller.address)
        found = await services.attempts.add(account, sent)

    def job() -> Progress:
        now = services.now()
        return progress(known(found, now), now, is_kept=account is not None)

    return await services.work(job)


HANDLERS: list[Any] = [
    puzzles,
    daily_puzzle,
    puzzle_by_id,
    another_puzzle,
    puzzle_hint,
    try_puzzle,
    give_up_puzzle,
    my_puzzles,
]
