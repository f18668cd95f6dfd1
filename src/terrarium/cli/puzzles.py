"""`terrarium puzzles`: makes, checks and counts the puzzles of a game."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from time import monotonic
from typing import Annotated

import typer

from terrarium.cli.common import (
    Commands,
    GameName,
    Players,
    Seed,
    bad,
    console,
    game_named,
    tracked,
)
from terrarium.core.game import GAMES, Game
from terrarium.core.puzzle import Puzzle
from terrarium.engine import Limit
from terrarium.puzzles import DEEPER, Miner, PuzzleFile, check

__all__ = ["app"]

_REPORTED = 10.0
"""Seconds between two lines of progress."""

app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode="rich")

File = Annotated[
    Path | None,
    typer.Option(
        "--file", "-f", metavar="FILE", help="A file of puzzles, instead of those in the package."
    ),
]


@app.callback(invoke_without_command=True)
def puzzles(context: typer.Context) -> None:
    """Make, check and count puzzles."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("make")
def make(
    game: GameName,
    players: Players = None,
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, help="Stop after this many new puzzles.")
    ] = 10,
    seed: Seed = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            metavar="N",
            min=100,
            help="Positions to search to find a puzzle; ten times as many verify it.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0.0, help="Stop after this time."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-O", metavar="FILE", help="Append to this file (default: GAME-puzzles.jsonl)."
        ),
    ] = None,
) -> None:
    """Find puzzles in games of the engine against itself and append them to a file.

    Positions that are already in the file or the package are skipped, so a run can be interrupted and continued later.
    """
    found = _with_themes(game_named(game))
    if players is not None and not found.min_players <= players <= found.max_players:
        raise bad(f"{players}: from {found.min_players} to {found.max_players} seats", "--players")
    file = PuzzleFile(out or Path(f"{found.name}-puzzles.jsonl"))
    miner = Miner(found, file, players=players, seed=seed, nodes=nodes or found.puzzle_nodes)
    begun = reported = monotonic()
    try:
        for puzzle in miner.puzzles():
            now = monotonic()
            if puzzle is not None or now - reported > _REPORTED:
                reported = now
                counts = " ".join(f"{name}={value}" for name, value in miner.counts.items())
                print(f"{now - begun:.0f} s: {counts}", file=sys.stderr, flush=True)
            if miner.counts["puzzles"] >= count or (seconds is not None and now - begun >= seconds):
                break
    finally:
        print(f"{file.path}: {len(file)} puzzles, {miner.counts['puzzles']} of them new")


@app.command("check")
def check_puzzles(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="One game; otherwise all.")
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", min=100, help="Positions to search for each puzzle."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0.01, help="Seconds to search each puzzle."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="Check this many, chosen at random."),
    ] = None,
    file: File = None,
) -> None:
    """Search the position of each puzzle again and compare the best turn with the solution; exit code 1 if one differs.

    Without --nodes and --seconds each search is as deep as the one that verified the puzzle.
    """
    if file is not None and game is None:
        raise bad("with --file, name the game of the file", "GAME")
    output, is_wrong = console(), False
    for one in [game_named(game)] if game is not None else list(GAMES.values()):
        chosen = list(_puzzles(one, file))
        if sample is not None and sample < len(chosen):
            chosen = Random().sample(chosen, sample)
        limit = Limit(seconds, nodes)
        if seconds is None and nodes is None:
            limit = Limit(nodes=DEEPER * one.puzzle_nodes)
        wrong = 0
        for puzzle in tracked(chosen, f"checking {one.title}"):
            problem = check(one, puzzle, limit)
            if problem is not None:
                wrong += 1
                output.print(f"{one.name} {puzzle.id}: {problem}", soft_wrap=True)
        output.print(f"{one.title}: {len(chosen) - wrong} of {len(chosen)} puzzles confirmed")
        is_wrong = is_wrong or wrong > 0
    if is_wrong:
        raise typer.Exit(1)


@app.command("list")
def list_puzzles(game: GameName, file: File = None) -> None:
    """Count the puzzles of a game by theme, level of difficulty (L1 to L8) and seats."""
    found = game_named(game)
    chosen = list(_puzzles(found, file))
    seats = {puzzle.id: found.position(puzzle.position).players for puzzle in chosen}
    levels = range(1, len(found.levels) + 1)
    output = console()
    heads = [f"L{level}" for level in levels]
    output.print(_row("theme", heads, "2 seats", "3-4 seats", "all"), style="bold")
    themes = Counter(theme for puzzle in chosen for theme in puzzle.themes)
    for name in [*(theme for theme, _ in themes.most_common()), "all"]:
        rows = [puzzle for puzzle in chosen if name == "all" or name in puzzle.themes]
        by_level = Counter(puzzle.level for puzzle in rows)
        two = sum(seats[puzzle.id] == 2 for puzzle in rows)
        counts = [by_level[level] for level in levels]
        output.print(_row(name, counts, two, len(rows) - two, len(rows)))


def _row(name: str, levels: Iterable[object], two: object, more: object, total: object) -> str:
    by_level = "".join(f"{level!s:>5}" for level in levels)
    return f"{name:<11}{by_level}{two!s:>9}{more!s:>11}{total!s:>6}"


def _with_themes(game: Game) -> Game:
    if type(game).themes is Game.themes:
        raise bad(f"{game.title} recognises no themes, so no puzzles can be made", "GAME")
    return game


def _puzzles(game: Game, file: Path | None) -> list[Puzzle]:
    if file is None:
        return list(game.puzzles.values())
    file.open("rb").close()
    return list(PuzzleFile(file))
