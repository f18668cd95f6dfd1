"""The PettingZoo adapter: the games as AEC environments with one agent for each seat."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from terrarium.core.game import GAMES
from terrarium.core.position import Position
from terrarium.envs.canonical import Canonical
from terrarium.envs.masks import check_options, observation, observation_space, rgb_array
from terrarium.envs.planes import Planes
from terrarium.envs.utility import utilities
from terrarium.errors import InvalidArgument

__all__ = ["TerraEnv", "env", "raw_env"]

RENDER_MODES = ("ansi", "svg", "rgb_array")


class TerraEnv(AECEnv):  # type: ignore[misc]
    """A game of Terra Nova or Terra Turrium; each agent observes planes and a mask of legal actions.

    With `canonical` every seat sees the board as seat 0 would, and ids of actions are converted accordingly.
    `board` is a board or the name of a built-in one; `options` are those of the game's rules. `render` returns the position as
    text (`ansi`), as a drawing (`svg`) or as pixels (`rgb_array`). An illegal action raises IllegalAction; in the wrapped `env` it loses instead.
    """

    metadata = {  # noqa: RUF012 - PettingZoo's own convention
        "render_modes": list(RENDER_MODES),
        "name": "terrarium_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str = "nova",
        *,
        board: Any = None,
        canonical: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        if game not in GAMES:
            raise InvalidArgument("no-such-game", f"{game!r:.60}: games are {', '.join(GAMES)}")
        self.game = GAMES[game]
        check_options(self.game, options, type(self).__name__)
        self.start: Position = self.game.start(board=board, **options)
        self.position = self.start
        self.planes = Planes(self.start)
        self.canonical = Canonical(self.start) if canonical else None
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.start.players)]
        self.agents = list(self.possible_agents)
        self._actions = {agent: spaces.Discrete(self.start.num_actions) for agent in self.agents}
        self._observations = {
            agent: observation_space(self.planes, self.start.num_actions) for agent in self.agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._actions[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        return observation(self.planes, self.position, seat, self.canonical)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. The game has no randomness, so the seed has no effect."""
        self.position = self.start
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._to_move()

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        id = -1 if action is None else int(action)
        if self.canonical is not None and 0 <= id < self.start.num_actions:
            id = int(self.canonical.real(id, self.position.to_move))
        self.position = self.position.play(id)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        if self.position.outcome is None:
            self.agent_selection = self._to_move()
        else:
            for agent, won in zip(self.possible_agents, utilities(self.position), strict=True):
                self.rewards[agent] = won
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        if self.position.outcome is not None:
            self._deads_step_first()

    def render(self) -> Any:
        if self.render_mode == "svg":
            return str(self.game.draw.draw(self.position))
        if self.render_mode == "rgb_array":
            return rgb_array(self.position)
        return self.position.to_text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _to_move(self) -> str:
        seat = self.position.to_move
        assert seat is not None
        return str(self.possible_agents[seat])


def raw_env(**options: Any) -> TerraEnv:
    """The environment without wrappers."""
    return TerraEnv(**options)


def env(**options: Any) -> Any:
    """The environment with PettingZoo's usual wrappers: an illegal action loses, and calls out of order are refused."""
    found: Any = raw_env(**options)
    found = wrappers.TerminateIllegalWrapper(found, illegal_reward=-1)
    found = wrappers.AssertOutOfBoundsWrapper(found)
    return wrappers.OrderEnforcingWrapper(found)
