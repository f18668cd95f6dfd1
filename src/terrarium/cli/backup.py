"""`terrarium backup`, `restore` and `check`: save everything that a server stores in one file, restore it, and check it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terrarium.cli.common import server_packages, tracked

if TYPE_CHECKING:
    from terrarium.server.database.backup import Contents

__all__ = ["backup", "check", "restore"]

File = Annotated[Path, typer.Argument(help="The backup file.")]
Data = Annotated[Path | None, typer.Option(help="The server's data folder.")]
Database = Annotated[
    str | None, typer.Option(help="The server's database, if it is not in the data folder.")
]


Game = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Restore only this game; it replaces the stored one."),
]


def backup(file: File, data: Data = None, database: Database = None) -> int:
    """Save everything that a server stores in one file, and check the file; the server may be running."""
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    contents = saving.backup(Settings.load(data=data, database=database), file)
    print(f"{file}: {_counts_text(contents)}; read back and every game replayed")
    return _warned(contents)


def restore(file: File, data: Data = None, database: Database = None, game: Game = None) -> int:
    """Restore a backup into an empty database (SQLite or PostgreSQL), or one of its games into the database it came from."""
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    settings = Settings.load(data=data, database=database)
    if game is not None:
        seq = saving.restore_game(settings, file, game)
        print(f"{file}: game {game} restored as it was at seq {seq}")
        return 0
    contents = saving.restore(settings, file)
    print(f"{file}: {_counts_text(contents)} restored")
    return _warned(contents)


def check(data: Data = None, database: Database = None) -> int:
    """Check that no game of a server was lost or changed, and that each can be replayed; the server may be running."""
    with server_packages():
        from terrarium.server.database.check import check as checking
        from terrarium.server.settings import Settings

    settings = Settings.load(data=data, database=database)
    games = 0

    def counted(ids: list[str]) -> Iterator[str]:
        nonlocal games
        games = len(ids)
        return tracked(ids, "checking games")

    problems = 0
    for game_id, problem in checking(settings, counted):
        problems += 1
        print(f"game {game_id}: {problem}" if game_id else f"database: {problem}", flush=True)
    if not problems:
        print(f"{games} games checked: nothing is wrong")
        return 0
    print(
        f"{games} games checked, {problems} problems; restore a game: terrarium restore FILE --game ID"
    )
    return 1


def _warned(contents: Contents) -> int:
    """Print the damaged games; returns exit code 1 if there are any, so that a backup job fails."""
    for game_id, problem in contents.damaged.items():
        print(f"game {game_id} is damaged: {problem}", file=sys.stderr)
    return 1 if contents.damaged else 0


def _counts_text(counts: Counter[str]) -> str:
    return f"{counts['games']} games, {counts['events']} events, {counts['accounts']} accounts"
