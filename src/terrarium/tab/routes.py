"""The page's requests that need no other person, answered from the games of this browser.

Paths, bodies and answers are those of the server (docs/api.md). A request that needs a server is refused with the code `needs-server`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from terrarium.errors import TerrariumError
from terrarium.play import commands, offers
from terrarium.play.boards import (
    board_view,
    builtin_board,
    checked_board,
    game_named,
    game_with_boards,
)
from terrarium.play.clocks import iso
from terrarium.play.errors import Unprocessable
from terrarium.play.insights import since
from terrarium.play.log import LogEvent, SeatHolders
from terrarium.play.openings import AskOpenings, from_book
from terrarium.play.positions import TryPosition, start_position, tried
from terrarium.play.recording import picture_svg, record_of, turn_shown
from terrarium.play.records import RecordText, read_record, record_view
from terrarium.play.seats import ask_rematch, new_game, ordered_start
from terrarium.play.shapes import (
    AcceptOffer,
    AskRematch,
    BoardText,
    Created,
    CreateGame,
    GameList,
    MakeOffer,
    NewBoard,
    Played,
    SeatChoice,
    SeatNumber,
    Snapshot,
    TryActions,
    Turns,
)
from terrarium.play.table import Table
from terrarium.play.trees import TreeSource, read_tree
from terrarium.play.views import snapshot, summary, tried_turn, turn_page
from terrarium.tab.meta import tab_meta
from terrarium.tab.routing import Call, Text, route
from terrarium.tab.store import Change
from terrarium.tab.studies import StudyEvent
from terrarium.tab.tables import PERSON, Entry, row_of

if TYPE_CHECKING:
    from terrarium.tab.app import Tab

__all__ = ["Export"]

_PAGE = 20
_FORMAT = 1


class StoredGame(msgspec.Struct):
    """A game in a file: its log, and who holds its seats."""

    id: str
    holders: list[SeatHolders]
    events: list[LogEvent]


class StoredStudy(msgspec.Struct):
    """A study in a file: its log."""

    id: str
    events: list[StudyEvent]


class Export(msgspec.Struct):
    """All games and studies of a browser as one file."""

    terrarium: int
    exported: str
    games: list[StoredGame]
    studies: list[StoredStudy] = []


class Imported(msgspec.Struct):
    """How many games of a file were added, were already here, and were refused; and how many studies were added."""

    added: int
    known: int
    refused: int
    studies: int = 0


def _shown(tab: Tab, entry: Entry) -> Snapshot:
    return snapshot(entry.table, entry.held, tab.live.connected(entry.table.id), tab.now())


def _created(tab: Tab, entry: Entry) -> Created:
    table = entry.table
    return Created(table.id, table.seq, [None] * table.players, _shown(tab, entry))


@route("GET", "/meta")
async def _meta(call: Call) -> Any:
    return tab_meta()


@route("GET", "/me")
async def _me(call: Call) -> Any:
    games = len(call.tab.tables.rows)
    return {
        "name": None,
        "is_guest": True,
        "games": games,
        "scopes": None,
        "vacation": False,
        "vacation_days_left": None,
    }


@route("GET", "/boards/{name}")
async def _board(call: Call, name: str) -> Any:
    return board_view(builtin_board(name))


@route("GET", "/boards/{name}/picture.svg")
async def _board_picture(call: Call, name: str) -> Any:
    theme = call.query.get("theme", "light")
    svg = game_with_boards().draw.draw_board(builtin_board(name), theme=theme)
    return Text(svg, "image/svg+xml")


@route("POST", "/boards/check", BoardText)
async def _check_board(call: Call, data: BoardText) -> Any:
    return checked_board(data.text)


@route("POST", "/boards/new", NewBoard)
async def _new_board(call: Call, data: NewBoard) -> Any:
    return board_view(game_with_boards().new_board(data.seed, data.cells, data.landscapes))


@route("POST", "/positions/try", TryPosition)
async def _try_position(call: Call, data: TryPosition) -> Any:
    return tried(start_position(data.start), data.actions)


@route("POST", "/openings", AskOpenings)
async def _openings(call: Call, data: AskOpenings) -> Any:
    position = start_position(data.position)
    if data.source == "book":
        await call.tab.need("openings")
        return from_book(position)
    if data.source == "server":
        raise Unprocessable("needs-server", "public games need a server")
    return await call.tab.finished.openings(position)


@route("POST", "/records/read", RecordText)
async def _read_record(call: Call, data: RecordText) -> Any:
    return read_record(data.text)


@route("POST", "/records/tree", TreeSource)
async def _record_tree(call: Call, data: TreeSource) -> Any:
    return read_tree(data)


@route("GET", "/games")
async def _list(call: Call) -> Any:
    tab, query = call.tab, call.query
    # Nobody else plays here. The list of public games, asked for without `mine`, holds the finished games only.
    if query.get("mine") != "1" and query.get("status") != "over":
        return GameList([], None)
    rows = sorted(tab.tables.rows.values(), key=lambda row: (row.updated, row.id), reverse=True)
    if "status" in query:
        rows = [row for row in rows if row.status == query["status"]]
    if "game" in query:
        rows = [row for row in rows if row.game == game_named(query["game"]).name]
    for word in query.get("q", "").casefold().split()[:4]:
        rows = [row for row in rows if word in row.names]
    first = int(query["page"]) if query.get("page", "").isdigit() else 0
    found = []
    for row in rows[first : first + _PAGE]:
        entry = await tab.tables.entry(row.id)
        found.append(summary(entry.table, entry.held, (), tab.now()))
    more = str(first + _PAGE) if len(rows) > first + _PAGE else None
    return GameList(found, more)


@route("GET", "/local/export")
async def _export(call: Call) -> Any:
    tables = call.tab.tables
    games = [
        StoredGame(row.id, row.holders, await tables.store.log(row.id))
        for row in sorted(tables.rows.values(), key=lambda row: row.updated)
    ]
    local = call.tab.studies
    studies = [
        StoredStudy(row.id, await local.log(row.id))
        for row in sorted(local.rows.values(), key=lambda row: row.updated)
    ]
    return Export(_FORMAT, iso(call.tab.now()), games, studies)


@route("GET", "/local/games/{id}/log")
async def _log(call: Call, id: str) -> Any:
    """The log of a game: a server can continue the game with it."""
    entry = await call.tab.tables.entry(id)
    return {"log": list(entry.table.log)}


@route("POST", "/local/import", Export)
async def _import(call: Call, data: Export) -> Any:
    tables, counts = call.tab.tables, Imported(0, 0, 0)
    if data.terrarium != _FORMAT:
        message = f"format {data.terrarium}: this file was made by a newer version"
        raise Unprocessable("import-format", message)
    for stored in data.games:
        if stored.id in tables.rows:
            counts.known += 1
            continue
        try:
            if not stored.events:
                raise ValueError("its log is empty")
            table = Table.replay(stored.id, stored.events)
            holders = [SeatHolders(None, row.people & {PERSON}) for row in stored.holders]
            if len(holders) != table.players or not re.fullmatch(r"[a-z0-9]{1,32}", stored.id):
                raise ValueError("its seats do not match the game")
        except (TerrariumError, KeyError, TypeError, ValueError, IndexError, AssertionError):
            counts.refused += 1
            continue
        await tables.store.write(Change(row_of(table, holders), list(table.log)))
        tables.rows[stored.id] = row_of(table, holders)
        counts.added += 1
    for study in data.studies:
        counts.studies += await call.tab.studies.add_from_file(study.id, study.events)
    return counts


@route("POST", "/games", CreateGame)
async def _create(call: Call, data: CreateGame) -> Any:
    tab = call.tab
    seats = data.seats
    if seats is None:
        players = ordered_start(game_named(data.game), data)[0].players
        seats = [SeatChoice("device") for _ in range(players)]
    if any(seat.kind in ("link", "open") for seat in seats):
        message = "a seat for somebody elsewhere needs a server"
        raise Unprocessable("needs-server", message)
    game = new_game(structs.replace(data, seats=seats), PERSON, tab.now(), is_local=True)
    entry = await tab.tables.add(game.table, game.holders)
    return _created(tab, entry)


@route("GET", "/games/{id}")
async def _look(call: Call, id: str) -> Any:
    return _shown(call.tab, await call.tab.tables.entry(id))


@route("POST", "/games/{id}/try", TryActions)
async def _try(call: Call, id: str, data: TryActions) -> Any:
    return tried_turn((await call.tab.tables.entry(id)).table, data)


@route("POST", "/games/{id}/turns", Turns)
async def _play(call: Call, id: str, data: Turns) -> Any:
    entry = await call.tab.tables.entry(id)

    def decide(table: Table, holders: Any, now: int) -> commands.Decision:
        return commands.play_turn(table, entry.held, data.seq, data.actions, data.key, now=now)

    entry, decision = await call.tab.tables.command(id, decide)
    seq = decision.replayed or entry.table.seq
    return Played(seq, entry.table.turn_at(seq))


@route("GET", "/games/{id}/history")
async def _history(call: Call, id: str) -> Any:
    before = call.query.get("before", "")
    table = (await call.tab.tables.entry(id)).table
    return turn_page(table, int(before) if before.isdigit() else None)


@route("GET", "/games/{id}/turns")
async def _turns(call: Call, id: str) -> Any:
    return record_view(record_of((await call.tab.tables.entry(id)).table))


async def _done(
    call: Call, id: str, decide: Callable[[Table, frozenset[int]], commands.Decision]
) -> Snapshot:
    entry = await call.tab.tables.entry(id)
    entry, _ = await call.tab.tables.command(
        id, lambda table, holders, now: decide(table, entry.held)
    )
    return _shown(call.tab, entry)


@route("POST", "/games/{id}/resign", SeatNumber)
async def _resign(call: Call, id: str, data: SeatNumber) -> Any:
    return await _done(call, id, lambda table, held: commands.resign(table, held, data.seat))


@route("POST", "/games/{id}/abort")
async def _abort(call: Call, id: str) -> Any:
    return await _done(call, id, commands.abort)


@route("POST", "/games/{id}/offers", MakeOffer)
async def _offer(call: Call, id: str, data: MakeOffer) -> Any:
    return await _done(
        call, id, lambda table, held: offers.offer(table, held, data.kind, data.seat)
    )


@route("POST", "/games/{id}/offers/{kind}", AcceptOffer)
async def _answer(call: Call, id: str, kind: str, data: AcceptOffer) -> Any:
    return await _done(
        call, id, lambda table, held: offers.answer(table, held, kind, data.seat, data.accept)
    )


@route("POST", "/games/{id}/rematch", AskRematch)
async def _rematch(call: Call, id: str, data: AskRematch) -> Any:
    tab = call.tab
    held = (await tab.tables.entry(id)).held
    entry, _ = await tab.tables.command(
        id,
        lambda table, holders, now: ask_rematch(table, holders, held, now, harder=data.harder),
    )
    other = await tab.tables.entry(entry.table.rematch)
    return _created(tab, other)


@route("GET", "/games/{id}/record.terra")
async def _record(call: Call, id: str) -> Any:
    return Text(str(record_of((await call.tab.tables.entry(id)).table)))


@route("GET", "/games/{id}/record.json")
async def _record_json(call: Call, id: str) -> Any:
    return record_of((await call.tab.tables.entry(id)).table).to_dict()


@route("GET", "/games/{id}/picture.svg")
async def _picture(call: Call, id: str) -> Any:
    table = (await call.tab.tables.entry(id)).table
    turn = call.query.get("turn", "")
    number = turn_shown(table, int(turn) if turn.isdigit() else None)
    return Text(picture_svg(table, number, call.query.get("theme", "light")), "image/svg+xml")


@route("GET", "/me/insights")
async def _my_insights(call: Call) -> Any:
    game, days = call.query.get("game"), call.query.get("days", "")
    name = None if game is None else game_named(game).name
    begun = since(int(days) if days.isdigit() else None, call.tab.now())
    return await call.tab.finished.insights(name, begun)
