from typing import Any

from terrarium.engine.brain import Brain

class Search:
    expansions: int
    def __init__(
        self,
        position: Any,
        brain: Brain,
        *,
        root_width: int = 12,
        width: int = 6,
        root_limit: int = 48,
        alert: bool = True,
        regard: float = 1,
        exact: int = 0,
        thorough: bool = False,
        memory: int = ...,
        most: int = ...,
        threads: int = 1,
    ) -> None: ...
    def follow(self, position: Any) -> bool: ...
    def run(self, seconds: float = 1e9, nodes: int = ...) -> bool: ...
    def stop(self) -> None: ...
    @property
    def nodes(self) -> int: ...
    @property
    def memory(self) -> int: ...
    def turns(
        self,
    ) -> list[
        tuple[tuple[int, ...], int, tuple[float, ...], tuple[float, ...], tuple[float, ...], bool]
    ]: ...
    def line(self, ids: tuple[int, ...], depth: int = 6) -> list[tuple[int, ...]]: ...
