"""`terrarium backup`, `restore` and `check`: save everything that a server stores in one file, restore it, and check it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terrarium.cli.common import server_packages, tracked
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.server.database.backup import Contents
    from terrarium.server.database.check import Subject

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


Study = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Restore only the chapters of this study, with their history."),
]


def backup(file: File, data: Data = None, database: Database = None) -> int:
    """Save everything that a server stores in one file, and check the file; the server may be running."""
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    contents = saving.backup(Settings.load(data=data, database=database), file)
    print(f"{file}: {_counts_text(contents)}; read back and every game and study replayed")
    return _warned(contents)


def restore(
    file: File,
    data: Data = None,
    database: Database = None,
    game: Game = None,
    study: Study = None,
) -> int:
    """Restore a backup into an empty database (SQLite or PostgreSQL), or one of its games or studies into the database it came from."""
    if game is not None and study is not None:
        raise TerrariumError("game-and-study", "restore a game or a study, not both at once")
    with server_packages():
        from terrarium.server.database import backup as saving
        from terrarium.server.settings import Settings

    settings = Settings.load(data=data, database=database)
    if game is not None:
        seq = saving.restore_game(settings, file, game)
        print(f"{file}: game {game} restored as it was at seq {seq}")
        return 0
    if study is not None:
        seq = saving.restore_study(settings, file, study)
        print(f"{file}: study {study} restored as it was at seq {seq}")
        return 0
    contents = saving.restore(settings, file)
    print(f"{file}: {_counts_text(contents)} restored")
    return _warned(contents)


def check(data: Data = None, database: Database = None) -> int:
    """Check that no game or study of a server was lost or changed, and that each can be replayed; the server may be running."""
    with server_packages():
        from terrarium.server.database.check import check as checking
        from terrarium.server.settings import Settings

    settings = Settings.load(data=data, database=database)
    counts = Counter[str]()

    def counted(subjects: list[Subject]) -> Iterator[Subject]:
        counts.update(kind for kind, _ in subjects)
        return tracked(subjects, "checking")

    problems = 0
    for subject, problem in checking(settings, counted):
        problems += 1
        print(f"{subject}: {problem}", flush=True)
    what = f"{counts['game']} games and {counts['study']} studies checked"
    if not problems:
        print(f"{what}: nothing is wrong")
        return 0
    print(
        f"{what}, {problems} problems; restore one: terrarium restore FILE --game ID, or --study ID"
    )
    return 1


def _warned(contents: Contents) -> int:
    """Print the damaged games and studies; returns exit code 1 if there are any, so that a backup job fails."""
    for kind, damaged in (("game", contents.damaged), ("study", contents.damaged_studies)):
        for id, problem in damaged.items():
            print(f"{kind} {id} is damaged: {problem}", file=sys.stderr)
    return 1 if contents.damaged or contents.damaged_studies else 0


def _counts_text(counts: Counter[str]) -> str:
    return (
        f"{counts['games']} games, {counts['events']} events, {counts['studies']} studies, "
        f"{counts['accounts']} accounts"
    )
