from typing import Any

import numpy as np
from numpy.typing import NDArray

class Planes:
    players: int
    rows: int
    columns: int
    names: tuple[str, ...]
    def __init__(self, position: Any) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def observe(
        self, position: Any, seat: int, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]: ...

def nova_names(players: int, landscapes: int) -> tuple[str, ...]: ...
def turrium_names(players: int) -> tuple[str, ...]: ...
