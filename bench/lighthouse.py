"""Lighthouse's performance score of the start page and a game, on a phone and on a desktop; needs Node.js, npm and Chromium.

`python -m bench lighthouse` runs it; it is not among the topics that run by default. npx fetches Lighthouse.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from tests.server.running import Server

LIGHTHOUSE = "lighthouse@12"
RUNS = 5
SECONDS = 180
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
    """The figures of one run; a run that fails is repeated."""
    problems: list[str] = []
    for _ in range(TRIES):
        try:
            return _figures(_report(address, form))
        except _Failed as error:
            problems.append(str(error))
            print(f"Lighthouse failed and is run again: {error}", file=sys.stderr)
    raise RuntimeError(f"Lighthouse failed {TRIES} times: {'; '.join(problems)}")


class _Failed(Exception):
    """A run without a result."""


def _report(address: str, form: str) -> dict[str, Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
    command += ["--only-categories=performance", f"--chrome-flags={_FLAGS}"]
    command += ["--preset=desktop"] if form == "desktop" else []
    environment = os.environ | ({"CHROME_PATH": chromium} if chromium else {})
    with tempfile.TemporaryDirectory(prefix="terrarium-lighthouse-") as folder:
        # Lighthouse truncates a long report that it writes to a pipe.
        file = Path(folder, "report.json")
        command.append(f"--output-path={file}")
        # A group of its own, so that all of a run that hangs can be ended.
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        try:
            _, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            raise _Failed(f"no result after {SECONDS} seconds") from None
        if process.returncode != 0:
            raise _Failed(errors.strip()[-500:] or f"exit status {process.returncode}")
        report: dict[str, Any] = json.loads(file.read_bytes())
    return report


def _end(process: subprocess.Popen[str]) -> None:
    """End a run that hangs. Interrupted, Lighthouse ends its browser, which is in another group."""
    for sent in (signal.SIGINT, signal.SIGKILL):
        os.killpg(process.pid, sent)
        try:
            process.communicate(timeout=20)
            return
        except subprocess.TimeoutExpired:
            continue
    process.kill()


def _figures(report: dict[str, Any]) -> dict[str, float]:
    """The score and its parts. Lighthouse leaves out what it could not measure."""
    parts = {
        "first contentful paint (ms)": "first-contentful-paint",
        "largest contentful paint (ms)": "largest-contentful-paint",
        "total blocking time (ms)": "total-blocking-time",
        "speed index (ms)": "speed-index",
        "layout shift": "cumulative-layout-shift",
    }
    audits = report["audits"]
    score = report["categories"]["performance"]["score"]
    values = {name: audits[key].get("numericValue") for name, key in parts.items()}
    if score is None or None in values.values():
        reason = report.get("runtimeError", {}).get("message", "a part of the score is missing")
        raise _Failed(reason)
    return {"performance": 100 * float(score)} | {k: float(v) for k, v in values.items()}
