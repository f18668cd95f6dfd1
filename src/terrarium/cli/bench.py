"""`terrarium bench`: the full benchmarks in a source tree, or a quick measurement anywhere."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

import terrarium
from terrarium.cli.common import console, game_named, tracked
from terrarium.core.game import GAMES
from terrarium.core.position import Position

__all__ = ["bench"]


def bench(
    game: Annotated[
        list[str] | None,
        typer.Argument(metavar="GAME", help="Measure only these games.", show_default=False),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure quickly, even in a source tree.")
    ] = False,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            metavar="S",
            min=0.05,
            max=60,
            help="Time for each figure of the quick measurement.",
        ),
    ] = 1.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Measure quickly and print JSON.")
    ] = False,
) -> None:
    """Measure the speed of the rules on this machine.

    In a source tree this is the full comparison with other libraries (`make bench`).
    Elsewhere, with --quick or --json, or for some games only, it takes a few seconds.
    """
    names = [game_named(name).name for name in game] if game else list(GAMES)
    tree = Path(terrarium.__file__).resolve().parents[2]
    if not (quick or as_json or game) and (tree / "bench" / "__main__.py").exists():
        code = subprocess.call([sys.executable, "-m", "bench"], cwd=tree)
        raise typer.Exit(code)
    work = [(name, *figure) for name in names for figure in _FIGURES]
    rows: list[dict[str, Any]] = []
    for name, what, measure in tracked(work, "measuring"):
        rows.append({"game": name, "what": what} | measure(GAMES[name].start(), seconds))
    if as_json:
        print(json.dumps({"version": terrarium.__version__, "figures": rows}, indent=2))
        return
    output = console()
    output.print(f"{'':<10}{'':<34}{'games/s':>12}{'actions/s':>14}", style="bold")
    for row in rows:
        games = f"{row['games_per_second']:,.0f}"
        actions = f"{row['actions_per_second']:,.0f}"
        output.print(f"{row['game']:<10}{row['what']:<34}{games:>12}{actions:>14}")


def _rollouts(threads: int) -> Callable[[Position, float], dict[str, float]]:
    def measure(position: Position, seconds: float) -> dict[str, float]:
        games, actions, batch = 0, 0, 8 * threads
        begun = time.perf_counter()
        while (spent := time.perf_counter() - begun) < seconds:
            totals = position.rollouts(batch, seed=games, threads=threads)
            games += totals.games
            actions += totals.actions
            batch = min(batch * 2, 4096)
        return {"games_per_second": games / spent, "actions_per_second": actions / spent}

    return measure


def _python(position: Position, seconds: float) -> dict[str, float]:
    """The speed of random games played from Python, with one call per action."""
    rng = Random(1)
    games = actions = 0
    at = position
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        for _ in range(200):
            ids = at.legal_ids()
            if not ids:
                games += 1
                at = position
                continue
            at = at.play(rng.choice(ids))
            actions += 1
    return {"games_per_second": games / spent, "actions_per_second": actions / spent}


_FIGURES: tuple[tuple[str, Callable[[Position, float], dict[str, float]]], ...] = (
    ("random games, one thread", _rollouts(1)),
    ("random games, two threads", _rollouts(2)),
    ("random actions from Python", _python),
)
