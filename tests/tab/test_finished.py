"""Openings and insights of the finished games in a browser."""

from __future__ import annotations

import asyncio

from tests.tab.page import Page
from tests.tab.test_tab import DEVICE, GAMES, against, run


@GAMES
def test_a_finished_game_of_this_browser_is_explored_at_once_and_later(game: str) -> None:
    async def job() -> None:
        page = await Page.opened()
        made = await page.ask("POST", "/games", against(1, game=game))
        ask = {"position": made["game"]["position"], "source": "own"}
        assert (await page.ask("POST", "/openings", ask))["turns"] == []
        over = await page.play_out(made["id"], await page.watch(made["id"]))
        for opened in (page, await Page.opened(page.browser)):
            found = await opened.ask("POST", "/openings", ask)
            (turn,) = found["turns"]
            assert (found["games"], turn["games"]) == (1, 1)
            first = over["turns"][0]["actions"]
            assert turn["actions"] == first[: len(turn["actions"])]
            winners = over["outcome"]["winners"] or [0, 1]
            assert turn["wins"] == [1 / len(winners) if seat in winners else 0 for seat in range(2)]

    run(job)


def test_the_book_needs_no_server_and_public_games_do() -> None:
    async def job() -> None:
        page = await Page.opened()
        made = await page.ask("POST", "/games", {"game": "nova", "seats": [DEVICE, DEVICE]})
        start = made["game"]["position"]
        book = await page.ask("POST", "/openings", {"position": start, "source": "book"})
        assert book["games"] == sum(turn["games"] for turn in book["turns"]) > 0
        asked = {"position": start, "source": "server"}
        assert (await page.refused("POST", "/openings", asked))[1] == "needs-server"

    run(job)


@GAMES
def test_the_games_of_this_browser_are_counted_with_their_reviews(game: str) -> None:
    async def job() -> None:
        page = await Page.opened()
        assert (await page.ask("GET", "/me/insights"))["games"] == 0
        made = await page.ask("POST", "/games", against(2, game=game))
        await page.ask("POST", f"/games/{made['id']}/resign", {"seat": 0})
        found = await page.ask("GET", f"/me/insights?game={game}&days=7")
        assert (found["games"], found["reviewed_games"]) == (1, 0)
        assert {one["by"]: one["key"] for one in found["groups"]}["opponent"] == "2"
        both = await page.ask("POST", "/games", {"game": game, "seats": [DEVICE, DEVICE]})
        await page.ask("POST", f"/games/{both['id']}/resign", {"seat": 0})
        review = await page.ask("POST", f"/games/{made['id']}/review")
        while review["status"] != "done":
            await asyncio.sleep(0.05)
            review = await page.ask("GET", f"/games/{made['id']}/review")
        found = await (await Page.opened(page.browser)).ask("GET", "/me/insights")
        assert (found["games"], found["reviewed_games"]) == (1, 1)

    run(job)
