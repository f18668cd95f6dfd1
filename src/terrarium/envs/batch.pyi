from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.envs.planes import Planes

class Batch:
    """A number of games that all begin at one position and begin anew when they end.

    >>> from terrarium import nova
    >>> batch = Batch(nova.start(), 4, seed=1)
    >>> rewards, ended = batch.step(batch.sample())
    >>> rewards.shape, ended.tolist()
    ((4, 2), [False, False, False, False])
    """

    planes: Planes
    size: int
    players: int
    num_actions: int
    def __init__(self, start: Any, size: int, *, seed: int = 0) -> None: ...
    def reset(self) -> None:
        """Begin every game anew."""
    def position(self, index: int) -> Any:
        """Game number `index` as a Position."""
    def to_move(self) -> NDArray[np.int32]:
        """The seat to move in each game, as int32."""
    def masks(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Which actions are legal in each game: uint8, a row for each game, a column for each id."""
    def observe(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """The planes of every game, each seen by the seat to move: float32 (games, planes, rows, columns)."""
    def sample(self) -> NDArray[np.int32]:
        """A random legal action for each game, its kind tossed first."""
    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play an action in each game: what each seat won (0 before the end), and which games ended and began anew.

        A win is worth 1 shared among the winners, and the others together lose as much. IllegalAction names
        the first game whose action is not legal; then nothing is played in any of them.
        """

def random_game(position: Any, seed: int) -> list[float]:
    """What each seat wins in one game of uniformly random legal actions from here, played out in the kernel."""
