from typing import Any

from terrarium.engine.brain import Brain

class TurriumBrain(Brain): ...

def brain(position: Any, weights: dict[str, Any] | None = None) -> TurriumBrain: ...
