"""Every part of the page without a server works with the network cut; games, reviews and first lessons are in `test_page.py`, studies in `test_studies.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from terrarium import Record, games, nova
from terrarium.core.opening import key_of
from tests.site.test_page import (
    FIRST_OFFERED,
    GAMES,
    play_turn,
    ready_offline,
    resign,
    reviewed,
)
from tests.web.test_editor import cell, legal, tool
from tests.web.test_explorer import choose, explorer
from tests.web.texts import LANGUAGES, t

pytestmark = pytest.mark.only_long

Cut = Callable[[], tuple[str, Page, list[str]]]
ROW = nova.compose(nova.Rules(), nova.Board.parse("A A A B C D E"), pioneers={"a1": 0, "a7": 1})
"""The first player can close the three cells of one landscape and win."""
BLUNDER = ("a1-a6", "a6-a4", "+a3")


@pytest.fixture
def cut(site: Path, host: Any, visitor: Any) -> Cut:
    """The page's address, the page and its complaints; the host is gone."""

    def visit() -> tuple[str, Page, list[str]]:
        static = host(site)
        context, page, complaints = visitor(static.url)
        ready_offline(page)
        static.stop()
        context.set_offline(True)
        page.reload()
        return static.url, page, complaints

    return visit


def begin(page: Page, address: str, *kinds: str) -> None:
    """Begin a game on the form for new games."""
    page.goto(address)
    for number, kind in enumerate(kinds, 1):
        page.get_by_label(t("new.seatKind", number=number)).select_option(kind)
    page.get_by_role("button", name=t("new.create")).click()
    page.wait_for_url(re.compile("#/g/"))
    page.wait_for_function(FIRST_OFFERED)


@pytest.mark.parametrize("game", GAMES)
def test_the_book_of_openings_is_explored(cut: Cut, game: str) -> None:
    url, page, complaints = cut()
    page.goto(f"{url}#/analysis?game={game}")
    panel = explorer(page)
    position: Any = games[game].start()
    for _ in range(3):
        best = games[game].openings[key_of(position)][0]
        text = " ".join(best.actions)
        play = panel.get_by_role("button", name=t("explorer.play", turn=text), exact=True)
        expect(panel.locator("tbody tr").first).to_contain_text(f"{best.games:,}")
        play.click()
        position = position.play_all(best.actions)
    assert complaints == []


def test_a_finished_game_against_a_computer_is_counted(cut: Cut) -> None:
    url, page, complaints = cut()
    begin(page, f"{url}#/new?game=nova", "device", "computer")
    play_turn(page)
    resign(page)
    page.goto(f"{url}#/insights")
    expect(page.locator(".total")).to_have_text(t("insights.games", count=1))
    expect(page.get_by_role("img", name=t("insights.by.game"))).to_contain_text("Terra Nova")
    assert complaints == []


def test_a_finished_game_is_explored_and_its_faults_become_exercises(cut: Cut) -> None:
    url, page, complaints = cut()
    start = quote(ROW.to_text())
    begin(page, f"{url}#/new?position={start}", "device", "device")
    game = page.url
    blunder(page)
    page.locator("button.finish").click()
    page.locator('.board[data-turn="1"]').wait_for()
    resign(page)
    page.goto(f"{game}/review")
    page.get_by_role("button", name=t("replay.review")).click()
    reviewed(page)
    moment = page.locator(".moments li").first
    expect(moment.locator(".why")).not_to_be_empty()
    moment.get_by_role("button", name=t("coach.try")).click()
    for one in ("a1-a5", "+a4"):
        follow(page, one)
    page.get_by_role("button", name=t("coach.judge")).click()
    expect(page.locator(".answer")).to_contain_text(
        re.compile("|".join(t(f"coach.answer.{how}") for how in ("found", "better")))
    )
    page.goto(f"{url}#/analysis?position={start}")
    panel = explorer(page)
    choose(panel, "own")
    turn = t("explorer.play", turn=" ".join(BLUNDER))
    expect(panel.get_by_role("button", name=turn, exact=True)).to_be_visible()
    assert complaints == []


def follow(page: Page, action: str) -> None:
    """Do one action with the mouse."""
    page.wait_for_function(FIRST_OFFERED)
    for name in action.strip("+@").split("-"):
        cell(page, name)


def blunder(page: Page) -> None:
    for action in BLUNDER:
        follow(page, action)


def test_the_coach_asks_before_a_blunder(cut: Cut) -> None:
    url, page, complaints = cut()
    page.goto(f"{url}#/settings")
    page.get_by_label(t("coach.setting")).check()
    begin(page, f"{url}#/new?position={quote(ROW.to_text())}", "device", "computer")
    blunder(page)
    page.locator("button.finish").click()
    dialog = page.get_by_role("dialog", name=t("coach.title"))
    expect(dialog.locator(".reason").first).not_to_be_empty()
    assert complaints == []


def test_positions_and_islands_are_edited_and_a_position_is_played(cut: Cut) -> None:
    url, page, _ = cut()
    page.goto(f"{url}#/editor?game=turrium")
    legal(page)
    page.goto(f"{url}#/editor?game=nova")
    page.locator('[data-tool="pioneer-1"]').wait_for()
    legal(page)
    page.get_by_label(t("editor.phase")).select_option("play")
    cell(page, "e7")
    tool(page, "pioneer-1")
    cell(page, "h8")
    expect(page.locator('[data-cell="h8"]')).to_have_attribute("aria-label", re.compile("ioneer"))
    legal(page)
    page.get_by_role("button", name=t("editor.play")).click()
    page.wait_for_url(re.compile("#/g/"))
    page.wait_for_function(FIRST_OFFERED)
    page.goto(f"{url}#/editor?game=nova&paint=1")
    expect(page.locator("[data-legal]")).to_contain_text("%")


def test_rule_books_summaries_words_and_languages_are_there(cut: Cut) -> None:
    url, page, complaints = cut()
    addresses = ["learn", "learn/editions", "replay", "puzzles", "studies", "games", "account"]
    addresses += [f"learn/{game}{part}" for game in GAMES for part in ("", "/summary", "/first")]
    for address in addresses:
        page.goto(f"{url}#/{address}")
        page.reload()
        expect(page.locator("main h1").first).to_be_visible()
        expect(page.get_by_text(t("common.loadFailed"))).to_have_count(0)
    page.goto(f"{url}#/settings")
    for language in LANGUAGES:
        page.locator("#language").select_option(language)
        expect(page.locator("html")).to_have_attribute("lang", language)
    assert complaints == []


def test_a_record_is_opened_and_reviewed(cut: Cut, tmp_path: Path) -> None:
    url, page, complaints = cut()
    file = tmp_path / "game.terra"
    file.write_text(str(Record(nova.start()).play("@e7 @f7 @e8")))
    page.goto(f"{url}#/replay")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator("[role=grid] [data-cell]").first).to_be_visible()
    page.get_by_role("button", name=t("replay.review")).click()
    reviewed(page)
    assert complaints == []
