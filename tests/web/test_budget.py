"""Light, private and quick: what the first visit loads, from whom, and how long a frame takes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Page

from tests.server.running import Server
from tests.web.table import Table

Visit = Callable[..., Page]
Sit = Callable[..., Table]
BUDGET = 150_000
FRAME = 4.0


def test_the_first_load_is_below_150_kb_of_script_and_style(visit: Visit, server: Server) -> None:
    page = visit("/")
    page.locator("[data-play]").first.wait_for()
    page.wait_for_load_state("networkidle")
    addresses = page.evaluate(
        """() => performance.getEntriesByType('resource').map(e => e.name).filter(n => /\\.(js|css)$/.test(new URL(n).pathname))"""
    )
    assert len(addresses) > 3
    total = sum(len(gzip.compress(httpx.get(address).content, 6)) for address in set(addresses))
    assert total < BUDGET, f"{total} bytes"


def test_the_page_is_under_a_strict_policy(server: Server) -> None:
    policy = httpx.get(server.url).headers["content-security-policy"]
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
    assert rules["script-src"] == "'self'"
    assert rules["style-src"] == "'self'"
    assert "unsafe" not in policy


def test_panning_and_animating_a_full_board_stays_below_4_ms_of_script_per_frame(
    visit: Visit, sit: Sit
) -> None:
    board = {
        "game": "nova",
        "rules": {"players": 2},
        "board": "terra-nova",
        "seats": [{"kind": "device"}, {"kind": "device"}],
        "clock": None,
        "starter": "first",
        "visibility": "private",
    }
    table = sit(board, reduced_motion="no-preference")
    page = table.page
    for _ in range(26):
        table.turn()
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    finished: list[bool] = []
    session.on("Tracing.tracingComplete", lambda _: finished.append(True))
    session.send(
        "Tracing.start",
        {"categories": "devtools.timeline,v8.execute", "transferMode": "ReportEvents"},
    )
    box = page.locator(".stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    empty = page.locator(".stage").evaluate("() => [innerWidth * 0.1, innerHeight * 0.35]")
    page.mouse.move(empty[0], empty[1])
    page.mouse.down()
    for i in range(60):
        page.mouse.move(empty[0] + 3 * (i % 30), empty[1] + 2 * (i % 20))
    page.mouse.up()
    for i in range(40):
        page.mouse.move(x - 200 + 10 * i, y - 100 + 5 * i)
    page.get_by_role("button", name="Whole board").click()
    table.step("move")
    page.wait_for_timeout(500)
    session.send("Tracing.end")
    while not finished:
        page.wait_for_timeout(50)
    frames = script_per_frame(events)
    late = frames[int(len(frames) * 0.95)]
    print(json.dumps({"frames": len(frames), "p95_ms": late, "most_ms": frames[-1]}))
    assert len(frames) > 20, sorted({event.get("name", "") for event in events})
    assert late < FRAME


def script_per_frame(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of script in each sixtieth of a second that has any, rising."""
    names = ("FunctionCall", "FireAnimationFrame", "EventDispatch", "TimerFire")
    spans = sorted(
        (event["ts"] / 1000, (event["ts"] + event["dur"]) / 1000)
        for event in events
        if event.get("name") in names and event.get("ph") == "X"
    )
    total: dict[int, float] = {}
    reached = 0.0
    for start, end in spans:
        # A call within a call counts once.
        begin = max(start, reached)
        if end > begin:
            frame = int(begin // (1000 / 60))
            total[frame] = total.get(frame, 0.0) + end - begin
            reached = end
    return sorted(total.values())
