"""What a browser counts over its own finished games."""

from __future__ import annotations

from typing import Any

from tests.tab.page import Page
from tests.tab.test_tab import DEVICE, GAMES, against, run


async def finished(page: Page, **order: Any) -> dict[str, Any]:
    made = await page.ask("POST", "/games", against(1, **order))
    over = await page.play_out(made["id"], await page.watch(made["id"]))
    assert over["status"] == "over"
    return over


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
