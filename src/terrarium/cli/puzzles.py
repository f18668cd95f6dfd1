"""`terrarium puzzles`: makes, checks and counts the puzzles of a game."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
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
from terrarium.puzzles import DEEPER, Miner, PuzzleFile, check, themes_of

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
    theme: Annotated[
        list[str] | None,
        typer.Option(
            "--theme", metavar="THEME", help="Only puzzles with this theme; may be repeated."
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="THEME", help="No puzzles with this theme; may be repeated."
        ),
    ] = None,
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
    miner = Miner(
        found,
        file,
        players=players,
        seed=seed,
        nodes=nodes or found.puzzle_nodes,
        wanted=frozenset(theme or ()),
        unwanted=frozenset(without or ()),
    )
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
    start: Annotated[
        int,
        typer.Option("--from", metavar="N", min=1, help="Start with the N-th puzzle of the file."),
    ] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ID", help="Check this puzzle only; may be repeated."),
    ] = None,
    file: File = None,
) -> None:
    """Search the position of each puzzle again and compare the best turn with the solution; exit code 1 if one differs.

    Without --nodes and --seconds each search is as deep as the one that verified the puzzle. Standard error shows how many
    puzzles are done, so that an interrupted run can be continued with --from.
    """
    if game is None and (file is not None or start > 1 or only):
        raise bad("with --file, --from and --only, name the game", "GAME")
    output, is_wrong = console(), False
    for one in [game_named(game)] if game is not None else list(GAMES.values()):
        chosen = _chosen(_puzzles(one, file), start, only)
        if sample is not None and sample < len(chosen):
            chosen = Random().sample(chosen, sample)
        limit = Limit(seconds, nodes)
        if seconds is None and nodes is None:
            limit = Limit(nodes=DEEPER * one.puzzle_nodes)
        wrong, reported = 0, monotonic()
        for done, puzzle in enumerate(tracked(chosen, f"checking {one.title}"), start):
            problem = check(one, puzzle, limit)
            if problem is not None:
                wrong += 1
                output.print(f"{one.name} {puzzle.id}: {problem}", soft_wrap=True)
            if not sys.stderr.isatty() and monotonic() - reported > _REPORTED:
                reported = monotonic()
                last = start + len(chosen) - 1
                print(f"{one.name} {done} of {last}: {puzzle.id}", file=sys.stderr, flush=True)
        output.print(f"{one.title}: {len(chosen) - wrong} of {len(chosen)} puzzles confirmed")
        is_wrong = is_wrong or wrong > 0
    if is_wrong:
        raise typer.Exit(1)


@app.command("themes")
def find_themes(game: GameName, file: File = None) -> None:
    """Recognise the themes of all puzzles of a game again and write them to the file.

    Run it after a change of the game's `themes`. A puzzle in which no theme is recognised any more keeps its old ones, and is
    named with exit code 1.
    """
    found = _with_themes(game_named(game))
    path = file or Path(str(resources.files(found.package) / "puzzles.jsonl"))
    puzzles = PuzzleFile(path)
    changed: dict[str, Puzzle] = {}
    without = []
    for puzzle in tracked(list(puzzles), f"recognising themes of {found.title}"):
        themes = themes_of(found.position(puzzle.position), puzzle.solution)
        if not themes:
            without.append(puzzle.id)
        elif themes != puzzle.themes:
            changed[puzzle.id] = replace(puzzle, themes=themes)
    puzzles.rewrite(changed.get(puzzle.id, puzzle) for puzzle in list(puzzles))
    output = console()
    output.print(f"{found.title}: {len(changed)} of {len(puzzles)} puzzles have other themes now")
    for id in without:
        output.print(f"{found.name} {id}: no theme is recognised")
    if without:
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


def _chosen(puzzles: list[Puzzle], start: int, only: list[str] | None) -> list[Puzzle]:
    """The puzzles from the `start`-th on, or those with the ids of `only`."""
    if not only:
        return puzzles[start - 1 :]
    unknown = set(only) - {puzzle.id for puzzle in puzzles}
    if unknown:
        raise bad(f"no puzzle has the id {', '.join(sorted(unknown))}", "--only")
    return [puzzle for puzzle in puzzles if puzzle.id in only]


def _with_themes(game: Game) -> Game:
    if type(game).themes is Game.themes:
        raise bad(f"{game.title} recognises no themes, so no puzzles can be made", "GAME")
    return game


def _puzzles(game: Game, file: Path | None) -> list[Puzzle]:
    if file is None:
        return list(game.puzzles.values())
    file.open("rb").close()
    return list(PuzzleFile(file))
