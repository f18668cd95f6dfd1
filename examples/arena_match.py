"""Let two computer players play a match, and print the score with its confidence interval.

python examples/arena_match.py --first level:3 --second greedy
"""

from __future__ import annotations

import argparse

from terrarium.arena import GameResult, Match, MatchResult, run
from terrarium.engine import Limit


def report(so_far: MatchResult, game: GameResult) -> None:
    """Print one line when a game ends."""
    print(f"game {game.number + 1}: {game.reason} after {game.turns} turns, {game.first_share:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="nova")
    parser.add_argument("--first", default="level:3")
    parser.add_argument("--second", default="greedy")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=300)
    chosen = parser.parse_args()
    match = Match(
        chosen.game,
        first=chosen.first,
        second=chosen.second,
        games=chosen.games,
        limit=Limit(nodes=chosen.nodes),
    )
    score = run(match, jobs=2, on_game=report).score
    print(f"{chosen.first}: {score.mean:.0%}, {score.low:.0%} to {score.high:.0%} (95 %)")


if __name__ == "__main__":  # worker processes import this file
    main()
