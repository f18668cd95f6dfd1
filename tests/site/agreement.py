"""Hashes of games and searches, which must be the same on every machine.

It needs only the library, so that it also runs inside Pyodide: `digests(every, spread)` returns the number of actions and
engine turns, and a hash of everything that was computed.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from terrarium import games
from terrarium.engine import Engine, Limit
from terrarium.errors import TerrariumError


def starts(game: Any) -> Iterator[Any]:
    """A start for every number of players with every value of every option, one option changed at a time, on every board."""
    options = [option for option in game.module.Rules.options() if option.name != "players"]
    for players in range(game.min_players, game.max_players + 1):
        for option in [None, *options]:
            for value in [None] if option is None else values(option):
                rules = {"players": players} | ({} if option is None else {option.name: value})
                boards = game.boards.values() if option is None and game.has_boards else [None]
                for board in boards:
                    try:
                        yield game.begin(game.rules(**rules), board or usual(game))
                    except TerrariumError as error:
                        yield error.code


def usual(game: Any) -> Any:
    return next(iter(game.boards.values()), None)


def values(option: Any) -> list[Any]:
    facts = option.to_dict()
    if facts["kind"] == "choice":
        return list(facts["choices"])
    if facts["kind"] == "flag":
        return [False, True]
    return [value for value in (facts["minimum"], facts["maximum"]) if value is not None]


def played(start: Any, seed: int, digest: Any) -> int:
    """Play a random game, hashing actions, events, texts and views; returns the number of actions."""
    chance, position, count = random.Random(seed), start, 0
    while ids := position.legal_ids():
        digest.update(repr(ids).encode())
        action = position.action(chance.choice(ids))
        position, events = position.step(action)
        digest.update(repr([event.to_dict() for event in events]).encode())
        digest.update(position.to_text().encode())
        count += 1
        if count % 24 == 0:
            digest.update(json.dumps(position.view(), sort_keys=True).encode())
        if count >= 2_000:
            break
    digest.update(repr(position.outcome).encode())
    return count


def shapes() -> dict[str, Any]:
    """A hash over engine turns on boards of other shapes than those that come with Terra Nova: rows too long for their usual layout in memory."""
    digest, turns, game = hashlib.sha256(), 0, games["nova"]
    for rows, columns in ((6, 30), (14, 22), (1, 40), (25, 12), (20, 20)):
        chance = random.Random(rows)
        lines = [
            " " * (row % 2)
            + " ".join("ABCDEFGH"[(row // 4 * 5 + column // 5) % 8] for column in range(columns))
            for row in range(rows)
        ]
        board = game.module.Board.parse("\n".join(lines))
        for players in (2, 3):
            position = game.begin(game.rules(players=players), board)
            for number in range(90):
                ids = position.legal_ids()
                if not ids:
                    break
                if number % 15 == 0 and position.at_turn_start:
                    choice = Engine(level=8, seed=1).choose(position, Limit(nodes=400))
                    digest.update(f"{choice} {choice.shares} {choice.nodes}".encode())
                    turns += 1
                position = position.play(chance.choice(ids))
    return {"turns": turns, "engine": digest.hexdigest()}


def digests(every: int, spread: float) -> dict[str, Any]:
    """Hashes over random games, one from each start or from one start in `every`, and over engine turns at fixed nodes.

    `spread` is the part of a game's turns in which the engine also searches, at four levels.
    """
    result: dict[str, Any] = {}
    for name, game in sorted(games.items()):
        digest, actions = hashlib.sha256(), 0
        for number, start in enumerate(islice(starts(game), 0, None, every)):
            if isinstance(start, str):
                digest.update(start.encode())
            else:
                actions += played(start, number, digest)
        result[f"{name} actions"], result[name] = actions, digest.hexdigest()
        digest, turns = hashlib.sha256(), 0
        for players in range(game.min_players, game.max_players + 1):
            chance, position = random.Random(players), game.start(players=players)
            for _ in range(400):
                ids = position.legal_ids()
                if not ids:
                    break
                if position.at_turn_start and chance.random() < spread:
                    for level in (1, 3, 5, 8):
                        engine = Engine(level=level, seed=turns)
                        choice = engine.choose(position, Limit(nodes=150))
                        digest.update(f"{choice} {choice.shares} {choice.nodes}".encode())
                        turns += 1
                position = position.play(chance.choice(ids))
        result[f"{name} turns"], result[f"{name} engine"] = turns, digest.hexdigest()
    return result
