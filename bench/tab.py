"""The page without a server: the engine's speed in WebAssembly compared with native code, the download, and the time until one can play.

`python -m bench tab` runs it; it is not among the topics that run by default. It needs what `terrarium site` needs, Node.js and Chromium.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

from playwright.sync_api import Browser, sync_playwright
from tests.site.wasm import in_chromium, in_node, node
from tests.web.conftest import CHROMIUM, FLAGS

from terrarium import games
from terrarium.site import build

__all__ = ["TARGETS", "run"]

RUNS = 3
PROGRAM = Path(__file__).with_name("tab_program.py").read_text()
CACHE = Path("build") / "site"
RATIOS = {"nova": 0.7, "turrium": 0.6}
TARGETS = {
    f"{name}: {where} / native": ("at least", ratio)
    for name, ratio in RATIOS.items()
    for where in ("Node.js", "Chromium")
} | {
    "download with brotli (MB)": ("at most", 5.0),
    "first legal moves, cold (s)": ("at most", 2.5),
    "first legal moves, offline (s)": ("at most", 2.0),
    "try while the engine thinks, slowest (ms)": ("at most", 50.0),
    "stop until the worker is free, slowest (ms)": ("at most", 50.0),
}


def run() -> dict[str, float]:
    """Nodes per second in each environment, their ratios, the download, and the median time until a first game can be played."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        built = build(Path(temporary) / "page", CACHE)
        (tab,) = (built.folder / "tab").iterdir()
        command = [sys.executable, "-c", f"{PROGRAM}\nprint(speeds())"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        native = json.loads(done.stdout)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        compared = {"Chromium": json.loads(in_chromium(browser, tab, f"{PROGRAM}\nspeeds()"))}
        if node() is not None:
            compared["Node.js"] = json.loads(in_node(tab, f"{PROGRAM}\nspeeds()"))
        for name in games:
            figures[f"{name}: native, nodes per second"] = native[name]
            for where, speeds in compared.items():
                figures[f"{name}: {where}, nodes per second"] = speeds[name]
                figures[f"{name}: {where} / native"] = speeds[name] / native[name]
        figures["download with brotli (MB)"] = built.brotli_bytes / 1e6
        figures |= _starts(browser, built.folder)
        figures |= _answers(browser, built.folder)
        browser.close()
    return figures


ANSWERS = """async ([script, folder, position]) => {
  const worker = new Worker(script, { type: 'module' });
  const heard = new Map(), last = new Map();
  worker.onmessage = ({ data }) => {
    if (data.type !== 'reply') return;
    heard.get(data.id)?.();
    if (data.isLast) last.get(data.id)?.();
  };
  let count = 0;
  const ask = (path, body) => {
    const id = `${++count}`;
    const first = new Promise((done) => heard.set(id, done)), end = new Promise((done) => last.set(id, done));
    worker.postMessage({ type: 'ask', id, method: 'POST', path, body: JSON.stringify(body) });
    return { id, first, end };
  };
  const tried = async () => {
    const begun = performance.now();
    await ask('/positions/try', { start: position, actions: [] }).end;
    return performance.now() - begun;
  };
  worker.postMessage({ type: 'start', folder, processors: 1 });
  for (let n = 0; n < 5; n++) await tried();
  const tries = [], stops = [];
  for (let n = 0; n < 5; n++) {
    const analysis = ask('/analysis', { position, seconds: 5, lines: 3 });
    await analysis.first;
    for (let k = 0; k < 10; k++) {
      tries.push(await tried());
      await new Promise((done) => setTimeout(done, 30));
    }
    worker.postMessage({ type: 'cancel', id: analysis.id });
    stops.push(await tried());
  }
  worker.terminate();
  return { tries, stops };
}"""


def _answers(browser: Browser, folder: Path) -> dict[str, float]:
    """Milliseconds until a `try` is answered while an analysis runs, and after it was cancelled, in both games."""
    tries: list[float] = []
    stops: list[float] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://localhost:{server.server_address[1]}/"
    (script,) = (folder / "assets").glob("worker-*.js")
    (tab,) = (folder / "tab").iterdir()
    for game in games.values():
        page = browser.new_page()
        page.goto(
            f"{url}robots.txt"
        )  # an address without the page, which would start its own worker
        found = page.evaluate(
            ANSWERS,
            [f"{url}assets/{script.name}", f"{url}tab/{tab.name}/", game.start().to_text()],
        )
        tries += found["tries"]
        stops += found["stops"]
        page.close()
    server.shutdown()
    server.server_close()
    return {
        "try while the engine thinks, median (ms)": median(tries),
        "try while the engine thinks, slowest (ms)": max(tries),
        "stop until the worker is free, slowest (ms)": max(stops),
    }


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []
    """The addresses that were asked for."""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *args: Any) -> None:
        pass


def _starts(browser: Browser, folder: Path) -> dict[str, float]:
    """Seconds until the board offers cells: on a first visit, and later without a network.

    Also how much of the download a first visit needs until then; the service worker gets the rest afterwards.
    """
    found: dict[str, list[float]] = {"cold": [], "offline": []}
    needed = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://localhost:{server.server_address[1]}/"
    for _ in range(RUNS):
        context = browser.new_context(reduced_motion="reduce")
        _Handler.asked.clear()
        found["cold"].append(_seconds(context, url))
        needed = _brotli_bytes(folder, set(_Handler.asked))
        page = context.pages[0]
        page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
        page.close()
        context.set_offline(True)
        found["offline"].append(_seconds(context, url))
        context.close()
    server.shutdown()
    server.server_close()
    times = {f"first legal moves, {how} (s)": median(seconds) for how, seconds in found.items()}
    return {"download until the first legal moves, with brotli (MB)": needed / 1e6} | times


def _brotli_bytes(folder: Path, addresses: set[str]) -> int:
    """What these addresses cost at a host that serves the compressed copies."""
    total = 0
    for address in addresses:
        path = folder / (address.partition("?")[0].lstrip("/") or "index.html")
        small = path.with_name(f"{path.name}.br")
        total += (small if small.is_file() else path).stat().st_size
    return total


def _seconds(context: Any, url: str) -> float:
    """Seconds until the page shows the legal actions."""
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(f"{url}#/analysis")
    page.wait_for_selector("[role=grid]:not([aria-busy=true]) [data-cell][aria-label]")
    return time.perf_counter() - begun
