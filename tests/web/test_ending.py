"""The end of a game on the page: the warning before it, the end screen, the next game; and the computer players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.screens import axe
from tests.web.table import ANSWERED, WON, Table, nova, turrium, whole_game
from tests.web.texts import t

Sit = Callable[..., Table]
Visit = Callable[..., Page]


def result(snapshot: dict[str, Any], *, you: int) -> str:
    """The result as the page shows it to the player on a seat."""
    outcome = snapshot["outcome"]
    (winner,) = outcome["winners"]
    score = f"{outcome['scores'][winner]}–{outcome['scores'][1 - winner]}"
    if winner == you:
        return t("table.result.youWinScore", score=score)
    colour = snapshot["seats"][winner]["colour"]
    return t("table.result.winsScore", name=t(f"common.colour.{colour}"), score=score)


def test_both_players_are_warned_see_the_ending_and_play_again(sit: Sit, visit: Visit) -> None:
    order = nova(["device", "link"])
    *turns, last = whole_game(**order["rules"])
    host = sit(order)
    page = visit(f"/g/{host.id}?seat=1#{host.secrets[1]}")
    page.locator("[data-cell]").first.wait_for()
    guest = Table(page, host.id)
    guest.settled()
    both = (host, guest)
    for turn in turns:
        both[host.snapshot()["view"]["to_move"]].send_turns([turn])
    before = host.snapshot()
    mover = both[before["view"]["to_move"]]
    mover.page.locator(".bar").wait_for()
    for action in last.split():
        expect(mover.page.locator(".ending")).to_have_count(0)
        mover.page.wait_for_function(ANSWERED)
        for cell in action.strip("+@").split("-"):
            mover.choose(cell)
        mover.page.wait_for_function(ANSWERED)
    expect(mover.page.locator(".bar .ending")).to_be_visible()
    assert mover.snapshot()["status"] == "playing", (
        "a turn that ends the game must not be sent automatically"
    )
    mover.finish.click()
    for seat, table in enumerate(both):
        scene = table.page.get_by_role("dialog")
        expect(scene).to_be_visible()
        expect(scene).to_contain_text(result(host.snapshot(), you=seat))
        expect(scene).to_contain_text(t(f"board.reason.{host.snapshot()['outcome']['reason']}"))
    assert axe(host.page) == []
    scene = host.page.get_by_role("dialog")
    lands = [
        event["cells"]
        for turn in host.snapshot()["turns"]
        for event in turn["events"]
        if event["kind"] == "territory-scored"
    ]
    expect(scene.locator(".lands li")).to_have_count(len(lands))
    scene.locator(".lands button").first.click()
    expect(host.page.locator(".board .pointed")).to_have_count(1)
    expect(scene.get_by_text(t("coach.moments"))).to_be_visible()
    expect(scene.get_by_text(t("coach.looking"))).to_have_count(0)
    host.page.keyboard.press("Escape")
    expect(scene).to_have_count(0)
    host.page.get_by_role("button", name=t("table.showEnding")).click()
    expect(scene).to_be_visible()
    host.page.get_by_role("button", name=t("ending.close")).click()
    expect(scene).to_have_count(0)
    guest.page.get_by_role("button", name=t("table.rematch")).click()
    guest.page.wait_for_url(lambda url: not url.endswith(host.id))
    host.page.get_by_role("link", name=t("table.toRematch")).click()
    for table in both:
        table.id = table.page.url.rsplit("/", 1)[1]
        table.page.locator("[data-cell]").first.wait_for()
        table.settled()
    assert host.id == guest.id
    first = both[0] if 0 in host.snapshot()["you"] else both[1]
    first.page.locator(".bar").wait_for()
    first.turn()
    for table in both:
        expect(table.page.locator(".moves li button")).to_have_count(1)


def test_the_winner_of_terra_turrium_sees_six_towers(sit: Sit) -> None:
    table = sit(turrium(["device", "device"], max_rounds=100))
    # Leave the table while most turns are played: the page sends requests for every position it shows.
    table.page.goto("/settings")
    table.send_turns(WON[:-1])
    table.open()
    table.page.locator(".bar").wait_for()
    table.page.wait_for_load_state("networkidle")
    table.send_turns(WON[-1:])
    scene = table.page.get_by_role("dialog")
    expect(scene).to_contain_text(t("table.result.wins", name=t("common.colour.yellow")))
    expect(
        scene.locator("svg").filter(has=table.page.locator(".lit")).first.locator(".lit")
    ).to_have_count(6)
    assert axe(table.page) == []


def test_computers_differ_and_the_next_game_can_be_harder(sit: Sit) -> None:
    table = sit(nova(["device", "computer", "computer"]))
    page = table.page
    names = [seat["name"] for seat in table.snapshot()["seats"]]
    assert names[1] != names[2]
    faces = []
    for seat in (1, 2):
        card = page.locator(f'[data-seat="{seat}"]')
        expect(card).to_contain_text(names[seat])
        expect(card).to_contain_text(t("characters.level", level=1))
        faces.append(card.locator("header svg").nth(1).inner_html())
    assert faces[0] != faces[1]
    expect(page.locator('[data-seat="0"] .name')).to_have_text(t("common.you"))
    page.locator(".bar").wait_for()
    table.more(t("table.resign")).click()
    page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    page.get_by_role("button", name=t("ending.harderLevel", level=2)).click()
    page.wait_for_url(lambda url: not url.endswith(table.id))
    table.id = page.url.rsplit("/", 1)[1]
    page.locator("[data-cell]").first.wait_for()
    seats = table.snapshot()["seats"]
    assert [seat["level"] for seat in seats if seat["kind"] == "computer"] == [2, 2]
    assert len({seat["name"] for seat in seats} | set(names[1:])) == 5
