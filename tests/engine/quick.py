"""Quick games of computer players over all options of both games."""

from __future__ import annotations

from random import Random
from typing import Any

import terrarium
from terrarium.core.outcome import Outcome
from terrarium.engine import Engine, Limit

SHORT = {
    "nova": {"pioneers": 3, "stones": 14, "stall_rounds": 2},
    "turrium": {"max_rounds": 4},
}
"""Options that make a game quick."""


def _cases() -> list[tuple[str, dict[str, Any]]]:
    """Every value of every option, for each number of players."""
    cases: list[tuple[str, dict[str, Any]]] = []
    for name, game in sorted(terrarium.games.items()):
        for players in range(game.min_players, game.max_players + 1):
            cases.append((f"{name}-{players}", {"players": players}))
            for option in game.module.Rules.options():
                if option.name == "players" or option.kind == "number":
                    continue
                values = (True, False) if option.kind == "flag" else option.choices
                for value in values:
                    if value == option.default:
                        continue
                    if players > 2 and option.name.startswith("two_player"):
                        continue
                    chosen = {"players": players, option.name: value}
                    cases.append((f"{name}-{players}-{option.name}-{value}", chosen))
    return cases


CASES = _cases()


def play(name: str, options: dict[str, Any], seed: int) -> Outcome:
    """Play one quick game, each seat with a different level. Raises IllegalAction if a player breaks the rules."""
    random = Random(seed)
    game = terrarium.games[name]
    board = random.choice(list(game.module.BOARDS.values())) if game.has_boards else None
    position = game.start(board=board, **SHORT[name] | options)
    for _ in range(random.randrange(3 * position.players)):
        position = position.play(random.choice(position.legal_ids()))
    engines = [Engine(level=random.randint(1, 8), seed=seed) for _ in range(position.players)]
    limit = Limit(nodes=random.choice((1, 20, 60)))
    while position.outcome is None:
        seat = position.to_move
        assert seat is not None
        for action in engines[seat].choose(position, limit).actions:
            assert position.to_move == seat
            position = position.play(action)
        assert position.at_turn_start or position.outcome is not None, "the turn is not finished"
    return position.outcome
