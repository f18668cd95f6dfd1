from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.envs.planes import Planes

class Batch:
    """Many games that are played in parallel and restart when they end.

    All games start at one position, or each at its own: then `start` is a sequence of positions with the same rules and
    board. A batch can be pickled and copied; a pickle can be read only by the same version of this package.

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
        """Restart all games, or those for which `which` is true; it is a boolean array with a value for each game."""
    def position(self, index: int) -> Any:
        """Game number `index` as a Position."""
    def to_move(self) -> NDArray[np.int32]:
        """The seat to move in each game, as int32."""
    def masks(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """The legal actions of each game as uint8: a row for each game, a column for each id."""
    def observe(
        self, out: NDArray[np.float32] | None = None, seats: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """The planes of every game: float32 (games, planes, rows, columns).

        Each game is seen from the seat to move, or from its seat in `seats`.
        """
    def sample(self) -> NDArray[np.int32]:
        """A random legal action for each game (the kind is drawn first); 0 for a game that is over."""
    def step(
        self, actions: ArrayLike, *, restart: bool = True
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each game; returns the reward of each seat (0 before the end), and which games ended and were restarted.

        Without `restart` ended games stay at their end until `reset`.
        A win is worth 1, shared among the winners; the others together lose as much. If an action is not legal, raises
        IllegalAction that names the first such game, and plays nothing in any game.
        """

def random_game(position: Any, seed: int) -> list[float]:
    """The reward of each seat in one game of uniformly random legal actions from this position, played in the kernel."""
