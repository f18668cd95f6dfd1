"""Observations of the environments: planes and a mask of the legal actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from terrarium.core.game import Game
from terrarium.core.picture import png
from terrarium.core.position import Position
from terrarium.envs.canonical import Canonical
from terrarium.envs.planes import Planes

__all__ = ["check_options", "observation", "observation_space", "rgb_array"]

_MOST = 32.0
"""An upper bound of the planes' values: the score plane has three points for each of 1024 cells, divided by 100."""


def observation_space(planes: Planes, num_actions: int) -> spaces.Dict:
    """The space of `observation`."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, _MOST, planes.shape, np.float32),
            "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        }
    )


def check_options(game: Game, options: Mapping[str, Any], what: str) -> None:
    """Raise TypeError for an unknown option, as Python does for unknown arguments.

    Frameworks such as TorchRL try to pass additional arguments, and continue without them after a TypeError.
    """
    known = {option.name for option in game.module.Rules.options()}
    for name in options:
        if name not in known:
            raise TypeError(
                f"{what}() got an unexpected keyword argument {name!r};"
                f" the options of {game.title} are {', '.join(sorted(known))}"
            )


def rgb_array(position: Position, width: int = 640) -> NDArray[np.uint8]:
    """The position as a picture: uint8 (rows, columns, 3)."""
    from io import BytesIO

    from PIL import Image

    drawn = Image.open(BytesIO(png(position.game.draw.draw(position), width)))
    return np.asarray(drawn.convert("RGB"))


def observation(
    planes: Planes, position: Position, seat: int, canonical: Canonical | None = None
) -> dict[str, Any]:
    """The observation of a seat: planes, and a mask of its legal actions, which is all zeros when it is not its turn."""
    mask = np.zeros(position.num_actions, dtype=np.int8)
    if position.to_move == seat:
        mask[position.legal_ids()] = 1
    seen = planes.observe(position, seat)
    if canonical is not None:
        seen, mask = canonical.observations(seen, seat), canonical.masks(mask, seat)
    return {"observation": seen, "action_mask": mask}
