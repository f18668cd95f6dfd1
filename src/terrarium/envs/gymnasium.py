"""The Gymnasium adapter: you play one seat, players of the arena play the others.

Importing this module registers `terrarium/TerraNova-v0` and `terrarium/TerraTurrium-v0`. Without importing it, name it:
`gymnasium.make("terrarium.envs.gymnasium:terrarium/TerraNova-v0")`.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from terrarium.arena.players import Player, player
from terrarium.core.game import GAMES
from terrarium.core.position import Position
from terrarium.engine import Limit
from terrarium.envs.canonical import Canonical
from terrarium.envs.masks import check_options, observation, observation_space, rgb_array
from terrarium.envs.planes import Planes
from terrarium.envs.utility import utilities
from terrarium.errors import InvalidArgument

__all__ = ["TerraEnv"]


class TerraEnv(gymnasium.Env[dict[str, Any], Any]):
    """A game against computer players; a step plays your action, and then theirs until it is your turn again.

    `opponent` is any player of the arena: `level:1` … `level:8`, `random`, `novice`, `greedy`, `mcts`, `cmd:PROGRAM`; `nodes` is its limit
    for a turn. The reward comes at the end: 1 for a win that is not shared. An illegal action, which the mask excludes, loses at once (-1);
    `info` then has the reason. With `canonical` every seat sees the board as seat 0 would, and ids of actions are converted accordingly.
    """

    metadata = {"render_modes": ["ansi", "svg", "rgb_array"], "render_fps": 2}  # noqa: RUF012 - Gymnasium's own convention

    def __init__(
        self,
        game: str = "nova",
        *,
        seat: int = 0,
        opponent: str = "level:1",
        nodes: int = 200,
        board: Any = None,
        canonical: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if game not in GAMES:
            raise InvalidArgument("no-such-game", f"{game!r:.60}: games are {', '.join(GAMES)}")
        self.game = GAMES[game]
        check_options(self.game, options, type(self).__name__)
        self.start: Position = self.game.start(board=board, **options)
        if not 0 <= seat < self.start.players:
            most = self.start.players - 1
            raise InvalidArgument("no-such-seat", f"seat={seat}: seats run from 0 to {most}")
        self.seat = seat
        self.opponent = opponent
        self.limit = Limit(nodes=nodes)
        self.render_mode = render_mode
        self.position = self.start
        self.planes = Planes(self.start)
        self.action_space = spaces.Discrete(self.start.num_actions)
        self.observation_space = observation_space(self.planes, self.start.num_actions)
        self.canonical = Canonical(self.start) if canonical else None
        self._others: dict[int, Player] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new game; the seed determines the other players' choices."""
        super().reset(seed=seed)
        self.close()
        self._others = {
            seat: player(self.opponent, seed=int(self.np_random.integers(2**31)))
            for seat in range(self.start.players)
            if seat != self.seat
        }
        self.position = self.start
        self._let_others_play()
        return self._see(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        id = int(action)
        if self.canonical is not None:
            id = int(self.canonical.real(id, self.seat))
        if not self.position.is_legal(id):
            try:
                self.position.play(id)
            except ValueError as error:
                return self._see(), -1.0, True, False, {"illegal": str(error)}
        self.position = self.position.play(id)
        self._let_others_play()
        is_over = self.position.outcome is not None
        return self._see(), utilities(self.position)[self.seat], is_over, False, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of legal actions, in the form that MaskablePPO needs."""
        mask = np.zeros(self.start.num_actions, dtype=np.bool_)
        if self.position.to_move == self.seat:
            mask[self.position.legal_ids()] = True
        return mask if self.canonical is None else self.canonical.masks(mask, self.seat)

    def render(self) -> Any:
        if self.render_mode == "svg":
            return str(self.game.draw.draw(self.position))
        if self.render_mode == "rgb_array":
            return rgb_array(self.position)
        return self.position.to_text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Release the other players."""
        for other in self._others.values():
            other.close()
        self._others = {}

    def _see(self) -> dict[str, Any]:
        return observation(self.planes, self.position, self.seat, self.canonical)

    def _let_others_play(self) -> None:
        while (seat := self.position.to_move) not in (None, self.seat):
            turn = self._others[seat].turn(self.position, self.limit)
            self.position = self.position.play_all(turn)


for _name in GAMES:
    gymnasium.register(
        id=f"terrarium/Terra{_name.title()}-v0",
        entry_point="terrarium.envs.gymnasium:TerraEnv",
        vector_entry_point="terrarium.envs.vector:TerraVectorEnv",
        kwargs={"game": _name},
    )
