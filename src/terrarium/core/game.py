"""The games there are, by name, for code that serves all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from terrarium.core.position import Position
from terrarium.errors import InvalidBoard

__all__ = ["GAMES", "Game"]


@dataclass(frozen=True)
class Game:
    """One game of the house: its name, its seats and how a position of it is made.

    >>> from terrarium import games
    >>> games["nova"].start(players=4, edition="sv").players
    4
    """

    name: str
    title: str
    min_players: int = 2
    max_players: int = 4

    @property
    def module(self) -> ModuleType:
        """The package with the game's own types: Rules, Position, start, compose."""
        return import_module(f"terrarium.{self.name}")

    @property
    def num_actions(self) -> int:
        """Every action's id, on any board of this game, is below this; `position.num_actions` is exact."""
        return cast(int, self.module.NUM_ACTIONS)

    @property
    def rules_version(self) -> int:
        """Rises when the behaviour of the rules changes, never for speed."""
        return cast(int, self.module.RULES_VERSION)

    @property
    def has_boards(self) -> bool:
        """Whether the game is played on boards that are data."""
        return hasattr(self.module, "BOARDS")

    def rules(self, /, **options: Any) -> Any:
        """The rules with these options; InvalidRules names what is wrong."""
        return self.module.Rules.from_dict(options)

    def start(self, /, *, board: Any = None, **options: Any) -> Position:
        """The first position of a game with these options; `board`, where the game has boards, or the name of a built-in one."""
        rules = self.rules(**options)
        if board is None:
            return cast(Position, self.module.start(rules))
        if not self.has_boards:
            raise InvalidBoard("no-boards", f"{board!r:.80}: {self.title} is played without boards")
        if isinstance(board, str):
            boards = self.module.BOARDS
            if board not in boards:
                message = f"{board!r:.60}: the built-in boards are {', '.join(boards)}"
                raise InvalidBoard("no-such-board", message)
            board = boards[board]
        return cast(Position, self.module.start(rules, board))

    def position(self, text: str) -> Position:
        """The position that a text describes."""
        return cast(Position, self.module.Position.from_text(text))


class _Games(Mapping[str, Game]):
    """A read-only table that imports a game's code only when it is used."""

    def __init__(self, *games: Game) -> None:
        self._games = {game.name: game for game in games}

    def __getitem__(self, name: str) -> Game:
        return self._games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES: Mapping[str, Game] = _Games(Game("nova", "Terra Nova"), Game("turrium", "Terra Turrium"))
