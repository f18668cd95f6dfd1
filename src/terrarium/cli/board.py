"""`terrarium board`: lists, checks, draws and makes boards of Terra Nova."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from terrarium.cli.common import (
    Commands,
    Theme,
    board_named,
    console,
    tracked,
    write_file,
)
from terrarium.cli.show import Png, Svg, show_board
from terrarium.nova.board import check_file
from terrarium.nova.game import GAME

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def boards(context: typer.Context) -> None:
    """List, check, draw and make boards of Terra Nova."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_boards() -> None:
    """List the boards that come with the package."""
    output = console()
    width = max(map(len, GAME.boards))
    for name, board in GAME.boards.items():
        output.print(
            f"{name:<{width}}  {len(board):>4} cells  {len(board.letters):>2} landscapes  {board.note}",
            soft_wrap=True,
        )


@app.command("check")
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Boards: TOML files, or bare maps.")
    ],
) -> None:
    """List every problem of a board with line and column; exit code 1 if there is one."""
    output = console()
    is_wrong = False
    for path in files:
        path.open("rb").close()  # a file that can't be read is a bad argument, not a bad board
        problems = check_file(path)
        is_wrong = is_wrong or bool(problems)
        for problem in problems:
            output.print(f"{path}: {problem}", soft_wrap=True)
        if not problems:
            board = board_named(GAME, str(path))
            cells, kinds = len(board), len(board.letters)
            output.print(f"{path}: fine: {cells} cells in {kinds} landscapes", soft_wrap=True)
    if is_wrong:
        raise typer.Exit(1)


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A built-in board or a file.")],
    svg: Svg = None,
    png: Png = None,
    width: Annotated[
        int, typer.Option("--width", metavar="PIXELS", help="Width of the PNG in pixels.")
    ] = 1200,
    theme: Theme = "light",
    names: Annotated[bool, typer.Option("--names", help="Write each cell's name in it.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Print the board's file instead.")] = False,
) -> None:
    """Draw a board in the terminal, or as a picture."""
    board = board_named(GAME, name)
    if text:
        print(board.to_toml(), end="")
    else:
        show_board(GAME, board, svg, png, width, theme, names)


@app.command("new")
def new(
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", min=0, help="The same number gives the same board."),
    ],
    cells: Annotated[int, typer.Option("--cells", metavar="N", help="How many cells.")] = 168,
    landscapes: Annotated[
        int, typer.Option("--landscapes", metavar="N", help="How many landscapes.")
    ] = 8,
    output: Annotated[
        Path | None, typer.Option("--output", "-O", metavar="FILE", help="Write it here (TOML).")
    ] = None,
) -> None:
    """Make a fair board from a seed."""
    from terrarium.nova.fairness import fairness
    from terrarium.nova.generate import generate

    board = next(iter(tracked(_once(generate, seed, cells, landscapes), "making the board")))
    if output is None:
        print(board.to_toml(), end="")
        return
    write_file(output, board.to_toml())
    screen = console()
    show_board(GAME, board, None, None, 0, "light", False)
    screen.print(f"{output}: unfairness {fairness(board).unfairness} % (0 is perfectly fair)")


def _once(make: Any, *arguments: Any) -> Any:
    yield make(*arguments)
