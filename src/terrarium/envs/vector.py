"""Gymnasium's VectorEnv for a batch of games in the kernel; the agent plays every seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from terrarium.core.game import GAMES
from terrarium.envs.batch import Batch
from terrarium.envs.canonical import Canonical
from terrarium.envs.masks import check_options, observation_space
from terrarium.errors import InvalidArgument

__all__ = ["TerraVectorEnv"]

Observation = dict[str, NDArray[Any]]


class TerraVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """Many games in parallel for self-play: each observation is that of the seat to move, each reward that of the seat that acted.

    `info["to_move"]` has the seats to move and `info["rewards"]` the rewards of all seats. A game that ends is restarted in the
    same step, and `info["final_obs"]` has the last observation of the seat that acted (where `info["_final_obs"]` is true). With
    `autoreset_mode=AutoresetMode.DISABLED` it stays at its end until `reset(options={"reset_mask": mask})`. `starts` has a
    start position for each game. With `canonical` every seat sees the board as seat 0 would, and ids of actions are converted
    accordingly.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - Gymnasium's own convention

    def __init__(
        self,
        game: str = "nova",
        num_envs: int = 1,
        *,
        board: Any = None,
        starts: Sequence[Any] | None = None,
        canonical: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if game not in GAMES:
            raise InvalidArgument("no-such-game", f"{game!r:.60}: games are {', '.join(GAMES)}")
        check_options(GAMES[game], options, type(self).__name__)
        mode = AutoresetMode(autoreset_mode)
        if mode is AutoresetMode.NEXT_STEP:
            raise InvalidArgument(
                "invalid-argument", f"{mode}: SAME_STEP and DISABLED are supported"
            )
        self.metadata = self.metadata | {"autoreset_mode": mode}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.starts = tuple(starts) if starts else (GAMES[game].start(board=board, **options),)
        self.batch = Batch(self.starts, num_envs)
        self.canonical = Canonical(self.starts[0]) if canonical else None
        self.single_action_space = spaces.Discrete(self.batch.num_actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = observation_space(self.batch.planes, self.batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Restart all games, or those that `options["reset_mask"]` marks. The games have no randomness, so the seed has no effect."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.batch.reset((options or {}).get("reset_mask"))
        return self._see(), {"to_move": self.batch.to_move()}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play an action in each game; if one is not legal, raises IllegalAction that names the first such game, and plays nothing."""
        batch, actors = self.batch, self.batch.to_move()
        if self.canonical is not None:
            actions = self.canonical.real(actions, actors)
        won, ended = batch.step(actions, restart=False)
        info: dict[str, Any] = {"rewards": won}
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP and ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            for index in np.flatnonzero(ended).tolist():
                seen = batch.planes.observe(batch.position(index), int(actors[index]))
                if self.canonical is not None:
                    seen = self.canonical.observations(seen, int(actors[index]))
                final[index] = {
                    "observation": seen,
                    "action_mask": np.zeros(batch.num_actions, dtype=np.int8),
                }
            info |= {"final_obs": final, "_final_obs": ended}
            batch.reset(ended)
        info["to_move"] = batch.to_move()
        rewards = won[np.arange(self.num_envs), actors].astype(np.float64)
        return self._see(), rewards, ended, np.zeros(self.num_envs, dtype=np.bool_), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal in each game."""
        return self._masks().astype(np.bool_)

    def _masks(self) -> NDArray[Any]:
        masks = self.batch.masks()
        return masks if self.canonical is None else self.canonical.masks(masks, self._viewers())

    def _viewers(self) -> NDArray[Any]:
        # in a game that waits for its reset no seat is to move; show the first seat's view
        return np.maximum(self.batch.to_move(), 0)

    def _see(self) -> Observation:
        seen = self.batch.observe()
        if self.canonical is not None:
            seen = self.canonical.observations(seen, self._viewers())
        return {"observation": seen, "action_mask": self._masks().view(np.int8)}
