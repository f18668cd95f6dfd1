from typing import Any

from terrarium.engine.brain import Brain

class Search:
    nodes: int
    expansions: int
    def __init__(
        self,
        position: Any,
        brain: Brain,
        *,
        root_width: int = 12,
        width: int = 6,
        root_limit: int = 48,
        limit: int = 16,
        exploration: float = 0.6,
        temperature: float = 0.04,
        alert: bool = True,
        memory: int = ...,
    ) -> None: ...
    def run(self, seconds: float = 1e9, nodes: int = ...) -> bool: ...
    def stop(self) -> None: ...
    @property
    def memory(self) -> int: ...
    @property
    def is_proven(self) -> bool: ...
    def turns(
        self,
    ) -> list[
        tuple[tuple[int, ...], int, tuple[float, ...], tuple[float, ...], tuple[float, ...], bool]
    ]: ...
    def line(self, ids: tuple[int, ...], depth: int = 6) -> list[tuple[int, ...]]: ...
