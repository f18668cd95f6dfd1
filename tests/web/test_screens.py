"""Every screen, in every language, light and dark, on a desk and on a phone.

`make test` looks at every screen in one of the languages and at a quarter of them in each scheme; `make long` at all in all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.server.running import Server
from tests.sizes import IS_LONG
from tests.web.screens import Screens, prepare, sign_in
from tests.web.texts import LANGUAGES

Visit = Callable[..., Page]
AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
DESK: dict[str, Any] = {"width": 1280, "height": 860}
SCHEMES = ("light", "dark")
PHONE: ViewportSize = {"width": 390, "height": 844}

OVERFLOW = """() => [document.documentElement.scrollWidth > innerWidth ? 'the page itself' : null,
  ...[...document.querySelectorAll('main button, main .button, main h1, main h2, main label, main select, main p, header a')]
    .filter(e => e.checkVisibility() && !e.closest('.unseen') && e.scrollWidth > e.clientWidth + 2 && getComputedStyle(e).overflowX === 'visible' && e.clientWidth > 0)
    .map(e => e.outerHTML.slice(0, 160))].filter(Boolean)"""
UNTRANSLATED = r"""() => {
  const words = document.title + '\n' + document.body.innerText + '\n' + [...document.querySelectorAll('[aria-label],[title],[placeholder]')]
    .map(e => ['aria-label', 'title', 'placeholder'].map(n => e.getAttribute(n) ?? '').join('\n')).join('\n');
  return [...words.matchAll(/\b(account|common|board|home|new|table|replay|settings|learn|learn-nova|learn-turrium|lesson-nova|lesson-turrium)\.[a-zA-Z][\w.-]+|\{\w+[,}]|undefined|NaN/g)].map(m => m[0]);
}"""
# Everything that can be hit is 40 px high and wide; a tick is hit by its label. Links that stand inside a sentence are as high
# as its line, which WCAG 2.5.8 exempts; cells of a board are found by nearness, not by their outline.
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
    """Go to a screen and wait until it has come: its heading, and no loading any more."""
    page.goto("about:blank")
    page.goto(path)
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.evaluate(OPEN)


def visited(page: Page, screens: Screens, part: int, parts: int) -> Iterator[str]:
    """The screens of a part in turn, first as a stranger sees them, then as somebody who has signed in."""
    step, first = (1, 0) if IS_LONG else (parts, part)
    for name, path in list(screens.paths.items())[first::step]:
        show(page, path)
        yield name
    sign_in(page)
    for name, path in list(screens.signed.items())[first::step]:
        show(page, path)
        yield name


def allow_missing(complaints: list[str]) -> None:
    """Screens about something that is not there, or not for them, were told so by the server."""
    complaints[:] = [text for text in complaints if "404" not in text and "403" not in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_speaks_the_language_without_overflow(
    language: str, visit: Visit, screens: Screens, complaints: list[str]
) -> None:
    page = visit("/settings", locale=language, viewport=PHONE)
    problems: dict[str, Any] = {}
    for name in visited(page, screens, LANGUAGES.index(language), len(LANGUAGES)):
        assert page.evaluate("() => document.documentElement.lang") == language
        found = [*page.evaluate(OVERFLOW), *page.evaluate(UNTRANSLATED), *page.evaluate(SMALL)]
        page.set_viewport_size({"width": 1024, "height": 800})
        found += page.evaluate(OVERFLOW)
        page.set_viewport_size(PHONE)
        if found:
            problems[name] = found
    allow_missing(complaints)
    assert not problems, json.dumps(problems, indent=1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_any_screen(
    scheme: str, visit: Visit, screens: Screens, complaints: list[str]
) -> None:
    page = visit("/settings", color_scheme=scheme, viewport=DESK)
    problems: dict[str, Any] = {}
    for name in visited(page, screens, SCHEMES.index(scheme), 4):
        page.evaluate(AXE.read_text())
        violations, passes = page.evaluate(
            """async () => {
              const {violations, passes} = await axe.run(document);
              const told = (n) => n.html.slice(0, 140) + ' ' + n.any.map((a) => a.message).join('; ').slice(0, 200);
              return [violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map(told).join(' | ')}`), passes.length];
            }"""
        )
        assert passes > 10, "axe has looked"
        if violations:
            problems[name] = violations
    allow_missing(complaints)
    assert not problems, json.dumps(problems, indent=1)
