"""Won endings that level 8 does not win: `python -m bench.strength endings`.

Levels 6 to 8 play games against themselves. The positions before the last turns of each game are searched deeply. Where that search
says that the seat to move wins, level 8 plays on from there at its usual limit, against level 8. What it does not win is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import terrarium
from terrarium.arena import Match
from terrarium.arena.match import opening, play_game
from terrarium.arena.statistics import score
from terrarium.core.position import Position
from terrarium.engine import Engine, Limit

DEEP = {"nova": 4_000_000, "turrium": 8_000_000}
"""Positions that a search of about ten seconds on one idle core evaluates."""

WON = 0.9
"""The deep search says that the seat to move wins if it expects at least this share, or has a proof."""

HOPELESS = 0.7
"""A deep search is given up if it expects less than this after a tenth of its positions."""


@dataclass(frozen=True)
class Ending:
    """A position near the end of a game that the deep search says is won."""

    game: int
    turns_left: int
    """How many turns the game lasted from here, this one included."""
    position: str
    share: float
    is_proven: bool
    won: float = 0.0
    """The share of the win that level 8 then got."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "turns_left": self.turns_left,
            "position": self.position,
            "share": round(self.share, 4),
            "is_proven": self.is_proven,
            "won": self.won,
        }


def endings(chosen: Any) -> dict[str, Any]:
    """Collect endings, search them deeply, and let level 8 play those that are won."""
    top = terrarium.games[chosen.game].top_nodes
    deep = chosen.deep or DEEP[chosen.game]
    searched, found = 0, list[Ending]()
    for number in range(chosen.games or 30):
        for turns_left, position in last_positions(chosen, number):
            searched += 1
            judged = judge(position, deep)
            if judged is None:
                continue
            share, is_proven = judged
            result = played_out(position, chosen.nodes or top)
            found.append(
                Ending(number, turns_left, position.to_text(), share, is_proven, result),
            )
    won = score([[float(one.won == 1)] for one in found]) if found else None
    return {
        "game": chosen.game,
        "games": chosen.games or 30,
        "levels": list(chosen.levels),
        "seed": chosen.seed,
        "positions": searched,
        "deep_nodes": deep,
        "nodes": chosen.nodes or top,
        "said_won": len(found),
        "proven": sum(one.is_proven for one in found),
        "not_won": sum(one.won < 1 for one in found),
        "proven_not_won": sum(one.is_proven and one.won < 1 for one in found),
        "by_turns_left": {
            left: [sum(one.won == 1 for one in part), len(part)]
            for left in range(1, chosen.turns + 1)
            if (part := [one for one in found if one.turns_left == left])
        },
        "won": [round(won.mean, 4), round(won.low, 4), round(won.high, 4)] if won else None,
        "failures": [one.to_dict() for one in found if one.won < 1],
        "target": 1.0,
    }


def last_positions(chosen: Any, number: int) -> Iterator[tuple[int, Position]]:
    """The positions before the last turns of a game of one level against itself, the last one first."""
    name = f"level:{chosen.levels[number % len(chosen.levels)]}"
    limit = Limit(nodes=terrarium.games[chosen.game].top_nodes)
    match = Match(chosen.game, name, name, games=number + 1, limit=limit, seed=chosen.seed)
    game = play_game(match, number)
    position, played = opening(match, game.opening)
    starts = [position]
    for action in game.actions[len(played) :]:
        position = position.play(action)
        if position.at_turn_start and position.outcome is None:
            starts.append(position)
    yield from enumerate(reversed(starts[-chosen.turns :]), start=1)


def judge(position: Position, nodes: int) -> tuple[float, bool] | None:
    """The share that the seat to move expects after a deep search, and whether it is proven; None if it does not win."""
    seat = cast(int, position.to_move)
    for part in (nodes // 10, nodes):
        *_, last = Engine(level=8, seed=1).analyse(position, Limit(nodes=part))
        share, is_proven = last.shares[seat], last.lines[0].is_proven
        if is_proven or share < HOPELESS:
            break
    return (share, is_proven) if share >= WON else None


def played_out(position: Position, nodes: int) -> float:
    """The share of the win for the seat to move if level 8 plays all seats."""
    seat = cast(int, position.to_move)
    engines = [Engine(level=8, seed=other) for other in range(position.players)]
    while position.outcome is None:
        mover = cast(int, position.to_move)
        position = position.play_all(engines[mover].choose(position, Limit(nodes=nodes)))
    return float(position.outcome.shares(position.players)[seat])
