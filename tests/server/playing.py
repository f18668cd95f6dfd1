"""Legal turns from the library, without requests to the server, for tests that play fast."""

from __future__ import annotations

import random
from typing import Any

from terrarium import games


def random_turn(position: Any, rng: random.Random) -> tuple[list[str], Any]:
    """A whole random turn from a position, and the position after it."""
    seat, actions = position.to_move, list[str]()
    while position.to_move == seat and (not actions or not position.at_turn_start):
        action = rng.choice(position.legal_actions())
        actions.append(str(action))
        position = position.play(action)
    return actions, position


def position_of(snapshot: dict[str, Any]) -> Any:
    """The position in a snapshot."""
    return games[snapshot["game"]].position(snapshot["position"])


def replayed(snapshot: dict[str, Any]) -> Any:
    """The position after a snapshot's turns, replayed by the library."""
    position = games[snapshot["game"]].position(snapshot["start"])
    for number in range(len(snapshot["turns"]) + 1):
        if number:
            position = position.play_all(snapshot["turns"][number - 1]["actions"])
        for resignation in snapshot["resignations"]:
            if resignation["after"] == number:
                position = position.resign(resignation["seat"])
    return position
