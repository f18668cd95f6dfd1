"""The coach: the worst turns of a finished game with reasons, exercises made of them, and a question before a blunder is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from terrarium import games
from terrarium import nova as terra_nova
from terrarium.engine.review import FAULTS
from tests.sizes import mostly_slow
from tests.web.screens import axe
from tests.web.table import ANSWERED, Table, from_above, nova, turrium, whole_game
from tests.web.texts import LANGUAGES, catalogue, pattern, t

Sit = Callable[..., Table]
Visit = Callable[..., Page]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


def act(table: Table, turn: list[str]) -> None:
    """Play the actions of a turn on the board, without sending it."""
    for action in turn:
        table.page.wait_for_function(ANSWERED)
        for cell in action.strip("+@").split("-"):
            table.choose(cell)
    table.page.wait_for_function(ANSWERED)


def reviewed(table: Table) -> list[dict[str, Any]]:
    """Send a complete game on the small island over the API. Return the engine's verdicts on its turns."""
    return review_of(table, whole_game(**nova(["device", "device"])["rules"]))


def review_of(table: Table, turns: list[str]) -> list[dict[str, Any]]:
    """Send the turns of a complete game over the API. Return the engine's verdicts on them."""
    table.send_turns(turns)
    table.page.goto(f"/g/{table.id}/review")
    table.page.get_by_role("button", name=t("replay.review")).click()
    expect(table.page.locator("figcaption")).to_be_visible()
    expect(table.page.get_by_text(pattern("replay.running"))).not_to_be_attached(timeout=180_000)
    review = table.page.evaluate(
        "async (id) => (await fetch(`/api/games/${id}/review`)).json()", table.id
    )
    assert review["status"] == "done"
    found: list[dict[str, Any]] = review["turns"]
    return found


def test_the_moments_of_a_game_have_reasons_and_become_exercises(
    sit: Sit, complaints: list[str]
) -> None:
    table = sit(nova(["device", "device"]))
    page = table.page
    turns = reviewed(table)
    worst = sorted(
        (turn for turn in turns if turn["label"] in FAULTS), key=lambda one: -one["loss"]
    )
    wanted = sorted(turn["number"] for turn in worst[:3])
    assert wanted, "the game must contain mistakes"
    listed = page.locator(".moments li")
    expect(listed).to_have_count(len(wanted))
    for at, number in enumerate(wanted):
        expect(listed.nth(at)).to_contain_text(str(number))
        expect(listed.nth(at).locator(".why")).not_to_be_empty()
    assert axe(page) == []

    worst_turn = worst[0]
    number = worst_turn["number"]
    moment = listed.nth(wanted.index(number))
    moment.get_by_role("button", name=t("coach.try")).click()
    expect(page.get_by_role("heading", level=2, name=pattern("coach.exercise"))).to_be_visible()
    judge = page.get_by_role("button", name=t("coach.judge"))
    expect(judge).to_be_disabled()
    act(table, worst_turn["best"])
    judge.click()
    expect(page.locator(".answer")).to_contain_text(t("coach.answer.found"), timeout=60_000)
    assert axe(page) == []

    page.get_by_role("button", name=t("coach.again")).click()
    act(table, table.snapshot()["turns"][number - 1]["actions"])
    page.keyboard.press("f")
    answer = page.locator(".answer")
    expect(answer).to_contain_text(t("coach.answer.same"), timeout=60_000)
    expect(answer.locator("p")).not_to_have_count(1)  # with the reason

    page.get_by_role("button", name=t("coach.show")).click()
    count = len(worst_turn["best"])
    shown = t("coach.shown", number=number, done=count, count=count)
    expect(page.get_by_text(shown)).to_be_visible()
    page.get_by_role("button", name=t("coach.hide")).click()
    expect(page.get_by_text(pattern("replay.turn", number=number))).to_be_visible()
    complaints[:] = [text for text in complaints if "404" not in text]


def random_game(start: Any) -> list[str]:
    """The turns of a game of random actions."""
    random, position, turns = Random(3), start, list[str]()
    while position.outcome is None:
        actions: list[str] = []
        while position.outcome is None and not (actions and position.at_turn_start):
            actions.append(str(random.choice(position.legal_actions())))
            position = position.play(actions[-1])
        turns.append(" ".join(actions))
    return turns


@pytest.mark.slow
@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_games_with_more_seats_have_moments_exercises_and_the_better_turn(
    sit: Sit, complaints: list[str], game: str
) -> None:
    settings = nova(["device"] * 3) if game == "nova" else turrium(["device"] * 4)
    turns = (
        whole_game(**settings["rules"])
        if game == "nova"
        else random_game(games["turrium"].start(**settings["rules"]))
    )
    table = sit(settings)
    page = table.page
    verdicts = review_of(table, turns)
    listed = page.locator(".moments li")
    faults = sum(turn["label"] in FAULTS for turn in verdicts)
    assert faults, "the game must contain mistakes"
    expect(listed).to_have_count(min(3, faults))
    for moment in listed.all():
        expect(moment.locator(".why")).not_to_be_empty()
    listed.first.get_by_role("button", name=t("coach.try")).click()
    expect(page.get_by_role("heading", level=2, name=pattern("coach.exercise"))).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name=t("coach.show")).click()
    expect(page.get_by_role("button", name=t("coach.hide"))).to_be_visible()
    complaints[:] = [text for text in complaints if "404" not in text]


@pytest.mark.slow
@pytest.mark.parametrize("hand", ["keyboard", "touch"])
def test_an_exercise_has_an_address_and_works_on_a_phone(
    sit: Sit, complaints: list[str], hand: str
) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    page = table.page
    turns = reviewed(table)
    number = max(turns, key=lambda one: float(one["loss"]))["number"]
    page.goto(f"/g/{table.id}/review?turn={number}&try=1")
    expect(page.get_by_role("heading", level=2, name=pattern("coach.exercise"))).to_be_visible()
    table.hand = hand
    act(table, turns[number - 1]["best"])
    if hand == "touch":
        page.get_by_role("button", name=t("coach.judge")).tap()
    else:
        page.keyboard.press("f")
    expect(page.locator(".answer")).to_contain_text(t("coach.answer.found"), timeout=60_000)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []
    if hand == "touch":
        page.get_by_role("button", name=t("coach.show")).tap()
        page.get_by_role("button", name=t("coach.hide")).tap()
    else:
        page.keyboard.press("Escape")
    expect(page.get_by_text(pattern("replay.turn", number=number))).to_be_visible()
    complaints[:] = [text for text in complaints if "404" not in text]


def until(table: Table, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until a condition holds for the game; return its snapshot."""
    for _ in range(600):
        found = table.snapshot()
        if holds(found):
            return found
        table.page.wait_for_timeout(100)
    raise AssertionError("it never held")


def switch_coach_on(page: Page) -> None:
    page.goto("/settings")
    box = page.get_by_label(t("coach.setting"))
    expect(box).not_to_be_checked()
    box.check()


def blunder_of(game: str) -> tuple[dict[str, Any], list[str]]:
    """A game against computers from a position in which one turn decides, and a turn that loses."""
    if game == "nova":
        # On a row of seven cells the first player can close the three cells of one landscape and win; this turn lets the rival win.
        row = {"name": "row", "map": "A A A B C D E"}
        start = terra_nova.compose(
            terra_nova.Rules(), terra_nova.Board.parse(row["map"]), pioneers={"a1": 0, "a7": 1}
        )
        order = nova(["device", "computer"])
        return order | {"rules": {}, "board": row, "position": start.to_text()}, BLUNDER
    # A rival wins with its next turn, unless it is stopped.
    urgent = [puzzle for puzzle in games["turrium"].puzzles.values() if puzzle.goal == "stop"]
    puzzle = max(urgent, key=lambda one: one.margin)
    position = games["turrium"].position(puzzle.position)
    assert position.to_move is not None
    seats = ["computer"] * position.players
    seats[position.to_move] = "device"
    turn: list[str] = []
    now = position
    while not (turn and now.at_turn_start):
        legal = [str(action) for action in now.legal_actions()]
        turn.append("end" if "end" in legal else legal[0])
        now = now.play(turn[-1])
    assert not puzzle.is_solved_by(position, turn)
    return turrium(seats) | {"rules": {}, "position": puzzle.position}, turn


BLUNDER = ["a1-a6", "a6-a4", "+a3"]


@pytest.mark.parametrize(
    "played",
    mostly_slow(
        [
            f"{game} {hand}"
            for game in ("nova", "turrium")
            for hand in ("mouse", "touch", "keyboard")
        ],
        "nova keyboard",
        "turrium touch",
    ),
)
def test_the_coach_asks_before_a_blunder_is_sent_to_a_computer(sit: Sit, played: str) -> None:
    game, hand = played.split()
    order, blunder = blunder_of(game)
    table = sit(order, **(PHONE if hand == "touch" else {}))
    table.hand = hand
    page = table.page
    switch_coach_on(page)
    table.open()
    page.locator(".bar").wait_for()
    from_above(table)
    snapshot = table.snapshot()
    table.draft(" ".join(blunder))
    drafted = page.locator(".draft li").all_inner_texts()

    def press(button: Any) -> None:
        if hand == "keyboard":
            expect(button).to_be_enabled()
            button.press("Enter")
        else:
            (button.tap if hand == "touch" else button.click)()

    press(table.finish)
    dialog = page.get_by_role("dialog", name=t("coach.title"))
    expect(dialog).to_be_visible()
    expect(dialog.locator(".reason").first).not_to_be_empty()
    think = dialog.get_by_role("button", name=t("coach.think"))
    expect(think).to_be_focused()
    assert axe(page) == []
    assert table.snapshot()["seq"] == snapshot["seq"], "nothing is sent before the answer"
    if hand == "keyboard":
        page.keyboard.press("Escape")
    else:
        press(think)
    expect(dialog).to_have_count(0)
    expect(table.finish).to_be_focused()
    expect(page.locator(".draft li")).to_have_text(drafted)
    press(table.finish)
    press(dialog.get_by_role("button", name=t("coach.send")))
    sent = until(table, lambda now: now["seq"] > snapshot["seq"])
    assert sent["turns"][len(snapshot["turns"])]["actions"] == blunder


def test_the_coach_is_switched_on_and_off_at_the_table(sit: Sit) -> None:
    order, blunder = blunder_of("nova")
    table = sit(order, **PHONE)
    table.hand = "touch"
    page = table.page
    more = page.get_by_role("button", name=t("story.more"), exact=True)
    switch = page.get_by_role("checkbox", name=t("table.coach"))
    more.tap()
    expect(switch).not_to_be_checked()
    switch.tap()
    expect(switch).to_be_checked()
    assert axe(page) == []
    table.draft(" ".join(blunder))
    table.finish.tap()
    dialog = page.get_by_role("dialog", name=t("coach.title"))
    dialog.get_by_role("button", name=t("coach.think")).tap()
    expect(dialog).to_have_count(0)
    snapshot = table.snapshot()
    more.tap()
    expect(switch).to_be_checked()
    switch.tap()
    expect(switch).not_to_be_checked()
    table.finish.tap()
    until(table, lambda now: now["seq"] > snapshot["seq"])


@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "de"))
def test_the_switch_and_the_question_fit_a_phone_in_every_language(sit: Sit, language: str) -> None:
    order, blunder = blunder_of("nova")
    table = sit(order, locale=language, **PHONE)
    page = table.page
    texts = catalogue(language, "table") | {"more": catalogue(language, "story")["more"]}
    page.get_by_role("button", name=texts["more"], exact=True).tap()
    switch = page.get_by_role("checkbox", name=texts["coach"], exact=True)
    switch.tap()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    box = switch.bounding_box()
    assert box
    assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    assert axe(page) == []
    page.get_by_role("button", name=texts["more"], exact=True).tap()
    act(table, blunder)
    page.get_by_role("button", name=texts["finish"], exact=True).tap()
    question = page.get_by_role("dialog", name=catalogue(language, "coach")["title"])
    for text in ("about", "think", "send"):
        expect(question.get_by_text(catalogue(language, "coach")[text])).to_be_in_viewport(ratio=1)
    assert question.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert axe(page) == []


def test_a_turn_is_not_shown_as_sent_while_the_coach_looks_at_it(sit: Sit) -> None:
    order, blunder = blunder_of("turrium")
    table = sit(order)
    page = table.page
    switch_coach_on(page)
    table.open()
    from_above(table)
    table.draft(" ".join(blunder))
    held: list[Route] = []
    page.route("**/coach", lambda route: held.append(route))
    table.finish.click()
    judging = page.get_by_role("button", name=t("coach.judging"))
    expect(judging).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".bar")).not_to_contain_text(t("table.sending"))
    assert len(held) == 1
    held[0].continue_()
    expect(page.get_by_role("dialog", name=t("coach.title"))).to_be_visible()


def test_the_coach_is_never_asked_in_games_with_other_people(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    page = table.page
    switch_coach_on(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    table.open()
    for _ in range(2):
        table.turn()
    assert table.snapshot()["turn"] == 2
    assert not [url for url in asked if re.search(r"/(coach|review)$", url)]
    page.get_by_role("button", name=t("story.more"), exact=True).click()
    expect(page.get_by_role("button", name=t("table.resign"))).to_be_visible()
    expect(page.get_by_role("checkbox", name=t("table.coach"))).to_have_count(0)


def test_every_reason_has_its_text_in_every_language() -> None:
    """The codes are read from the modules that create the reasons."""
    for language in LANGUAGES:
        texts = catalogue(language, "reason")
        for game in ("nova", "turrium"):
            listed = import_module(f"terrarium.{game}.reasons").__doc__ or ""
            codes = re.findall(r"^\| (\w+) \|", listed, re.M)[1:]
            assert len(codes) > 5
            for code in codes:
                for kind in ("fault", "line"):
                    sides = [s for s in ("gains", "allows") if f"{kind}.{s}.{code}" in texts]
                    assert sides, (language, kind, code)
