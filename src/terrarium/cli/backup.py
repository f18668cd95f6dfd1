"""`terrarium backup` and `terrarium restore`: everything a server stores, in one file and back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from terrarium.cli.common import server_packages

__all__ = ["backup", "restore"]

File = Annotated[Path, typer.Argument(help="The backup file.")]
Data = Annotated[Path | None, typer.Option(help="The server's data folder.")]
Database = Annotated[
    str | None, typer.Option(help="The server's database, if it is not in the data folder.")
]


def backup(file: File, data: Data = None, database: Database = None) -> None:
    """Save everything a server stores into one file, while it runs, and check the file."""
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    counts = saving.backup(Settings.load(data=data, database=database), file)
    print(f"{file}: {_told(counts)}; read back and every game replayed")


def restore(file: File, data: Data = None, database: Database = None) -> None:
    """Put a backup into an empty database, of either kind."""
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    counts = saving.restore(Settings.load(data=data, database=database), file)
    print(f"{file}: {_told(counts)} restored")


def _told(counts: Counter[str]) -> str:
    return f"{counts['games']} games, {counts['events']} events, {counts['accounts']} accounts"
