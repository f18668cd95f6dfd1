"""The arena's players by name: `level:1` … `level:8`, `random`, `novice`, `greedy`, `mcts`, `cmd:PROGRAM`."""

from __future__ import annotations

import random
import shlex
import shutil
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from terrarium.core.action import Action
from terrarium.core.chance import random_action
from terrarium.core.kernel import KernelPosition
from terrarium.core.position import Position
from terrarium.engine import Engine, Limit
from terrarium.engine.engine import brain_for
from terrarium.engine.plain_uct import PlainUct
from terrarium.engine.protocol import Client
from terrarium.engine.search import Search
from terrarium.engine.uct import Uct
from terrarium.errors import EngineError

__all__ = ["NAMES", "Player", "check_player", "player"]

NAMES = "level:1 to level:8, random, novice, greedy, mcts or cmd:PROGRAM"


class Player(Protocol):
    """A computer player: plays the rest of a turn."""

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        """The rest of the present turn, or at least its next action."""

    def close(self) -> None:
        """Release the player's resources, such as a process."""


class RandomPlayer:
    """Plays a random legal action; the kind is drawn first."""

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed)

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        return (random_action(position, self._random),)

    def close(self) -> None:
        pass


class NovicePlayer:
    """Plays like a beginner; the game names the module (`Game.novice`)."""

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed)

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        beginner = import_module(position.game.novice)
        return cast(Sequence[Action], beginner.turn(position, self._random))

    def close(self) -> None:
        pass


class GreedyPlayer:
    """Plays the turn with the best evaluation, without considering replies."""

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        search = Search(position, brain_for(position), root_width=6)
        search.run(nodes=1)
        seat = cast(int, position.to_move)
        best = max(search.turns(), key=lambda found: found[3][seat])
        return tuple(position.action(id) for id in best[0])

    def close(self) -> None:
        pass


class MctsPlayer:
    """Plain UCT with random play-outs; divides a turn's time equally among its actions."""

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed)

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        parts = position.game.actions_to_come(position)
        kind = Uct if isinstance(position, KernelPosition) else PlainUct
        tree = kind(position, seed=self._random.getrandbits(60))
        tree.run(
            1e9 if limit.seconds is None else limit.seconds / parts,
            (1 << 60) if limit.nodes is None else max(1, limit.nodes // parts),
        )
        if tree.best_action() is None:  # the time ran out before the first play-out
            tree.run(nodes=1)
        best = tree.best_action()
        assert best is not None
        return (position.action(best),)

    def close(self) -> None:
        pass


class LevelPlayer:
    """One of the engine's levels."""

    def __init__(self, number: int, seed: int | None) -> None:
        self._engine = Engine(level=number, seed=seed)

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        return self._engine.choose(position, limit).actions

    def close(self) -> None:
        pass


class ProgramPlayer:
    """An external engine that speaks the engine protocol."""

    def __init__(self, command: str, seed: int | None) -> None:
        self._client = Client(command, seed=seed or 0)

    def turn(self, position: Position, limit: Limit) -> Sequence[Action]:
        return self._client.choose(position, limit)

    def close(self) -> None:
        self._client.close()


def player(name: str, seed: int | None = 0) -> Player:
    """The player with this name; raises EngineError that lists the names if there is none."""
    kind, _, rest = name.partition(":")
    if name == "random":
        return RandomPlayer(seed)
    if name == "novice":
        return NovicePlayer(seed)
    if name == "greedy":
        return GreedyPlayer()
    if name == "mcts":
        return MctsPlayer(seed)
    if kind == "level" and rest.isdecimal():
        return LevelPlayer(int(rest), seed)
    if kind == "cmd" and rest.strip():
        return ProgramPlayer(rest, seed)
    raise EngineError("no-such-player", f"{name!r}: players are {NAMES}")


def check_player(name: str) -> None:
    """Raise the EngineError that `player` would raise, without starting any program."""
    kind, _, rest = name.partition(":")
    if kind != "cmd" or not rest.strip():
        player(name).close()
        return
    try:
        program = shlex.split(rest)[0]
    except (ValueError, IndexError) as error:
        message = f"{name!r:.80}: write the program as in a shell, cmd:'program --option' ({error})"
        raise EngineError("no-such-program", message) from error
    if shutil.which(program) is None:
        raise EngineError("no-such-program", f"{program:.80}: no such program is on this machine")
