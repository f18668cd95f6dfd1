from array import array
from typing import Any

from terrarium.engine.brain import Brain

class NovaBrain(Brain):
    def ownership(self, position: Any) -> dict[str, tuple[float, tuple[float, ...]]]: ...
    def inputs(self, position: Any) -> tuple[list[int], array[float]]: ...

def brain(position: Any, weights: dict[str, Any] | None = None) -> NovaBrain: ...
