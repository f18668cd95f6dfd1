"""`terrarium openings`: make a book of openings, or count what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from terrarium.arena.openings import SelfPlay, book_of, play_openings
from terrarium.arena.pool import workers
from terrarium.cli.common import (
    Commands,
    GameName,
    bad,
    console,
    game_named,
    tracked,
    write_file,
)
from terrarium.core.opening import OpeningTurn, key_of

__all__ = ["app"]

app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def openings(context: typer.Context) -> None:
    """Make a book of openings, or count what is in it."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("make")
def make(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, help="Games on each built-in board.")
    ] = 1000,
    level: Annotated[
        int, typer.Option("--level", metavar="N", min=1, help="The level that plays all seats.")
    ] = 6,
    nodes: Annotated[
        int,
        typer.Option("--nodes", metavar="N", min=1, help="Positions that it searches per turn."),
    ] = 600,
    players: Annotated[
        int, typer.Option("--players", "-n", metavar="N", help="How many seats.")
    ] = 2,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="The same number gives the same book.")
    ] = 1,
    at_least: Annotated[
        int,
        typer.Option(
            "--at-least", metavar="N", min=1, help="Leave out turns played in fewer games."
        ),
    ] = 3,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", help="Processes [default: one per processor]."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-O", metavar="FILE", help="[default: GAME-openings.jsonl]"),
    ] = None,
) -> None:
    """Let a level of the engine play against itself, and write its opening turns and their results to a book."""
    found = game_named(game)
    if not 1 <= level <= len(found.levels):
        raise bad(f"{level}: {found.title} has the levels 1 to {len(found.levels)}", "--level")
    played: list[list[OpeningTurn]] = []
    with workers(jobs) as (pool, _):
        for board in found.boards or (None,):
            settings = SelfPlay(found.name, games, players, level, nodes, seed, board)
            played += tracked(play_openings(settings, pool), f"{found.title} {board or ''}", games)
    path = out or Path(f"{found.name}-openings.jsonl")
    book = book_of(played, players, at_least)
    write_file(path, book)
    print(f"{path}: {len(book.splitlines())} positions of {len(played)} games, {len(book)} bytes")


@app.command("list")
def list_openings(game: GameName) -> None:
    """Show the book's turns in the first position of each board."""
    found = game_named(game)
    output = console()
    output.print(f"{found.title}: {len(found.openings)} positions")
    for board in found.boards or (None,):
        turns = found.openings.get(key_of(found.start(board=board)), ())
        games = sum(turn.games for turn in turns)
        output.print(f"{board or found.name}: {games} games, {len(turns)} first turns")
        for turn in turns[:5]:
            shares = " ".join(f"{won / turn.games:4.0%}" for won in turn.wins)
            output.print(f"  {' '.join(turn.actions):<24}{turn.games:>6}  {shares}")
