"""Checked requests to the engine, and its results as interfaces receive them: hints, analysis, reviews."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from msgspec import Meta, Struct

from terrarium.core.position import Position
from terrarium.engine import Analysis, Choice, Engine, Limit, explained
from terrarium.play.commands import (
    check_alone,
    check_engine,
    check_fresh,
    check_live,
    must_hold,
    try_actions,
)
from terrarium.play.errors import Conflict, Unprocessable
from terrarium.play.positions import start_position
from terrarium.play.shapes import ActionText, AnyDict, SeatIndex, Seq
from terrarium.play.table import Table

__all__ = [
    "HINT",
    "REVIEW",
    "Hint",
    "PlannedTurn",
    "Question",
    "Review",
    "Verdict",
    "WholeTurn",
    "advisor",
    "analysis_facts",
    "choice_facts",
    "position_asked",
    "position_for_coach",
    "position_for_hint",
    "position_judged",
    "reviewer",
    "solver",
]

HINT = Limit(seconds=1.0)
REVIEW = Limit(seconds=0.6, nodes=12_000)
"""The limit for each search; a turn needs up to three searches."""
_LEVEL = 8
_MEMORY_MB = 64


class Hint(Struct):
    """The rest of the turn as the engine would play it, and the expected win share of each seat."""

    seq: int
    turn: list[str]
    shares: list[float]


class Question(Struct, forbid_unknown_fields=True):
    """A position to analyse."""

    position: Annotated[str, Meta(max_length=20_000)]
    seconds: Annotated[float, Meta(ge=0.1, le=5)] = 2.0
    lines: Annotated[int, Meta(ge=1, le=3)] = 1


class WholeTurn(Struct, forbid_unknown_fields=True):
    """A whole turn and the position it was played in."""

    position: Annotated[str, Meta(max_length=20_000)]
    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=40)]


class PlannedTurn(Struct, forbid_unknown_fields=True):
    """A whole turn that a player is about to send."""

    seat: SeatIndex
    seq: Seq
    actions: Annotated[list[ActionText], Meta(min_length=1, max_length=40)]


class Verdict(Struct):
    """The win share that a turn lost compared with the best one; what the better turn gains and what this one allows."""

    loss: float
    label: str
    shares: list[float]
    best: list[str]
    best_shares: list[float]
    reasons: list[AnyDict]
    reason: AnyDict | None = None
    """The most important reason as a single code, for clients that show only one."""


class Review(Struct):
    """The engine's review of a game's turns, as far as it is finished."""

    status: str
    total: int
    turns: list[AnyDict]


def advisor() -> Engine:
    """The engine for hints and analysis."""
    return Engine(level=_LEVEL, memory_mb=_MEMORY_MB)


def reviewer() -> Engine:
    """The engine for reviews; its results are reproducible."""
    return Engine(level=_LEVEL, seed=0, memory_mb=_MEMORY_MB)


def solver() -> Engine:
    """The engine for tries at puzzles: without a network, because the puzzles were found and verified without one."""
    return Engine(level=_LEVEL, seed=0, memory_mb=_MEMORY_MB, network=False)


def position_for_hint(table: Table, held: Collection[int], seat: int) -> Position:
    """The position for a hint; refused unless it is the caller's turn in a game without other people."""
    must_hold(table, held, seat)
    check_live(table)
    check_alone(table, held)
    check_engine(table.start.game)
    if table.to_move != seat:
        raise Conflict("not-your-turn", f"it is not seat {seat}'s turn", seq=table.seq)
    return table.position


def position_for_coach(table: Table, held: Collection[int], turn: PlannedTurn) -> Position:
    """The position before a turn that a player is about to send; refused unless all other players are computers."""
    must_hold(table, held, turn.seat)
    check_live(table)
    check_engine(table.start.game)
    people = (
        number
        for number, seat in enumerate(table.seats)
        if number != turn.seat and not seat.is_computer and number not in table.position.resigned
    )
    if any(True for _ in people):
        message = "the coach only helps in games against the computer"
        raise Conflict("coach-against-people", message, seq=table.seq)
    check_fresh(table, turn.seq)
    if table.to_move != turn.seat:
        raise Conflict("not-your-turn", f"it is not seat {turn.seat}'s turn", seq=table.seq)
    _check_whole(table.position, turn.actions)
    return table.position


def position_asked(question: Question) -> Position:
    """The position to analyse; refused if the game is over."""
    position = start_position(question.position)
    check_engine(position.game)
    if position.outcome is not None:
        raise Conflict("game-over", "the game is over in this position: there is nothing to find")
    return position


def position_judged(turn: WholeTurn) -> Position:
    """The position before a turn to be reviewed; refused unless the turn is whole."""
    position = start_position(turn.position)
    check_engine(position.game)
    _check_whole(position, turn.actions)
    return position


def _check_whole(position: Position, actions: list[str]) -> None:
    if not try_actions(position, actions).is_complete:
        message = f"{' '.join(actions)!r:.80}: only a whole turn can be judged"
        raise Unprocessable("turn-incomplete", message)


def choice_facts(choice: Choice) -> dict[str, Any]:
    """A hint as interfaces receive it."""
    return {
        "turn": [str(action) for action in choice.actions],
        "shares": [round(share, 4) for share in choice.shares],
    }


def analysis_facts(position: Position, analysis: Analysis) -> dict[str, Any]:
    """An analysis as interfaces receive it; only the final one has reasons."""
    facts = (explained(position, analysis) if analysis.is_final else analysis).to_dict()
    return facts | {"done": facts.pop("is_final"), "scores": facts.pop("points")}
