"""Pictures of every screen at three widths, light and dark: `python -m tests.web.screenshots [folder] [names…]`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from tests.server.running import Server
from tests.web.conftest import CHROMIUM, FLAGS
from tests.web.screens import Screens, prepare, sign_in
from tests.web.table import FRAMES
from tests.web.texts import t

SIZES = {1440: 900, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")

Deed = Callable[[Page], object]


def do(*offers: str) -> Deed:
    """Act on the first cell that offers this, one after the other."""

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


def drop(name: str, text: str) -> Deed:
    """Bring a file."""
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    return lambda page: page.locator('input[type="file"]').set_input_files(file)


def review(page: Page) -> None:
    """Let the engine look at the whole game."""
    page.get_by_role("button", name=t("replay.review")).click()
    page.locator("figcaption", has_text="%").wait_for(timeout=120_000)


def without_server(page: Page) -> None:
    """The server is gone, and the page is opened once more."""
    page.route("**/api/**", lambda route: route.abort())
    page.reload()
    page.locator("main h1").first.wait_for(state="attached")


def deeds(screens: Screens) -> dict[str, tuple[str, Deed]]:
    """Screens that come only when somebody does something: an address, and what is done there."""
    nova, turrium = screens.paths["table-nova"], screens.paths["table-turrium"]
    return {
        "table-nova-selected": (nova, do(t("board.cell.canMove"))),
        "table-nova-draft": (nova, do(t("board.cell.canMove"), t("board.can.move"))),
        "table-nova-leader": (nova, press("ooo")),
        "table-nova-pay": (nova, press("oooo")),
        "table-nova-resign": (
            nova,
            lambda page: page.get_by_role("button", name=t("table.resign")).click(),
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


def take(browser: Browser, server: Server, name: str, path: str, folder: Path, deed: Deed) -> None:
    """One screen, loaded once, in all its sizes and colours."""
    page = browser.new_page(base_url=server.url, locale="en-GB", reduced_motion="reduce")
    page.set_viewport_size({"width": 1440, "height": SIZES[1440]})
    if name.endswith("-own"):
        page.goto("/settings")
        sign_in(page)
    page.goto(path)
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    deed(page)
    page.wait_for_timeout(200)
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.evaluate(FRAMES)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
    page.close()


def main(folder: Path, names: list[str]) -> None:
    """Set a club up, visit every screen, keep the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
        screens = prepare(server)
        plain = {name: (path, press("")) for name, path in (screens.paths | screens.signed).items()}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, (path, deed) in (plain | deeds(screens)).items():
                if not names or name in names:
                    take(browser, server, name, path, folder, deed)
                    print(name, flush=True)
            browser.close()
    print(f"pictures in {folder}")


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/screenshots")
    main(where, sys.argv[2:])
