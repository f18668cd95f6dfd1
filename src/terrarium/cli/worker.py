"""`terrarium worker`: computes turns for a server on another machine."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from terrarium.cli.common import server_packages

__all__ = ["worker"]


def worker(
    database: Annotated[
        str | None, typer.Option(help="The server's database: postgresql://…")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Number of turns to compute at the same time.")
    ] = None,
) -> None:
    """Compute turns for a server on another machine, from the server's queue."""
    with server_packages():
        from terrarium.server.jobs.worker import work
        from terrarium.server.operation.logs import configure
        from terrarium.server.settings import Settings

    settings = Settings.load(database=database, engine_threads=threads)
    configure(settings)
    asyncio.run(work(settings))
