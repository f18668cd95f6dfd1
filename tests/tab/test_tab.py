"""The page's API inside a tab: local games without a server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import sysconfig
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from terrarium import games
from terrarium.engine import engine
from terrarium.engine.search import Search
from terrarium.site.pack import needed_files
from terrarium.tab.store import Memory
from tests.play.puzzle_data import puzzles_of, wrong_turn
from tests.tab.page import Page

DEVICE = {"kind": "device", "name": "Ann"}
GAMES = pytest.mark.parametrize("game", sorted(games))


def run(job: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(job())  # type: ignore[arg-type]


def against(level: int, **more: Any) -> dict[str, Any]:
    return {"seats": [DEVICE, {"kind": "computer", "level": level}], "rules": {"players": 2}} | more


@GAMES
def test_a_whole_game_against_a_computer_is_played_and_reviewed(game: str) -> None:
    async def job() -> None:
        page = await Page.opened()
        made = await page.ask("POST", "/games", against(1, game=game))
        socket = await page.watch(made["id"])
        assert [message["type"] for message in page.heard[socket]] == ["snapshot", "ready"]
        over = await page.play_out(made["id"], socket)
        assert over["status"] == "over"
        await page.until(socket, lambda message: message["type"] == "over")
        seqs = [m["seq"] for m in page.heard[socket] if m["type"] == "turn"]
        assert seqs == sorted(set(seqs))
        assert len(seqs) == over["turn"]
        record = await page.send("GET", f"/games/{made['id']}/record.terra")
        read = await page.ask("POST", "/records/read", {"text": record[1]})
        assert len(read["turns"]) == over["turn"]
        listed = await page.ask("GET", "/games?mine=1&status=over&q=ann")
        assert [one["id"] for one in listed["games"]] == [made["id"]]
        again = await page.ask("POST", f"/games/{made['id']}/rematch", {})
        twice = await page.ask("POST", f"/games/{made['id']}/rematch", {})
        assert again["id"] == twice["id"] != made["id"]

    run(job)


@GAMES
def test_reviews_hints_and_analysis_answer_as_a_server_does(game: str) -> None:
    async def job() -> None:
        page = await Page.opened()
        two = {"game": game, "rules": {"players": 2}, "seats": [DEVICE, DEVICE]}
        made = await page.ask("POST", "/games", two)
        id, seat = made["id"], made["game"]["view"]["to_move"]
        hint = await page.ask("POST", f"/games/{id}/hint", {"seat": seat})
        turn = {"seq": 1, "actions": hint["turn"], "key": "a"}
        played = await page.ask("POST", f"/games/{id}/turns", turn)
        assert played == await page.ask(
            "POST", f"/games/{id}/turns", turn
        )  # sent twice, played once
        question = {"position": made["game"]["position"], "seconds": 0.3, "lines": 2}
        status, text = await page.send("POST", "/analysis", question)
        reports = [json.loads(line) for line in text.splitlines()]
        assert (status, reports[-1]["done"], len(reports[-1]["lines"])) == (200, True, 2)
        judged = {"position": made["game"]["position"], "actions": hint["turn"]}
        assert (await page.ask("POST", "/positions/review", judged))["label"]
        assert await page.refused("POST", f"/games/{id}/review") == (409, "game-not-over")
        await page.ask("POST", f"/games/{id}/resign", {"seat": 0})
        assert await page.refused("GET", f"/games/{id}/review") == (404, "no-review")
        review = await page.ask("POST", f"/games/{id}/review")
        while review["status"] != "done":
            await asyncio.sleep(0.05)
            review = await page.ask("GET", f"/games/{id}/review")
        assert [one["number"] for one in review["turns"]] == [1]
        # the review is stored: a page that is opened later finds it
        later = await Page.opened(page.browser)
        assert (await later.ask("GET", f"/games/{id}/review"))["turns"] == review["turns"]

    run(job)


def test_the_coach_answers_in_the_tab_and_refuses_games_of_two_people() -> None:
    async def job() -> None:
        page = await Page.opened()
        made = await page.ask("POST", "/games", against(1, game="nova"))
        ask = {"seat": 0, "seq": 1, "actions": [made["game"]["legal"][0]["text"]]}
        verdict = await page.ask("POST", f"/games/{made['id']}/coach", ask)
        assert verdict["label"]
        assert isinstance(verdict["reasons"], list)
        two = {"game": "nova", "rules": {"players": 2}, "seats": [DEVICE, DEVICE]}
        shared = await page.ask("POST", "/games", two)
        refused = await page.refused("POST", f"/games/{shared['id']}/coach", ask)
        assert refused == (409, "coach-against-people")

    run(job)


def test_a_game_continues_after_the_page_was_closed() -> None:
    async def job() -> None:
        browser = Memory()
        page = await Page.opened(browser)
        made = await page.ask("POST", "/games", against(1, game="nova"))
        id, legal = made["id"], made["game"]["legal"][0]["text"]
        await page.ask("POST", f"/games/{id}/turns", {"seq": 1, "actions": [legal]})
        assert (await page.ask("GET", f"/games/{id}"))["seq"] == 2

        later = await Page.opened(browser)
        shown = await later.ask("GET", f"/games/{id}")
        assert (shown["seq"], shown["turns"][0]["actions"], shown["you"]) == (2, [legal], [0])
        socket = await later.watch(id)  # the computer moves only while somebody watches
        await later.until(socket, lambda message: message["type"] == "turn")
        undone = await later.ask("POST", f"/games/{id}/offers", {"kind": "takeback", "seat": 0})
        assert undone["turns"] == []

    run(job)


def test_a_turn_is_stored_before_it_is_acknowledged() -> None:
    class Slow(Memory):
        async def write(self, changes: str) -> None:
            order.append("begin")
            await asyncio.sleep(0.02)
            await super().write(changes)
            order.append("kept")

    order: list[str] = []

    async def job() -> None:
        page = await Page.opened(Slow())
        made = await page.ask("POST", "/games", against(1, game="nova"))
        order.append("made")
        legal = made["game"]["legal"][0]["text"]
        await page.ask("POST", f"/games/{made['id']}/turns", {"seq": 1, "actions": [legal]})
        order.append("played")

    run(job)
    assert order == ["begin", "kept", "made", "begin", "kept", "played"]


def test_a_failed_write_leaves_the_game_as_it_was() -> None:
    class Full(Memory):
        is_full = False

        async def write(self, changes: str) -> None:
            if self.is_full:
                raise OSError("no space left")
            await super().write(changes)

    async def job() -> None:
        browser = Full()
        page = await Page.opened(browser)
        made = await page.ask("POST", "/games", against(1, game="nova"))
        legal = made["game"]["legal"][0]["text"]
        turn = {"seq": 1, "actions": [legal]}
        browser.is_full = True
        assert await page.refused("POST", f"/games/{made['id']}/turns", turn) == (
            500,
            "internal-error",
        )
        assert (await page.ask("GET", f"/games/{made['id']}"))["seq"] == 1
        browser.is_full = False
        assert (await page.ask("POST", f"/games/{made['id']}/turns", turn))["seq"] == 2

    run(job)


def test_the_page_is_answered_while_the_engine_thinks_and_may_cancel_it() -> None:
    async def job() -> None:
        page = await Page.opened()
        made = await page.ask("POST", "/games", against(8, game="turrium"))
        position = made["game"]["position"]
        slow = asyncio.ensure_future(
            page.send("POST", "/analysis", {"position": position, "seconds": 5, "lines": 1})
        )
        await asyncio.sleep(0.1)
        question = {"seq": 1, "actions": []}
        for _ in range(10):
            await page.ask("POST", f"/games/{made['id']}/try", question)
        assert not slow.done()  # ten answers came before the analysis ended
        thinking = page.tab._requests["1"]
        page.tab.cancel("1")
        await asyncio.wait([thinking], timeout=180)
        assert thinking.cancelled()
        slow.cancel()

    run(job)


@GAMES
def test_the_engine_thinks_in_short_slices_and_a_stop_ends_it_after_one(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices: list[float] = []

    class Counted(Search):
        def run(self, seconds: float = 1e9, nodes: int = 1 << 60) -> bool:
            slices.append(0.0 if nodes == 1 else seconds)
            return super().run(seconds, nodes)

    monkeypatch.setattr(engine, "Search", Counted)

    async def job() -> None:
        page = await Page.opened()
        position = games[game].start().to_text()
        page.tab.ask("slow", "POST", "/analysis", json.dumps({"position": position, "seconds": 5}))
        async with asyncio.timeout(60):
            while len(slices) < 3:
                await asyncio.sleep(0)
        before = len(slices)
        await page.ask("POST", "/positions/try", {"start": position, "actions": []})
        assert len(slices) <= before + 1  # answered after at most one further slice
        page.tab.cancel("slow")
        before = len(slices)
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert len(slices) <= before + 1
        assert max(slices) <= 0.02  # seconds that a slice may take

    run(job)


def test_a_clock_ends_the_game_without_a_request() -> None:
    async def job() -> None:
        now = 1_000_000
        page = await Page.opened(now=lambda: now)
        clock = {"kind": "game", "seconds": 10, "increment": 0}
        order = {"game": "nova", "rules": {"players": 2}, "seats": [DEVICE, DEVICE], "clock": clock}
        made = await page.ask("POST", "/games", order)
        socket = await page.watch(made["id"])
        entry = await page.tab.tables.entry(made["id"])
        assert entry.alarm is not None
        now += 60_000
        page.tab.tables._ring(entry)
        await page.until(socket, lambda message: message["type"] == "over")
        assert (await page.ask("GET", f"/games/{made['id']}"))["outcome"]["reason"] == "timeout"

    run(job)


def test_all_games_move_to_another_browser_as_one_file() -> None:
    async def job() -> None:
        page = await Page.opened()
        for game in sorted(games):
            made = await page.ask("POST", "/games", against(2, game=game))
        exported = await page.ask("GET", "/local/export")
        other = await Page.opened()
        broken = {"id": "broken", "holders": [], "events": exported["games"][0]["events"][:0]}
        exported["games"].append(broken)
        counts = {"added": len(games), "known": 0, "refused": 1, "studies": 0}
        assert await other.ask("POST", "/local/import", exported) == counts
        again = {"added": 0, "known": len(games), "refused": 1, "studies": 0}
        assert await other.ask("POST", "/local/import", exported) == again
        shown = await other.ask("GET", f"/games/{made['id']}")
        assert (shown["you"], shown["legal"]) == ([0], made["game"]["legal"])
        newer = exported | {"terrarium": 99}
        assert await other.refused("POST", "/local/import", newer) == (422, "import-format")

    run(job)


def test_requests_that_need_other_people_or_are_wrong_are_refused_with_a_message() -> None:
    async def job() -> None:
        page = await Page.opened()
        for kind in ("link", "open"):
            order = {"game": "nova", "seats": [DEVICE, {"kind": kind}]}
            assert await page.refused("POST", "/games", order) == (422, "needs-server")
        assert await page.refused("POST", "/accounts", {}) == (404, "needs-server")
        assert await page.refused("GET", "/games/none") == (404, "no-such-game")
        assert await page.refused("POST", "/games", {"game": 1}) == (400, "invalid-request")
        assert (await page.ask("GET", "/games?status=open"))["games"] == []
        assert not await page.tab.watch("s", "none", None)

    run(job)


def test_boards_lessons_and_facts_need_no_server() -> None:
    async def job() -> None:
        page = await Page.opened()
        meta = await page.ask("GET", "/meta")
        assert sorted(meta["games"]) == sorted(games)
        name = meta["games"]["nova"]["boards"][0]["name"]
        board = await page.ask("GET", f"/boards/{name}")
        checked = await page.ask("POST", "/boards/check", {"text": board["map"]})
        assert checked["problems"] == []
        assert (await page.ask("POST", "/boards/check", {"text": "A"}))["problems"]
        assert (await page.ask("POST", "/boards/new", {"seed": 3}))["cells"]
        status, svg = await page.send("GET", f"/boards/{name}/picture.svg?theme=dark")
        assert (status, svg[:4]) == (200, "<svg")
        start = {"game": "turrium", "rules": {}}
        assert (await page.ask("POST", "/positions/try", {"start": start}))["legal"]
        made = await page.ask("POST", "/games", against(1, game="nova", board=board_of(board)))
        status, svg = await page.send("GET", f"/games/{made['id']}/picture.svg?turn=0")
        assert (status, svg[:4]) == (200, "<svg")
        assert (await page.ask("GET", "/me"))["games"] == 1

    run(job)


def test_a_position_is_set_up_judged_and_played_without_a_server() -> None:
    async def job() -> None:
        page = await Page.opened()
        setup = {"pioneers": {"e7": 0, "h8": 1}, "stones": ["f8"], "to_move": 1}
        start = {"game": "nova", "rules": {}, "board": "terra-nova", "setup": setup}
        found = await page.ask("POST", "/positions/try", {"start": start})
        wrong = {**start, "setup": {**setup, "phase": "place"}}
        assert await page.refused("POST", "/positions/try", {"start": wrong}) == (
            422,
            "placing-not-over",
        )
        order = {"game": "nova", "position": found["position"]}
        made = await page.ask("POST", "/games", order)
        assert made["game"]["view"]["pioneers"] == {"e7": 0, "h8": 1}
        assert made["game"]["view"]["to_move"] == 1
        board = await page.ask("GET", "/boards/two-bays")
        checked = await page.ask("POST", "/boards/check", {"text": board["map"]})
        assert checked["fairness"]["unfairness"] == 22.1

    run(job)


def board_of(view: dict[str, Any]) -> dict[str, Any]:
    names = dict(zip(view["letters"], view["landscapes"], strict=True))
    return {"map": view["map"], "name": "own", "landscapes": names}


# Imported by the test's event loop, its runner or the local Python, never in a browser.
ELSEWHERE = {"asyncio", "_sitebuiltins", "site", "zipimport", "sitecustomize", "_virtualenv"}


def test_everything_the_tab_imports_is_packed_for_the_browser() -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    code = f"""
import asyncio, sys
sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
from tests.tab import walk
asyncio.run(walk.everything())
for module in list(sys.modules.values()):
    file = getattr(module, "__file__", None) or ""
    if file.startswith({str(library)!r}) and file.endswith(".py") and "site-packages" not in file:
        print(file)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    imported = {str(Path(line).relative_to(library)) for line in done.stdout.splitlines()}
    contents = {
        str(path.relative_to(library)): path.read_bytes()
        for path in library.rglob("*.py")
        if not {"site-packages", "test", "lib2to3", "idlelib"} & set(path.parts)
    }
    packed = set(needed_files(contents, Path(msgspec.__file__).parent))
    assert len(packed) < 0.5 * len(contents)
    missing = {
        name
        for name in imported - packed
        if Path(name).parts[0].removesuffix(".py") not in ELSEWHERE
    }
    assert not missing


def test_puzzles_and_openings_are_loaded_when_they_are_asked_for() -> None:
    loaded: list[str] = []

    async def load(name: str) -> None:
        loaded.append(name)
        if len(loaded) == 1:
            raise OSError("no network")

    async def run() -> None:
        page = await Page.opened(load=load)
        start = games["nova"].start().to_text()
        await page.ask("POST", "/positions/try", {"start": start, "actions": []})
        await page.ask("POST", "/openings", {"position": start, "source": "own"})
        assert loaded == []
        assert await page.refused("GET", "/puzzles") == (503, "download-failed")
        await page.ask("GET", "/puzzles")
        assert loaded == ["puzzles", "puzzles"]
        await page.ask("POST", "/openings", {"position": start, "source": "book"})
        assert loaded[2:] == ["openings"]

    asyncio.run(run())


def test_puzzles_are_solved_in_the_tab_as_on_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium.core.game.read_puzzles", puzzles_of)
    puzzle = puzzles_of("terrarium.nova")["n100"]

    async def job() -> None:
        page = await Page.opened(now=lambda: 20_000 * 86_400_000)
        listed = await page.ask("GET", "/puzzles")
        assert [game["game"] for game in listed["games"]] == ["nova", "turrium"]
        assert listed["date"] == "2024-10-04"
        daily = await page.ask("GET", "/puzzles/nova/daily")
        assert daily == listed["games"][0]["daily"]
        shown = await page.ask("GET", "/puzzles/nova/n100")
        assert shown["position"] == puzzle.position
        assert (await page.ask("POST", "/puzzles/nova/n100/hint"))["cell"] == "g9"
        wanted = {"theme": "block", "rating": 1300}
        assert (await page.ask("POST", "/puzzles/nova/next", wanted))["id"] == "n100"
        wrong = {"actions": wrong_turn(puzzle)}
        # The engine runs in slices: other requests are answered in between.
        trying = asyncio.ensure_future(page.ask("POST", "/puzzles/nova/n100/try", wrong))
        await asyncio.sleep(0)
        assert (await page.ask("GET", "/me"))["is_guest"]
        assert not trying.done()
        tried = await trying
        assert (tried["is_right"], tried["solution"], len(tried["turns"])) == (False, None, 2)
        right = {"actions": list(puzzle.solution)}
        assert (await page.ask("POST", "/puzzles/nova/n100/try", right))["is_right"]
        gave_up = await page.ask("POST", "/puzzles/nova/n100/give-up")
        assert gave_up["solution"] == list(puzzle.solution)
        attempt = {"game": "nova", "puzzle": "n100", "result": "solved", "at": 1000, "solved": 1000}
        progress = await page.ask("POST", "/me/puzzles", {"attempts": [attempt]})
        assert progress["games"]["nova"]["rating"] > 1500
        assert progress["is_kept"] is False
        missing = await page.refused("GET", "/puzzles/nova/nope")
        assert missing == (404, "no-such-puzzle")
        unfinished = {"actions": ["g9-e9"]}
        refused = await page.refused("POST", "/puzzles/nova/n100/try", unfinished)
        assert refused == (422, "turn-incomplete")
        body = {"attempts": [attempt | {"result": "won"}]}
        assert await page.refused("POST", "/me/puzzles", body) == (400, "invalid-request")

    run(job)
