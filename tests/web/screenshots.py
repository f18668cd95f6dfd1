"""Pictures of every screen at three widths, light and dark: `python -m tests.web.screenshots [folder] [names…]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.server.running import Server
from tests.web.conftest import CHROMIUM, FLAGS
from tests.web.screens import prepare, sign_in

SIZES = {1440: 900, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")


def main(folder: Path, names: list[str]) -> None:
    """Set a club up, visit every screen, keep the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
        screens = prepare(server)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, path in (screens.paths | screens.signed).items():
                if names and name not in names:
                    continue
                for width, height in SIZES.items():
                    for scheme in SCHEMES:
                        page = browser.new_page(
                            base_url=server.url,
                            viewport={"width": width, "height": height},
                            color_scheme=scheme,
                            locale="en-GB",
                        )
                        if name in screens.signed:
                            page.goto("/settings")
                            sign_in(page)
                        page.goto(path)
                        page.locator("main h1").first.wait_for(state="attached")
                        page.wait_for_load_state("networkidle")
                        page.wait_for_timeout(400)
                        file = folder / f"{name}-{width}-{scheme}.png"
                        page.screenshot(path=file)
                        page.close()
                print(name)
            browser.close()
    print(f"pictures in {folder}")


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/screenshots")
    main(where, sys.argv[2:])
