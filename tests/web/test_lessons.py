"""The page's lessons and figures are correct: positions, actions and goals are checked with the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from terrarium import nova, turrium
from tests.engine.puzzles import turns
from tests.web.learn_data import (
    BOOKS,
    FIGURES,
    LESSONS,
    Figure,
    Step,
    position,
)
from tests.web.texts import LANGUAGES, catalogue

ROOT = Path(__file__).parents[2]
STEPS = [(game, step) for game, lesson in LESSONS.items() for step in lesson]
RULES = {"nova": [f"TN-{n}" for n in range(1, 29)], "turrium": [f"TT-{n}" for n in range(1, 20)]}

each_step = pytest.mark.parametrize(
    ("game", "step"), STEPS, ids=[f"{game}-{step['id']}" for game, step in STEPS]
)
each_figure = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: str(figure["id"]))


Goal = dict[str, Any]


class Attempt:
    """A step of a lesson while somebody plays it."""

    def __init__(self, step: Step) -> None:
        self.goal: dict[str, Any] = step["goal"]
        self.must_finish = bool(step.get("finish"))
        self.position = position(step["position"])
        self.seat = self.position.to_move
        self.actions: list[Any] = []
        self.events: list[dict[str, Any]] = []

    @property
    def is_complete(self) -> bool:
        return bool(self.actions) and (
            self.position.to_move != self.seat or self.position.at_turn_start
        )

    def play(self, text: str) -> None:
        action = self.position.parse(text)
        self.events += [event.to_dict() for event in self.position.events(action)]
        self.actions.append(action)
        self.position = self.position.play(action)

    def has_reached_goal(self) -> bool:
        return (self.is_complete or not self.must_finish) and self._reaches(self.goal)

    def _reaches(self, goal: Goal) -> bool:
        judge: Callable[[Goal], bool] = getattr(self, f"_{goal['kind']}")
        return judge(goal)

    def _turn(self, goal: Goal) -> bool:
        return self.is_complete

    def _any(self, goal: Goal) -> bool:
        return any(self._reaches(one) for one in goal["of"])

    def _actions(self, goal: Goal) -> bool:
        wanted = [
            action
            for action in self.actions
            if action.kind == goal.get("action", action.kind)
            and action.target in goal.get("targets", [action.target])
        ]
        return len(wanted) >= int(goal["count"])

    def _cells(self, goal: Goal) -> bool:
        view = self.position.view()
        standing = view.get("pioneers") or view.get("flags") or {}
        found = sum(standing.get(cell) == self.seat for cell in goal["cells"])
        wanted = int(goal.get("count", len(goal["cells"])))
        return bool(found >= wanted)

    def _ladder(self, goal: Goal) -> bool:
        held = self.position.view()["ladders"][self.seat]["held"]
        return all(height in held for height in goal["held"])

    def _event(self, goal: Goal) -> bool:
        met = [
            event
            for event in self.events
            if event["kind"] == goal["event"]
            and all(holds(event, *want) for want in goal.get("where", {}).items())
        ]
        return len(met) >= int(goal.get("count", 1))


def holds(event: dict[str, Any], path: str, wanted: object) -> bool:
    value: Any = event
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, (list, tuple)) else value[key]
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        return bool(value >= wanted)
    return bool(value == wanted)


@each_step
def test_a_solution_reaches_its_goal_with_its_last_action(game: str, step: Step) -> None:
    attempt = Attempt(step)
    for text in step["solution"]:
        assert not attempt.has_reached_goal()
        assert not attempt.is_complete
        attempt.play(text)
    assert attempt.has_reached_goal()


@each_step
def test_the_reader_is_to_move_and_the_game_is_not_over(game: str, step: Step) -> None:
    start = position(step["position"])
    # In the last round only players with fewer turns play: here red (TT-15).
    assert start.to_move == (1 if (game, step["id"]) == ("turrium", "last") else 0)
    assert start.outcome is None


@pytest.mark.parametrize(
    ("game", "step"), [(g, s) for g, s in STEPS if s["goal"]["kind"] != "turn"]
)
def test_a_goal_can_be_missed(game: str, step: Step) -> None:
    random = Random(step["id"])
    assert any(not random_turn(step, random) for _ in range(60))


def random_turn(step: Step, random: Random) -> bool:
    attempt = Attempt(step)
    while not attempt.is_complete:
        attempt.play(str(random.choice(list(attempt.position.legal_actions()))))
        if attempt.has_reached_goal():
            return True
    return False


@pytest.mark.parametrize("game", LESSONS)
def test_a_first_game_has_eight_to_sixteen_steps(game: str) -> None:
    assert 8 <= len(LESSONS[game]) <= 16
    assert len({step["id"] for step in LESSONS[game]}) == len(LESSONS[game])


@pytest.mark.parametrize("game", BOOKS)
def test_a_book_has_every_rule_once(game: str) -> None:
    listed = [rule for chapter in BOOKS[game] for rule in chapter["rules"]]
    assert sorted(listed, key=lambda rule: int(rule[3:])) == RULES[game]


@pytest.mark.parametrize("game", BOOKS)
def test_the_page_shows_the_rulings_of_the_docs(game: str) -> None:
    """The row for a range of rules (TN-22–27) is part of the ruling on TN-23."""
    rows = re.findall(
        r"^\| (T[NT]-[^|]+) \|", (ROOT / "docs" / "rulings.md").read_text("utf-8"), re.M
    )
    documented = {rule for row in rows for rule in row.split(", ") if "–" not in rule}
    shown = {rule for chapter in BOOKS[game] for rule in chapter.get("readings", {})}
    assert shown == {rule for rule in documented if rule in RULES[game]}
    assert shown == {
        key[7:] for key in catalogue("en", f"learn-{game}") if key.startswith("ruling.")
    }


@each_figure
def test_the_actions_of_a_figure_can_be_played(figure: Figure) -> None:
    start = position(figure["position"])
    reached = start.play_all(figure["actions"])
    if "from" in figure:
        assert any(action.source == figure["from"] for action in start.legal_actions())
    if "kind" in figure:
        shown = (*start.legal_actions(), *reached.legal_actions())
        assert any(action.kind == figure["kind"] for action in shown)


@each_figure
def test_no_cube_is_missing_in_a_figure(figure: Figure) -> None:
    check_cubes(figure["position"])


@each_step
def test_no_cube_is_missing_in_a_step(game: str, step: Step) -> None:
    check_cubes(step["position"])


def check_cubes(text: str) -> None:
    view = position(text).view()
    if view["game"] == "turrium":
        cubes = sum(view["heights"].values()) + view["cubes_in_hand"]
        whole = {(2, 36): 36, (2, 64): 64, (3, 64): 80, (4, 100): 116}
        assert cubes == whole[len(view["attacks"]), len(view["cells"])]


@pytest.mark.parametrize(
    ("name", "awards"),
    [
        ("closing", [[24, 0]]),
        ("sharing", [[10, 10]]),
        ("both", [[0, 8], [12, 0]]),
        ("four", [[13, 0]]),
    ],
)
def test_the_worked_examples_are_right(name: str, awards: list[list[int]]) -> None:  # TN-17, TN-18
    figure = figure_of("nova", name)
    attempt = Attempt({"goal": {}, "position": figure["position"]})
    for text in figure["actions"]:
        attempt.play(text)
    scored = [event for event in attempt.events if event["kind"] == "territory-scored"]
    assert [list(event["awards"]) for event in scored] == awards


def test_captures_cost_what_the_figure_says() -> None:  # TT-11
    start = position(figure_of("turrium", "captures")["position"])
    captures = [action for action in start.legal_actions() if action.kind == "capture"]
    costs = {str(a): event.to_dict()["cost"] for a in captures for event in start.events(a)[:1]}
    assert costs == {"e5xd5": 1, "e5xe6": 2, "e5xf5": 3}


def test_the_shut_in_construction_opens_as_the_figure_says() -> None:  # TT-7
    start = position(figure_of("turrium", "opened")["position"])
    assert not start.is_legal("-d6")
    assert start.play("-d5").is_legal("-d6")


def test_the_third_move_of_the_triangle_may_not_close_it() -> None:  # TN-12
    figure = figure_of("nova", "returning")
    reached = position(figure["position"]).play_all(figure["actions"])
    assert not reached.is_legal("f6-d4")
    assert reached.is_legal("f6-e5")


def step_of(game: str, name: str) -> Step:
    return next(step for step in LESSONS[game] if step["id"] == name)


def test_the_threat_is_real_and_a_pioneer_inside_halves_it() -> None:  # TN-18
    def red_scores(reached: Any, moves: int = 2) -> int:
        """The most that red can score with its first stone, after at most this many moves."""
        scores = [0]
        for action in reached.legal_actions():
            after = reached.play(action)
            if action.kind == "stone":
                scores.append(after.scores[1] - reached.scores[1])
            elif moves:
                scores.append(red_scores(after, moves - 1))
        return max(scores)

    step = step_of("nova", "threat")
    idle = position(step["position"].replace(" 0 1 - ", " 1 1 - "))
    assert red_scores(idle) == 24
    assert red_scores(position(step["position"]).play_all(step["solution"])) == 12


def test_red_can_take_at_most_half_after_every_turn_that_the_threat_step_accepts() -> None:
    step = step_of("nova", "threat")
    accepted = [after for after, attempt in attempts(step) if attempt.has_reached_goal()]
    assert len(accepted) > 100
    for reached in accepted:
        for after in turns(reached) if reached.outcome is None else []:
            yellow, red = (
                now - then for now, then in zip(after.scores, reached.scores, strict=True)
            )
            assert red - yellow <= 12, (str(reached), str(after))


def attempts(step: Step) -> Iterator[tuple[Any, Attempt]]:
    """All whole turns of a step with different results."""
    seen, waiting = set(), [Attempt(step)]
    while waiting:
        attempt = waiting.pop()
        if attempt.is_complete:
            yield attempt.position, attempt
            continue
        for action in attempt.position.legal_actions():
            longer = copy(attempt)
            longer.actions, longer.events = [*attempt.actions], [*attempt.events]
            longer.play(str(action))
            if longer.position not in seen:
                seen.add(longer.position)
                waiting.append(longer)


@pytest.mark.parametrize(("name", "points"), [("both", 24 + 9), ("win", 22)])
def test_no_turn_scores_more_than_the_step_says(name: str, points: int) -> None:  # TN-16
    def best(reached: Any) -> int:
        if reached.to_move != 0 or (reached is not start and reached.at_turn_start):
            return int((reached.outcome or reached).scores[0])
        return max(best(reached.play(action)) for action in reached.legal_actions())

    start = position(step_of("nova", name)["position"])
    assert best(start) == points


def test_a_tower_cannot_be_taken_apart_as_the_step_says() -> None:  # TT-6
    start = position(step_of("turrium", "freeze")["position"])
    assert start.play("end").is_legal("-f5")
    assert not start.play("e5-f5").play("end").is_legal("-f5")


def test_the_last_round_ends_in_a_shared_win() -> None:  # TT-15
    step = step_of("turrium", "last")
    outcome = position(step["position"]).play_all(step["solution"]).outcome
    assert outcome is not None
    assert outcome.winners == (0, 1)


def figure_of(game: str, name: str) -> Figure:
    figures = (figure for chapter in BOOKS[game] for figure in chapter["figures"])
    return next(figure for figure in figures if figure["id"] == name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_cells_named_in_lessons_are_on_the_board(language: str) -> None:
    for game, step in STEPS:
        texts = catalogue(language, f"lesson-{game}")
        told = " ".join(texts[f"{step['id']}.{part}"] for part in ("text", "done", "wrong"))
        assert set(cells_in(told)) <= board_cells(step["position"]), step["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_name_the_same_cells_and_numbers(language: str) -> None:
    for area in ("learn-nova", "learn-turrium", "lesson-nova", "lesson-turrium"):
        english, texts = catalogue("en", area), catalogue(language, area)
        for key, text in english.items():
            assert facts_in(texts[key]) == facts_in(text), f"{area}.{key}"


def cells_in(text: str) -> list[str]:
    return re.findall(r"\b[a-j]\d{1,2}\b", text)


def facts_in(text: str) -> list[str]:
    return sorted([*cells_in(text), *re.findall(r"\b\d+\b", text)])


def board_cells(text: str) -> set[str]:
    if text.startswith("nova"):
        return set(nova.Position.from_text(text).board.cells)
    return set(turrium.Position.from_text(text).cells)
