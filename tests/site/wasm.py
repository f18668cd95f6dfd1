"""Python programs in WebAssembly: the value of a program's last line, from Node.js or Chromium."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import Browser

__all__ = ["in_chromium", "in_node", "node"]

HERE = Path(__file__).parent


def node() -> str | None:
    """The program `node`, if there is one."""
    return shutil.which("node")


def in_node(tab: Path, program: str) -> str:
    """Run a program in Node.js; `tab` is the folder of `terrarium site` with Pyodide and the library."""
    command = [node() or "node", str(HERE / "node.mjs"), str(tab)]
    done = subprocess.run(command, input=program, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout.splitlines()[-1]


def in_chromium(browser: Browser, tab: Path, program: str) -> str:
    """Run a program in a page of this browser."""
    origin = "http://localhost:9"  # nothing listens there: every file comes from the folder
    page = browser.new_page()
    page.route(
        f"{origin}/**",
        lambda route: route.fulfill(
            path=HERE / "run.mjs"
            if route.request.url.endswith("/run.mjs")
            else tab / route.request.url.rpartition("/")[2]
        ),
    )
    page.route(f"{origin}/", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto(f"{origin}/")
    found: str = page.evaluate(
        """async ([origin, program]) => {
          const { run } = await import(`${origin}/run.mjs`);
          const pack = new Uint8Array(await (await fetch(`${origin}/terrarium.pack`)).arrayBuffer());
          return run(`${origin}/pyodide.mjs`, `${origin}/`, pack, program); }""",
        [origin, program],
    )
    page.close()
    return found
