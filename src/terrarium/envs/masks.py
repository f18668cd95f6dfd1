"""What an agent sees in the environments: planes and a mask of the legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from terrarium.core.position import Position
from terrarium.envs.planes import Planes

__all__ = ["observation", "observation_space"]

_MOST = 32.0
"""No plane holds more: three points for each of the cells of the largest board, by the hundred."""


def observation_space(planes: Planes, num_actions: int) -> spaces.Dict:
    """The space of `observation`."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, _MOST, planes.shape, np.float32),
            "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        }
    )


def observation(planes: Planes, position: Position, seat: int) -> dict[str, Any]:
    """What a seat sees: planes, and a mask of its legal actions, all zeros when it is not its turn."""
    mask = np.zeros(position.num_actions, dtype=np.int8)
    if position.to_move == seat:
        mask[position.legal_ids()] = 1
    return {"observation": planes.observe(position, seat), "action_mask": mask}
