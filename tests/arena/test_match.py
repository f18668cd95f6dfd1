"""Matches: the seats of players, the counts, and the records."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from terrarium import Record, nova
from terrarium.arena import Match, play_game, player, record_of, run
from terrarium.arena.ladder import climb, rungs
from terrarium.arena.match import opening
from terrarium.arena.players import check_player
from terrarium.engine import Limit
from terrarium.errors import EngineError

QUICK = {"pioneers": 3, "stones": 10, "stall_rounds": 2}


def quick(**more: object) -> Match:
    """A match of short games."""
    facts: dict[str, object] = {
        "game": "nova",
        "first": "greedy",
        "second": "random",
        "games": 4,
        "limit": Limit(nodes=40),
        "options": QUICK,
    }
    return Match(**facts | more)  # type: ignore[arg-type]


def test_each_opening_is_played_from_both_sides() -> None:
    result = run(quick())
    assert [game.opening for game in result.games] == [0, 0, 1, 1]
    assert [game.firsts for game in result.games] == [(0,), (1,), (0,), (1,)]
    assert result.games[0].seats == ("greedy", "random")
    first, second = result.games[:2]
    assert first.actions[:6] == second.actions[:6]
    assert result.games[0].actions[:6] != result.games[2].actions[:6]


@pytest.mark.parametrize(("players", "mixes"), [(2, 2), (3, 6), (4, 14)])
def test_all_seat_mixes_give_even_chances(players: int, mixes: int) -> None:
    every, one = quick(players=players, mix="all"), quick(players=players)
    assert len(every.mixes) == mixes
    assert every.fair_share == pytest.approx(0.5)
    assert one.fair_share == pytest.approx(1 / players)
    seats = [seat for mix in every.mixes for seat in mix]
    assert {seats.count(seat) for seat in range(players)} == {mixes // 2}


def test_the_same_seed_gives_the_same_match_on_any_number_of_processes() -> None:
    match = quick(first="level:1", second="mcts", seed=9)
    alone = run(match)
    assert run(match).games == alone.games
    assert run(match, jobs=2).games == alone.games
    assert run(quick(first="level:1", second="mcts", seed=10)).games != alone.games


def test_the_result_contains_counts_an_interval_and_reasons() -> None:
    found = run(quick(players=3)).to_dict()
    assert found["games"] == 4
    assert found["wins"] + found["shared"] + found["losses"] == 4
    assert 0 <= found["low"] <= found["score"] <= found["high"] <= 1
    assert found["fair_share"] == pytest.approx(0.3333)
    assert found["elo"] is None, "Elo needs even chances"
    assert sum(found["reasons"].values()) == 4


def test_a_sequential_test_stops_a_one_sided_match_early() -> None:
    match = quick(games=400, low_elo=0, high_elo=100, options=QUICK | {"stones": 20, "pioneers": 5})
    result = run(match)
    assert result.verdict == "high"
    assert len(result.games) < 400
    assert len(result.games) % 2 == 0, (
        "it must decide only after an opening was played from both sides"
    )
    assert run(match, jobs=3).games == result.games


def test_a_game_becomes_a_record_that_can_be_read_again() -> None:
    match = quick(board=nova.BOARDS["crescent"])
    game = play_game(match, 1)
    record = record_of(match, game)
    again = Record.parse(str(record))
    assert again == record
    assert again.seats == ("random", "greedy")
    assert again.outcome is not None
    assert again.outcome.reason == game.reason
    assert again.tags["Round"] == "2"


def test_a_program_that_plays_wrong_loses_that_game_and_the_match_continues(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    if word == 'uci': print('uciok', flush=True)\n"
        "    if word == 'isready': print('readyok', flush=True)\n"
        "    if word == 'go': print('bestturn @zz', flush=True)\n"
        "    if word == 'quit': break\n"
    )
    match = quick(second=f"cmd:{sys.executable} {path}", games=2)
    result = run(match)
    assert result.score.mean == 1
    assert result.to_dict()["faults"] == 2
    record = record_of(match, result.games[0])
    assert Record.parse(str(record)).outcome == record.outcome


@pytest.mark.parametrize("players", [2, 3])
def test_a_program_that_does_not_answer_the_handshake_loses_too(players: int) -> None:
    match = quick(second=f"cmd:{sys.executable} -c 'raise SystemExit(1)'", games=2, players=players)
    result = run(match)
    assert result.score.mean == 1
    assert result.to_dict()["faults"] == 2 * (players - 1)
    assert {game.reason for game in result.games} == {"resigned"}
    record = record_of(match, result.games[0])
    assert Record.parse(str(record)).outcome == record.outcome


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    path.write_text(
        "import sys\n"
        "sys.stdout.buffer.write(b'id name \\xff\\nuciok\\nreadyok\\nbestturn \\xff\\n')\n"
        "sys.stdout.flush()\n"
        "sys.stdin.read()\n"
    )
    result = run(quick(second=f"cmd:{sys.executable} {path}", games=1))
    assert "illegal" not in result.games[0].reason
    assert "bestturn" in result.games[0].faults[0], (
        "the fault must be the invalid turn, not the name"
    )


def test_our_engine_plays_as_a_program_too() -> None:
    ours = f"{sys.executable} -c 'from terrarium.cli import main; main()' engine --level 1"
    result = run(quick(first=f"cmd:{ours}", games=2))
    assert len(result.games) == 2
    assert result.to_dict()["faults"] == 0


def test_the_ladder_plays_neighbours() -> None:
    matches = rungs(quick(games=2), 1, 3)
    assert [(m.first, m.second) for m in matches] == [
        ("level:2", "level:1"),
        ("level:3", "level:2"),
    ]
    done = [result for result, game in climb(matches) if game is None]
    assert [len(result.games) for result in done] == [2, 2]
    with pytest.raises(EngineError, match="levels run from 1 to 8"):
        rungs(quick(), 3, 3)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game": "chess"}, "games are"),
        ({"games": 0}, "at least 1"),
        ({"mix": "some"}, "one or all"),
        ({"board": "moon"}, "the built-in boards are"),
        ({"low_elo": 5, "high_elo": 5}, "the lower first"),
        ({"low_elo": 0, "high_elo": 5, "players": 3}, "even chances"),
        ({"options": {"stones": -1}}, "stones"),
    ],
)
def test_an_impossible_match_is_refused(more: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(**more)


@pytest.mark.parametrize(
    "name", ["level:0", "level:9", "level:x", "nobody", "cmd:", "cmd:/nix", "cmd:'"]
)
def test_a_player_that_does_not_exist_is_refused_before_anything_starts(name: str) -> None:
    with pytest.raises(EngineError):
        check_player(name)


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize("name", ["random", "greedy", "mcts", "level:1", "level:8"])
def test_every_player_plays_legal_turns(game: str, name: str) -> None:
    position, _ = opening(Match(game, "random", "random"), 0)
    someone = player(name, seed=1)
    for _ in range(4):
        position = position.play_all(someone.turn(position, Limit(nodes=60)))
    someone.close()


@pytest.mark.parametrize("game", ["nova", "turrium"])
@pytest.mark.parametrize("name", ["greedy", "mcts", "level:1", "level:8"])
def test_a_player_whose_time_is_over_at_once_still_plays(game: str, name: str) -> None:
    position, _ = opening(Match(game, "random", "random"), 0)
    someone = player(name, seed=1)
    assert position.play_all(someone.turn(position, Limit(seconds=1e-9))) != position
    someone.close()
