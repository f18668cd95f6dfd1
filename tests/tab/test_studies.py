"""Studies without a server: the same requests, kept by the browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from terrarium import games
from terrarium.tab.store import Memory, StudyMemory
from tests.tab.page import Page

NOVA = '[Game "nova"]\n\n1. @e7 2. @f7 *\n'


def run(job: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(job())  # type: ignore[arg-type]


def said(id: str, time: int, **set: Any) -> dict[str, Any]:
    return {"type": "node", "chapter": "1", "id": id, "set": set, "time": time, "by": "ann"}


async def make(page: Page, *texts: str) -> str:
    chapters = [{"name": f"Part {n}", "source": {"text": text}} for n, text in enumerate(texts, 1)]
    made = await page.ask("POST", "/studies", {"name": "Openings", "chapters": chapters})
    assert made["access"] == "owner"
    return str(made["id"])


async def change(page: Page, study: str, key: str, *changes: dict[str, Any]) -> int:
    body = {"key": key, "changes": list(changes)}
    return int((await page.ask("POST", f"/studies/{study}/changes", body))["seq"])


def test_the_same_key_makes_a_study_a_chapter_and_a_copy_once() -> None:
    async def job() -> None:
        page = await Page.opened()
        order = {"name": "Openings", "chapters": [], "key": "a"}
        study, again = [(await page.ask("POST", "/studies", order))["id"] for _ in range(2)]
        assert study == again
        chapter = {"name": "One", "source": {"text": NOVA}, "key": "b"}
        for _ in range(2):
            assert (await page.ask("POST", f"/studies/{study}/chapters", chapter))["id"] == "1"
        copy, again = [
            (await page.ask("POST", f"/studies/{study}/copy?key=c"))["id"] for _ in range(2)
        ]
        assert copy == again != study

    run(job)


@pytest.mark.parametrize("game", sorted(games))
def test_a_study_is_made_of_a_game_and_a_position(game: str) -> None:
    async def job() -> None:
        page = await Page.opened()
        seats = [{"kind": "device"}, {"kind": "device"}]
        order = {"game": game, "rules": {"players": 2}, "seats": seats}
        played = await page.ask("POST", "/games", order)
        study = await make(page)
        for source in ({"game_id": played["id"]}, {"start": played["game"]["position"]}):
            body = {"name": "Mine", "source": source}
            made = await page.ask("POST", f"/studies/{study}/chapters", body)
            assert made["game"] == game
            shown = await page.ask("GET", f"/studies/{study}/chapters/{made['id']}")
            assert shown["read"]["start"] == played["game"]["position"]
        assert [one["id"] for one in (await page.ask("GET", f"/studies/{study}"))["chapters"]] == [
            "1",
            "2",
        ]

    run(job)


def test_changes_are_kept_when_the_page_is_closed() -> None:
    async def job() -> None:
        games, studies = Memory(), StudyMemory()
        page = await Page.opened(games, studies=studies)
        study = await make(page, NOVA)
        assert await change(page, study, "k", said("1", 1, comment="kept")) == 2
        assert await change(page, study, "k", said("1", 1, comment="kept")) == 2
        again = await Page.opened(games, studies=studies)
        shown = await again.ask("GET", f"/studies/{study}/chapters/1")
        assert shown["read"]["tree"]["nodes"][0]["comment"] == "kept"
        assert await change(again, study, "k", said("1", 1, comment="kept")) == 2
        listed = (await again.ask("GET", "/studies"))["studies"]
        assert [(one["id"], one["name"], one["chapters"]) for one in listed] == [
            (study, "Openings", 1)
        ]
        await again.ask("DELETE", f"/studies/{study}")
        later = await Page.opened(games, studies=studies)
        assert await later.refused("GET", f"/studies/{study}") == (404, "no-such-study")

    run(job)


def test_two_tabs_see_each_others_changes() -> None:
    async def job() -> None:
        page = await Page.opened()
        study = await make(page, NOVA)
        one, other = await page.watch(study), await page.watch(study)
        await change(page, study, "a", said("1", 1, comment="from one"))
        renamed = {"type": "study", "set": {"name": "New"}, "time": 2, "by": "bob"}
        await change(page, study, "b", renamed)
        for socket in (one, other):
            heard = page.heard[socket]
            found = [message for message in heard if message["type"] == "changes"]
            assert [message["seq"] for message in found] == [2, 3]
            assert heard[-1]["name"] == "New"
        assert {"type": "people", "editors": 2, "readers": 0} in page.heard[one]
        late = await page.watch(study, since=2)
        assert [message["type"] for message in page.heard[late]] == ["changes", "study", "people"]
        page.tab.hear(late, '{"type":"ping","at":5}')
        assert page.heard[late][-1]["at"] == 5
        page.tab.unwatch(late)
        await page.ask("DELETE", f"/studies/{study}")
        assert page.heard[one][-1] == {"type": "gone"}
        assert page.heard[late][-1]["type"] == "pong"

    run(job)


def test_a_failed_write_leaves_the_study_as_it_was() -> None:
    class Full(StudyMemory):
        is_full = False

        async def write(self, changes: str) -> None:
            if self.is_full:
                raise OSError("no space")
            await super().write(changes)

    async def job() -> None:
        studies = Full()
        page = await Page.opened(studies=studies)
        study = await make(page, NOVA)
        before = await page.ask("GET", f"/studies/{study}/chapters/1")
        socket = await page.watch(study)
        studies.is_full = True
        body = {"key": "k", "changes": [said("1", 1, comment="lost")]}
        assert (await page.refused("POST", f"/studies/{study}/changes", body))[0] == 500
        assert await page.ask("GET", f"/studies/{study}/chapters/1") == before
        studies.is_full = False
        assert await change(page, study, "k", said("1", 1, comment="kept")) == 2
        assert [one["seq"] for one in page.heard[socket] if one["type"] == "changes"] == [2]

    run(job)


def test_studies_move_to_another_browser_with_the_games() -> None:
    async def job() -> None:
        page = await Page.opened()
        study = await make(page, NOVA)
        await change(page, study, "k", said("1", 1, comment="moved"))
        exported = await page.ask("GET", "/local/export")
        other = await Page.opened()
        assert (await other.ask("POST", "/local/import", exported))["studies"] == 1
        assert (await other.ask("POST", "/local/import", exported))["studies"] == 0
        _, text = await other.send("GET", f"/studies/{study}/terra")
        assert "@e7 {moved}" in text
        broken = json.loads(json.dumps(exported).replace("@f7", "@e7"))
        assert (await (await Page.opened()).ask("POST", "/local/import", broken))["studies"] == 0

    run(job)


def test_wrong_changes_and_requests_that_need_a_server_are_refused() -> None:
    async def job() -> None:
        page = await Page.opened()
        study = await make(page, NOVA)
        for wrong in (said("9", 1, comment="x"), said("1", 10**9, comment="x")):
            body = {"key": "k", "changes": [wrong]}
            answer = await page.refused("POST", f"/studies/{study}/changes", body)
            assert answer == (422, "invalid-change")
        null = {"key": "k", "changes": [said("1", 1, comment=None)]}
        assert (await page.refused("POST", f"/studies/{study}/changes", null))[0] == 400
        for method, path in (
            ("PATCH", ""),
            ("POST", "/edit-link"),
            ("POST", "/join"),
            ("DELETE", "/editors"),
        ):
            assert await page.refused(method, f"/studies/{study}{path}", {}) == (
                404,
                "needs-server",
            )

    run(job)
