"""The page without a server on a static host: games without a network, several tabs, storage that fails."""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import brotli
import pytest
from playwright.sync_api import Page, Route, expect

from terrarium.site import build, folder, pack
from terrarium.site.folder import COMPRESSED, POLICY
from tests.play.puzzle_data import FOLDER, puzzles_of, wrong_turn
from tests.server.ports import reserve_port
from tests.server.running import comes
from tests.site.conftest import CACHE, built
from tests.web.learn_data import LESSONS
from tests.web.table import OFFERING, Table
from tests.web.test_learn import from_above
from tests.web.test_learn import play as play_lesson
from tests.web.texts import pattern, t

pytestmark = pytest.mark.only_long

GAMES = ["nova", "turrium"]


def start_game(page: Page, game: str) -> None:
    """The first game from the home screen: you against a computer."""
    page.locator(f"[data-play={game}]").click()
    page.wait_for_url(re.compile("#/g/"))
    expect(page.locator("[role=grid] [data-cell]").first).to_be_visible()


# JavaScript: the first cell with a legal action.
FIRST_OFFERED = f"""() => {{
  const cells = [...document.querySelectorAll('[role=grid]:not([aria-busy=true]) [data-cell]')];
  return cells.find(cell => ({OFFERING})(cell.getAttribute('aria-label')))?.dataset.cell }}"""


# JavaScript: what to do next in a turn: the cell of an action, `finish`, or `played` if there are more turns than before.
NEXT = f"""([before, done]) => {{
  if (Number(document.querySelector('.board[data-turn]').dataset.turn) > before) return 'played';
  if (document.querySelectorAll('.draft li').length !== done) return null;
  if (done && document.querySelector('button.finish:enabled')) return 'finish';
  return ({FIRST_OFFERED})() }}"""


def turns_played(page: Page) -> int:
    """How many turns the board of a table shows."""
    return int(page.locator(".board[data-turn]").get_attribute("data-turn") or 0)


def act(page: Page) -> None:
    """Do the first action that the board offers."""
    cell = page.wait_for_function(FIRST_OFFERED).json_value()
    page.locator(f'[data-cell="{cell}"]').first.click(force=True)


def play_turn(page: Page) -> None:
    """Play a turn of the actions that the board offers first, and wait until it is the player's turn again."""
    page.wait_for_function(FIRST_OFFERED)
    before, done = turns_played(page), 0
    while (found := page.wait_for_function(NEXT, arg=[before, done]).json_value()) != "played":
        if found == "finish":
            # In the page, because it may send a short turn automatically meanwhile.
            page.evaluate("document.querySelector('button.finish:enabled')?.click()")
            break
        page.locator(f'[data-cell="{found}"]').first.click(force=True)
        done += 1
    page.wait_for_function(f"before => ({NEXT})([before, -1]) === 'played'", arg=before)
    page.wait_for_function(FIRST_OFFERED)


def resign(page: Page) -> None:
    page.get_by_role("button", name=t("story.more"), exact=True).click()
    page.get_by_role("button", name=t("table.resign"), exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=t("table.sure.resign.yes")).click()
    expect(page.get_by_role("link", name=t("table.review"))).to_be_visible()


def reviewed(page: Page) -> None:
    """Wait until every turn is judged."""
    expect(page.get_by_role("img", name=t("replay.graph"))).to_be_visible()
    expect(page.get_by_text(pattern("replay.running"))).not_to_be_attached(timeout=240_000)


def ready_offline(page: Page) -> None:
    """Wait until the service worker has every file."""
    page.evaluate(
        """async () => { const r = await navigator.serviceWorker.ready;
        while (r.active.state !== 'activated') await new Promise(done => setTimeout(done, 50)); }"""
    )


def await_port(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("localhost", port), 1):
            return
    raise AssertionError("the host does not start")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_with_the_network_cut(site: Path, visitor: Any, game: str) -> None:
    port = reserve_port()
    command = [sys.executable, "-m", "http.server", str(port), "--directory", str(site)]
    host = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_port(port)
        context, page, complaints = visitor(f"http://localhost:{port}/")
        expect(page.locator(f"[data-play={game}]")).to_be_visible()
        ready_offline(page)
    finally:
        host.terminate()
        host.wait()
    context.set_offline(True)
    page.goto(f"http://localhost:{port}/#/new?game={game}")
    for number in (1, 2):
        page.get_by_label(t("new.seatKind", number=number)).select_option("computer")
        page.get_by_label(t("new.seatLevel", number=number)).select_option("1")
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url(re.compile("#/g/"))
    address = page.url
    expect(page.get_by_role("link", name=t("table.review"))).to_be_visible(timeout=240_000)
    page.reload()  # from the service worker, with the whole game
    expect(page.get_by_role("link", name=t("table.review"))).to_be_visible()
    page.goto(f"{address}/review")
    expect(page.locator("[role=grid]").first).to_be_visible()
    assert complaints == []


@pytest.mark.parametrize("game", GAMES)
def test_one_device_a_review_and_a_lesson_need_no_network(
    site: Path, host: Any, visitor: Any, game: str
) -> None:
    static = host(site)
    context, page, complaints = visitor(static.url)
    ready_offline(page)
    static.stop()
    context.set_offline(True)
    page.goto(f"{static.url}#/new?game={game}")
    for number in (1, 2):
        page.get_by_label(t("new.seatKind", number=number)).select_option("device")
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url(re.compile("#/g/"))
    address = page.url
    play_turn(page)  # now it is the other seat's turn, on the same device
    play_turn(page)
    resign(page)
    page.goto(f"{address}/review")
    page.get_by_role("button", name=t("replay.review")).click()
    reviewed(page)
    page.goto(f"{static.url}#/learn/{game}/first")
    from_above(page, game)
    play_lesson(page, LESSONS[game][0])
    expect(page.locator(".answer.good")).to_be_visible()
    assert complaints == []


def test_a_game_of_this_browser_is_analysed_saved_and_opened_again(
    site: Path, host: Any, visitor: Any, tmp_path: Path
) -> None:
    static = host(site)
    _, page, complaints = visitor(static.url)
    start_game(page, "nova")
    play_turn(page)
    resign(page)
    page.get_by_role("link", name=t("table.review")).click()
    page.get_by_role("link", name=t("replay.analyse")).click()
    rows = page.locator(".moves [data-node]")
    expect(rows).to_have_count(3)  # a turn of each player and the resignation
    page.wait_for_function(FIRST_OFFERED)
    page.locator("[data-cell]").last.click(force=True)  # the first one was played
    expect(rows).to_have_count(4)
    page.get_by_label(t("tree.comment"), exact=True).fill("instead")
    page.locator("[data-cell]").first.focus()
    for _ in range(2):
        page.keyboard.press("d")
    expect(page.locator("[data-mark]")).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(4)
    expect(page.locator("[data-mark]")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name=t("tree.save")).click()
    file = tmp_path / "analysis.terra"
    file.write_bytes(Path(download.value.path()).read_bytes())
    _, friend, others = visitor(f"{static.url}#/analysis?game=turrium")
    friend.get_by_text(t("tree.open")).click()
    friend.locator('input[type="file"]').set_input_files(file)
    expect(friend.locator(".moves [data-node]")).to_have_count(4)
    expect(friend.get_by_text("instead")).to_be_visible()
    assert complaints == others == []


def test_a_game_is_still_there_after_a_reload(site: Path, host: Any, visitor: Any) -> None:
    _, page, complaints = visitor(host(site).url)
    start_game(page, "turrium")
    act(page)
    undo = page.get_by_role("button", name=t("table.undo"), exact=True)
    expect(undo).to_be_enabled()
    page.reload()
    expect(undo).to_be_enabled()
    undo.click()
    expect(undo).to_be_disabled()
    assert complaints == []


def test_two_tabs_show_the_same_game_and_one_takes_over(
    site: Path, host: Any, visitor: Any
) -> None:
    context, first, complaints = visitor(host(site).url)
    start_game(first, "nova")
    second = context.new_page()
    second.goto(first.url)
    play_turn(second)  # the second tab plays, too
    nothing = t("table.noMoves")
    for page in (first, second):
        expect(page.get_by_text(nothing)).to_have_count(0)
    turns = second.locator("[data-turn]")
    before = turns.count()
    play_turn(first)
    expect(turns).to_have_count(before + 2)  # the second tab follows, without a reload
    first.close()
    play_turn(second)
    second.reload()
    second.wait_for_function(FIRST_OFFERED)
    expect(second.get_by_text(nothing)).to_have_count(0)
    assert complaints == []


@pytest.mark.parametrize(
    "broken",
    [
        "indexedDB.open = () => { throw new DOMException('refused', 'SecurityError') };",
        "IDBObjectStore.prototype.add = () => { throw new DOMException('full', 'QuotaExceededError') };",
    ],
    ids=["refused", "full"],
)
def test_without_storage_the_game_continues_with_a_warning(
    site: Path, host: Any, visitor: Any, broken: str
) -> None:
    url = host(site).url

    def break_it(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=broken + response.text())

    context, page, _ = visitor("about:blank", service_workers="block")
    context.route(re.compile(r"assets/worker-.*\.js"), break_it)
    page.goto(url)
    start_game(page, "nova")
    expect(page.get_by_text(t("tab.memory"))).to_be_visible()
    play_turn(page)
    with page.expect_download() as saved:
        page.get_by_role("link", name=t("tab.save")).click()
    assert '"games":[{"id"' in Path(saved.value.path()).read_text()


def test_the_page_works_in_a_subfolder_and_under_a_strict_policy(
    site: Path, host: Any, visitor: Any, tmp_path: Path
) -> None:
    shutil.copytree(site, tmp_path / "games" / "terra")
    headers = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'"}
    url = f"{host(tmp_path, headers=headers).url}games/terra/"
    _, page, complaints = visitor(url)
    start_game(page, "nova")
    play_turn(page)
    page.goto(f"{url}#/learn/nova")
    page.locator("a[href='#rulings'], a[href*='#rulings']").first.click()
    expect(page).to_have_url(re.compile(r"#/learn/nova#rulings$"))
    page.get_by_role("link", name=t("common.nav.analysis")).first.click()
    expect(page.locator("[role=grid]").first).to_be_visible()
    assert complaints == []


def test_hosts_find_a_compressed_copy_of_every_large_file(site: Path) -> None:
    originals = [path for path in site.rglob("*") if path.suffix in COMPRESSED]
    large = [path for path in originals if path.stat().st_size >= 512]
    assert len(large) > 50
    for path in large:
        data = path.read_bytes()
        for ending, opened in ((".br", brotli.decompress), (".gz", gzip.decompress)):
            copy = path.with_name(path.name + ending).read_bytes()
            assert len(copy) < len(data)
            assert opened(copy) == data


def test_a_device_with_several_processors_reviews_with_several_workers(
    site: Path, host: Any, visitor: Any
) -> None:
    # Every worker's request is counted: without this header a browser may take the file from its own cache.
    static = host(site, headers={"Cache-Control": "no-cache"})
    context, page, _ = visitor("about:blank", service_workers="block")
    context.add_init_script("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })")
    page.goto(static.url)
    start_game(page, "turrium")
    for _ in range(2):  # with the computer's turns, enough for every worker
        play_turn(page)
    assert not any("thinker" in path for path in static.asked)  # not needed so far
    address = page.url
    resign(page)
    page.goto(f"{address}/review")
    page.get_by_role("button", name=t("replay.review")).click()
    reviewed(page)

    def packs() -> int:
        return sum(path.endswith("terrarium.pack") for path in static.asked)

    # The worker with the games, and two that only think. A short review may be over before the second is loaded.
    assert comes(lambda: packs() >= 3)
    assert sum("thinker" in path for path in static.asked) >= 1
    assert packs() == 3


def test_a_first_game_does_not_download_puzzles_and_openings(
    site: Path, host: Any, visitor: Any, tmp_path: Path
) -> None:
    shutil.copytree(site, tmp_path / "deep" / "page")
    static = host(tmp_path, headers={"Content-Security-Policy": POLICY})

    def asked(name: str) -> int:
        return sum(path.endswith(f"/{name}.pack") for path in static.asked)

    _, page, complaints = visitor(f"{static.url}deep/page/", service_workers="block")
    start_game(page, "nova")
    play_turn(page)
    assert [asked(name) for name in ("terrarium", *pack.LATER)] == [1, 0, 0]
    page.goto(f"{static.url}deep/page/#/puzzles")
    expect(page.locator("[data-daily]")).to_have_count(2)
    page.locator("[data-daily]").first.click()
    page.locator("[role=grid] [data-cell]").first.wait_for()
    assert [asked(name) for name in ("terrarium", *pack.LATER)] == [1, 0, 1]
    assert [text for text in complaints if "blocked by Playwright" not in text] == []


@pytest.fixture
def puzzle_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page with puzzles of the tests, whatever the games' packages contain."""
    files = pack.library_files

    def with_puzzles(cache: Path) -> dict[str, bytes]:
        own = {f"terrarium/{game}/puzzles.jsonl": (FOLDER / f"{game}.jsonl") for game in GAMES}
        return files(cache) | {name: path.read_bytes() for name, path in own.items()}

    monkeypatch.setattr(folder, "library_files", with_puzzles)
    out = tmp_path / "page"
    built(lambda: build(out, CACHE))
    return out


def test_puzzles_are_solved_with_the_network_cut_and_stay_in_the_browser(
    puzzle_site: Path, host: Any, visitor: Any
) -> None:
    static = host(puzzle_site)
    context, page, complaints = visitor(f"{static.url}#/puzzles")
    expect(page.locator("[data-daily]")).to_have_count(2)
    expect(page.get_by_text(t("puzzles.kept.tab"))).to_be_visible()
    ready_offline(page)
    static.stop()
    context.set_offline(True)
    puzzle = puzzles_of("terrarium.nova")["n100"]
    page.goto(f"{static.url}#/puzzles/nova/n100")
    page.locator("[role=grid] [data-cell]").first.wait_for()
    table = Table(page, "")
    table.draft(" ".join(wrong_turn(puzzle)))
    page.get_by_role("button", name=t("puzzles.check")).click()
    wrong = page.get_by_role("region", name=t("puzzles.wrong"))
    expect(wrong).to_contain_text(t("puzzles.answers", name=t("common.colour.yellow")))
    page.get_by_role("button", name=t("puzzles.again")).click()
    table.draft(" ".join(puzzle.solution))
    page.get_by_role("button", name=t("puzzles.check")).click()
    expect(page.get_by_role("region", name=t("puzzles.right"))).to_be_visible()
    page.get_by_role("button", name=t("puzzles.next")).click()
    page.wait_for_url(re.compile(r"#/puzzles/nova/n(?!100)\d+$"))
    page.goto(f"{static.url}#/puzzles")
    page.reload()  # from the service worker, with what was solved
    solved = t("puzzles.solvedOf", solved=1, count=7)
    expect(page.locator("dl").first).to_contain_text(solved)
    assert complaints == []
