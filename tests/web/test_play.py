"""Whole games in a real browser: by mouse, by keyboard, by finger, around one device, against the computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.table import LIES_ON, WON, Table, nova, turrium

Sit = Callable[..., Table]
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


def over(page: Page) -> None:
    expect(page.get_by_role("region", name="The game is over")).to_be_visible()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def from_above(table: Table) -> None:
    """Towers hide each other in the round; from above every cell can be hit."""
    table.page.get_by_role("button", name="From above").click()


# Counts what lights up and what flies, for animations are gone before one can look.
WATCH = """() => { window.seen = {flash: 0, flying: 0};
  new MutationObserver(all => { for (const one of all) for (const node of one.addedNodes) {
    if (node.matches?.('.flash')) seen.flash++;
    if (node.matches?.('.flying')) seen.flying++;
  } }).observe(document.body, {childList: true, subtree: true}) }"""


def test_a_game_of_terra_nova_by_mouse(sit: Sit) -> None:
    """To its end; every territory that closes lights up, and its points fly to who gets them."""
    table = sit(nova(["device", "device"]), reduced_motion="no-preference")
    table.page.evaluate(WATCH)
    snapshot = table.play_to_the_end()
    closed = [
        event
        for turn in snapshot["turns"]
        for event in turn["events"]
        if event["kind"] == "territory-scored"
    ]
    paid = sum(points > 0 for event in closed for points in event["awards"])
    assert table.page.evaluate("() => window.seen") == {"flash": len(closed), "flying": paid}
    assert paid > 0
    assert snapshot["outcome"]["reason"] in {"divided", "blocked", "stones", "stalled", "depleted"}
    over(table.page)
    assert table.page.locator(".moves li").count() == len(snapshot["turns"])


def test_a_game_of_terra_turrium_by_mouse(sit: Sit) -> None:
    table = sit(turrium(["device", "device"]))
    from_above(table)
    snapshot = table.play_to_the_end()
    assert snapshot["outcome"]["reason"] == "limit"
    over(table.page)


def test_a_game_of_terra_turrium_is_won_by_towers(sit: Sit) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    page = table.page
    table.told(WON[:-4])
    expect(page.locator(".moves li button")).to_have_count(len(WON) - 4)
    for turn in WON[-4:]:
        table.by_mouse(turn)
    outcome = table.snapshot()["outcome"]
    assert (outcome["winners"], outcome["reason"]) == ([0], "towers")
    over(page)
    expect(page.get_by_role("region", name="The game is over")).to_contain_text(
        "Yellow wins. Six towers, from 1 to 6."
    )
    winner = page.locator('[data-seat="0"]')
    expect(winner.get_by_text("winner")).to_be_visible()
    expect(winner.locator(".rung.held")).to_have_count(6)
    expect(page.locator('[data-seat="1"] .rung.held')).not_to_have_count(6)
    expect(page.get_by_role("link", name="Review the game")).to_have_attribute(
        "href", f"/g/{table.id}/review"
    )
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: table.id not in url)
    expect(page.get_by_text("Set your flags: 6 to go")).to_be_visible()


def test_a_tower_takes_no_click_from_what_it_hides(sit: Sit) -> None:
    """In the round: whatever lies on top of it, the mouse finds each legal cell from some side."""
    table = sit(turrium(["device", "device"], max_rounds=100))
    table.told(WON[:18])
    page = table.page
    expect(page.locator(".moves li button")).to_have_count(18)
    legal = sorted(cell for cell, text in table.labels().items() if "can be taken" in text)
    assert len(legal) > 4
    for cell in legal:
        table.point(cell)
        expect(page.locator(".draft li")).to_have_text([f"-{cell}"])
        page.keyboard.press("u")
        expect(page.locator(".draft li")).to_have_count(0)


def test_cubes_in_hand_follow_the_pointer_and_the_choice_stays_while_an_answer_is_awaited(
    sit: Sit,
) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    table.told(WON[:10])
    page = table.page
    expect(page.locator(".moves li button")).to_have_count(10)
    taken = [cell for cell, text in table.labels().items() if "can be taken" in text]
    table.point(taken[0])
    modes = page.get_by_role("radio")
    expect(modes).to_have_count(2)
    box = page.locator(".stage").bounding_box()
    assert box is not None
    for share in (0.4, 0.5, 0.6):
        x = box["x"] + box["width"] * share
        page.mouse.move(x, box["y"] + box["height"] * 0.6)
        page.wait_for_function(
            """(x) => { const cube = document.querySelector('.carried')?.getBoundingClientRect();
               return cube && cube.x > x - 20 && cube.x < x + 60 }""",
            arg=x,
        )
    held: list[Route] = []
    page.route("**/try", lambda route: held.append(route))
    table.point(next(cell for cell, text in table.labels().items() if "can be taken" in text))
    page.wait_for_function("() => document.querySelectorAll('.draft li').length === 2")
    assert held, "the answer is still awaited"
    expect(modes).to_have_count(2)
    expect(modes.first).to_be_checked()
    held[0].continue_()
    page.unroute("**/try")
    page.wait_for_function("() => document.querySelector('[aria-label*=\"can be\"]')")
    expect(modes).to_have_count(2)


@pytest.mark.parametrize("game", [nova, turrium])
def test_a_game_by_keyboard_alone(sit: Sit, game: Callable[..., dict[str, Any]]) -> None:
    table = sit(game(["device", "device"]))
    table.hand = "keyboard"
    table.play_to_the_end()
    over(table.page)


def test_arrow_keys_walk_over_the_board_and_escape_lets_go(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    while table.snapshot()["view"]["phase"] == "place":
        table.turn()
    page = table.page
    page.keyboard.press("b")
    walked = []
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        walked.append(page.evaluate("() => document.activeElement.dataset.cell"))
    assert len(set(walked)) >= 4
    source = next(cell for cell, text in table.labels().items() if "can move" in text)
    table.hand = "keyboard"
    table.choose(source)
    expect(page.locator(".selected")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator(".selected")).not_to_be_attached()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_attached()


def test_a_game_on_a_phone_first_tap_previews_second_commits(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    table.hand = "touch"
    page = table.page
    box = page.locator('[data-cell="b3"]').bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    expect(page.locator(".preview")).to_be_attached()
    assert table.snapshot()["turn"] == 0, "the first tap sends nothing"
    page.touchscreen.tap(x, y)
    expect(page.locator(".moves li button")).to_have_count(1)
    table.play_to_the_end()
    over(page)


LARGE = {**nova(["device", "device"], pioneers=13), "board": "terra-nova"}
# Where a cell lies in the magnifying glass.
MAGNIFIED = """(cell) => {
  const box = document.querySelector(`[data-cell="${cell}"]`).getBBox();
  const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
    .matrixTransform(document.querySelector('.lens use').getScreenCTM());
  return [at.x, at.y] }"""


@pytest.mark.parametrize(
    ("cell", "off"), [("a4", (18, 0)), ("h8", (-18, 0)), ("k5", (0, 18)), ("o12", (13, -12))]
)
def test_a_finger_that_is_18_pixels_off_still_gets_its_cell(
    sit: Sit, cell: str, off: tuple[int, int]
) -> None:
    """Cells of the large island have 22 pixels on a phone: the glass gives them 50."""
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
    assert table.snapshot()["turn"] == 0, "so far nothing is sent"
    page.touchscreen.tap(x - off[0], y - off[1])
    expect(page.locator(".moves li .text")).to_have_text(f"@{cell}")
    expect(page.locator(".lens")).to_have_count(0)


def test_a_finger_chooses_among_pioneers_side_by_side(sit: Sit) -> None:
    table = sit({**LARGE, "rules": {**LARGE["rules"], "pioneers": 2}}, **PHONE)
    page = table.page
    table.told(["@h4", "@o11", "@h5", "@o13"])
    expect(page.locator(".moves li button")).to_have_count(4)
    other = page.locator('[data-cell="h5"]').bounding_box()
    assert other is not None
    # Nearer to the neighbour than to the one that is meant.
    page.touchscreen.tap(other["x"] + 8, other["y"] + other["height"] / 2)
    expect(page.locator(".lens")).to_be_attached()
    page.wait_for_function(LIES_ON, arg=[".selected", "h5"])
    x, y = page.evaluate(MAGNIFIED, "h4")
    page.touchscreen.tap(x + 12, y)
    page.wait_for_function(LIES_ON, arg=[".selected", "h4"])
    expect(page.locator(".lens")).to_have_count(0)


def test_where_cells_are_large_no_glass_is_needed(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), **PHONE)
    page = table.page
    box = page.locator('[data-cell="b3"]').bounding_box()
    assert box is not None
    assert box["width"] >= 40
    page.touchscreen.tap(box["x"] + box["width"] / 2 + 18, box["y"] + box["height"] / 2)
    expect(page.locator(".preview")).to_be_attached()
    expect(page.locator(".lens")).to_have_count(0)


SMALL_THINGS = """() => [...document.querySelectorAll('a[href], button, select, input, summary')]
  .filter(e => !e.closest('[data-cell], [inert]') && e.checkVisibility({visibilityProperty: true}))
  .map(e => [e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 30), (e.closest('label') ?? e).getBoundingClientRect()])
  .filter(([, box]) => box.width > 1 && (box.width < 40 || box.height < 40))
  .map(([name, box]) => `${name}: ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`)"""


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_nothing_at_the_table_is_smaller_than_40_pixels_to_hit(
    sit: Sit, visit: Callable[..., Page], game: str, complaints: list[str]
) -> None:
    make = {"nova": nova, "turrium": turrium}[game]
    table = sit(make(["device", "device"]), **PHONE)
    page = table.page

    def measured(state: str) -> None:
        assert page.evaluate(SMALL_THINGS) == [], state

    measured("at the start")
    if game == "turrium":
        from_above(table)
        table.told(WON[:2])
        expect(page.locator(".moves li button")).to_have_count(2)
        table.hand = "touch"
        table.choose(next(cell for cell, text in table.labels().items() if "can be taken" in text))
        expect(page.get_by_role("radio")).to_have_count(2)
        measured("with a choice of what a tap does")
    else:
        table.turn()
    page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_role("button", name="Whole board")).to_be_visible()
    measured("zoomed in")
    page.get_by_role("button", name="To the start").click()
    expect(page.get_by_role("button", name="Back to the game")).to_be_visible()
    measured("looking back")
    page.get_by_role("button", name="Back to the game").click()
    page.get_by_role("button", name="Resign").click()
    measured("asked whether to resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("region", name="The game is over")).to_be_visible()
    measured("at the end")
    table = sit(make(["device", "open"]), **PHONE)
    page = table.page
    expect(page.get_by_role("heading", name="Invite the others")).to_be_visible()
    measured("waiting for players")
    complaints.clear()


def test_three_seats_around_one_device(sit: Sit) -> None:
    table = sit(nova(["device", "device", "device"], pioneers=1))
    snapshot = table.play_to_the_end()
    assert {turn["seat"] for turn in snapshot["turns"]} == {0, 1, 2}
    over(table.page)


def test_one_click_on_the_start_page_is_a_game_against_the_computer(
    visit: Callable[..., Page],
) -> None:
    page = visit("/")
    page.locator('[data-play="nova"]').click()
    page.wait_for_url("**/g/*")
    table = Table(page, page.url.rsplit("/", 1)[1])
    page.locator("[data-cell]").first.wait_for()
    table.settled()
    for count in (2, 4):
        table.turn()
        expect(page.locator(".moves li button")).to_have_count(count, timeout=20_000)
    seats = table.snapshot()["seats"]
    assert [seat["kind"] for seat in seats] == ["device", "computer"]
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".moves li button")).to_have_count(2)
    page.goto("/")
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    expect(page.locator(f'a[href="/g/{table.id}"]')).to_be_visible()


def test_an_unsent_turn_never_looks_sent_and_can_be_undone(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    while table.snapshot()["view"]["phase"] == "place":
        table.turn()
    turns = len(table.snapshot()["turns"])
    page = table.page
    while not table.can_finish():
        table.step("stone")
    expect(page.get_by_text("It is not sent yet.")).to_be_visible()
    assert len(table.snapshot()["turns"]) == turns
    drafted = page.locator(".draft li").count()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".draft li")).to_have_count(drafted - 1)
    page.keyboard.press("u")
    expect(page.locator(".draft li")).to_have_count(max(0, drafted - 2))
    assert len(table.snapshot()["turns"]) == turns


def test_a_refused_click_says_why_with_its_rule(sit: Sit, complaints: list[str]) -> None:
    table = sit(nova(["device", "device"]))
    while table.snapshot()["view"]["phase"] == "place":
        table.turn()
    labels = table.labels()
    source = next(cell for cell, text in labels.items() if "can move" in text)
    table.choose(source)
    taken = next(
        cell for cell, text in labels.items() if "pioneer" in text and "can move" not in text
    )
    table.choose(taken)
    problem = table.page.locator(".problem")
    expect(problem).to_be_visible()
    expect(problem.get_by_role("link")).to_have_text("TN-10")
    assert all("422" in text for text in complaints)
    complaints.clear()


def test_a_pioneer_can_be_dragged(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    while table.snapshot()["view"]["phase"] == "place":
        table.turn()
    page = table.page
    source = next(cell for cell, text in table.labels().items() if "can move" in text)
    table.choose(source)
    target = next(cell for cell, text in table.labels().items() if "can be moved" in text)
    page.keyboard.press("Escape")
    a = page.locator(f'[data-cell="{source}"]').bounding_box()
    b = page.locator(f'[data-cell="{target}"]').bounding_box()
    assert a is not None
    assert b is not None
    page.mouse.move(a["x"] + a["width"] / 2, a["y"] + a["height"] / 2)
    page.mouse.down()
    page.mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.locator(".draft li")).to_have_text([f"{source}-{target}"])


def test_a_flag_s_ways_are_shown_with_their_cost_and_walked_with_one_click(sit: Sit) -> None:
    table = sit(turrium(["device", "device"]))
    from_above(table)
    page = table.page
    while table.snapshot()["view"]["phase"] == "flags":
        table.turn()
    expect(page.get_by_text("Take a cube")).to_be_visible()
    table.choose(next(cell for cell, text in table.labels().items() if "can be taken" in text))
    expect(page.get_by_role("radio", name="Place cubes")).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_role("radio", name="Place cubes")).to_be_checked()
    table.choose(next(cell for cell, text in table.labels().items() if "can be placed" in text))
    expect(page.get_by_text("points left to move")).to_be_visible()
    far: tuple[str, str] | None = None
    for source in [cell for cell, text in table.labels().items() if "can move" in text]:
        table.choose(source)
        ways = {cell: text for cell, text in table.labels().items() if "can step here for" in text}
        far = next(((source, cell) for cell, text in ways.items() if "1 point" not in text), None)
        if far:
            break
        page.keyboard.press("Escape")
    assert far is not None
    before = page.locator(".draft li").count()
    box = page.locator(f'[data-cell="{far[1]}"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".way")).to_be_attached()
    expect(page.locator(".cost:not(.capture)")).to_be_attached()
    table.choose(far[1])
    page.wait_for_function(
        "(count) => document.querySelectorAll('.draft li').length >= count + 2", arg=before
    )
    assert "flag" in table.labels()[far[1]]


def test_the_page_scrolls_over_the_board_and_zooms_only_when_asked(sit: Sit) -> None:
    table = sit(nova(["device", "device"]), viewport={"width": 390, "height": 700})
    page = table.page
    box = page.locator(".stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, 300)
    page.wait_for_function("() => scrollY > 100")
    size = "() => document.querySelector('[data-cell]').getBoundingClientRect().width"
    before = page.evaluate(size)
    page.evaluate("() => scrollTo(0, 0)")
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"(before) => ({size})() > before * 1.3", arg=before)
    page.get_by_role("button", name="Whole board").click()
    page.wait_for_function(f"(before) => Math.abs(({size})() - before) < 1", arg=before)


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
    assert table.snapshot()["turn"] == 0, "neither gesture plays anything"
