"""The table on a phone: taps that miss, zooming with two fingers, and targets that are large enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.sizes import mostly_slow
from tests.web.table import ANSWERED, LIES_ON, WON, Table, from_above, nova, over, turrium
from tests.web.texts import t

Sit = Callable[..., Table]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


def test_a_game_on_a_phone_first_tap_previews_second_commits(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    table.hand = "touch"
    page = table.page
    box = page.locator('[data-cell="b3"]').bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    expect(page.locator(".preview")).to_be_attached()
    assert table.snapshot()["turn"] == 0, "the first tap must not send anything"
    page.touchscreen.tap(x, y)
    expect(page.locator(".moves li button")).to_have_count(1)
    table.play_to_the_end()
    over(page)


LARGE = {**nova(["device", "device"], pioneers=13), "board": "terra-nova"}
# JavaScript: the place of a cell in the magnifying glass.
MAGNIFIED = """(cell) => {
  const box = document.querySelector(`[data-cell="${cell}"]`).getBBox();
  const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
    .matrixTransform(document.querySelector('.lens use').getScreenCTM());
  return [at.x, at.y] }"""


@pytest.mark.parametrize(
    ("cell", "off"),
    [
        ("a4", (18, 0)),
        pytest.param("h8", (-18, 0), marks=pytest.mark.only_long),
        pytest.param("k5", (0, 18), marks=pytest.mark.only_long),
        ("o12", (13, -12)),
    ],
)
def test_a_tap_that_is_18_pixels_off_still_hits_its_cell(
    sit: Sit, cell: str, off: tuple[int, int]
) -> None:
    """Cells of the large island have 22 pixels on a phone; in the magnifying glass they have 50."""
    table = sit(LARGE, **PHONE)
    page = table.page
    box = page.locator(f'[data-cell="{cell}"]').bounding_box()
    assert box is not None
    assert box["width"] < 40
    page.touchscreen.tap(
        box["x"] + box["width"] / 2 + off[0], box["y"] + box["height"] / 2 + off[1]
    )
    expect(page.locator(".lens")).to_be_attached()
    expect(page.locator(".preview")).to_be_attached()
    assert not page.evaluate(LIES_ON, [".preview", cell]), "the finger was nearer to a neighbour"
    x, y = page.evaluate(MAGNIFIED, cell)
    page.touchscreen.tap(x + off[0], y + off[1])
    page.wait_for_function(LIES_ON, arg=[".preview", cell])
    assert table.snapshot()["turn"] == 0, "nothing may be sent so far"
    page.touchscreen.tap(x - off[0], y - off[1])
    expect(page.locator(".moves li .text")).to_have_text(cell)
    expect(page.locator(".lens")).to_have_count(0)


def test_a_finger_chooses_among_pioneers_side_by_side(sit: Sit) -> None:
    table = sit({**LARGE, "rules": {**LARGE["rules"], "pioneers": 2}}, **PHONE)
    page = table.page
    table.send_turns(["@h4", "@o11", "@h5", "@o13"])
    expect(page.locator(".moves li button")).to_have_count(4)
    other = page.locator('[data-cell="h5"]').bounding_box()
    assert other is not None
    # Nearer to the neighbour than to the intended pioneer.
    page.touchscreen.tap(other["x"] + 8, other["y"] + other["height"] / 2)
    expect(page.locator(".lens")).to_be_attached()
    page.wait_for_function(LIES_ON, arg=[".selected", "h5"])
    x, y = page.evaluate(MAGNIFIED, "h4")
    page.touchscreen.tap(x + 12, y)
    page.wait_for_function(LIES_ON, arg=[".selected", "h4"])
    expect(page.locator(".lens")).to_have_count(0)


def test_large_cells_need_no_magnifying_glass(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    page = table.page
    box = page.locator('[data-cell="b3"]').bounding_box()
    assert box is not None
    assert box["width"] >= 40
    page.touchscreen.tap(box["x"] + box["width"] / 2 + 18, box["y"] + box["height"] / 2)
    expect(page.locator(".preview")).to_be_attached()
    expect(page.locator(".lens")).to_have_count(0)


# JavaScript: the elements that are off the screen or covered, without scrolling.
HIDDEN = """() => {
  const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
  const isWithin = (box) => box.x >= 0 && box.y >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
  const parts = ['article', '.board svg', '.bar', '.finish', '.bar .button'].flatMap(part => [...document.querySelectorAll(part)]);
  const outside = parts.filter(e => !isWithin(e.getBoundingClientRect()));
  const cells = [...document.querySelectorAll('[data-cell]')];
  const covered = cells.filter(cell => !document.elementFromPoint(...middle(cell.getBoundingClientRect()))?.closest('.board'));
  const buttons = [...document.querySelectorAll('.bar .button')];
  const cut = buttons.filter(e => e.getBoundingClientRect().bottom > e.closest('.bar').getBoundingClientRect().bottom);
  return [...outside, ...covered, ...cut].map(e => e.outerHTML.slice(0, 90));
}"""


@pytest.mark.parametrize(
    "size", mostly_slow([(844, 390), (390, 844), (360, 640), (667, 375)], (360, 640), (667, 375))
)
@pytest.mark.parametrize(
    ("game", "seats"),
    [(nova, 2), pytest.param(nova, 4, marks=pytest.mark.only_long), (turrium, 4)],
)
def test_players_board_and_turn_are_on_the_screen_without_scrolling(
    sit: Sit, size: tuple[int, int], game: Callable[..., dict[str, Any]], seats: int
) -> None:
    screen = {"width": size[0], "height": size[1]}
    table = sit(game(["device"] * seats), **PHONE | {"viewport": screen})
    page = table.page
    page.locator(".bar").wait_for()
    assert page.evaluate(HIDDEN) == []
    for number in range(2):
        page.wait_for_function(ANSWERED)
        page.locator(
            f"[data-cell][aria-label*='{t('board.can.flag')}'], [data-cell][aria-label*='{t('board.can.place')}']"
        ).first.dispatch_event("click")
        if game is nova:
            expect(page.locator(".moves li button")).to_have_count(number + 1)
        else:
            expect(page.locator(".draft li")).to_have_count(number + 1)
    assert page.evaluate(HIDDEN) == []


SMALL_THINGS = """() => [...document.querySelectorAll('a[href], button, select, input, summary')]
  .filter(e => !e.closest('[data-cell], [inert]') && e.checkVisibility({visibilityProperty: true}))
  .map(e => [e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 30), (e.closest('label') ?? e).getBoundingClientRect()])
  .filter(([, box]) => box.width > 1 && (box.width < 40 || box.height < 40))
  .map(([name, box]) => `${name}: ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`)"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_every_target_at_the_table_has_at_least_40_pixels(
    sit: Sit, visit: Callable[..., Page], game: str
) -> None:
    make = {"nova": nova, "turrium": turrium}[game]
    table = sit(make(["device", "device"]), **PHONE)
    page = table.page

    def measured(state: str) -> None:
        assert page.evaluate(SMALL_THINGS) == [], state

    measured("at the start")
    if game == "turrium":
        from_above(table)
        table.send_turns(WON[:2])
        expect(page.locator(".moves li button")).to_have_count(2)
        table.hand = "touch"
        table.choose(table.cells("take")[0])
        expect(page.get_by_role("radio")).to_have_count(2)
        measured("with a choice of what a tap does")
    else:
        table.turn()
    page.get_by_role("button", name=t("board.zoom.more")).click()
    expect(page.get_by_role("button", name=t("board.zoom.whole"))).to_be_visible()
    measured("zoomed in")
    page.get_by_role("button", name=t("table.first")).click()
    expect(page.get_by_role("button", name=t("table.toNow"))).to_be_visible()
    measured("looking back")
    page.get_by_role("button", name=t("table.toNow")).click()
    resign = table.more(t("table.resign"))
    expect(resign).to_be_visible()
    measured("with the menu of rare actions")
    resign.click()
    measured("asked whether to resign")
    page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    expect(page.get_by_role("region", name=t("table.over"))).to_be_visible()
    measured("at the end")
    table = sit(make(["device", "open"]), **PHONE)
    page = table.page
    expect(page.get_by_role("heading", name=t("table.invite.title"))).to_be_visible()
    measured(t("home.waiting"))


def test_two_fingers_zoom_the_board_and_one_then_moves_it(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    page = table.page
    box = page.locator(".stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    cell = "() => document.querySelector('[data-cell=\"b3\"]').getBoundingClientRect().toJSON()"
    before = page.evaluate(cell)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    touch("touchStart", (x - 30, y), (x + 30, y))
    for spread in range(30, 100, 10):
        touch("touchMove", (x - spread, y), (x + spread, y))
    touch("touchEnd")
    page.wait_for_function(f"(width) => ({cell})().width > width * 1.8", arg=before["width"])
    zoomed = page.evaluate(cell)
    touch("touchStart", (x, y))
    for step in range(1, 8):
        touch("touchMove", (x + 6 * step, y))
    touch("touchEnd")
    page.wait_for_function(f"(left) => ({cell})().x > left + 20", arg=zoomed["x"])
    assert table.snapshot()["turn"] == 0, "gestures must not play anything"
