"""Requests for puzzles, and requests that the engine answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random
from typing import Any

from terrarium.play import commands, puzzles
from terrarium.play.boards import game_named
from terrarium.play.errors import Conflict, NotFound
from terrarium.play.shapes import SeatNumber
from terrarium.play.thinking import (
    Hint,
    PlannedTurn,
    Question,
    WholeTurn,
    position_asked,
    position_for_coach,
    position_for_hint,
    position_judged,
)
from terrarium.tab.routing import Call, route
from terrarium.tab.thinking import analyse_with, hint, puzzle_answer, verdict

__all__: list[str] = []


@route("GET", "/puzzles", needs="puzzles")
async def _puzzles(call: Call) -> Any:
    return puzzles.listed(puzzles.today(call.tab.now()))


@route("GET", "/puzzles/{game}/daily", needs="puzzles")
async def _daily(call: Call, game: str) -> Any:
    found = game_named(game)
    return puzzles.shown(found, puzzles.daily(found, puzzles.today(call.tab.now())))


@route("GET", "/puzzles/{game}/{id}", needs="puzzles")
async def _puzzle(call: Call, game: str, id: str) -> Any:
    return puzzles.shown(game_named(game), puzzles.puzzle_named(game, id))


@route("POST", "/puzzles/{game}/next", puzzles.AskPuzzle, needs="puzzles")
async def _next_puzzle(call: Call, game: str, data: puzzles.AskPuzzle) -> Any:
    found = game_named(game)
    return puzzles.shown(found, puzzles.next_puzzle(found, data, Random()))


@route("POST", "/puzzles/{game}/{id}/hint", needs="puzzles")
async def _puzzle_hint(call: Call, game: str, id: str) -> Any:
    return puzzles.hint_for(game_named(game), puzzles.puzzle_named(game, id))


@route("POST", "/puzzles/{game}/{id}/try", puzzles.TryPuzzle, needs="puzzles")
async def _try_puzzle(call: Call, game: str, id: str, data: puzzles.TryPuzzle) -> Any:
    found = puzzles.puzzle_named(game, id)
    start = puzzles.check_try(game_named(game), found, data.actions)
    return await puzzle_answer(found, start, data.actions)


@route("POST", "/puzzles/{game}/{id}/give-up", needs="puzzles")
async def _give_up(call: Call, game: str, id: str) -> Any:
    found = puzzles.puzzle_named(game, id)
    return await puzzle_answer(found, game_named(game).position(found.position), None)


@route("POST", "/me/puzzles", puzzles.Attempts, needs="puzzles")
async def _my_puzzles(call: Call, data: puzzles.Attempts) -> Any:
    now = call.tab.now()
    attempts = puzzles.merged(puzzles.known(data.attempts, now))
    return puzzles.progress(attempts, now, is_kept=False)


@route("POST", "/games/{id}/hint", SeatNumber)
async def _hint(call: Call, id: str, data: SeatNumber) -> Any:
    entry = await call.tab.tables.entry(id)
    found = await hint(position_for_hint(entry.table, entry.held, data.seat))
    return Hint(entry.table.seq, found["turn"], found["shares"])


@route("POST", "/games/{id}/coach", PlannedTurn)
async def _coach(call: Call, id: str, data: PlannedTurn) -> Any:
    entry = await call.tab.tables.entry(id)
    return await verdict(position_for_coach(entry.table, entry.held, data), data.actions)


@route("POST", "/analysis", Question)
def _analyse(call: Call, data: Question) -> AsyncIterator[Any]:
    return analyse_with(call.tab.crew, position_asked(data), data)


@route("POST", "/positions/review", WholeTurn)
async def _judge(call: Call, data: WholeTurn) -> Any:
    return await verdict(position_judged(data), data.actions)


@route("POST", "/games/{id}/review")
async def _start_review(call: Call, id: str) -> Any:
    table = (await call.tab.tables.entry(id)).table
    if table.is_live:
        raise Conflict("game-not-over", f"game {table.id} is not over yet", seq=table.seq)
    commands.check_engine(table.start.game)
    return await call.tab.reviews.start(table)


@route("GET", "/games/{id}/review")
async def _review(call: Call, id: str) -> Any:
    found = await call.tab.reviews.found((await call.tab.tables.entry(id)).table)
    if found is None:
        raise NotFound("no-review", "no review of this game has been started yet")
    return found
