"""Puzzles for people, without server or database: the next puzzle, answers to tries, ratings and streaks."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, timedelta
from random import Random
from typing import Any, cast

import pytest

from terrarium import games
from terrarium.core.puzzle import Puzzle
from terrarium.core.reason import Reason
from terrarium.engine.review import at_once, result
from terrarium.errors import IllegalAction
from terrarium.play import puzzles
from terrarium.play.errors import NotFound, Unprocessable
from terrarium.play.puzzles import Answer, AskPuzzle, Attempt
from terrarium.play.rating import Rating, rated
from terrarium.play.thinking import solver
from tests.nova.drawn import BLUE, row
from tests.play.puzzle_data import own_puzzles, puzzles_of, wrong_turn  # noqa: F401

pytestmark = pytest.mark.usefixtures("own_puzzles")
GAMES = pytest.mark.parametrize("name", ["nova", "turrium"])
DAY = 86_400_000
NOW = 20_000 * DAY + 5 * 3_600_000


def answered(name: str, id: str, actions: list[str] | None) -> Answer:
    puzzle, game = puzzles.puzzle_named(name, id), games[name]
    if actions is None:
        start = game.position(puzzle.position)
    else:
        start = puzzles.check_try(game, puzzle, actions)
    return result(puzzles.judging(puzzle, start, actions, at_once(solver())))


@GAMES
def test_the_solution_is_right_and_has_a_reason(name: str) -> None:
    for puzzle in list(games[name].puzzles.values())[:3]:
        answer = answered(name, puzzle.id, list(puzzle.solution))
        assert answer.is_right
        assert answer.solution == list(puzzle.solution)
        assert answer.themes == list(puzzle.themes)
        assert answer.turns[0].actions == list(puzzle.solution)
        assert {reason["side"] for reason in answer.reasons} <= {"gains", "allows"}
    assert answer.reasons


def test_another_turn_that_gains_as_much_is_right_and_is_shown_as_the_answer() -> None:
    start = row("ECCEBBDFDEFCFDCCC", "b11 b7 r10 r14", to_move=BLUE)
    solution = ("a7-a4", "+a5", "a11-a12")
    puzzle = Puzzle("x", start.to_text(), ("close",), 1, 0.5, solution, "gain")
    closed = start.play_all(solution[:2])
    others = [(*solution[:2], str(one)) for one in closed.legal_actions() if str(one) != "a11-a12"]
    assert others
    for actions in others:
        answer = result(puzzles.judging(puzzle, start, actions, at_once(solver())))
        assert answer.is_right
        assert answer.turns[0].actions == list(actions)
        assert answer.solution == list(solution)
    before = start.play("a7-a4")
    open_still = [one for one in before.legal_actions() if str(one) not in ("+a5", "end")]
    after = before.play(open_still[0])
    last = next(one for one in after.legal_actions() if not after.play(one).scores[BLUE])
    answer = result(
        puzzles.judging(puzzle, start, ["a7-a4", str(open_still[0]), str(last)], at_once(solver()))
    )
    assert not answer.is_right


@GAMES
def test_a_wrong_try_is_refuted_without_the_solution(name: str) -> None:
    for puzzle in list(games[name].puzzles.values())[:3]:
        wrong = wrong_turn(puzzle)
        answer = answered(name, puzzle.id, wrong)
        assert (answer.is_right, answer.solution, answer.themes) == (False, None, [])
        assert answer.share < answer.best_share
        assert answer.turns[0].actions == wrong
        seats = [turn.seat for turn in answer.turns]
        start = games[name].position(puzzle.position)
        assert seats[0] == start.to_move
        assert len(seats) > 1
        assert start.to_move not in seats[1:]
        replies = [action for turn in answer.turns for action in turn.actions]
        assert start.play_all(replies).to_text() == answer.turns[-1].position


def test_reasons_of_a_wrong_try_do_not_say_where_the_solution_is() -> None:
    told = [Reason("gains", "win", {"seat": 0}), Reason("allows", "capture", {"cell": "b4"})]
    hidden = [Reason("gains", "capture", {"cell": "b4"}), Reason("gains", "split", {"cells": []})]
    assert [puzzles._reveals(reason) for reason in told + hidden] == [False, False, True, True]


def test_giving_up_shows_the_solution_but_does_not_solve() -> None:
    puzzle = games["nova"].puzzles["n107"]
    answer = answered("nova", "n107", None)
    assert not answer.is_right
    assert answer.solution == list(puzzle.solution) == answer.turns[0].actions
    assert answer.reasons


def test_the_same_turn_in_another_order_is_right() -> None:
    swapped = ["-d7", "-e5", "-d7", "+g6", "+g6", "+g6", "d5-d6", "f6-g6", "f7-f6", "@e4", "end"]
    assert tuple(swapped) != games["turrium"].puzzles["t101"].solution
    assert answered("turrium", "t101", swapped).is_right


@pytest.mark.parametrize("turn", ["a4-a5 +a6 +a4", "a4-a6 +a5"])
def test_if_a_win_is_the_goal_every_turn_that_wins_at_once_is_right(turn: str) -> None:
    start = row("ABCDEFGH", "r1 b4 b8", to_move=BLUE, scores=(0, 5))
    puzzle = Puzzle("w", start.to_text(), ("close",), 1, 0.5, ("a4-a5", "+a6", "+a4"), "win")
    answer = result(puzzles.judging(puzzle, start, turn.split(), at_once(solver())))
    assert (answer.is_right, answer.share) == (True, 1.0)
    assert {"side": "gains", "code": "win", "seat": BLUE} in answer.reasons


def test_only_a_complete_legal_turn_is_judged() -> None:
    with pytest.raises(Unprocessable, match="whole turn"):
        answered("nova", "n100", ["g9-e9"])
    with pytest.raises(Unprocessable, match="over before"):
        answered("nova", "n100", ["g9-e9", "+e10", "+f10", "g10-g9"])
    with pytest.raises(IllegalAction):
        answered("nova", "n100", ["g9-a9"])
    with pytest.raises(NotFound):
        puzzles.puzzle_named("nova", "t101")


def test_a_hint_names_the_theme_and_the_first_cell_only() -> None:
    hint = puzzles.hint_for(games["nova"], games["nova"].puzzles["n100"])
    assert (hint.themes, hint.cell) == (["block"], "g9")
    hint = puzzles.hint_for(games["turrium"], games["turrium"].puzzles["t101"])
    assert hint.cell == "d7"


def test_the_daily_puzzle_changes_every_day_and_repeats_only_after_all_others() -> None:
    game, count = games["nova"], len(games["nova"].puzzles)
    first = date(2026, 3, 1)
    days = [puzzles.daily(game, first + timedelta(days=i)).id for i in range(3 * count)]
    for begin in range(2 * count):
        assert sorted(days[begin : begin + count]) == sorted(game.puzzles)
    assert puzzles.daily(game, first) == puzzles.daily(game, first)
    assert puzzles.today(NOW) != puzzles.today(NOW + DAY)


def test_the_list_counts_themes_and_difficulties() -> None:
    listed = puzzles.listed(date(2026, 3, 1))
    assert listed.date == "2026-03-01"
    assert [one.game for one in listed.games] == ["nova", "turrium"]
    nova = listed.games[0]
    assert (nova.count, nova.themes["close"], nova.themes["race"]) == (7, 4, 1)
    assert nova.difficulties == {"easy": 1, "medium": 2, "hard": 2, "expert": 2}
    assert nova.daily.id == puzzles.daily(games["nova"], date(2026, 3, 1)).id


def test_the_next_puzzle_fits_theme_and_difficulty_and_is_new() -> None:
    game, random = games["nova"], Random(1)

    def ids(wanted: AskPuzzle) -> set[str]:
        return {puzzles.next_puzzle(game, wanted, random).id for _ in range(60)}

    assert ids(AskPuzzle(theme="close")) == {"n102", "n103", "n105", "n107"}
    assert ids(AskPuzzle(difficulty="expert")) == {"n101", "n104"}
    assert ids(AskPuzzle(theme="close", solved=["n102"], missed=["n105"])) == {"n103", "n107"}
    seen = ["n102", "n103", "n107"]
    assert ids(AskPuzzle(theme="close", solved=seen, missed=["n105"])) == {"n105"}
    again = AskPuzzle(theme="close", solved=[*seen, "n105"], last="n105")
    assert ids(again) == set(seen)
    assert ids(AskPuzzle(theme="race", solved=["n102"], last="n102")) == {"n102"}
    with pytest.raises(NotFound):
        puzzles.next_puzzle(game, AskPuzzle(theme="capture"), random)


def test_the_next_puzzle_is_near_the_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "_NEAREST", 2)
    game, random = games["nova"], Random(1)
    for rating, wanted in ((900, {1, 3}), (2100, {8})):
        ask = AskPuzzle(rating=rating)
        levels = {puzzles.next_puzzle(game, ask, random).level for _ in range(40)}
        assert levels == wanted


def attempt(puzzle: str, outcome: Any, at: int, solved: int | None = None) -> Attempt:
    return Attempt("nova", puzzle, outcome, at, solved)


def test_merging_in_any_order_keeps_the_first_try_and_the_first_solution() -> None:
    first = [attempt("n100", "missed", 10), attempt("n101", "solved", 20, 20)]
    second = [attempt("n100", "solved", 15, 15), attempt("n101", "missed", 5, 30)]
    wanted = [attempt("n101", "missed", 5, 20), attempt("n100", "missed", 10, 15)]
    assert puzzles.merged(first, second) == puzzles.merged(second, first) == wanted
    assert puzzles.merged(wanted, first, second, wanted) == wanted
    tied = [attempt("n100", "solved", 10, 10)], [attempt("n100", "missed", 10)]
    assert puzzles.merged(*tied) == puzzles.merged(*reversed(tied))


def test_unknown_puzzles_are_left_out_and_times_are_not_in_the_future() -> None:
    sent = [
        attempt("n100", "solved", NOW + DAY, NOW + 2 * DAY),
        attempt("gone", "solved", 1),
        Attempt("chess", "n100", "solved", 1),
    ]
    assert puzzles.known(sent, NOW) == [attempt("n100", "solved", NOW - DAY, NOW)]


def test_a_fast_clock_does_not_change_the_order_of_attempts() -> None:
    sent = [
        attempt("n101", "solved", NOW + DAY, NOW + DAY),
        attempt("n100", "missed", NOW + 2 * DAY),
    ]
    found = puzzles.merged(puzzles.known(sent, NOW))
    assert [one.puzzle for one in found] == ["n101", "n100"]
    assert max(one.at for one in found) == NOW


def test_the_rating_follows_openskill() -> None:
    from openskill.models import BradleyTerryFull

    model, random = BradleyTerryFull(), Random(2)
    ours, theirs = Rating(), model.rating()
    for _ in range(50):
        opponent = puzzles.puzzle_rating(random.randint(1, 8))
        score = random.choice([0.0, 0.5, 1.0])
        ranks = {0.0: [2.0, 1.0], 0.5: [1.0, 1.0], 1.0: [1.0, 2.0]}[score]
        other = model.rating(mu=opponent.mu, sigma=opponent.sigma)
        ours = rated(ours, opponent, score)
        [[theirs], _] = model.rate([[theirs], [other]], ranks=ranks)
        assert (ours.mu, ours.sigma) == pytest.approx((theirs.mu, theirs.sigma))


def test_solving_raises_the_rating_and_harder_puzzles_raise_it_more() -> None:
    def rating(*attempts: Attempt) -> int:
        return puzzles.progress(attempts, NOW, is_kept=False).games["nova"].rating

    easy, hard = attempt("n107", "solved", 1, 1), attempt("n101", "solved", 1, 1)
    assert 1500 < rating(easy) < rating(hard)
    assert rating(attempt("n101", "missed", 1)) < 1500
    missed, helped = attempt("n100", "missed", 1), attempt("n100", "helped", 1, 1)
    assert rating(missed) < rating(helped) < rating(attempt("n100", "solved", 1, 1))


def test_without_attempts_the_rating_is_that_of_newcomers() -> None:
    found = puzzles.progress([], NOW, is_kept=False)
    assert {name: (one.rating, one.tried) for name, one in found.games.items()} == {
        "nova": (1500, 0),
        "turrium": (1500, 0),
    }


def test_a_streak_of_solved_puzzles_ends_with_a_miss_and_not_with_a_hint() -> None:
    results = ["solved", "solved", "helped", "solved", "missed", "solved"]
    ids = list(games["nova"].puzzles)
    attempts = [
        attempt(id, one, at, at) for at, (id, one) in enumerate(zip(ids, results, strict=False))
    ]
    found = puzzles.progress(attempts, NOW, is_kept=False).games["nova"]
    assert (found.in_a_row, found.longest, found.tried) == (1, 3, 6)


@pytest.mark.parametrize(
    ("days", "streak"),
    [([0], 1), ([1], 1), ([2], 0), ([0, 1, 2], 3), ([1, 2, 4], 2), ([0, 2], 1), ([], 0)],
)
def test_days_in_a_row_end_today_or_yesterday(days: list[int], streak: int) -> None:
    ids = list(games["nova"].puzzles)
    attempts = [
        attempt(id, "solved", NOW - ago * DAY, NOW - ago * DAY)
        for id, ago in zip(ids, days, strict=False)
    ]
    assert puzzles.progress(attempts, NOW, is_kept=False).days == streak


def test_a_try_yields_to_others_while_the_engine_thinks() -> None:
    puzzle = games["nova"].puzzles["n100"]
    wrong = wrong_turn(puzzle)
    start = puzzles.check_try(games["nova"], puzzle, wrong)
    steps = puzzles.judging(puzzle, start, wrong, solver().choosing)
    pauses = 0

    def counted() -> Generator[None, None, Answer]:
        nonlocal pauses
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return cast(Answer, end.value)
            pauses += 1
            yield

    assert not result(counted()).is_right
    assert pauses > 3


def test_shipped_puzzles_can_be_shown_and_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for game in games.values():
        for puzzle in list(game.puzzles.values())[::50]:
            view = puzzles.shown(game, puzzle)
            assert (view.id, view.game) == (puzzle.id, game.name)
            hint = puzzles.hint_for(game, puzzle)
            assert hint.themes
            assert hint.cell is not None
