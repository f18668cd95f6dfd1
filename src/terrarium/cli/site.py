"""`terrarium site`: builds the page that needs no server, as a folder for any static host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from terrarium.cli.common import console

__all__ = ["site"]


def site(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    server: Annotated[
        bool,
        typer.Option(
            "--server",
            help="Build the page for terrarium serve --page: the browser can compute turns.",
        ),
    ] = False,
    cache: Annotated[
        Path, typer.Option(help="The folder for downloads and compiled kernels.")
    ] = Path("build/site"),
) -> None:
    """Build the page that needs no server: a folder that any static host can serve, under / or a subfolder.

    The first build downloads Pyodide and msgspec's source from the package registries and compiles the kernels
    for WebAssembly, which takes a minute or two. Later builds use the cache.
    """
    from terrarium.site import build

    built = build(out, cache, for_server=server)
    megabytes = built.brotli_bytes / 1e6
    console().print(
        f"{built.folder}: {built.files} files, version {built.version}, {megabytes:.1f} MB with brotli"
    )
    command = "terrarium serve --page" if server else "python -m http.server --directory"
    console().print(f"Try it: {command} {built.folder}", soft_wrap=True)
