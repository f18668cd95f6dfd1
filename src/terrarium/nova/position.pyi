from typing import Any, Self

from terrarium.core.kernel import KernelPosition
from terrarium.core.outcome import Outcome
from terrarium.nova.board import Board
from terrarium.nova.kernel import NovaKernel
from terrarium.nova.region import Region
from terrarium.nova.rules import Rules
from terrarium.nova.text import Facts

def kernel_of(rules: Rules, board: Board) -> NovaKernel:
    """The prepared game with these rules on this board's map; labels change nothing in play."""

class Position(KernelPosition):
    """A position of Terra Nova, immutable: `play` and `resign` give a new one.

    Positions are equal when rules, map and pieces are, the turn is at the same stage, the return rule and
    the placing of stones (TN-12, TN-13) see the same pioneers as moved, and the stall counts the same (TN-27).
    The labels of the board, such as its name, do not matter.
    """

    @property
    def rules(self) -> Rules:
        """The options this game is played with."""
    @property
    def board(self) -> Board:
        """The board it is played on."""
    @property
    def phase(self) -> str:
        """`place` until all pioneers are placed, then `play`, at the end `over`."""
    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each seat."""
    @property
    def supply(self) -> int:
        """How many stones are left to place (TN-2)."""
    @property
    def hand(self) -> tuple[int, ...]:
        """How many pioneers each seat has still to place (TN-5)."""
    @property
    def stall(self) -> int:
        """How many turns in a row had no stone; 0 from the moment one is placed (TN-27)."""
    @property
    def stones(self) -> tuple[str, ...]:
        """The covered cells, in reading order."""
    @property
    def dead(self) -> tuple[str, ...]:
        """The cells of scored territories, in reading order (TN-19)."""
    @property
    def pioneers(self) -> dict[str, int]:
        """The seat of the pioneer on each cell that has one."""
    @property
    def moved(self) -> tuple[str, ...]:
        """Where the pioneers moved this turn stand now, in reading order (TN-13)."""
    @property
    def actions_left(self) -> int:
        """How many actions the turn still has: 1 while placing, at most 3 in play, 0 at the end (TN-6)."""
    @property
    def resigned(self) -> tuple[int, ...]:
        """The seats that have resigned (TN-28)."""
    @property
    def outcome(self) -> Outcome | None:
        """Who won and why the game ended; None while it is not over (TN-22 to TN-28)."""
    @staticmethod
    def from_facts(facts: Facts) -> Position:
        """The position that facts state, checked to be one; InvalidPosition says what is impossible."""
    @staticmethod
    def composed(facts: Facts) -> Position:
        """A turn's start with these facts and what follows automatically, as after any turn."""
    @classmethod
    def from_text(cls, text: str, board: Board | None = None) -> Self:
        """The position that a text describes, as `to_text` writes it; InvalidPosition says what is wrong.

        A text holds a board's map, not its labels: `board` is the same board with them.
        """
    def to_text(self) -> str:
        """The position as one line, like chess's FEN; `from_text` reads it again."""
    def facts(self) -> Facts:
        """Everything that distinguishes this position from others."""
    def same_game(self, other: Self) -> bool: ...
    def regions(self) -> tuple[Region, ...]:
        """Every region in play: cells, landscapes, pioneers, and what it would pay if closed now (TN-16 to TN-18)."""
    def view(self) -> dict[str, Any]:
        """Everything an interface needs to draw the position, ready for JSON."""
