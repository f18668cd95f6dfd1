"""Puzzles in the page: tries and their answers, hints, the puzzle of the day, ratings that stay with a browser or an account."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.play.puzzle_data import PROGRAM, puzzles_of, wrong_turn
from tests.server.running import Server
from tests.web.conftest import Complaints
from tests.web.screens import axe
from tests.web.table import Table, from_above
from tests.web.test_screens import OVERFLOW, SMALL, TABLET, UNTRANSLATED
from tests.web.texts import LANGUAGES, catalogue, pattern, t

Visit = Callable[..., Page]
PASSWORD = "a password of some length"
PHONE: ViewportSize = {"width": 390, "height": 844}
SOLUTIONS = {
    id: " ".join(puzzle.solution)
    for package in ("terrarium.nova", "terrarium.turrium")
    for id, puzzle in puzzles_of(package).items()
}
WRONG = " ".join(wrong_turn(puzzles_of("terrarium.nova")["n100"]))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("puzzles"), program=PROGRAM) as running:
        yield running


def opened(page: Page, id: str = "n100", hand: str = "mouse") -> Table:
    """The board of a puzzle."""
    page.goto(f"/puzzles/{'nova' if id[0] == 'n' else 'turrium'}/{id}")
    page.locator("[role=grid] [data-cell]").first.wait_for()
    return Table(page, "", hand=hand)


def button(page: Page, key: str) -> Any:
    return page.get_by_role("button", name=t(key), exact=True)


def tried(table: Table, turn: str) -> None:
    """Play a turn and submit it as the solution."""
    table.draft(turn)
    if table.hand == "keyboard":
        table.page.keyboard.press("f")
    elif table.hand == "touch":
        button(table.page, "puzzles.check").tap()
    else:
        button(table.page, "puzzles.check").click()
    expect(table.page.locator(".answer")).to_be_visible()


def is_right(page: Page) -> None:
    expect(page.get_by_role("region", name=t("puzzles.right"))).to_be_visible()


def figures(page: Page, game: str = "nova") -> list[str]:
    """The figures of a game in the overview: rating, solved puzzles, current streak."""
    section = page.get_by_role("region", name=t(f"common.game.{game}"))
    expect(section.locator("dd")).to_have_count(3)
    found: list[str] = section.locator("dd").all_inner_texts()
    return [" ".join(text.split()) for text in found]


def test_a_solution_is_praised_with_its_reason_and_leads_to_the_next(visit: Visit) -> None:
    page = visit("/puzzles")
    expect(page.locator("[data-daily]")).to_have_count(2)
    assert figures(page) == ["1500 ±333", t("puzzles.solvedOf", solved=0, count=7), "0"]
    tried(opened(page), SOLUTIONS["n100"])
    is_right(page)
    answer = page.locator(".answer")
    expect(answer).to_contain_text("14 points")
    expect(answer).to_contain_text(t("puzzles.theme.nova.block"))
    expect(answer).to_contain_text(re.compile(r"Rating 1[56]\d\d \(\+\d+\)"))
    expect(button(page, "puzzles.next")).to_be_focused()
    button(page, "puzzles.next").click()
    page.wait_for_url(re.compile(r"/puzzles/nova/n(?!100)\d+$"))
    page.locator("[role=grid] [data-cell]").first.wait_for()
    expect(page.locator(".answer")).to_have_count(0)
    page.get_by_role("link", name=t("puzzles.all")).click()
    expect(page.get_by_text(t("puzzles.days", count=1))).to_be_visible()
    rating, solved, row = figures(page)
    assert int(rating.split()[0]) > 1500
    assert (solved, row) == (t("puzzles.solvedOf", solved=1, count=7), "1")


@pytest.mark.slow
def test_a_wrong_try_is_refuted_on_the_board_and_can_be_tried_again(visit: Visit) -> None:
    page = visit(None)
    table = opened(page)
    start = table.labels()
    tried(table, WRONG)
    wrong = page.get_by_role("region", name=t("puzzles.wrong"))
    expect(wrong).to_contain_text(t("puzzles.answers", name=t("common.colour.yellow")))
    expect(wrong).to_contain_text("Lets Yellow close land for 14 points")
    expect(wrong).to_contain_text(re.compile(r"afterwards: \d%\. After the best turn: 9\d%"))
    # Yellow's reply is on the board: the land is closed, and its stones are there.
    assert "f10" in page.locator(".answer .reply").inner_text()
    expect(page.locator('[data-cell="f10"]')).to_have_attribute(
        "aria-label", re.compile(re.escape(t("board.cell.stone")))
    )
    button(page, "puzzles.again").click()
    expect(page.locator(".draft")).to_have_count(0)
    assert table.labels() == start
    tried(table, SOLUTIONS["n100"])
    is_right(page)
    page.goto("/puzzles")
    expect(page.locator("dl").first).to_contain_text(t("puzzles.solvedOf", solved=1, count=7))
    rating, _, row = figures(page)
    # The first try counts.
    assert int(rating.split()[0]) < 1500
    assert row == "0"


@pytest.mark.slow
def test_the_reply_is_shown_action_by_action_and_can_be_skipped_and_repeated(visit: Visit) -> None:
    page = visit(None, reduced_motion="no-preference")
    table = opened(page)
    tried(table, WRONG)
    watched = page.get_by_role(
        "region", name=t("puzzles.answers", name=t("common.colour.yellow")), exact=True
    )
    expect(watched).to_be_visible()
    expect(button(page, "puzzles.again")).to_be_visible()
    button(page, "puzzles.replay").click()
    expect(watched).to_be_visible()
    page.keyboard.press("s")
    expect(watched).to_have_count(0)
    expect(button(page, "puzzles.again")).to_be_visible()


def test_hints_name_the_theme_then_the_place_and_are_remembered(visit: Visit) -> None:
    page = visit(None)
    table = opened(page)
    button(page, "puzzles.hint").click()
    expect(page.locator(".hint")).to_have_text(
        t("puzzles.hint.theme", themes=t("puzzles.theme.nova.block"))
    )
    button(page, "puzzles.hintMore").click()
    expect(page.locator(".hint")).to_contain_text(t("puzzles.hint.cell", cell="g9"))
    expect(button(page, "puzzles.hintMore")).to_have_count(0)
    tried(table, SOLUTIONS["n100"])
    is_right(page)
    kept = page.evaluate("() => JSON.parse(localStorage['terrarium.puzzle.nova.n100'])")
    assert (kept["result"], kept["solved"]) == ("helped", kept["at"])


def test_giving_up_shows_the_solution(visit: Visit) -> None:
    page = visit(None)
    opened(page, "t103")
    button(page, "puzzles.giveUp").click()
    shown = page.get_by_role("region", name=t("puzzles.solution"))
    expect(shown).to_be_visible()
    for action in ("d7", "f7", "e8", "c3"):
        expect(shown).to_contain_text(action)
    expect(button(page, "puzzles.next")).to_be_focused()
    button(page, "puzzles.next").click()
    page.wait_for_url(re.compile(r"/puzzles/turrium/t(?!103)\d+$"))
    page.goto("/puzzles")
    expect(page.locator("dl").nth(1)).to_contain_text(t("puzzles.solvedOf", solved=0, count=5))
    assert int(figures(page, "turrium")[0].split()[0]) < 1500


@pytest.mark.slow
def test_the_solution_is_not_sent_before_it_was_tried(visit: Visit) -> None:
    page = visit(None)
    bodies: list[str] = []
    page.on(
        "response",
        lambda one: bodies.append(one.text()) if "/api/puzzles" in one.url else None,
    )
    table = opened(page)
    button(page, "puzzles.hint").click()
    expect(page.locator(".hint")).to_be_visible()
    tried(table, WRONG)
    expect(page.locator(".answer.wrong")).to_be_visible()
    assert len(bodies) >= 3
    assert not any("+e10" in body and "g9-e9" in body for body in bodies)


@pytest.mark.slow
def test_the_puzzle_of_the_day_is_the_same_in_two_browsers_and_is_marked_when_solved(
    visit: Visit,
) -> None:
    english, french = visit("/puzzles"), visit("/puzzles", locale="fr-FR")
    addresses = [
        [
            page.locator(f'[data-daily="{game}"]').get_attribute("href")
            for game in ("nova", "turrium")
        ]
        for page in (english, french)
    ]
    assert addresses[0] == addresses[1]
    expect(french.get_by_text(catalogue("fr", "puzzles")["daily"]).first).to_be_visible()
    english.locator('[data-daily="nova"]').click()
    english.wait_for_url(f"**{addresses[0][0]}")
    id = str(addresses[0][0]).rsplit("/", 1)[1]
    english.locator("[role=grid] [data-cell]").first.wait_for()
    tried(Table(english, ""), SOLUTIONS[id])
    is_right(english)
    english.get_by_role("link", name=t("puzzles.all")).click()
    expect(english.get_by_text(t("puzzles.dailyDone"))).to_have_count(1)


def test_puzzles_of_a_theme_follow_each_other(visit: Visit) -> None:
    page = visit("/puzzles")
    page.locator('[data-theme-of="close"]').click()
    page.wait_for_url(re.compile(r"/puzzles/nova/(n102|n103|n105|n107)\?theme=close$"))
    page.locator("[role=grid] [data-cell]").first.wait_for()
    first = page.url
    button(page, "puzzles.giveUp").click()
    button(page, "puzzles.next").click()
    page.wait_for_url(lambda url: url != first and url.endswith("?theme=close"))
    assert re.search(r"/(n102|n103|n105|n107)\?", page.url)
    page.goto("/puzzles")
    page.locator('[data-difficulty="expert"]').first.click()
    page.wait_for_url(re.compile(r"/puzzles/nova/(n101|n104)\?difficulty=expert$"))


def test_a_puzzle_is_solved_by_keyboard_alone(visit: Visit) -> None:
    page = visit("/puzzles")
    page.locator('[data-daily="nova"]').wait_for()
    table = opened(page, hand="keyboard")
    tried(table, WRONG)
    expect(button(page, "puzzles.again")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_have_count(0)
    page.keyboard.press("Tab")
    tried(table, SOLUTIONS["n100"])
    expect(button(page, "puzzles.next")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/puzzles/nova/n(?!100)\d+$"))


@pytest.mark.slow
def test_an_answer_is_announced_to_screen_readers(visit: Visit) -> None:
    page = visit(None)
    tried(opened(page), WRONG)
    said = page.locator("[aria-live=polite]", has_text=t("puzzles.wrong"))
    expect(said).to_contain_text("Lets Yellow close land for 14 points")
    expect(said).to_contain_text(pattern("board.event.stone-placed", name="Yellow", cell="f10"))


def test_a_puzzle_is_solved_on_a_phone_by_touch(visit: Visit) -> None:
    page = visit(None, viewport=PHONE, has_touch=True)
    table = opened(page, "t103", hand="touch")
    from_above(table)
    tried(table, SOLUTIONS["t103"])
    is_right(page)
    expect(button(page, "puzzles.next")).to_be_in_viewport()
    button(page, "puzzles.next").tap()
    page.wait_for_url(re.compile(r"/puzzles/turrium/t(?!103)\d+$"))


def sign(page: Page, path: str, name: str) -> None:
    status = page.evaluate(
        """async ([path, name, password]) => (await fetch(path, {method: 'POST',
           headers: {'content-type': 'application/json'}, body: JSON.stringify({name, password})})).status""",
        [path, name, PASSWORD],
    )
    assert status == 201


@pytest.mark.slow
def test_an_account_gets_the_progress_of_the_guest_and_a_second_browser_shows_it(
    visit: Visit,
) -> None:
    first = visit(None)
    tried(opened(first), SOLUTIONS["n100"])
    is_right(first)
    sign(first, "/api/accounts", "Solver")
    second = visit("/puzzles")
    sign(second, "/api/sessions", "Solver")
    second.goto("/puzzles")
    expect(second.get_by_text(t("puzzles.kept.account"))).to_be_visible()
    first.goto("/puzzles")
    expect(first.get_by_text(t("puzzles.kept.account"))).to_be_visible()
    assert first.evaluate("() => Object.keys(localStorage).filter(k => /puzzle/.test(k))") == []
    # Without a reload: the second browser refreshes when it becomes visible again.
    look = "() => document.dispatchEvent(new Event('visibilitychange'))"
    one = t("puzzles.solvedOf", solved=1, count=7)
    second.evaluate(look)
    expect(second.locator("dl").first).to_contain_text(one)
    tried(opened(first, "n107"), SOLUTIONS["n107"])
    expect(first.locator(".rated")).to_be_visible()  # the server has stored the attempt
    second.evaluate(look)
    expect(second.locator("dl").first).to_contain_text(t("puzzles.solvedOf", solved=2, count=7))
    first.goto("/puzzles")
    expect(first.locator("dl").first).to_contain_text(t("puzzles.solvedOf", solved=2, count=7))
    assert figures(first) == figures(second)


@pytest.mark.slow
def test_two_tabs_of_a_guest_lose_nothing_and_see_each_other(visit: Visit) -> None:
    first = visit("/puzzles")
    expect(first.locator("dl").first).to_contain_text(t("puzzles.solvedOf", solved=0, count=7))
    tabs = [first.context.new_page() for _ in range(2)]
    tables = [opened(page, id) for page, id in zip(tabs, ("n100", "n107"), strict=True)]
    for table, id in zip(tables, ("n100", "n107"), strict=True):
        table.draft(SOLUTIONS[id])
    for page in tabs:
        button(page, "puzzles.check").click()
    for page in tabs:
        is_right(page)
    expect(first.locator("dl").first).to_contain_text(t("puzzles.solvedOf", solved=2, count=7))
    assert figures(first)[2] == "2"


def test_a_try_without_an_answer_stays_on_the_board(visit: Visit, complaints: Complaints) -> None:
    page = visit(None)
    table = opened(page)
    complaints.expect("Failed to load resource", "net::ERR_FAILED")
    page.route("**/try", lambda route: _fails(route))
    table.draft(SOLUTIONS["n100"])
    button(page, "puzzles.check").click()
    expect(page.get_by_role("alert")).to_have_text(t("common.error.offline"))
    expect(page.locator(".draft li")).to_have_count(3)
    page.unroute_all()
    button(page, "puzzles.check").click()
    is_right(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def _fails(route: Route) -> None:
    if "/puzzles/" in route.request.url:
        route.abort()
    else:
        route.continue_()


def test_the_start_page_leads_to_the_puzzles_below_the_open_tables(visit: Visit) -> None:
    page = visit("/")
    card = page.get_by_role("link", name=pattern("home.puzzles"))
    tables = page.get_by_role("heading", name=t("home.open"))
    boxes = card.bounding_box(), tables.bounding_box()
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] > boxes[1]["y"]
    card.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("puzzles.title"))
    link = page.get_by_role("navigation").get_by_role("link", name=t("common.nav.puzzles"))
    expect(link).to_have_attribute("aria-current", "page")


def test_a_puzzle_that_does_not_exist_says_so(visit: Visit, complaints: Complaints) -> None:
    complaints.expect("404")
    page = visit("/puzzles/nova/nope")
    expect(page.get_by_role("heading", level=1)).to_have_text(t("puzzles.failedOne"))
    page.get_by_role("link", name=t("puzzles.all")).click()
    expect(page.locator("[data-daily]")).to_have_count(2)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state_of_a_puzzle(visit: Visit, scheme: str) -> None:
    page = visit("/puzzles", color_scheme=scheme)
    expect(page.locator("[data-daily]")).to_have_count(2)
    found = axe(page)
    table = opened(page)
    button(page, "puzzles.hint").click()
    expect(page.locator(".hint")).to_be_visible()
    found += axe(page)
    tried(table, WRONG)
    found += axe(page)
    button(page, "puzzles.again").click()
    tried(table, SOLUTIONS["n100"])
    found += axe(page)
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_of_a_puzzle_fits_in_the_language(visit: Visit, language: str) -> None:
    page = visit("/puzzles", locale=language, viewport=PHONE)
    expect(page.locator("[data-daily]")).to_have_count(2)
    texts = catalogue(language, "puzzles")

    def problems() -> list[str]:
        found: list[str] = [*page.evaluate(UNTRANSLATED), *page.evaluate(SMALL)]
        for size in (TABLET, PHONE):
            page.set_viewport_size(size)
            found += page.evaluate(OVERFLOW)
        return found

    found = problems()
    opened(page)
    for key in ("hint", "hintMore", "giveUp"):
        page.get_by_role("button", name=texts[key], exact=True).click()
        expect(page.locator(".hint, .answer")).to_be_visible()
        found += problems()
    assert found == []
