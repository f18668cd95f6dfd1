"""Long games: requests cost the event loop the same as for a short game."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.typing import Origin

from terrarium import games, nova
from terrarium.play import boards, commands, offers
from terrarium.play.log import LogEvent
from terrarium.play.people import Caller
from terrarium.play.seats import new_game
from terrarium.play.shapes import BoardView, CreateGame, SeatChoice
from terrarium.play.table import Table
from terrarium.play.views import MAX_TURNS, snapshot, turn_page
from terrarium.server.database import chain
from terrarium.server.live.rooms import Rooms
from terrarium.server.live.watchers import StreamWatcher
from tests.play.test_table import carried_out
from tests.server.endless import endless
from tests.server.running import InProcess, Person, connect

TWO = frozenset({0, 1})


def long_table(turns: int) -> Table:
    """A game of Terra Nova in which two pioneers move back and forth; stalling does not end it."""
    seats = [SeatChoice("device"), SeatChoice("device")]
    rules = {"players": 2, "stall_rounds": 0}
    table = new_game(CreateGame("nova", rules, seats=seats), "g:1", 0).table
    for (_, actions), number in zip(endless(table.position), range(turns), strict=False):
        made = commands.play_turn(table, TWO, table.seq, actions, f"k{number}", now=0)
        table = carried_out(table, made)
    return table


def calls(work: Callable[[], object]) -> int:
    """The number of Python and C functions that `work` calls. It measures work independently of the machine."""
    count = 0

    def called(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(scope="module")
def tables() -> tuple[Table, Table]:
    """A game that fills a page of turns, and one four times as long."""
    return long_table(MAX_TURNS + 100), long_table(4 * MAX_TURNS + 100)


def turn(table: Table) -> Table:
    for _, actions in endless(table.position):
        return carried_out(table, commands.play_turn(table, TWO, table.seq, actions, "new", now=0))
    raise AssertionError


def taken_back(table: Table) -> Table:
    return carried_out(table, offers.offer(table, TWO, "takeback", 0))


def resent(table: Table) -> object:
    """Send the key of the last turn again, after it was taken back."""
    last = table.turns[-1]
    decision = commands.play_turn(
        taken_back(table), TWO, last.seq - 1, last.actions, f"k{last.number - 1}", now=0
    )
    assert decision.replayed == last.seq
    return taken_back(table).turn_at(last.seq)


def joined(table: Table, since: int | None) -> object:
    anchor = Table.replay(table.id, table.log[: table.seq - 12])

    async def join() -> None:
        watcher = StreamWatcher(Caller("127.0.0.1"), (), 100)
        Rooms(lambda: 0, 100).join(table, watcher, since, anchor)
        kind = "snapshot" if since is None else "turn"
        assert json.loads(watcher.queue[0])["type"] == kind

    return calls(lambda: asyncio.run(join()))


WORK: dict[str, Callable[[Table], object]] = {
    "a look": lambda table: calls(lambda: snapshot(table, (), (), 0)),
    "an earlier page": lambda table: calls(lambda: turn_page(table, 501)),
    "a turn": lambda table: calls(lambda: turn(table)),
    "a take-back": lambda table: calls(lambda: taken_back(table)),
    "a key that was taken back": lambda table: calls(lambda: resent(table)),
    "joining": lambda table: joined(table, None),
    "joining after five missed turns": lambda table: joined(table, table.seq - 5),
    "an early position": lambda table: calls(lambda: table.position_at(49)),
    "a late position": lambda table: calls(lambda: table.position_at(len(table.turns) - 1)),
}


@pytest.mark.parametrize("what", WORK)
def test_requests_cost_the_same_however_long_the_game_is(
    what: str, tables: tuple[Table, Table]
) -> None:
    short, long = tables
    assert WORK[what](long) <= 1.2 * WORK[what](short) + 100  # type: ignore[operator]


def test_successive_tables_of_a_game_share_one_list_of_turns() -> None:
    table = long_table(40)
    after = turn(table)
    assert after.log._items is table.log._items
    assert after.turns._items is table.turns._items
    other = turn(table)  # a second continuation of the same table
    assert (len(table.turns) + 1, len(other.turns)) == (len(after.turns), len(after.turns))
    assert after.turns._items is not other.turns._items
    assert table.logged("0:new") is table.logged("1:new") is None


def test_replayed_and_played_tables_agree_even_after_take_backs() -> None:
    table = long_table(70)
    for _ in range(10):
        table = taken_back(table)
    again = Table.replay(table.id, list(table.log))
    assert again.position == table.position
    assert [t.seq for t in again.turns] == [t.seq for t in table.turns]
    for number, position in enumerate(table.positions()):
        assert position == table.position_at(number) == again.position_at(number)
    assert list(table.positions(33)) == list(table.positions())[33:]


def test_pages_of_turns_make_up_the_whole_game(tables: tuple[Table, Table]) -> None:
    _, table = tables
    shown = snapshot(table, (), (), 0)
    found, omitted = list(shown.turns), shown.turns_omitted
    while omitted:
        page = turn_page(table, omitted + 1)
        found, omitted = [*page.turns, *found], page.omitted
    assert [turn.number for turn in found] == list(range(1, len(table.turns) + 1))


@contextmanager
def stored(folder: Path, table: Table) -> Iterator[tuple[InProcess, Person, str]]:
    """A server that was just started, with a game on disk and none in memory."""
    with InProcess(folder, lambda: 1_700_000_000_000) as server, server.person() as person:
        made = person.create(seats=[{"kind": "device"}, {"kind": "device"}])
        services = server.application.services
        own = table.log[0]
        sweeper = services._sweeper
        assert sweeper is not None
        rows: Sequence[LogEvent] = [*table.log[1:]]

        async def append() -> None:
            entry = await services.tables.entry(made["id"])
            begun = Table.replay(made["id"], [own])
            head = await _rewritten(services, made["id"], own)
            await services.store.append(made["id"], rows, begun.after(rows).index(), head)
            services.tables._entries.clear()
            assert entry.table.seq == 1

        asyncio.run_coroutine_threadsafe(append(), sweeper.get_loop()).result(60)
        yield server, person, made["id"]


async def _rewritten(services: Any, game_id: str, first: LogEvent) -> str:
    """Replace the first event of a game, so that its rules let the game continue without end."""
    from sqlalchemy import text

    from terrarium.server.database.chain import links

    row = links(game_id, [first])[0]

    async def job(connection: Any) -> None:
        values = {"game": game_id, "data": row.data, "digest": row.digest, "at": row.at}
        await connection.execute(
            text(
                "UPDATE events SET data = :data, digest = :digest, at = :at WHERE game_id = :game"
            ),
            values,
        )
        await connection.execute(text("UPDATE games SET head = :digest WHERE id = :game"), values)

    await services.store.write(job)
    return row.digest


def test_a_long_game_is_read_off_the_event_loop_and_shown_page_by_page(
    tmp_path: Path, tables: tuple[Table, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, table = tables
    with stored(tmp_path, table) as (server, person, game):
        sweeper = server.application.services._sweeper
        assert sweeper is not None
        loops: list[int] = []
        server.run(lambda: loops.append(threading.get_ident()))
        applied = {True: 0, False: 0}
        apply = Table._apply

        def counted(self: Table, *values: Any) -> None:
            applied[threading.get_ident() in loops] += 1
            apply(self, *values)

        monkeypatch.setattr(Table, "_apply", counted)
        shown = person.snapshot(game)
        assert applied[False] == table.seq - 1
        assert applied[True] == 0
        assert (shown["turn"], len(shown["turns"])) == (len(table.turns), MAX_TURNS)
        assert shown["turns_omitted"] == len(table.turns) - MAX_TURNS
        page = person.get(f"/api/games/{game}/history", before=shown["turns"][0]["number"]).json()
        assert page["turns"][-1]["number"] == shown["turns"][0]["number"] - 1
        assert page["omitted"] == len(table.turns) - 2 * MAX_TURNS
        address = server.url.replace("http", "ws") + f"/api/games/{game}/live?since={table.seq - 5}"
        with connect(address, origin=Origin(server.url)) as socket:
            kinds = [json.loads(socket.recv())["type"] for _ in range(6)]
        assert kinds == ["turn"] * 5 + ["ready"]
        # Only a limited number of turns is replayed from the last stored table, not thousands.
        assert applied[True] <= 24


def test_answers_as_long_as_the_game_are_encoded_off_the_event_loop(
    tmp_path: Path, tables: tuple[Table, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, table = tables
    with stored(tmp_path, table) as (server, person, game):
        loops: list[int] = []
        server.run(lambda: loops.append(threading.get_ident()))
        text = person.get(f"/api/games/{game}/record.terra").text
        sizes: dict[bool, int] = {True: 0, False: 0}
        encode = msgspec.json.encode

        def measured(*values: Any, **named: Any) -> bytes:
            found = encode(*values, **named)
            is_loop = threading.get_ident() in loops
            sizes[is_loop] = max(sizes[is_loop], len(found))
            return found

        monkeypatch.setattr(msgspec.json, "encode", measured)
        for path in ("turns", "record.json"):
            facts = person.get(f"/api/games/{game}/{path}")
            assert facts.headers["content-type"] == "application/json"
            assert len(facts.json().get("turns", ())) in (0, len(table.turns))
        read = person.post("/api/records/read", {"text": text[:200_000]})
        assert read.status_code in (200, 422)
    assert sizes[False] > 100_000
    assert sizes[True] < 10_000


def test_names_are_removed_from_a_long_game_off_the_event_loop(
    tmp_path: Path, tables: tuple[Table, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the account of a player is deleted, the digests of the whole log are computed again."""
    _, table = tables
    with stored(tmp_path, table) as (server, person, game):
        loops: list[int] = []
        server.run(lambda: loops.append(threading.get_ident()))
        body = {"name": "Somebody", "password": "long enough"}
        assert person.post("/api/accounts", body).status_code == 201
        linked = {True: 0, False: 0}
        link = chain.link

        def counted(*values: Any) -> str:
            linked[threading.get_ident() in loops] += 1
            return link(*values)

        monkeypatch.setattr(chain, "link", counted)
        assert person.http.delete("/api/me").status_code == 204
        assert person.snapshot(game)["turn"] == len(table.turns)
    assert linked[False] > table.seq
    assert linked[True] < 100


@pytest.mark.slow
def test_new_boards_are_read_and_prepared_off_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One map for each request with a board, so that no map is cached.
    maps = [games["nova"].new_board(seed, 100, 4).map for seed in range(5)]
    parsed: list[int] = []
    parse = nova.Board.parse

    def counted(*values: Any, **named: Any) -> Any:
        parsed.append(threading.get_ident())
        return parse(*values, **named)

    views: list[int] = []

    def prepared(*values: Any) -> BoardView:
        views.append(threading.get_ident())
        return BoardView(*values)

    with InProcess(tmp_path, lambda: 1_700_000_000_000) as here, here.person() as person:
        loops: list[int] = []
        here.run(lambda: loops.append(threading.get_ident()))
        monkeypatch.setattr(nova.Board, "parse", counted)
        monkeypatch.setattr(boards, "BoardView", prepared)
        person.create(board={"map": maps[0]})
        start = {"game": "nova", "board": {"map": maps[1]}}
        tried: httpx.Response = person.post("/api/positions/try", {"start": start, "actions": []})
        text = tried.json()["position"]
        assert person.post("/api/positions/try", {"start": text}).status_code == 200
        asked = person.post("/api/analysis", {"position": text, "seconds": 0.1})
        assert asked.status_code == 200
        begun = nova.start(nova.Rules(), parse(maps[2])).to_text()
        assert person.post("/api/positions/advice", {"position": begun}).status_code == 200
        with here.person() as other:
            for somebody, name in ((person, "First"), (other, "Second")):
                somebody.post("/api/accounts", {"name": name, "password": "long enough"})
            order = {"to": "Second", "game": "nova", "board": {"map": maps[3]}}
            challenge = person.post("/api/challenges", order).json()["id"]
            accepted = other.post(f"/api/challenges/{challenge}/accept")
            assert other.get(f"/api/games/{accepted.json()['game_id']}").status_code == 200
        made = person.post("/api/boards/new", {"seed": 99, "cells": 60, "landscapes": 4})
        assert made.status_code == 200
        devices = [{"kind": "device"}, {"kind": "device"}]
        game = person.create(board={"map": maps[4]}, seats=devices)["id"]
        person.post(f"/api/games/{game}/offers", {"kind": "draw", "seat": 0})
        boards._board.cache_clear()
        assert person.post(f"/api/games/{game}/rematch").status_code == 200
    assert len(parsed) >= 6
    assert len(views) >= 4
    assert not {*parsed, *views} & set(loops)
