"""`terrarium perft`: counts sequences of actions, to check and time the rules."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from terrarium.cli.common import (
    BoardName,
    Edition,
    GameName,
    OptionWords,
    Players,
    PositionText,
    console,
    game_named,
    start_position,
    tracked,
)
from terrarium.core.position import Position

__all__ = ["perft"]


def perft(
    game: GameName,
    depth: Annotated[
        int,
        typer.Option("--depth", "-d", metavar="N", min=0, max=30, help="How many actions deep."),
    ] = 2,
    divide: Annotated[
        bool, typer.Option("--divide", help="Count after each first action separately.")
    ] = False,
    players: Players = None,
    edition: Edition = None,
    option: OptionWords = None,
    board: BoardName = None,
    position: PositionText = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the sequences of actions from the start or from a position.

    Shorter sequences that end the game do not count.
    """
    start = start_position(game_named(game), players, edition, option, board, position)
    if divide:
        _divide(start, depth, as_json)
    else:
        _table(start, depth, as_json)


def _count(position: Position, depth: int) -> dict[str, int]:
    """The count after each first action."""
    actions = position.legal_actions()
    return {
        str(action): position.play(action).perft(depth - 1)
        for action in tracked(actions, f"depth {depth}")
    }


def _table(start: Position, deepest: int, as_json: bool) -> None:
    output = console()
    rows = []
    if not as_json:
        output.print(
            f"{'depth':>5} {'sequences':>20} {'seconds':>9} {'per second':>14}", style="bold"
        )
    for depth in range(deepest + 1):
        begun = time.perf_counter()
        count = sum(_count(start, depth).values()) if depth > 1 else start.perft(depth)
        seconds = time.perf_counter() - begun
        rows.append({"depth": depth, "sequences": count, "seconds": round(seconds, 6)})
        if not as_json:
            speed = f"{count / seconds:,.0f}" if seconds > 0.001 else "–"
            output.print(f"{depth:>5} {count:>20,} {seconds:>9.3f} {speed:>14}")
    if as_json:
        print(json.dumps({"position": start.to_text(), "perft": rows}, indent=2))


def _divide(start: Position, depth: int, as_json: bool) -> None:
    counts = _count(start, depth) if depth > 0 else {}
    total = sum(counts.values()) if depth > 0 else 1
    if as_json:
        data = {"position": start.to_text(), "depth": depth, "sequences": total, "divide": counts}
        print(json.dumps(data, indent=2))
        return
    output = console()
    for action, count in counts.items():
        output.print(f"{action:<10} {count:>20,}")
    output.print(f"{'together':<10} {total:>20,}", style="bold")
