"""`terrarium token`: creates a token for a bot, without a browser."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from terrarium.cli.remote import Remote

__all__ = ["token"]


def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the account.")],
    password: Annotated[
        str,
        typer.Option(
            "--password",
            envvar="TERRARIUM_PASSWORD",
            prompt=True,
            hide_input=True,
            help="The account's password; the command asks for it if it is missing.",
        ),
    ],
    server: Annotated[
        str, typer.Option("--server", metavar="URL", help="The server.")
    ] = "http://127.0.0.1:8000",
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", help="play, follow or read; may be repeated (default: play and follow)."
        ),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="The name of the token.")] = "bot",
    create: Annotated[
        bool, typer.Option("--create", help="Create the account first, marked as a bot.")
    ] = False,
) -> None:
    """Print a new token of an account. It is shown only once: the server keeps no copy."""
    remote = Remote(server)
    account: dict[str, Any] = {"name": name, "password": password}
    if create:
        made = remote.ask("POST", "/api/accounts", account | {"is_bot": True}, attempts=1)
        codes = " ".join(made["recovery_codes"])
        typer.echo(f"recovery codes, shown only now: {codes}", err=True)
    else:
        remote.ask("POST", "/api/sessions", account, attempts=1)
    order = {"name": label, "scopes": scope or ["play", "follow"]}
    try:
        typer.echo(remote.ask("POST", "/api/me/tokens", order, attempts=1)["token"])
    finally:
        remote.ask("DELETE", "/api/sessions", attempts=1)
