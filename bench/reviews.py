"""How reviews label turns: how many of the engine's turns they call faults, and how many faults have a specific reason.

    python -m bench.reviews own --game nova --players 2 --games 4 --nodes 2000
    python -m bench.reviews reasons --game turrium --players 3 --levels 1 3 5 --games 5

`own` lets level 8 play against itself with a fixed number of nodes, its usual number unless given, and reviews every turn with ten times as many.
`reasons` reviews games of other levels with the nodes of a review on the server. Each game begins with another random opening, because level 8 has no
randomness of its own. All limits are nodes, so other work on the machine does not change the results.
Each prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import terrarium
from terrarium.arena import Match
from terrarium.arena.match import opening
from terrarium.core.action import Action
from terrarium.core.position import Position
from terrarium.engine import Engine, Limit, Verdict, review_turn
from terrarium.engine.review import FAULTS
from terrarium.play.thinking import REVIEW

GAMES = tuple(name for name, game in terrarium.games.items() if game.levels)
_TENFOLD = 10
_FEW = 2000
"""Positions a turn of other levels."""
_LONGEST = 200
"""Turns after which a game is abandoned; games of weak players can be very long."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reviews",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("own", "reasons"))
    parser.add_argument("--game", choices=GAMES, default="nova")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--nodes", type=int, help="positions a turn of the players")
    parser.add_argument("--levels", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--review-nodes", type=int, help="instead of the usual nodes of a review")
    parser.add_argument("--every", type=int, default=1, help="review only every N-th turn")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.command == "own":
        args.levels = [8]
    if args.nodes is None:
        args.nodes = terrarium.games[args.game].top_nodes if args.command == "own" else _FEW
    usual = _TENFOLD * args.nodes if args.command == "own" else REVIEW.nodes
    limit = Limit(nodes=args.review_nodes or usual)
    match = Match(args.game, "level:8", "level:8", players=args.players, seed=args.seed)
    judged = [
        one
        for number in range(args.games)
        for one in reviewed(
            opening(match, number)[0],
            args.levels,
            args.nodes,
            limit,
            100 * args.seed + number,
            args.every,
        )
    ]
    print(json.dumps(vars(args) | {"reviewed_with": limit.nodes} | summary(judged)))


def reviewed(
    start: Position, levels: Sequence[int], nodes: int, limit: Limit, seed: int, every: int = 1
) -> Iterator[tuple[int, Verdict]]:
    """The level and the verdict of each reviewed turn of a game; the levels are assigned to the seats in rotation."""
    engines = [
        Engine(level=levels[seat % len(levels)], seed=10 * seed + seat)
        for seat in range(start.players)
    ]
    judge = Engine(level=8, seed=0)
    position = start
    for number in range(_LONGEST):
        if position.to_move is None:
            return
        engine = engines[position.to_move]
        turn: tuple[Action, ...] = engine.choose(position, Limit(nodes=nodes)).actions
        if (number + seed) % every == 0:
            yield engine.level.number, review_turn(position, turn, limit, judge)
        position = position.play_all(turn)


def summary(judged: list[tuple[int, Verdict]]) -> dict[str, Any]:
    """The share of faults for each level, the share of faults with a specific reason, and the most frequent reasons."""
    faulted = [(level, one) for level, one in judged if one.label in FAULTS]
    specific = [one for _, one in faulted if one.reasons[0].code != "position"]
    by_level = {
        level: round(
            sum(of == level for of, _ in faulted) / sum(of == level for of, _ in judged), 3
        )
        for level in sorted({level for level, _ in judged})
    }
    first = Counter(f"{one.reasons[0].side} {one.reasons[0].code}" for one in specific)
    return {
        "turns": len(judged),
        "labels": dict(Counter(one.label for _, one in judged)),
        "faulted": len(faulted),
        "faulted_by_level": by_level,
        "specific": len(specific),
        "first_reasons": dict(first.most_common()),
    }


if __name__ == "__main__":
    main()
