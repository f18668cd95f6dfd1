"""`terrarium engine`: runs the computer player over standard input and output, for other programs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

__all__ = ["engine"]


def engine(
    level: Annotated[
        int, typer.Option("--level", metavar="N", help="1 to 8; the option Level changes it.")
    ] = 8,
    memory: Annotated[
        int, typer.Option("--memory", metavar="MB", help="Megabytes; the option Memory changes it.")
    ] = 256,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="N", min=0, max=2**31 - 1, help="The option Seed changes it."
        ),
    ] = 0,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", help="The option Threads changes it.")
    ] = 1,
) -> None:
    """Run a computer player over standard input and output.

    Its protocol is a dialect of UCI: send uci, position start nova, go movetime 500, quit. docs/protocol.md describes the protocol.
    """
    from terrarium.engine.protocol import Server

    server = Server(level=level, memory_mb=memory, seed=seed, threads=threads)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    server.serve()
