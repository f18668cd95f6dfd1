"""The OpenSpiel adapter: importing this module registers `terra_nova` and `terra_turrium`.

The options of the rules are parameters: `pyspiel.load_game("terra_nova(players=3,edition=en)")`. Ids of actions
are those of the position, so `num_distinct_actions` depends on the board.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from terrarium.core.game import GAMES, Game
from terrarium.core.position import Position
from terrarium.envs.planes import Planes
from terrarium.envs.utility import utilities
from terrarium.errors import InvalidArgument

__all__ = ["TerraGame", "TerraState"]

_BY_EDITION = "edition"
"""The value that means "as in the edition"; OpenSpiel's parameters must always have a type and a value."""


def _parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game and their defaults."""
    found: dict[str, Any] = {}
    for option in game.module.Rules.options():
        found[option.name] = _BY_EDITION if option.default is None else option.default
        if option.default is None and option.kind == "number":
            found[option.name] = 0  # the default for this number of players
    if game.has_boards:
        found["board"] = next(iter(game.boards))
    return found


def _game_type(game: Game) -> Any:
    return pyspiel.GameType(
        short_name=game.openspiel,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=game.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(game),
    )


class TerraGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its rules and board."""

    game: Game
    type: Any = None

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = _parameters(self.game) | (params or {})
        self.start = _start(self.game, chosen)
        self.planes = Planes(self.start)
        players = self.start.players
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.num_actions,
            max_chance_outcomes=0,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.longest(self.start.rules),
        )
        super().__init__(self.type, info, params or {})

    def new_initial_state(self, state: Any = None) -> TerraState:
        """The first position, or the position whose text is `state["position"]`."""
        return TerraState(self, state)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of planes for public information; one of histories for perfect recall."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlaneObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class TerraState(pyspiel.State):  # type: ignore[misc]
    """A position as a state of OpenSpiel."""

    def __init__(self, game: TerraGame, state: Any = None) -> None:
        super().__init__(game)
        self.position: Position = game.start
        if state is not None:
            facts = state.to_dict() if isinstance(state, pyspiel.StateStruct) else state
            self.position = game.game.position(facts["position"])

    def current_player(self) -> int:
        seat = self.position.to_move
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_ids() if player == self.position.to_move else []

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The ids of the legal actions; overridden because the call through C++ would copy the list twice."""
        position = self.position
        if player is None or player == position.to_move:
            return position.legal_ids()
        if not 0 <= player < position.players:
            return super().legal_actions(player)  # type: ignore[no-any-return]
        return []

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.position.action(action))

    def is_terminal(self) -> bool:
        return self.position.to_move is None

    def returns(self) -> list[float]:
        return utilities(self.position)

    def __str__(self) -> str:
        return self.position.to_text()


class PlaneObserver:
    """Observes a position as planes, seen from one seat."""

    def __init__(self, game: TerraGame, params: Any = None) -> None:
        if params:
            raise InvalidArgument("invalid-argument", f"{params!r:.80}: the planes have no options")
        self._planes = game.planes
        self.tensor = np.zeros(int(np.prod(self._planes.shape)), dtype=np.float32)
        self.dict = {"observation": self.tensor.reshape(self._planes.shape)}

    def set_from(self, state: TerraState, player: int) -> None:
        """Fill the tensor from a state, as a player sees it."""
        self._planes.observe(state.position, player, self.tensor)

    def string_from(self, state: TerraState, player: int) -> str:
        """The position as text."""
        return str(state)


def _start(game: Game, chosen: dict[str, Any]) -> Position:
    options: dict[str, Any] = {}
    defaults = {option.name: option for option in game.module.Rules.options()}
    for key, value in chosen.items():
        option = defaults.get(key)
        if option is not None and option.default is None:
            # A parameter that can also mean "as in the edition": 0 for a number, a word for a flag, because OpenSpiel would
            # convert true and false to booleans.
            if value == _BY_EDITION or (option.kind == "number" and value == 0):
                continue
            if option.kind == "flag":
                value = {"yes": True, "no": False}.get(value, value)
        options[key] = value
    return game.start(**options)


for _game in GAMES.values():
    if _game.openspiel:
        _name = f"{_game.name.title()}Game"
        _facts = {"game": _game, "type": _game_type(_game), "__doc__": f"{_game.title}."}
        _class = type(_name, (TerraGame,), _facts)
        pyspiel.register_game(_facts["type"], _class)
