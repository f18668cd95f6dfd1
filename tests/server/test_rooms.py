"""Rooms without a server: the messages that watchers get, and their cost."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from terrarium.play import offers
from terrarium.play.people import Caller
from terrarium.play.table import Table
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.tables import MAX_MISSED
from terrarium.server.live.watchers import StreamWatcher
from tests.play.test_table import carried_out, played, three_seats


def watcher() -> StreamWatcher:
    return StreamWatcher(Caller("127.0.0.1"), (), 100)


def sent(watcher: StreamWatcher) -> list[dict[str, Any]]:
    return [json.loads(text) for text in watcher.queue]


def test_many_watchers_who_reconnect_cost_no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(_crowd(monkeypatch))


async def _crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    table = played(three_seats(), 30)
    replays = 0
    replay = Table.replay

    def counted(*values: Any, **named: Any) -> Table:
        nonlocal replays
        replays += 1
        return replay(*values, **named)

    anchor = Table.replay(table.id, table.log[: table.seq - MAX_MISSED - 3])
    monkeypatch.setattr(Table, "replay", counted)
    rooms = Rooms(lambda: 0, 100)
    for missed in [*range(1, MAX_MISSED + 1)] * 5:
        one = watcher()
        rooms.join(table, one, table.seq - missed, anchor)
        messages = sent(one)
        assert [message["type"] for message in messages] == ["turn"] * missed + ["ready"]
        assert [message["seq"] for message in messages[:-1]] == list(
            range(table.seq - missed + 1, table.seq + 1)
        )
        assert messages[-2]["position"] == table.position.to_text()
    assert replays == 0
    late = watcher()
    rooms.join(table, late, table.seq - MAX_MISSED - 1, anchor)
    assert sent(late)[0]["type"] == "snapshot"


def test_a_watcher_who_missed_a_take_back_gets_all_turns_with_their_events() -> None:
    asyncio.run(_taken_back())


async def _taken_back() -> None:
    table = played(three_seats("nova"), 8)
    table = carried_out(table, offers.offer(table, frozenset({0, 1, 2}), "takeback", 0))
    table = played(table, 2, seed=2)
    late = watcher()
    anchor = Table.replay(table.id, table.log[: table.seq - 9])
    Rooms(lambda: 0, 100).join(table, late, table.seq - 7, anchor)
    back = next(message for message in sent(late) if message["type"] == "takeback")
    assert back["turns"]
    assert all(turn["events"] for turn in back["turns"])
