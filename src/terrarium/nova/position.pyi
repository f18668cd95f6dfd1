from typing import Any, Self

from terrarium.core.kernel import KernelPosition
from terrarium.core.outcome import Outcome
from terrarium.nova.board import Board
from terrarium.nova.kernel import NovaKernel
from terrarium.nova.region import Region
from terrarium.nova.rules import Rules
from terrarium.nova.text import Facts

def kernel_of(rules: Rules, board: Board) -> NovaKernel:
    """The kernel for these rules and this board's map, cached; the board's labels have no effect on play."""

class Position(KernelPosition):
    """A position of Terra Nova, immutable: `play` and `resign` return a new one.

    Positions are equal when they have the same rules, map, pieces, scores and supply, the same stage of the turn, the same
    moved pioneers as far as TN-12 and TN-13 need them, and the same stall count (TN-27). The labels of the board, such as
    its name, do not matter.
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
        """How many pioneers each seat still has to place (TN-5)."""
    @property
    def stall(self) -> int:
        """How many turns in a row had no stone; 0 as soon as one is placed (TN-27)."""
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
        """The present cells of the pioneers moved this turn, in reading order (TN-13)."""
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
        """The position that facts describe; raises InvalidPosition with the reason if it is impossible."""
    @staticmethod
    def composed(facts: Facts) -> Position:
        """The position at the start of a turn with these facts, after what follows automatically."""
    @classmethod
    def from_text(cls, text: str, board: Board | None = None) -> Self:
        """The position that a text of `to_text` describes; raises InvalidPosition with the reason if it is invalid.

        A text contains the map of the board without its labels; `board` is the same board with labels.
        """
    def to_text(self) -> str:
        """The position as one line, like FEN in chess; `from_text` reads it back."""
    def facts(self) -> Facts:
        """Everything that distinguishes this position from others."""
    def same_game(self, other: Self) -> bool: ...
    def regions(self) -> tuple[Region, ...]:
        """All regions in play: cells, landscapes, pioneers, and the points if closed now (TN-16 to TN-18)."""
    def view(self) -> dict[str, Any]:
        """Everything an interface needs to draw the position, ready for JSON."""
