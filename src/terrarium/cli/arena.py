"""`terrarium arena`: matches between computer players, the ladder of levels, and training by self-play."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from terrarium.cli.common import (
    BoardName,
    Commands,
    Edition,
    GameName,
    OptionWords,
    bad,
    board_named,
    console,
    game_named,
    options_from,
)

__all__ = ["arena"]

arena = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode="rich")

Game = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="A game by its name, such as nova.")
]
Players = Annotated[int, typer.Option("--players", "-n", metavar="N", help="How many seats.")]
Seconds = Annotated[
    float | None, typer.Option("--time", "-t", metavar="S", help="Seconds per turn.")
]
Nodes = Annotated[
    int | None,
    typer.Option("--nodes", metavar="N", help="Positions or play-outs per turn, instead of time."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of openings and players.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", help="Parallel games; default: one per core."),
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster; local: start one here."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Records = Annotated[
    Path | None, typer.Option("--records", metavar="FILE", help="Write the games here (.terra).")
]


@arena.callback(invoke_without_command=True)
def commands(context: typer.Context) -> None:
    """Let computer players play matches."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@arena.command("match")
def match(
    game: Game,
    first: Annotated[
        str, typer.Option("--first", metavar="PLAYER", help="The player whose score is reported.")
    ],
    second: Annotated[str, typer.Option("--second", metavar="PLAYER", help="The opponent.")],
    players: Players = 2,
    games: Annotated[
        int, typer.Option("--games", metavar="N", help="Maximum number of games.")
    ] = 40,
    time: Seconds = None,
    nodes: Nodes = None,
    seed: Seed = 1,
    mix: Annotated[
        str,
        typer.Option(
            "--mix", metavar="one|all", help="Seats of the first player: one, or every mix."
        ),
    ] = "one",
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt", metavar="LOW HIGH", help="Stop when one of two Elo gaps is decided."
        ),
    ] = None,
    edition: Edition = None,
    option: OptionWords = None,
    board: BoardName = None,
    records: Records = None,
    jobs: Jobs = None,
    ray: Ray = None,
    as_json: Json = False,
) -> None:
    """Play a match and report the result.

    Players are level:1 to level:8, random, novice (a beginner), greedy, mcts (plain UCT with random play-outs) and
    cmd:PROGRAM (any program that speaks the protocol of terrarium engine). Each opening is played with the first player on every seat in turn.
    """
    from terrarium.arena.match import Match, play_games
    from terrarium.arena.pool import workers
    from terrarium.arena.result import MatchResult, record_of

    low, high = sprt or (None, None)
    played = Match(
        first=_player(first, "--first"),
        second=_player(second, "--second"),
        games=games,
        limit=_limit(time, nodes, seconds=0.25),
        seed=seed,
        mix=mix,
        low_elo=low,
        high_elo=high,
        **_rules(game, players, edition, option, board),
    )
    result = MatchResult(played)
    with _opened(records) as file, workers(jobs, ray) as (pool, size), _bar(games) as shown:
        for ended in play_games(played, size, pool):
            result.add(ended)
            shown(f"{first} {result.score.mean:.1%} against {second}")
            if file is not None:
                print(record_of(played, ended), file=file, flush=True)
    result.games.sort(key=lambda one: one.number)
    if as_json:
        print(json.dumps(result.to_dict()))
    else:
        _print_result(result.to_dict())


@arena.command("ladder")
def ladder(
    game: Game,
    players: Players = 2,
    games: Annotated[int, typer.Option("--games", metavar="N", help="Games per level.")] = 40,
    low: Annotated[int, typer.Option("--from", metavar="N", help="The lowest level.")] = 1,
    high: Annotated[int, typer.Option("--to", metavar="N", help="The highest level.")] = 8,
    time: Seconds = None,
    nodes: Nodes = None,
    seed: Seed = 1,
    edition: Edition = None,
    option: OptionWords = None,
    board: BoardName = None,
    jobs: Jobs = None,
    ray: Ray = None,
    as_json: Json = False,
) -> None:
    """Play each level against the one below.

    Each level has its own limit of positions; --nodes (default 75000 in Terra Nova, 20000 in Terra Turrium) limits the
    strongest, so that the ladder can be repeated exactly.
    """
    from terrarium.arena.ladder import climb, rungs
    from terrarium.arena.match import Match
    from terrarium.arena.pool import workers

    rules = _rules(game, players, edition, option, board)
    pattern = Match(
        first="level:2",
        second="level:1",
        games=games,
        limit=_limit(time, nodes, nodes_unless_said=game_named(game).top_nodes),
        seed=seed,
        **rules,
    )
    matches = rungs(pattern, low, high)
    found: list[dict[str, Any]] = []
    with workers(jobs, ray) as (pool, size), _bar(games * len(matches)) as shown:
        for result, ended in climb(matches, size, pool):
            rung = result.match
            if ended is not None:
                shown(f"{rung.first} {result.score.mean:.1%} against {rung.second}")
                continue
            found.append(result.to_dict())
    if as_json:
        print(json.dumps({"game": game, "players": players, "rungs": found}))
        return
    for one in found:
        _print_result(one)


@arena.command("train")
def train(
    game: GameName,
    directory: Annotated[
        Path,
        typer.Option(
            "--directory", "-d", metavar="DIR", help="Stores all results; run again to resume."
        ),
    ] = Path("training"),
    rounds: Annotated[
        int,
        typer.Option("--rounds", metavar="N", help="Number of rounds of self-play and fitting."),
    ] = 4,
    games: Annotated[int, typer.Option("--games", metavar="N", help="Games per round.")] = 200,
    seed: Seed = 1,
    insist: Annotated[
        float,
        typer.Option(
            "--insist", metavar="P", help="Share of turns that must place a border stone."
        ),
    ] = 0.2,
    board: Annotated[
        str | None, typer.Option("--board", "-b", metavar="NAME", help="A built-in board.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Start from these weights."),
    ] = None,
    players: Players = 2,
    by: Annotated[
        str,
        typer.Option(
            "--by",
            metavar="WAY",
            help="examples: fit to what happened in games. play: keep what wins games; --games counts pairs. network: fit a neural network to games (Terra Nova: 3 or 4 players).",
        ),
    ] = "examples",
    jobs: Jobs = None,
    ray: Ray = None,
    as_json: Json = False,
) -> None:
    """Train a game's evaluation on games of the engine against itself.

    Training can be interrupted; the same command resumes it. The result is weights.json in the directory.
    """
    from terrarium.arena.pool import workers
    from terrarium.arena.train import Plan, train

    plan = Plan(game_named(game).name, rounds, games, seed, insist, board, players, by)
    reports: list[dict[str, Any]] = []
    with workers(jobs, ray) as (pool, size), _bar(rounds * games) as shown:
        for step in train(plan, directory, pool, size, weights):
            shown(f"round {step.round}", (step.round - 1) * games + step.games)
            if step.report is not None:
                reports.append({"round": step.round} | step.report)
                if not as_json:
                    facts = "  ".join(f"{name} {value:g}" for name, value in step.report.items())
                    console().print(f"round {step.round}: {facts}")
    path = directory / "weights.json"
    if as_json:
        print(json.dumps({"game": game, "weights": str(path), "rounds": reports}))
    else:
        console().print(f"{path}: trained by `{plan.command}`", soft_wrap=True)


def _player(name: str, option: str) -> str:
    from terrarium.arena.players import check_player
    from terrarium.errors import EngineError

    try:
        check_player(name)
    except EngineError as error:
        raise bad(str(error), option) from error
    return name


def _limit(
    seconds_said: float | None,
    nodes_said: int | None,
    seconds: float | None = None,
    nodes_unless_said: int | None = None,
) -> Any:
    from terrarium.engine import Limit

    if seconds_said is None and nodes_said is None:
        return Limit(seconds, nodes_unless_said)
    return Limit(seconds_said, nodes_said)


def _rules(
    name: str,
    players: int,
    edition: str | None,
    words: list[str] | None,
    board: str | None,
) -> dict[str, Any]:
    """The fields of `Match` that these options set."""
    game = game_named(name, "--game")
    options = options_from(game, players, edition, words)
    return {
        "game": name,
        "players": options.pop("players"),
        "options": options,
        "board": board_named(game, board),
    }


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO | None]:
    """The file for the records; each record is written when its game ends, so an interruption loses none."""
    with nullcontext() if path is None else path.open("w", encoding="utf-8") as file:
        yield file


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    """A function that shows progress on standard error, if that is a terminal.

    Call it after each game with a text, or with the number of games done as well.
    """
    if not sys.stderr.isatty():
        yield lambda text, done=None: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("playing the first games", total=total)

    def show(text: str, done: int | None = None) -> None:
        if done is None:
            bar.update(task, description=text, advance=1)
        else:
            bar.update(task, description=text, completed=done)

    with bar:
        yield show


def _print_result(found: dict[str, Any]) -> None:
    """Print a result in words."""
    output = console()
    fair = "" if found["fair_share"] == 0.5 else f", a fair share is {found['fair_share']:.1%}"
    output.print(
        f"{found['first']} against {found['second']}: {found['score']:.1%} of {found['games']} games, "
        f"{found['low']:.1%} to {found['high']:.1%} (95 %){fair}",
        soft_wrap=True,
    )
    facts = [f"{found['wins']} won, {found['shared']} shared, {found['losses']} lost"]
    if found["elo"] is not None:
        facts.append(f"{found['elo']:+.0f} Elo")
    if found["verdict"] is not None:
        facts.append(f"the sequential test says {found['verdict']}")
    if found["faults"]:
        facts.append(f"{found['faults']} games lost by a program's fault")
    ends = ", ".join(f"{count} {reason}" for reason, count in found["reasons"].items())
    output.print(f"  {'; '.join(facts)}; ends: {ends}", soft_wrap=True)
