"""The page without a server in Debian's Firefox: complete games, which are still there after a reload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site.firefox import Firefox, firefox
from tests.web.texts import t

pytestmark = pytest.mark.only_long


@pytest.fixture(scope="module")
def window() -> Iterator[Firefox]:
    if firefox() is None:
        pytest.skip("Firefox is not installed: apt-get install firefox-esr")
    with Firefox() as started:
        yield started


def labelled(text: str) -> str:
    return f"document.querySelector({json.dumps(f'[aria-label={json.dumps(text)}]')})"


def choose(window: Firefox, label: str, value: str) -> None:
    """Choose from a list as a person does, with the event that the page listens to."""
    select = labelled(label)
    window.until(f"{select} && true", 300)
    window.evaluate(
        f"{select}.value = {json.dumps(value)};"
        f"{select}.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    )


def button(text: str) -> str:
    return (
        "[...document.querySelectorAll('button, a')]"
        f".find(one => one.textContent.trim() === {json.dumps(text)})"
    )


@pytest.mark.parametrize("game", ["nova", "turrium"])
def test_a_whole_game_is_played_in_firefox(
    site: Path, host: Any, window: Firefox, game: str
) -> None:
    window.go(f"{host(site).url}#/new?game={game}")
    for number in (1, 2):
        choose(window, t("new.seatKind", number=number), "computer")
        choose(window, t("new.seatLevel", number=number), "1")
    window.evaluate(f"{button(t('new.create'))}.click()")
    window.until("location.hash.startsWith('#/g/')", 300)
    is_over = f"Boolean({button(t('table.review'))})"
    window.until(is_over, 600)
    window.reload()
    window.until(is_over, 300)  # the game is in this browser
    assert window.complaints == []
