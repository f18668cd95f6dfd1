"""People and computers at one table, without a reload: seats, order of turns, shown turns, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.sizes import mostly_slow
from tests.web.conftest import Complaints
from tests.web.screens import PASSWORD
from tests.web.table import WON, Table, nova, turrium, whole_game
from tests.web.texts import t

Sit = Callable[..., Table]
Visit = Callable[..., Page]
Game = Callable[..., dict[str, Any]]

# Records each turn that the board shows, in order.
WATCH_TURNS = """() => {
  window.shown = [];
  const look = () => {
    const turn = Number(document.querySelector('.board')?.dataset.turn);
    if (shown.at(-1) !== turn) shown.push(turn);
  };
  look();
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-turn']});
}"""

# Records how many lines described the last turn when the page announced the reader's turn.
WATCH_CALL = """() => {
  window.calls = [];
  new MutationObserver(() => {
    if (document.querySelector('.status.yours') && !calls.length) calls.push(document.querySelectorAll('.narration p').length, document.querySelector('.board').dataset.turn);
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""


def alternate(host: Table, guest: Table, turns: int) -> None:
    """Both play in turn, each in their own browser."""
    for _ in range(turns):
        mover = (host, guest)[host.snapshot()["view"]["to_move"]]
        mover.page.locator(".bar").wait_for()
        mover.turn()


@pytest.mark.parametrize("game", mostly_slow([nova, turrium], nova))
def test_somebody_sits_down_at_an_open_table_and_plays(sit: Sit, visit: Visit, game: Game) -> None:
    host = sit(game(["device", "open"]))
    page = visit(f"/g/{host.id}")
    page.get_by_role("button", name=t("table.invite.sit")).click()
    expect(page.locator('[data-seat="1"]').get_by_text(t("common.you"), exact=True)).to_be_visible()
    guest = Table(page, host.id)
    guest.settled()
    for table in (host, guest):
        if game is turrium:
            table.page.keyboard.press("v")
    alternate(host, guest, 4)
    expect(host.page.locator(".moves li button")).to_have_count(4)
    expect(page.locator(".moves li button")).to_have_count(4)
    expect(host.page.locator(f'[data-seat="1"] [aria-label="{t("table.here")}"]')).to_be_visible()


def test_an_empty_seat_is_filled_with_a_computer(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "open"]))
    watcher = visit(f"/g/{host.id}")
    expect(watcher.get_by_role("button", name=t("table.invite.sit"))).to_be_visible()
    expect(watcher.get_by_role("button", name=t("table.invite.computer"))).to_have_count(0)
    host.page.get_by_role("button", name=t("table.invite.computer")).click()
    expect(host.page.get_by_role("button", name=t("table.invite.computer"))).to_have_count(0)
    host.page.locator(".bar").wait_for()
    host.turn()
    expect(watcher.locator(".moves li button")).to_have_count(2)


def test_a_waiting_table_is_cancelled(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "open"]))
    watcher = visit(f"/g/{host.id}")
    watcher.locator("[data-cell]").first.wait_for()
    host.page.get_by_role("button", name=t("table.invite.cancel")).click()
    for page in (host.page, watcher):
        expect(page.get_by_text(t("board.reason.aborted")).first).to_be_visible()
        expect(page.get_by_role("button", name=t("table.invite.sit"))).to_have_count(0)


def test_a_second_tab_may_play_as_soon_as_the_first_has_sat_down(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "open"]))
    first = visit(f"/g/{host.id}")
    first.locator("[data-cell]").first.wait_for()
    second = first.context.new_page()
    second.goto(f"/g/{host.id}")
    second.locator("[data-cell]").first.wait_for()
    first.get_by_role("button", name=t("table.invite.sit")).click()
    expect(
        second.locator('[data-seat="1"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    guest = Table(second, host.id)
    guest.settled()
    alternate(host, guest, 2)
    expect(first.locator(".moves li button")).to_have_count(2)


def test_a_spectator_sits_down_in_mid_game(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "device"]))
    host.turn()
    watcher = visit(f"/g/{host.id}")
    watcher.locator("[data-cell]").first.wait_for()
    expect(watcher.locator(".moves li button")).to_have_count(1)
    expect(watcher.locator(".bar")).to_have_count(0)
    # The link of a seat, opened in another tab: the watching tab becomes a player.
    tab = watcher.context.new_page()
    tab.goto(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    tab.locator("[data-cell]").first.wait_for()
    tab.close()
    guest = Table(watcher, host.id)
    expect(
        watcher.locator('[data-seat="1"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    guest.settled()
    watcher.locator(".bar").wait_for()
    guest.turn()
    expect(host.page.locator(".moves li button")).to_have_count(2)
    host.page.locator(".bar").wait_for()
    host.turn()
    expect(watcher.locator(".moves li button")).to_have_count(3)


@pytest.mark.slow
def test_signing_in_elsewhere_brings_the_seat_to_the_open_table(sit: Sit, visit: Visit) -> None:
    host = sit(nova(["device", "link"]))
    owner = host.page
    made = owner.evaluate(
        """async (password) => (await fetch('/api/accounts', {method: 'POST',
           headers: {'content-type': 'application/json'}, body: JSON.stringify({name: 'Two homes', password})})).status""",
        PASSWORD,
    )
    assert made == 201
    other = visit(f"/g/{host.id}")
    other.locator("[data-cell]").first.wait_for()
    expect(other.locator(".bar")).to_have_count(0)
    tab = other.context.new_page()
    tab.goto("/account")
    tab.get_by_label(t("account.name"), exact=True).fill("Two homes")
    tab.get_by_label(t("account.password"), exact=True).fill(PASSWORD)
    tab.get_by_role("button", name=t("account.do.sign-in")).click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Two homes")
    expect(
        other.locator('[data-seat="0"]').get_by_text(t("common.you"), exact=True)
    ).to_be_visible()
    guest = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    guest.locator("[data-cell]").first.wait_for()
    there = Table(other, host.id)
    there.page.locator(".bar").wait_for()
    there.turn()
    expect(guest.locator(".moves li button")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize("game", [nova, pytest.param(turrium, marks=pytest.mark.only_long)])
def test_every_turn_of_three_computers_is_shown_in_order(sit: Sit, game: Game) -> None:
    table = sit(
        game(["device", "computer", "computer", "computer"]), reduced_motion="no-preference"
    )
    if game is turrium:
        table.page.keyboard.press("v")
    table.page.evaluate(WATCH_TURNS)
    table.turn()
    expect(table.page.locator(".bar")).to_be_visible()
    expect(table.page.locator(".moves li button")).to_have_count(4)
    shown = table.page.evaluate("() => shown")
    assert [turn for turn in shown if turn] == [1, 2, 3, 4]


def test_your_turn_is_announced_after_the_other_s_turn_was_shown(sit: Sit, visit: Visit) -> None:
    host = sit(turrium(["device", "link"], max_rounds=100))
    guest = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}", reduced_motion="no-preference")
    guest.locator("[data-cell]").first.wait_for()
    expect(guest.locator(".link.open")).to_be_visible()
    guest.evaluate(WATCH_CALL)
    host.send_turns(WON[:1])
    expect(guest.locator(".status.yours")).to_be_visible()
    lines, turn = guest.evaluate("() => calls")
    assert (lines, turn) == (6, "1"), (
        "all six flags must be described before the other's turn begins"
    )


def test_the_whole_turn_is_described_and_the_description_follows_the_board(sit: Sit) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    page = table.page
    table.send_turns(WON[:3])
    lines = page.locator(".narration p")
    expect(page.locator(".moves li button")).to_have_count(3)
    expect(lines).to_have_count(len(WON[2].split()))
    page.get_by_role("button", name=t("table.first")).click()
    expect(lines).to_have_text([t("story.none")])
    page.get_by_role("button", name=t("table.next"), exact=True).click()
    expect(lines).to_have_count(6)
    cell = WON[0].split()[0].removeprefix("@")
    yellow = t("common.colour.yellow")
    expect(lines.first).to_have_text(t("board.event.flag-set", name=yellow, cell=cell))
    page.get_by_role("button", name=t("table.toNow")).click()
    page.get_by_role("button", name=t("table.takeback")).click()
    expect(page.locator(".moves li button")).to_have_count(2)
    red = t("common.colour.red")
    expect(lines.first).to_have_text(
        t("board.event.flag-set", name=red, cell=WON[1].split()[0].removeprefix("@"))
    )


def test_a_refusal_disappears_when_the_game_continues(sit: Sit, complaints: Complaints) -> None:
    table = sit(nova(["device", "computer"]))
    page = table.page

    def refuse(route: Route) -> None:
        route.fulfill(status=429, json={"code": "too-many-requests", "message": "", "rule": None})

    page.route("**/hint", refuse)
    page.get_by_role("button", name=t("table.hint")).click()
    problem = page.get_by_role("alert").filter(has_text=t("common.error.too-many-requests"))
    expect(problem).to_be_visible()
    table.turn()
    expect(problem).to_have_count(0)
    complaints.expect("429")


def test_hints_are_for_games_without_other_people(sit: Sit, visit: Visit) -> None:
    alone = sit(nova(["device", "computer"]))
    expect(alone.page.get_by_role("button", name=t("table.hint"))).to_be_visible()
    host = sit(nova(["device", "link"]))
    visit(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    expect(host.more(t("table.resign"))).to_be_visible()
    expect(host.page.get_by_role("button", name=t("table.hint"))).to_have_count(0)


@pytest.mark.slow
def test_the_overlay_shows_the_points_of_land(sit: Sit) -> None:
    order = nova(["device", "device"])
    table = sit(order)
    table.page.locator(".tools select").select_option("pay")
    labels = table.page.locator(".region text")
    expect(labels).to_have_text(["17 × 0 = 0"])
    table.send_turns(whole_game(**order["rules"]))
    snapshot = table.snapshot()
    closed = [
        event
        for turn in snapshot["turns"]
        for event in turn["events"]
        if event["kind"] == "territory-scored"
    ]
    assert closed
    # Closed land is labelled with or without an overlay; shared land also shows the points of each owner.
    expect(table.page.locator(".badge text:not(.share)")).to_have_text(
        [f"{len(e['cells'])} × {e['points'] // len(e['cells'])} = {e['points']}" for e in closed]
    )


def test_on_a_phone_in_landscape_the_board_has_the_full_height(sit: Sit) -> None:
    phone = {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True}
    page = sit(nova(["device", "device"]), **phone).page
    box = page.locator(".board").bounding_box()
    assert box is not None
    assert box["y"] < 70
    assert box["height"] > 300
