"""How strong the computer players are: a command for every figure of docs/strength.md.

    python -m bench.strength mcts --game nova --time 0.1 --games 100
    python -m bench.strength seats --game nova --players 3
    python -m bench.strength openspiel --game nova
    python -m bench.strength ladder --game nova
    python -m bench.strength wins
    python -m bench.strength endings --game turrium
    python -m bench.strength versus --baseline bd56524 --game nova --time 0.1
    python -m bench.strength threads --game nova --time 0.1
    python -m bench.strength speed

Each prints one JSON object. Games are played on all cores unless --jobs says otherwise. Figures at a time limit need an idle machine, except with
`--clock processor`: then limits are processor time, of each program (`versus`) or of the process that plays the game.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import terrarium
from bench import baseline
from bench.endings import endings
from terrarium.arena import Match, MatchResult, play_games
from terrarium.arena.ladder import climb, rungs
from terrarium.arena.match import opening
from terrarium.arena.players import player
from terrarium.arena.pool import cores, workers
from terrarium.arena.statistics import score
from terrarium.engine import Engine, Limit
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search
from terrarium.engine.uct import Uct

HELD_OUT = 4711
"""The seed of openings that were never used to choose weights or settings."""

CLOCKS = ("wall", "processor")

GAMES = tuple(name for name, game in terrarium.games.items() if game.levels)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.strength",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Any], dict[str, Any]], text: str) -> Any:
        found = commands.add_parser(name, help=text, description=text)
        found.add_argument("--game", choices=GAMES, default="nova")
        found.add_argument("--games", type=int)
        found.add_argument("--seed", type=int, default=1)
        found.add_argument("--jobs", type=int, default=cores())
        found.add_argument(
            "--clock", choices=CLOCKS, default="wall", help="what the seconds of a limit are"
        )
        found.add_argument(
            "--folder", type=Path, default=baseline.FOLDER, help="where copies are built"
        )
        found.set_defaults(run=run)
        return found

    one = command("mcts", against_mcts, "level 8 against mcts, two players, at equal time")
    one.add_argument("--time", type=float, default=0.1)
    one.add_argument("--sprt", action="store_true", help="stop when 400 or 700 Elo is decided")
    one = command("seats", among_mcts, "one level 8 among mcts players")
    one.add_argument("--players", type=int, choices=(3, 4), default=3)
    one.add_argument("--time", type=float, default=0.1)
    one = command("openspiel", against_open_spiel, "level 8 against OpenSpiel's own MCTSBot")
    one.add_argument("--time", type=float, default=0.25)
    one.add_argument("--simulations", type=int, default=1000)
    one.add_argument(
        "--rollouts",
        choices=("openspiel", "kernel"),
        default="kernel",
        help="where MCTSBot's uniformly random roll-outs are played",
    )
    one = command("ladder", the_ladder, "each level against the one below")
    one.add_argument("--nodes", type=int, help="the limit of level 8; other levels have their own")
    one = command("wins", reaches_a_win, "Terra Turrium: how often level 8 against itself is won")
    one.add_argument("--time", type=float, default=0.1)
    one = command("endings", endings, "won endings that level 8 does not win")
    one.add_argument("--levels", type=int, nargs="+", default=(6, 7, 8), help="who plays the games")
    one.add_argument("--turns", type=int, default=3, help="how many last turns of each game")
    one.add_argument("--deep", type=int, help="positions of the search that says what is won")
    one.add_argument("--nodes", type=int, help="positions a turn of level 8")
    one.set_defaults(seed=HELD_OUT, jobs=1)
    one = command(
        "versus", against_baseline, "this tree against an earlier commit, both as programs"
    )
    one.add_argument("--baseline", metavar="COMMIT", default="bd56524")
    one.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    one.add_argument("--level", type=int, default=8)
    limit = one.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, help="seconds a turn, 0.1 unless given")
    limit.add_argument("--nodes", type=int, help="positions a turn, the same for both")
    one.add_argument(
        "--sprt",
        type=float,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="stop when one of two Elo differences is decided; two players",
    )
    one.set_defaults(seed=HELD_OUT)
    one = command("threads", more_threads, "level 8 with several threads against one, by the clock")
    one.add_argument("--threads", type=int, default=2)
    one.add_argument("--time", type=float, default=0.1)
    one.set_defaults(jobs=1, seed=HELD_OUT)
    command("speed", speed, "evaluations and play-outs per second on one core")
    chosen = parser.parse_args()
    if chosen.clock == "processor" and chosen.run not in (against_baseline, more_threads):
        _run_by_processor_time(chosen.folder)
    begun = time.perf_counter()
    found = chosen.run(chosen)
    found["clock"] = chosen.clock
    found["took"] = round(time.perf_counter() - begun, 1)
    found["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(found))


def _run_by_processor_time(folder: Path) -> None:
    """Run this command again with a copy of this tree whose limits are processor time, unless it is already run so."""
    source = baseline.by_processor_time(baseline.TREE / "src", folder)
    if Path(terrarium.__file__).is_relative_to(source):
        return
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, "-m", "bench.strength", *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


def against_mcts(chosen: Any) -> dict[str, Any]:
    """Level 8 against plain UCT in the same kernel."""
    low, high = (400.0, 700.0) if chosen.sprt else (None, None)
    match = Match(
        chosen.game,
        "level:8",
        "mcts",
        games=chosen.games or (100 if chosen.time < 0.5 else 30),
        limit=Limit(seconds=chosen.time),
        seed=chosen.seed,
        low_elo=low,
        high_elo=high,
    )
    return _played(match, chosen.jobs).to_dict() | {"target": 0.95}


def among_mcts(chosen: Any) -> dict[str, Any]:
    """One level 8, the other seats mcts."""
    match = Match(
        chosen.game,
        "level:8",
        "mcts",
        players=chosen.players,
        games=chosen.games or 12 * chosen.players,
        limit=Limit(seconds=chosen.time),
        seed=chosen.seed,
    )
    found = _played(match, chosen.jobs).to_dict()
    return found | {"target": round(2 / chosen.players, 4)}


def the_ladder(chosen: Any) -> dict[str, Any]:
    """Each level against the one below, with node limits."""
    pattern = Match(
        chosen.game,
        "level:2",
        "level:1",
        games=chosen.games or 40,
        limit=Limit(nodes=chosen.nodes or terrarium.games[chosen.game].top_nodes),
        seed=chosen.seed,
    )
    found = []
    with workers(chosen.jobs) as (pool, size):
        for result, game in climb(rungs(pattern), size, pool):
            if game is None:
                found.append(result.to_dict())
                _progress(f"{result.match.first}: {result.score.mean:.2f}")
    return {"game": chosen.game, "target": [0.60, 0.85], "rungs": found}


def reaches_a_win(chosen: Any) -> dict[str, Any]:
    """Terra Turrium from the opening: level 8 against itself, counting games that somebody wins."""
    match = Match(
        "turrium",
        "level:8",
        "level:8",
        games=chosen.games or 20,
        limit=Limit(seconds=chosen.time),
        seed=chosen.seed,
    )
    result = _played(match, chosen.jobs)
    won = score([[float(game.reason == "towers")] for game in result.games])
    return {
        "game": "turrium",
        "games": won.games,
        "won": round(won.mean, 4),
        "low": round(won.low, 4),
        "high": round(won.high, 4),
        "mean_turns": result.to_dict()["mean_turns"],
        "seconds": chosen.time,
        "target": 0.9,
    }


def against_baseline(chosen: Any) -> dict[str, Any]:
    """This tree's engine against that of an earlier commit; with three or four players, one new engine against old ones."""
    commit = baseline.commit_of(chosen.baseline)
    low, high = chosen.sprt or (None, None)
    seconds = chosen.time if chosen.time or chosen.nodes else 0.1
    sources = [baseline.TREE / "src", baseline.built(commit, chosen.folder)]
    if chosen.clock == "processor":
        sources = [baseline.by_processor_time(source, chosen.folder) for source in sources]
    new, old = (f"cmd:{baseline.program(source, chosen.level)}" for source in sources)
    match = Match(
        chosen.game,
        new,
        old,
        players=chosen.players,
        games=chosen.games or 50 * chosen.players,
        limit=Limit(seconds=seconds, nodes=chosen.nodes),
        seed=chosen.seed,
        low_elo=low,
        high_elo=high,
    )
    found = _played(match, chosen.jobs).to_dict()
    fair = match.fair_share
    return found | {
        "first": f"level {chosen.level} of this tree",
        "second": f"level {chosen.level} of {commit[:10]}",
        "of_fair_share": [round(found[name] / fair, 3) for name in ("score", "low", "high")],
    }


def more_threads(chosen: Any) -> dict[str, Any]:
    """Level 8 with several threads against level 8 with one, both as programs; each thread needs a free core."""
    if chosen.clock != "wall":
        raise SystemExit("threads: processor time is the sum over all threads; use --clock wall")
    if chosen.threads * chosen.jobs > cores():
        raise SystemExit(f"threads: {chosen.threads} threads need as many free cores for each job")
    source = baseline.TREE / "src"
    match = Match(
        chosen.game,
        f"cmd:{baseline.program(source, 8, chosen.threads)}",
        f"cmd:{baseline.program(source, 8)}",
        games=chosen.games or 200,
        limit=Limit(seconds=chosen.time),
        seed=chosen.seed,
    )
    found = _played(match, chosen.jobs).to_dict()
    return found | {
        "first": f"level 8, {chosen.threads} threads",
        "second": "level 8, one thread",
        "target_elo": 60,
    }


def against_open_spiel(chosen: Any) -> dict[str, Any]:
    """Level 8 against OpenSpiel's MCTSBot, which plays through the adapter."""
    games = chosen.games or 20
    facts = vars(chosen) | {"run": None}
    shares = []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(_one_against_open_spiel, facts, number) for number in range(games)]
        for future in as_completed(waiting):
            shares.append(future.result())
            _progress(f"{len(shares)} of {games} games, {sum(share for _, share in shares):g} won")
    pairs: dict[int, list[float]] = {}
    for number, share in sorted(shares):
        pairs.setdefault(number // 2, []).append(share)
    found = score(list(pairs.values()))
    return {
        "game": chosen.game,
        "first": "level:8",
        "second": f"OpenSpiel MCTSBot, {chosen.simulations} simulations an action",
        "rollouts": chosen.rollouts,
        "games": found.games,
        "wins": sum(share == 1 for _, share in shares),
        "score": round(found.mean, 4),
        "low": round(found.low, 4),
        "high": round(found.high, 4),
        "seconds": chosen.time,
        "target": 0.95,
    }


def _one_against_open_spiel(facts: dict[str, Any], number: int) -> tuple[int, float]:
    """Play one game; returns its number and level 8's share of the win."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    import terrarium.envs.openspiel  # registers the games
    from terrarium.envs.batch import random_game

    class KernelRollouts(mcts.Evaluator):  # type: ignore[misc]
        """The roll-outs of RandomRolloutEvaluator, each a uniformly random game, played in the kernel."""

        def evaluate(self, state: Any) -> Any:
            return np.array(random_game(state.position, random.randrange(2**31)))

        def prior(self, state: Any) -> list[tuple[int, float]]:
            actions = state.legal_actions()
            return [(action, 1.0 / len(actions)) for action in actions]

    game, seed = facts["game"], facts["seed"]
    random = Random(f"{seed}/{number}/rollouts")
    match = Match(game, "level:8", "random", seed=seed)
    beginning, (seat,) = match.seating(number)
    _, played = opening(match, beginning)
    spiel = pyspiel.load_game(terrarium.games[game].openspiel)
    state = spiel.new_initial_state()
    for text in played:
        state.apply_action(state.position.resolve(text))
    chance = np.random.RandomState(1000 * seed + number)
    evaluator = (
        KernelRollouts()
        if facts["rollouts"] == "kernel"
        else mcts.RandomRolloutEvaluator(1, chance)
    )
    theirs = mcts.MCTSBot(spiel, 2.0, facts["simulations"], evaluator, random_state=chance)
    ours = player("level:8", seed=number)
    limit = Limit(seconds=facts["time"])
    while not state.is_terminal():
        if state.current_player() == seat:
            for action in ours.turn(state.position, limit):
                state.apply_action(state.position.resolve(action))
        else:
            state.apply_action(theirs.step(state))
    return number, float(state.position.outcome.shares(2)[seat])


def speed(chosen: Any) -> dict[str, Any]:
    """Evaluations, positions and play-outs per second on one core."""
    return {game: _speed_of(game, chosen.seed) for game in GAMES}


def _speed_of(game: str, seed: int) -> dict[str, float]:
    """The speeds in a position of the middle of a random game."""
    random, position = Random(seed), terrarium.games[game].start()
    actions = 0
    while actions < 60 or not position.at_turn_start:
        position = position.play(random.choice(position.legal_ids()))
        actions += 1
    brain = brain_for(position)
    search, uct = Search(position, brain), Uct(position, seed=1)
    nodes, spent = _while(2.0, lambda: search.run(0.2), lambda: search.nodes)
    playouts, uct_spent = _while(2.0, lambda: uct.run(0.2), lambda: uct.nodes)
    evaluations, alone = _while(1.0, *_counted(lambda: brain.evaluate(position)))
    in_play, in_play_spent = _expanded_in_play(game, seed)
    beginner = Engine(level=1, seed=1)
    begun = time.perf_counter()
    for _ in range(10):
        beginner.choose(position)
    return {
        "search_evaluations_per_second": round(nodes / spent),
        "turns_expanded_per_second": round(search.expansions / spent),
        "turns_expanded_per_second_in_play": round(in_play / in_play_spent),
        "evaluations_per_second_alone": round(evaluations / alone),
        "mcts_playouts_per_second": round(playouts / uct_spent),
        "level_1_milliseconds": round((time.perf_counter() - begun) * 100, 1),
    }


def _expanded_in_play(game: str, seed: int) -> tuple[int, float]:
    """The number of positions expanded, and the processor time, in the first turns of four games of the search against itself."""
    match = Match(game, "level:8", "level:8", seed=seed)
    expanded, spent = 0, 0.0
    for number in range(4):
        position, _ = opening(match, number)
        for _ in range(30):
            search = Search(position, brain_for(position))
            own = time.process_time()
            search.run(nodes=6_000)
            spent += time.process_time() - own
            expanded += search.expansions
            position = position.play_all(search.turns()[0][0])
            if position.outcome is not None:
                break
    return expanded, spent


def _while(
    seconds: float, work: Callable[[], object], count: Callable[[], int]
) -> tuple[int, float]:
    """Repeat some work for this many seconds; returns how much was counted, and the processor time."""
    begun, own, before = time.perf_counter(), time.process_time(), count()
    while time.perf_counter() - begun < seconds:
        work()
    return count() - before, max(1e-9, time.process_time() - own)


def _counted(work: Callable[[], object]) -> tuple[Callable[[], object], Callable[[], int]]:
    done = 0

    def counted() -> None:
        nonlocal done
        done += 1
        work()

    return counted, lambda: done


def _played(match: Match, jobs: int) -> MatchResult:
    result = MatchResult(match)
    with workers(jobs) as (pool, size):
        for game in play_games(match, size, pool):
            result.add(game)
            _progress(f"{len(result.games)} of {match.games} games, score {result.score.mean:.3f}")
    result.games.sort(key=lambda game: game.number)
    return result


_SECONDS_BETWEEN_LINES = 60.0
_last_line = 0.0


def _progress(text: str) -> None:
    """Show how far a match is: on a terminal in place, in a file as one line a minute."""
    global _last_line
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)
    elif time.monotonic() - _last_line >= _SECONDS_BETWEEN_LINES:
        _last_line = time.monotonic()
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
