"""Mining: found puzzles meet the criteria, and nothing is lost or repeated after an interruption."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from terrarium import games
from terrarium.core.puzzle import Puzzle, goal_of, reaches
from terrarium.engine import Engine, Limit
from terrarium.errors import InvalidPosition
from terrarium.puzzles import MARGIN, Miner, PuzzleFile, check, id_of, judge
from tests.cli.conftest import program as program
from tests.cli.program import Program
from tests.engine.puzzles import can_win_at_once, is_won, solved, turns
from tests.nova.drawn import BLUE, RED, row
from tests.turrium.drawn import at

NODES = 2_000


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with two puzzles of Terra Turrium."""
    path = tmp_path_factory.mktemp("puzzles") / "mined.jsonl"
    miner = Miner(games["turrium"], PuzzleFile(path), players=2, seed=8, nodes=NODES)
    found = (puzzle for puzzle in miner.puzzles() if puzzle is not None)
    assert len(list(islice(found, 2))) == 2
    return path


def test_mined_puzzles_are_hard_to_see_and_solved_by_a_deep_search(mined: Path) -> None:
    game = games["turrium"]
    for puzzle in PuzzleFile(mined):
        position = game.position(puzzle.position)
        assert position.at_turn_start
        assert puzzle.themes
        assert puzzle.margin >= MARGIN
        assert check(game, puzzle, Limit(nodes=10 * NODES)) is None
        beginner = import_module(game.novice)
        first = [tuple(map(str, beginner.turn(position, Random(seed)))) for seed in range(3)]
        novice_solves = sum(puzzle.is_solved_by(position, actions) for actions in first) > 1
        assert puzzle.level > 1 or not novice_solves
        if puzzle.level < len(game.levels):
            tries = [
                Engine(level=puzzle.level, seed=seed).choose(position, Limit(nodes=10**9))
                for seed in range(3)
            ]
            solved = [puzzle.is_solved_by(position, tuple(map(str, one))) for one in tries]
            assert sum(solved) >= 2


def test_a_file_that_was_cut_off_keeps_its_complete_lines_and_is_continued(
    mined: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cut.jsonl"
    first, second = mined.read_text().splitlines()
    path.write_text(f"{first}\n{second[:40]}")
    file = PuzzleFile(path)
    assert [puzzle.id for puzzle in file] == [Puzzle.from_dict(json.loads(first)).id]
    assert path.read_text() == f"{first}\n{second[:40]}", "reading must not change the file"
    file.add(Puzzle.from_dict(json.loads(second)))
    assert path.read_text() == mined.read_text()


def test_a_last_line_without_a_line_break_counts(mined: Path, tmp_path: Path) -> None:
    path = tmp_path / "edited.jsonl"
    first, second = mined.read_text().splitlines()
    path.write_text(first)
    file = PuzzleFile(path)
    assert len(file) == 1
    file.add(Puzzle.from_dict(json.loads(second)))
    assert path.read_text() == mined.read_text()


def test_a_position_that_the_file_has_is_not_searched_again(mined: Path) -> None:
    file = PuzzleFile(mined)
    miner = Miner(games["turrium"], file, players=2, seed=1, nodes=NODES)
    for puzzle in file:
        assert miner.puzzle_of(games["turrium"].position(puzzle.position)) is None
    assert miner.counts == {"known": 2}


def test_an_interruption_keeps_the_puzzles_found_so_far(
    program: Program, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(PuzzleFile(mined))

    def interrupted(miner: Miner) -> Iterator[Puzzle | None]:
        miner.file.add(known[0])
        yield known[0]
        raise KeyboardInterrupt

    monkeypatch.setattr(Miner, "puzzles", interrupted)
    path = tmp_path / "out.jsonl"
    ran = program("puzzles", "make", "turrium", "--out", path)
    assert ran.code == 130
    assert list(PuzzleFile(path)) == known[:1]


@pytest.mark.parametrize(
    ("landscapes", "pieces"),
    [("EGCFFDAFCBB", "b1 b5 r2 r9"), ("DCEDACEGDCA", "b3 b4 r6 r11")],
)
def test_a_win_at_once_is_judged_as_one_result(landscapes: str, pieces: str) -> None:
    position = row(landscapes, pieces, to_move=BLUE, scores=(0, 1))
    won = {after for after in turns(position) if is_won(after, BLUE)}
    assert 0 < len(won) < len(turns(position))
    verdict = judge(position, 4_000)
    assert verdict is not None
    assert verdict.goal == "win"
    assert position.play_all(verdict.turn) in won


@pytest.mark.parametrize(
    ("landscapes", "pieces"),
    [("DECEECBFG", "b9 b1 r4 r6"), ("CECFDGFFCDD", "b6 b9 r7 r10")],
)
def test_the_only_turn_that_does_not_lose_is_found(landscapes: str, pieces: str) -> None:
    position = row(landscapes, pieces, to_move=BLUE, scores=(1, 0))
    right = [after for after in turns(position) if not can_win_at_once(after, RED)]
    assert len(right) == 1, "every other turn must lose"
    verdict = judge(position, 4_000)
    assert verdict is not None
    assert [position.play_all(verdict.turn)] == right
    assert verdict.margin >= MARGIN


@pytest.mark.parametrize(
    ("landscapes", "pieces"),
    [("ECCEBBDFDEFCFDCCC", "b11 b7 r10 r14"), ("CDEAAFADFBDBFEE", "b3 b15 r7 r6")],
)
def test_turns_that_gain_as_much_at_once_are_judged_as_one_result(
    landscapes: str, pieces: str
) -> None:
    game, position = games["nova"], row(landscapes, pieces, to_move=BLUE)
    gains = {after: game.gain(position, after, BLUE) for after in turns(position)}
    most = [after for after, gain in gains.items() if gain == max(gains.values())]
    assert 1 < len(most) < len(gains)
    verdict = judge(position, 4_000)
    assert verdict is not None
    assert verdict.goal == "gain"
    assert position.play_all(verdict.turn) in most


THREAT = "c8=1b d8=2b e8=3b f8=4b g8=5b h8=5b h7=6 c3=1r d3=1r e3=1r c4=1r e4=1r d5=1r"


def test_a_win_is_stopped_by_turns_after_which_no_rival_can_win() -> None:  # TT-14
    game, position = games["turrium"], at(f"{THREAT} d4=1", players=2)
    assert game.is_threatened(position, RED)
    safe, lost = solved(position), position.play_all(["-d4", "+d4", "end"])
    assert not can_win_at_once(safe, BLUE)
    assert can_win_at_once(lost, BLUE)
    assert goal_of(position, safe) == "stop"
    assert goal_of(position, lost) == ""
    assert reaches("stop", position, safe, safe)
    assert not reaches("stop", position, safe, lost)


def test_a_capture_of_two_flags_is_a_goal() -> None:  # TT-11
    position = at("c3=2r c4=1b c5=1b a1=1 h8=1g h2=1y")
    two, one = (
        position.play_all(turn.split()) for turn in ("-a1 +a1 c3xc4 c4xc5 end", "-a1 +a1 c3xc4 end")
    )
    assert goal_of(position, two) == "gain"
    assert goal_of(position, one) == ""
    assert reaches(
        "gain", position, two, position.play_all(["-a1", "+b1", "c3xc4", "c4xc5", "end"])
    )
    assert not reaches("gain", position, two, one)


def test_puzzles_without_a_wanted_theme_are_rejected(mined: Path, tmp_path: Path) -> None:
    puzzle = next(iter(PuzzleFile(mined)))
    themes = frozenset(puzzle.themes)
    for wanted, unwanted in ((frozenset({"other"}), frozenset[str]()), (themes, themes)):
        file = PuzzleFile(tmp_path / "other.jsonl")
        miner = Miner(games["turrium"], file, nodes=NODES, wanted=wanted, unwanted=unwanted)
        assert miner.puzzle_of(games["turrium"].position(puzzle.position)) is None
        assert miner.counts == {"theme": 1}


def test_a_position_in_which_several_turns_are_as_good_has_no_best_turn() -> None:
    # after random placements no territory can be closed yet, so no turn gains much
    random, position = Random(4), games["nova"].start(players=2)
    while position.phase == "place":
        position = position.play(random.choice(position.legal_actions()))
    assert judge(position, 4_000) is None


def test_an_id_depends_only_on_the_position(mined: Path) -> None:
    for puzzle in PuzzleFile(mined):
        assert puzzle.id == id_of(puzzle.position)


def test_a_wrong_puzzle_is_reported(mined: Path) -> None:
    game, puzzle = games["turrium"], next(iter(PuzzleFile(mined)))
    position = game.position(puzzle.position)
    wrong = tuple(map(str, import_module(game.novice).turn(position, Random(0))))
    assert check(game, replace(puzzle, id="00000000"), None) is not None
    assert check(game, replace(puzzle, themes=()), None) is not None
    assert check(game, replace(puzzle, solution=wrong, goal=""), Limit(nodes=NODES)) is not None
    with pytest.raises(InvalidPosition):
        game.position(puzzle.position[:10])
    text = puzzle.position[:10]
    assert check(game, replace(puzzle, position=text, id=id_of(text)), None) is not None
