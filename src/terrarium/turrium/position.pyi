from typing import Any

from terrarium.core.kernel import KernelPosition
from terrarium.core.outcome import Outcome
from terrarium.errors import IllegalAction
from terrarium.turrium.kernel import TurriumKernel
from terrarium.turrium.ladder import Ladder
from terrarium.turrium.rules import Rules
from terrarium.turrium.text import Facts

def kernel_of(rules: Rules) -> TurriumKernel:
    """The kernel for these rules, cached."""

class Position(KernelPosition):
    """A position of Terra Turrium, immutable: `play` and `resign` return a new one.

    >>> from terrarium import turrium
    >>> position = turrium.start(turrium.Rules(players=4)).play("@c3")
    >>> position.flags, position.hand
    ({'c3': 0}, (5, 6, 6, 6))
    >>> position.play("@c3")
    Traceback (most recent call last):
    terrarium.errors.IllegalAction: @c3: a flag already stands on c3: choose another construction of yours (TT-3)
    """

    @property
    def rules(self) -> Rules:
        """The options this game is played with."""
    @property
    def phase(self) -> str:
        """The phase of the turn: flags, take, place or move; over at the end of the game (TT-3, TT-4)."""
    @property
    def heights(self) -> dict[str, int]:
        """The height of every construction, by cell."""
    @property
    def flags(self) -> dict[str, int]:
        """The seat of every flag on the board, by cell."""
    @property
    def hand(self) -> tuple[int, ...]:
        """How many flags each seat has off the board (TT-3, TT-13)."""
    @property
    def cubes_in_hand(self) -> int:
        """How many cubes have been taken and not placed yet (TT-8)."""
    @property
    def points_left(self) -> int:
        """The points left in this turn: five before the move phase; 0 while flags are set and after the game (TT-9)."""
    @property
    def attacks(self) -> tuple[int, ...]:
        """In how many turns each seat has attacked (TT-12)."""
    @property
    def captures(self) -> tuple[int, ...]:
        """How many captures each seat has made, including those on its own land (TT-11, TT-17)."""
    @property
    def rounds(self) -> int:
        """How many rounds are complete: every seat still playing has had its turn in each (TT-18)."""
    @property
    def unlocked(self) -> bool:
        """Burgenland: whether captures are allowed; always False in the standard game, where they are never locked (TT-17)."""
    @property
    def declared(self) -> tuple[int, ...]:
        """The seats that have won so far; seats that have had fewer turns may still share the win (TT-15)."""
    @property
    def is_last_round(self) -> bool:
        """Whether a seat has won and others are taking their last turn (TT-15)."""
    @property
    def resigned(self) -> tuple[int, ...]:
        """The seats that have resigned (TT-19)."""
    @property
    def cells(self) -> tuple[str, ...]:
        """The cells in use, row by row from a1 (TT-1)."""
    @property
    def territories(self) -> dict[str, int | None]:
        """The owner of the territory of each cell in use; None where it is vacant (TT-2)."""
    @property
    def exterior(self) -> tuple[str, ...]:
        """The cells whose construction is exterior (TT-7)."""
    @property
    def taken_from(self) -> tuple[str, ...]:
        """The enemy territories from which a cube was taken this turn; `enemy` if all count as one (TT-5)."""
    @property
    def is_attacking(self) -> bool:
        """Whether the present turn has been counted as an attack (TT-12)."""
    @property
    def ladders(self) -> tuple[Ladder, ...]:
        """For every seat the heights of its flags in ascending order, and the heights of 1 to 6 that it misses (TT-14)."""
    @property
    def outcome(self) -> Outcome | None:
        """Who won and why the game ended; None while it is not over (TT-14, TT-15, TT-18, TT-19)."""
    def is_attack(self, cell: str) -> bool:
        """Whether a capture on this cell by the seat to move would be an attack (TT-12)."""
    def capture_cost(self, source: str, target: str) -> int:
        """The cost in points of a capture between two adjacent cells, without checking any limits (TT-11)."""
    def paths(self) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
        """The cheapest paths of every flag that can move now, by its cell: (points, cells from start to target).

        Empty outside the move phase; a flag that can't move is left out (TT-9 to TT-11).
        """
    def reach_changes(
        self,
    ) -> dict[int, tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[int, ...]]]:
        """How taking or placing each cube would change the cells that flags of the seat to move can reach.

        By the id of the action: cells gained and lost, and heights gained and lost, as if the seat moved right after the
        action with all its points (TT-9 to TT-13). Actions that change nothing are left out.
        """
    def refusal(self, id: int) -> IllegalAction:
        """The IllegalAction that says why an action is not legal here, with the rule it breaks."""
    @staticmethod
    def from_facts(facts: Facts) -> Position:
        """The position that facts describe; raises InvalidPosition with the reason if it is impossible."""
    @staticmethod
    def composed(facts: Facts) -> Position:
        """The position at the start of a turn with these facts, after what follows automatically (TT-16, TT-17)."""
    def facts(self) -> Facts:
        """Everything that distinguishes this position from others."""
    def view(self) -> dict[str, Any]:
        """Everything an interface needs to show the position, ready for JSON."""
    def to_text(self) -> str:
        """The position as one line (docs/formats.md); `from_text` reads it back."""
    @classmethod
    def from_text(cls, text: str) -> Position:
        """The position that a text describes; raises InvalidPosition with the reason if it is invalid."""
