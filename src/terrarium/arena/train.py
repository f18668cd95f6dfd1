"""The training loop: rounds of self-play. The result of each round is saved, so that training can be interrupted and resumed.

One directory contains everything: `plan.json` the plan, `round-N.json` the result of round N, and `round-N/` the
examples from the games of a round that is still needed. There are three ways to train: from what happened in games (`by="examples"`, game-specific, in
`train_GAME.py`), by which weights win games (`by="play"`, `train_play.py`), and a neural network from what happened in games
(`by="network"`, `train_network_GAME.py`). All have the same parts:
`collect(seed, weights, insist, board, players)` plays one game, or a pair, and returns `Examples`, a dataclass of arrays; `Examples.join`
joins several; `fit(examples, before)` returns `{"weights": …, "report": …}` from the result of the round before. `ROUNDS`, if there is one, is the number of
rounds whose examples a fit uses.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from terrarium.core.game import GAMES
from terrarium.errors import EngineError

__all__ = ["WAYS", "Plan", "Progress", "train"]

WAYS = ("examples", "play", "network")
"""The ways to train."""


@dataclass(frozen=True)
class Plan:
    """The settings of a training: the same plan gives the same weights, even if it is interrupted."""

    game: str
    rounds: int = 4
    games: int = 200
    seed: int = 1
    insist: float = 0.2
    board: str | None = None
    players: int = 2
    by: str = "examples"

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise EngineError("no-such-game", f"{self.game!r:.60}: games are {', '.join(GAMES)}")
        if self.rounds < 1 or self.games < 1:
            raise EngineError(
                "bad-training", f"{self.rounds} rounds of {self.games} games: at least 1 each"
            )
        if not 0 <= self.insist <= 1:
            raise EngineError("bad-training", f"insist={self.insist}: a chance, from 0 to 1")
        if self.by not in WAYS:
            raise EngineError("bad-training", f"by={self.by!r:.40}: one of {', '.join(WAYS)}")
        game = GAMES[self.game]
        if self.board is not None and (not game.has_boards or self.board not in game.module.BOARDS):
            raise EngineError("no-such-board", f"{self.board!r:.60}: no such built-in board")

    @property
    def command(self) -> str:
        """The command that repeats this training."""
        words = [f"terrarium arena train {self.game} --rounds {self.rounds} --games {self.games}"]
        words.append(f"--seed {self.seed}")
        words.append(f"--insist {self.insist:g}" if self.by == "examples" else f"--by {self.by}")
        if self.board is not None:
            words.append(f"--board {self.board}")
        if self.players != 2:
            words.append(f"--players {self.players}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of the training: a game that ended, or a round that was fitted (then with its report)."""

    round: int
    games: int
    report: dict[str, float] | None = None


def train(
    plan: Plan, directory: Path, executor: Executor, jobs: int, start: Path | None = None
) -> Iterator[Progress]:
    """Train by the plan, resuming from the state of the directory. The result is `weights.json` in it, with the command and the starting weights.

    `start` is a file with the weights to start from. The default are the weights from which the engine's were trained, so that the saved command
    reproduces them; for three and four seats, the engine's weights for two. By play it is the weights trained from examples, or the engine's if there are none.
    For a network it is the engine's weights without one.
    """
    trainer = _trainer(plan)
    directory.mkdir(parents=True, exist_ok=True)
    first = _open(plan, directory, start)
    before: dict[str, Any] = {"weights": first}
    # games for a network are played on several boards, unless the plan names one
    board = plan.board if plan.by == "network" else plan.board or _usual_board(plan.game)
    for number in range(1, plan.rounds + 1):
        done = directory / f"round-{number}.json"
        if done.exists():
            before = _read(done)
            continue
        folder = directory / f"round-{number}"
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{game:06}.npz" for game in range(plan.games)]
        missing = [game for game, path in enumerate(paths) if not path.exists()]
        yield Progress(number, plan.games - len(missing))
        waiting: dict[Future[Any], int] = {}
        queue = iter(missing)
        ended = plan.games - len(missing)
        while True:
            while len(waiting) < 2 * jobs and (game := next(queue, None)) is not None:
                # Large factors, so that no two games of a training have the same seed.
                seed = plan.seed * 1_000_000_007 + number * 1_000_003 + game
                future = executor.submit(
                    trainer.collect, seed, before["weights"], plan.insist, board, plan.players
                )
                waiting[future] = game
            if not waiting:
                break
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                _keep(paths[waiting.pop(future)], future.result())
                ended += 1
                yield Progress(number, ended)
        used = getattr(trainer, "ROUNDS", 1)
        folders = [directory / f"round-{n}" for n in range(max(1, number - used + 1), number + 1)]
        paths = [path for one in folders for path in sorted(one.glob("*.npz"))]
        before = trainer.fit(trainer.Examples.join([_examples(trainer, p) for p in paths]), before)
        _write(done, before)
        for one in folders[: len(folders) - used + 1]:  # more rounds would need the others
            shutil.rmtree(one)
        yield Progress(number, plan.games, before["report"])
    last = {name: before[name] for name in ("weights", "report")}
    _write(directory / "weights.json", {"command": plan.command, "start": first} | last)


def _trainer(plan: Plan) -> Any:
    if find_spec("numpy") is None:
        message = "training needs numpy; install it with: pip install 'terrarium-games[train]'"
        raise EngineError("no-numpy", message)
    if plan.by == "play":
        from terrarium.arena.train_play import Trainer

        return Trainer(plan.game, plan.players)
    if plan.by == "network":
        trainer = _network_trainer(plan.game)
        trainer.check(plan.players, plan.games)
        return trainer
    name = f"terrarium.arena.train_{plan.game}"
    if find_spec(name) is None:
        message = f"{plan.game}: its evaluation is not trained from examples; try --by play"
        raise EngineError("no-trainer", message)
    return import_module(name)


def _network_trainer(game: str) -> Any:
    name = f"terrarium.arena.train_network_{game}"
    if find_spec(name) is None:
        raise EngineError("no-trainer", f"{game}: no network can be trained for this game")
    return import_module(name)


def _usual_board(game: str) -> str | None:
    return next(iter(GAMES[game].boards), None)


def _open(plan: Plan, directory: Path, start: Path | None) -> dict[str, Any]:
    """The weights to start with; raises EngineError if the directory belongs to another plan."""
    path = directory / "plan.json"
    if path.exists():
        known = _read(path)
        try:
            theirs = asdict(Plan(**known["plan"])) | {"rounds": plan.rounds}
        except (KeyError, TypeError) as error:
            message = f"{path}: is not a training plan ({error}); name another directory"
            raise EngineError("bad-training", message) from error
        ours = asdict(plan)
        if theirs != ours:
            name = next(name for name in ours if ours[name] != theirs[name])
            message = f"{directory}: contains a training with {name}={theirs[name]}, not {ours[name]}; name another directory"
            raise EngineError("other-training", message)
        return cast(dict[str, Any], known["weights"])
    many = "_many" if plan.by != "examples" and plan.players > 2 else ""
    folder = files("terrarium.engine").joinpath("weights")
    file = folder.joinpath(f"{plan.game}{many}.json")
    text = (file if file.is_file() else folder.joinpath(f"{plan.game}.json")).read_text()
    packaged = json.loads(text)
    if start is not None:
        weights = _weights_of(start, plan, like=packaged["weights"])
    elif plan.players > 2 or plan.by != "examples":
        weights = packaged["weights"]
    else:
        weights = packaged.get("start", packaged["weights"])
    _write(path, {"plan": asdict(plan), "weights": weights})
    return weights


def _weights_of(path: Path, plan: Plan, like: dict[str, Any]) -> dict[str, Any]:
    """The weights in a file, with its network if a network is trained; raises EngineError unless they have the names and lengths of those in `like`."""
    try:
        weights = json.loads(path.read_text())["weights"]
        for name, known in like.items():
            numbers = weights[name] if isinstance(known, list) else [weights[name]]
            wanted = len(known) if isinstance(known, list) else 1
            if len([float(number) for number in numbers]) != wanted:
                raise ValueError(f"{name}: {wanted} numbers, not {len(numbers)}")
        network = weights.get("network") if plan.by == "network" else None
        if network is not None:
            _network_trainer(plan.game).Network.load(network, plan.players)
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError("bad-weights", f"{path}: is not a weights file ({error})") from error
    found = {name: weights[name] for name in like}
    return found if network is None else found | {"network": network}


def _keep(path: Path, examples: Any) -> None:
    """Write the examples of a game; an interruption doesn't leave a partial file."""
    import numpy as np

    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        arrays = {field.name: getattr(examples, field.name) for field in fields(examples)}
        np.savez_compressed(file, allow_pickle=False, **arrays)
    os.replace(temporary, path)


def _examples(trainer: Any, path: Path) -> Any:
    import numpy as np

    with np.load(path) as arrays:
        return trainer.Examples(**{name: arrays[name] for name in arrays.files})


def _read(path: Path) -> dict[str, Any]:
    try:
        return cast(dict[str, Any], json.loads(path.read_text()))
    except ValueError as error:
        raise EngineError("bad-training", f"{path}: can't be read ({error})") from error


def _write(path: Path, content: dict[str, Any]) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(content, indent=1) + "\n")
    os.replace(temporary, path)
