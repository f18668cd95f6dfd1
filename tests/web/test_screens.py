"""Every screen, in every language, light and dark, on desktops and phones.

`make test` checks every screen in one of the languages and a quarter of them in each scheme; `make long` checks all in all,
and the panels and dialogs that open on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.server.running import Server
from tests.sizes import IS_LONG, mostly_slow
from tests.web.conftest import Complaints
from tests.web.screens import NAME, PASSWORD, Screens, axe, prepare, sign_in
from tests.web.table import FRAMES, Table, nova, turrium
from tests.web.texts import LANGUAGES, LOCALES, catalogue

Visit = Callable[..., Page]
pytestmark = pytest.mark.long
DESK: dict[str, Any] = {"width": 1280, "height": 860}
SCHEMES = ("light", "dark")
PHONE: ViewportSize = {"width": 390, "height": 844}
NARROW: ViewportSize = {"width": 360, "height": 740}
TABLET: ViewportSize = {"width": 1024, "height": 800}

# Finds what does not fit: a page or text wider than its box, a text outside its card, and a choice that is cut off.
OVERFLOW = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility() && !e.closest('.unseen, svg') && e.clientWidth > 0);
  const flow = (e) => getComputedStyle(e).overflowX;
  const card = (e) => e.closest('article, section, li, td, th, dialog, fieldset');
  const leaves = (e) => {
    if (e.getBoundingClientRect().right <= card(e).getBoundingClientRect().right + 1) return false;
    for (let box = e; box !== card(e).parentElement; box = box.parentElement) if (flow(box) !== 'visible') return false;
    return true;
  };
  const pen = document.createElement('canvas').getContext('2d');
  const isCut = (select) => {
    const style = getComputedStyle(select);
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return pen.measureText(select.selectedOptions[0]?.text ?? '').width > room + 1;
  };
  return [document.documentElement.scrollWidth > innerWidth ? 'the page itself' : null,
    ...[...all('button, .button, h1, h2, label, legend, select, summary, p, header a').filter((e) => e.scrollWidth > e.clientWidth + 2 && flow(e) === 'visible'),
      ...all('article *, section *, li *, td *, th *, dialog *, fieldset *').filter((e) => !e.childElementCount && e.textContent.trim() && leaves(e)),
      ...all('select').filter(isCut)].map((e) => e.outerHTML.slice(0, 160))].filter(Boolean);
}"""
AREAS = "|".join(sorted(path.stem for path in (LOCALES / "en").glob("*.json")))
UNTRANSLATED = (
    r"""() => {
  const words = document.title + '\n' + document.body.innerText + '\n' + [...document.querySelectorAll('[aria-label],[title],[placeholder]')]
    .map(e => ['aria-label', 'title', 'placeholder'].map(n => e.getAttribute(n) ?? '').join('\n')).join('\n');
  return [...words.matchAll(/\b(AREAS)\.[a-zA-Z][\w.-]+|\{\w+[,}]|undefined|NaN/g)].map(m => m[0]);
}"""
).replace("AREAS", AREAS)
# Finds clickable elements less than 40 px high or wide; for a checkbox the label counts. Links inside a sentence are as high
# as its line, which WCAG 2.5.8 exempts; for cells of a board the nearest one counts, not the outline.
SMALL = """() => {
  const inline = (e) => e.tagName === 'A' && getComputedStyle(e).display === 'inline' && e.parentElement.innerText.trim().length > e.innerText.trim().length;
  const hit = (e) => (e.matches('[type=checkbox], [type=radio], [type=file]') ? (e.closest('label') ?? e) : e);
  return [...document.querySelectorAll('a[href], button, select, input, textarea, summary, [role=button], [role=radio], [role=switch]')]
    .filter((e) => e.checkVisibility() && !inline(e)).map((e) => [e, hit(e).getBoundingClientRect()])
    .filter(([e, box]) => box.width > 0 && box.bottom > 0 && (box.height < 39.5 || box.width < 39.5))
    .map(([e, box]) => `${e.outerHTML.slice(0, 120)} ${Math.round(box.width)}x${Math.round(box.height)}`);
}"""
OPEN = "() => document.querySelectorAll('details').forEach((one) => (one.open = true))"


@pytest.fixture(scope="module")
def screens(server: Server) -> Screens:
    return prepare(server)


def show(page: Page, path: str) -> None:
    """Go to a screen and wait until it is loaded: its heading is there, and nothing is loading."""
    page.goto("about:blank")
    page.goto(path)
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.evaluate(OPEN)


def visited(page: Page, screens: Screens, part: int, parts: int) -> Iterator[str]:
    """Visit the screens of a part one by one, first as a guest, then signed in."""
    step, first = (1, 0) if IS_LONG else (parts, part)
    for name, path in list(screens.paths.items())[first::step]:
        show(page, path)
        yield name
    sign_in(page)
    for name, path in list(screens.signed.items())[first::step]:
        show(page, path)
        yield name


def overflows(page: Page) -> list[str]:
    """The elements that do not fit, on phones of two widths and on a tablet."""
    found = []
    for size in (TABLET, NARROW, PHONE):
        page.set_viewport_size(size)
        page.evaluate(FRAMES)
        found += [f"{size['width']} px: {one}" for one in page.evaluate(OVERFLOW)]
    return found


def allow_missing(complaints: Complaints) -> None:
    """Ignore the server's 404 and 403 for screens about something missing or forbidden."""
    complaints.expect("404", "403")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_is_in_the_language_without_overflow(
    language: str, visit: Visit, screens: Screens, complaints: Complaints
) -> None:
    page = visit("/settings", locale=language, viewport=PHONE)
    problems: dict[str, Any] = {}
    for name in visited(page, screens, LANGUAGES.index(language), len(LANGUAGES)):
        assert page.evaluate("() => document.documentElement.lang") == language
        found = [*page.evaluate(UNTRANSLATED), *page.evaluate(SMALL), *overflows(page)]
        if found:
            problems[name] = found
    allow_missing(complaints)
    assert not problems, json.dumps(problems, indent=1)


# The buttons of the menu at the table, grouped by row: a menu that wraps has two rows.
ROWS = """() => Object.groupBy([...document.querySelectorAll('[role=group].menu > *')].map((e) => [e.innerText.trim(),
  Math.round(e.getBoundingClientRect().top)]), ([, top]) => top)"""


@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "de"))
def test_the_buttons_of_a_table_are_in_one_row_on_a_phone(language: str, visit: Visit) -> None:
    page = visit("/settings", locale=language, viewport=PHONE)
    Table.set(page, nova(["device", "computer"]))
    for size in (PHONE, NARROW):
        page.set_viewport_size(size)
        page.evaluate(FRAMES)
        rows = page.evaluate(ROWS)
        assert [len(buttons) for buttons in rows.values()] == [4], (size, rows)


def test_a_text_that_leaves_its_card_and_a_choice_that_is_cut_off_are_found(visit: Visit) -> None:
    page = visit("/new", viewport=NARROW)
    page.locator("main select").first.wait_for()
    assert overflows(page) == []
    page.evaluate("() => (document.querySelector('main select').style.width = '40px')")
    assert any("<select" in one for one in overflows(page))
    page.goto("/editor")
    page.locator("article .facts").first.wait_for()
    page.evaluate("() => (document.querySelector('article .right').style.translate = '200px')")
    assert any('"soft right' in one for one in overflows(page))


class Panels:
    """Checks of panels and dialogs in one language; collects the problems of each, by name."""

    def __init__(self, page: Page, language: str) -> None:
        self.page, self.language = page, language
        self.problems: dict[str, Any] = {}

    def text(self, key: str) -> str:
        area, name = key.split(".", 1)
        return catalogue(self.language, area)[name]

    def press(self, key: str) -> None:
        """Press the button with this text, with any values filled in."""
        words = ".*".join(map(re.escape, re.split(r"\{\w+\}", self.text(key))))
        self.page.get_by_role("button", name=re.compile(f"^{words}$")).first.click()

    def look(self, name: str, selector: str) -> None:
        expect(self.page.locator(selector).first).to_be_visible()
        found = [
            *self.page.evaluate(UNTRANSLATED),
            *self.page.evaluate(SMALL),
            *overflows(self.page),
        ]
        if found:
            self.problems[name] = found

    def dialog(self, name: str) -> None:
        """Check the dialog that was just opened, and close it."""
        self.look(name, "dialog[open]")
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog[open]")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.only_long
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_opens_on_a_screen_fits_in_the_language(
    language: str, visit: Visit, server: Server, screens: Screens, complaints: Complaints
) -> None:
    complaints.expect("422")  # a position that is not legal
    page = visit("/settings", locale=language, viewport=PHONE, is_taught=False)
    page.get_by_role("heading", level=1).wait_for()
    panels = Panels(page, language)
    _look_at_a_table(panels, server)
    _look_at_the_rest_of_a_game(panels, screens)
    _look_at_puzzle_and_editor(panels, screens)
    _look_at_an_account(panels, server)
    assert not panels.problems, json.dumps(panels.problems, indent=1)


def _look_at_a_table(panels: Panels, server: Server) -> None:
    """Check talk, reports, plans, offers and confirmations, with another person at the table."""
    page = panels.page
    table = Table.set(page, nova(["link", "device"]))
    with server.person(table.secrets[0]) as other:
        assert other.post(f"/api/games/{table.id}/seats/0", {}).status_code == 200
        said = {"seat": 0, "phrase": "you-are-welcome"}
        assert other.post(f"/api/games/{table.id}/talk", said).status_code == 201
    page.locator("details.talk summary").click()
    page.locator("details.talk input[type=checkbox]").check()
    panels.look("talk", "details.talk [role=log] p b")
    panels.press("talk.report")
    panels.dialog("report")
    panels.press("plans.premove")
    panels.look("plan", ".ahead")
    place = panels.text("board.can.place")
    page.locator(f'[data-cell][aria-label*="{place}"]').first.click()
    panels.press("plans.save")
    panels.look("plans", '[data-plan="waiting"]')
    panels.press("plans.conditional")
    panels.look("condition", ".ahead")
    panels.press("plans.cancel")
    expect(page.locator(".ahead")).to_have_count(0)
    panels.press("story.more")
    panels.press("table.resign")
    panels.dialog("resign")
    panels.press("story.more")
    panels.press("table.draw")
    panels.look("offer", ".offer")


def _look_at_the_rest_of_a_game(panels: Panels, screens: Screens) -> None:
    """Check the end screen, the help for shortcuts, and the tips of a first game."""
    page = panels.page
    page.goto(f"/g/{screens.finished}")
    page.locator("[data-cell]").first.wait_for()
    panels.press("table.showEnding")
    panels.look("ending", "[role=dialog]")
    page.keyboard.press("Escape")
    expect(page.locator("[role=dialog]")).to_have_count(0)
    page.keyboard.press("?")
    panels.dialog("keys")
    for game in (nova, turrium):
        Table.set(page, game(["device", "computer"]))
        panels.look(f"tips of {game.__name__}", "aside.tips")


def _look_at_puzzle_and_editor(panels: Panels, screens: Screens) -> None:
    """Check hints and the solution of a puzzle, the reason why a position is illegal, and the menu of the page."""
    page = panels.page
    page.goto("/settings")
    page.get_by_role("heading", level=1).wait_for()
    panels.press("common.nav.menu")
    panels.look("menu", "#nav a")
    for game in ("nova", "turrium"):
        page.goto(screens.paths[f"puzzle-{game}"])
        panels.press("puzzles.hint")
        panels.press("puzzles.hintMore")
        panels.look(f"hints of {game}", "main [data-cell]")
        panels.press("puzzles.giveUp")
        panels.look(f"solution of {game}", ".answer")
        page.goto(f"/editor?game={game}")
        page.locator("[data-legal=yes]").wait_for()
        panels.press("editor.clear")
        panels.look(f"empty board of {game}", "[data-legal]")


def _look_at_an_account(panels: Panels, server: Server) -> None:
    """Check notices with and without an email address, challenges, and the confirmation before deletion."""
    page = panels.page
    sign_in(page)
    notices: dict[str, Any] = {
        "push_key": "",
        "browsers": 0,
        "can_mail": True,
        "is_confirmed": False,
    }
    page.route("**/api/me/notices", lambda one: one.fulfill(json=notices))
    for address in (None, "a.person.with.a.long.name@mail.club.example"):
        notices["address"] = address
        page.goto("/settings")
        panels.look("notices", ".row button" if address else "#mail")
    page.unroute_all()
    with server.person() as other:
        person = {"name": f"Challenger {panels.language}", "password": PASSWORD}
        assert other.post("/api/accounts", person).status_code == 201
        order = {"to": NAME, "game": "turrium", "clock": {"kind": "correspondence", "days": 3}}
        made = other.post("/api/challenges", order)
        assert made.status_code == 201, made.text
        page.goto("/learn")
        panels.look("challenge", ".challenge")
        other.post(f"/api/challenges/{made.json()['id']}/withdraw")
    page.goto("/account")
    panels.press("account.remove")
    panels.dialog("delete")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_any_screen(
    scheme: str, visit: Visit, screens: Screens, complaints: Complaints
) -> None:
    page = visit("/settings", color_scheme=scheme, viewport=DESK)
    problems: dict[str, Any] = {}
    for name in visited(page, screens, SCHEMES.index(scheme), 8):
        violations = axe(page)
        if violations:
            problems[name] = violations
    allow_missing(complaints)
    assert not problems, json.dumps(problems, indent=1)
