"""`terrarium serve`: serves the page, the games and the computer players, for one table or a whole club."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from terrarium.cli.common import server_packages

if TYPE_CHECKING:
    from terrarium.server.settings import Settings

__all__ = ["serve"]


def serve(
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0: any free port.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder for games and the signing key.")] = None,
    database: Annotated[
        str | None, typer.Option(help="Another database: sqlite:///path or postgresql://…")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; more than 1 needs PostgreSQL.")
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Address of the page, such as https://club.example."),
    ] = None,
    banner: Annotated[
        str | None, typer.Option(metavar="text|json", help="How to print address and settings.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Serve this page, written by terrarium site --server.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
) -> int:
    """Serve the page, for one table or a whole club."""
    from dataclasses import replace

    with server_packages():
        import terrarium.server.app  # noqa: F401 (reports a missing package before anything else)
        from terrarium.server.database.transactions import check_database
        from terrarium.server.database.writing import locked
        from terrarium.server.run import listen, run
        from terrarium.server.settings import Settings

    settings = Settings.load(
        port=port,
        host=host,
        data=data,
        database=database,
        workers=workers,
        banner=banner,
        page_folder=None if page is None else str(page),
        origins=tuple(origin) if origin else None,
    )
    with locked(settings):
        check_database(settings)
        listening = listen(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    _announce(settings)
    if (
        not no_open
        and sys.stdout.isatty()
        and (os.environ.get("DISPLAY") or sys.platform != "linux")
    ):
        threading.Timer(1.0, webbrowser.open, [settings.url]).start()
    return run(settings, listening)


def _announce(settings: Settings) -> None:
    """Print the address and all settings, without secrets."""
    if settings.banner == "json":
        import json

        import terrarium

        facts = {
            "url": settings.url,
            "pid": os.getpid(),
            "version": terrarium.__version__,
            "settings": settings.describe(),
        }
        print(json.dumps(facts), flush=True)
        return
    for name, value in settings.describe().items():
        print(f"  {name:<17} {value}", file=sys.stderr)
    print(f"Terrarium is at {settings.url}  (Ctrl+C stops it)", flush=True)
