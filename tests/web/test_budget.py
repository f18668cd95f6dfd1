"""Budgets: the size and origin of what the first visit loads, and the time of a frame."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from tests.server.running import Server
from tests.web.table import Table
from tests.web.texts import t

Visit = Callable[..., Page]
Sit = Callable[..., Table]
BUDGET = 150_000
FRAME = 4.0
ATTEMPTS = 3


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


def requests_of(page: Page) -> list[str]:
    """The addresses that a page requests from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def test_a_first_screen_makes_few_requests_and_none_twice(visit: Visit, sit: Sit) -> None:
    for page in (visit("/"), sit(full("nova")).page):
        asked = requests_of(page)
        page.reload()
        page.locator("[data-play], [data-cell]").first.wait_for()
        page.wait_for_load_state("networkidle")
        paths = [address.removeprefix(page.url.split("/g/")[0]) for address in asked]
        files = [path for path in paths if path.endswith((".js", ".css"))]
        assert len(files) == len(set(files)) <= 16, files
        # Every preloaded answer must be used, not requested again.
        answers = [path for path in paths if re.search(r"api/(me|meta|games/\w+)$", path)]
        assert len(answers) == len(set(answers)) >= 2, answers


def test_the_page_has_a_strict_content_security_policy(server: Server) -> None:
    policy = httpx.get(server.url).headers["content-security-policy"]
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
    assert rules["script-src"] == "'self'"
    assert rules["style-src"] == "'self'"
    assert "unsafe" not in policy


def full(game: str) -> dict[str, Any]:
    """A game on its largest board."""
    rules = {"nova": {"players": 2}, "turrium": {"players": 4}}[game]
    return {
        "game": game,
        "rules": rules,
        **({"board": "terra-nova"} if game == "nova" else {}),
        "seats": [{"kind": "device"}] * rules["players"],
        "clock": None,
        "starter": "first",
        "visibility": "private",
    }


@pytest.mark.only_long
@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_panning_and_animating_a_full_board_stays_below_4_ms_of_script_per_frame(
    sit: Sit, game: str
) -> None:
    table = sit(full(game), reduced_motion="no-preference")
    page = table.page
    table.filled()
    clicks = an_action(table)
    # Warm up: the first actions compile code and open the audio device.
    for _ in range(2):
        do_and_undo(page, clicks)
    assert quietest(lambda: panned(page), 99) < FRAME
    # About every sixth of these frames does, answers or undoes an action.
    assert quietest(lambda: acted(page, clicks), 98) < FRAME


TOWERS = (
    "turrium 4 0004D01A1001A/01C002B03C000/02A2D1301222/12C2B2421011/001332A2C121D/12D02522110/0113212042/"
    "1D3B12001A021C/1C202B020100/2001B0101D10 1 take:0 5/5/5/5 10/12/12/13 17 - - -"
)
"""The largest board of Terra Turrium, in the middle of a game."""
LONG_TURN = "-a5 -d6 -d6 +c4 +c5 +b2 c7xc8 c8xb8 b8xb9"
"""A turn of nine actions in this position: six cubes are moved, then a flag captures three others."""


@pytest.mark.only_long
def test_showing_a_long_turn_with_captures_stays_below_4_ms_of_script_per_frame(sit: Sit) -> None:
    order = full("turrium") | {"rules": {}, "position": TOWERS}
    table = sit(order, reduced_motion="no-preference")
    page = table.page
    table.send_turns([LONG_TURN])
    table.skip_to(1)
    page.locator(".bar").wait_for()
    shown_again(page)  # warm up
    assert quietest(lambda: shown_again(page), 98) < FRAME


def shown_again(page: Page) -> list[float]:
    """Milliseconds of script in each frame while the last turn is shown again a few times, action by action."""
    with traced(page) as events:
        for _ in range(3):
            page.keyboard.press("a")
            page.wait_for_timeout(500 * len(LONG_TURN.split()))
    page.locator(".bar").wait_for()
    return script_per_frame(events)


def quietest(measure: Callable[[], list[float]], share: int) -> float:
    """This percentile of the frame times in milliseconds, in the best of a few measurements.

    Other work on the machine can only add time, so one measurement within the budget is enough.
    """
    found = []
    for _ in range(ATTEMPTS):
        frames = measure()
        found.append(frames[len(frames) * share // 100])
        print(json.dumps({"frames": len(frames), f"p{share}": found[-1], "most_ms": frames[-1]}))
        if found[-1] < FRAME:
            break
    return min(found)


def panned(page: Page) -> list[float]:
    """Milliseconds of script in each frame while a zoomed board is dragged and the mouse moves over it."""
    for _ in range(2):
        page.get_by_role("button", name=t("board.zoom.more")).click()
    with traced(page) as events:
        box = page.locator(".stage").bounding_box()
        assert box is not None
        left, top = box["x"] + box["width"] * 0.15, box["y"] + box["height"] * 0.35
        page.mouse.move(left, top)
        page.mouse.down()
        for i in range(60):
            page.mouse.move(left + 3 * (i % 30), top + 2 * (i % 20))
        page.mouse.up()
        for i in range(40):
            page.mouse.move(left + 8 * i, top + 4 * i)
    page.get_by_role("button", name=t("board.zoom.whole")).click()
    return script_per_frame(events)


def acted(page: Page, clicks: list[tuple[float, float]]) -> list[float]:
    """Milliseconds of script in each frame while an action is done and undone a few times."""
    with traced(page) as events:
        for _ in range(8):
            do_and_undo(page, clicks)
    return script_per_frame(events)


def an_action(table: Table) -> list[tuple[float, float]]:
    """The places to click for an action: a piece and its target, or a cube to take."""
    page = table.page
    source = next(iter(table.cells("source")), None)
    if source is None:
        return [table.centre(table.cells("place", "flag", "take")[0])]
    page.mouse.click(*table.centre(source))
    page.locator(".selected").wait_for()
    target = table.cells("move")[0]
    page.keyboard.press("Escape")
    return [table.centre(source), table.centre(target)]


def do_and_undo(page: Page, clicks: list[tuple[float, float]]) -> None:
    """Do an action and undo it, both animated. Does not evaluate script in the page, which would be counted.

    As a person does: the mouse moves there first, then its button is pressed and released, at worst within one frame.
    """
    for at in clicks:
        page.mouse.move(*at)
        page.wait_for_timeout(100)
        page.mouse.down()
        page.mouse.up()
        page.wait_for_timeout(400)
    page.keyboard.press("u")
    page.wait_for_timeout(400)


@contextmanager
def traced(page: Page) -> Iterator[list[dict[str, Any]]]:
    """Collect the browser's trace events."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    finished: list[bool] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: finished.append(True))
    session.send(
        "Tracing.start",
        {"categories": "devtools.timeline,v8.execute", "transferMode": "ReportEvents"},
    )
    yield events
    session.send("Tracing.end")
    while not finished:
        page.wait_for_timeout(50)


def script_per_frame(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of script in each sixtieth of a second that has any, sorted.

    Processor time of the page's thread, not wall-clock time, because a busy machine interrupts it.
    """
    names = ("FunctionCall", "FireAnimationFrame", "EventDispatch", "TimerFire", "RunMicrotasks")
    spans = [e for e in events if e.get("name") in names and e.get("ph") == "X" and "tdur" in e]
    [(thread, _)] = Counter((e["pid"], e["tid"]) for e in spans).most_common(1)
    total: dict[int, float] = {}
    reached = 0.0
    for event in sorted(spans, key=lambda e: (e["ts"], -e["dur"])):
        # A call within a call counts once.
        if (event["pid"], event["tid"]) != thread or event["ts"] < reached:
            continue
        reached = event["ts"] + event["dur"]
        frame = int(event["ts"] / 1000 // (1000 / 60))
        total[frame] = total.get(frame, 0.0) + event["tdur"] / 1000
    assert len(total) > 20, sorted({event.get("name", "") for event in events})
    return sorted(total.values())
