"""Games of other packages: one that can't be loaded does not break the others."""

from __future__ import annotations

import importlib.metadata
import logging
from importlib.metadata import EntryPoint

import pytest

from terrarium import nova
from terrarium.core.game import _Games


@pytest.mark.parametrize("place", ["no_such_module:GAME", "terrarium.nova:nothing", "json:dumps"])
def test_a_broken_game_is_left_out_with_a_line_in_the_log(
    place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = EntryPoint("broken", place, "terrarium.games")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [broken])
    games = _Games(nova="terrarium.nova.game:GAME")
    with caplog.at_level(logging.WARNING):
        assert {name: game.describe()["name"] for name, game in games.items()} == {"nova": "nova"}
        assert list(games) == ["nova"]
    assert len(caplog.records) == 1
    assert "broken" in caplog.text
    assert place in caplog.text
    assert "broken" not in games
    assert games["nova"] is nova.start().game
    assert "broken" not in _Games(nova="terrarium.nova.game:GAME"), (
        "a lookup must also work before the games are listed"
    )
