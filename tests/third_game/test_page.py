"""Two browsers play a game that the page has no folder for, without a reload."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.server.running import Server
from tests.web.conftest import (
    Visit,
    browser_type_launch_args,  # noqa: F401
    complaints,  # noqa: F401
    service_workers,  # noqa: F401
    visit,  # noqa: F401
)
from tests.web.table import OFFERING
from tests.web.texts import t

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(FOLDER))
        with Server(tmp_path_factory.mktemp("pebbles")) as running:
            yield running


def test_two_people_play_it_on_the_generic_board(server: Server, visit: Visit) -> None:  # noqa: F811
    host = visit("/new?game=pebbles")
    expect(host.get_by_role("radio", name="Pebbles")).to_be_checked()
    with server.person() as nobody:
        order = {"game": "pebbles", "seats": [{"kind": "device"}, {"kind": "open"}]}
        game = host.evaluate(
            "order => fetch('/api/games', {method: 'POST', body: JSON.stringify(order),"
            " headers: {'Content-Type': 'application/json'}}).then(answer => answer.json())",
            order,
        )["id"]
        host.goto(f"/g/{game}")
        guest = visit(f"/g/{game}")
        expect(guest.locator("[role=grid] [data-cell]")).to_have_count(9)
        guest.locator("section button.primary").first.click()
        for _ in range(9):
            snapshot = nobody.snapshot(game)
            if snapshot["outcome"] is not None:
                break
            page = (host, guest)[snapshot["view"]["to_move"]]
            target = targets(page, game)[0]
            cell = page.locator(f'[data-cell="{target}"]')
            # Wait until the board offers the cell: then the page knows that it is its turn.
            page.wait_for_function(
                f"""(cell) => ({OFFERING})(document.querySelector(`[data-cell="${{cell}}"]`)
                   .getAttribute('aria-label'))""",
                arg=target,
            )
            if page is host:
                cell.click(force=True)
            else:
                cell.focus()
                page.keyboard.press("Enter")
            if snapshot["turn"] == 4:
                # The fifth pebble ends the game: the page warns, and waits for *Finish turn*.
                page.locator(".ending").wait_for()
                page.get_by_role("button", name=t("table.finish")).click()
            for watching in (host, guest):
                expect(watching.locator("[role=grid] circle")).to_have_count(snapshot["turn"] + 1)
        over = nobody.snapshot(game)
        assert over["outcome"]["reason"] == "full"
        for page in (host, guest):
            expect(page.locator("[role=grid] circle")).to_have_count(over["turn"])


def targets(page: Page, game: str) -> list[str]:
    """The cells on which the person at this page may put a pebble now."""
    script = "id => fetch('/api/games/' + id).then(answer => answer.json())"
    return [action["target"] for action in page.evaluate(script, game)["legal"]]


def test_it_is_analysed_with_variations_and_drawings(visit: Visit) -> None:  # noqa: F811
    page = visit("/analysis?game=pebbles")
    expect(page.locator("[role=grid] [data-cell]")).to_have_count(9)
    rows = page.locator(".moves [data-node]")
    for cell in ("a1", "e1"):
        page.get_by_role("button", name=t("table.first")).click(force=True)
        page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
        expect(page.locator('.moves [aria-current="step"]')).to_contain_text(cell)
    expect(rows).to_have_count(2)
    page.locator('[data-cell="c1"]').focus()
    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("d")
    expect(page.locator('[data-mark="c1-d1"]')).to_be_visible()
    # The game has no null turns and no engine.
    expect(page.get_by_role("button", name=t("tree.threat"))).to_be_disabled()
    expect(page.get_by_role("switch", name=t("replay.engine"))).not_to_be_attached()
    with page.expect_download() as download:
        page.get_by_role("button", name=t("tree.save")).click()
    text = Path(download.value.path()).read_text("utf-8")
    assert "1. @a1\n    (1. @e1 {[%cal Gc1-d1]})" in text
    friend = visit("/replay")
    friend.get_by_label(t("replay.open.paste")).fill(text)
    friend.get_by_role("button", name=t("replay.open.read")).click()
    friend.get_by_role("link", name=t("replay.analyse")).click()
    expect(friend.locator(".moves [data-node]")).to_have_count(2)
