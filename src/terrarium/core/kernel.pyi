from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from terrarium.core.action import Action
from terrarium.core.event import Event
from terrarium.core.game import Game
from terrarium.errors import IllegalAction

@dataclass(frozen=True, slots=True)
class Rollouts:
    """Totals of a number of random games."""

    games: int
    actions: int
    shares: tuple[float, ...]
    points: tuple[int, ...]
    scored: int
    def __add__(self, other: Rollouts) -> Rollouts: ...

class Kernel:
    """The fixed facts of one game in C form; shared by all its positions."""

    rules: Any
    brains: Any
    def action(self, id: int) -> Action:
        """The action with this id."""
    def make_action(self, id: int) -> Action:
        """Build the action with this id; each game has its own numbering."""
    def notation(self, text: str) -> Action:
        """The action that a text describes, without an id; raises InvalidAction if it isn't one."""
    def action_id(self, action: Action) -> int:
        """The id of an action on this board; raises InvalidAction if the board has no such action."""

class KernelPosition:
    """A position as a value: a state block and its kernel."""

    @property
    def kernel(self) -> Kernel: ...
    @property
    def game(self) -> Game:
        """The game in `terrarium.games` that this is a position of."""
    @property
    def rules(self) -> Any:
        """The options this game is played with."""
    @property
    def players(self) -> int:
        """How many seats there are."""
    @property
    def num_actions(self) -> int:
        """Every action's id here is below this."""
    @property
    def to_move(self) -> int | None:
        """The seat to move; None when the game is over."""
    @property
    def at_turn_start(self) -> bool:
        """Whether nothing has been done in the present turn yet."""
    @property
    def key(self) -> int:
        """A 64-bit key that equal positions share."""
    def legal_ids(self) -> list[int]:
        """The ids of all legal actions in ascending order; empty only when the game is over."""
    def legal_actions(self) -> list[Action]:
        """All legal actions, in the order of their ids; empty only when the game is over."""
    def is_legal(self, action: Action | str | int) -> bool:
        """Whether `play` would accept this action, text or id."""
    def action(self, id: int) -> Action:
        """The action with this id on this board."""
    def parse(self, text: str) -> Action:
        """The action that a text means on this board, legal or not."""
    def resolve(self, action: Action | str | int) -> int:
        """The id of an action given as Action, text or id; raises InvalidAction if this board has no such action."""
    def play(self, action: Action | str | int) -> Self:
        """The position after an action, given as Action, text or id; raises IllegalAction with the reason if it isn't legal."""
    def play_all(self, actions: str | Iterable[Action | str | int]) -> Self:
        """The position after several actions; a text may hold several, separated by spaces."""
    def step(self, action: Action | str | int) -> tuple[Self, tuple[Event, ...]]:
        """The position after an action, and the events that describe it in order."""
    def step_all(
        self, actions: str | Iterable[Action | str | int]
    ) -> tuple[Self, tuple[tuple[Event, ...], ...]]:
        """The position after several actions, and the events of each of them."""
    def step_resignation(self, seat: int) -> tuple[Self, tuple[Event, ...]]:
        """The position after a seat resigned, and the events that describe it."""
    def described(self, id: int) -> tuple[Self, tuple[Event, ...]]:
        """The position after a legal action, and its events; implemented by each game."""
    def resign(self, seat: int) -> Self:
        """The position after a seat resigned."""
    def events(self, action: Action | str | int) -> tuple[Event, ...]:
        """The events of an action in order, with everything that follows automatically."""
    def resignation_events(self, seat: int) -> tuple[Event, ...]:
        """The events of a seat's resignation, in order."""
    def refusal(self, id: int) -> IllegalAction:
        """The IllegalAction that says why this action is not legal here."""
    def same_game(self, other: Self) -> bool:
        """Whether another position belongs to a game with the same rules (and board)."""
    def perft(self, depth: int) -> int:
        """How many sequences of `depth` actions there are; shorter ones that end the game do not count."""
    def rollouts(self, games: int = 1000, seed: int | None = None, threads: int = 1) -> Rollouts:
        """Totals of random games from here to the end; the kind of each action is drawn first. The GIL is released."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_svg_(self) -> str:
        """The position as SVG, as notebooks show it."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
