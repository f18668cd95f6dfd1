"""`terrarium play`: a game in the terminal; a person or a computer player at each seat."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Annotated

import typer

from terrarium.cli.common import (
    BoardName,
    Edition,
    GameName,
    OptionWords,
    Players,
    PositionText,
    Seed,
    bad,
    console,
    game_named,
    start_position,
)
from terrarium.cli.players import NAMES, seated
from terrarium.cli.table import Table
from terrarium.core.record import Record

__all__ = ["play"]


def play(
    game: GameName = "nova",
    seat: Annotated[
        list[str] | None,
        typer.Option(
            "--seat",
            "-s",
            metavar="WHO",
            help=f"The player of a seat: {NAMES}. Repeat for each seat in order; the other seats are human.",
        ),
    ] = None,
    players: Players = None,
    edition: Edition = None,
    option: OptionWords = None,
    board: BoardName = None,
    position: PositionText = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name", metavar="NAME", help="The name of a seat; repeat for each seat in order."
        ),
    ] = None,
    seed: Seed = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FILE", help="Write the record here after every turn (.terra)."
        ),
    ] = None,
) -> None:
    """Play a game in the terminal; type `help` to see the available commands."""
    start = start_position(game_named(game), players, edition, option, board, position)
    who = seated(seat, start.players, seed)
    names = list(name or [])
    if len(names) > start.players:
        raise bad(f"{len(names)} names for {start.players} seats", "--name")
    names += [player.name for player in who[len(names) :]]
    if save is not None and not save.absolute().parent.is_dir():
        raise bad(f"{save}: there is no folder {save.absolute().parent}", "--save")
    record = Record(start, seats=tuple(names), date=datetime.date.today())
    Table(record, who, console(), sys.stdin, save).run()
