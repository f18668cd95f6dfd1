"""The effects of an action are shown before it is done, and ownership stays visible: by mouse, finger and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from terrarium import nova, turrium
from terrarium.nova.events import TerritoryScored
from terrarium.turrium.reach import ReachChanged
from tests.sizes import mostly_slow
from tests.web.conftest import Visit
from tests.web.screens import axe
from tests.web.table import ANSWERED, FRAMES, SMALL, WON, Table
from tests.web.table import nova as nova_table
from tests.web.table import turrium as turrium_table
from tests.web.texts import t

Sit = Callable[..., Table]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


@cache
def closing(is_shared: bool) -> tuple[tuple[str, ...], tuple[str, ...], str, Any]:
    """Turns on the small island, the actions before a stone, that stone, and the territory it closes."""
    rules = nova.Rules(players=2, pioneers=2, stall_rounds=3)
    for seed in range(2_000):
        random = Random(seed)
        position = nova.start(rules, nova.Board.parse(SMALL["map"], name="islet"))
        turns: list[str] = []
        draft: list[str] = []
        while position.outcome is None and len(turns) < 12:
            for text, events in position.game.previews(position).items():
                found = [event for event in events if isinstance(event, TerritoryScored)]
                owners = [points for points in found[0].awards if points] if found else []
                if len(found) == 1 == len(events) and len(owners) == 1 + is_shared:
                    return tuple(turns), tuple(draft), text, found[0]
            action = random.choice(position.legal_actions())
            draft.append(str(action))
            position = position.play(action)
            if position.at_turn_start:
                turns.append(" ".join(draft))
                draft = []
    raise AssertionError("no such game")


def sum_of(territory: Any) -> str:
    cells = len(territory.cells)
    return f"{cells} × {territory.points // cells} = {territory.points}"


def words_of(territory: Any) -> str:
    """The page's text about a stone that closes this territory."""
    colours = [t("common.colour.yellow"), t("common.colour.red")]
    paid = [f"{colours[seat]} {points}" for seat, points in enumerate(territory.awards) if points]
    cells = len(territory.cells)
    value = territory.points // cells
    land = t("board.sum", cells=cells, value=value, points=territory.points)
    key = "board.preview.shared" if len(paid) > 1 else "board.preview.closes"
    return t(key, sum=land, shares=" and ".join(paid))


def drafted(table: Table, draft: tuple[str, ...]) -> None:
    """Begin the turn by keyboard."""
    page = table.page
    for number, text in enumerate(draft, 1):
        for cell in text.removeprefix("+").split("-"):
            page.wait_for_function(ANSWERED)
            focus(page, cell)
            page.keyboard.press("Enter")
        expect(page.locator(".draft li")).to_have_count(number)
    page.wait_for_function(ANSWERED)


def focus(page: Page, cell: str) -> None:
    """Move the keyboard focus to a cell, as arrow keys do."""
    page.keyboard.press("Shift")
    page.locator(f'[data-cell="{cell}"]').focus()
    page.evaluate(FRAMES)


def unfocus(page: Page) -> None:
    page.evaluate("() => document.activeElement.blur()")


@pytest.mark.parametrize("is_shared", mostly_slow([False, True], False))
def test_a_stone_shows_what_it_would_close_and_the_ledger_keeps_it(
    sit: Sit, is_shared: bool
) -> None:
    turns, draft, stone, territory = closing(is_shared)
    table = sit(nova_table(["device", "device"]))
    page = table.page
    if turns:
        table.send_turns(list(turns))
    drafted(table, draft)
    unfocus(page)
    cell = stone.removeprefix("+")
    preview, words = page.locator(".land.preview"), page.locator(".foreseen")
    expect(preview).to_have_count(0)

    page.mouse.move(*table.centre(cell))
    expect(preview).to_have_count(1)
    expect(words).to_have_text(words_of(territory))
    expect(page.locator(".badge.preview text").first).to_have_text(sum_of(territory))
    shares = [f"+{points}" for points in territory.awards if points]
    expect(page.locator(".badge.preview .share")).to_have_text(shares)
    page.mouse.move(5, 5)
    expect(preview).to_have_count(0)

    focus(page, cell)
    expect(preview).to_have_count(1)
    label = page.locator(f'[data-cell="{cell}"]').get_attribute("aria-label")
    assert label is not None
    assert label.endswith(words_of(territory))
    page.keyboard.press("Enter")

    closed = page.locator(".land:not(.preview)")
    expect(closed).to_have_count(1)
    patterns = closed.locator("path[fill^='url(#own-']")
    expect(patterns).to_have_count(2 if is_shared else 1)
    expect(page.locator(".badge text").first).to_have_text(sum_of(territory))
    expect(page.locator(".badge .share")).to_have_count(2 if is_shared else 0)

    page.locator("details.ledger summary").click()
    entry = page.locator("details.ledger li button")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text(sum_of(territory))
    expect(entry).to_contain_text(t("board.ledger.now"))
    assert (t("board.ledger.shared") in entry.inner_text()) == is_shared
    expect(page.locator(".pointed")).to_have_count(0)
    entry.focus()
    expect(page.locator(".pointed")).to_have_count(1)
    unfocus(page)
    expect(page.locator(".pointed")).to_have_count(0)
    entry.click()
    expect(entry).to_have_attribute("aria-pressed", "true")
    page.mouse.move(5, 5)
    expect(page.locator(".pointed")).to_have_count(1)
    assert axe(page) == []


def test_the_first_tap_shows_what_a_stone_would_close(sit: Sit) -> None:
    turns, draft, stone, territory = closing(False)
    table = sit(nova_table(["device", "device"]), **PHONE)
    page = table.page
    if turns:
        table.send_turns(list(turns))
    drafted(table, draft)
    unfocus(page)
    page.locator(f'[data-cell="{stone[1:]}"]').scroll_into_view_if_needed()
    page.touchscreen.tap(*table.centre(stone[1:]))
    expect(page.locator(".land.preview")).to_have_count(1)
    expect(page.locator(".foreseen")).to_have_text(words_of(territory))
    expect(page.locator(".draft li")).to_have_count(len(draft))


def test_the_analysis_board_and_lessons_show_it_too(visit: Visit) -> None:
    rules = nova.Rules(players=2, pioneers=2, stall_rounds=3)
    turns, draft, stone, territory = closing(False)
    position = nova.start(rules, nova.Board.parse(SMALL["map"], name="islet"))
    for action in [*" ".join(turns).split(), *draft]:
        position = position.play(action)
    page = visit(f"/analysis?position={quote(position.to_text())}")
    page.locator("[data-cell]").first.wait_for()
    page.wait_for_function(ANSWERED)
    focus(page, stone[1:])
    expect(page.locator(".land.preview")).to_have_count(1)
    expect(page.locator(".foreseen")).to_have_text(words_of(territory))

    lesson = visit("/learn/nova/first?step=7")
    lesson.locator(".stage[aria-busy=false] [data-cell]").first.wait_for()
    for cell in ("b2", "c2"):
        lesson.wait_for_function(ANSWERED)
        focus(lesson, cell)
        lesson.keyboard.press("Enter")
    expect(lesson.locator(".draft li")).to_have_text(["b2-c2"])
    lesson.wait_for_function(ANSWERED)
    focus(lesson, "d3")
    expect(lesson.locator(".land.preview")).to_have_count(1)


def middle_of_land(page: Page, cells: list[str]) -> float:
    """The average vertical place of some cells on the screen."""
    found: float = page.evaluate(
        """(cells) => cells.map(cell => document.querySelector(`[data-cell="${cell}"]`).getBoundingClientRect())
           .reduce((sum, box) => sum + box.y + box.height / 2, 0) / cells.length""",
        cells,
    )
    return found


def test_cubes_show_what_they_change_about_reach_and_towers_are_listed(
    sit: Sit, visit: Visit
) -> None:
    host = sit(turrium_table(["device", "link"], max_rounds=100))
    page = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    page.locator("[data-cell]").first.wait_for()
    guest = Table(page, host.id)
    position = turrium.start(turrium.Rules(players=2))
    for number, turn in enumerate(WON[:9]):
        (guest if number % 2 else host).send_turns([turn])
        for action in turn.split():
            position = position.play(action)
    expect(page.locator(".bar")).to_be_visible()
    page.wait_for_function(ANSWERED)

    # The guest's land is in front, in the top view as well.
    land = position.territories
    halves = [[cell for cell in land if land[cell] == seat] for seat in (0, 1)]
    for _ in range(2):
        assert middle_of_land(page, halves[1]) > middle_of_land(page, halves[0])
        page.keyboard.press("v")
        page.evaluate(FRAMES)
    assert middle_of_land(host.page, halves[0]) > middle_of_land(host.page, halves[1])

    # Every flag shows its height.
    heights = sorted(str(position.heights[cell]) for cell in position.flags)
    assert sorted(page.locator(".plate + text").all_text_contents()) == heights

    told = [
        (text, change)
        for text, (change, *_) in position.game.previews(position).items()
        if isinstance(change, ReachChanged)
    ]
    text, change = max(told, key=lambda item: len(item[1].gained) + len(item[1].lost))
    focus(page, text[1:])
    expect(page.locator("path.gained")).to_have_count(len(change.gained))
    expect(page.locator("path.lost")).to_have_count(len(change.lost))
    label = page.locator(f'[data-cell="{text[1:]}"]').get_attribute("aria-label") or ""
    for cell in (*change.gained, *change.lost):
        assert cell in label
    unfocus(page)

    page.locator("details.ledger summary").click()
    towers = page.locator("details.ledger td button")
    expect(towers).not_to_have_count(0)
    listed = " ".join(towers.all_inner_texts()).split()
    assert sorted(listed) == sorted(position.flags)
    towers.first.focus()
    expect(page.locator(".pointed")).not_to_have_count(0)


def test_towers_that_hide_a_flag_fade_and_phones_show_the_top_view(visit: Visit) -> None:
    heights = {"c3": 5, "d4": 1, "e4": 1, "h8": 1}
    flags = {"d4": 0, "h8": 1}
    rules = turrium.Rules(players=2)
    position = turrium.compose(rules, heights=heights, flags=flags, to_move=0)
    page = visit(f"/analysis?position={quote(position.to_text())}")
    page.locator("[data-cell]").first.wait_for()
    expect(page.locator("g.faded")).to_have_count(1)
    page.keyboard.press("r")
    page.keyboard.press("r")
    expect(page.locator("g.faded")).to_have_count(0)

    phone = visit(f"/analysis?position={quote(position.to_text())}", **PHONE)
    phone.locator("[data-cell]").first.wait_for()
    in_3d = phone.get_by_role("button", name=t("board.view.isometric"))
    expect(in_3d).to_be_visible()
    in_3d.click()
    phone.reload()
    expect(phone.get_by_role("button", name=t("board.view.above"))).to_be_visible()
