"""The engine is repeatable, can be stopped, respects its limits, and always plays by the rules."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from threading import Event, Thread
from typing import Any, cast

import pytest

import terrarium
from terrarium import nova, turrium
from terrarium.core.position import Position
from terrarium.engine import DEFAULT_LEVEL, LEVELS, Analysis, Engine, Limit, expected_shares
from terrarium.engine.engine import brain_for
from terrarium.engine.search import Search
from terrarium.errors import EngineError
from tests.turrium.drawn import at

GAMES = sorted(terrarium.games)
LONG = 3600
HANGS = 120  # seconds after which a call that should end at once counts as hanging


def middle(game: str, players: int = 2, actions: int = 60, seed: int = 1) -> Position:
    """A position some random actions into a game, at the start of a turn."""
    random, position = Random(seed), terrarium.games[game].start(players=players)
    while actions > 0 or not position.at_turn_start:
        position = position.play(random.choice(position.legal_ids()))
        actions -= 1
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_and_nodes_give_the_same_turn(game: str, players: int) -> None:
    position = middle(game, players)
    for level in (1, 4, 8):
        choices = [
            Engine(level=level, seed=7).choose(position, Limit(nodes=1500)) for _ in range(2)
        ]
        assert choices[0] == choices[1]


@pytest.mark.parametrize("game", GAMES)
def test_reports_do_not_change_what_is_found(game: str) -> None:
    position = middle(game)
    quiet = Engine(level=8, seed=7).choose(position, Limit(nodes=3000))
    heard: list[Analysis] = []
    told = Engine(level=8, seed=7).choose(position, Limit(nodes=3000), heard.append, lines=3)
    assert told == quiet
    assert heard[-1].is_final
    assert heard[-1].nodes == quiet.nodes


def test_a_low_level_varies_with_its_seed() -> None:
    position = middle("nova")
    turns = {str(Engine(level=1, seed=s).choose(position, Limit(nodes=60))) for s in range(12)}
    assert len(turns) > 1


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("how", ["choose", "analyse"])
def test_a_search_ends_when_it_is_stopped_from_another_thread(game: str, how: str) -> None:
    engine, position = Engine(level=8, seed=1), middle(game)
    answers: list[Any] = []
    is_searching = Event()

    def think() -> None:
        if how == "choose":
            answers.append(
                engine.choose(position, Limit(seconds=LONG), lambda _: is_searching.set())
            )
            return
        for analysis in engine.analyse(position, Limit(seconds=LONG)):
            answers.append(analysis)
            is_searching.set()

    thread = Thread(target=think)
    thread.start()
    assert is_searching.wait(HANGS)
    engine.stop()
    thread.join(HANGS)
    assert not thread.is_alive()
    turn = answers[-1].actions if how == "choose" else answers[-1].lines[0].turn
    position.play_all(turn)
    again = engine.choose(position, Limit(nodes=200))
    assert again.nodes > 150, "a stop must only affect the search that is running"


def stopped_at_once(engine: Engine, position: Position) -> Analysis:
    """The analysis of a position by an engine that is stopped at once."""
    heard: list[Analysis] = []
    engine.stop()
    engine.choose(position, Limit(seconds=LONG), heard.append, lines=8)
    return heard[-1]


@pytest.mark.parametrize("game", GAMES)
def test_a_choice_in_time_continues_the_search_of_the_turn_before(game: str) -> None:
    engine, position = Engine(level=8, seed=1), middle(game)

    def stop_in_time(analysis: Analysis) -> None:
        if analysis.nodes > 150_000:
            engine.stop()

    engine.choose(position, Limit(seconds=LONG), stop_in_time)
    engine.forget_stop()
    assert engine._kept is not None
    for turn in engine._kept.line(engine._kept.turns()[0][0], 2):
        position = position.play_all([position.action(id) for id in turn])
    assert not any(line.visits for line in stopped_at_once(Engine(level=8), position).lines)
    known = stopped_at_once(engine, position)
    assert any(line.visits for line in known.lines)
    for line in known.lines:
        position.play_all(line.turn)


@pytest.mark.parametrize("game", GAMES)
def test_an_engine_with_several_threads_plays_by_the_rules(game: str) -> None:
    engine, position = Engine(level=8, seed=1, threads=2), middle(game)
    for limit in (Limit(nodes=1), Limit(nodes=3000), Limit(seconds=0.05)):
        choice = engine.choose(position, limit)
        assert choice.nodes <= (limit.nodes or choice.nodes)
        position.play_all(choice)
    again = pickle.loads(pickle.dumps(engine))
    assert again.threads == 2


@pytest.mark.parametrize("game", GAMES)
def test_the_tree_stays_within_its_memory(game: str) -> None:
    position, allowed = middle(game), 1 << 20
    search = Search(position, brain_for(position), memory=allowed)
    while search.run(nodes=2_000) and search.nodes < 400_000:
        assert search.memory <= allowed * 1.02
    assert allowed * 0.5 < search.memory <= allowed * 1.02
    assert search.turns()


@pytest.mark.parametrize("game", GAMES)
def test_several_searches_at_once_find_what_each_finds_alone(game: str) -> None:
    positions = [middle(game, seed=seed) for seed in range(4)]

    def choose(position: Position) -> str:
        return str(Engine(level=8, seed=3).choose(position, Limit(nodes=2000)))

    alone = [choose(position) for position in positions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(choose, positions)) == alone


def test_analysis_gives_the_best_turns_with_the_expected_share_of_each_seat() -> None:
    position = middle("nova", players=3)
    *_, last = Engine(level=8, seed=1).analyse(position, Limit(nodes=3000), lines=3)
    assert len(last.lines) == 3
    assert last.is_final
    for line in last.lines:
        position.play_all(line.turn)
        assert sum(line.shares) == pytest.approx(1, abs=0.02)
        assert len(line.points) == 3
    assert last.to_dict()["lines"][0]["turn"] == [str(action) for action in last.lines[0].turn]


def test_analysis_of_terra_nova_estimates_the_owner_of_each_open_cell() -> None:
    position = middle("nova", players=3)
    assert isinstance(position, nova.Position)
    *_, last = Engine(level=8, seed=1).analyse(position, Limit(nodes=500))
    assert set(last.extras["ownership"]) == set(position.board.cells) - {
        *position.stones,
        *position.dead,
    }
    for owned in last.extras["ownership"].values():
        assert 0 <= owned["pay"] <= 3
        assert sum(owned["shares"]) == pytest.approx(1, abs=0.02)
    json.dumps(last.to_dict())


def test_among_three_open_land_is_worth_less_after_more_turns_without_a_stone() -> None:  # TN-27
    text = middle("nova", players=3).to_text()
    *before, stall, resigned = text.split(" ")
    assert int(stall) < 30

    def promised(turns_without_a_stone: int) -> float:
        again = nova.Position.from_text(" ".join([*before, str(turns_without_a_stone), resigned]))
        *_, last = Engine(level=8, seed=1).analyse(again, Limit(nodes=1))
        return float(sum(owned["pay"] for owned in last.extras["ownership"].values()))

    assert promised(0) > 0
    assert promised(30) == pytest.approx(promised(0) / 2, rel=0.02), (
        "the game ends after 60 turns without a stone"
    )


def test_analysis_of_terra_turrium_estimates_the_turns_each_seat_needs() -> None:  # TT-14
    near = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=5r h4=6 c5=1"
    position = at(f"{near} c8=1b d8=1b e8=1b f8=1b g8=1b h8=1b", players=2)
    *_, last = Engine(level=8, seed=1).analyse(position, Limit(nodes=500))
    red, blue = last.extras["turns_to_win"]
    assert 0 <= red < 2 < blue
    assert "ownership" not in last.to_dict()


def late(rounds: int) -> turrium.Position:
    """The same flags and cubes on both sides after this many rounds."""
    red = "c3=1r d3=2r e3=3r f3=4r g3=5r h3=1r"
    blue = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=1b"
    position = at(f"{red} {blue} c5=2 h5=2", players=2)
    return turrium.Position.from_facts(replace(position.facts(), rounds=rounds))


def test_answers_to_draw_offers_do_not_vary_at_random_after_many_rounds() -> None:
    # a search varies the values from round to round (`unrest`); without it, the mover of equal sides is slightly ahead
    shares = [expected_shares(late(rounds)) for rounds in range(50, 100)]
    assert all(0.5 <= mover < 0.6 for mover, _ in shares)


def test_free_cubes_count_more_with_every_late_round() -> None:
    """With more rounds the same lack of free cubes costs both sides more, so that somebody frees some."""
    lost = [brain_for(late(rounds)).evaluate(late(rounds))[0][0] for rounds in (39, 41, 60, 90)]
    assert lost == sorted(lost, reverse=True)
    assert len(set(lost)) == 4


def test_there_are_eight_levels_and_the_default_is_one_of_them() -> None:
    assert [Engine(level=number).level.number for number in range(1, 9)] == list(range(1, 9))
    assert Engine().level.number == DEFAULT_LEVEL
    assert 1 <= DEFAULT_LEVEL <= len(LEVELS)
    assert all(len(game.levels) == len(LEVELS) for game in terrarium.games.values())


@pytest.mark.parametrize("game", GAMES)
def test_a_higher_level_looks_at_no_fewer_positions(game: str) -> None:
    """Levels 1 to 7 have their own limits, level 8 stops at the caller's limit."""
    position = middle(game)
    looked_at = [
        Engine(level=number, seed=1).choose(position, Limit(seconds=LONG)).nodes
        for number in range(1, 8)
    ]
    limits = [look.nodes or 0 for look in terrarium.games[game].levels[:7]]
    assert limits == sorted(limits)
    # the lowest levels stop after their first search, whose size depends on the position
    assert looked_at[3:] == sorted(looked_at[3:])
    assert max(looked_at[:3]) < looked_at[-1]
    beyond = Limit(nodes=2 * looked_at[-1])
    assert Engine(level=8, seed=1).choose(position, beyond).nodes > looked_at[-1]


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", GAMES)
def test_a_limit_of_positions_is_never_exceeded(game: str, players: int) -> None:
    position = middle(game, players)
    for nodes in (1, 2, 3, 10, 60, 200, 999, 3000):
        for level in (1, 4, 8):
            choice = Engine(level=level, seed=1).choose(position, Limit(nodes=nodes))
            assert 1 <= choice.nodes <= nodes
            after = position.play_all(choice)
            assert after.at_turn_start or after.outcome is not None


@pytest.mark.parametrize("level", [0, 9, -1, "8", 1.5, True])
def test_a_level_that_does_not_exist_is_refused(level: Any) -> None:
    with pytest.raises(EngineError, match="levels run from 1 to 8"):
        Engine(level=level)


@pytest.mark.parametrize(
    "limit",
    [
        {"seconds": 0},
        {"seconds": -1},
        {"seconds": 1e9},
        {"seconds": float("nan")},
        {"nodes": 0},
        {"nodes": 10**30},
        {"nodes": 1.5},
        {"seconds": "1"},
        {"seconds": True},
        {"seconds": []},
    ],
)
def test_an_invalid_limit_is_refused(limit: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        Limit(**limit)
    assert caught.value.code == "bad-limit"


def test_a_game_that_is_over_has_no_turn_to_look_for() -> None:
    position = terrarium.games["nova"].start().resign(0)
    with pytest.raises(EngineError, match="the game is over"):
        Engine(level=1).choose(position)
    with pytest.raises(EngineError, match="the game is over"):
        Engine(level=1).analyse(position)


@pytest.mark.parametrize(
    ("code", "ask"),
    [
        ("not-a-position", lambda: Engine(level=1).choose(cast(Any, "nova"))),
        ("not-a-position", lambda: Engine(level=1).analyse(cast(Any, None))),
        ("bad-limit", lambda: Engine(level=1).choose(nova.start(), cast(Any, "1"))),
        ("bad-limit", lambda: Engine(level=1).choose(nova.start(), True)),
        ("bad-lines", lambda: Engine(level=1).analyse(nova.start(), 0.1, cast(Any, "1"))),
        ("bad-lines", lambda: Engine(level=1).analyse(nova.start(), 0.1, 65)),
        ("bad-memory", lambda: Engine(memory_mb=True)),
        ("bad-threads", lambda: Engine(threads=0)),
        ("bad-threads", lambda: Engine(threads=cast(Any, "2"))),
        ("bad-seed", lambda: Engine(seed=cast(Any, []))),
        ("bad-seed", lambda: Engine(seed=cast(Any, 1.5))),
    ],
)
def test_invalid_requests_to_the_engine_are_refused(code: str, ask: Callable[[], object]) -> None:
    with pytest.raises(EngineError) as caught:
        ask()
    assert caught.value.code == code
