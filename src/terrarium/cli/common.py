"""Helpers of several commands: games, rules, boards and positions from arguments; consoles and progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from terrarium.core.game import GAMES, Game
from terrarium.core.position import Position
from terrarium.errors import InvalidBoard, TerrariumError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["BoardName", "GameName", "OptionWords", "Players", "PositionText", "Seed"]

GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game by its name, such as nova.", show_default=False),
]
Players = Annotated[
    int | None, typer.Option("--players", "-n", metavar="N", help="How many seats.")
]
Edition = Annotated[
    str | None,
    typer.Option("--edition", metavar="NAME", help="The rule book: fr, nl, sv or en (Terra Nova)."),
]
OptionWords = Annotated[
    list[str] | None,
    typer.Option(
        "--option", "-o", metavar="NAME=VALUE", help="Any option of the rules; may be repeated."
    ),
]
BoardName = Annotated[
    str | None,
    typer.Option(
        "--board", "-b", metavar="NAME|FILE", help="A board (Terra Nova): its name or file."
    ),
]
PositionText = Annotated[
    str | None, typer.Option("--position", "-p", metavar="TEXT", help="Start from this position.")
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="The same number gives the same run.")
]
Theme = Annotated[str, typer.Option("--theme", metavar="NAME", help="light or dark.")]

T = TypeVar("T")


@contextmanager
def server_packages() -> Iterator[None]:
    """A context for imports from `terrarium.server`; its error says what to install when a package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "terrarium":
            raise
        message = (
            f"this command needs the packages of the server ({error.name} is missing);"
            " install them with: pip install 'terrarium-games[server]'"
        )
        raise TerrariumError("server-not-installed", message) from error


class Commands(TyperGroup):
    """A group of commands; its error for an unknown command lists the known ones."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is None:
            there = ", ".join(self.list_commands(ctx))
            raise bad(f"{cmd_name!r:.60}: the commands of {ctx.command_path} are {there}")
        return found


def bad(message: str, option: str | None = None) -> typer.BadParameter:
    """The error for a bad argument; the message says what is wrong and what would be right."""
    return typer.BadParameter(message, param_hint=option)


def game_named(name: str, option: str = "GAME") -> Game:
    """The game of this name."""
    if name not in GAMES:
        raise bad(f"{name!r:.60}: no such game; there are {' and '.join(GAMES)}", option)
    return GAMES[name]


def options_from(
    game: Game, players: int | None, edition: str | None, words: Sequence[str] | None
) -> dict[str, Any]:
    """The options of the rules from the arguments of a command."""
    kinds = {option.name: option for option in game.module.Rules.options()}
    options: dict[str, Any] = {}
    pairs = [word.partition("=") for word in words or ()]
    if players is not None:
        pairs.insert(0, ("players", "=", str(players)))
    if edition is not None:
        pairs.insert(0, ("edition", "=", edition))
    for name, equals, value in pairs:
        name = name.replace("-", "_")
        if name not in kinds:
            raise bad(f"{name!r:.60}: {game.title} has the options {', '.join(kinds)}", "--option")
        if not equals:
            raise bad(f"{name}: give it a value, as in {_example(kinds[name])}", "--option")
        options[name] = _value(kinds[name], value)
    return options


def _example(option: Any) -> str:
    value = option.choices[0] if option.choices else option.default
    return f"{option.name}={'no' if option.kind == 'flag' else value}"


def _value(option: Any, text: str) -> Any:
    """The value of an option from a word; `Rules` later checks whether the value is allowed."""
    if option.kind == "flag":
        flags = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if text.lower() not in flags:
            raise bad(f"{option.name}={text:.40}: must be yes or no", "--option")
        return flags[text.lower()]
    for choice in option.choices:
        if str(choice) == text:
            return choice
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(text) < 12:
        return int(text)
    if option.kind == "number":
        wanted = f"a whole number from {option.minimum} to {option.maximum}"
        raise bad(f"{option.name}={text:.40}: must be {wanted}", "--option")
    return text


def board_named(game: Game, name: str | None) -> Any:
    """The board of this name or in this file; None for the game's default board."""
    if name is None:
        return None
    if game.has_boards and name not in game.boards:
        if os.path.exists(name):
            return board_in_file(game, Path(name))
        there = ", ".join(game.boards)
        raise bad(f"{name!r:.80}: no such file, and the built-in boards are {there}", "--board")
    return game.board(name)


def board_in_file(game: Game, path: Path) -> Any:
    """The board in a file: TOML, or a bare map."""
    problems = import_module(f"{game.module.__name__}.board").check_file(path)
    if problems:
        message = f"{path}: {problems[0]}"
        raise InvalidBoard(problems[0].code, message, problems=tuple(problems))
    board = game.module.Board
    if path.suffix.lower() == ".toml":
        return board.load(path)
    return board.parse(path.read_text("utf-8-sig"), name=path.stem[:64])


def start_position(
    game: Game,
    players: int | None,
    edition: str | None,
    words: Sequence[str] | None,
    board: str | None,
    position: str | None,
) -> Position:
    """The position that the arguments describe."""
    if position is not None:
        if players is not None or edition is not None or words or board is not None:
            raise bad("a position already includes its rules and its board", "--position")
        return game.position(position)
    options = options_from(game, players, edition, words)
    return game.start(board=board_named(game, board), **options)


def console(**settings: Any) -> Console:
    """Standard output, in colour where the terminal supports it."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False, **settings)


def has_colour(output: Console) -> bool:
    """Whether the terminal shows enough background colours: false with NO_COLOR and with only sixteen colours."""
    return output.color_system in ("256", "truecolor") and not output.no_color


def tracked(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar on standard error if that is a terminal and they take longer than half a second."""
    if not sys.stderr.isatty():
        yield from items
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import Progress

    known = total if total is not None else len(items) if isinstance(items, Sequence) else None
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=known)
    # The first item may take long, so a timer starts the bar; the kernel releases the GIL, so the timer's thread runs.
    timer = Timer(0.5, bar.start)
    timer.daemon = True
    timer.start()
    try:
        for item in items:
            yield item
            bar.advance(task)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


def write_file(path: Path, data: bytes | str) -> None:
    """Write a file (`-`: standard output); an interruption leaves the old file unchanged."""
    raw = data.encode() if isinstance(data, str) else data
    if str(path) == "-":
        sys.stdout.buffer.write(raw)
        return
    if path.is_dir():
        raise IsADirectoryError(21, "is a folder; name a file in it", str(path))
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(2, f"there is no folder {path.absolute().parent}", str(path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(raw)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
