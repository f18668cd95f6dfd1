"""The learn screens in a real browser: rule books, editions and guided first games."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from terrarium.core.position import Position
from tests.sizes import sampled
from tests.web.conftest import Complaints, Visit
from tests.web.learn_data import BOOKS, LESSONS, Step, position
from tests.web.table import ANSWERED
from tests.web.texts import LANGUAGES, catalogue, pattern, t

TONGUES = {
    "en": "en-GB",
    "fr": "fr-FR",
    "nl": "nl-NL",
    "sv": "sv-SE",
    "de": "de-DE",
    "it": "it-IT",
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def click(page: Page, cell: str) -> None:
    box = page.locator(f'[data-cell="{cell}"]').bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def ready(page: Page) -> None:
    """Wait until the position of the step is on the board."""
    expect(page.locator(".stage[aria-busy=false] [data-cell]")).not_to_have_count(0)


def play(page: Page, step: Step) -> None:
    """Play the solution of a step as a person with a mouse does."""
    ready(page)
    reached, last = position(step["position"]), None
    for number, text in enumerate(step["solution"], 1):
        # While an answer is awaited, the board still shows the old choices.
        page.wait_for_function(ANSWERED)
        action = reached.parse(text)
        if text == "end":
            page.get_by_role("button", name=t("table.finish")).click()
        else:
            choose_mode(page, reached, action.kind)
            if action.source:
                # After a step, a flag stays selected; a pioneer does not.
                if action.source != last or reached.game.name == "nova":
                    click(page, action.source)
                expect(page.locator(".selected")).to_have_count(1)
            assert action.target is not None
            click(page, action.target)
        last = action.target
        if number < len(step["solution"]):
            expect(page.locator(".draft li")).to_have_count(number)
        reached = reached.play(action)
    if step.get("finish") and step["solution"][-1] != "end":
        page.get_by_role("button", name=t("table.finish")).click()


def from_above(page: Page, game: str) -> None:
    """Switch to the top view, where towers do not hide each other."""
    if game == "turrium":
        page.get_by_role("button", name=t("board.view.above")).click()
        expect(page.get_by_role("button", name=t("board.view.isometric"))).to_be_visible()


def choose_mode(page: Page, reached: Position, kind: str) -> None:
    """Choose the kind of action of a click, if several are possible."""
    kinds = {action.kind for action in reached.legal_actions() if action.target}
    if {"take", "cube"} <= kinds and kind in kinds:
        name = {"take": t("table.mode.take"), "cube": t("table.mode.cube")}[kind]
        page.get_by_role("radio", name=name).click()


@pytest.mark.slow
@pytest.mark.parametrize("game", LESSONS)
def test_a_guided_first_game_is_played_to_the_end(visit: Visit, game: str) -> None:
    page = visit(f"/learn/{game}/first")
    texts = catalogue("en", f"lesson-{game}")
    from_above(page, game)
    for number, step in enumerate(LESSONS[game], 1):
        title = f"{number}. {texts[step['id'] + '.title']}"
        expect(page.get_by_role("heading", level=2)).to_have_text(title)
        play(page, step)
        expect(page.locator(".answer.good")).to_be_visible()
        if number < len(LESSONS[game]):
            page.get_by_role("button", name=t("learn.next"), exact=True).click()
    page.get_by_role("button", name=t("learn.playNow")).click()
    expect(page).to_have_url(re.compile(r"/g/[\w-]+$"))
    expect(page.get_by_role("button", name=t("table.finish"))).to_be_visible()


def test_progress_is_kept(visit: Visit) -> None:
    page = visit("/learn/nova/first")
    first, second = LESSONS["nova"][:2]
    texts = catalogue("en", "lesson-nova")
    ready(page)
    play(page, first)
    expect(page.locator(".answer.good")).to_be_visible()
    page.goto("/learn")
    expect(
        page.get_by_text(t("learn.progress", done=1, count=len(LESSONS["nova"]))).last
    ).to_be_visible()
    page.get_by_role("link", name=t("learn.continue")).click()
    # Look for the heading by name: until the lesson is loaded, the old screen with three headings stays.
    title = texts[f"{second['id']}.title"]
    expect(page.get_by_role("heading", level=2, name=title)).to_be_visible()
    expect(page.get_by_role("button", name=pattern("learn.stepDone", number=1))).to_be_visible()


def test_pictures_stay_when_every_step_is_done(visit: Visit) -> None:
    page = visit("/learn")
    page.get_by_role("heading", level=1).wait_for()
    for game, lesson in LESSONS.items():
        page.evaluate(
            "([game, ids]) => localStorage.setItem('terrarium.lesson.' + game, JSON.stringify(ids))",
            [game, [step["id"] for step in lesson]],
        )
    page.reload()
    expect(page.locator(".picture svg[role=img]")).to_have_count(len(LESSONS))


def test_after_a_wrong_try_the_page_explains_and_shows_the_solution(visit: Visit) -> None:
    page = visit("/learn/nova/first?step=1")
    ready(page)
    texts = catalogue("en", "lesson-nova")
    click(page, "a1")
    expect(page.locator(".answer")).to_have_text(texts["place.wrong"])
    page.get_by_role("button", name=t("learn.show")).click()
    expect(page.locator(".answer.good")).to_have_text(texts["place.done"])
    page.get_by_role("button", name=t("learn.again")).click()
    expect(page.locator(".answer")).to_have_count(0)


def test_a_refusal_names_its_rule(visit: Visit, complaints: Complaints) -> None:
    page = visit("/learn/turrium/first?step=4")
    ready(page)
    from_above(page, "turrium")
    click(page, "e6")
    expect(page.get_by_role("alert")).to_contain_text(pattern("common.error.not-exterior.facts"))
    complaints.expect("422")
    page.get_by_role("alert").get_by_role("link", name="TT-7").click()
    expect(page.locator("#TT-7")).to_be_in_viewport()


def test_a_lesson_is_played_by_keyboard(visit: Visit) -> None:
    page = visit("/learn/nova/first?step=1")
    ready(page)
    page.locator('[data-cell][tabindex="0"]').focus()
    for _ in range(60):
        name = page.evaluate("document.activeElement.getAttribute('aria-label')")
        if t("common.landscape.lake") in name:
            break
        page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.locator(".answer.good")).to_be_visible()
    expect(page.get_by_role("button", name=t("learn.next"), exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2)).to_be_focused()


def test_a_lesson_is_played_with_a_finger(visit: Visit) -> None:
    page = visit("/learn/nova/first?step=1", **PHONE)
    ready(page)
    box = page.locator('[data-cell="e4"]').bounding_box()
    assert box is not None
    for _ in range(2):
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".answer.good")).to_be_in_viewport()


def test_a_figure_can_be_stepped_through(visit: Visit) -> None:
    page = visit("/learn/nova")
    figure = page.locator("figure").filter(has_text="12 × 2 = 24")
    figure.scroll_into_view_if_needed()
    step = figure.get_by_role("button", name=t("learn.step"))
    for _ in range(2):
        step.click()
    expect(figure.get_by_role("status")).to_contain_text("24")
    expect(step).to_be_disabled()
    figure.get_by_role("button", name=t("learn.back")).click()
    expect(step).to_be_enabled()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("game", "language"), sampled(BOOKS, LANGUAGES))
def test_a_rule_book_is_complete_in_every_language(visit: Visit, game: str, language: str) -> None:
    page = visit(f"/learn/{game}", locale=TONGUES[language])
    texts = catalogue(language, f"learn-{game}")
    page.get_by_role("heading", level=1).wait_for()
    for chapter in BOOKS[game]:
        heading = page.locator(f"#title-{chapter['id']}")
        expect(heading).to_have_text(texts[f"chapter.{chapter['id']}"])
        for rule in chapter["rules"]:
            start = texts[f"rule.{rule}"].replace("*", "").split("\n")[0]
            expect(page.locator(f"#{rule}")).to_contain_text(start[:60])
    assert no_overflow(page)
    figures = page.locator("figure")
    for at in range(figures.count()):
        figures.nth(at).scroll_into_view_if_needed()
        expect(figures.nth(at).locator("svg[role=img]")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "language"),
    sampled(
        [
            "/learn",
            "/learn/editions",
            "/learn/nova/first",
            "/learn/nova",
            "/learn/turrium",
            "/learn/turrium/summary",
        ],
        LANGUAGES,
    ),
)
def test_nothing_overflows_a_phone(visit: Visit, path: str, language: str) -> None:
    page = visit(path, locale=TONGUES[language], **PHONE)
    page.get_by_role("heading", level=1).wait_for()
    assert no_overflow(page)
    assert not re.search(
        r"\b(learn|lesson|common|table|board)(-\w+)?\.\w+", page.inner_text("main")
    )


def no_overflow(page: Page) -> bool:
    fits: bool = page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return fits


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("game", "language"), sampled(LESSONS, LANGUAGES))
def test_a_summary_prints_on_one_sheet(visit: Visit, game: str, language: str) -> None:
    page = visit(f"/learn/{game}/summary", locale=TONGUES[language])
    expect(page.get_by_role("heading", level=2)).to_have_count(5)
    expect(page.locator(".picture svg").first).to_be_visible()
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True))
    assert len(sheets) == 1


def test_a_marked_rule_leads_to_its_ruling_and_back(visit: Visit) -> None:
    page = visit("/learn/nova")
    page.locator("#TN-5").get_by_role("link", name=t("learn.reading")).click()
    expect(page).to_have_url(re.compile("#ruling-TN-5$"))
    expect(page.locator("#ruling-TN-5")).to_be_in_viewport()
    page.locator("#ruling-TN-5").get_by_role("link", name="TN-5").click()
    expect(page.locator("#TN-5")).to_be_in_viewport()
