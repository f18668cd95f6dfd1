"""Additional engine workers: reviews and analyses by several workers have the same form as by one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest

from terrarium import games
from terrarium.core.position import Position
from terrarium.play.thinking import Question
from terrarium.tab.crew import Crew, Thinker
from terrarium.tab.thinking import analyse_with, merged
from tests.tab.page import Page

DEVICE = {"kind": "device", "name": "Ann"}
GAMES = pytest.mark.parametrize("game", sorted(games))


def run(job: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(job())  # type: ignore[arg-type]


class Here:
    """Workers in this thread; they run in turn, slice by slice."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.most = 0
        self.asked: list[dict[str, Any]] = []
        self.cancelled: list[str] = []
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._thinker = Thinker(self._reply)

    async def ask(self, id: str, job: str) -> str:
        self.asked.append(json.loads(job))
        self._waiting[id] = asyncio.get_running_loop().create_future()
        self.most = max(self.most, len(self._waiting))
        self._thinker.ask(id, job)
        return await self._waiting[id]

    def cancel(self, id: str) -> None:
        self.cancelled.append(id)
        self._thinker.cancel(id)

    def _reply(self, id: str, text: str) -> None:
        future = self._waiting.pop(id)
        if not future.done():
            future.set_result(text)


class Broken(Here):
    """Workers that could not be loaded."""

    async def ask(self, id: str, job: str) -> str:
        self.asked.append(json.loads(job))
        raise OSError("out of memory")


async def reviewed(workers: Here | None, game: str) -> dict[str, Any]:
    """The review of a game of four turns."""
    page = await Page.opened(workers=workers)
    two = {"game": game, "rules": {"players": 2}, "seats": [DEVICE, DEVICE], "starter": "first"}
    made = await page.ask("POST", "/games", two)
    id, shown = made["id"], made["game"]
    for _ in range(4):
        actions: list[str] = []
        while not (tried := await page.ask("POST", f"/games/{id}/try", order(shown, actions)))[
            "turn_complete"
        ]:
            actions.append(tried["legal"][0]["text"])
        await page.ask("POST", f"/games/{id}/turns", order(shown, actions))
        shown = await page.ask("GET", f"/games/{id}")
    await page.ask("POST", f"/games/{id}/resign", {"seat": shown["view"]["to_move"]})
    review: dict[str, Any] = await page.ask("POST", f"/games/{id}/review")
    while review["status"] != "done":
        await asyncio.sleep(0.02)
        review = await page.ask("GET", f"/games/{id}/review")
    return review


def order(shown: dict[str, Any], actions: list[str]) -> dict[str, Any]:
    return {"seq": shown["seq"], "actions": actions}


@GAMES
def test_a_review_by_several_workers_has_every_turn_in_order(game: str) -> None:
    workers = Here(3)
    review = run(lambda: reviewed(workers, game))
    alone = run(lambda: reviewed(None, game))
    assert [turn["number"] for turn in review["turns"]] == [1, 2, 3, 4]
    assert [sorted(turn) for turn in review["turns"]] == [sorted(turn) for turn in alone["turns"]]
    assert [job["type"] for job in workers.asked] == ["verdict"] * 4
    assert workers.most == 3  # never more at once than there are workers


def test_a_review_is_finished_without_workers_if_they_fail() -> None:
    workers = Broken(3)
    review = run(lambda: reviewed(workers, "turrium"))
    assert len(workers.asked) == 4
    assert [turn["number"] for turn in review["turns"]] == [1, 2, 3, 4]


async def analysed(workers: Here, position: Position, question: Question) -> list[dict[str, Any]]:
    return [facts async for facts in analyse_with(Crew(workers), position, question)]


@GAMES
def test_an_analysis_by_several_workers_has_the_form_of_one(game: str) -> None:
    position = games[game].start()
    question = Question(position.to_text(), 1.5, 2)
    workers = Here(2)
    reports = run(lambda: analysed(workers, position, question))
    alone = run(lambda: analysed(Here(0), position, question))
    assert reports[-1]["done"]
    assert not any(facts["done"] for facts in reports[:-1])
    assert [sorted(line) for line in reports[-1]["lines"]] == [
        sorted(line) for line in alone[-1]["lines"]
    ]
    assert sorted(reports[-1]) == sorted(alone[-1])
    assert all(len(facts["lines"]) <= 2 for facts in reports)
    for line in reports[-1]["lines"]:
        after = position.play_all(line["turn"])
        for reply in line["replies"]:
            after = after.play_all(reply)  # what is shown can be played
    asked = [job["position"] for job in workers.asked]
    assert len(asked) == len(set(asked)) == 2
    assert position.to_text() not in asked


def test_cancelling_an_analysis_cancels_its_workers() -> None:
    async def job() -> None:
        position = games["turrium"].start()
        workers = Here(2)
        reports = analyse_with(Crew(workers), position, Question(position.to_text(), 5, 1))
        task = asyncio.ensure_future(anext(reports))
        while not workers.asked:
            await asyncio.sleep(0.02)
            if task.done() and not workers.asked:
                task = asyncio.ensure_future(anext(reports))
        await task
        assert isinstance(reports, AsyncGenerator)
        await reports.aclose()
        await asyncio.sleep(0.2)
        assert len(workers.cancelled) == 2
        assert not workers._waiting  # each has answered: it is free again

    run(job)


def test_the_deeper_results_decide_the_order_of_lines() -> None:
    def line(turn: str, share: float, **more: Any) -> dict[str, Any]:
        facts = {"turn": [turn], "shares": [share, 1 - share], "points": [0, 0], "visits": 5}
        return facts | {"is_proven": False, "replies": []} | more

    facts = {"nodes": 10, "lines": [line("a", 0.6), line("b", 0.5), line("c", 0.4)], "done": True}
    found = merged(
        facts,
        {
            ("a",): {"nodes": 20, "lines": [line("x", 0.3)]},
            ("b",): {"nodes": 30, "lines": [line("y", 0.7, replies=[["z"]])]},
            ("c",): None,
        },
        0,
    )
    assert [one["turn"] for one in found["lines"]] == [["b"], ["a"], ["c"]]
    assert found["lines"][0]["replies"] == [["y"], ["z"]]
    assert (found["shares"][0], found["nodes"]) == (0.7, 60)
    assert found["lines"][0]["visits"] == 10
