"""The program `terrarium`: one module per command, imported when the command is used.

To add a command, add an entry to `COMMANDS` with its module and its function (or Typer app).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from terrarium import __version__
from terrarium.errors import InvalidBoard, TerrariumError

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("terrarium.cli.play:play", "Play a game in the terminal."),
    "serve": ("terrarium.cli.serve:serve", "Serve the page, for one table or a whole club."),
    "site": ("terrarium.cli.site:site", "Build the page that needs no server."),
    "replay": (
        "terrarium.cli.replay:replay",
        "Step through a record, or turn it into JSON or a GIF.",
    ),
    "show": ("terrarium.cli.show:show", "Draw a position, a record's end or a board."),
    "board": ("terrarium.cli.board:app", "List, check, draw and make boards."),
    "engine": (
        "terrarium.cli.engine:engine",
        "Run a computer player over standard input and output.",
    ),
    "bot": ("terrarium.cli.bot:bot", "Let an engine play on a server."),
    "token": ("terrarium.cli.token:token", "Create a token for a bot, without a browser."),
    "arena": ("terrarium.cli.arena:arena", "Let computer players play matches."),
    "puzzles": ("terrarium.cli.puzzles:app", "Make, check and count puzzles."),
    "openings": ("terrarium.cli.openings:app", "Make a book of openings."),
    "perft": (
        "terrarium.cli.perft:perft",
        "Count sequences of actions, to check and time the rules.",
    ),
    "bench": ("terrarium.cli.bench:bench", "Measure the speed of the rules on this machine."),
    "worker": ("terrarium.cli.worker:worker", "Compute turns for a server on another machine."),
    "backup": ("terrarium.cli.backup:backup", "Save everything a server stores into one file."),
    "restore": ("terrarium.cli.backup:restore", "Put a backup back, or one of its games."),
    "check": ("terrarium.cli.backup:check", "Check every game a server stores."),
    "admin": ("terrarium.cli.admin:app", "Manage people, games, invites and reports of a server."),
}
"""Each command's function, as `module:function`, and its line in the help."""


class _Commands(TyperGroup):
    """The commands of the program; imports only the one that is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            raise typer.BadParameter(f"{cmd_name!r:.60}: the commands are {', '.join(COMMANDS)}")
        if self.is_listing:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1], callback=lambda: None)
        return load(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        # The program's help needs only the name and one line of each command, so no command is imported.
        self.is_listing = True
        super().format_help(ctx, formatter)
        self.is_listing = False

    is_listing = False


def load(name: str) -> Any:
    """The Click command of this name."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode="rich")
        app.command(name=name)(found)
        found = app
    command = typer.main.get_command(found)
    command.name = name
    return command


def _version(asked: bool) -> None:
    if asked:
        print(f"terrarium {__version__}")
        raise typer.Exit


def _program() -> Any:
    app = typer.Typer(
        cls=_Commands, add_completion=False, no_args_is_help=False, rich_markup_mode="rich"
    )

    @app.callback(invoke_without_command=True)
    def terrarium(
        context: typer.Context,
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ) -> None:
        """Terra Nova and Terra Turrium: play, replay, draw, measure."""
        if context.invoked_subcommand is None:
            print(context.get_help())

    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 success, 1 a check failed, 2 the command can't be carried out."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = _program().main(args=words, prog_name="terrarium", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        # The reader closed the pipe. Without this, Python would fail when it flushes the buffer at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        message = explanation(error)
        if message is None:
            raise
        print(f"terrarium: {message}", file=sys.stderr)
        return 2


def explanation(error: Exception) -> str | None:
    """One line that says what is wrong and what would be right; None for a bug in this program."""
    if isinstance(error, InvalidBoard) and len(error.problems) > 1:
        return f"{error}; `terrarium board check` lists them all"
    if isinstance(error, TerrariumError):
        return _one_line(str(error))
    if isinstance(error, UnicodeError):
        return f"{error.reason}: the text must be UTF-8" if hasattr(error, "reason") else str(error)
    if isinstance(error, OSError):
        return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
    if hasattr(error, "format_message"):  # Typer's errors about arguments
        context = getattr(error, "ctx", None)
        asked = f" (see `{context.command_path} --help`)" if context is not None else ""
        return _one_line(_refused(error)) + asked
    return None


def _refused(error: Any) -> str:
    """Typer's message; adds the word that was typed where Typer leaves it out."""
    message = str(error.format_message())
    details = getattr(error.__cause__, "errors", None)
    if details is None:
        return message
    reason = details()[0]
    wanted = reason["msg"].partition(", unable to parse")[0]
    right = wanted.replace("Input should be", "must be").replace(
        "a valid integer", "a whole number"
    )
    return message.replace(reason["msg"], f"{reason['input']!r:.60}: {right}")


def _one_line(text: str) -> str:
    return " ".join(text.split())
