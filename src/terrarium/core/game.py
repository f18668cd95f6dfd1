"""What a game supplies, and the table of all games by name.

Everything in which games differ is reached through `Game`. Code outside a game's package never tests which game it
has; it calls the methods of `Game`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any, cast

from terrarium.core.characters import CHARACTERS, Character
from terrarium.core.event import Event
from terrarium.core.opening import TurnCount, read_openings
from terrarium.core.position import Position
from terrarium.core.puzzle import Puzzle, read_puzzles
from terrarium.core.reason import Course, Reason, win_reasons
from terrarium.errors import InvalidBoard, InvalidPosition

__all__ = ["GAMES", "Advice", "Cell", "Game", "Look", "Way", "register"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell for a board that draws any game: its name, its place (x to the right, y down) and what it holds."""

    name: str
    x: float
    y: float
    text: str = ""
    seat: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The cell as interfaces receive it."""
        return {"name": self.name, "x": self.x, "y": self.y, "text": self.text, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Way:
    """The cheapest way of a piece to a cell within a turn: its actions, and the points they cost together."""

    target: str
    actions: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Advice:
    """What a beginner should know now: a code that interfaces phrase, the rule to read, cells that are good and facts."""

    code: str
    rule: str
    cells: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """How one level of the engine looks at a game.

    `nodes` bounds the positions looked at in a turn; None leaves that to the caller's limit. `blur` is the spread, in
    win share, within which turns look equally good to this player: it chooses among them as a person would among
    plausible turns, never one that looks bad to it. `width` is how many unfinished turns it keeps in mind. `attention`
    is the fraction of its turns in which it checks for decisive turns: a closing, a win, a rival's win to stop. `regard`
    is how much it considers its rivals' progress: 0 counts only its own, 1 weighs theirs fully against it.
    """

    nodes: int | None
    blur: float
    width: int
    attention: float = 1.0
    regard: float = 1.0


@dataclass(frozen=True, eq=False)
class Game:
    """One game: its facts, and how positions, rules and boards of it are made.

    A game is a value of this class, or of a subclass where a method has to answer differently. `position.game` is the
    same object as `terrarium.games[name]`.

    >>> from terrarium import games
    >>> games["nova"].start(players=4, edition="sv").players
    4
    """

    name: str
    title: str
    package: str
    """The package with the game's own types: Rules, Position, start, rollouts, NUM_ACTIONS, RULES_VERSION."""
    min_players: int = 2
    max_players: int = 4
    marks: Mapping[str, str] = field(default_factory=dict)
    """How each kind of action is written: `@` before the target, or between source and target where it has both.

    An empty mark means that the kind itself is the text, as in `end`. Spaces and the characters that records use for
    something else, `[ ] { } ( ) ; $ ! ? * "`, can't be marks.
    """
    phases: tuple[str, ...] = ("play", "over")
    """What `position.phase` can be."""
    seat_colours: tuple[str, ...] = ("red", "blue", "green", "yellow")
    boards: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The built-in boards by name, the usual one first; empty for a game without boards."""
    levels: tuple[Look, ...] = ()
    """How the engine's levels look at this game, the lowest first; empty where the engine can't play it."""
    characters: tuple[Character, ...] = field(default=CHARACTERS, repr=False)
    """The computer players by name; a game may bring its own."""
    brain: str = ""
    """The module whose `brain(position)` gives the engine's evaluation."""
    opening_actions: int = 2
    """How many random actions per seat begin a game of a match, so that games differ."""
    explored_turns: int = 40
    """How many turns of a finished game are counted as its opening."""
    explored_singly: tuple[str, ...] = ()
    """The phases in whose openings each action counts, not the whole turn: those that place pieces one by one."""
    early_turns: int = 10
    """Turns of each seat before which computers agree to no draw."""
    top_nodes: int = 20_000
    """Positions a turn for the highest level on the ladder, which has no limit of its own."""
    puzzle_nodes: int = 40_000
    """Positions of a search that takes about a second, for finding puzzles."""
    least_gain: float = math.inf
    """What a turn must bring at once (`gain`) to make that the goal of a puzzle."""
    novice: str = "terrarium.core.novice"
    """The module whose `turn(position, random)` is a beginner's turn, for the arena's player `novice`."""
    rates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Quotients for statistics, each of two numbers of `tally`: over many games, the sum of the one by the sum of the other."""
    openspiel: str = ""
    """The short name in OpenSpiel; empty for a game that has no planes to observe."""
    drawing: str = "terrarium.core.cells"
    """The module that draws pictures: `draw(position, last=(), theme="light")` and `animate`."""
    views: tuple[str, ...] = ()
    """The views that pictures can be drawn in, where there is a choice."""
    terminal: str = "terrarium.core.terminal"
    """The module that shows positions in a terminal: picture, status, details, told, DETAILS and REASONS."""
    panel: tuple[str, ...] = ()
    """The lists in `position.view()`, a value for each seat, that a generic panel shows."""
    layout_kind: str = "cells"
    """Which kind of board an interface draws; `cells` is the generic one, from `layout`."""

    @property
    def module(self) -> ModuleType:
        """The package with the game's own types."""
        return import_module(self.package)

    @property
    def draw(self) -> Any:
        """The module that draws pictures; imported when it is first asked for."""
        return import_module(self.drawing)

    @property
    def num_actions(self) -> int:
        """Every action's id, on any board of this game, is below this; `position.num_actions` is exact."""
        return cast(int, self.module.NUM_ACTIONS)

    @property
    def rules_version(self) -> int:
        """Rises when the behaviour of the rules changes, never for speed."""
        return cast(int, self.module.RULES_VERSION)

    @property
    def puzzles(self) -> Mapping[str, Puzzle]:
        """The game's puzzles by id; empty for a game without puzzles."""
        return read_puzzles(self.package)

    @property
    def openings(self) -> Mapping[str, tuple[TurnCount, ...]]:
        """What was played in games of the engine against itself, by the key of the position; empty for a game without a book."""
        return read_openings(self.package)

    @property
    def has_boards(self) -> bool:
        """Whether the game is played on boards that are data."""
        return len(self.boards) > 0

    def rules(self, /, **options: Any) -> Any:
        """The rules with these options; InvalidRules names what is wrong."""
        return self.module.Rules.from_dict(options)

    def start(self, /, *, board: Any = None, **options: Any) -> Position:
        """The first position of a game with these options; `board`, where the game has boards, or the name of a built-in one."""
        return self.begin(self.rules(**options), board)

    def begin(self, rules: Any, board: Any = None) -> Position:
        """The first position with these rules; `board` as for `start`."""
        if board is None:
            return cast(Position, self.module.start(rules))
        found = self.board(board) if isinstance(board, str) or not self.has_boards else board
        return cast(Position, self.module.start(rules, found))

    def position(self, text: str, board: Any = None) -> Position:
        """The position that a text describes; `board` is its board with the labels that the text does not hold."""
        labelled = () if board is None else (board,)
        return cast(Position, self.module.Position.from_text(text, *labelled))

    def compose(self, rules: Any, board: Any, setup: Mapping[str, Any]) -> Position:
        """The position with the pieces and numbers of `setup`: the other arguments of the game's own `compose`.

        >>> from terrarium import games
        >>> setup = {"heights": {"c3": 2, "c4": 1}, "flags": {"c3": 0}}
        >>> games["turrium"].compose(games["turrium"].rules(players=4), None, setup).heights
        {'c3': 2, 'c4': 1}
        """
        compose = getattr(self.module, "compose", None)
        if compose is None:
            raise InvalidPosition("no-setup", f"{self.title}: positions can't be set up by pieces")
        names = signature(compose).parameters.keys() - {"rules", "board"}
        if unknown := sorted(setup.keys() - names):
            message = f"{unknown[0]!r:.40}: a setup has {', '.join(sorted(names))}"
            raise InvalidPosition("unknown-setup", message)
        where = () if board is None else (board,)
        return cast(Position, compose(rules, *where, **setup))

    def board(self, name: Any) -> Any:
        """The built-in board of this name; InvalidBoard says which there are."""
        if not self.has_boards:
            raise InvalidBoard("no-boards", f"{name!r:.80}: {self.title} is played without boards")
        if not isinstance(name, str) or name not in self.boards:
            message = f"{name!r:.60}: the built-in boards are {', '.join(self.boards)}"
            raise InvalidBoard("no-such-board", message)
        return self.boards[name]

    def board_from_data(self, data: Mapping[str, Any]) -> Any:
        """The board that `board_data` described; a built-in one is that very object."""
        if not self.has_boards:
            raise InvalidBoard("no-boards", f"{self.title} is played without boards")
        name = data.get("name", "mine")
        found = self.module.Board.parse(
            data["map"],
            name=name,
            landscapes=data.get("landscapes") or {},
            author=data.get("author", ""),
            note=data.get("note", ""),
        )
        return self.boards[name] if self.boards.get(name) == found else found

    def board_data(self, board: Any) -> dict[str, Any]:
        """Everything a board is made of, ready for JSON: name, map, landscapes, author and note."""
        return {
            "name": board.name,
            "map": board.map,
            "landscapes": dict(board.landscapes),
            "author": board.author,
            "note": board.note,
        }

    def new_board(self, seed: int, cells: int, landscapes: int) -> Any:
        """A new board of that size; the same seed gives the same board."""
        raise InvalidBoard("no-boards", f"{self.title} makes no new boards")

    def fairness(self, board: Any) -> dict[str, Any] | None:
        """How fair a board is, as interfaces receive it; None where the game does not measure that."""
        return None

    def colours(self, rules: Any) -> tuple[str, ...]:
        """The colour of each seat, in seat order."""
        return self.seat_colours[: rules.players]

    def reach(self, position: Any) -> dict[str, list[Way]]:
        """Where pieces can go within the rest of the turn, by the cell they stand on; empty where that is one action."""
        return {}

    def previews(self, position: Any) -> dict[str, list[Event]]:
        """The further effects of legal actions, by their text; an action without any is left out.

        It is called after every action of a player, so it must be fast: a millisecond or two on any board.
        """
        return {}

    def advice(self, position: Any) -> Advice | None:
        """What a beginner should know in this position; None where there is nothing to say."""
        return None

    def reasons(self, better: Course, other: Course) -> list[Reason]:
        """The differences between the better of two lines from one position and the other, with weights; lines are played out."""
        return win_reasons(better, other)

    def has_won(self, position: Any, seat: int) -> bool:
        """Whether the seat's win is certain by the rules, even if others still have a turn."""
        return position.outcome is not None and tuple(position.outcome.winners) == (seat,)

    def gain(self, before: Any, after: Any, seat: int) -> float:
        """What a turn brings the seat at once, compared with its best rival; 0 where turns bring nothing that can be counted."""
        return 0.0

    def themes(self, line: Course, nothing: Course | None) -> tuple[str, ...]:
        """What a puzzle is about whose solution is the first turn of a line; empty where the game recognises nothing.

        The line continues until the seat's next turn is over. `nothing` is what rivals do if the seat does nothing.
        """
        return ()

    def edition_of(self, rules: Any) -> str:
        """The option that names the rule book or variant, with its value, such as `edition.fr`; empty where there is only one."""
        return ""

    def tally(
        self, position: Any, events: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Sequence[float]]:
        """Numbers of a finished game for statistics, each with a value for every seat, from its last position and its events."""
        return {}

    def imagine(self, position: Any, seat: int) -> Any:
        """The position with another seat to move, for planning a turn; None if there is no such position."""
        return None

    def layout(self, position: Any) -> list[Cell]:
        """The cells with what they hold, for a board that draws any game."""
        return []

    def actions_to_come(self, position: Any) -> int:
        """About how many actions the turn may still take, for sharing out its time."""
        return 1

    def longest(self, rules: Any) -> int:
        """A bound on how many actions a game has."""
        return 10_000_000

    def describe(self) -> dict[str, Any]:
        """The game as interfaces receive it."""
        seats = range(self.min_players, self.max_players + 1)
        return {
            "name": self.name,
            "title": self.title,
            "players": list(seats),
            "rules_version": self.rules_version,
            "options": [option.to_dict() for option in self.module.Rules.options()],
            "colours": {str(n): list(self.colours(self.rules(players=n))) for n in seats},
            "boards": [{"name": name} for name in self.boards],
            "editions": {},
            "variants": [],
            "levels": list(range(1, len(self.levels) + 1)),
            "characters": [
                asdict(character)
                for character in self.characters
                if character.level <= len(self.levels)
            ],
            "marks": dict(self.marks),
            "phases": list(self.phases),
            "panel": list(self.panel),
            "layout": self.layout_kind,
            "views": list(self.views),
        }


_ENTRY_POINTS = "terrarium.games"
_logger = logging.getLogger("terrarium.games")


class _Games(Mapping[str, Game]):
    """The games by name. A game is imported on first use; other packages are searched only for a name that is not built in."""

    def __init__(self, **places: str) -> None:
        self._places = places
        """Where each game is: `module:attribute`."""
        self._games: dict[str, Game] = {}
        self._is_searched = False
        self._untried: set[str] = set()

    def add(self, game: Game) -> None:
        known = self._games.get(game.name)
        if (known is not None and known is not game) or (known is None and game.name in self):
            raise ValueError(f"{game.name!r}: a game of this name is registered already")
        self._games[game.name] = game
        self._places[game.name] = ""

    def _search(self) -> None:
        if self._is_searched:
            return
        from importlib.metadata import entry_points  # imported here, because it takes long

        self._is_searched = True
        for point in entry_points(group=_ENTRY_POINTS):
            if point.name not in self._places:
                self._places[point.name] = point.value
                self._untried.add(point.name)

    def __getitem__(self, name: str) -> Game:
        found = self._games.get(name)
        if found is not None:
            return found
        if name not in self._places:
            self._search()
        module, _, attribute = self._places[name].partition(":")
        game = getattr(import_module(module), attribute)
        if not isinstance(game, Game) or game.name != name:
            raise TypeError(f"{module}:{attribute} is not a Game named {name!r}")
        return self._games.setdefault(name, game)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._places:
            self._search()
        if name in self._untried:
            self._try_out()
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        self._search()
        self._try_out()
        return iter(tuple(self._places))

    def _try_out(self) -> None:
        """Leave out games of other packages that can't be loaded, so that the rest still work."""
        for name in self._untried - self._games.keys():
            try:
                self[name].describe()
            except Exception as error:
                place = self._places.pop(name)
                self._games.pop(name, None)
                _logger.warning(
                    "the game %r of %s is left out: %s: %s",
                    name,
                    place,
                    type(error).__name__,
                    error,
                )
        self._untried.clear()

    def __len__(self) -> int:
        self._search()
        self._try_out()
        return len(self._places)

    def mark(self, kind: str) -> str | None:
        """The mark of a kind of action in the first game that has one."""
        return next((game.marks[kind] for game in self.values() if kind in game.marks), None)


GAMES = _Games(nova="terrarium.nova.game:GAME", turrium="terrarium.turrium.game:GAME")


def register(game: Game) -> None:
    """Add a game in this process.

    A package adds its games for every process, workers included, by the entry point group `terrarium.games`.
    """
    GAMES.add(game)
