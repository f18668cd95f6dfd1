from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.envs.planes import Planes

class Batch:
    """A number of games side by side that restart when they end.

    They begin at one position, or each at its own: then `start` is a sequence of positions of one game, rules and
    board. A batch can be pickled and copied; a pickle is for the same version of this package.

    >>> from terrarium import nova
    >>> batch = Batch(nova.start(), 4, seed=1)
    >>> rewards, ended = batch.step(batch.sample())
    >>> rewards.shape, ended.tolist()
    ((4, 2), [False, False, False, False])
    """

    starts: tuple[Any, ...]
    planes: Planes
    size: int
    players: int
    num_actions: int
    def __init__(
        self, start: Any | Sequence[Any], size: int | None = None, *, seed: int = 0
    ) -> None: ...
    def reset(self, which: NDArray[np.bool_] | None = None) -> None:
        """Restart games: all of them, or those for which `which` is true, a truth value for each game."""
    def position(self, index: int) -> Any:
        """Game number `index` as a Position."""
    def to_move(self) -> NDArray[np.int32]:
        """The seat to move in each game, as int32."""
    def masks(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Which actions are legal in each game: uint8, a row for each game, a column for each id."""
    def observe(
        self, out: NDArray[np.float32] | None = None, seats: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """The planes of every game: float32 (games, planes, rows, columns).

        Each is seen by the seat to move, or by the one that `seats` names for it.
        """
    def sample(self) -> NDArray[np.int32]:
        """A random legal action for each game, its kind drawn first; 0 for a game that is over."""
    def step(
        self, actions: ArrayLike, *, restart: bool = True
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each game: what each seat won (0 before the end), and which games ended and were restarted.

        Without `restart` they stay at their end until `reset`.
        A win is worth 1 shared among the winners, and the others together lose as much. IllegalAction names
        the first game whose action is not legal; then nothing is played in any of them.
        """

def random_game(position: Any, seed: int) -> list[float]:
    """What each seat wins in one game of uniformly random legal actions from here, played out in the kernel."""
