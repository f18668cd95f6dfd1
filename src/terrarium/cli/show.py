"""`terrarium show`: draws a position, the end of a record or a board, in the terminal or as a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from terrarium.cli.common import (
    Theme,
    bad,
    board_in_file,
    console,
    has_colour,
    tracked,
    write_file,
)
from terrarium.cli.printing import actions_in, cells_of, painter, picture, status, verdict
from terrarium.core.action import Action
from terrarium.core.game import GAMES, Game
from terrarium.core.position import Position
from terrarium.core.record import Record, read_records
from terrarium.errors import InvalidRecord, TerrariumError

__all__ = ["Png", "Svg", "draw_picture", "draw_settings", "show", "show_board"]

Svg = Annotated[
    Path | None,
    typer.Option("--svg", metavar="FILE", help="Write a picture as SVG; - is standard output."),
]
Png = Annotated[
    Path | None,
    typer.Option("--png", metavar="FILE", help="Write a picture as PNG; - is standard output."),
]


def show(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A record or board file, a position's text, or the name of a board or a game.",
        ),
    ],
    number: Annotated[
        int, typer.Option("--record", metavar="N", min=1, help="Which record of the file.")
    ] = 1,
    svg: Svg = None,
    png: Png = None,
    width: Annotated[
        int, typer.Option("--width", metavar="PIXELS", help="Width of the PNG in pixels.")
    ] = 1200,
    theme: Theme = "light",
    view: Annotated[
        str | None,
        typer.Option("--view", metavar="NAME", help="isometric or above (Terra Turrium)."),
    ] = None,
    names: Annotated[bool, typer.Option("--names", help="Write each cell's name in it.")] = False,
) -> None:
    """Draw a position, the end of a record, a board, or the start of a game."""
    found = _found(what, number)
    if isinstance(found, Record):
        turns = list(found.turns())
        steps = turns[-1].steps if turns else ()
        show_position(found.position, svg, png, width, theme, view, names, actions_in(steps), found)
    elif isinstance(found, _Board):
        show_board(found.game, found.board, svg, png, width, theme, names)
    else:
        show_position(found, svg, png, width, theme, view, names)


class _Board(NamedTuple):
    """A board and the game it is for."""

    game: Game
    board: Any


def _found(what: str, number: int) -> Record | Position | _Board:
    """The record, position or board that the argument names."""
    if os.path.exists(what):
        path = Path(what)
        if path.suffix.lower() in (".toml", ".txt", ".map"):
            game = next(game for game in GAMES.values() if game.has_boards)
            return _Board(game, board_in_file(game, path))
        return record_in(path, number)
    if what in GAMES:
        return GAMES[what].start()
    for game in GAMES.values():
        if what in game.boards:
            return _Board(game, game.board(what))
    refusals = []
    for game in GAMES.values():
        try:
            return game.position(what)
        except TerrariumError as error:
            refusals.append(error)
    if len(what) < 40 and " " not in what:
        raise bad(f"{what!r}: not a file, a board, a game or a position", "WHAT")
    name = what.split()[0]
    for game, refusal in zip(GAMES.values(), refusals, strict=True):
        if game.name == name:
            raise refusal
    raise bad(
        f"{what[:40]!r}…: not a position; a position begins with {' or '.join(GAMES)}", "WHAT"
    )


def record_in(path: Path, number: int) -> Record:
    """The record with this number in a file."""
    count = 0
    try:
        for record in tracked(read_records(path), "reading"):
            count += 1
            if count == number:
                return record
    except InvalidRecord as error:
        message = f"{path}: {error.message}"
        raise InvalidRecord(error.code, message, error.rule, error.line, error.column) from None
    raise bad(f"{number}: {path} holds {count} record{'s' * (count != 1)}", "--record")


def draw_settings(position: Position, theme: str, view: str | None) -> dict[str, Any]:
    """The arguments for the game's `draw` and `animate` from the options of a command."""
    settings: dict[str, Any] = {"theme": theme}
    if view is not None:
        game = position.game
        if not game.views:
            raise bad(f"{view:.40}: {game.title} is drawn in one view", "--view")
        if view not in game.views:
            raise bad(f"{view!r:.40}: must be {' or '.join(game.views)}", "--view")
        settings["view"] = view
    return settings


def draw_picture(
    position: Position, theme: str, view: str | None = None, last: Sequence[Action] = ()
) -> str:
    """The SVG of a position with the last actions marked."""
    svg: str = position.game.draw.draw(position, last=last, **draw_settings(position, theme, view))
    return svg


def _write(svg_text: str, svg: Path | None, png: Path | None, width: int) -> None:
    from terrarium.core.picture import png as as_png

    if svg is not None:
        write_file(svg, svg_text)
    if png is not None:
        write_file(png, as_png(svg_text, width))


def show_position(
    position: Position,
    svg: Path | None,
    png: Path | None,
    width: int,
    theme: str,
    view: str | None,
    names: bool,
    last: Sequence[Action] = (),
    record: Record | None = None,
) -> None:
    """Write a position to the files that were named, or draw it in the terminal."""
    if svg is not None or png is not None:
        _write(draw_picture(position, theme, view, last), svg, png, width)
        return
    output = console()
    seats = record.seats if record is not None else ()
    colour = has_colour(output)
    marked = cells_of(last)
    output.print(picture(position, marked, names=names, colour=colour), soft_wrap=True)
    outcome = record.outcome if record is not None else position.outcome
    for line in status(position, seats) if position.outcome is None else []:
        output.print(line, soft_wrap=True)
    if outcome is not None:
        output.print(verdict(position, outcome, seats), soft_wrap=True)


def show_board(
    game: Game,
    board: Any,
    svg: Path | None,
    png: Path | None,
    width: int,
    theme: str,
    names: bool,
) -> None:
    """Write an empty board to the files that were named, or draw it in the terminal."""
    position = game.module.compose(game.rules(), board)
    if svg is not None or png is not None:
        _write(game.draw.draw_board(board, theme=theme), svg, png, width)
        return
    output = console()
    colour = has_colour(output)
    kinds = len(board.letters)
    output.print(f"{board.name}: {len(board)} cells in {kinds} landscapes", style="bold")
    if board.note:
        output.print(board.note, style="dim")
    output.print(picture(position, names=names, colour=colour), soft_wrap=True)
    output.print(painter(position).legend(board, colour))
