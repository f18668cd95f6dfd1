"""`terrarium admin`: manages people, games, invites and reports; the server may be running or stopped."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from terrarium.cli.common import Commands, server_packages
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.server.settings import Settings

__all__ = ["app"]

T = TypeVar("T")

app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode="rich")

Data = Annotated[Path | None, typer.Option(help="The server's data folder.")]
Database = Annotated[
    str | None, typer.Option(help="The server's database, if it is not in the data folder.")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="NAME", help="Who makes the change, for the log (default: you)."),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the account.")]
Game = Annotated[str, typer.Argument(metavar="ID", help="The id of the game, as in its link.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="Its id, as in the list.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Count = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most this many.")]


@app.callback(invoke_without_command=True)
def admin(context: typer.Context) -> None:
    """Manage people, games, invites and reports of a server; every change is logged."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def people(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a name.")] = "",
    limit: Count = 100,
    data: Data = None,
    database: Database = None,
) -> None:
    """List the accounts, the newest first."""
    from terrarium.server.operation import figures

    for row in _read(data, database, figures.people, text, limit):
        facts = {"operator": row.is_operator, "bot": row.is_bot, "banned": row.banned}
        marks = [word for word, is_so in facts.items() if is_so]
        _line(_day(row.created), row.name, f"{row.games} games", *marks)


@app.command()
def reset(name: Name, data: Data = None, database: Database = None, by: By = None) -> None:
    """Make a person's password invalid, end all sign-ins, and print a recovery code to set a new password with."""
    done = _act(data, database, by, "reset-password", name=name)
    print(f"recovery code of {done['name']}, shown only now: {done['code']}")


@app.command()
def ban(
    name: Name,
    reason: Annotated[str, typer.Option(help="Why, for the log.")] = "",
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Ban a person: all sign-ins and tokens end at once."""
    print(f"{_act(data, database, by, 'ban', name=name, reason=reason)['name']} is banned")


@app.command()
def unban(name: Name, data: Data = None, database: Database = None, by: By = None) -> None:
    """Let a banned person sign in again."""
    print(f"{_act(data, database, by, 'unban', name=name)['name']} may sign in again")


@app.command()
def operator(
    name: Name,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the rights.")] = False,
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Give an account an operator's rights in the page, or remove them."""
    act = "remove-operator" if remove else "make-operator"
    done = _act(data, database, by, act, name=name)
    print(f"{done['name']} is {'no longer' if remove else 'now'} an operator")


@app.command()
def delete(
    name: Name, yes: Yes = False, data: Data = None, database: Database = None, by: By = None
) -> None:
    """Delete an account; its games stay, with seats without a name."""
    _confirm(yes, f"Delete the account {name!r}?")
    _act(data, database, by, "delete-person", name=name)
    print("the account is deleted")


@app.command()
def game(id: Game, data: Data = None, database: Database = None) -> None:
    """Show what is stored about a game."""
    from terrarium.server.operation import figures

    for name, value in _read(data, database, figures.game, id).items():
        print(f"{name:<12} {value}")


@app.command()
def delete_game(
    id: Game, yes: Yes = False, data: Data = None, database: Database = None, by: By = None
) -> None:
    """Delete a game with everything in it."""
    _confirm(yes, f"Delete the game {id}?")
    _act(data, database, by, "delete-game", game=id)
    print(f"game {id} is deleted")


@app.command()
def delete_study(
    id: Annotated[str, typer.Argument(help="The study's id, as in its address.")],
    yes: Yes = False,
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Delete a study with everything in it."""
    _confirm(yes, f"Delete the study {id}?")
    _act(data, database, by, "delete-study", study=id)
    print(f"study {id} is deleted")


@app.command()
def quarantine(
    id: Game,
    reason: Annotated[str, typer.Option(help="Why; players see it.")],
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Quarantine a game: nobody can look at it or play it until it is released."""
    _act(data, database, by, "quarantine", game=id, reason=reason)
    print(f"game {id} is quarantined")


@app.command()
def release(id: Game, data: Data = None, database: Database = None, by: By = None) -> None:
    """Release a game from quarantine."""
    _act(data, database, by, "release", game=id)
    print(f"game {id} is released")


@app.command()
def invite(
    uses: Annotated[int, typer.Option(min=1, max=1000, help="How many accounts it allows.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it is valid.")] = 30,
    note: Annotated[str, typer.Option(help="A note: who it is for.")] = "",
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Print a code to sign up with; for a server with TERRARIUM_SIGN_UP=invite."""
    done = _act(data, database, by, "invite", uses=uses, days=days, note=note)
    print(f"invite {done['id']}, shown only now: {done['code']}")


@app.command()
def invites(data: Data = None, database: Database = None) -> None:
    """List the invites."""
    from terrarium.server.operation import figures

    for row in _read(data, database, figures.invites):
        _line(row.id, f"{row.uses_left} uses left", f"until {_day(row.expires)}", row.note)


@app.command()
def revoke_invite(id: Id, data: Data = None, database: Database = None, by: By = None) -> None:
    """Revoke an invite."""
    _act(data, database, by, "revoke-invite", id=id)
    print(f"invite {id} is revoked")


@app.command()
def reports(
    every: Annotated[bool, typer.Option("--all", help="Include closed reports.")] = False,
    limit: Count = 100,
    data: Data = None,
    database: Database = None,
) -> None:
    """List the reports of players and studies, the newest first."""
    from terrarium.server.operation import figures

    for row in _read(data, database, figures.reports, every, limit):
        who = row.name or "a guest"
        if hasattr(row, "study_id"):
            where = f"study {row.study_id} {row.study!r}"
        else:
            where = f"game {row.game_id} seat {row.seat} by seat {row.by_seat}"
        closed = ["closed"] if row.closed else []
        _line(row.id, _day(row.created), who, row.reason, where, *closed, row.text)


@app.command()
def close_report(id: Id, data: Data = None, database: Database = None, by: By = None) -> None:
    """Close a report."""
    _act(data, database, by, "close-report", id=id)
    print(f"report {id} is closed")


@app.command()
def stats(data: Data = None, database: Database = None) -> None:
    """Count people, games and turns."""
    from terrarium.server.operation import figures

    for name, value in _read(data, database, figures.stats).items():
        print(f"{name:<24} {value}")


@app.command()
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
    unbegun_days: Annotated[
        int | None,
        typer.Option(min=0, help="Games without a turn, unchanged for that many days; 0: none."),
    ] = None,
    guest_days: Annotated[
        int | None,
        typer.Option(min=0, help="Finished games without an account, that many days old; 0: none."),
    ] = None,
    data: Data = None,
    database: Database = None,
    by: By = None,
) -> None:
    """Delete old games and studies, after the number of days in the settings or in these options."""
    with server_packages():
        from terrarium.play.clocks import wall_clock
        from terrarium.server.operation.retention import (
            STUDIES,
            Rules,
            expired_games,
            expired_studies,
        )

    settings = _settings(data, database)
    days = {
        "unbegun_days": settings.keep_unbegun_days if unbegun_days is None else unbegun_days,
        "guest_days": settings.keep_guest_days if guest_days is None else guest_days,
    }
    if dry_run:
        for what, look in (("studies", expired_studies), ("games", expired_games)):
            found = _read(data, database, look, Rules(**days), wall_clock(), 1_000_000)
            for id, rule in found:
                _line(id, rule)
            if found or what == "games":
                print(f"{len(found)} {what} would be deleted")
        return
    done = _act(data, database, by, "prune", **days)
    for rule, count in done.items():
        print(f"{count} {'studies' if rule == STUDIES else 'games'} deleted: {rule}")
    if not done:
        print("no games to delete")


@app.command()
def log(limit: Count = 100, data: Data = None, database: Database = None) -> None:
    """List the changes by operators, the newest first."""
    from terrarium.server.operation import figures

    for row in _read(data, database, figures.log, limit):
        _line(
            _moment(row.at),
            row.operator_name or row.operator,
            row.act,
            row.name or row.subject,
            row.details,
        )


def _settings(data: Path | None, database: str | None) -> Settings:
    with server_packages():
        from terrarium.server.settings import Settings

    return Settings.load(data=data, database=database)


def _read(data: Path | None, database: str | None, look: Callable[..., T], *arguments: Any) -> T:
    """The result of one of the functions in `figures`."""
    with server_packages():
        from terrarium.server.database.backup import reading

    with reading(_settings(data, database)) as connection:
        return look(connection, *arguments)


def _act(
    data: Path | None, database: str | None, by: str | None, act: str, **arguments: Any
) -> dict[str, Any]:
    with server_packages():
        from terrarium.server.operation.control import carry_out

    operator = by or os.environ.get("SUDO_USER") or getpass.getuser()
    return carry_out(_settings(data, database), act, operator, **arguments)


def _confirm(is_sure: bool, question: str) -> None:
    if not is_sure and not typer.confirm(question):
        raise TerrariumError("not-confirmed", "nothing was changed")


def _line(*parts: str) -> None:
    """Print one line of a list, without the control characters in players' texts: no text can move the cursor or start a line."""
    shown: Sequence[str] = [part for part in parts if part]
    print("  ".join("".join(c if c.isprintable() else " " for c in part) for part in shown))


def _day(at: int) -> str:
    return _moment(at)[:10]


def _moment(at: int) -> str:
    from terrarium.play.clocks import iso

    return iso(at)
