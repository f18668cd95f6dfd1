"""Pictures of every screen at three widths, light and dark: `python -m tests.web.screenshots [folder] [names…]`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from tests.server.running import Server
from tests.web.conftest import CHROMIUM, FLAGS
from tests.web.screens import Screens, axe, prepare, sign_in
from tests.web.table import ANSWERED, FRAMES, WON, Table
from tests.web.texts import t

SIZES = {1440: 900, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")

SLOW = '{"turnTime": "long", "speed": "slow", "taught": ["nova", "turrium"]}'
OTHER = """async ([id, secret, actions]) => {
  const {seq} = await (await fetch('/api/games/' + id)).json();
  await fetch(`/api/games/${id}/turns`, {method: 'POST', body: JSON.stringify({seq, actions, key: id + seq}),
    headers: {'content-type': 'application/json', authorization: 'Bearer ' + secret}});
}"""

Deed = Callable[[Page], object]


def do(*offers: str) -> Deed:
    """For each offer, act on the first cell that has it."""

    def act(page: Page) -> None:
        for offer in offers:
            page.locator(f'[data-cell][aria-label*="{offer}"]').first.dispatch_event("click")
            page.wait_for_timeout(300)

    return act


def press(keys: str) -> Deed:
    """Type shortcuts."""

    def type_them(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return type_them


def click(role: Any, name: str) -> Deed:
    """Press a button, or follow a link."""
    return lambda page: page.get_by_role(role, name=name, exact=True).first.click()


def unfold(panel: str) -> Deed:
    """Open a collapsed panel."""
    return lambda page: page.locator(f"details.{panel} summary").click()


def consider(page: Page) -> None:
    """Move a pioneer and point at a cell for a stone."""
    do(t("board.cell.canMove"), t("board.can.move"))(page)
    press("bn")(page)


def plan(page: Page) -> None:
    """Plan the next turn, flag by flag."""
    page.get_by_role("button", name=t("plans.premove")).click()
    page.locator(".ahead").wait_for()
    do(*[t("board.can.flag")] * 3)(page)


def follow(secret: str) -> Deed:
    """Play as the other player, so that the page shows the turn."""

    def act(page: Page) -> None:
        id = page.url.rsplit("/", 1)[1].split("?")[0]
        page.evaluate(OTHER, [id, secret, WON[0].split()])
        page.locator('.board[data-turn="1"][data-actions="2"]').wait_for()

    return act


def close_game(turn: str) -> Deed:
    """Build the turn that ends the game, without sending it."""

    def act(page: Page) -> None:
        for action in turn.split():
            for cell in action.strip("+@").split("-"):
                page.wait_for_function(ANSWERED)
                page.locator(f'[data-cell="{cell}"]').dispatch_event("click")
        page.locator(".bar .ending").wait_for()

    return act


def drop(name: str, text: str) -> Deed:
    """Drop a file onto the page."""
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    return lambda page: page.locator('input[type="file"]').set_input_files(file)


def review(page: Page) -> None:
    """Start a review of the game."""
    page.get_by_role("button", name=t("replay.review")).click()
    page.locator("figcaption", has_text="%").wait_for(timeout=120_000)


def without_server(page: Page) -> None:
    """Reload the page while the server can't be reached."""
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    page.locator("main h1").first.wait_for(state="attached")


def deeds(screens: Screens) -> dict[str, tuple[str, Deed]]:
    """Screens that appear only after an action: an address, and the action."""
    nova, turrium = screens.paths["table-nova"], screens.paths["table-turrium"]
    return {
        "table-nova-selected": (nova, do(t("board.cell.canMove"))),
        "table-nova-draft": (nova, do(t("board.cell.canMove"), t("board.can.move"))),
        "table-nova-leader": (nova, press("ooo")),
        "table-nova-pay": (nova, press("oooo")),
        "table-nova-preview": (nova, consider),
        "table-nova-past": (nova, press(",")),
        "table-nova-menu": (nova, click("button", t("story.more"))),
        "table-nova-ledger": (nova, unfold("ledger")),
        "table-nova-draft-de": (nova, press("bn")),
        "table-turrium-ledger": (turrium, unfold("ledger")),
        "table-turrium-past": (turrium, press(",")),
        "table-talk": (screens.shared[0], unfold("talk")),
        "table-plan": (screens.shared[0], plan),
        "table-warning": (screens.ending[0], close_game(screens.ending[1])),
        "table-ending": (screens.paths["table-over"], click("button", t("table.showEnding"))),
        "home-de": ("/", press("")),
        "table-shown": (screens.shared[0], follow(screens.shared[1])),
        "table-nova-resign": (
            nova,
            lambda page: Table(page, "").more(t("table.resign")).click(),
        ),
        "table-turrium-draft": (turrium, do(t("board.can.take"))),
        "table-turrium-above": (turrium, press("v")),
        "table-turrium-rotated": (turrium, press("r")),
        "table-turrium-refused": (turrium, do(t("board.cell.empty"))),
        "lesson-nova-wrong": (screens.paths["lesson-nova"], do(t("board.can.place"))),
        "analysis-above": (screens.paths["analysis-turrium"], press("v")),
        "keys": ("/", press("?")),
        "review-done": (screens.paths["review"], review),
        "replay-broken": ("/replay", drop("broken.terra", "[Game nova]\nthis is no game")),
        "table-offline": (nova, without_server),
    }


def take(
    browser: Browser, server: Server, name: str, path: str, folder: Path, deed: Deed
) -> list[str]:
    """Save pictures of one screen, loaded once, in all sizes and colours. Return the problems that axe finds."""
    page = browser.new_page(
        base_url=server.url,
        locale="de-DE" if name.endswith("-de") else "en-GB",
        reduced_motion="no-preference" if name == "table-shown" else "reduce",
    )
    if name == "table-shown":
        page.add_init_script(f"localStorage.setItem('terrarium.settings', '{SLOW}')")
    page.set_viewport_size({"width": 1440, "height": SIZES[1440]})
    if name.endswith("-own") or name.startswith("operator-"):
        page.goto("/settings")
        sign_in(page)
    page.goto(path)
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.locator("html[data-fonts]").wait_for()
    deed(page)
    page.wait_for_timeout(200)
    found: list[str] = []
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.evaluate(FRAMES)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        if name != "table-shown":  # the animation would be over by then
            found += [f"{name} at {width}: {fault}" for fault in axe(page)]
    page.close()
    return found


def main(folder: Path, names: list[str]) -> None:
    """Set up games, visit every screen, and save the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
        screens = prepare(server)
        plain = {name: (path, press("")) for name, path in (screens.paths | screens.signed).items()}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, (path, deed) in (plain | deeds(screens)).items():
                if not names or name in names:
                    for fault in take(browser, server, name, path, folder, deed):
                        print(fault)
                    print(name, flush=True)
            browser.close()
    print(f"pictures in {folder}")


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/screenshots")
    main(where, sys.argv[2:])
