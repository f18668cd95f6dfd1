"""Lighthouse's performance score of the start page and a game, on a phone and on a desktop; needs Node.js, npm and Chromium.

`python -m bench lighthouse` runs it; it is not among the topics that run by default. npx fetches Lighthouse.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median

import httpx
from tests.server.running import Server

LIGHTHOUSE = "lighthouse@12"
RUNS = 3
TRIES = 3
"""Attempts for each run, because Lighthouse sometimes fails, for example when the browser does not answer."""
SCREENS = ("home", "table")
FORMS = ("mobile", "desktop")
TARGETS = {
    f"performance of {screen}, {form}": ("at least", 95.0) for screen in SCREENS for form in FORMS
}
_FLAGS = "--headless=new --no-sandbox --disable-gpu"


def run() -> dict[str, float]:
    """The median score of some runs for each screen and form, and the parts of the mobile score."""
    figures: dict[str, float] = {}
    with Server(Path(tempfile.mkdtemp(prefix="terrarium-lighthouse-"))) as server:
        for screen, address in zip(SCREENS, (f"{server.url}/", _table(server)), strict=True):
            for form in FORMS:
                found = [_measured(address, form) for _ in range(RUNS)]
                for name in found[0]:
                    if name == "performance" or form == "mobile":
                        figure = f"{name} of {screen}, {form}"
                        figures[figure] = median(one[name] for one in found)
    return figures


def _table(server: Server) -> str:
    """The address of a new game, as a watcher sees it."""
    seats = [{"kind": "link"}, {"kind": "computer", "level": 1}]
    order = {"game": "nova", "rules": {"players": 2}, "seats": seats}
    answer = httpx.post(f"{server.url}/api/games", json=order, headers={"origin": server.url})
    return f"{server.url}/g/{answer.raise_for_status().json()['id']}"


def _measured(address: str, form: str) -> dict[str, float]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
    command += ["--only-categories=performance", f"--chrome-flags={_FLAGS}"]
    command += ["--preset=desktop"] if form == "desktop" else []
    environment = os.environ | ({"CHROME_PATH": chromium} if chromium else {})
    with tempfile.TemporaryDirectory(prefix="terrarium-lighthouse-") as folder:
        # Lighthouse truncates a long report that it writes to a pipe.
        file = Path(folder, "report.json")
        command.append(f"--output-path={file}")
        for _ in range(TRIES):
            ended = subprocess.run(
                command, capture_output=True, text=True, env=environment, timeout=300
            )
            if ended.returncode == 0:
                break
        else:
            raise RuntimeError(f"Lighthouse failed {TRIES} times: {ended.stderr.strip()[-500:]}")
        report = json.loads(file.read_bytes())
    parts = {
        "first contentful paint (ms)": "first-contentful-paint",
        "largest contentful paint (ms)": "largest-contentful-paint",
        "total blocking time (ms)": "total-blocking-time",
        "speed index (ms)": "speed-index",
        "layout shift": "cumulative-layout-shift",
    }
    audits = report["audits"]
    figures = {name: float(audits[key]["numericValue"]) for name, key in parts.items()}
    return {"performance": 100 * float(report["categories"]["performance"]["score"])} | figures
