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
    """A cell of the generic board: its name, its place (x to the right, y down) and its content."""

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
    """The cheapest way for a piece to reach a cell within a turn: the actions, and the points they cost in total."""

    target: str
    actions: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice for a beginner in a position: a code that interfaces translate, the rule to read, recommended cells and facts."""

    code: str
    rule: str
    cells: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """The search parameters of one level of the engine.

    `nodes` limits the positions searched in a turn; with None only the caller's limit applies. `blur` is the spread, in
    win share, within which turns look equally good to this level: it chooses among them at random, and never plays one that
    it considers bad. `width` is the number of unfinished turns that its beam search keeps. `attention`
    is the fraction of its turns in which it checks for decisive turns: a closing, a win, a rival's win to stop. `regard`
    is how long it considers its rivals' progress, as a fraction of the rounds in which level 8 does: with 0 only its own counts.
    In positions with at most `exact` legal actions it tries every action of the next turns, to prove a win. `is_tuned` if it uses the weights
    that win most games; the lower levels keep weights that make them weaker.
    """

    nodes: int | None
    blur: float
    width: int
    attention: float = 1.0
    regard: float = 1.0
    exact: int = 0
    is_tuned: bool = False


@dataclass(frozen=True, eq=False)
class Game:
    """One game: its facts, and functions that make its positions, rules and boards.

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
    """The module whose `brain(position)` returns the engine's evaluation, and `tuned_weights(players, network)` the weights of levels with `is_tuned`, with a neural network or without."""
    wins: str = ""
    """The module whose `winning_turn(position)` returns a turn that wins at once, or None; empty for a game that has no such search."""
    opening_actions: int = 2
    """How many random actions per seat begin a game of a match, so that games differ."""
    explored_turns: int = 40
    """How many turns of a finished game are counted as its opening."""
    explored_singly: tuple[str, ...] = ()
    """Phases that place pieces one by one: there the opening book counts each action instead of the whole turn."""
    early_turns: int = 10
    """Computers decline draws until each seat has had this many turns."""
    top_nodes: int = 20_000
    """Positions per turn for the highest level in the arena's ladder; the level itself sets no limit."""
    puzzle_nodes: int = 40_000
    """Positions per search when looking for puzzles: about a second."""
    least_gain: float = math.inf
    """The smallest immediate gain (`gain`) of a turn for which the goal of a puzzle is that gain."""
    novice: str = "terrarium.core.novice"
    """The module whose `turn(position, random)` returns a beginner's turn, for the arena's player `novice`."""
    rates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Ratios for statistics, each of two numbers of `tally`: over many games, the sum of the first divided by the sum of the second."""
    openspiel: str = ""
    """The short name in OpenSpiel; empty for a game that has no planes to observe."""
    drawing: str = "terrarium.core.cells"
    """The module that draws pictures: `draw(position, last=(), theme="light")` and `animate`."""
    views: tuple[str, ...] = ()
    """The views that pictures can be drawn in, where there is a choice."""
    terminal: str = "terrarium.core.terminal"
    """The module that shows positions in a terminal: picture, status, details, event_text, DETAILS and REASONS."""
    panel: tuple[str, ...] = ()
    """Names of lists in `position.view()` that a generic panel shows; each has a value for every seat."""
    layout_kind: str = "cells"
    """Which kind of board an interface draws; `cells` is the generic one, from `layout`."""

    @property
    def module(self) -> ModuleType:
        """The package with the game's own types."""
        return import_module(self.package)

    @property
    def draw(self) -> Any:
        """The module that draws pictures, imported on first use."""
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
        """The opening book, from games of the engine against itself: turns by the key of their position; empty for a game without a book."""
        return read_openings(self.package)

    @property
    def has_boards(self) -> bool:
        """Whether the game has boards to choose from."""
        return len(self.boards) > 0

    def rules(self, /, **options: Any) -> Any:
        """The rules with these options; raises InvalidRules that names the wrong one."""
        return self.module.Rules.from_dict(options)

    def start(self, /, *, board: Any = None, **options: Any) -> Position:
        """The first position of a game with these options; `board` is a board or the name of a built-in one, if the game has boards."""
        return self.begin(self.rules(**options), board)

    def begin(self, rules: Any, board: Any = None) -> Position:
        """The first position with these rules; `board` as for `start`."""
        if board is None:
            return cast(Position, self.module.start(rules))
        found = self.board(board) if isinstance(board, str) or not self.has_boards else board
        return cast(Position, self.module.start(rules, found))

    def position(self, text: str, board: Any = None) -> Position:
        """The position that a text describes; `board` is the same board with its labels, which the text does not contain."""
        labelled = () if board is None else (board,)
        return cast(Position, self.module.Position.from_text(text, *labelled))

    def compose(self, rules: Any, board: Any, setup: Mapping[str, Any]) -> Position:
        """The position with the pieces and numbers of `setup`, which are the other arguments of the game's own `compose`.

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
        """The built-in board of this name; if there is none, raises InvalidBoard that lists the names."""
        if not self.has_boards:
            raise InvalidBoard("no-boards", f"{name!r:.80}: {self.title} is played without boards")
        if not isinstance(name, str) or name not in self.boards:
            message = f"{name!r:.60}: the built-in boards are {', '.join(self.boards)}"
            raise InvalidBoard("no-such-board", message)
        return self.boards[name]

    def board_from_data(self, data: Mapping[str, Any]) -> Any:
        """The board from the data of `board_data`; for a built-in board, the same object."""
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
        """How fair a board is, as interfaces receive it; None if the game does not measure it."""
        return None

    def colours(self, rules: Any) -> tuple[str, ...]:
        """The colour of each seat, in seat order."""
        return self.seat_colours[: rules.players]

    def reach(self, position: Any) -> dict[str, list[Way]]:
        """The cells that pieces can reach in the rest of the turn, by the piece's cell; empty for games that move with one action."""
        return {}

    def previews(self, position: Any) -> dict[str, list[Event]]:
        """The additional effects of legal actions, by their text; an action without any is left out.

        It is called after every action of a player, so it must be fast: a millisecond or two on any board.
        """
        return {}

    def advice(self, position: Any) -> Advice | None:
        """Advice for a beginner in this position; None if there is none."""
        return None

    def reasons(self, better: Course, other: Course) -> list[Reason]:
        """Why one line is better than another from the same position: differences with weights."""
        return win_reasons(better, other)

    def has_won(self, position: Any, seat: int) -> bool:
        """Whether the seat's win is certain by the rules, even if others still have a turn."""
        return position.outcome is not None and tuple(position.outcome.winners) == (seat,)

    def is_threatened(self, position: Any, seat: int) -> bool:
        """Whether a rival could win at once if it had the turn; False for a game without `wins`."""
        if not self.wins or position.outcome is not None:
            return False
        winning_turn = import_module(self.wins).winning_turn
        for rival in range(position.players):
            if rival == seat or rival in position.resigned or self.has_won(position, rival):
                continue
            at = position if position.to_move == rival else self.imagine(position, rival)
            if at is not None and winning_turn(at) is not None:
                return True
        return False

    def gain(self, before: Any, after: Any, seat: int) -> float:
        """The immediate gain of a turn for the seat, compared with its best rival; 0 for games that count no points."""
        return 0.0

    def themes(self, line: Course, nothing: Course | None) -> tuple[str, ...]:
        """The themes of a puzzle whose solution is the first turn of `line`; empty if the game recognises none.

        The line continues until the seat's next turn is over. In `nothing` the seat does nothing and its rivals play.
        """
        return ()

    def edition_of(self, rules: Any) -> str:
        """The option that names the rule book or variant, with its value, such as `edition.fr`; empty if there is only one."""
        return ""

    def tally(
        self, position: Any, events: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Sequence[float]]:
        """Statistics of a finished game from its last position and its events; each has a value for every seat."""
        return {}

    def imagine(self, position: Any, seat: int) -> Any:
        """The position with another seat to move, for planning a turn; None if there is no such position."""
        return None

    def layout(self, position: Any) -> list[Cell]:
        """The cells with their content, for the generic board."""
        return []

    def actions_to_come(self, position: Any) -> int:
        """Roughly how many actions of the turn are left; the time for the turn is divided by this."""
        return 1

    def longest(self, rules: Any) -> int:
        """An upper bound on the number of actions in a game."""
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
        """Where to import each game from: `module:attribute`."""
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
        from importlib.metadata import entry_points  # imported here, because the import is slow

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
        """Load the games of other packages; leave out those that fail, so that the rest still work."""
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

    For every process, workers included, a package adds its games through the entry point group `terrarium.games`.
    """
    GAMES.add(game)
