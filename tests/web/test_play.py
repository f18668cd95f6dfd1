"""Complete games in a real browser: by mouse, by keyboard, on one device, against the computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.sizes import size
from tests.web.conftest import Complaints
from tests.web.table import ANSWERED, LIES_ON, WON, Table, from_above, nova, over, turrium
from tests.web.texts import pattern, t

Sit = Callable[..., Table]
# The number of turns in which two people place their pioneers.
PIONEERS = 4


# Counts cells that light up and points that fly: animations end before a test can look.
WATCH = """() => { window.seen = {flash: 0, flying: 0};
  new MutationObserver(all => { for (const one of all) for (const node of one.addedNodes) {
    if (node.matches?.('.flash')) seen.flash++;
    if (node.matches?.('.flying')) seen.flying++;
  } }).observe(document.body, {childList: true, subtree: true}) }"""


def test_a_game_of_terra_nova_by_mouse(sit: Sit) -> None:
    """Every closed territory lights up, and its points fly to the owner's card."""
    table = sit(nova(["device", "device"]), reduced_motion="no-preference")
    page = table.page
    page.evaluate(WATCH)
    snapshot = table.play_to_the_end()
    closed = [
        event
        for turn in snapshot["turns"]
        for event in turn["events"]
        if event["kind"] == "territory-scored"
    ]
    paid = sum(points > 0 for event in closed for points in event["awards"])
    over(page)
    expected = {"flash": len(closed), "flying": paid}
    page.wait_for_function(
        "({flash, flying}) => seen.flash >= flash && seen.flying >= flying", arg=expected
    )
    assert page.evaluate("() => window.seen") == expected
    assert paid > 0
    assert snapshot["outcome"]["reason"] in {"divided", "blocked", "stones", "stalled", "depleted"}
    expect(page.locator(".moves li")).to_have_count(len(snapshot["turns"]))


@pytest.mark.only_long
def test_a_game_of_terra_turrium_by_mouse(sit: Sit) -> None:
    table = sit(turrium(["device", "device"]))
    from_above(table)
    snapshot = table.play_to_the_end()
    assert snapshot["outcome"]["reason"] == "limit"
    over(table.page)


@pytest.mark.long
def test_a_game_of_terra_turrium_is_won_by_towers(sit: Sit) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    page = table.page
    told = len(WON) - size(2, 6)
    table.send_turns(WON[:told])
    expect(page.locator(".moves li button")).to_have_count(told)
    for turn in WON[told:]:
        table.by_mouse(turn)
    outcome = table.snapshot()["outcome"]
    assert (outcome["winners"], outcome["reason"]) == ([0], "towers")
    over(page)
    expect(page.get_by_role("region", name=t("table.over"))).to_contain_text(
        t("table.result.wins", name=t("common.colour.yellow"))
    )
    winner = page.locator('[data-seat="0"]')
    expect(winner.get_by_text(t("table.winner"))).to_be_visible()
    expect(winner.locator(".rung.held")).to_have_count(6)
    expect(page.locator('[data-seat="1"] .rung.held')).not_to_have_count(6)
    expect(page.get_by_role("link", name=t("table.review"))).to_have_attribute(
        "href", f"/g/{table.id}/review"
    )
    page.get_by_role("button", name=t("table.rematch")).click()
    page.wait_for_url(lambda url: table.id not in url)
    expect(page.get_by_text(t("table.left.flags", count=6))).to_be_visible()


@pytest.mark.slow
def test_a_tower_does_not_block_clicks_on_cells_behind_it(sit: Sit) -> None:
    """In the 3D view, the mouse can reach each legal cell in at least one orientation."""
    table = sit(turrium(["device", "device"], max_rounds=100))
    table.send_turns(WON[:18])
    page = table.page
    expect(page.locator(".moves li button")).to_have_count(18)
    legal = sorted(table.cells("take"))
    assert len(legal) > 4
    for cell in legal:
        table.point(cell)
        expect(page.locator(".draft li")).to_have_text([f"-{cell}"])
        page.keyboard.press("u")
        expect(page.locator(".draft li")).to_have_count(0)


@pytest.mark.slow
def test_cubes_in_hand_follow_the_pointer_and_the_choice_stays_while_an_answer_is_awaited(
    sit: Sit,
) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    table.send_turns(WON[:10])
    page = table.page
    expect(page.locator(".moves li button")).to_have_count(10)
    taken = table.cells("take")
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
    with page.expect_request("**/try"):
        table.point(table.cells("take")[0])
    page.wait_for_function("() => document.querySelectorAll('.draft li').length === 2")
    assert held, "the answer must still be awaited here"
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "true")
    expect(modes).to_have_count(2)
    expect(modes.first).to_be_checked()
    held[0].continue_()
    page.unroute("**/try")
    expect(page.get_by_role("grid")).not_to_have_attribute("aria-busy", "true")
    assert table.cells("take", "cube")
    expect(modes).to_have_count(2)


@pytest.mark.slow
@pytest.mark.parametrize("game", [nova, pytest.param(turrium, marks=pytest.mark.only_long)])
def test_a_game_by_keyboard_alone(sit: Sit, game: Callable[..., dict[str, Any]]) -> None:
    table = sit(game(["device", "device"]))
    table.hand = "keyboard"
    table.play_to_the_end()
    over(table.page)


def test_arrow_keys_move_over_the_board_and_escape_deselects(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    table.filled(PIONEERS)
    page = table.page
    page.keyboard.press("b")
    walked = []
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        walked.append(page.evaluate("() => document.activeElement.dataset.cell"))
    assert len(set(walked)) >= 4
    source = table.cells("source")[0]
    table.hand = "keyboard"
    table.choose(source)
    expect(page.locator(".selected")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.locator(".selected")).not_to_be_attached()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name=t("common.keys.title"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_attached()


@pytest.mark.slow
def test_three_seats_on_one_device(sit: Sit) -> None:
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
        expect(page.locator(".moves li button")).to_have_count(count)
    seats = table.snapshot()["seats"]
    assert [seat["kind"] for seat in seats] == ["device", "computer"]
    page.get_by_role("button", name=t("table.takeback")).click()
    expect(page.locator(".moves li button")).to_have_count(2)
    page.goto("/")
    expect(page.get_by_role("heading", name=t("home.mine"))).to_be_visible()
    expect(page.locator(f'a[href="/g/{table.id}"]')).to_be_visible()


def test_an_unsent_turn_never_looks_sent_and_can_be_undone(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    table.filled(PIONEERS)
    turns = len(table.snapshot()["turns"])
    page = table.page
    while not table.can_finish():
        table.step("stone")
    expect(page.get_by_text(t("table.completeText"))).to_be_visible()
    assert len(table.snapshot()["turns"]) == turns
    drafted = page.locator(".draft li").count()
    page.get_by_role("button", name=t("table.undo")).click()
    expect(page.locator(".draft li")).to_have_count(drafted - 1)
    page.keyboard.press("u")
    expect(page.locator(".draft li")).to_have_count(max(0, drafted - 2))
    assert len(table.snapshot()["turns"]) == turns


def test_a_refused_click_says_why_with_its_rule(sit: Sit, complaints: Complaints) -> None:
    table = sit(nova(["device", "device"]))
    table.filled(PIONEERS)
    source = table.cells("source")[0]
    pioneers = table.snapshot()["view"]["pioneers"]
    table.choose(source)
    taken = next(cell for cell, seat in pioneers.items() if seat != pioneers[source])
    table.choose(taken)
    problem = table.page.locator(".problem")
    expect(problem).to_be_visible()
    expect(problem.get_by_role("link")).to_have_text("TN-10")
    complaints.expect("422")


def test_a_pioneer_can_be_dragged(sit: Sit) -> None:
    table = sit(nova(["device", "device"]))
    table.filled(PIONEERS)
    page = table.page
    source = table.cells("source")[0]
    table.choose(source)
    target = table.cells("move")[0]
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


def test_a_flag_s_targets_show_their_cost_and_are_reached_with_one_click(sit: Sit) -> None:
    table = sit(turrium(["device", "device"]))
    from_above(table)
    page = table.page
    table.filled(2)
    expect(page.get_by_text(t("table.left.cubes", count=0))).to_be_visible()
    table.choose(table.cells("take")[0])
    expect(page.get_by_role("radio", name=t("table.mode.cube"))).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_role("radio", name=t("table.mode.cube"))).to_be_checked()
    table.choose(table.cells("cube")[0])
    expect(page.get_by_text(pattern("table.left.points", count=5))).to_be_visible()
    far: tuple[str, str] | None = None
    for source in table.cells("source"):
        table.choose(source)
        two = t("board.cell.cost", what=t("board.can.step"), points=2)
        ways = [cell for cell in table.cells("step") if table.labels()[cell].endswith(two)]
        far = (source, ways[0]) if ways else None
        if far:
            break
        page.keyboard.press("Escape")
    assert far is not None
    before = page.locator(".draft li").count()
    box = page.locator(f'[data-cell="{far[1]}"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".way")).to_be_attached()
    # Every reachable cell shows its cost, the one under the pointer twice.
    expect(page.locator(".cost:not(.capture)")).to_have_count(len(table.cells("step")) + 1)
    table.choose(far[1])
    page.wait_for_function(
        "(count) => document.querySelectorAll('.draft li').length >= count + 2", arg=before
    )
    page.wait_for_function(LIES_ON, arg=[".selected", far[1]])
    page.wait_for_function(ANSWERED)
    assert t("board.cell.flag", colour=t("common.colour.yellow")) in table.labels()[far[1]]
    assert table.cells("step"), "the flag must stay selected and be able to move further"


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
    page.get_by_role("button", name=t("board.zoom.more")).click()
    page.wait_for_function(f"(before) => ({size})() > before * 1.3", arg=before)
    page.get_by_role("button", name=t("board.zoom.whole")).click()
    page.wait_for_function(f"(before) => Math.abs(({size})() - before) < 1", arg=before)
